'use strict';

const { McpError, ended, translated } = require('./errors.js');
const input = require('./input.js');

const KINDS = ['tool', 'resource', 'prompt', 'completion'];
// The parts of a call that are read when somebody asks: src/call.rs has the same numbers.
const [META, ANSWERS, STATE, TEMPLATE, VARIABLES, CALLER, REVISION] = [0, 1, 2, 3, 4, 5, 6];

let seat;
let asked;
let close;
let abort;

/** One request that a handler answers. */
class Call {
  #engine;
  #place;
  #name;
  #rawArguments;
  #arguments;
  #parts;
  #ended = null;
  #controller;
  #asked;
  #state;

  constructor(engine, place, number, kind, name, rawArguments, shared) {
    this.#engine = engine;
    this.#place = place;
    this.#name = name;
    this.#rawArguments = rawArguments;
    this.kind = KINDS[kind];
    this.number = number;
    this.shared = shared;
  }

  static {
    seat = (call) => call.#place;
    asked = (call) => {
      if (call.#asked) return new input.InputRequired(call.#asked, call.#state);
      return undefined;
    };
    close = (call) => {
      call.#place = -1;
    };
    abort = (call, code) => {
      call.#ended = code;
      call.#controller?.abort(ended(code));
    };
  }

  get name() {
    return this.#name;
  }

  get uri() {
    return this.kind === 'resource' ? this.#name : undefined;
  }

  get rawArguments() {
    return this.#rawArguments;
  }

  get arguments() {
    return (this.#arguments ??= JSON.parse(this.#rawArguments));
  }

  #text(part) {
    const known = (this.#parts ??= [])[part];
    if (known !== undefined) return known;
    if (this.#place < 0) throw new McpError('GONE', 'the call is over; read what you need of it before');
    return (this.#parts[part] = this.#engine.callText(this.#place, part));
  }

  #json(part) {
    const text = this.#text(part);
    return text === null ? undefined : JSON.parse(text);
  }

  get meta() {
    return this.#json(META);
  }

  get rawMeta() {
    return this.#text(META);
  }

  get answers() {
    return this.#json(ANSWERS);
  }

  get template() {
    return this.#text(TEMPLATE) ?? undefined;
  }

  get variables() {
    return this.#json(VARIABLES);
  }

  get caller() {
    return this.#json(CALLER);
  }

  get revision() {
    return this.#text(REVISION);
  }

  get round() {
    return this.#place < 0 ? 0 : this.#engine.callRound(this.#place);
  }

  get state() {
    return this.#state === undefined ? this.#json(STATE) : this.#state;
  }

  set state(value) {
    this.#state = value;
  }

  get cancelled() {
    return this.#ended;
  }

  get signal() {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#ended) this.#controller.abort(ended(this.#ended));
    }
    return this.#controller.signal;
  }

  clientSupports(capability) {
    return this.#place >= 0 && this.#engine.clientSupports(this.#place, capability);
  }

  header(name) {
    return this.#place < 0 ? undefined : (this.#engine.callHeader(this.#place, name) ?? undefined);
  }

  progress(progress, total, message) {
    return this.#place >= 0 && this.#engine.progress(this.#place, progress, total, message);
  }

  log(level, data, logger) {
    return this.#place >= 0 && this.#engine.log(this.#place, level, logger, JSON.stringify(data) ?? 'null');
  }

  closeStream(retryMs = 0) {
    if (this.#place >= 0) translated(() => this.#engine.closeStream(this.#place, retryMs));
  }

  elicit(key, message, schema) {
    return this.#ask(key, () => input.elicitation(message, schema));
  }

  elicitUrl(key, message, url) {
    return this.#ask(key, () => input.page(message, url));
  }

  sample(key, params) {
    return this.#ask(key, () => input.sampling(params));
  }

  roots(key = 'roots') {
    return this.#ask(key, input.roots);
  }

  /** Questions in the protocol's own shape, to be returned or thrown. */
  require(requests, state) {
    return new input.InputRequired(requests, state);
  }

  /** Lets go of the call unanswered: the client gets the error -32603. */
  forget() {
    if (this.#place < 0) return;
    this.#engine.forget(this.#place);
    this.#place = -1;
  }

  /** Several questions of one turn are asked together: each is noted before its promise rejects. */
  async #ask(key, question) {
    const answer = this.answers[key];
    if (answer !== undefined) return answer;
    this.#asked ??= {};
    this.#asked[key] = question();
    this.#state ??= this.state;
    throw new input.InputRequired(this.#asked, this.#state);
  }
}

module.exports = { Call, seat, asked, close, abort };
