// The official TypeScript client against a host: node client.mjs COMMAND… or node client.mjs URL
import assert from 'node:assert/strict';
import { once, EventEmitter } from 'node:events';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { tally, text, walk } from './script.mjs';

const { check, keep, end } = tally(() => `typescript 2026-07-28 of ${command}`);
const call = (name, args, options) => client.callTool({ name, arguments: args }, options);

const [command, ...given] = process.argv.slice(2);
const client = new Client(
  { name: 'interop', version: '1.0.0' },
  { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: 'auto' } },
);
let answer = { action: 'accept', content: { name: 'Ann' } };
const asked = [];
client.setRequestHandler('elicitation/create', async (request) => {
  asked.push(request.params.message);
  return answer;
});
const changes = new EventEmitter();
client.setNotificationHandler('notifications/tools/list_changed', () => void changes.emit('tools'));
client.setNotificationHandler('notifications/resources/updated', (note) => void changes.emit('updated', note.params.uri));
const logged = [];
client.setNotificationHandler('notifications/message', (note) => void logged.push(note.params.data));

const overHttp = command.startsWith('http');
await client.connect(
  overHttp ? new StreamableHTTPClientTransport(new URL(command)) : new StdioClientTransport({ command, args: given }),
);

await check('discover', async () => {
  const found = await client.discover();
  assert.ok(found.supportedVersions.includes('2026-07-28'));
  assert.deepEqual(client.getServerVersion(), { name: 'everything', version: '1.0.0' });
  const able = client.getServerCapabilities();
  assert.equal(able.tools.listChanged, true);
  assert.equal(able.resources.subscribe, true);
  assert.ok(able.prompts && able.completions && able.logging);
});

await check('tools, all pages at once', async () => {
  const names = (await client.listTools()).tools.map((tool) => tool.name);
  assert.deepEqual(names, [...names].sort());
  assert.ok(names.length > 14 && names.includes('add') && names.includes('unicode'));
});
await check('tools, page by page', async () => {
  const ask = (params) => client.request({ method: 'tools/list', params });
  const [names, pages] = await walk(ask, (result) => result.tools.map((tool) => tool.name));
  assert.ok(pages > 2);
  assert.equal(new Set(names).size, names.length);
});
await check('resources', async () => {
  const uris = (await client.listResources()).resources.map((item) => item.uri);
  assert.ok(uris.includes('mem://a'));
  const templates = (await client.listResourceTemplates()).resourceTemplates.map((item) => item.uriTemplate);
  assert.ok(templates.includes('x://item/{id}'));
});
await check('prompts', async () => {
  const names = (await client.listPrompts()).prompts.map((item) => item.name);
  assert.deepEqual(names, ['ask_style', 'greet', 'rich', 'sour']);
});

await check('echo', async () => assert.equal(text(await call('echo', { text: 'é🦀\n' })), 'é🦀\n'));
await check('add', async () => assert.equal(text(await call('add', { a: 2, b: 3 })), '5'));
await check('invalid arguments', async () => {
  const result = await call('add', { a: 'x', b: 1 });
  assert.equal(result.isError, true);
  assert.match(text(result), /\/a/);
});
await check('failure', async () => assert.equal((await call('boom', {})).isError, true));
await check('structured', async () => assert.deepEqual((await call('out', { mode: 'ok' })).structuredContent, { n: 1 }));
await check('image', async () => assert.equal((await call('say', { mode: 'image' })).content[0].type, 'image'));
await check('unknown tool', () => assert.rejects(call('nope', {}), (error) => error.code === -32602));

await check('read', async () => {
  const [content] = (await client.readResource({ uri: 'mem://a' })).contents;
  assert.equal(content.text, 'A');
});
await check('read bytes', async () => {
  const [content] = (await client.readResource({ uri: 'mem://bin' })).contents;
  assert.equal(content.blob, '+//+');
});
await check('read a template', async () => {
  const [content] = (await client.readResource({ uri: 'x://item/7' })).contents;
  assert.equal(content.text, 'id=7');
});
await check('not found', () =>
  assert.rejects(client.readResource({ uri: 'mem://none' }), (error) => error.code === -32602 && error.data.uri === 'mem://none'));

await check('prompt', async () => {
  const got = await client.getPrompt({ name: 'greet', arguments: { name: 'Ann' } });
  assert.equal(got.messages[0].content.text, 'Hello, Ann!');
});
await check('complete', async () => {
  const ref = { type: 'ref/prompt', name: 'greet' };
  const { completion } = await client.complete({ ref, argument: { name: 'name', value: 'n' } });
  assert.deepEqual([completion.values.length, completion.total, completion.hasMore], [100, 250, true]);
});
await check('complete with context', async () => {
  const ref = { type: 'ref/prompt', name: 'greet' };
  const context = { arguments: { name: 'Ann' } };
  const { completion } = await client.complete({ ref, argument: { name: 'style', value: '' }, context });
  assert.deepEqual(completion.values, ['for Ann']);
});
await check('complete a template', async () => {
  const ref = { type: 'ref/resource', uri: 'x://item/{id}' };
  const { completion } = await client.complete({ ref, argument: { name: 'id', value: '' } });
  assert.deepEqual(completion.values, ['1', '2', '3']);
});

await check('progress', async () => {
  const seen = [];
  const result = await call('sleep', { ms: 220 }, { onprogress: ({ progress, total }) => void seen.push([progress, total]) });
  assert.equal(text(result), 'slept 220 ms');
  assert.ok(seen.length >= 3);
  assert.deepEqual(seen[0], [50, 220]);
  assert.deepEqual(seen, [...seen].sort((a, b) => a[0] - b[0]));
});
await check('cancel', async () => {
  const stop = new AbortController();
  setTimeout(() => stop.abort('enough'), 200);
  await assert.rejects(call('sleep', { ms: 60000 }, { signal: stop.signal }));
  assert.equal(text(await call('none', {})), 'none');
});

await check('accept', async () => {
  assert.equal(text(keep('accepted', await call('ask', {}))), 'accepted: Ann');
  assert.deepEqual(asked, ['What is your name?']);
});
await check('decline', async () => {
  answer = { action: 'decline' };
  assert.equal(text(keep('declined', await call('ask', {}))), 'declined');
});
await check('dismiss', async () => {
  answer = { action: 'cancel' };
  assert.equal(text(await call('ask', {})), 'cancelled');
});
await check('two rounds', async () => {
  client.setRequestHandler('elicitation/create', async (request) => {
    const names = Object.keys(request.params.requestedSchema.properties);
    const all = { name: 'Ann', colour: 'red', style: 'a haiku', ok: true };
    return { action: 'accept', content: Object.fromEntries(names.map((name) => [name, all[name]])) };
  });
  assert.equal(text(keep('two rounds', await call('ask_twice', { note: 'n' }))), 'Ann likes red');
});
await check('a prompt asks', async () => {
  const got = keep('a prompt', await client.getPrompt({ name: 'ask_style', arguments: { topic: 't' } }));
  assert.equal(got.messages[0].content.text, 'In the style of a haiku.');
});
await check('a resource asks', async () => {
  const [content] = keep('a resource', await client.readResource({ uri: 'mem://ask' })).contents;
  assert.equal(content.text, 'shown');
});
await check('undeclared', () => assert.rejects(call('ask_roots', {}), (error) => error.code === -32021));

await check('subscription', async () => {
  const within = { signal: AbortSignal.timeout(10_000) };
  const subscription = await client.listen({ toolsListChanged: true, resourceSubscriptions: ['mem://a'] });
  assert.equal(subscription.honoredFilter.toolsListChanged, true);
  const updated = once(changes, 'updated', within);
  await call('touch', { uri: 'mem://b' });
  await call('touch', { uri: 'mem://a' });
  assert.deepEqual(await updated, ['mem://a']);
  const changed = once(changes, 'tools', within);
  await call('toggle', { what: 'tool' });
  await changed;
  await call('toggle', { what: 'tool' });
  await subscription.close();
  assert.equal(await subscription.closed, 'local');
  assert.equal(text(await call('none', {})), 'none');
});
await check('log lines', async () => {
  await client.callTool({ name: 'log', arguments: {}, _meta: { 'io.modelcontextprotocol/logLevel': 'alert' } });
  assert.deepEqual(logged, ['a alert line', 'a emergency line']);
});

await client.close();
end(`typescript over ${overHttp ? 'HTTP' : 'stdio'}`);
