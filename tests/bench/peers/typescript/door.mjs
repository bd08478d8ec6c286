// Which door a peer opens: standard input and output, or HTTP when the command line ends with `--http PORT`.
import { createServer } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

export function serve(factory) {
  const [option, port] = process.argv.slice(2);
  if (option !== "--http") return serveStdio(factory);
  // A connection waits for the turns of others.
  createServer({ keepAliveTimeout: 0 }, toNodeHandler(createMcpHandler(factory))).listen(Number(port), "127.0.0.1");
}
