'use strict';

const { McpError } = require('./errors.js');

const SETTINGS = [
  'instructions',
  'maxCalls',
  'callTimeoutMs',
  'pageSize',
  'maxMessageBytes',
  'maxResultBytes',
  'maxStateBytes',
  'maxSubscriptions',
  'maxSubscriptionUris',
  'invalidItems',
  'invalidArguments',
  'missingScope',
  'repairArguments',
  'checkFormats',
  'cacheTtlMs',
  'cacheScope',
  'stateKeys',
  'stateTtlMs',
  'identify',
  'answerParseErrors',
  'drainMs',
  'legacy',
  'revisions',
  'inputTimeoutMs',
];
const INFO = ['title', 'description', 'websiteUrl', 'icons'];
const OTHERS = [
  'name',
  'version',
  'catalog',
  'dispatch',
  'lifespan',
  'listChanged',
  'subscribe',
  'completions',
  'logging',
  'extensions',
  'experimental',
  'log',
  'logLevel',
  'onEvent',
  'http',
];
const KNOWN = new Set([...SETTINGS, ...INFO, ...OTHERS]);

function check(options) {
  if (typeof options !== 'object' || options === null) {
    throw new McpError('INVALID_ARGUMENT', 'new Server: give an object with at least `name` and `version`');
  }
  const unknown = Object.keys(options).filter((key) => !KNOWN.has(key));
  if (unknown.length > 0) throw new McpError('INVALID_ARGUMENT', `new Server: unknown option ${unknown.join(', ')}`);
  for (const name of ['dispatch', 'lifespan', 'log', 'onEvent']) {
    if (options[name] !== undefined && typeof options[name] !== 'function') {
      throw new McpError('INVALID_ARGUMENT', `${name}: must be a function`);
    }
  }
}

function pick(options, names) {
  return Object.fromEntries(names.filter((name) => options[name] !== undefined).map((name) => [name, options[name]]));
}

const text = (value) => (value === undefined ? undefined : JSON.stringify(value));
const key = (given) => (typeof given === 'string' ? Buffer.from(given, 'base64') : Buffer.from(given));

/** Which lists are said to change: what was said, or what can. */
function changing(options, registry, catalog) {
  const said = options.listChanged;
  if (typeof said === 'object') return (kind) => Boolean(said[kind]);
  if (typeof said === 'boolean') return () => said;
  const document = typeof options.catalog === 'function' ? JSON.parse(catalog) : {};
  const injected = (...lists) => lists.some((list) => document[list]?.length > 0);
  return (kind) => {
    const lists = kind === 'resources' ? ['resources', 'resourceTemplates'] : [kind];
    return registry.has(...lists) || injected(...lists);
  };
}

/** The options of a server, checked and sorted. */
function read(options) {
  check(options);
  const settings = pick(options, SETTINGS);
  if (settings.stateKeys) settings.stateKeys = settings.stateKeys.map(key);
  const info = pick(options, INFO);
  const features = (registry, catalog) => {
    const changes = changing(options, registry, catalog);
    return {
      info: Object.keys(info).length > 0 ? text(info) : undefined,
      extensions: text(options.extensions),
      experimental: text(options.experimental),
      toolsListChanged: changes('tools'),
      resourcesListChanged: changes('resources'),
      promptsListChanged: changes('prompts'),
      subscribe: options.subscribe ?? false,
      completions: options.completions ?? registry.completes,
      logging: options.logging ?? true,
      events: options.onEvent !== undefined,
      logLevel: options.log ? (options.logLevel ?? 'info') : undefined,
      calls: true,
    };
  };
  const { name = '', version = '', catalog, dispatch, lifespan, log, onEvent, http } = options;
  return { name, version, settings, features, catalog, dispatch, lifespan, log, onEvent, http };
}

module.exports = { read };
