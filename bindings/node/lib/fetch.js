'use strict';

const { Exchange } = require('./exchange.js');

const EMPTY = new Set([101, 204, 205, 304]);

/** The headers of a response from flat lines. */
function headersOf(lines) {
  const headers = new Headers();
  for (let at = 0; at < lines.length; at += 2) headers.append(lines[at], lines[at + 1]);
  return headers;
}

/** The request's headers as flat lines; a Request has its host in the url. */
function linesOf(request, host) {
  const lines = [...request.headers].flat();
  return request.headers.has('host') ? lines : ['host', host, ...lines];
}

/** Collects what an exchange says into a Response, which streams if more comes than one body. */
class Answer {
  #resolve;
  #status;
  #headers;
  #stream;

  constructor(resolve) {
    this.#resolve = resolve;
  }

  head(status, lines) {
    this.#status = status;
    this.#headers = headersOf(lines);
  }

  data(text, last, exchange) {
    if (!this.#stream && last) return this.#respond(text);
    this.#stream ??= this.#open(exchange);
    this.#stream.enqueue(Buffer.from(text));
    if (last) this.#stream.close();
    else if (this.#stream.desiredSize <= 0) exchange.pause();
    return undefined;
  }

  end() {
    if (this.#stream) this.#stream.close();
    else this.#respond(null);
  }

  #open(exchange) {
    let controller;
    const body = new ReadableStream(
      {
        start: (given) => {
          controller = given;
        },
        pull: () => exchange.resume(),
        cancel: () => exchange.hangUp(),
      },
      { highWaterMark: 16 },
    );
    this.#respond(body);
    return controller;
  }

  #respond(body) {
    const init = { status: this.#status, headers: this.#headers };
    this.#resolve(new Response(EMPTY.has(this.#status) ? null : body, init));
  }
}

async function send(body, exchange) {
  try {
    if (body) for await (const chunk of body) exchange.body(Buffer.from(chunk));
    exchange.endBody();
  } catch {
    // A body that breaks off is a client that went away.
    exchange.hangUp();
  }
}

/** An endpoint as a function from Request to Response. */
function fetcher(runtime, mounting) {
  return async (request) => {
    const endpoint = await mounting;
    const url = new URL(request.url);
    return new Promise((resolve) => {
      const answer = new Answer(resolve);
      let wants = false;
      let exchange;
      const side = {
        want: () => {
          wants = true;
          if (exchange) send(request.body, exchange);
        },
        head: (status, lines) => answer.head(status, lines),
        data: (text, last) => answer.data(text, last, exchange),
        end: () => answer.end(),
      };
      const head = { method: request.method, url: url.pathname + url.search, lines: linesOf(request, url.host) };
      exchange = new Exchange(runtime, endpoint, head, side);
      const gone = () => {
        exchange.hangUp();
        // Nobody is left to see it; a rejection would only be noise in the web server's log.
        resolve(new Response(null, { status: 499 }));
      };
      request.signal?.addEventListener('abort', gone, { once: true });
      if (wants) send(request.body, exchange);
    });
  };
}

module.exports = { fetcher };
