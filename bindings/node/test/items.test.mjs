import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { ToolError, assistant, image, text, user } from 'mcpcore';
import { quiet, until } from './support.mjs';

test('what a resource handler returns becomes its contents', async (t) => {
  const cases = {
    text: ['hi', [{ mimeType: 'text/plain', text: 'hi' }]],
    bytes: [Uint8Array.from([255]), [{ mimeType: 'text/plain', blob: '/w==' }]],
    object: [{ text: 'x', mimeType: 'text/html' }, [{ mimeType: 'text/html', text: 'x' }]],
    blob: [{ blob: Uint8Array.from([255]) }, [{ mimeType: 'text/plain', blob: '/w==' }]],
    several: [
      [{ text: 'a' }, { uri: 'x://b', text: 'b' }],
      [
        { mimeType: 'text/plain', text: 'a' },
        { uri: 'x://b', mimeType: 'text/plain', text: 'b' },
      ],
    ],
    contents: [{ contents: [{ text: 'c' }] }, [{ mimeType: 'text/plain', text: 'c' }]],
    json: [{ a: 1 }, [{ mimeType: 'text/plain', text: '{"a":1}' }]],
  };
  const server = quiet();
  for (const [name, [value]] of Object.entries(cases)) {
    server.resource({ uri: `x://${name}`, name, mimeType: 'text/plain' }, async () => value);
  }
  server.resource({ uri: 'x://untyped' }, () => ({ a: 1 }));
  const client = await server.client();
  for (const [name, [, expected]] of Object.entries(cases)) {
    await t.test(name, async () => {
      const { contents } = await client.readResource(`x://${name}`);
      assert.deepEqual(
        contents,
        expected.map((one) => ({ uri: `x://${name}`, ...one })),
      );
    });
  }
  const {
    contents: [untyped],
  } = await client.readResource('x://untyped');
  assert.equal(untyped.mimeType, 'application/json');
});

test('templates: variables, an exact uri first, nothing is not found', async () => {
  const server = quiet();
  server.resource({ uriTemplate: 'x://item/{id}{?page}' }, ({ id, page }, call) =>
    id === 'none' ? undefined : `${id} ${page} ${call.uri} ${call.template}`,
  );
  server.resource({ uri: 'x://item/7' }, () => 'seven');
  const client = await server.client();
  const read = async (uri) => (await client.readResource(uri)).contents[0].text;
  assert.equal(await read('x://item/7'), 'seven');
  assert.equal(await read('x://item/a%20b?page=2'), 'a b 2 x://item/a%20b?page=2 x://item/{id}{?page}');
  await assert.rejects(client.readResource('x://item/none'), { code: -32602, data: { uri: 'x://item/none' } });
  await assert.rejects(client.readResource('y://'), { code: -32602 });
});

test('what a prompt handler returns becomes its messages', async (t) => {
  const message = (role, words) => ({ role, content: { type: 'text', text: words } });
  const cases = {
    text: ['hi', [message('user', 'hi')]],
    block: [text('hi'), [message('user', 'hi')]],
    messages: [
      [user('a'), assistant('b'), 'c'],
      [message('user', 'a'), message('assistant', 'b'), message('user', 'c')],
    ],
    whole: [{ description: 'd', messages: [{ role: 'assistant', content: 'x' }] }, [message('assistant', 'x')]],
    image: [
      user(image('AAAA', 'image/png')),
      [{ role: 'user', content: { type: 'image', data: 'AAAA', mimeType: 'image/png' } }],
    ],
  };
  const server = quiet();
  for (const [name, [value]] of Object.entries(cases)) server.prompt({ name }, () => value);
  server.prompt({ name: 'nonsense' }, () => 7);
  server.prompt({ name: 'told' }, () => {
    throw new ToolError('not now');
  });
  const client = await server.client();
  for (const [name, [, messages]] of Object.entries(cases)) {
    await t.test(name, async () => assert.deepEqual((await client.getPrompt(name)).messages, messages));
  }
  await assert.rejects(client.getPrompt('nonsense'), { code: -32603, message: /log id/ });
  await assert.rejects(client.getPrompt('told'), { code: -32603, message: 'not now' });
});

test('arguments of a prompt by list or by schema, with completions', async () => {
  const server = quiet();
  server.prompt({ name: 'list', arguments: [{ name: 'place', required: true }] }, ({ place }) => `In ${place}?`);
  const argsSchema = z.object({ place: z.string().describe('Where'), style: z.string().optional() });
  server.prompt({ name: 'schema', argsSchema }, ({ place, style }) => `${place} ${style}`);
  server.completion({ prompt: 'list', argument: 'place' }, (value) =>
    ['Oslo', 'Lima'].filter((one) => one.startsWith(value)),
  );
  server.completion({ prompt: 'schema', argument: 'style' }, (_, call) => [
    call.arguments.context?.arguments?.place ?? '-',
  ]);
  server.resource({ uriTemplate: 'x://{id}' }, () => '');
  server.completion({ uriTemplate: 'x://{id}', argument: 'id' }, async () =>
    Array.from({ length: 150 }, (_, n) => `n${n}`),
  );
  const client = await server.client();
  const [listed] = (await client.listPrompts()).filter(({ name }) => name === 'schema');
  assert.deepEqual(listed.arguments, [{ name: 'place', description: 'Where', required: true }, { name: 'style' }]);
  assert.equal((await client.getPrompt('list', { place: 'Oslo' })).messages[0].content.text, 'In Oslo?');
  await assert.rejects(client.getPrompt('list'), { code: -32602 });
  assert.ok((await client.discover()).capabilities.completions);
  const of = (prompt) => ({ type: 'ref/prompt', name: prompt });
  assert.deepEqual((await client.complete(of('list'), { name: 'place', value: 'O' })).values, ['Oslo']);
  assert.deepEqual((await client.complete(of('schema'), { name: 'style', value: '' }, { place: 'Rome' })).values, [
    'Rome',
  ]);
  assert.deepEqual((await client.complete(of('schema'), { name: 'place', value: '' })).values, []);
  const many = await client.complete({ type: 'ref/resource', uri: 'x://{id}' }, { name: 'id', value: '' });
  assert.deepEqual([many.values.length, many.total, many.hasMore], [100, 150, true]);
});

test('items come and go while the server runs, and who listens is told', async () => {
  const server = quiet({ subscribe: true });
  server.tool({ name: 'first' }, () => 'first');
  server.resource({ uri: 'x://a' }, () => 'a');
  const client = await server.client();
  const heard = [];
  const { honoured, end } = await client.listen(
    { toolsListChanged: true, resourceSubscriptions: ['x://a'] },
    (message) => heard.push(message.method),
  );
  assert.equal(honoured.toolsListChanged, true);
  const names = async () => (await client.listTools()).map(({ name }) => name);
  const second = server.tool({ name: 'second' }, () => 'second');
  assert.deepEqual(await names(), ['first', 'second']);
  assert.throws(() => server.tool({ name: 'broken', inputSchema: { type: 'objekt' } }, () => ''), { code: 'CATALOG' });
  assert.deepEqual(await names(), ['first', 'second']);
  assert.equal(second.remove(), true);
  assert.equal(second.remove(), false);
  assert.deepEqual(await names(), ['first']);
  await assert.rejects(client.callTool('second'), { code: -32602 });
  server.change(() => {
    server.tool({ name: 'third' }, () => '');
    server.tool({ name: 'fourth' }, () => '');
  });
  assert.deepEqual(await names(), ['first', 'fourth', 'third']);
  const broken = () =>
    server.change(() => {
      server.tool({ name: 'fifth' }, () => '');
      server.tool({ name: 'sixth', inputSchema: { type: 'objekt' } }, () => '');
    });
  assert.throws(broken, { code: 'CATALOG', message: /sixth/ });
  assert.throws(
    () =>
      server.change(() => {
        server.tool({ name: 'fifth' }, () => '');
        throw new Error('mine');
      }),
    { message: 'mine' },
  );
  assert.deepEqual(await names(), ['first', 'fourth', 'third']);
  server.resourceUpdated('x://a');
  await until(() => heard.includes('notifications/resources/updated'), 'the update is told');
  assert.ok(heard.includes('notifications/tools/list_changed'));
  end();
});

test('a catalog by caller: asked once a key, in every door, and again when it changed', async () => {
  const asked = [];
  let extra = [];
  const catalog = async (caller) => {
    asked.push(caller.catalogKey);
    const name = caller.catalogKey || 'common';
    return { tools: [{ name, inputSchema: { type: 'object' } }, ...extra] };
  };
  const server = quiet({ catalog, dispatch: (call) => `${call.name} for ${call.caller.principal}` });
  server.tool({ name: 'everywhere' }, () => 'here');
  const ann = { principal: 'ann', catalogKey: 'a' };
  const client = await server.client({ caller: ann });
  const names = async (of) => (await of.listTools()).map(({ name }) => name);
  assert.deepEqual(await names(client), ['a', 'everywhere']);
  assert.deepEqual(await names(await server.client({ caller: ann })), ['a', 'everywhere']);
  assert.deepEqual(await names(await server.client()), ['common', 'everywhere']);
  assert.deepEqual(asked, ['', 'a']);
  assert.equal((await client.callTool('a')).content[0].text, 'a for ann');
  await assert.rejects(client.callTool('common'), { code: -32602 });
  extra = [{ name: 'extra' }];
  await server.catalogChanged('a');
  assert.deepEqual(asked, ['', 'a', 'a']);
  assert.deepEqual(await names(client), ['a', 'everywhere', 'extra']);
  assert.deepEqual(await names(await server.client()), ['common', 'everywhere']);
  await server.catalogChanged();
  assert.deepEqual(await names(await server.client()), ['common', 'everywhere', 'extra']);
});

test('scopes hide items; claims and expiry reach the handler', async () => {
  const server = quiet();
  server.tool({ name: 'open' }, (_, call) => call.caller);
  server.tool({ name: 'guarded', scopes: ['pay'] }, () => 'paid');
  const caller = { principal: 'ann', scopes: ['read'], claims: { tenant: 7 }, expiresAt: 4e12 };
  const client = await server.client({ caller });
  assert.deepEqual(
    (await client.listTools()).map(({ name }) => name),
    ['open'],
  );
  assert.deepEqual((await client.callTool('open')).structuredContent, { ownerKey: 'ann', catalogKey: '', ...caller });
  await assert.rejects(client.callTool('guarded'), { code: -32602 });
  const payer = await server.client({ caller: { scopes: ['pay'] } });
  assert.equal((await payer.callTool('guarded')).content[0].text, 'paid');
  const local = await server.client();
  assert.equal((await local.callTool('guarded')).content[0].text, 'paid');
  await assert.rejects(server.client({ caller: { claims: [] } }), { code: 'INVALID_JSON' });
});
