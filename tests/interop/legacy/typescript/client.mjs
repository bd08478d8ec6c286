// The official TypeScript client of the revisions before 2026-07-28 against a host: node client.mjs COMMAND…, or
// node client.mjs URL URL, the second for the transport with two endpoints.
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { setTimeout as rest } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as types from '@modelcontextprotocol/sdk/types.js';
import { tally, text, walk } from './script.mjs';

const { check, keep, end } = tally(() => `typescript 2025-11-25 over ${over}`);
const call = (name, args, options) => client.callTool({ name, arguments: args }, undefined, options);

const [command, ...given] = process.argv.slice(2);
let over = 'stdio';
const capabilities = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: { listChanged: true } };
const client = new Client({ name: 'interop', version: '1.0.0' }, { capabilities });
let answer;
const asked = [];
client.setRequestHandler(types.ElicitRequestSchema, async (request) => {
  asked.push(request.params);
  return answer;
});
client.setRequestHandler(types.CreateMessageRequestSchema, async (request) => {
  if (request.params.tools) throw new types.McpError(-1, 'User rejected sampling request');
  return { role: 'assistant', model: 'm', content: { type: 'text', text: 'Paris' } };
});
let roots;
client.setRequestHandler(types.ListRootsRequestSchema, async () => ({ roots }));
const changes = new EventEmitter();
client.setNotificationHandler(types.ToolListChangedNotificationSchema, () => void changes.emit('tool'));
client.setNotificationHandler(types.PromptListChangedNotificationSchema, () => void changes.emit('prompt'));
client.setNotificationHandler(types.ResourceListChangedNotificationSchema, () => void changes.emit('resource'));
client.setNotificationHandler(types.ResourceUpdatedNotificationSchema, (note) => void changes.emit('updated', note.params.uri));
const logged = [];
client.setNotificationHandler(types.LoggingMessageNotificationSchema, (note) => void logged.push(note.params.data));

/** All that a client may want of a server. */
async function script() {
  await check('opening', async () => {
    assert.equal(client.getServerVersion().name, 'everything');
    const able = client.getServerCapabilities();
    assert.equal(able.tools.listChanged, true);
    assert.equal(able.resources.subscribe, true);
    assert.ok(able.prompts && able.completions && able.logging && !able.tasks);
    assert.deepEqual(await client.ping(), {});
  });

  await check('tools', async () => {
    const [tools, pages] = await walk((params) => client.listTools(params), (result) => result.tools);
    const names = tools.map((tool) => tool.name);
    assert.ok(pages > 2);
    assert.deepEqual(names, [...new Set(names)].sort());
    assert.ok(tools.find((tool) => tool.name === 'hints').icons);
    assert.ok(tools.find((tool) => tool.name === 'out').outputSchema);
    assert.equal(tools.find((tool) => tool.name === 'out_list').outputSchema, undefined);
  });
  await check('resources', async () => {
    const [resources] = await walk((params) => client.listResources(params), (result) => result.resources);
    assert.ok(resources.some((resource) => resource.uri === 'mem://a'));
    const [templates] = await walk((params) => client.listResourceTemplates(params), (result) => result.resourceTemplates);
    assert.ok(templates.some((template) => template.uriTemplate === 'x://item/{id}'));
  });
  await check('prompts', async () => {
    const [prompts] = await walk((params) => client.listPrompts(params), (result) => result.prompts);
    assert.deepEqual(prompts.map((prompt) => prompt.name), ['ask_style', 'greet', 'rich', 'sour']);
  });

  await check('echo', async () => assert.equal(text(await call('echo', { text: 'é🦀\n' })), 'é🦀\n'));
  await check('add', async () => assert.equal(text(await call('add', { a: 2, b: 3 })), '5'));
  await check('no arguments', async () => assert.equal(text(await call('none')), 'none'));
  await check('invalid arguments', async () => {
    const result = await call('add', { a: 'x', b: 1 });
    assert.equal(result.isError, true);
    assert.match(text(result), /\/a/);
  });
  await check('failure', async () => {
    const result = await call('boom', {});
    assert.equal(result.isError, true);
    assert.equal(text(result), 'boom');
  });
  await check('structured', async () => assert.deepEqual((await call('out', { mode: 'ok' })).structuredContent, { n: 1 }));
  await check('a list as text', async () => {
    const result = await call('out_list', { mode: 'ok' });
    assert.equal(result.structuredContent, undefined);
    assert.equal(text(result), '[1,2]');
  });
  await check('kinds of content', async () => {
    for (const [mode, type] of [['image', 'image'], ['audio', 'audio'], ['link', 'resource_link'], ['embedded', 'resource']]) {
      assert.equal((await call('say', { mode })).content[0].type, type);
    }
  });
  await check('unknown tool', async () => assert.rejects(call('nope', {}), { code: -32602 }));

  await check('read', async () => {
    const [content] = (await client.readResource({ uri: 'mem://a' })).contents;
    assert.equal(content.text, 'A');
    const [bytes] = (await client.readResource({ uri: 'mem://bin' })).contents;
    assert.equal(bytes.blob, '+//+');
    const [item] = (await client.readResource({ uri: 'x://item/7' })).contents;
    assert.equal(item.text, 'id=7');
  });
  await check('not found', async () =>
    assert.rejects(client.readResource({ uri: 'mem://none' }), { code: -32002, data: { uri: 'mem://none' } }));
  await check('prompt', async () => {
    const result = await client.getPrompt({ name: 'greet', arguments: { name: 'Ann' } });
    assert.equal(result.messages[0].content.text, 'Hello, Ann!');
  });
  await check('complete', async () => {
    const complete = async (ref, argument, context) => (await client.complete({ ref, argument, context })).completion;
    const many = await complete({ type: 'ref/prompt', name: 'greet' }, { name: 'name', value: 'n' });
    assert.deepEqual([many.values.length, many.total, many.hasMore], [100, 250, true]);
    const context = { arguments: { name: 'Ann' } };
    const one = await complete({ type: 'ref/prompt', name: 'greet' }, { name: 'style', value: '' }, context);
    assert.deepEqual(one.values, ['for Ann']);
  });

  await check('progress', async () => {
    const seen = [];
    const result = await call('sleep', { ms: 220 }, { onprogress: (report) => void seen.push([report.progress, report.total]) });
    assert.equal(text(result), 'slept 220 ms');
    assert.ok(seen.length >= 3 && seen[0][0] === 50 && seen[0][1] === 220);
  });
  await check('cancel', async () => {
    const controller = new AbortController();
    const running = call('sleep', { ms: 60000 }, { signal: controller.signal });
    setTimeout(() => controller.abort('enough'), 200);
    await assert.rejects(running);
    assert.equal(text(await call('none', {})), 'none');
  });

  await check('ask the model', async () => assert.equal(text(await call('ask_model', {})), 'the model says: Paris'));
  await check('the model refuses', async () => {
    const result = await call('ask_model_tools', {});
    assert.equal(result.isError, true);
    assert.match(text(result), /User rejected/);
  });
  await check('ask for roots', async () => {
    assert.equal(text(await call('ask_roots', {})), 'the first root is file:///home/a');
    roots = [];
    await client.sendRootsListChanged();
    assert.equal(text(await call('ask_roots', {})), 'no roots');
  });
  await check('accept', async () => assert.equal(text(keep('accepted', await call('ask', {}))), 'accepted: Ann'));
  await check('asked', async () => assert.equal(asked[0].message, 'What is your name?'));
  await check('decline and cancel', async () => {
    answer = { action: 'decline' };
    assert.equal(text(keep('declined', await call('ask', {}))), 'declined');
    answer = { action: 'cancel' };
    assert.equal(text(await call('ask', {})), 'cancelled');
  });
  await check('rounds', async () => {
    answer = { action: 'accept', content: { name: 'Ann', colour: 'red', style: 'a haiku' } };
    assert.equal(text(keep('two rounds', await call('ask_twice', { note: 'n' }))), 'Ann likes red');
    const prompt = keep('a prompt', await client.getPrompt({ name: 'ask_style', arguments: { topic: 't' } }));
    assert.equal(prompt.messages[0].content.text, 'In the style of a haiku.');
    const [content] = keep('a resource', await client.readResource({ uri: 'mem://ask' })).contents;
    assert.equal(content.text, 'shown');
    assert.equal(text(await call('ask_all', {})), 'answered');
  });
  await check('a page', async () => {
    answer = { action: 'accept' };
    assert.equal(text(await call('ask_url', {})), 'accepted');
    assert.equal(asked.at(-1).mode, 'url');
    assert.ok(asked.at(-1).elicitationId);
  });
  await check('subscriptions', async () => {
    await client.subscribeResource({ uri: 'mem://a' });
    const update = once(changes, 'updated', { signal: AbortSignal.timeout(10000) });
    await call('touch', { uri: 'mem://b' });
    await call('touch', { uri: 'mem://a' });
    assert.deepEqual(await update, ['mem://a']);
    await client.unsubscribeResource({ uri: 'mem://a' });
  });
  for (const what of ['tool', 'prompt', 'resource']) {
    await check(`${what}s changed`, async () => {
      for (const _ of ['there', 'gone again']) {
        const change = once(changes, what, { signal: AbortSignal.timeout(10000) });
        await call('toggle', { what });
        await change;
      }
    });
  }
  await check('log lines', async () => {
    await client.setLoggingLevel('error');
    logged.length = 0;
    await call('log', {});
    assert.deepEqual(logged, ['error', 'critical', 'alert', 'emergency'].map((level) => `a ${level} line`));
  });
}

/** The stream of an answer ends before it; the client comes back and has all that was said meanwhile. */
async function comeBack() {
  await client.setLoggingLevel('info');
  logged.length = 0;
  const tokens = [];
  assert.equal(text(await call('come_back', {}, { onresumptiontoken: (token) => void tokens.push(token) })), 'back');
  assert.deepEqual(logged, ['leaving', 'meanwhile']);
  assert.equal(new Set(tokens).size, tokens.length);
}

/** A client that was cut off asks for the rest of an answer from another place. (LEG-25) */
async function resume() {
  const cut = new StreamableHTTPClientTransport(new URL(command));
  await client.connect(cut);
  const seen = [];
  let token;
  const running = call('sleep', { ms: 500 }, {
    onprogress: ({ progress }) => void seen.push(progress),
    onresumptiontoken: (last) => (token = last),
  });
  running.catch(() => {});
  while (seen.length < 2) await rest(10);
  await client.close();
  await rest(150);
  const session = { sessionId: cut.sessionId };
  await client.connect(new StreamableHTTPClientTransport(new URL(command), session));
  const ask = { method: 'tools/call', params: { name: 'sleep', arguments: { ms: 500 } } };
  const onprogress = ({ progress }) => void seen.push(progress);
  const result = await client.request(ask, types.CallToolResultSchema, { resumptionToken: token, onprogress });
  assert.equal(text(result), 'slept 500 ms');
  await client.transport.terminateSession();
  await client.close();
  await client.connect(new StreamableHTTPClientTransport(new URL(command), session));
  await assert.rejects(client.ping(), { code: 404 });
  await client.close();
}

function transport() {
  if (over === 'HTTP') return new StreamableHTTPClientTransport(new URL(command));
  if (over === 'two endpoints') return new SSEClientTransport(new URL(given[0]));
  return new StdioClientTransport({ command, args: [...given, '--catalog', 'fx', '--page', '7'] });
}

async function talk() {
  answer = { action: 'accept', content: { name: 'Ann' } };
  roots = [{ uri: 'file:///home/a', name: 'a' }];
  asked.length = 0;
  await client.connect(transport());
  await script();
  await check('coming back', comeBack);
  await client.close();
}

if (command.startsWith('http')) {
  over = 'HTTP';
  await talk();
  await check('resumption', resume);
  over = 'two endpoints';
  await talk();
} else {
  await talk();
  await check('forms of every kind', async () => {
    await client.connect(new StdioClientTransport({ command, args: given }));
    answer = { action: 'accept', content: { untitledMulti: ['option1', 'option2'], titledSingle: 'value2' } };
    assert.equal(text(await call('test_elicitation_sep1330_enums', {})), 'The user has answered.');
    answer = { action: 'accept', content: { age: 31 } };
    assert.equal(text(await call('test_elicitation_sep1034_defaults', {})), 'The user has answered.');
    await client.close();
  });
}
end(`typescript of sessions over ${command.startsWith('http') ? 'HTTP' : 'stdio'}`);
