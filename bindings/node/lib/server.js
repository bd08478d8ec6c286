'use strict';

const { McpError } = require('./errors.js');
const { Client } = require('./client.js');
const { Registry, tool, resource, prompt } = require('./registry.js');
const { Runtime } = require('./runtime.js');
const { Keyed } = require('./keyed.js');
const { read } = require('./options.js');
const { listen, mount, sort } = require('./http.js');
const { handler } = require('./handler.js');
const { fetcher } = require('./fetch.js');

/** An MCP server. See index.d.ts. */
class Server {
  #options;
  #registry = new Registry();
  #runtime;
  #catalogs;
  #started;
  #closed;
  #ready = false;
  /** How to take back what a `change` under way did so far. */
  #undone;
  #dispose;
  #fetch;

  constructor(options) {
    this.#options = read(options);
    this.#catalogs = new Keyed(this.#options.catalog, () => this.#runtime.engine);
    this.#runtime = new Runtime(this.#registry, this.#options);
  }

  /** Registers a tool. */
  tool(definition, handler) {
    return this.#register(tool(definition, handler));
  }

  /** Registers a resource or a resource template. */
  resource(definition, handler) {
    return this.#register(resource(definition, handler));
  }

  /** Registers a prompt. */
  prompt(definition, handler) {
    return this.#register(prompt(definition, handler));
  }

  /** Registers a completion for an argument of a prompt or a variable of a template. */
  completion({ prompt: name, uriTemplate, argument }, handler) {
    this.#registry.complete(name ?? uriTemplate, argument, handler);
    return this;
  }

  /** Runs a function round every call. */
  middleware(fn) {
    if (typeof fn !== 'function') throw new McpError('INVALID_ARGUMENT', 'middleware: must be a function');
    this.#runtime.dispatcher.use(fn);
    return this;
  }

  #register(item) {
    this.#registry.add(item);
    this.#publish(() => this.#registry.remove(item));
    return {
      definition: item.definition,
      remove: () => {
        const gone = this.#registry.remove(item);
        if (gone) this.#publish(() => this.#registry.add(item));
        return gone;
      },
    };
  }

  /** Makes several changes of what is registered, and publishes them at once: all of them, or none. */
  change(work) {
    if (this.#undone) return work();
    this.#undone = [];
    try {
      const outcome = work();
      const steps = this.#undone;
      this.#undone = undefined;
      this.#publish(() => steps.reverse().forEach((step) => step()));
      return outcome;
    } catch (error) {
      this.#undone?.reverse().forEach((step) => step());
      this.#undone = undefined;
      throw error;
    }
  }

  /** Publishes what is registered, if the server has begun; on an error `undo` takes it back. */
  #publish(undo) {
    if (this.#undone) return void this.#undone.push(undo);
    const { engine } = this.#runtime;
    if (!engine) return undefined;
    try {
      engine.setRegistered(this.#registry.document());
      this.#catalogs.publishAll();
    } catch (error) {
      undo();
      engine.setRegistered(this.#registry.document());
      throw error;
    }
    return undefined;
  }

  /** Checks everything and builds the catalog; the doors do it by themselves. */
  async start() {
    if (this.#closed) throw new McpError('CLOSED', 'the server was closed');
    await (this.#started ??= this.#start());
    this.#ready = true;
    return this;
  }

  async #start() {
    const { name, version, settings, lifespan } = this.#options;
    const catalog = await this.#catalogs.common();
    const features = this.#options.features(this.#registry, catalog);
    this.#runtime.open(name, version, settings, features, catalog, this.#registry.document());
    if (!lifespan) return;
    // No door is open yet, so no handler runs before.
    const shared = await lifespan(this);
    this.#runtime.dispatcher.shared = shared;
    this.#dispose = shared?.[Symbol.asyncDispose] ?? shared?.[Symbol.dispose];
  }

  /** Serves standard input and output until the input ends. */
  async serveStdio() {
    await this.start();
    try {
      await this.#runtime.serve((ticket) => this.#runtime.engine.serveStdio(ticket));
    } finally {
      await this.#end();
    }
  }

  /** Serves HTTP on a socket of its own, on threads of its own. */
  async listen(options) {
    const sorted = sort({ ...this.#options.http, ...options }, 'listen');
    await this.start();
    return listen(this.#runtime, sorted, this.#catalogs);
  }

  /** An endpoint for a web server of node:http's kind: a function of (req, res). */
  handler(options) {
    return handler(this.#runtime, this.#mount(options, 'handler'));
  }

  /** An endpoint for web servers that are a function from Request to Response; needs the option `http`. */
  fetch = (request) => {
    this.#fetch ??= fetcher(this.#runtime, this.#mount({}, 'fetch'));
    return this.#fetch(request);
  };

  #mount(options, door) {
    const sorted = sort({ ...this.#options.http, ...options }, door);
    return this.start().then(() => mount(this.#runtime, sorted, this.#catalogs));
  }

  /** One message in, its response out; null for a notification. */
  async handle(message, options) {
    if (!this.#ready) await this.start();
    await this.#catalogs.ready(options?.caller);
    return this.#runtime.handle(message, options);
  }

  /** A client in this process, for tests. */
  async client(options) {
    await this.start();
    await this.#catalogs.ready(options?.caller);
    return new Client((output) => this.#runtime.connect(options?.caller, output), options);
  }

  /** Tells subscribers of a resource that it changed. */
  resourceUpdated(uri) {
    this.#runtime.engine?.resourceUpdated(uri);
  }

  /** Asks the injected catalog anew and publishes it, for one catalog key or for all. */
  async catalogChanged(key) {
    await this.start();
    await this.#catalogs.changed(key);
  }

  /** Ends the subscriptions of a principal or owner key. */
  revoke(ownerKey) {
    this.#runtime.engine?.revoke(ownerKey);
  }

  /** Counters. */
  get stats() {
    return this.#runtime.engine ? JSON.parse(this.#runtime.engine.stats()) : {};
  }

  /** Ends every door: calls in flight have `timeoutMs` to end. */
  async close({ timeoutMs = 5000 } = {}) {
    this.#ready = false;
    await (this.#closed ??= this.#close(timeoutMs));
  }

  async #close(timeoutMs) {
    await this.#started?.catch(() => {});
    if (this.#runtime.engine) {
      await this.#runtime.stop(timeoutMs);
      await this.#end();
    }
  }

  /** What the handlers shared is given back, once. */
  async #end() {
    const [dispose, shared] = [this.#dispose, this.#runtime.dispatcher.shared];
    this.#dispose = undefined;
    await dispose?.call(shared);
  }

  async [Symbol.asyncDispose]() {
    await this.close();
  }
}

module.exports = { Server };
