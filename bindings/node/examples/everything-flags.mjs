// The flags of the fixture host, as tests/wire/catalog/fixture.md lists them.
import { readFileSync } from 'node:fs';

const NUMBERS = {
  '--page': 'pageSize',
  '--ttl': 'cacheTtlMs',
  '--max-message': 'maxMessageBytes',
  '--state-ttl': 'stateTtlMs',
  '--call-timeout': 'callTimeoutMs',
  '--subscriptions': 'maxSubscriptions',
  '--input-timeout': 'inputTimeoutMs',
};
/** Options of --http-option, each as NAME=NUMBER. */
const HTTP_NUMBERS = {
  'max-body': 'maxBodyBytes',
  'body-timeout': 'bodyTimeoutMs',
  'byte-budget': 'byteBudget',
  'keep-alive': 'keepAliveMs',
  'max-calls': 'maxCalls',
  'max-streams': 'maxStreams',
  'max-stream': 'maxStreamMs',
  'stream-queue': 'streamQueueBytes',
  'max-sessions': 'maxSessions',
  'session-idle': 'sessionIdleMs',
  'session-replay': 'sessionReplayBytes',
  retry: 'retryMs',
  threads: 'threads',
  'max-connections': 'maxConnections',
  'header-timeout': 'headerTimeoutMs',
  idle: 'idleMs',
};
const SWITCHES = {
  '--public': { cacheScope: 'public' },
  '--reject-arguments': { invalidArguments: 'reject' },
  '--skip-invalid': { invalidItems: 'skip' },
  '--repair': { repairArguments: true },
  '--formats': { checkFormats: true },
  '--no-identity': { identify: false },
  '--quiet': { answerParseErrors: false },
  '--no-legacy': { legacy: false },
  '--ui': { extensions: { 'io.modelcontextprotocol/ui': {} } },
  '--stdio': {},
};
const LISTS = { tools: ['tools'], resources: ['resources', 'resourceTemplates'], prompts: ['prompts'] };

function load(name) {
  return JSON.parse(readFileSync(new URL(`../../../tests/wire/catalog/${name}.json`, import.meta.url), 'utf8'));
}

/** Takes a capability away, and the items of a kind with it. */
function leaveOut(name, options, without) {
  if (name === 'completions' || name === 'logging') options[name] = false;
  else if (name === 'subscribe') options.subscribe = false;
  else if (name === 'listChanged') options.listChanged = false;
  else {
    for (const list of LISTS[name]) without.add(list);
    if (options.listChanged) options.listChanged[name] = false;
    if (name === 'resources') options.subscribe = false;
  }
}

export function readFlags(words) {
  const options = {
    listChanged: { tools: true, resources: true, prompts: true },
    subscribe: true,
    completions: true,
    logging: true,
  };
  const read = { options, fixture: load('conformance'), without: new Set(), file: undefined, most: Infinity, http: {} };
  const taking = {
    '--catalog': (name) => (read.fixture = load(name)),
    '--catalog-file': (file) => (read.file = file),
    '--without': (name) => leaveOut(name, options, read.without),
    '--empty': (name) => LISTS[name].forEach((list) => read.without.add(list)),
    '--instructions': (text) => (options.instructions = text),
    '--state-key': (key) => (options.stateKeys = [...(options.stateKeys ?? []), key]),
    '--revision': (date) => (options.revisions = [...(options.revisions ?? []), date]),
    '--http': (port) => (read.port = Number(port)),
    '--http-option': (option) => {
      const [name, number] = option.split('=');
      read.http[HTTP_NUMBERS[name]] = Number(number);
    },
    '--sse': (path) => (read.http.ssePath = path),
    '--door': (door) => (read.door = door),
    '--pool': (most) => (read.most = Number(most)),
  };
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at];
    if (word in SWITCHES) Object.assign(options, SWITCHES[word]);
    else if (word in NUMBERS) options[NUMBERS[word]] = Number(words[(at += 1)]);
    else if (word in taking) taking[word](words[(at += 1)]);
    else {
      console.error(`everything: cannot use ${word}`);
      process.exit(2);
    }
  }
  return read;
}
