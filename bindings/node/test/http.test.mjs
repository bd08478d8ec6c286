import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { test } from 'node:test';
import { setTimeout as rest } from 'node:timers/promises';
import express from 'express';
import Fastify from 'fastify';
import { Hono } from 'hono';
import { Refusal } from 'mcpcore';
import { call, post, quiet, request, texts, until } from './support.mjs';

const OPEN = { authorize: 'anyone', allowedOrigins: 'any' };

/** The same tools behind every door. */
function serverWithTools(options = {}) {
  const server = quiet({ http: OPEN, subscribe: true, ...options });
  server.ended = [];
  server.tool({ name: 'echo' }, async ({ text }) => text);
  server.tool({ name: 'talk' }, async (_, call) => {
    for (let step = 1; step <= 3; step += 1) {
      call.progress(step, 3);
      await rest(5);
    }
    return 'said';
  });
  server.tool(
    { name: 'hang' },
    (_, call) =>
      new Promise((resolve) => {
        server.hanging = (server.hanging ?? 0) + 1;
        call.signal.addEventListener('abort', () => {
          server.ended.push(call.cancelled);
          resolve('');
        });
      }),
  );
  server.tool({ name: 'who' }, (_, call) => call.caller);
  server.tool({ name: 'pay', scopes: ['pay'] }, () => 'paid');
  server.resource({ uri: 'x://a' }, () => 'a');
  return server;
}

async function listening(app, use) {
  const web = http.createServer(app).listen(0, '127.0.0.1');
  await once(web, 'listening');
  try {
    return await use(`http://127.0.0.1:${web.address().port}`);
  } finally {
    web.closeAllConnections();
    web.close();
  }
}

/** Every door as a function from a server and a path to a running url. */
const doors = {
  listen: async (server, use) => {
    const listener = await server.listen();
    try {
      return await use(listener.url);
    } finally {
      await listener.close({ timeoutMs: 0 });
    }
  },
  'node:http': (server, use) => listening(server.handler(), (url) => use(`${url}/mcp`)),
  'express, under a path': (server, use) => {
    const app = express();
    app.use('/deep/mcp', server.handler());
    return listening(app, (url) => use(`${url}/deep/mcp`));
  },
  'express, behind its JSON reader': (server, use) => {
    const app = express();
    app.use(express.json({ limit: '1mb' }));
    app.all('/mcp', server.handler());
    return listening(app, (url) => use(`${url}/mcp`));
  },
  fastify: async (server, use) => {
    const app = Fastify();
    const handler = server.handler();
    app.all('/mcp', (req, reply) => {
      reply.hijack();
      handler(Object.assign(req.raw, { body: req.body }), reply.raw);
    });
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    try {
      return await use(`${url}/mcp`);
    } finally {
      await app.close();
    }
  },
  'fetch, in Hono': (server, use) => {
    const app = new Hono();
    app.all('/mcp', (c) => server.fetch(c.req.raw));
    return listening(bridge(app.fetch), (url) => use(`${url}/mcp`));
  },
};

/** A fetch function behind node:http, as adapters of Hono do it. */
function bridge(serve) {
  return async (req, res) => {
    const gone = new AbortController();
    res.on('close', () => res.writableFinished || gone.abort());
    const chunks = [];
    for await (const chunk of req) chunks.push(chunk);
    const init = { method: req.method, headers: req.headers, signal: gone.signal };
    if (chunks.length > 0) init.body = Buffer.concat(chunks);
    try {
      const response = await serve(new Request(`http://${req.headers.host}${req.url}`, init));
      res.writeHead(response.status, [...response.headers].flat());
      res.flushHeaders();
      if (response.body) {
        const reader = response.body.getReader();
        res.on('close', () => reader.cancel().catch(() => {}));
        for (let part = await reader.read(); !part.done; part = await reader.read()) res.write(part.value);
      }
      res.end();
    } catch {
      res.destroy();
    }
  };
}

for (const [name, open] of Object.entries(doors)) {
  test(`${name}: calls, streams, refusals, subscriptions, hang-ups`, async (t) => {
    const server = serverWithTools();
    await open(server, async (url) => {
      await t.test('a call is one JSON text', async () => {
        const response = await post(url, call('echo', { text: 'é\u{1f600}' }));
        assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'application/json']);
        assert.deepEqual(texts((await response.json()).result), ['é\u{1f600}']);
      });
      await t.test('a body of half a MiB comes and goes', async () => {
        const text = 'x'.repeat(1 << 19);
        assert.equal(texts((await (await post(url, call('echo', { text }))).json()).result)[0].length, 1 << 19);
      });
      await t.test('progress makes it a stream', async () => {
        const response = await post(url, call('talk', {}, { meta: { progressToken: 'p' } }));
        assert.equal(response.headers.get('content-type'), 'text/event-stream');
        const events = [...(await response.text()).matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data));
        assert.deepEqual(
          events
            .slice(0, -1)
            .map(({ params }) => params.progress)
            .at(-1),
          3,
        );
        assert.deepEqual(texts(events.at(-1).result), ['said']);
      });
      await t.test('what the engine refuses has its status', async () => {
        assert.equal((await post(url, request('no/such'))).status, 404);
        assert.equal((await post(url, call('echo'), { headers: { 'mcp-name': 'other' } })).status, 400);
        assert.equal((await fetch(url, { headers: { 'mcp-protocol-version': '2026-07-28' } })).status, 405);
        assert.equal((await fetch(url)).status, 400);
        assert.equal(
          (await fetch(url, { method: 'POST', body: '{', headers: { 'content-type': 'text/plain' } })).status,
          415,
        );
      });
      await t.test('a subscription streams until the client leaves', async () => {
        const leaving = new AbortController();
        const listen = request('subscriptions/listen', { notifications: { resourceSubscriptions: ['x://a'] } });
        const response = await post(url, listen, { signal: leaving.signal });
        const reader = response.body.getReader();
        const decoder = new TextDecoder();
        let heard = '';
        const read = async (word) => {
          while (!heard.includes(word)) heard += decoder.decode((await reader.read()).value, { stream: true });
        };
        await read('acknowledged');
        server.resourceUpdated('x://a');
        await read('resources/updated');
        leaving.abort();
        await until(() => server.stats.subscriptions === 0, 'the subscription ends');
      });
      await t.test('a client that hangs up cancels its call', async () => {
        server.hanging = 0;
        const leaving = new AbortController();
        const left = post(url, call('hang'), { signal: leaving.signal });
        await until(() => server.hanging === 1, 'the handler runs');
        leaving.abort();
        await assert.rejects(left);
        await until(() => server.ended.length > 0, 'the handler is told');
        assert.equal(server.ended.pop(), 'CLOSED');
      });
      await t.test('many at once', async () => {
        const sent = Array.from({ length: 50 }, (_, n) => post(url, call('echo', { text: String(n) }, { id: n })));
        const answers = await Promise.all(sent.map(async (response) => (await response).json()));
        assert.deepEqual(
          answers.map(({ id, result }) => [id, result.content[0].text]),
          answers.map((_, n) => [n, String(n)]),
        );
      });
    });
    await server.close();
  });
}

for (const name of ['listen', 'node:http']) {
  test(`${name}: authorize decides before the body is read`, async (t) => {
    const asked = [];
    const authorize = async (request) => {
      asked.push([request.method, request.path, typeof request.peer]);
      await rest(1);
      if (request.bearer === 'broken') throw new Error('the database is away');
      if (request.bearer === 'banned') throw Refusal.forbidden({ description: 'Not you.', reason: 'banned since May' });
      if (request.header('authorization') === undefined) return null;
      if (request.bearer === 'old') return Refusal.unauthorized({ error: 'invalid_token', scope: 'read' });
      return { principal: request.bearer, scopes: request.bearer === 'rich' ? ['pay'] : [], claims: { n: 1 } };
    };
    const resourceMetadata = { resource: 'https://example.com/mcp', authorization_servers: ['https://as.example.com'] };
    const path = '/mcp';
    const server = serverWithTools({
      http: { authorize, allowedOrigins: ['https://app.example.com'], resourceMetadata, path },
    });
    await doors[name](server, async (url) => {
      const as = (bearer) => ({ headers: bearer ? { authorization: `Bearer ${bearer}` } : {} });
      const who = await (await post(url, call('who'), as('ann'))).json();
      assert.deepEqual(
        [who.result.structuredContent.principal, who.result.structuredContent.claims],
        ['ann', { n: 1 }],
      );
      assert.deepEqual(asked[0], ['POST', '/mcp', 'string']);
      assert.deepEqual(texts((await (await post(url, call('pay'), as('rich'))).json()).result), ['paid']);
      assert.equal((await (await post(url, call('pay'), as('ann'))).json()).error.code, -32602);
      for (const [bearer, status, challenge] of [
        [undefined, 401, /resource_metadata="https:\/\/example\.com\/\.well-known\/oauth-protected-resource\/mcp"/],
        ['old', 401, /error="invalid_token".*scope="read"|scope="read".*error="invalid_token"/],
        ['banned', 403, /Not you\./],
      ]) {
        const response = await post(url, call('who'), as(bearer));
        assert.equal(response.status, status);
        assert.match(response.headers.get('www-authenticate'), challenge);
        assert.doesNotMatch(await response.text(), /banned since/);
      }
      assert.equal((await post(url, call('who'), as('broken'))).status, 500);
      await until(() => server.lines.some((line) => line.includes('the database is away')), 'the log tells');
      assert.ok(server.lines.some((line) => line.includes('banned since May')));
      const evil = { headers: { ...as('ann').headers, origin: 'https://evil.example' } };
      assert.equal((await post(url, call('who'), evil)).status, 403);
      const metadata = await fetch(new URL('/.well-known/oauth-protected-resource/mcp', url));
      assert.deepEqual(await metadata.json(), resourceMetadata);
    });
    await server.close();
  });
}

test('who may use an endpoint, and which pages, has no default', async () => {
  const server = quiet();
  const fault = (message) => ({ code: 'INVALID_ARGUMENT', message });
  await assert.rejects(server.listen({ allowedOrigins: 'any' }), fault(/listen: authorize: say who/));
  await assert.rejects(server.listen({ authorize: 'anyone' }), fault(/listen: allowedOrigins: say which/));
  assert.throws(() => server.handler({ authorize: 'everyone', allowedOrigins: 'any' }), fault(/handler: authorize/));
  assert.throws(() => server.handler({ ...OPEN, prot: 1 }), fault(/unknown option prot/));
  await assert.rejects(async () => server.fetch(new Request('http://x/')), fault(/fetch: authorize/));
  await assert.rejects(server.listen({ ...OPEN, maxBodyBytes: 1 }), fault(/maxBodyBytes/));
  await assert.rejects(server.listen({ ...OPEN, host: 'no.such.host.invalid' }), { name: 'McpError' });
});

test("callHeaders, the endpoint's limits, several listeners of one server", async () => {
  const server = quiet();
  server.tool({ name: 'head' }, (_, call) => `${call.header('X-Tenant')} ${call.header('x-other')}`);
  server.tool({ name: 'echo' }, ({ text }) => text);
  const caller = { principal: 'everyone', scopes: '*' };
  const [one, two] = await Promise.all([
    server.listen({ ...OPEN, callHeaders: ['x-tenant'], maxBodyBytes: 2048 }),
    server.listen({ allowedOrigins: 'loopback', authorize: caller, path: '/other' }),
  ]);
  assert.ok(one.port > 0 && two.url.endsWith('/other'));
  const headers = { 'x-tenant': 'a', 'x-other': 'b' };
  assert.deepEqual(texts((await (await post(one.url, call('head'), { headers })).json()).result), ['a undefined']);
  assert.equal((await post(one.url, call('echo', { text: 'x'.repeat(4096) }))).status, 413);
  assert.equal((await post(two.url, call('echo', { text: 'x'.repeat(4096) }))).status, 200);
  assert.equal((await post(two.url, call('head'), { headers: { origin: 'http://localhost:5173' } })).status, 200);
  await one.close();
  await one.close();
  await assert.rejects(post(one.url, call('head')));
  assert.equal((await post(two.url, call('head'))).status, 200);
  await server.close();
  await assert.rejects(post(two.url, call('head')));
});
