// The fixture host of the tests: one of every kind of item, answered in every way. What it offers and answers is
// described in tests/wire/catalog/fixture.md.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as rest } from 'node:timers/promises';
import { Rejection, Server, ToolError, rawResult } from 'mcpcore';
import { complete, prompts, resources, tools } from './everything-answers.mjs';
import { readFlags } from './everything-flags.mjs';

const { options, fixture, without, file, most, port, http, door } = readFlags(process.argv.slice(2));
const extra = new Set();

function catalog() {
  if (file) return readFileSync(file, 'utf8');
  const document = {};
  const kinds = { tools: 'tool', resources: 'resource', resourceTemplates: 'template', prompts: 'prompt' };
  for (const [list, kind] of Object.entries(kinds)) {
    const items = without.has(list) ? [] : fixture.catalog[list];
    document[list] = extra.has(kind) ? [...items, fixture.extras[kind]] : items;
  }
  return document;
}

/** Adds an extra item, or takes it away again; true if it is there now. */
async function toggle(kind) {
  if (!extra.delete(kind)) extra.add(kind);
  await server.catalogChanged();
  return extra.has(kind);
}

const OPTIONAL = ['tool:ask_all', 'tool:test_input_required_result_capabilities'];
const STATELESS = ['tool:ask', 'tool:test_input_required_result_elicitation'];
const NEEDS = { 'elicitation/create': 'elicitation', 'sampling/createMessage': 'sampling', 'roots/list': 'roots' };

/** The questions with each string `@NAME` replaced by the argument of that name. */
function filled(questions, call) {
  const replace = (_, value) =>
    typeof value === 'string' && value.startsWith('@') ? call.arguments[value.slice(1)] : value;
  return JSON.parse(JSON.stringify(questions), replace);
}

/** What is still open of the first round that has something open. */
function question(call, key) {
  for (const [index, round] of (fixture.questions[key] ?? []).entries()) {
    const open = Object.entries(round).filter(
      ([name, { method }]) =>
        !(name in call.answers) && !(OPTIONAL.includes(key) && !call.clientSupports(NEEDS[method])),
    );
    if (open.length === 0) continue;
    const state = STATELESS.includes(key) ? undefined : `round ${index + 1}`;
    return call.require(filled(Object.fromEntries(open), call), state);
  }
  return undefined;
}

function dispatch(call) {
  if (call.kind === 'completion') return complete(call);
  if (file) return call.rawArguments;
  const mode = call.kind === 'tool' && typeof call.arguments.mode === 'string' ? `:${call.arguments.mode}` : '';
  const key = `${call.kind}:${call.name}${mode}`;
  const asked = question(call, key);
  if (asked) return asked;
  if (key in fixture.results) return fixture.results[key];
  const answers = { tool: tools, resource: resources, prompt: prompts }[call.kind];
  const answer = answers[call.name];
  if (answer && !mode) return answer(call, { server, toggle, rest, rawResult, Rejection, ToolError });
  if (call.kind === 'resource' && call.template) return variables(call);
  throw new ToolError(`no answer is written for ${key}`);
}

function variables(call) {
  const names = ['id', 'path', 'page', 'limit'].filter((name) => name in call.variables);
  return names.map((name) => `${name}=${call.variables[name]}`).join(';');
}

const server = new Server({ name: 'everything', version: '1.0.0', catalog, dispatch, ...options });

// Handlers run on the event loop, where there is no pool of threads; `--pool` bounds how many are under way.
const waiting = [];
let running = 0;
server.middleware(async (call, next) => {
  if (running >= most) await new Promise((resolve) => waiting.push(resolve));
  running += 1;
  try {
    return await next();
  } finally {
    running -= 1;
    waiting.shift()?.();
  }
});

/** Listens by the engine's own threads, or with `--door handler` by node:http; until a signal comes. */
async function serveHttp() {
  // Who uses the endpoint is the same user as on stdio.
  const admission = { authorize: { principal: 'local', scopes: '*' }, allowedOrigins: 'loopback' };
  let web;
  let bound;
  if (door === 'handler') {
    const handler = server.handler({ ...http, ...admission, path: '/mcp' });
    await server.start();
    web = createServer(handler).listen(port, '127.0.0.1');
    await new Promise((resolve) => web.once('listening', resolve));
    bound = web.address().port;
  } else {
    ({ port: bound } = await server.listen({ ...http, ...admission, port }));
  }
  const end = new Promise((resolve) => ['SIGTERM', 'SIGINT'].forEach((signal) => process.once(signal, resolve)));
  console.error(`listening on http://127.0.0.1:${bound}/mcp`);
  await end;
  await server.close();
  web?.close();
  web?.closeAllConnections();
}

try {
  if (port === undefined) await server.serveStdio();
  else await serveHttp();
} catch (error) {
  console.error(`everything: ${error.message}`);
  process.exitCode = 1;
}
