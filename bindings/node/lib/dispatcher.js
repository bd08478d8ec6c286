'use strict';

const { answer, failed } = require('./answer.js');
const { Call, abort } = require('./call.js');
const { ToolError } = require('./errors.js');
const { explain } = require('./schema.js');

/** Brings calls to their handlers, and what these give back to the engine. */
class Dispatcher {
  /** What the handlers share. */
  shared;
  #engine;
  #registry;
  #dispatch;
  #middleware = [];
  #giving = false;
  /** Calls whose handlers have not settled, by number. */
  #open = new Map();
  /** Calls that ended before their handlers settled; a handler that never does gives its call back when collected. */
  #late = new FinalizationRegistry((place) => this.#engine.forget(place));

  constructor(registry, dispatch) {
    this.#registry = registry;
    this.#dispatch = dispatch;
  }

  begin(engine) {
    this.#engine = engine;
  }

  use(middleware) {
    this.#middleware.push(middleware);
  }

  /** One call, as the native side describes it. */
  call(place, number, kind, name, rawArguments) {
    const engine = this.#engine;
    const call = new Call(engine, place, number, kind, name, rawArguments, this.shared);
    let item;
    let value;
    let awaited;
    try {
      item = this.#registry.find(call);
      value = this.#run(call, item);
      // A getter may throw.
      awaited = typeof value?.then === 'function';
    } catch (error) {
      this.#give(() => failed(engine, call, error));
      return;
    }
    if (!awaited) {
      this.#give(() => answer(engine, call, value, item));
      return;
    }
    this.#open.set(number, { call, place });
    // `then` runs in a later turn: a throwing getter or a foreign thenable is caught there.
    Promise.resolve(value).then(
      (result) => this.#settle(call, () => answer(engine, call, result, item)),
      (error) => this.#settle(call, () => failed(engine, call, error)),
    );
  }

  #settle(call, finish) {
    if (!this.#open.delete(call.number)) this.#late.unregister(call);
    this.#give(finish);
  }

  /** Answers of one turn are given together, once its microtasks have run. */
  #give(finish) {
    finish();
    if (this.#giving) return;
    this.#giving = true;
    process.nextTick(() => {
      this.#giving = false;
      this.#engine.flush();
    });
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
    if (call.kind === 'completion') return item.handler(call.arguments.argument.value, call);
    if (!item.parse) return item.handler(call.arguments, call);
    const parsed = item.parse(call.arguments);
    const go = ({ value, issues }) => {
      if (issues) throw new ToolError(explain(issues));
      return item.handler(value, call);
    };
    return parsed instanceof Promise ? parsed.then(go) : go(parsed);
  }

  #unregistered(call) {
    if (this.#dispatch) return this.#dispatch(call);
    if (call.kind === 'completion') return [];
    throw new Error(`no handler is registered for the ${call.kind} ${JSON.stringify(call.name)}`);
  }

  /** A call ended without its answer. */
  cancelled(number, code) {
    const open = this.#open.get(number);
    if (!open) return;
    this.#open.delete(number);
    // Held only by its handler from here on.
    this.#late.register(open.call, open.place, open.call);
    abort(open.call, code);
  }
}

module.exports = { Dispatcher };
