'use strict';

const native = require('./native.js');
const { hold, release } = require('./alive.js');
const { nativeCaller } = require('./caller.js');
const { Dispatcher } = require('./dispatcher.js');
const { McpError, ended, translated } = require('./errors.js');
const { Tickets } = require('./tickets.js');

// The rows of `take`: their kinds. src/inbox.rs writes them.
const [CALL, CANCELLED, LOG, HAPPENED, RESPONSE, OUTPUT, ENDED, AUTHORIZE, PART, KEEP] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
/** How often what is due is done for exchanges, in ms. */
const TICK = 500;
/** The longest time that a timer can be set to, in ms. */
const LONGEST = 2 ** 31 - 1;

/** Lets a runtime be collected although the native side can call it. */
function waker(runtime) {
  const reference = new WeakRef(runtime);
  return () => reference.deref()?.drain();
}

/** The native server, and who gets what it has for this thread. */
class Runtime {
  engine;
  dispatcher;
  /** Sockets that are open. */
  listeners = new Set();
  #onLog;
  #onEvent;
  #tickets = new Tickets(this);
  #connections = new Map();
  /** Who answer whether a request may use an endpoint, by number. */
  #askers = [];
  /** Who keep sessions, by number. */
  #keepers = [];
  /** What takes the parts of an exchange, by place. */
  #exchanges = new Map();
  #ticking;
  #later;

  constructor(registry, { dispatch, log, onEvent }) {
    this.dispatcher = new Dispatcher(registry, dispatch);
    this.#onLog = log;
    this.#onEvent = onEvent;
  }

  /** Makes the native server. */
  open(name, version, settings, features, catalog, registered) {
    this.engine = translated(
      () => new native.Engine(name, version, settings, features, catalog, registered, waker(this)),
    );
    this.dispatcher.begin(this.engine);
  }

  /** Takes what the native side has for this thread. */
  drain() {
    const rows = this.engine.take();
    for (let at = 0; at < rows.length;) at += this.#row(rows, at);
  }

  /** Handles one row, and says how long it is. */
  #row(rows, at) {
    switch (rows[at]) {
      case CALL:
        this.dispatcher.call(rows[at + 1], rows[at + 2], rows[at + 3], rows[at + 4], rows[at + 5]);
        return 6;
      case CANCELLED:
        this.dispatcher.cancelled(rows[at + 1], rows[at + 2]);
        return 3;
      case LOG:
        this.#tell(this.#onLog, rows[at + 1], rows[at + 2]);
        return 3;
      case HAPPENED:
        this.#tell(this.#onEvent, rows[at + 1]);
        return 2;
      case RESPONSE:
        this.#responded(rows[at + 1], rows[at + 2]);
        return 3;
      case OUTPUT:
        this.#tell(this.#connections.get(rows[at + 1]), rows[at + 2]);
        return 3;
      case ENDED:
        this.#finished(rows[at + 1], rows[at + 2], rows[at + 3]);
        return 4;
      case AUTHORIZE:
        this.#askers[rows[at + 1]](rows[at + 2], rows[at + 3], rows[at + 4], rows[at + 5]);
        return 6;
      case KEEP:
        this.#keepers[rows[at + 1]](rows[at + 2], rows[at + 3], rows[at + 4], rows[at + 5], rows[at + 6]);
        return 7;
      case PART:
        this.#tell(this.#exchanges.get(rows[at + 1]));
        return 2;
      default:
        throw new Error(`mcpcore: a row of kind ${rows[at]}: the native part is of another version`);
    }
  }

  /** Calls a function that returns nothing. What it throws is the program's own matter, after this batch. */
  #tell(fn, ...words) {
    try {
      fn?.(...words);
    } catch (error) {
      process.nextTick(() => {
        throw error;
      });
    }
  }

  #responded(ticket, text) {
    this.engine.settled(ticket);
    this.#tickets.take(ticket)?.resolve(text);
  }

  #finished(ticket, code, message) {
    const open = this.#tickets.take(ticket);
    if (code === null) open?.resolve();
    else open?.reject(new McpError(code, message));
  }

  /** One message in, its response out. */
  handle(message, { caller, timeoutMs = 0, signal } = {}) {
    const who = nativeCaller(caller);
    return this.#tickets.expect((ticket, open) => {
      if (signal?.aborted) throw signal.reason;
      const own = this.engine.begin(ticket, message, who);
      if (own === null) return;
      const cancel = (error) => {
        this.engine.cancel(ticket, false);
        this.#tickets.take(ticket)?.reject(error);
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
    return this.#tickets.expect((ticket, open) => {
      open.isDoor = true;
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
    for (const ticket of this.#tickets.messages) {
      this.engine.cancel(ticket, true);
      this.#tickets.take(ticket)?.reject(ended('STOPPED'));
    }
  }

  /** Opens a connection whose lines go to `output`. */
  connect(caller, output) {
    const number = this.#tickets.next();
    translated(() => this.engine.connect(number, nativeCaller(caller)));
    let timer;
    const watch = () => {
      clearTimeout(timer);
      const due = this.engine.nextDeadline(number);
      if (due === null) return;
      const tick = () => {
        this.engine.tick(number);
        watch();
      };
      timer = setTimeout(tick, due).unref();
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

  /** Keeps a function that answers who may use an endpoint; its number. */
  asker(ask) {
    return this.#askers.push(ask) - 1;
  }

  /** Keeps a function that has a store of sessions asked; its number. */
  keeper(keep) {
    return this.#keepers.push(keep) - 1;
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
    clearTimeout(this.#later);
    const due = this.engine.tickExchanges();
    if (this.#exchanges.size > 0) return;
    clearInterval(this.#ticking);
    this.#ticking = undefined;
    // Sessions end whether or not another request comes.
    const me = new WeakRef(this);
    if (due !== null) this.#later = setTimeout(() => me.deref()?.#tick(), Math.min(due + 1, LONGEST)).unref();
  }

  /** A line for the log of the server. */
  report(level, text) {
    if (this.#onLog) this.#tell(this.#onLog, level, text);
    else process.stderr.write(`mcpcore: ${level}: ${text}\n`);
  }
}

module.exports = { Runtime };
