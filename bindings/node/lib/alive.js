'use strict';

/**
 * Keeps this thread's event loop alive, and runtimes from being collected, while a door is open or an answer is
 * awaited, and not otherwise.
 */
const held = new Map();
let timer;

function hold(runtime) {
  held.set(runtime, (held.get(runtime) ?? 0) + 1);
  timer ??= setInterval(() => {}, 2 ** 31 - 1);
  if (held.size === 1) timer.ref();
}

function release(runtime) {
  const left = held.get(runtime) - 1;
  if (left > 0) held.set(runtime, left);
  else held.delete(runtime);
  if (held.size === 0) timer.unref();
}

module.exports = { hold, release };
