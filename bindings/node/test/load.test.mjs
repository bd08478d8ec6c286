import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as rest } from 'node:timers/promises';
import { call, post, quiet, request, texts } from './support.mjs';

test('10 000 concurrent async calls, each with its own answer', async () => {
  const server = quiet({ maxCalls: 20_000 });
  let most = 0;
  let running = 0;
  server.tool({ name: 'echo' }, async ({ n }) => {
    most = Math.max(most, (running += 1));
    await rest(10);
    running -= 1;
    return String(n);
  });
  const numbers = Array.from({ length: 10_000 }, (_, n) => n);
  const handled = await Promise.all(numbers.map((n) => server.handle(call('echo', { n }, { id: n }))));
  assert.deepEqual(
    handled.map((answer) => JSON.parse(answer).result.content[0].text),
    numbers.map(String),
  );
  assert.ok(most > 5_000, `${most} at once`);
  const client = await server.client();
  const called = await Promise.all(numbers.map((n) => client.callTool('echo', { n })));
  assert.deepEqual(
    called.map((result) => texts(result)[0]),
    numbers.map(String),
  );
});

test('handlers that wait hold up nobody; what the engine answers never waits for this thread', async () => {
  const server = quiet();
  server.tool({ name: 'wait' }, () => rest(400, 'waited'));
  server.tool({ name: 'quick' }, () => 'quick');
  server.tool({ name: 'block' }, () => {
    const end = Date.now() + 400;
    while (Date.now() < end);
    return 'blocked';
  });
  const order = [];
  const done = (name) => (value) => order.push(name) && value;
  const client = await server.client();
  await Promise.all([client.callTool('wait').then(done('wait')), client.callTool('quick').then(done('quick'))]);
  assert.deepEqual(order, ['quick', 'wait']);
  // A process of its own asks while this thread is blocked: the listener answers from its own.
  const listener = await server.listen({ authorize: 'anyone', allowedOrigins: 'any' });
  const { Worker } = await import('node:worker_threads');
  const source = `
    const { parentPort, workerData: { url, block, list } } = require('node:worker_threads');
    const headers = (method, name) => ({ 'content-type': 'application/json', accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...(name ? { 'mcp-name': name } : {}) });
    const order = [];
    const blocked = fetch(url, { method: 'POST', body: block, headers: headers('tools/call', 'block') }).then(async (r) => { await r.text(); order.push('block'); });
    setTimeout(async () => {
      await (await fetch(url, { method: 'POST', body: list, headers: headers('tools/list') })).text();
      order.push('list');
      await blocked;
      parentPort.postMessage(order);
    }, 100);`;
  const data = { url: listener.url, block: call('block'), list: request('tools/list') };
  const worker = new Worker(source, { eval: true, workerData: data });
  const [seen] = await new Promise((resolve, reject) =>
    worker.once('message', (m) => resolve([m])).once('error', reject),
  );
  assert.deepEqual(seen, ['list', 'block']);
  await listener.close();
});

test('calls that are cancelled while they are many leave nothing behind', async () => {
  const server = quiet();
  server.tool({ name: 'hang' }, (_, call) => new Promise((resolve) => call.signal.addEventListener('abort', resolve)));
  server.tool({ name: 'never' }, () => new Promise(() => {}));
  const client = await server.client();
  const leaving = new AbortController();
  const calls = Array.from({ length: 1000 }, (_, n) =>
    client.callTool(n % 2 ? 'hang' : 'never', {}, { signal: leaving.signal }),
  );
  await rest(20);
  leaving.abort(new Error('all'));
  const outcomes = await Promise.allSettled(calls);
  assert.ok(outcomes.every(({ status, reason }) => status === 'rejected' && reason.message === 'all'));
  assert.equal(server.stats.callsOwed, 0);
});

test('a slow reader of a stream loses no answer', async () => {
  const server = quiet();
  server.tool({ name: 'flood' }, async (_, call) => {
    for (let step = 1; step <= 2000; step += 1) {
      call.progress(step, 2000, 'x'.repeat(200));
      if (step % 100 === 0) await rest(1);
    }
    return 'flooded';
  });
  const listener = await server.listen({ authorize: 'anyone', allowedOrigins: 'any' });
  const response = await post(listener.url, call('flood', {}, { meta: { progressToken: 1 } }));
  let text = '';
  for await (const chunk of response.body) {
    text += Buffer.from(chunk).toString();
    await rest(1);
  }
  assert.match(text, /"text":"flooded"/);
  assert.match(text, /"progress":2000/);
  await listener.close();
});
