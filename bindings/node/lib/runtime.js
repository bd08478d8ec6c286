'use strict';

const native = require('./native.js');
const { hold, release } = require('./alive.js');
const { answer, failed } = require('./answer.js');
const { Call, abort } = require('./call.js');
const { nativeCaller } = require('./caller.js');
const { McpError, ToolError, ended, translated } = require('./errors.js');
const { explain } = require('./schema.js');

// The rows of `take`: their kinds and lengths. src/inbox.rs writes them.
const [CALL, CANCELLED, LOG, HAPPENED, RESPONSE, OUTPUT, ENDED, AUTHORIZE, PART] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
/** How often what is due is done for exchanges, in ms. */
const TICK = 500;

/** Lets a runtime be collected although the native side can call it. */
function waker(runtime) {
  const reference = new WeakRef(runtime);
  return () => reference.deref()?.drain();
}

/** The native server and everything that is under way for it. */
class Runtime {
  engine;
  shared;
  #registry;
  #dispatch;
  #middleware = [];
  #onLog;
  #onEvent;
  #gate;
  /** Calls whose handlers have not settled, by number. */
  #calls = new Map();
  /** Calls that ended before their handlers settled; a handler that never does lets go of its call when collected. */
  #late = new FinalizationRegistry((place) => this.engine.forget(place));
  /** What is awaited of the native side, by ticket. */
  #tickets = new Map();
  #nextTicket = 0;
  #connections = new Map();
  /** What takes the parts of an exchange, by place. */
  #exchanges = new Map();
  #ticking;
  /** Sockets that are open. */
  listeners = new Set();
  /** Who answer whether a request may use an endpoint, by number. */
  #askers = [];

  constructor({ registry, dispatch, log, onEvent }) {
    this.#registry = registry;
    this.#dispatch = dispatch;
    this.#onLog = log;
    this.#onEvent = onEvent;
  }

  /** Makes the native server. */
  open(name, version, settings, features, catalog, registered) {
    this.engine = translated(
      () => new native.Engine(name, version, settings, features, catalog, registered, waker(this)),
    );
  }

  /** No handler runs before `promise` is fulfilled. */
  wait(promise) {
    this.#gate = promise.then(() => {
      this.#gate = undefined;
    });
    // Whoever started it is told; calls that wait are told too.
    this.#gate.catch(() => {});
  }

  use(middleware) {
    this.#middleware.push(middleware);
  }

  /** Takes what the native side has for this thread. */
  drain() {
    const rows = this.engine.take();
    for (let at = 0; at < rows.length; ) {
      switch (rows[at]) {
        case CALL:
          this.#call(rows[at + 1], rows[at + 2], rows[at + 3], rows[at + 4], rows[at + 5]);
          at += 6;
          break;
        case CANCELLED:
          this.#cancelled(rows[at + 1], rows[at + 2]);
          at += 3;
          break;
        case LOG:
          this.#told(this.#onLog, rows[at + 1], rows[at + 2]);
          at += 3;
          break;
        case HAPPENED:
          this.#told(this.#onEvent, rows[at + 1]);
          at += 2;
          break;
        case RESPONSE:
          this.#responded(rows[at + 1], rows[at + 2]);
          at += 3;
          break;
        case OUTPUT:
          this.#told(this.#connections.get(rows[at + 1]), rows[at + 2]);
          at += 3;
          break;
        case ENDED:
          this.#finished(rows[at + 1], rows[at + 2], rows[at + 3]);
          at += 4;
          break;
        case AUTHORIZE:
          this.#askers[rows[at + 1]](rows[at + 2], rows[at + 3], rows[at + 4], rows[at + 5]);
          at += 6;
          break;
        case PART:
          this.#exchanges.get(rows[at + 1])?.();
          at += 2;
          break;
        default:
          throw new Error(`mcpcore: a row of kind ${rows[at]}: the native part is of another version`);
      }
    }
  }

  /** Calls a user's function that returns nothing. What it throws is the program's own matter, after this batch. */
  #told(fn, ...words) {
    try {
      fn?.(...words);
    } catch (error) {
      process.nextTick(() => {
        throw error;
      });
    }
  }

  #call(place, number, kind, name, rawArguments) {
    const call = new Call(this.engine, place, number, kind, name, rawArguments, this.shared);
    let item;
    let value;
    let awaited;
    try {
      item = this.#registry.find(call);
      value = this.#gate ? this.#gate.then(() => this.#run(call, item)) : this.#run(call, item);
      // A getter may throw.
      awaited = typeof value?.then === 'function';
    } catch (error) {
      failed(this.engine, call, error);
      return;
    }
    if (!awaited) {
      answer(this.engine, call, value, item ?? this.#short(call));
      return;
    }
    this.#calls.set(number, { call, place });
    const settle = (finish, outcome, as) => {
      if (!this.#calls.delete(number)) this.#late.unregister(call);
      finish(this.engine, call, outcome, as);
    };
    // `then` runs in a later turn: a throwing getter or a foreign thenable is caught there.
    Promise.resolve(value).then(
      (result) => settle(answer, result, item ?? this.#short(call)),
      (error) => settle(failed, error),
    );
  }

  /** Completions have no item, but return in the short forms. */
  #short(call) {
    return call.kind === 'completion' && this.#registry.completion(call) ? {} : undefined;
  }

  #run(call, item) {
    const chain = this.#middleware;
    if (chain.length === 0) return this.#handle(call, item);
    const step = (index) => {
      if (index === chain.length) return this.#handle(call, item);
      return chain[index](call, async () => step(index + 1));
    };
    return step(0);
  }

  #handle(call, item) {
    if (!item) return this.#unregistered(call);
    if (item.limit) return item.limit.run(call, () => this.#invoke(call, item));
    return this.#invoke(call, item);
  }

  #invoke(call, item) {
    if (call.kind === 'resource') return item.handler(call.variables, call);
    if (!item.parse) return item.handler(call.arguments, call);
    const parsed = item.parse(call.arguments);
    const go = ({ value, issues }) => {
      if (issues) throw new ToolError(explain(issues));
      return item.handler(value, call);
    };
    return parsed instanceof Promise ? parsed.then(go) : go(parsed);
  }

  #unregistered(call) {
    if (call.kind === 'completion') {
      const complete = this.#registry.completion(call);
      if (complete) return complete(call.arguments.argument.value, call);
    }
    if (this.#dispatch) return this.#dispatch(call);
    if (call.kind === 'completion') return [];
    throw new Error(`no handler is registered for the ${call.kind} ${JSON.stringify(call.name)}`);
  }

  #cancelled(number, code) {
    const open = this.#calls.get(number);
    if (!open) return;
    this.#calls.delete(number);
    // Held only by its handler from here on: when that never settles, the call is collected and given back.
    this.#late.register(open.call, open.place, open.call);
    abort(open.call, code);
  }

  /** A promise that the native side settles, and the ticket for it. The thread stays alive meanwhile. */
  expect(start) {
    const ticket = (this.#nextTicket = (this.#nextTicket + 1) >>> 0);
    return new Promise((resolve, reject) => {
      hold(this);
      this.#tickets.set(ticket, { resolve, reject, timer: undefined, cleanup: undefined });
      try {
        translated(() => start(ticket, this.#tickets.get(ticket)));
      } catch (error) {
        this.#close(ticket);
        reject(error);
      }
    });
  }

  #close(ticket) {
    const open = this.#tickets.get(ticket);
    if (!open) return undefined;
    this.#tickets.delete(ticket);
    clearTimeout(open.timer);
    open.cleanup?.();
    release(this);
    return open;
  }

  #responded(ticket, text) {
    const open = this.#close(ticket);
    if (!open) return;
    this.engine.settled(ticket);
    open.resolve(text);
  }

  #finished(ticket, code, message) {
    const open = this.#close(ticket);
    if (!open) return;
    if (code === null) open.resolve();
    else open.reject(new McpError(code, message));
  }

  /** One message in, its response out. */
  handle(message, { caller, timeoutMs = 0, signal } = {}) {
    const who = nativeCaller(caller);
    return this.expect((ticket, open) => {
      if (signal?.aborted) throw signal.reason;
      const own = this.engine.begin(ticket, message, who);
      if (own === null) return;
      const cancel = (error) => {
        this.engine.cancel(ticket, false);
        this.#close(ticket)?.reject(error);
      };
      if (own >= 0 && (timeoutMs === 0 || own <= timeoutMs)) {
        open.timer = setTimeout(() => this.engine.timeOut(ticket), own);
      } else if (timeoutMs > 0) {
        open.timer = setTimeout(() => cancel(ended('TIMEOUT')), timeoutMs);
      }
      if (!signal) return;
      const abandon = () => cancel(signal.reason);
      signal.addEventListener('abort', abandon, { once: true });
      open.cleanup = () => signal.removeEventListener('abort', abandon);
    });
  }

  /** Opens a door that ends by itself or with `stop`. */
  serve(start) {
    return this.expect((ticket, open) => {
      open.door = true;
      start(ticket);
    });
  }

  /** Ends everything. Messages that are still being answered by then are given up. */
  async stop(timeoutMs) {
    try {
      await this.serve((ticket) => this.engine.stop(ticket, timeoutMs));
    } catch (error) {
      // That calls had to be cancelled is what the time-out is for.
      if (error.code !== 'TIMEOUT') throw error;
    }
    await Promise.allSettled([...this.listeners].map((listener) => listener.close({ timeoutMs: 0 })));
    for (const [ticket, { door }] of [...this.#tickets]) {
      if (door) continue;
      this.engine.cancel(ticket, true);
      this.#close(ticket)?.reject(ended('STOPPED'));
    }
  }

  /** Keeps a function that answers who may use an endpoint; its number. */
  asker(ask) {
    return this.#askers.push(ask) - 1;
  }

  /** Calls `pull` whenever an exchange has parts; keeps time for all of them. */
  watch(place, pull) {
    this.#exchanges.set(place, pull);
    this.#ticking ??= setInterval(() => this.#tick(), TICK).unref();
  }

  unwatch(place) {
    this.#exchanges.delete(place);
  }

  #tick() {
    this.engine.tickExchanges();
    if (this.#exchanges.size > 0) return;
    clearInterval(this.#ticking);
    this.#ticking = undefined;
  }

  /** A line for the log of the server. */
  report(level, text) {
    if (this.#onLog) this.#told(this.#onLog, level, text);
    else process.stderr.write(`mcpcore: ${level}: ${text}\n`);
  }

  /** Opens a connection whose lines go to `output`. */
  connect(caller, output) {
    const number = (this.#nextTicket = (this.#nextTicket + 1) >>> 0);
    translated(() => this.engine.connect(number, nativeCaller(caller)));
    let timer;
    const watch = () => {
      clearTimeout(timer);
      const due = this.engine.nextDeadline(number);
      if (due !== null) {
        timer = setTimeout(() => {
          this.engine.tick(number);
          watch();
        }, due).unref();
      }
    };
    this.#connections.set(number, output);
    return {
      receive: (text) => {
        translated(() => this.engine.receive(number, text));
        watch();
      },
      hold: () => hold(this),
      release: () => release(this),
      close: () => {
        clearTimeout(timer);
        if (this.#connections.delete(number)) this.engine.disconnect(number);
      },
    };
  }
}

module.exports = { Runtime };
