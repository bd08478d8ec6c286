'use strict';

const { ended } = require('./errors.js');

/** Lets at most `most` handlers run at once; the others wait in order. */
class Limit {
  #free;
  #waiting = [];

  constructor(most) {
    this.#free = most;
  }

  /** Runs `work` when there is room; a call that ends while it waits never runs. */
  async run(call, work) {
    if (this.#free > 0) this.#free -= 1;
    else await this.#turn(call.signal);
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }

  #turn(signal) {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1);
        reject(signal.reason ?? ended('CANCELLED'));
      };
      const enter = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      this.#waiting.push(enter);
      if (signal.aborted) leave();
      else signal.addEventListener('abort', leave, { once: true });
    });
  }
}

module.exports = { Limit };
