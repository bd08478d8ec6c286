// The official TypeScript SDK's low-level server: echo among 50 tools.
import { Server } from "@modelcontextprotocol/server";
import { serve } from "./door.mjs";

const inputSchema = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
const names = Array.from({ length: 49 }, (_, number) => `tool_${String(number).padStart(5, "0")}`).concat("echo");
const tools = names.map((name) => ({ name, description: "Does one thing.", inputSchema }));

serve(() => {
  const server = new Server({ name: "bench", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", async () => ({ tools }));
  server.setRequestHandler("tools/call", async ({ params }) => ({
    content: [{ type: "text", text: params.arguments.text }],
  }));
  return server;
});
