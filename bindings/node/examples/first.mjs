import { Server } from 'mcpcore';

const server = new Server({ name: 'greeter', version: '1.0.0' });

server.tool(
  {
    name: 'greet',
    description: 'Greets somebody.',
    inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  },
  ({ name }) => `Hello ${name}!`,
);

await server.serveStdio();
