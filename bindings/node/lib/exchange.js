'use strict';

// The parts of an exchange; src/exchange.rs writes them.
const [WANT, HEAD, DATA, END] = [0, 1, 2, 3];

/** One request at an endpoint. A web server's side is `answer`: want, head(status, lines), data(text, last), end. */
class Exchange {
  #runtime;
  #place;
  #answer;
  #held;
  #paused = false;
  #over = false;

  constructor(runtime, endpoint, { method, url, lines, address, port }, answer) {
    this.#runtime = runtime;
    this.#answer = answer;
    const rows = runtime.engine.beginExchange(endpoint, method, url, lines.join('\n'), address, port);
    this.#place = rows[0];
    runtime.watch(this.#place, () => this.#pull());
    this.#apply(rows, 1);
  }

  #pull() {
    if (!this.#paused && !this.#over) this.#apply(this.#runtime.engine.pull(this.#place), 0);
  }

  #apply(rows, from) {
    for (let at = from; at < rows.length;) {
      switch (rows[at]) {
        case WANT:
          this.#answer.want();
          at += 2;
          break;
        case HEAD: {
          const end = at + 3 + 2 * rows[at + 2];
          this.#answer.head(rows[at + 1], rows.slice(at + 3, end));
          at = end;
          break;
        }
        case DATA: {
          const last = rows[at + 1] === 1;
          if (last) this.#end();
          this.#answer.data(rows[at + 2], last);
          at += 3;
          break;
        }
        case END:
          this.#end();
          this.#answer.end();
          at += 1;
          break;
        default:
          throw new Error(`mcpcore: a part of kind ${rows[at]}: the native part is of another version`);
      }
    }
  }

  #end() {
    this.#over = true;
    this.#runtime.unwatch(this.#place);
  }

  /** Bytes of the body. The last ones cross the border together with the end. */
  body(chunk) {
    if (this.#over) return;
    if (this.#held) this.#runtime.engine.pushBody(this.#place, this.#held);
    this.#held = chunk;
  }

  endBody() {
    if (!this.#over) this.#apply(this.#runtime.engine.endBody(this.#place, this.#held), 0);
    this.#held = undefined;
  }

  /** The client takes no more for now. */
  pause() {
    this.#paused = true;
  }

  resume() {
    this.#paused = false;
    this.#pull();
  }

  /** The client is gone. */
  hangUp() {
    if (this.#over) return;
    this.#end();
    this.#runtime.engine.hangUp(this.#place);
  }
}

module.exports = { Exchange };
