'use strict';

const { hold, release } = require('./alive.js');
const { translated } = require('./errors.js');

/** What is awaited of the native side. The thread stays alive meanwhile. */
class Tickets {
  #owner;
  #open = new Map();
  #last = 0;

  constructor(owner) {
    this.#owner = owner;
  }

  /** A number that nothing open has. */
  next() {
    this.#last = (this.#last + 1) >>> 0;
    return this.#last;
  }

  /** A promise that the native side settles. `start` gets its number, and the record, which it may add to. */
  expect(start) {
    const number = this.next();
    return new Promise((resolve, reject) => {
      hold(this.#owner);
      const record = { resolve, reject, timer: undefined, cleanup: undefined, isDoor: false };
      this.#open.set(number, record);
      try {
        translated(() => start(number, record));
      } catch (error) {
        this.take(number);
        reject(error);
      }
    });
  }

  /** The record of a number that is settled now; none where it was before. */
  take(number) {
    const record = this.#open.get(number);
    if (!record) return undefined;
    this.#open.delete(number);
    clearTimeout(record.timer);
    record.cleanup?.();
    release(this.#owner);
    return record;
  }

  /** Numbers of messages that wait for their answer. */
  get messages() {
    return [...this.#open].filter(([, { isDoor }]) => !isDoor).map(([number]) => number);
  }
}

module.exports = { Tickets };
