'use strict';

const { McpError, Rejection, ended } = require('./errors.js');

const KEY = 'io.modelcontextprotocol';
const REVISION = '2026-07-28';
/** Rounds of questions before a client takes a server for lost. */
const MOST_ROUNDS = 32;

/** A client in the server's own process: it speaks the protocol, only without a socket. */
class Client {
  #connection;
  #options;
  #waiting = new Map();
  #listening = new Map();
  #nextId = 0;
  #rest = '';
  #closed = false;

  constructor(connect, options = {}) {
    this.#options = options;
    this.#connection = connect((text) => this.#received(text));
  }

  #received(text) {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop();
    for (const line of lines) this.#message(JSON.parse(line));
  }

  #message(message) {
    if (message.method === undefined) {
      this.#waiting.get(message.id)?.settle(message);
      return;
    }
    const { params = {} } = message;
    if (message.method === 'notifications/progress') {
      this.#waiting.get(params.progressToken)?.onProgress?.(params);
      return;
    }
    const subscription = params._meta?.[`${KEY}/subscriptionId`];
    if (subscription !== undefined) this.#listening.get(subscription)?.(message);
    this.#options.onNotification?.(message);
  }

  #meta({ meta, onProgress, logLevel }, id) {
    const { capabilities = this.#declared(), name = 'mcpcore-client', version = '0' } = this.#options;
    return {
      [`${KEY}/protocolVersion`]: REVISION,
      [`${KEY}/clientInfo`]: { name, version },
      [`${KEY}/clientCapabilities`]: capabilities,
      ...((logLevel ?? this.#options.logLevel) ? { [`${KEY}/logLevel`]: logLevel ?? this.#options.logLevel } : {}),
      ...(onProgress ? { progressToken: id } : {}),
      ...meta,
    };
  }

  /** What the client can answer is what it declares. */
  #declared() {
    const { onElicit, onSample, onRoots } = this.#options;
    return {
      ...(onElicit ? { elicitation: { form: {}, url: {} } } : {}),
      ...(onSample ? { sampling: {} } : {}),
      ...(onRoots ? { roots: {} } : {}),
    };
  }

  /** One request in this revision, and its result; what the server refused is thrown as a Rejection. */
  request(method, params = {}, options = {}) {
    if (this.#closed) return Promise.reject(ended('CLOSED'));
    const id = ++this.#nextId;
    return new Promise((resolve, reject) => {
      const { signal } = options;
      const cancel = () => {
        this.#forget(id);
        const cancelled = { requestId: id, reason: String(signal.reason?.message ?? signal.reason) };
        this.#send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: cancelled });
        reject(signal.reason);
      };
      if (signal?.aborted) return void reject(signal.reason);
      const settle = ({ result, error }) => {
        this.#forget(id);
        signal?.removeEventListener('abort', cancel);
        if (error) reject(new Rejection(error.code, error.message, error.data));
        else resolve(result);
      };
      this.#waiting.set(id, { settle, reject, onProgress: options.onProgress });
      this.#connection.hold();
      signal?.addEventListener('abort', cancel, { once: true });
      this.#send({ jsonrpc: '2.0', id, method, params: { ...params, _meta: this.#meta(options, id) } });
    });
  }

  #forget(id) {
    if (this.#waiting.delete(id)) this.#connection.release();
  }

  #send(message) {
    this.#connection.receive(`${JSON.stringify(message)}\n`);
  }

  /** A request that may ask back: what is asked goes to the client's own functions, until there is a result. */
  async #rounds(method, params, options) {
    let more = {};
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      const result = await this.request(method, { ...params, ...more }, options);
      if (result.resultType !== 'input_required') return result;
      const inputResponses = {};
      for (const [key, question] of Object.entries(result.inputRequests ?? {})) {
        inputResponses[key] = await this.#reply(question);
      }
      more = { inputResponses, ...(result.requestState === undefined ? {} : { requestState: result.requestState }) };
    }
    throw new McpError('TIMEOUT', `the server asked ${MOST_ROUNDS} times`);
  }

  #reply({ method, params }) {
    const { onElicit, onSample, onRoots } = this.#options;
    const reply = { 'elicitation/create': onElicit, 'sampling/createMessage': onSample, 'roots/list': onRoots }[method];
    if (!reply)
      throw new McpError('INVALID_ARGUMENT', `the server asks ${method}, and the client has no function for it`);
    return reply(params);
  }

  discover() {
    return this.request('server/discover');
  }

  callTool(name, args, options = {}) {
    return this.#rounds('tools/call', { name, arguments: args }, options);
  }

  readResource(uri, options = {}) {
    return this.#rounds('resources/read', { uri }, options);
  }

  getPrompt(name, args, options = {}) {
    return this.#rounds('prompts/get', { name, arguments: args }, options);
  }

  async complete(ref, argument, known, options = {}) {
    const context = known ? { context: { arguments: known } } : {};
    return (await this.request('completion/complete', { ref, argument, ...context }, options)).completion;
  }

  async #all(method, member) {
    const items = [];
    let cursor;
    do {
      const page = await this.request(method, cursor === undefined ? {} : { cursor });
      items.push(...page[member]);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return items;
  }

  listTools() {
    return this.#all('tools/list', 'tools');
  }

  listResources() {
    return this.#all('resources/list', 'resources');
  }

  listResourceTemplates() {
    return this.#all('resources/templates/list', 'resourceTemplates');
  }

  listPrompts() {
    return this.#all('prompts/list', 'prompts');
  }

  /** Subscribes to changes; what comes goes to `onMessage`. Resolved once the server acknowledged. */
  listen(notifications, onMessage) {
    const id = this.#nextId + 1;
    let acknowledged;
    const ready = new Promise((resolve) => {
      acknowledged = resolve;
    });
    this.#listening.set(id, (message) => {
      if (message.method === 'notifications/subscriptions/acknowledged') acknowledged(message.params.notifications);
      else onMessage(message);
    });
    const ended_ = this.request('subscriptions/listen', { notifications }).finally(() => this.#listening.delete(id));
    const end = () => {
      this.#forget(id);
      this.#listening.delete(id);
      this.#send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
    };
    return Promise.race([ready.then((honoured) => ({ honoured, ended: ended_, end })), ended_.then(() => ready)]);
  }

  /** Ends the connection: what was not answered is rejected. */
  async close() {
    if (this.#closed) return;
    this.#closed = true;
    this.#connection.close();
    for (const [id, { reject }] of [...this.#waiting]) {
      this.#forget(id);
      reject(ended('CLOSED'));
    }
  }

  async [Symbol.asyncDispose]() {
    await this.close();
  }
}

module.exports = { Client };
