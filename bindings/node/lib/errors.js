'use strict';

/** What this package throws. `code` is a stable word. */
class McpError extends Error {
  constructor(code, message, options) {
    super(message, options);
    this.name = 'McpError';
    this.code = code;
  }
}

/** Thrown by a handler, it is told to the model: a tool result with `isError`, or for other kinds the error -32603. */
class ToolError extends Error {
  constructor(message, { content, structuredContent, _meta, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ToolError';
    this.content = content;
    this.structuredContent = structuredContent;
    this._meta = _meta;
  }
}

/** Thrown by a handler, it refuses with this JSON-RPC error; in-process clients throw it for what a server refused. */
class Rejection extends Error {
  constructor(code, message, data) {
    super(message);
    this.name = 'Rejection';
    this.code = code;
    this.data = data;
  }
}

/** Returned or thrown by `authorize`, it keeps a request out. */
class Refusal extends Error {
  constructor({ status = 401, scope, error, description, reason } = {}) {
    super(reason ?? description ?? `refused with ${status}`);
    this.name = 'Refusal';
    Object.assign(this, { status, scope, error, description, reason });
  }

  /** Who asks is not known. */
  static unauthorized(init = {}) {
    return new Refusal({ ...init, status: 401 });
  }

  /** Who asks is known and may not. */
  static forbidden(init = {}) {
    return new Refusal({ ...init, status: 403 });
  }
}

/** The reason of `call.signal` and of what a door cannot answer any more. */
function ended(code) {
  const messages = {
    CANCELLED: 'the client cancelled the call',
    TIMEOUT: 'the call took too long',
    CLOSED: 'the connection closed',
    STOPPED: 'the server was stopped',
  };
  return new McpError(code, messages[code] ?? code);
}

/** Runs native code; what it throws becomes an McpError. */
function translated(work) {
  try {
    return work();
  } catch (error) {
    if (typeof error?.code !== 'string' || error instanceof McpError) throw error;
    throw new McpError(error.code, error.message);
  }
}

module.exports = { McpError, ToolError, Rejection, Refusal, ended, translated };
