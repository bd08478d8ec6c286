// How the fixture host answers: see tests/wire/catalog/fixture.md.

const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/** The text of a number in the raw arguments: digits as they came. */
const digits = (call, name) => new RegExp(`"${name}"\\s*:\\s*([^,}\\s]+)`).exec(call.rawArguments)[1];

function outcome(answer) {
  return { accept: 'accepted', decline: 'declined', cancel: 'cancelled' }[answer?.action] ?? 'unanswered';
}

const raw = (call) => call.rawArguments;
const model = (call) => `the model says: ${call.answers.model.content.text}`;

async function sleep(call, { rest }) {
  const { ms } = call.arguments;
  for (let passed = 0; passed < ms;) {
    const step = Math.min(50, ms - passed);
    await rest(step);
    passed += step;
    if (call.cancelled) return undefined;
    if (passed < ms) call.progress(passed, ms);
  }
  return `slept ${ms} ms`;
}

function progress(call) {
  const { values, total } = call.arguments;
  const written = /"values"\s*:\s*\[([^\]]*)\]/.exec(call.rawArguments)[1].split(',');
  values.forEach((value, index) => call.progress(value, total, `at ${written[index].trim()}`));
  return 'reported';
}

async function threeReports(call, { rest }) {
  for (let step = 0; step <= 2; step += 1) {
    if (step > 0) await rest(50);
    call.progress(step * 50, 100);
  }
  return 'done';
}

async function comeBack(call, { rest }) {
  call.log('info', 'leaving', 'fixture');
  call.closeStream(100);
  await rest(100);
  call.log('info', 'meanwhile', 'fixture');
  await rest(100);
  return 'back';
}

async function changed(toggle, kind) {
  await toggle(kind);
  await toggle(kind);
  return 'changed';
}

function opt({ arguments: { q } }) {
  if (q === undefined) return 'absent';
  return q ?? 'null';
}

export const tools = {
  add: ({ arguments: { a, b } }) => String(a + b),
  echo: ({ arguments: { text } }) => text,
  none: () => 'none',
  opt,
  big: (call, { rawResult }) => rawResult(`{"structuredContent":${digits(call, 'id')}}`),
  boom: (_, { ToolError }) => {
    throw new ToolError('boom');
  },
  forget: (call) => call.forget(),
  reject: ({ arguments: { code, data } }, { Rejection }) => {
    throw new Rejection(code, 'rejected', data);
  },
  meta: (call, { rawResult }) => rawResult(`{"structuredContent":${call.rawMeta}}`),
  noisy: () => {
    console.log('hi');
    return 'noisy';
  },
  sleep,
  progress,
  log: (call) => {
    for (const level of LEVELS) call.log(level, `a ${level} line`, 'fixture');
    return 'logged';
  },
  touch: ({ arguments: { uri } }, { server }) => {
    server.resourceUpdated(uri);
    return 'touched';
  },
  come_back: comeBack,
  toggle: async (call, { toggle }) => ((await toggle(call.arguments.what)) ? 'added' : 'removed'),
  ask: ({ answers: { user } }) => {
    const what = outcome(user);
    return what === 'accepted' ? `accepted: ${user.content.name}` : what;
  },
  ask_twice: ({ answers: { first, second } }) =>
    `${first?.content?.name ?? 'somebody'} likes ${second?.content?.colour ?? 'nothing'}`,
  ask_url: (call) => outcome(call.answers.page),
  ask_all: () => 'answered',
  ask_model: model,
  ask_model_tools: model,
  ask_roots: ({ answers: { roots } }) => {
    const uri = roots.roots[0]?.uri;
    return uri === undefined ? 'no roots' : `the first root is ${uri}`;
  },
  date: raw,
  draft07: raw,
  hints: raw,
  pattern: raw,
  schema2020: raw,
  tree: raw,
  unicode: raw,
  test_logging_tool: (call) => {
    call.log('info', 'a line', 'fixture');
    return 'logged';
  },
  test_reconnection: comeBack,
  test_tool_with_logging: async (call, { rest }) => {
    for (let line = 0; line < 3; line += 1) {
      if (line > 0) await rest(50);
      call.log('info', 'a line', 'fixture');
    }
    return 'logged';
  },
  test_tool_with_progress: threeReports,
  test_trigger_tool_change: (_, { toggle }) => changed(toggle, 'tool'),
  test_trigger_prompt_change: (_, { toggle }) => changed(toggle, 'prompt'),
};

export const resources = {
  'mem://bin': () => ({ contents: [{ uri: 'mem://bin', mimeType: 'application/octet-stream', blob: '+//+' }] }),
  'mem://broken': (_, { ToolError }) => {
    throw new ToolError('broken');
  },
  'mem://ask': ({ answers: { user } }) => (user?.action === 'accept' ? 'shown' : 'hidden'),
};

export const prompts = {
  greet: ({ arguments: { name } }) => `Hello, ${name}!`,
  sour: (_, { Rejection }) => {
    throw new Rejection(-32603, 'sour');
  },
  ask_style: ({ answers: { user } }) => `In the style of ${user?.content?.style ?? 'nobody'}.`,
  test_prompt_with_arguments: ({ arguments: { arg1, arg2 } }) => `arg1: ${arg1}, arg2: ${arg2}`,
  test_prompt_with_embedded_resource: ({ arguments: { resourceUri: uri } }) => {
    const resource = { uri, mimeType: 'text/plain', text: 'An embedded resource.' };
    return { messages: [{ role: 'user', content: { type: 'resource', resource } }] };
  },
};

/** Completion values. */
export function complete(call) {
  const { argument, context } = call.arguments;
  const style = context?.arguments?.name;
  if (call.name === 'greet' && argument.name === 'name') {
    return Array.from({ length: 250 }, (_, index) => `name${String(index).padStart(3, '0')}`);
  }
  if (call.name === 'greet' && argument.name === 'style' && style !== undefined) return [`for ${style}`];
  if (call.name === 'x://item/{id}') return ['1', '2', '3'];
  return [];
}
