import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { call, example, folder, request, run, script, texts, until } from './support.mjs';

const IMPORT =
  "import { Server, ToolError } from 'mcpcore'; import { setTimeout as rest } from 'node:timers/promises';";
const OPEN = "{ authorize: 'anyone', allowedOrigins: 'any' }";

/** Sends lines and waits for as many answers, then closes the input. */
const converse =
  (lines, count = lines.length) =>
  async (child, said) => {
    child.stdin.write(`${lines.join('\n')}\n`);
    await until(
      () => said.stdout.split('\n').length > count,
      `${count} answers came, not ${said.stdout} ${said.stderr}`,
    );
    child.stdin.end();
  };
const answers = ({ stdout }) =>
  stdout
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

test('a process ends by itself when its work is done (R095)', async (t) => {
  const cases = {
    'nothing but a server': `new Server({ name: 'a', version: '1' }).tool({ name: 'x' }, () => '');`,
    'a started server': `await new Server({ name: 'a', version: '1' }).start();`,
    'a message was handled': `
      const server = new Server({ name: 'a', version: '1' });
      server.tool({ name: 'slow' }, async () => (await rest(50), 'slow'));
      console.log(await server.handle(${JSON.stringify(call('slow'))}));`,
    'a client was used and never closed': `
      const server = new Server({ name: 'a', version: '1' });
      server.tool({ name: 'slow' }, async () => (await rest(50), 'slow'));
      console.log((await (await server.client()).callTool('slow')).content[0].text);`,
    'a listener was closed': `
      const server = new Server({ name: 'a', version: '1' });
      const listener = await server.listen(${OPEN});
      console.log((await fetch(listener.url)).status, 'slow');
      await listener.close();`,
    'a server was closed': `
      const server = new Server({ name: 'a', version: '1' });
      await server.listen(${OPEN});
      console.log('slow');
      await server.close();`,
  };
  for (const [name, source] of Object.entries(cases)) {
    await t.test(name, async () => {
      const ended = await script(IMPORT + source);
      assert.deepEqual([ended.code, ended.signal, ended.stderr], [0, null, '']);
      assert.equal(ended.stdout.includes('slow'), source.includes("'slow'"));
    });
  }
  await t.test('an open listener keeps it', async () => {
    const source = `${IMPORT} const server = new Server({ name: 'a', version: '1' });
      await server.listen(${OPEN}); console.log('open');`;
    const ended = await script(source, {
      input: async (child, said) => {
        await until(() => said.stdout.includes('open'), 'it listens');
        const left = Symbol('it still runs');
        const first = await Promise.race([
          once(child, 'exit'),
          new Promise((resolve) => setTimeout(resolve, 500, left)),
        ]);
        assert.equal(first, left);
        child.kill('SIGINT');
      },
    });
    assert.equal(ended.signal, 'SIGINT');
  });
});

const SERVE = `${IMPORT}
  const server = new Server({ name: 'a', version: '1' });
  server.tool({ name: 'echo' }, async ({ text }) => text);
  server.tool({ name: 'hang' }, () => new Promise(() => {}));`;

test('stdio: the end of the input ends the process, answers that are owed come first', async () => {
  const source = `${SERVE} server.tool({ name: 'slow' }, async () => (await rest(200), 'slow'));
    await server.serveStdio(); console.error('served');`;
  const ended = await script(source, { input: converse([call('slow')], 0) });
  assert.deepEqual([ended.code, ended.stderr], [0, 'served\n']);
  assert.deepEqual(texts(answers(ended)[0].result), ['slow']);
});

test('stdio: a handler that never answers costs only the drain', async () => {
  const source = `${SERVE.replace("version: '1'", "version: '1', drainMs: 100")} await server.serveStdio();`;
  const ended = await script(source, { input: converse([call('hang')], 0) });
  assert.deepEqual([ended.code, ended.stdout], [0, '']);
});

test('stdio: stray prints, of JavaScript, of native code and of children, do not touch the protocol', async () => {
  const source = `import { spawn, execFileSync } from 'node:child_process'; import fs from 'node:fs'; ${SERVE}
    server.tool({ name: 'noisy' }, async () => {
      console.log('by console');
      process.stdout.write('by stream\\n');
      fs.writeSync(1, 'by descriptor\\n');
      execFileSync('sh', ['-c', 'echo by child'], { stdio: ['inherit', 'inherit', 'inherit'] });
      spawn('sh', ['-c', 'cat; echo by grandchild'], { stdio: 'inherit', detached: true });
      return 'noisy';
    });
    await server.serveStdio();`;
  const lines = [call('noisy'), call('echo', { text: 'after' }, { id: 2 })];
  const ended = await script(source, { input: converse(lines) });
  assert.equal(ended.code, 0);
  assert.deepEqual(
    answers(ended)
      .map(({ id }) => id)
      .sort(),
    [1, 2],
  );
  for (const word of ['console', 'stream', 'descriptor', 'child']) assert.match(ended.stderr, new RegExp(`by ${word}`));
});

test('stdio: Ctrl-C ends it at once, calls in flight or not; with a handler of the program, cleanly', async (t) => {
  const lines = [call('echo', { text: 'up' }), call('hang', {}, { id: 2 })];
  const interrupt = async (child, said) => {
    child.stdin.write(`${lines.join('\n')}\n`);
    await until(() => said.stdout.includes('up'), 'it serves');
    child.kill('SIGINT');
  };
  await t.test('the default', async () => {
    const ended = await script(`${SERVE} await server.serveStdio();`, { input: interrupt });
    assert.equal(ended.signal, 'SIGINT');
  });
  await t.test('the program closes the server', async () => {
    const source = `${SERVE} process.once('SIGINT', () => server.close({ timeoutMs: 50 }));
      await server.serveStdio(); console.error('closed');`;
    const ended = await script(source, { input: interrupt });
    assert.deepEqual([ended.code, ended.signal, ended.stderr], [0, null, 'closed\n']);
  });
});

test('stdio is taken once in the life of a process', async () => {
  const source = `${SERVE} const other = new Server({ name: 'b', version: '1' });
    const ends = await Promise.allSettled([server.serveStdio(), other.serveStdio()]);
    console.error(ends.map(({ status, reason }) => reason?.code ?? status).sort().join(' '));`;
  const ended = await script(source, { input: converse([request('tools/list')]) });
  assert.deepEqual([ended.code, ended.stderr.trim()], [0, 'CLOSED fulfilled']);
});

test('process.exit inside a handler, and an exception that nobody catches, end the process', async (t) => {
  for (const [name, handler, code] of [
    ['exit', 'process.exit(7)', 7],
    ['throw', "setImmediate(() => { throw new Error('stray'); }), 'x'", 1],
  ]) {
    await t.test(name, async () => {
      const source = `${SERVE} server.tool({ name: 'end' }, () => (${handler})); await server.serveStdio();`;
      const input = async (child) => child.stdin.write(`${call('hang', {}, { id: 3 })}\n${call('end')}\n`);
      assert.equal((await script(source, { input })).code, code);
    });
  }
});

test("a log or output that throws is the process's matter, not the server's", async () => {
  const source = `${IMPORT}
    const server = new Server({ name: 'a', version: '1', log: () => { throw new Error('the log'); } });
    server.tool({ name: 'boom' }, () => { throw new Error('x'); });
    server.tool({ name: 'fine' }, () => 'fine');
    process.on('uncaughtException', (error) => console.log('caught', error.message));
    const answers = await Promise.all([server.handle(${JSON.stringify(call('boom'))}), server.handle(${JSON.stringify(call('fine'))})]);
    console.log(answers[1]); await rest(50);`;
  const ended = await script(source);
  assert.equal(ended.code, 0);
  assert.match(ended.stdout, /caught the log/);
  assert.match(ended.stdout, /"text":"fine"/);
});

test('several servers in one process, and in worker threads that end with calls in flight', async () => {
  const worker = `
    const { Server } = require('mcpcore');
    const { parentPort, threadId } = require('node:worker_threads');
    (async () => {
      const server = new Server({ name: 'w', version: '1' });
      server.tool({ name: 'who' }, async () => String(threadId));
      server.tool({ name: 'hang' }, () => new Promise(() => {}));
      const listener = await server.listen(${OPEN});
      server.handle(${JSON.stringify(call('hang'))}).catch(() => {});
      parentPort.postMessage({ url: listener.url, answer: await server.handle(${JSON.stringify(call('who'))}) });
    })();`;
  const source = `${IMPORT}
    import { Worker } from 'node:worker_threads';
    import { once } from 'node:events';
    const here = new Server({ name: 'main', version: '1' });
    here.tool({ name: 'who' }, () => 'main');
    for (let round = 0; round < 3; round += 1) {
      const workers = [1, 2].map(() => new Worker(${JSON.stringify(worker)}, { eval: true, execArgv: [] }));
      const said = await Promise.all(workers.map(async (one) => (await once(one, 'message'))[0]));
      console.log(said.map(({ answer }) => JSON.parse(answer).result.content[0].text).join(' '));
      for (const { url } of said) fetch(url, { method: 'POST', body: '{}' }).catch(() => {});
      await Promise.all(workers.map((one) => one.terminate()));
    }
    console.log(JSON.parse(await here.handle(${JSON.stringify(call('who'))})).result.content[0].text);`;
  const ended = await script(source);
  assert.deepEqual([ended.code, ended.signal], [0, null], ended.stderr);
  assert.equal(ended.stdout.trim().split('\n').at(-1), 'main');
  assert.equal(ended.stdout.trim().split('\n').length, 4);
});

/** Runs a program that children run too, so from a file. */
async function inFile(source, options) {
  const place = mkdtempSync(join(folder, 'test', 'tmp-'));
  try {
    const file = join(place, 'host.mjs');
    writeFileSync(file, source);
    return await run([process.execPath, file], options);
  } finally {
    rmSync(place, { recursive: true });
  }
}

test('workers of a cluster serve one port, their primary its own server', async () => {
  const source = `import cluster from 'node:cluster'; import http from 'node:http'; import { once } from 'node:events'; ${SERVE}
    server.tool({ name: 'who' }, () => String(cluster.isPrimary ? 'primary' : 'worker'));
    if (cluster.isPrimary) {
      const workers = [cluster.fork(), cluster.fork()];
      const ports = await Promise.all(workers.map(async (worker) => (await once(worker, 'message'))[0]));
      const url = 'http://127.0.0.1:' + ports[0] + '/';
      const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'who' };
      for (let n = 0; n < 4; n += 1) {
        const answer = await fetch(url, { method: 'POST', headers, body: ${JSON.stringify(call('who'))} });
        console.log(new Set(ports).size, (await answer.json()).result.content[0].text);
      }
      console.log(JSON.parse(await server.handle(${JSON.stringify(call('who'))})).result.content[0].text);
      for (const worker of workers) worker.kill();
      await Promise.all(workers.map((worker) => once(worker, 'exit')));
    } else {
      const web = http.createServer(server.handler(${OPEN})).listen(0, '127.0.0.1', () => process.send(web.address().port));
    }`;
  const ended = await inFile(source);
  assert.deepEqual([ended.code, ended.stderr], [0, '']);
  assert.deepEqual(ended.stdout.trim().split('\n'), [...Array(4).fill('1 worker'), 'primary']);
});

test("children by fork and spawn leave the parent's server alone", async () => {
  const source = `import { fork, spawnSync } from 'node:child_process'; import { once } from 'node:events'; ${SERVE}
    if (process.send) { const own = new Server({ name: 'child', version: '1' }); own.tool({ name: 'echo' }, () => 'child');
      process.send(await own.handle(${JSON.stringify(call('echo'))})); process.disconnect(); }
    else {
      server.tool({ name: 'fork' }, async () => {
        const child = fork(process.argv[1], { stdio: 'inherit' });
        const [answer] = await once(child, 'message');
        spawnSync('true');
        return JSON.parse(answer).result.content[0].text;
      });
      await server.serveStdio();
    }`;
  const ended = await inFile(source, { input: converse([call('fork')]) });
  assert.deepEqual([ended.code, texts(answers(ended)[0].result)], [0, ['child']], ended.stderr);
});

test('a thousand servers made and let go, closed or not, do not grow the process', async () => {
  const source = `${IMPORT}
    const message = ${JSON.stringify(call('echo', { text: 'x' }))};
    async function cycle(close) {
      const server = new Server({ name: 'a', version: '1' });
      server.tool({ name: 'echo', inputSchema: { type: 'object' } }, ({ text }) => text);
      await server.handle(message);
      const client = await server.client();
      await client.callTool('echo', { text: 'y' });
      if (close) await server.close({ timeoutMs: 0 });
    }
    const settle = async () => { for (let i = 0; i < 5; i += 1) { gc(); await rest(20); } return process.memoryUsage().rss; };
    const many = async () => { for (let i = 0; i < 500; i += 1) await cycle(i % 2 === 0); return settle(); };
    await many();
    const first = await many();
    const second = await many();
    console.log(JSON.stringify({ first, second }));`;
  const ended = await script(source, { args: ['--expose-gc'] });
  assert.equal(ended.code, 0, ended.stderr);
  const { first, second } = JSON.parse(ended.stdout);
  console.log(
    `after 1000 servers ${(first / 2 ** 20).toFixed(1)} MiB, after 1500 ${(second / 2 ** 20).toFixed(1)} MiB`,
  );
  // 500 servers that stay would be tens of MiB.
  assert.ok(second - first < 6 * 2 ** 20, `${second - first} bytes more`);
});

test('the examples run as they are written', async (t) => {
  await t.test('weather.mjs, from another folder', async () => {
    const lines = [
      call('get_weather', { place: 'Oslo' }),
      call('get_weather', { place: 'Rome' }, { id: 2 }),
      request('resources/read', { uri: 'weather://place/Lima' }, { id: 3 }),
      request('prompts/get', { name: 'forecast', arguments: { place: 'Quito' } }, { id: 4 }),
    ];
    const ended = await run([process.execPath, example('weather.mjs')], { input: converse(lines), cwd: '/' });
    const [oslo, rome, lima, forecast] = answers(ended).sort((a, b) => a.id - b.id);
    assert.equal(ended.code, 0, ended.stderr);
    assert.match(texts(oslo.result)[0], /-3/);
    assert.equal(rome.result.isError, true);
    assert.match(lima.result.contents[0].text, /19/);
    assert.match(forecast.result.messages[0].content.text, /Quito/);
  });
});
