// An MCP endpoint inside an Express app, with bearer tokens.
import express from 'express';
import { Refusal, Server } from 'mcpcore';

const TOKENS = { 'secret-of-ann': { principal: 'ann', scopes: ['notes'] } };

const server = new Server({ name: 'notes', version: '1.0.0' });
const notes = new Map();

server.tool(
  {
    name: 'write_note',
    description: 'Keeps a note for you.',
    scopes: ['notes'],
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  },
  ({ text }, call) => {
    notes.set(call.caller.principal, text);
    return 'kept';
  },
);
server.tool(
  { name: 'read_note', description: 'Your note.', scopes: ['notes'] },
  (_, call) => notes.get(call.caller.principal) ?? 'nothing yet',
);

const app = express();
app.get('/', (req, res) => res.send('The endpoint is /mcp.'));
app.use(
  '/mcp',
  server.handler({
    allowedOrigins: 'loopback',
    authorize: ({ bearer }) => TOKENS[bearer] ?? Refusal.unauthorized(bearer && { error: 'invalid_token' }),
  }),
);

const web = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${web.address().port}/mcp`);
});
