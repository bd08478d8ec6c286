'use strict';

const { translated } = require('./errors.js');

/** So many keys are remembered; the longest unused is asked for again when it comes back. */
const MOST_KEYS = 1024;

/** The injected catalogs, one a catalog key. */
class Keyed {
  #source;
  #engine;
  /** The first caller of each key, by key, the last used at the end. */
  #callers = new Map();
  /** Keys whose catalog is being asked for. */
  #asking = new Map();

  constructor(source, engine) {
    this.#source = source;
    this.#engine = engine;
  }

  async #ask(caller) {
    const given = typeof this.#source === 'function' ? await this.#source(caller) : this.#source;
    if (given === undefined || given === null) return '{}';
    return typeof given === 'string' ? given : JSON.stringify(given);
  }

  /** The common catalog's document, if anything was injected. */
  async common() {
    return this.#source === undefined ? undefined : this.#ask({ principal: '', catalogKey: '' });
  }

  /** Makes sure that the catalog of a caller is there. */
  async ready(caller) {
    const key = caller?.catalogKey;
    if (!key) return;
    if (this.#callers.delete(key)) {
      this.#callers.set(key, caller);
      return;
    }
    if (!this.#asking.has(key))
      this.#asking.set(
        key,
        this.#first(key, caller).finally(() => this.#asking.delete(key)),
      );
    await this.#asking.get(key);
  }

  async #first(key, caller) {
    this.#engine().setCatalog(key, await this.#ask(caller));
    this.#callers.set(key, caller);
    if (this.#callers.size <= MOST_KEYS) return;
    const [oldest] = this.#callers.keys();
    this.#callers.delete(oldest);
    this.#engine().dropCatalog(oldest);
  }

  /** Asks again, for one key or for all, and publishes. */
  async changed(key) {
    const keys = key === undefined ? ['', ...this.#callers.keys()] : [key];
    for (const one of keys) {
      const caller = this.#callers.get(one) ?? { principal: '', catalogKey: one };
      if (one !== '' && !this.#callers.has(one)) continue;
      if (this.#source !== undefined) this.#engine().setCatalog(one, await this.#ask(caller));
      translated(() => this.#engine().publish(one));
    }
  }

  /** Publishes every key once more, after something was registered. */
  publishAll() {
    for (const key of ['', ...this.#callers.keys()]) translated(() => this.#engine().publish(key));
  }
}

module.exports = { Keyed };
