'use strict';

const { hold, release } = require('./alive.js');
const { nativeCaller } = require('./caller.js');
const { McpError, Refusal, translated } = require('./errors.js');

const SETTINGS = [
  'path',
  'hosts',
  'maxBodyBytes',
  'bodyTimeoutMs',
  'byteBudget',
  'maxCalls',
  'maxStreams',
  'maxStreamMs',
  'streamQueueBytes',
  'keepAliveMs',
  'reauthorizeMs',
  'reauthorizeOnDelivery',
  'resourceMetadata',
  'realm',
  'callHeaders',
  'sessions',
  'maxSessions',
  'sessionIdleMs',
  'sessionReplayBytes',
  'retryMs',
  'ssePath',
];
const SOCKETS = ['threads', 'maxConnections', 'headerTimeoutMs', 'idleMs'];
const WHERE = ['port', 'host', 'addresses'];
const ADMISSION = ['authorize', 'allowedOrigins', 'sessionStore'];
const STORE = ['save', 'load', 'delete'];

const pick = (from, names) => Object.fromEntries(names.map((name) => [name, from[name]]));

function fault(message) {
  throw new McpError('INVALID_ARGUMENT', message);
}

/** Who everyone is, unless somebody is asked. */
function anyone(authorize, door) {
  if (typeof authorize === 'function') return undefined;
  if (authorize === 'anyone') return {};
  if (typeof authorize === 'object' && authorize !== null) return nativeCaller(authorize);
  return fault(`${door}: authorize: say who may use the endpoint: a function, a caller, or 'anyone'`);
}

function origins(allowed, door) {
  if (allowed === 'any') return undefined;
  if (typeof allowed === 'string') return [allowed];
  if (Array.isArray(allowed)) return allowed;
  return fault(`${door}: allowedOrigins: say which pages may use the endpoint: a list, 'loopback', or 'any'`);
}

function checkedStore(store, door) {
  if (store !== undefined && !STORE.every((name) => typeof store?.[name] === 'function')) {
    fault(`${door}: sessionStore: must have the functions ${STORE.join(', ')}`);
  }
  return store;
}

/** The options of an HTTP door, checked and sorted. */
function sort(options, door) {
  const known = new Set([...SETTINGS, ...ADMISSION, ...(door === 'listen' ? [...SOCKETS, ...WHERE] : [])]);
  const unknown = Object.keys(options).filter((name) => !known.has(name));
  if (unknown.length > 0) fault(`${door}: unknown option ${unknown.join(', ')}`);
  const settings = pick(options, SETTINGS);
  if (settings.resourceMetadata) settings.resourceMetadata = JSON.stringify(settings.resourceMetadata);
  const { authorize, allowedOrigins, sessionStore, port = 0, host = '127.0.0.1', addresses } = options;
  return {
    settings,
    sockets: pick(options, SOCKETS),
    admission: { anyone: anyone(authorize, door), origins: origins(allowedOrigins, door) },
    authorize: typeof authorize === 'function' ? authorize : undefined,
    store: checkedStore(sessionStore, door),
    addresses: addresses ?? [`${host.includes(':') ? `[${host}]` : host}:${port}`],
  };
}

/** A request that wants in, as `authorize` sees it. */
class Question {
  #engine;
  #place;

  constructor(engine, place, method, path, peer) {
    this.#engine = engine;
    this.#place = place;
    this.method = method;
    this.path = path;
    this.peer = peer === '' ? undefined : peer;
  }

  /** A header; several values are joined with ", ". */
  header(name) {
    return this.#engine.questionHeader(this.#place, name) ?? undefined;
  }

  /** The token of an `Authorization: Bearer` header. */
  get bearer() {
    return /^Bearer +(\S+) *$/i.exec(this.header('authorization') ?? '')?.[1];
  }
}

/** Answers questions with a user's function. */
function asking(runtime, authorize, catalogs) {
  const { engine } = runtime;
  const settle = async (place, answer) => {
    const caller = await answer;
    if (caller instanceof Refusal) throw caller;
    if (!caller) throw Refusal.unauthorized();
    await catalogs.ready(caller);
    translated(() => engine.allow(place, nativeCaller(caller)));
  };
  const refuse = (place, error) => {
    if (error instanceof Refusal) {
      const { status, scope, error: code, description, reason } = error;
      engine.refuse(place, { status, scope, error: code, description, reason });
      return;
    }
    runtime.report('error', `authorize failed: ${error?.stack ?? error}`);
    engine.forgetQuestion(place);
  };
  return async (place, method, path, peer) => {
    try {
      await settle(place, authorize(new Question(engine, place, method, path, peer)));
    } catch (error) {
      refuse(place, error);
    }
  };
}

/** Has a user's store do what it is asked. */
function keeping({ engine }, store) {
  // The wishes have the numbers of src/inbox.rs.
  const wishes = [
    async (id) => {
      const found = (await store.load(id)) ?? null;
      if (found !== null && typeof found !== 'string') throw new TypeError('load must give a text, or nothing');
      return found;
    },
    async (id, session, ttlMs) => void (await store.save(id, session, ttlMs || undefined)),
    async (id) => void (await store.delete(id)),
  ];
  return async (place, id, wish, session, ttlMs) => {
    try {
      engine.kept(place, null, (await wishes[wish](id, session, ttlMs)) ?? null);
    } catch (error) {
      engine.kept(place, String(error?.stack ?? error), null);
    }
  };
}

/** What the native side is told of who may use an endpoint. */
function admit(runtime, { admission, authorize, store }, catalogs) {
  const asker = authorize ? runtime.asker(asking(runtime, authorize, catalogs)) : 0;
  const keeper = store && runtime.keeper(keeping(runtime, store));
  return { ...admission, asker, keeper };
}

/** Makes an endpoint for a web server of the user's own. */
function mount(runtime, sorted, catalogs) {
  return translated(() => runtime.engine.mount(sorted.settings, admit(runtime, sorted, catalogs)));
}

/** A socket of one's own. */
class Listener {
  #runtime;
  #number;
  #over;

  constructor(runtime, { listener, port, addresses }, path) {
    this.#runtime = runtime;
    this.#number = listener;
    this.port = port;
    this.addresses = addresses;
    const network = addresses.find((address) => !address.startsWith('unix:'));
    this.url = network && `http://${network}${path}`;
    hold(runtime);
    runtime.listeners.add(this);
  }

  /** Takes no more requests; those in flight have `timeoutMs` to be answered. */
  close({ timeoutMs = 5000 } = {}) {
    return (this.#over ??= this.#close(timeoutMs));
  }

  async #close(timeoutMs) {
    const runtime = this.#runtime;
    try {
      await runtime.serve((ticket) => runtime.engine.stopListening(ticket, this.#number, timeoutMs));
    } finally {
      runtime.listeners.delete(this);
      release(runtime);
    }
  }

  async [Symbol.asyncDispose]() {
    await this.close();
  }
}

/** Listens on sockets of its own. */
function listen(runtime, sorted, catalogs) {
  const { addresses, sockets, settings } = sorted;
  const admission = admit(runtime, sorted, catalogs);
  const bound = translated(() => runtime.engine.listen(addresses, sockets, settings, admission));
  return new Listener(runtime, bound, settings.path ?? '/mcp');
}

module.exports = { listen, mount, sort };
