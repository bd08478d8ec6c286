import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { call, example, folder, post, run, script, texts, until } from './support.mjs';

const read = (...path) => readFileSync(join(folder, ...path), 'utf8');
const blocks = (text) => [...text.matchAll(/^```js\n([^]*?)^```/gm)].map(([, code]) => code);

test('the first program of the README is examples/weather.mjs', () => {
  assert.equal(blocks(read('README.md'))[0], read('examples', 'weather.mjs'));
});

test('every other program of the README runs, and prints what it says', async (t) => {
  for (const [index, code] of blocks(read('README.md')).slice(1).entries()) {
    await t.test(`block ${index + 2}`, async () => {
      const ended = await script(code);
      assert.deepEqual([ended.code, ended.stderr], [0, '']);
      const [, expected] = /console\.log\(.*\/\/ (.*)/.exec(code) ?? [];
      if (expected) assert.equal(ended.stdout.trim(), expected);
    });
  }
});

test('what the page for users of the TypeScript SDK names is there', async () => {
  const types = read('index.d.ts');
  const rows = [...read('docs', 'from-the-typescript-sdk.md').matchAll(/^\| .* \| (.*) \|$/gm)].slice(1);
  assert.ok(rows.length > 15);
  for (const [, ours] of rows) {
    for (const [, word] of ours.matchAll(/\b(?:call|server|item)\.(\w+)/g))
      assert.match(types, new RegExp(`\\b${word}\\b`), word);
  }
});

test('the Express example: tokens, scopes, a note for each', async () => {
  const ended = await run([process.execPath, example('express.mjs')], {
    env: { PORT: '0' },
    input: async (child, said) => {
      await until(() => said.stdout.includes('/mcp'), 'it listens');
      const url = said.stdout.trim();
      assert.equal((await post(url, call('read_note'))).status, 401);
      const headers = { authorization: 'Bearer secret-of-ann' };
      assert.deepEqual(
        texts((await (await post(url, call('write_note', { text: 'milk' }), { headers })).json()).result),
        ['kept'],
      );
      assert.deepEqual(texts((await (await post(url, call('read_note'), { headers })).json()).result), ['milk']);
      assert.equal(await (await fetch(new URL('/', url))).text(), 'The endpoint is /mcp.');
      child.kill();
    },
  });
  assert.equal(ended.signal, 'SIGTERM');
});

test('the official client against listen and Express', async (t) => {
  const source = `
    import express from 'express';
    import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
    import { Server } from 'mcpcore';
    const server = new Server({ name: 'official', version: '1.0.0', http: { authorize: 'anyone', allowedOrigins: 'any' } });
    server.tool({ name: 'add', inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] } },
      async ({ a, b }, call) => { call.progress(1, 2, 'half'); return { sum: a + b }; });
    server.tool({ name: 'ask' }, async (_, call) => {
      const { content } = await call.elicit('n', 'Name?', { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] });
      return 'hello ' + content.name; });
    server.resource({ uri: 'x://a', name: 'a' }, () => 'text of a');
    server.prompt({ name: 'p', arguments: [{ name: 'q', required: true }] }, ({ q }) => 'about ' + q);
    const listener = await server.listen();
    const app = express();
    app.use('/deep/mcp', server.handler());
    const web = app.listen(0, '127.0.0.1');
    await new Promise((resolve) => web.once('listening', resolve));
    for (const url of [listener.url, 'http://127.0.0.1:' + web.address().port + '/deep/mcp']) {
      const client = new Client({ name: 'c', version: '1' }, { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: 'auto' } });
      client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'Ann' } }));
      await client.connect(new StreamableHTTPClientTransport(new URL(url)));
      const progress = [];
      const sum = await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } }, { onprogress: (p) => progress.push(p.progress) });
      const asked = await client.callTool({ name: 'ask', arguments: {} });
      const tools = await client.listTools();
      const read = await client.readResource({ uri: 'x://a' });
      const prompt = await client.getPrompt({ name: 'p', arguments: { q: 'x' } });
      console.log(JSON.stringify([sum.structuredContent.sum, progress, asked.content[0].text, tools.tools.length,
        read.contents[0].text, prompt.messages[0].content.text]));
      await client.close();
    }
    await server.close(); web.close();`;
  const ended = await script(source);
  assert.equal(ended.code, 0, ended.stderr);
  const expected = [3, [1], 'hello Ann', 2, 'text of a', 'about x'];
  assert.deepEqual(ended.stdout.trim().split('\n').map(JSON.parse), [expected, expected]);
  t.diagnostic('twice');
});
