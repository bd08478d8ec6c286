import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';
import {
  McpError,
  Rejection,
  ToolError,
  ToolResult,
  audio,
  embeddedResource,
  image,
  rawResult,
  resourceLink,
  text,
} from 'mcpcore';
import { quiet, texts } from './support.mjs';

const PNG = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 1, 2]);

test('what a handler returns becomes the result', async (t) => {
  const blocks = (content) => ({ content, structuredContent: undefined });
  const structured = (value) => ({
    content: [{ type: 'text', text: JSON.stringify(value) }],
    structuredContent: value,
  });
  const cases = {
    text: ['hi', blocks([{ type: 'text', text: 'hi' }])],
    nothing: [undefined, blocks([])],
    null: [null, structured(null)],
    zero: [0, structured(0)],
    false: [false, structured(false)],
    object: [{ a: [1, null] }, structured({ a: [1, null] })],
    list: [[1, 2], structured([1, 2])],
    empty: [[], structured([])],
    date: [{ on: new Date(0) }, structured({ on: '1970-01-01T00:00:00.000Z' })],
    bytes: [PNG, blocks([{ type: 'image', data: 'iVBORwEC', mimeType: 'image/png' }])],
    buffer: [PNG.buffer, blocks([{ type: 'image', data: 'iVBORwEC', mimeType: 'image/png' }])],
    block: [text('x'), blocks([{ type: 'text', text: 'x' }])],
    image: [image(PNG, 'image/png'), blocks([{ type: 'image', data: 'iVBORwEC', mimeType: 'image/png' }])],
    audio: [audio('AAAA', 'audio/wav'), blocks([{ type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }])],
    link: [resourceLink('a://b', 'b'), blocks([{ type: 'resource_link', uri: 'a://b', name: 'b' }])],
    embedded: [
      embeddedResource('a://b', 'text', { mimeType: 'text/plain' }),
      blocks([{ type: 'resource', resource: { uri: 'a://b', mimeType: 'text/plain', text: 'text' } }]),
    ],
    several: [
      ['a', image(PNG, 'image/png')],
      blocks([
        { type: 'text', text: 'a' },
        { type: 'image', data: 'iVBORwEC', mimeType: 'image/png' },
      ]),
    ],
    result: [{ content: [{ type: 'text', text: 'as in the SDK' }] }, blocks([{ type: 'text', text: 'as in the SDK' }])],
    'result of one member': [{ structuredContent: 0 }, { content: [], structuredContent: 0 }],
    'tool result': [
      new ToolResult({ content: [text('t')], structuredContent: { n: 1 } }),
      { content: [{ type: 'text', text: 't' }], structuredContent: { n: 1 } },
    ],
    'half a pair': ['\ud800', blocks([{ type: 'text', text: '\ufffd' }])],
  };
  const server = quiet();
  for (const [name, [value]] of Object.entries(cases)) {
    server.tool({ name: name.replaceAll(' ', '_') }, () => value);
    server.tool({ name: `${name.replaceAll(' ', '_')}_later` }, async () => value);
  }
  const client = await server.client();
  for (const [name, [, expected]] of Object.entries(cases)) {
    for (const tool of [name, `${name}_later`]) {
      await t.test(tool, async () => {
        const { content, structuredContent, isError } = await client.callTool(tool.replaceAll(' ', '_'));
        assert.deepEqual({ content, structuredContent }, expected);
        assert.equal(isError, undefined);
      });
    }
  }
});

test('a raw result keeps every digit, and raw arguments have them', async () => {
  const server = quiet();
  server.tool({ name: 'big' }, (_, call) => rawResult(`{"structuredContent":${/\d+/.exec(call.rawArguments)[0]}}`));
  const message = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"big","arguments":{"n":123456789012345678901234567890},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`;
  assert.match(await server.handle(message), /"structuredContent":123456789012345678901234567890/);
});

test('what nobody can answer is masked, and the log says what it was', async (t) => {
  const circle = {};
  circle.self = circle;
  const hostile = {
    get then() {
      throw new Error('a getter');
    },
  };
  const cases = {
    function: [() => () => {}, /returned function/],
    symbol: [() => Symbol('x'), /returned symbol/],
    circle: [() => circle, /circular/],
    bigint: [() => 10n, /BigInt/],
    'unknown bytes': [() => Uint8Array.from([1, 2, 3]), /unknown type/],
    error: [
      () => {
        throw new Error('the reason');
      },
      /Error: the reason[^]*tools\.test\.mjs/,
    ],
    cause: [
      () => {
        throw new Error('outer', { cause: new TypeError('inner') });
      },
      /outer[^]*caused by TypeError: inner/,
    ],
    string: [
      () => {
        throw 'a string';
      },
      /threw a string/,
    ],
    nothing: [
      () => {
        throw undefined;
      },
      /threw undefined/,
    ],
    null: [
      () => {
        throw null;
      },
      /threw null/,
    ],
    hostile: [() => hostile, /a getter/],
    unprintable: [
      () => {
        throw {
          toString() {
            throw new Error('no');
          },
        };
      },
      /cannot be shown/,
    ],
    rejected: [() => Promise.reject(new RangeError('late')), /RangeError: late/],
    thenable: [() => ({ then: (_, no) => no(new Error('foreign')) }), /foreign/],
  };
  const server = quiet();
  for (const [name, [handler]] of Object.entries(cases)) server.tool({ name: name.replaceAll(' ', '_') }, handler);
  const client = await server.client();
  for (const [name, [, logged]] of Object.entries(cases)) {
    await t.test(name, async () => {
      server.lines.length = 0;
      const result = await client.callTool(name.replaceAll(' ', '_'));
      assert.equal(result.isError, true);
      const [, id] = /log id ([0-9a-f]{16})/.exec(texts(result)[0]);
      const line = server.lines.find((one) => one.includes(id));
      assert.match(line, logged);
    });
  }
});

test('a ToolError is for the model, a Rejection for the client', async () => {
  const server = quiet();
  server.tool({ name: 'told' }, () => {
    throw new ToolError('try Oslo');
  });
  server.tool({ name: 'rich' }, async () => {
    throw new ToolError('bad', { content: ['see', text('this')], structuredContent: { at: 1 } });
  });
  server.tool({ name: 'refused' }, () => {
    throw new Rejection(4001, 'not today', { until: 'Monday' });
  });
  const client = await server.client();
  const told = await client.callTool('told');
  assert.deepEqual([told.isError, texts(told)], [true, ['try Oslo']]);
  const rich = await client.callTool('rich');
  assert.deepEqual([rich.isError, texts(rich), rich.structuredContent], [true, ['see', 'this'], { at: 1 }]);
  await assert.rejects(client.callTool('refused'), (error) => {
    assert.ok(error instanceof Rejection);
    assert.deepEqual([error.code, error.message, error.data], [4001, 'not today', { until: 'Monday' }]);
    return true;
  });
  assert.deepEqual(
    server.lines.filter((line) => line.startsWith('error')),
    [],
  );
});

test('schemas of each library: listed, enforced, parsed', async (t) => {
  const libraries = {
    zod: z.object({ place: z.string().min(2), days: z.number().int().default(3) }),
    arktype: type({ place: 'string>=2', days: 'number.integer = 3' }),
    valibot: toStandardJsonSchema(
      v.object({ place: v.pipe(v.string(), v.minLength(2)), days: v.optional(v.pipe(v.number(), v.integer()), 3) }),
    ),
  };
  for (const [name, inputSchema] of Object.entries(libraries)) {
    await t.test(name, async () => {
      const server = quiet();
      server.tool({ name: 'forecast', inputSchema }, ({ place, days }) => `${place} ${days}`);
      const client = await server.client();
      const [tool] = await client.listTools();
      assert.equal(tool.inputSchema.properties.place.type, 'string');
      assert.deepEqual(texts(await client.callTool('forecast', { place: 'Oslo' })), ['Oslo 3']);
      const wrong = await client.callTool('forecast', { place: 'O', days: 1.5 });
      assert.equal(wrong.isError, true);
      assert.match(texts(wrong)[0], /place/);
    });
  }
});

test('what only the library can check is told to the model too', async () => {
  const server = quiet();
  const inputSchema = z
    .object({ a: z.string(), b: z.string() })
    .refine(({ a, b }) => a === b, { path: ['b'], message: 'differs' });
  server.tool({ name: 'same', inputSchema }, () => 'same');
  const later = z.object({ a: z.string().refine(async (value) => value === 'x', 'not x') });
  server.tool({ name: 'later', inputSchema: later }, ({ a }) => a);
  const client = await server.client();
  const wrong = await client.callTool('same', { a: '1', b: '2' });
  assert.deepEqual([wrong.isError, texts(wrong)], [true, ['The arguments are not valid:\n/b: differs']]);
  assert.deepEqual(texts(await client.callTool('later', { a: 'x' })), ['x']);
  assert.match(texts(await client.callTool('later', { a: 'y' }))[0], /not x/);
});

test('an outputSchema is enforced', async () => {
  const server = quiet();
  const outputSchema = z.object({ degrees: z.number() });
  server.tool({ name: 'good', outputSchema }, () => ({ degrees: 3 }));
  server.tool({ name: 'bad', outputSchema }, () => ({ degrees: 'three' }));
  server.tool({ name: 'text', outputSchema: { type: 'string' } }, () => 'words');
  server.tool({ name: 'fails', outputSchema }, () => {
    throw new ToolError('no');
  });
  const client = await server.client();
  assert.deepEqual((await client.callTool('good')).structuredContent, { degrees: 3 });
  assert.deepEqual((await client.callTool('text')).structuredContent, 'words');
  assert.equal((await client.callTool('fails')).isError, true);
  await assert.rejects(client.callTool('bad'), { code: -32603 });
  assert.match(server.lines.join('\n'), /degrees/);
});

test('definitions are listed as they were written; settings for the engine are not', async () => {
  const server = quiet();
  server.tool(
    {
      name: 'full',
      title: 'Full',
      description: 'All of it.',
      annotations: { readOnlyHint: true },
      _meta: { 'a.b/c': 1 },
      icons: [{ src: 'https://example.com/i.png' }],
      strict: true,
      inputSchema: { type: 'object' },
      scopes: ['a'],
      timeoutMs: 5,
      concurrency: 2,
    },
    () => '',
  );
  const client = await server.client();
  assert.deepEqual(await client.listTools(), [
    {
      name: 'full',
      title: 'Full',
      description: 'All of it.',
      annotations: { readOnlyHint: true },
      _meta: { 'a.b/c': 1 },
      icons: [{ src: 'https://example.com/i.png' }],
      strict: true,
      inputSchema: { type: 'object' },
    },
  ]);
});

test('mistakes are told at start, all at once, with item and place', async (t) => {
  await t.test('catalog', async () => {
    const server = quiet();
    server.tool({ name: 'one', inputSchema: { type: 'objekt' } }, () => '');
    server.tool({ name: 'two', inputSchema: { type: 'object', properties: { a: { $ref: '#/nowhere' } } } }, () => '');
    await assert.rejects(server.start(), (error) => {
      assert.ok(error instanceof McpError);
      assert.equal(error.code, 'CATALOG');
      assert.match(error.message, /tool "one" at \/inputSchema[^]*tool "two" at \/inputSchema/);
      return true;
    });
  });
  await t.test('settings', async () => {
    const server = quiet({ pageSize: -1, cacheScope: 'secret', stateKeys: ['AAAA'] });
    await assert.rejects(server.start(), {
      code: 'INVALID_ARGUMENT',
      message: /pageSize[^]*cacheScope[^]*stateKeys\[0\]/,
    });
  });
  await t.test('at once', () => {
    const server = quiet();
    const fault = (message) => ({ code: 'INVALID_ARGUMENT', message });
    assert.throws(() => quiet({ nmae: 'x' }), fault(/unknown option nmae/));
    assert.throws(() => server.tool({ name: 'x' }), fault(/tools "x": the handler must be a function/));
    assert.throws(() => server.tool({ name: 'x', concurrency: 0 }, () => ''), fault(/concurrency/));
    assert.throws(() => server.tool({ name: 'x', inputSchema: 'object' }, () => ''), fault(/tool "x": inputSchema/));
    assert.throws(() => server.tool({ name: 'x', inputSchema: v.object({}) }, () => ''), fault(/toStandardJsonSchema/));
    assert.throws(
      () => server.tool({ name: 'x', inputSchema: z.object({ d: z.date() }) }, () => ''),
      fault(/no JSON Schema can be made/),
    );
    assert.throws(() => server.resource({ name: 'x' }, () => ''), fault(/either a `uri` or a `uriTemplate`/));
    server.tool({ name: 'twice' }, () => '');
    assert.throws(() => server.tool({ name: 'twice' }, () => ''), { code: 'CATALOG', message: /stands twice/ });
  });
});
