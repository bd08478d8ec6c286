'use strict';

const { Exchange } = require('./exchange.js');

/** A body that somebody has read before: Express's json(), Fastify. */
function parsed(req) {
  if (req.body === undefined || !req.readableEnded) return undefined;
  if (typeof req.body === 'string' || req.body instanceof Uint8Array) return Buffer.from(req.body);
  return Buffer.from(JSON.stringify(req.body));
}

function read(req, exchange) {
  const ready = parsed(req);
  if (ready) {
    exchange.body(ready);
    exchange.endBody();
    return;
  }
  req.on('data', (chunk) => exchange.body(chunk));
  req.on('end', () => exchange.endBody());
}

/** An endpoint as a function of (req, res), as node:http, Express and Connect call it. */
function handler(runtime, mounting) {
  let endpoint;
  const ready = mounting.then((mounted) => {
    endpoint = mounted;
  });

  const serve = (req, res) => {
    let exchange;
    let wants = false;
    const answer = {
      want: () => {
        if (exchange) read(req, exchange);
        else wants = true;
      },
      head: (status, lines) => res.writeHead(status, lines),
      data: (text, last) => {
        if (last) res.end(text);
        else if (!res.write(text)) {
          exchange.pause();
          res.once('drain', () => exchange.resume());
        }
      },
      end: () => res.end(),
    };
    const { method, originalUrl, url, rawHeaders: lines, socket } = req;
    const { remoteAddress: address, remotePort: port } = socket ?? {};
    const head = { method, url: originalUrl ?? url, lines, address, port };
    exchange = new Exchange(runtime, endpoint, head, answer);
    res.on('close', () => exchange.hangUp());
    if (wants) read(req, exchange);
  };

  return (req, res) => {
    if (endpoint !== undefined) serve(req, res);
    else return ready.then(() => serve(req, res));
  };
}

module.exports = { handler };
