import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { InputRequired } from 'mcpcore';
import { META, call, quiet, texts } from './support.mjs';

const Name = z.object({ name: z.string() });

test('a handler asks, and runs anew with the answer; its own state comes back', async () => {
  const server = quiet();
  const rounds = [];
  server.tool({ name: 'twice' }, async (_, call) => {
    rounds.push([call.round, call.state]);
    call.state = { seen: call.round };
    const first = await call.elicit('first', 'Name?', Name);
    call.state = { seen: call.round, name: first.content?.name };
    const second = await call.elicit('second', 'Colour?', {
      type: 'object',
      properties: { colour: { type: 'string' } },
    });
    return `${first.content?.name ?? first.action} ${second.content?.colour ?? second.action}`;
  });
  const answers = [{ action: 'accept', content: { name: 'Ann' } }, { action: 'decline' }];
  const asked = [];
  const client = await server.client({ onElicit: (params) => (asked.push(params.message), answers[asked.length - 1]) });
  assert.deepEqual(texts(await client.callTool('twice')), ['Ann decline']);
  assert.deepEqual(asked, ['Name?', 'Colour?']);
  assert.deepEqual(rounds, [
    [0, undefined],
    [1, { seen: 0 }],
    [2, { seen: 1, name: 'Ann' }],
  ]);
});

test('questions of one turn are asked together', async () => {
  const server = quiet();
  server.tool({ name: 'all' }, async (_, call) => {
    const [user, model, { roots }] = await Promise.all([
      call.elicit('user', 'Name?', Name),
      call.sample('model', { messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }], maxTokens: 5 }),
      call.roots(),
    ]);
    return `${user.content.name} ${model.content.text} ${roots[0].uri} ${call.round}`;
  });
  const client = await server.client({
    onElicit: () => ({ action: 'accept', content: { name: 'Ann' } }),
    onSample: () => ({ role: 'assistant', content: { type: 'text', text: 'hello' }, model: 'm' }),
    onRoots: () => ({ roots: [{ uri: 'file:///a' }] }),
  });
  assert.deepEqual(texts(await client.callTool('all')), ['Ann hello file:///a 1']);
});

test('resources and prompts ask too, and an address can be opened', async () => {
  const server = quiet();
  server.resource(
    { uri: 'x://page' },
    async (_, call) => (await call.elicitUrl('page', 'Open', 'https://example.com/x')).action,
  );
  server.prompt({ name: 'who' }, async (_, call) => (await call.elicit('who', 'Who?', Name)).content.name);
  const client = await server.client({
    onElicit: ({ mode }) => (mode === 'url' ? { action: 'accept' } : { action: 'accept', content: { name: 'Bo' } }),
  });
  assert.equal((await client.readResource('x://page')).contents[0].text, 'accept');
  assert.equal((await client.getPrompt('who')).messages[0].content.text, 'Bo');
});

test('a handler that swallows the question asks all the same; finally blocks run', async () => {
  const server = quiet();
  let cleaned = 0;
  server.tool({ name: 'greedy' }, async (_, call) => {
    try {
      return (await call.elicit('name', 'Name?', Name)).content.name;
    } catch {
      return 'swallowed';
    } finally {
      cleaned += 1;
    }
  });
  const client = await server.client({ onElicit: () => ({ action: 'accept', content: { name: 'Cy' } }) });
  assert.deepEqual(texts(await client.callTool('greedy')), ['Cy']);
  assert.equal(cleaned, 2);
});

test("an injected dispatch returns or throws questions in the protocol's shape", async () => {
  const questions = {
    name: {
      method: 'elicitation/create',
      params: { message: 'Name?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } },
    },
  };
  const dispatch = (call) => {
    if (call.answers.name) return `${call.answers.name.content.name} ${call.state}`;
    const ask = call.require(questions, 'kept');
    assert.ok(ask instanceof InputRequired);
    if (call.name === 'throws') throw ask;
    return ask;
  };
  const server = quiet({ catalog: { tools: [{ name: 'returns' }, { name: 'throws' }] }, dispatch });
  const client = await server.client({ onElicit: () => ({ action: 'accept', content: { name: 'Di' } }) });
  for (const name of ['returns', 'throws']) assert.deepEqual(texts(await client.callTool(name)), ['Di kept']);
});

test('what the client cannot answer is refused before anybody is asked', async () => {
  const server = quiet();
  server.tool({ name: 'ask' }, async (_, call) => {
    if (!call.clientSupports('elicitation')) return 'cannot ask';
    return (await call.elicit('name', 'Name?', Name)).content.name;
  });
  server.tool({ name: 'blind' }, async (_, call) => (await call.elicit('name', 'Name?', Name)).content.name);
  const client = await server.client();
  assert.deepEqual(texts(await client.callTool('ask')), ['cannot ask']);
  await assert.rejects(client.callTool('blind'), { code: -32021 });
});

test('the state is sealed: another request, and another process without the key, cannot use it', async () => {
  const make = (stateKeys) => {
    const server = quiet({ stateKeys });
    server.tool({ name: 'ask', inputSchema: { type: 'object' } }, async (_, call) => {
      const { content } = await call.elicit('name', 'Name?', Name);
      return content.name;
    });
    return server;
  };
  const key = Buffer.alloc(32, 7);
  const [one, two, stranger] = [make([key]), make([Buffer.alloc(32, 1), key.toString('base64')]), make()];
  const meta = { ...META, 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } };
  const { result } = JSON.parse(await one.handle(call('ask', { a: 1 }, { meta })));
  assert.equal(result.resultType, 'input_required');
  const retry = (server, args) => {
    const params = {
      name: 'ask',
      arguments: args,
      requestState: result.requestState,
      inputResponses: { name: { action: 'accept', content: { name: 'Ed' } } },
      _meta: meta,
    };
    return server.handle(JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params })).then(JSON.parse);
  };
  assert.deepEqual(texts((await retry(one, { a: 1 })).result), ['Ed']);
  assert.deepEqual(texts((await retry(two, { a: 1 })).result), ['Ed']);
  assert.equal((await retry(one, { a: 2 })).error.code, -32602);
  assert.equal((await retry(stranger, { a: 1 })).error.code, -32602);
});
