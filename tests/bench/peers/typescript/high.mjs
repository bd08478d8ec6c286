// The official TypeScript SDK's high-level server: echo among 50 tools.
import { McpServer, fromJsonSchema } from "@modelcontextprotocol/server";
import { serve } from "./door.mjs";

const inputSchema = fromJsonSchema({ type: "object", properties: { text: { type: "string" } }, required: ["text"] });

serve(() => {
  const server = new McpServer({ name: "bench", version: "1.0.0" }, { capabilities: { tools: {} } });
  const add = (name) =>
    server.registerTool(name, { description: "Does one thing.", inputSchema }, async ({ text }) => ({
      content: [{ type: "text", text }],
    }));
  for (let number = 0; number < 49; number++) add(`tool_${String(number).padStart(5, "0")}`);
  add("echo");
  return server;
});
