// The Node package as a server for the benches: echo among 50 tools, its handler async. stdio, or with `listen`, `handler`
// (node:http) or `fetch` (behind node:http) HTTP; then the port is the first line of its output.
import { createServer } from 'node:http';
import { Server } from 'mcpcore';

const inputSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const http = { authorize: 'anyone', allowedOrigins: 'any' };
const server = new Server({ name: 'bench', version: '1.0.0', http });
const echo = process.argv.includes('--sync') ? ({ text }) => text : async ({ text }) => text;
const add = (name) => server.tool({ name, description: 'Does one thing.', inputSchema }, echo);
for (let number = 0; number < 49; number += 1) add(`tool_${String(number).padStart(5, '0')}`);
add('echo');

switch (process.argv[2]) {
  case 'listen':
    console.log((await server.listen()).port);
    break;
  case 'handler': {
    await server.start();
    // A connection waits for the turns of others.
    const web = createServer({ keepAliveTimeout: 0 }, server.handler());
    web.listen(0, '127.0.0.1', () => console.log(web.address().port));
    break;
  }
  default:
    await server.serveStdio();
}
