// Compiled with `tsc --strict`, never run: what is typed, and what has to be an error.
import http from 'node:http';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';
import { McpError, Refusal, Rejection, Server, ToolError, ToolResult, image, rawResult, user } from 'mcpcore';
import type { Call, Listener, Middleware } from 'mcpcore';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function same<A, B>(_: Same<A, B>): void {}

interface Shared {
  db: Map<string, number>;
}

const server = new Server<Shared>({
  name: 'typed',
  version: '1.0.0',
  instructions: 'Ask.',
  stateKeys: [new Uint8Array(32)],
  lifespan: async () => ({ db: new Map() }),
  http: { authorize: 'anyone', allowedOrigins: 'loopback' },
});

// The arguments of a handler come from its schema: zod, arktype, valibot, JSON Schema.
server.tool(
  { name: 'zod', inputSchema: z.object({ place: z.string(), days: z.number().default(3) }) },
  ({ place, days }, call) => {
    same<typeof place, string>(true);
    same<typeof days, number>(true);
    same<typeof call.shared.db, Map<string, number>>(true);
    return `${place} ${days}`;
  },
);
server.tool({ name: 'ark', inputSchema: type({ place: 'string', 'days?': 'number' }) }, ({ place, days }) => {
  same<typeof place, string>(true);
  same<typeof days, number | undefined>(true);
  return new ToolResult({ content: [image(new Uint8Array(3), 'image/png')] });
});
server.tool({ name: 'val', inputSchema: toStandardJsonSchema(v.object({ place: v.string() })) }, async ({ place }) => {
  same<typeof place, string>(true);
  return { place };
});
server.tool(
  {
    name: 'json',
    inputSchema: {
      type: 'object',
      properties: {
        a: { type: 'integer' },
        unit: { enum: ['C', 'F'] },
        tags: { type: 'array', items: { type: 'string' } },
        deep: { type: 'object', properties: { on: { type: 'boolean' } }, required: ['on'] },
        maybe: { type: ['string', 'null'] },
      },
      required: ['a', 'deep'],
    },
  },
  ({ a, unit, tags, deep, maybe }) => {
    same<typeof a, number>(true);
    same<typeof unit, 'C' | 'F' | undefined>(true);
    same<typeof tags, string[] | undefined>(true);
    same<typeof deep.on, boolean>(true);
    same<typeof maybe, string | null | undefined>(true);
    return rawResult('{"content":[]}');
  },
);
server.tool({ name: 'any' }, (args) => args.whatever);

// What a handler returns has to fit its output schema.
server.tool({ name: 'out', outputSchema: z.object({ degrees: z.number() }) }, () => ({ degrees: 3 }));
// @ts-expect-error degrees is a number
server.tool({ name: 'bad', outputSchema: z.object({ degrees: z.number() }) }, () => ({ degrees: 'three' }));
server.tool(
  { name: 'out2', outputSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } },
  async () => ({ n: 1 }),
);

// The variables of a template come from its text.
server.resource({ uriTemplate: 'weather://place/{name}{?unit,days}' }, ({ name, unit, days }) => {
  same<typeof name, string>(true);
  same<typeof unit, string | undefined>(true);
  same<typeof days, string | undefined>(true);
  return `${name} ${unit} ${days}`;
});
server.resource({ uriTemplate: 'file:///{+path}' }, ({ path }) => new TextEncoder().encode(path));
// @ts-expect-error there is no such variable
server.resource({ uriTemplate: 'a://{b}' }, ({ c }) => c);
server.resource({ uri: 'weather://places', mimeType: 'text/plain' }, (_, call) => call.uri);
// @ts-expect-error one or the other
server.resource({ uri: 'a://b', uriTemplate: 'a://{b}' }, () => '');

// The arguments of a prompt come from their list or a schema.
server.prompt(
  { name: 'forecast', arguments: [{ name: 'place', required: true }, { name: 'style' }] },
  ({ place, style }) => {
    same<typeof place, string>(true);
    same<typeof style, string | undefined>(true);
    return [user(`How is ${place}?`), 'Go.'];
  },
);
server.prompt({ name: 'schema', argsSchema: z.object({ place: z.string() }) }, ({ place }) => place);
server.completion({ prompt: 'forecast', argument: 'place' }, (value) => [value]);

// Answers of the user are typed by the form.
server.tool({ name: 'ask' }, async (_, call) => {
  const answer = await call.elicit('name', 'Who?', z.object({ name: z.string() }));
  if (answer.action !== 'accept') throw new ToolError('nobody');
  same<typeof answer.content.name, string>(true);
  const { roots } = await call.roots();
  call.progress(1, 2, 'half');
  call.log('info', { roots });
  // @ts-expect-error no such level
  call.log('loud', 'x');
  call.signal.throwIfAborted();
  return answer.content.name;
});

const timing: Middleware<Shared> = async (call, next) => {
  const started = performance.now();
  const result = await next();
  call.shared.db.set(call.name, performance.now() - started);
  return result;
};
server.middleware(timing);

// The injected pair.
new Server({
  name: 'pair',
  version: '1',
  catalog: ({ catalogKey }) => ({ tools: [{ name: catalogKey }] }),
  dispatch: (call: Call<undefined>) => ({ content: [{ type: 'text', text: call.rawArguments }] }),
});
// @ts-expect-error a server has a version
new Server({ name: 'none' });
// @ts-expect-error one of two words
new Server({ name: 'word', version: '1', cacheScope: 'secret' });

async function doors(): Promise<void> {
  await server.serveStdio();
  const listener: Listener = await server.listen({
    port: 4000,
    allowedOrigins: ['https://example.com'],
    authorize: async (request) => {
      if (request.bearer === undefined) return Refusal.unauthorized({ scope: 'read' });
      return { principal: 'ann', scopes: ['read'], claims: { tenant: 7 } };
    },
  });
  await listener.close();
  http.createServer(server.handler({ authorize: 'anyone', allowedOrigins: 'any' }));
  const response: Response = await server.fetch(new Request('http://localhost/mcp'));
  const answer: string | null = await server.handle('{}', { caller: { scopes: '*' }, timeoutMs: 10 });
  const client = await server.client({ onElicit: () => ({ action: 'accept', content: { name: 'Ann' } }) });
  await client.callTool('zod', { place: 'Oslo' }, { onProgress: ({ progress }) => progress });
  await using closing = client;
  const item = server.tool({ name: 'later' }, () => '');
  const gone: boolean = item.remove();
  console.log(response, answer, gone, closing, new Rejection(-32602, 'no'), new McpError('GONE', 'over'));
}
void doors;
