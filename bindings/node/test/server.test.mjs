import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as rest } from 'node:timers/promises';
import { META, call, quiet, request, texts, until } from './support.mjs';

const answer = async (server, message, options) => JSON.parse(await server.handle(message, options));

test('handle: text or bytes in, text out; nothing for a notification', async () => {
  const server = quiet();
  server.tool({ name: 'add' }, async ({ a, b }) => String(a + b));
  const { result } = await answer(server, call('add', { a: 1, b: 2 }));
  assert.deepEqual(texts(result), ['3']);
  assert.equal((await answer(server, Buffer.from(request('tools/list')))).result.tools.length, 1);
  assert.equal(
    await server.handle('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}'),
    null,
  );
  for (const [message, code] of [
    ['{', -32700],
    ['[]', -32600],
    [request('no/such'), -32601],
    ['{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}', undefined],
  ]) {
    const { error } = await answer(server, message);
    assert.equal(error.code, code ?? error.code);
  }
});

test('handle: a signal and a time-out end the call; the handler is told why', async () => {
  const server = quiet();
  const ended = [];
  server.tool(
    { name: 'hang' },
    (_, call) =>
      new Promise((resolve) => {
        call.signal.addEventListener('abort', () => {
          ended.push([call.cancelled, call.signal.reason.code]);
          resolve('too late');
        });
      }),
  );
  server.tool(
    { name: 'timed', timeoutMs: 20 },
    (_, call) =>
      new Promise((resolve) => {
        call.signal.addEventListener('abort', () => {
          ended.push(call.cancelled);
          resolve('');
        });
      }),
  );
  const leaving = new AbortController();
  const left = server.handle(call('hang'), { signal: leaving.signal });
  await rest(20);
  leaving.abort(new Error('enough'));
  await assert.rejects(left, { message: 'enough' });
  await assert.rejects(server.handle(call('hang'), { timeoutMs: 10 }), { code: 'TIMEOUT' });
  const { error } = await answer(server, call('timed'));
  assert.equal(error.code, -32603);
  await until(() => ended.length === 3, 'all three are told');
  assert.deepEqual(ended, [['CANCELLED', 'CANCELLED'], ['CANCELLED', 'CANCELLED'], 'TIMEOUT']);
  await assert.rejects(server.handle(call('hang'), { signal: AbortSignal.abort(new Error('before')) }), {
    message: 'before',
  });
});

test('a call is over once: progress, logs and answers after its end go nowhere', async () => {
  const server = quiet();
  let late;
  server.tool({ name: 'quick' }, (_, call) => {
    late = call;
    return 'done';
  });
  const client = await server.client();
  await client.callTool('quick');
  assert.equal(late.progress(1), false);
  assert.equal(late.log('info', 'x'), false);
  assert.equal(late.clientSupports('elicitation'), false);
  assert.throws(() => late.meta, { code: 'GONE' });
  late.forget();
});

test('progress and logs reach the client that asked for them, in order, before the result', async () => {
  const server = quiet();
  server.tool({ name: 'talk' }, async (_, call) => {
    assert.equal(call.progress(1, 3, 'one'), true);
    call.log('debug', 'quiet');
    call.log('warning', { deep: [1] }, 'here');
    await rest(5);
    call.progress(3, 3);
    assert.throws(() => call.progress(Number.NaN), { code: 'INVALID_ARGUMENT' });
    assert.throws(() => call.log('loud', 1), { code: 'INVALID_ARGUMENT' });
    return 'said';
  });
  const heard = [];
  const client = await server.client({ onNotification: ({ params }) => heard.push(params) });
  const progress = [];
  await client.callTool('talk', {}, { onProgress: ({ progress: value }) => progress.push(value), logLevel: 'info' });
  assert.deepEqual(progress, [1, 3]);
  assert.deepEqual(heard, [{ level: 'warning', logger: 'here', data: { deep: [1] } }]);
});

test('a client that cancels: its promise ends, the handler is told, nothing comes', async () => {
  const server = quiet();
  let told;
  server.tool(
    { name: 'hang' },
    (_, call) =>
      new Promise((resolve) => {
        call.signal.addEventListener('abort', () => resolve((told = call.cancelled)));
      }),
  );
  const client = await server.client();
  const leaving = new AbortController();
  const left = client.callTool('hang', {}, { signal: leaving.signal });
  await rest(10);
  leaving.abort(new Error('enough'));
  await assert.rejects(left, { message: 'enough' });
  await until(() => told === 'CANCELLED', 'the handler is told');
  const closing = client.callTool('hang');
  await rest(10);
  await client.close();
  await assert.rejects(closing, { code: 'CLOSED' });
  await until(() => told === 'CLOSED', 'the handler is told');
  await assert.rejects(client.discover(), { code: 'CLOSED' });
});

test('middleware stands round every call, outermost first, and may answer itself', async () => {
  const server = quiet({ catalog: { tools: [{ name: 'pair' }] }, dispatch: () => 'from the pair' });
  const seen = [];
  server.tool({ name: 'slow' }, async () => 'slow');
  server.tool({ name: 'throws' }, () => {
    throw new Error('inner');
  });
  server.prompt({ name: 'p' }, () => 'prompt');
  server.middleware(async (call, next) => {
    seen.push(`in ${call.kind} ${call.name}`);
    try {
      return await next();
    } finally {
      seen.push(`out ${call.name}`);
    }
  });
  server.middleware((call, next) => (call.name === 'slow' ? 'from the cache' : next()));
  const client = await server.client();
  assert.deepEqual(texts(await client.callTool('slow')), ['from the cache']);
  assert.deepEqual(texts(await client.callTool('pair')), ['from the pair']);
  assert.equal((await client.callTool('throws')).isError, true);
  await client.getPrompt('p');
  assert.deepEqual(seen, [
    'in tool slow',
    'out slow',
    'in tool pair',
    'out pair',
    'in tool throws',
    'out throws',
    'in prompt p',
    'out p',
  ]);
});

test('lifespan: made before the first handler, shared, given back once', async () => {
  const steps = [];
  const server = quiet({
    lifespan: async () => {
      await rest(20);
      steps.push('open');
      return { db: 'db', [Symbol.asyncDispose]: async () => void steps.push('close') };
    },
  });
  server.tool({ name: 'use' }, (_, call) => {
    steps.push('use');
    return call.shared.db;
  });
  const client = await server.client();
  assert.deepEqual(texts(await client.callTool('use')), ['db']);
  await server.close();
  await server.close();
  assert.deepEqual(steps, ['open', 'use', 'close']);
  const broken = quiet({
    lifespan: () => {
      throw new Error('no database');
    },
  });
  await assert.rejects(broken.start(), { message: 'no database' });
  await assert.rejects(broken.handle(request('server/discover')), { message: 'no database' });
});

test('concurrency: so many handlers of an item at once, the others in order; who is cancelled never runs', async () => {
  const server = quiet();
  let running = 0;
  let most = 0;
  const started = [];
  server.tool({ name: 'limited', concurrency: 2 }, async ({ n }) => {
    started.push(n);
    most = Math.max(most, (running += 1));
    await rest(10);
    running -= 1;
    return '';
  });
  const client = await server.client();
  const leaving = new AbortController();
  const calls = Array.from({ length: 6 }, (_, n) =>
    client.callTool('limited', { n }, n === 4 ? { signal: leaving.signal } : {}),
  );
  leaving.abort();
  await assert.rejects(calls[4]);
  await Promise.all(calls.filter((_, n) => n !== 4));
  assert.deepEqual([most, started], [2, [0, 1, 2, 3, 5]]);
});

test('events and stats', async () => {
  const events = [];
  const server = quiet({ onEvent: (json) => events.push(JSON.parse(json)) });
  server.tool({ name: 'one' }, () => '');
  const client = await server.client();
  await client.callTool('one');
  await until(() => events.length === 1, 'the event');
  assert.deepEqual(
    { ...events[0], number: 0 },
    { event: 'call', kind: 'tool', name: 'one', number: 0, outcome: 'complete' },
  );
  assert.deepEqual([server.stats.connections, server.stats.callsOwed], [1, 0]);
});

test('close: calls in flight have their time, then they are cancelled; nothing begins any more', async () => {
  const server = quiet();
  let told;
  server.tool({ name: 'soon' }, async () => (await rest(30), 'done'));
  server.tool(
    { name: 'hang' },
    (_, call) =>
      new Promise((resolve) => {
        call.signal.addEventListener('abort', () => resolve((told = call.cancelled)));
      }),
  );
  const client = await server.client();
  const [soon, hang, message] = [client.callTool('soon'), client.callTool('hang'), server.handle(call('hang'))];
  const refused = [assert.rejects(hang), assert.rejects(message, { code: 'STOPPED' })];
  await rest(5);
  await server.close({ timeoutMs: 200 });
  assert.deepEqual(texts(await soon), ['done']);
  await client.close();
  await Promise.all(refused);
  await until(() => told === 'STOPPED', 'the handler is told');
  await assert.rejects(server.handle(request('server/discover')), { code: 'CLOSED' });
  await assert.rejects(server.client(), { code: 'CLOSED' });
});

test('a handler calls back into its own server, and into another', async () => {
  const [outer, inner] = [quiet(), quiet()];
  inner.tool({ name: 'leaf' }, async () => 'leaf');
  outer.tool({ name: 'nest' }, async ({ depth }) => {
    if (depth === 0) return texts((await answer(inner, call('leaf'))).result)[0];
    return texts((await answer(outer, call('nest', { depth: depth - 1 }))).result)[0];
  });
  outer.tool({ name: 'grow' }, () => {
    outer.tool({ name: 'grown' }, () => 'grown');
    return 'planted';
  });
  assert.deepEqual(texts((await answer(outer, call('nest', { depth: 50 }))).result), ['leaf']);
  await answer(outer, call('grow'));
  assert.deepEqual(texts((await answer(outer, call('grown'))).result), ['grown']);
});

test('what a request carries is there for the handler', async () => {
  const server = quiet();
  let seen;
  server.tool({ name: 'look' }, (_, call) => {
    seen = {
      kind: call.kind,
      name: call.name,
      meta: call.meta['x.y/z'],
      round: call.round,
      revision: call.revision,
      uri: call.uri,
      state: call.state,
      answers: call.answers,
      principal: call.caller.principal,
      template: call.template,
    };
    return '';
  });
  await server.handle(call('look', {}, { meta: { ...META, 'x.y/z': [1] } }));
  assert.deepEqual(seen, {
    kind: 'tool',
    name: 'look',
    meta: [1],
    round: 0,
    revision: '2026-07-28',
    uri: undefined,
    state: undefined,
    answers: {},
    principal: 'local',
    template: undefined,
  });
});
