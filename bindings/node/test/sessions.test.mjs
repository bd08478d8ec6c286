// Clients of the revisions before 2026-07-28 over HTTP: sessions, the stores that keep them, streams that are come back to.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { setTimeout as rest } from 'node:timers/promises';
import { call, post, quiet, texts } from './support.mjs';

const OPEN = { authorize: 'anyone', allowedOrigins: 'any' };

function serverOfSessions() {
  const server = quiet();
  server.tool({ name: 'revision' }, (_, call) => call.revision);
  server.tool({ name: 'name' }, async (_, call) => {
    const schema = { type: 'object', properties: { name: { type: 'string' } } };
    const { content } = await call.elicit('who', 'Who are you?', schema);
    return content.name;
  });
  server.tool({ name: 'leave' }, async (_, call) => {
    call.closeStream(20);
    // What is there when the client is sent away still goes with it.
    await rest(50);
    return 'left';
  });
  return server;
}

const doors = {
  listen: async (options, use) => {
    const server = serverOfSessions();
    const { url } = await server.listen({ ...OPEN, ...options });
    try {
      return await use(url, server);
    } finally {
      await server.close();
    }
  },
  handler: async (options, use) => {
    const server = serverOfSessions();
    const web = createServer(server.handler({ ...OPEN, path: '/mcp', ...options })).listen(0, '127.0.0.1');
    await once(web, 'listening');
    try {
      return await use(`http://127.0.0.1:${web.address().port}/mcp`, server);
    } finally {
      await server.close();
      web.close();
      web.closeAllConnections();
    }
  },
};

/** A client of one revision. */
class Session {
  constructor(url, revision = '2025-11-25', headers = {}) {
    this.url = url;
    this.revision = revision;
    this.headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json', ...headers };
    this.last = 0;
  }

  post(message) {
    return fetch(this.url, { method: 'POST', headers: this.headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) });
  }

  ask(method, params = {}) {
    this.last += 1;
    return this.post({ id: this.last, method, params });
  }

  async call(name) {
    const response = await this.ask('tools/call', { name, arguments: {} });
    assert.equal(response.status, 200);
    return texts((await answer(response)).result)[0];
  }

  async begin() {
    const params = {
      protocolVersion: this.revision,
      capabilities: { elicitation: {} },
      clientInfo: { name: 't', version: '1' },
    };
    const response = await this.ask('initialize', params);
    const id = response.headers.get('mcp-session-id');
    if (id !== null) this.headers['mcp-session-id'] = id;
    this.headers['mcp-protocol-version'] = this.revision;
    return response;
  }

  async get(more = {}) {
    return fetch(this.url, { headers: { ...this.headers, accept: 'text/event-stream', ...more } });
  }

  async end() {
    return (await fetch(this.url, { method: 'DELETE', headers: this.headers })).status;
  }
}

/** Events of a stream as they come, each as its fields. */
async function* events(response) {
  let text = '';
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    text += piece;
    const blocks = text.split('\n\n');
    text = blocks.pop();
    for (const block of blocks) {
      const lines = block.split('\n').filter((line) => line && !line.startsWith(':'));
      if (lines.length > 0) yield Object.fromEntries(lines.map((line) => /^([^:]*): ?(.*)$/.exec(line).slice(1)));
    }
  }
}

/** The response among what was said. */
async function answer(response) {
  if (response.headers.get('content-type').startsWith('application/json')) return response.json();
  for await (const { data } of events(response)) {
    const message = data ? JSON.parse(data) : { method: '' };
    if (!('method' in message)) return message;
  }
  return assert.fail('no response');
}

for (const [name, open] of Object.entries(doors)) {
  test(`${name}: a session ends although nobody comes`, () =>
    open({ sessionIdleMs: 300 }, async (url, server) => {
      let begin;
      const begun = new Promise((resolve) => (begin = resolve));
      const ended = new Promise((resolve) =>
        server.tool({ name: 'stays' }, async (_, call) => {
          begin();
          if (!call.signal.aborted) await once(call.signal, 'abort');
          resolve(true);
        }),
      );
      const session = new Session(url);
      await session.begin();
      const leave = new AbortController();
      const body = JSON.stringify({ jsonrpc: '2.0', id: 9, method: 'tools/call', params: { name: 'stays' } });
      const left = fetch(url, { method: 'POST', headers: session.headers, body, signal: leave.signal }).catch(() => 'left');
      await begun;
      leave.abort();
      assert.equal(await left, 'left');
      // No other request comes that could bring it about.
      assert.equal(await Promise.race([ended, rest(10_000, false)]), true);
    }));

  test(`${name}: a session from its opening to its end`, () =>
    open({}, async (url) => {
      const session = new Session(url);
      const opened = await session.begin();
      assert.equal((await answer(opened)).result.protocolVersion, '2025-11-25');
      assert.match(session.headers['mcp-session-id'], /^[!-~]+$/);
      assert.equal((await session.post({ method: 'notifications/initialized' })).status, 202);
      assert.equal(await session.call('revision'), '2025-11-25');
      const asked = await session.ask('tools/call', { name: 'name', arguments: {} });
      assert.match(asked.headers.get('content-type'), /^text\/event-stream/);
      let said;
      for await (const { data } of events(asked)) {
        if (!data) continue;
        said = JSON.parse(data);
        if (said.method !== 'elicitation/create') continue;
        const result = { action: 'accept', content: { name: 'Ann' } };
        assert.equal((await session.post({ id: said.id, result })).status, 202);
      }
      assert.deepEqual([said.id, texts(said.result)], [session.last, ['Ann']]);
      assert.ok([200, 204].includes(await session.end()));
      assert.equal((await session.ask('ping')).status, 404);
    }));

  test(`${name}: both eras at one address`, () =>
    open({}, async (url) => {
      for (const revision of ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']) {
        const session = new Session(url, revision);
        await session.begin();
        assert.equal(await session.call('revision'), revision);
      }
      assert.deepEqual(texts((await (await post(url, call('revision', {}))).json()).result), ['2026-07-28']);
    }));

  test(`${name}: a client that was sent away comes back`, () =>
    open({ retryMs: 5000 }, async (url) => {
      const session = new Session(url);
      await session.begin();
      const first = [];
      for await (const event of events(await session.ask('tools/call', { name: 'leave', arguments: {} }))) first.push(event);
      assert.ok(first[0].id && first[0].data === '', JSON.stringify(first));
      assert.ok(first.some(({ retry }) => retry === '20'), JSON.stringify(first));
      const back = await session.get({ 'last-event-id': first.findLast(({ id }) => id).id });
      assert.equal(back.status, 200);
      assert.deepEqual(texts((await answer(back)).result), ['left']);
    }));

  test(`${name}: the session of somebody else, and sessions that are not kept`, async () => {
    await open({ authorize: ({ bearer }) => ({ principal: bearer }) }, async (url) => {
      const [ann, bob] = ['ann', 'bob'].map((who) => new Session(url, undefined, { authorization: `Bearer ${who}` }));
      await ann.begin();
      bob.headers['mcp-session-id'] = ann.headers['mcp-session-id'];
      assert.equal((await bob.ask('ping')).status, 404);
      assert.equal(await bob.end(), 404);
      assert.equal((await ann.ask('ping')).status, 200);
    });
    await open({ sessions: 'stateless' }, async (url) => {
      const session = new Session(url);
      await session.begin();
      assert.equal(session.headers['mcp-session-id'], undefined);
      assert.equal(await session.call('revision'), '2025-11-25');
      assert.deepEqual([(await session.get()).status, await session.end()], [405, 405]);
    });
  });

  test(`${name}: another process goes on with a session`, async () => {
    const kept = new Map();
    const times = new Set();
    const sessionStore = {
      save: async (id, session, ttlMs) => {
        await rest(1);
        times.add(ttlMs);
        kept.set(id, session);
      },
      load: (id) => kept.get(id),
      delete: async (id) => kept.delete(id),
    };
    const options = { sessionStore, sessionIdleMs: 60_000, authorize: ({ bearer }) => ({ principal: bearer }) };
    const session = new Session(undefined, '2025-06-18', { authorization: 'Bearer ann' });
    await open(options, async (url) => {
      session.url = url;
      await session.begin();
      assert.equal(await session.call('revision'), '2025-06-18');
    });
    assert.deepEqual([[...kept.keys()], [...times]], [[session.headers['mcp-session-id']], [60_000]]);
    await open(options, async (url) => {
      session.url = url;
      assert.equal(await session.call('revision'), '2025-06-18');
      const thief = new Session(url, undefined, { ...session.headers, authorization: 'Bearer bob' });
      assert.equal((await thief.ask('ping')).status, 404);
      assert.ok([200, 204].includes(await session.end()));
      assert.equal(kept.size, 0);
      assert.equal((await session.ask('ping')).status, 404);
    });
  });

  test(`${name}: a store that fails`, () => {
    const fail = () => Promise.reject(new Error('the store is away'));
    return open({ sessionStore: { save: fail, load: fail, delete: fail } }, async (url, server) => {
      const session = new Session(url);
      assert.equal((await session.begin()).status, 503);
      session.headers['mcp-session-id'] = '0'.repeat(32);
      assert.equal((await session.ask('ping')).status, 503);
      assert.match(server.lines.join('\n'), /the store is away/);
    });
  });
}

test('two endpoints', () =>
  doors.listen({ ssePath: '/sse' }, async (url) => {
    const place = new URL('/sse', url);
    const stream = events(await fetch(place, { headers: { accept: 'text/event-stream' } }));
    const { value: first } = await stream.next();
    assert.equal(first.event, 'endpoint');
    const session = new Session(new URL(first.data, place), '2024-11-05');
    assert.equal((await session.begin()).status, 202);
    const { value: second } = await stream.next();
    assert.equal(JSON.parse(second.data).result.protocolVersion, '2024-11-05');
    await stream.return();
  }));

test('what options may be', async () => {
  const server = quiet();
  const store = { save() {}, load() {}, delete() {} };
  for (const [options, message] of [
    [{ sessions: 'some' }, /sessions/],
    [{ maxSessions: 0 }, /maxSessions/],
    [{ sessionStore: {} }, /sessionStore: must have/],
    [{ ssePath: 'sse' }, /sse_?path/i],
    [{ sessions: 'stateless', sessionStore: store }, /session_?store/i],
  ]) {
    await assert.rejects(server.listen({ ...OPEN, ...options }), { code: 'INVALID_ARGUMENT', message });
  }
});
