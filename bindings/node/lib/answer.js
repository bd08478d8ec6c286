'use strict';

const { ToolError, Rejection } = require('./errors.js');
const { Content, ToolResult, RawResult, base64, bytesOf, isBlock, sniff, text } = require('./content.js');
const { InputRequired } = require('./input.js');
const { asked, close, seat } = require('./call.js');

/** A handler returned what nobody can make a result of; the log says what. */
class Unanswerable extends Error {}

function json(value) {
  const written = JSON.stringify(value);
  if (written === undefined) throw new Unanswerable(`the handler returned ${typeof value}, which is no JSON`);
  return written;
}

const isObject = (value) => typeof value === 'object' && value !== null;

/** Whether a tool's object is a result in the protocol's shape already. */
function isResult(value) {
  if (Array.isArray(value)) return false;
  if (Array.isArray(value.content) && value.content.every((block) => isObject(block) && isBlock(block))) return true;
  return 'structuredContent' in value && Object.keys(value).every((key) => RESULT_MEMBERS.has(key));
}
const RESULT_MEMBERS = new Set(['content', 'structuredContent', 'isError', '_meta']);

const block = (value) => (typeof value === 'string' ? text(value) : value);

function tool(engine, place, value, item) {
  if (value === undefined) return engine.completeJson(place, '{"content":[]}');
  if (typeof value === 'string' && !item?.structured) return engine.completeText(place, value);
  if (!isObject(value)) return engine.completeStructured(place, json(value));
  if (value instanceof Content) return engine.completeJson(place, json({ content: [value] }));
  if (value instanceof ToolResult) return engine.completeJson(place, json({ ...value, content: value.content ?? [] }));
  const bytes = bytesOf(value);
  if (bytes) {
    const type = sniff(bytes);
    if (!type) throw new Unanswerable('the handler returned bytes of an unknown type; return image(data, mimeType)');
    return engine.completeBlob(place, bytes, type);
  }
  if (Array.isArray(value) && value.length > 0 && value.some((part) => part instanceof Content)) {
    return engine.completeJson(place, json({ content: value.map(block) }));
  }
  if (isResult(value)) return engine.completeJson(place, json({ content: [], ...value }));
  return engine.completeStructured(place, json(value));
}

/** One content of a read: text, bytes, or an object with one of both. */
function contents(uri, value, item) {
  if (typeof value === 'string') return { uri, mimeType: item?.mimeType, text: value };
  const bytes = bytesOf(value);
  if (bytes) return { uri, mimeType: item?.mimeType, blob: base64(bytes) };
  if (isObject(value) && 'text' in value) return { uri, mimeType: item?.mimeType, ...value };
  if (isObject(value) && 'blob' in value) return { uri, mimeType: item?.mimeType, ...value, blob: base64(value.blob) };
  return { uri, mimeType: item?.mimeType ?? 'application/json', text: json(value) };
}

const isPart = (value) => isObject(value) && ('text' in value || 'blob' in value);

function resource(engine, place, value, item, call) {
  if (value === undefined || value === null) {
    return engine.reject(place, -32602, 'Resource not found', json({ uri: call.name }));
  }
  if (typeof value === 'string') return engine.completeText(place, value);
  const bytes = bytesOf(value);
  if (bytes) return engine.completeBlob(place, bytes, item?.mimeType);
  if (isObject(value) && Array.isArray(value.contents)) {
    const parts = value.contents.map((part) => contents(call.name, part, item));
    return engine.completeJson(place, json({ ...value, contents: parts }));
  }
  const several = Array.isArray(value) && value.length > 0 && value.every(isPart);
  const parts = (several ? value : [value]).map((part) => contents(call.name, part, item));
  return engine.completeJson(place, json({ contents: parts }));
}

function message(value) {
  if (typeof value === 'string' || isBlock(value)) return { role: 'user', content: block(value) };
  if (isObject(value) && 'role' in value) return { ...value, content: block(value.content) };
  throw new Unanswerable('a prompt handler returns texts, content or messages of {role, content}');
}

function prompt(engine, place, value) {
  if (typeof value === 'string') return engine.completeText(place, value);
  if (isObject(value) && Array.isArray(value.messages)) {
    return engine.completeJson(place, json({ ...value, messages: value.messages.map(message) }));
  }
  return engine.completeJson(place, json({ messages: (Array.isArray(value) ? value : [value]).map(message) }));
}

function completion(engine, place, value) {
  if (value === undefined || value === null) return engine.completeText(place, '');
  if (isObject(value) && isObject(value.completion)) return engine.completeJson(place, json(value));
  if (isObject(value) && Array.isArray(value.values)) return engine.completeJson(place, json({ completion: value }));
  const all = (Array.isArray(value) ? value : [value]).map(String);
  // The engine counts and cuts lines itself.
  if (!all.some((one) => one === '' || /[\r\n]/.test(one))) return engine.completeText(place, all.join('\n'));
  const values = all.slice(0, 100);
  const rest = { total: all.length, hasMore: all.length > values.length };
  return engine.completeJson(place, json({ completion: { values, ...rest } }));
}

const ANSWER = { tool, resource, prompt, completion };

/** An injected dispatch returns results in the protocol's shape; short forms are the same as for handlers. */
function injected(engine, place, value, call) {
  const whole = isObject(value) && !bytesOf(value) && !(value instanceof Content) && !(value instanceof ToolResult);
  if (whole && !Array.isArray(value)) return engine.completeJson(place, json(value));
  return ANSWER[call.kind](engine, place, value, undefined, call);
}

function ask(engine, place, { requests, state }) {
  engine.requireInput(place, json(requests), state === undefined ? undefined : json(state));
}

/** Answers a call with what its handler returned; `item` is its definition, none for an injected dispatch. */
function answer(engine, call, value, item) {
  const place = seat(call);
  if (place < 0) return;
  try {
    const open = value instanceof InputRequired ? value : asked(call);
    if (open) ask(engine, place, open);
    else if (value instanceof RawResult) engine.completeJson(place, value.json);
    else if (item) ANSWER[call.kind](engine, place, value, item, call);
    else injected(engine, place, value, call);
  } catch (error) {
    engine.fault(place, details(error));
  }
  close(call);
}

/** Answers a call whose handler threw. */
function failed(engine, call, error) {
  const place = seat(call);
  if (place < 0) return;
  try {
    const open = error instanceof InputRequired ? error : asked(call);
    if (open) ask(engine, place, open);
    else if (error instanceof ToolError) told(engine, place, error, call);
    else if (error instanceof Rejection) {
      const data = error.data === undefined ? undefined : json(error.data);
      engine.reject(place, error.code, error.message, data);
    } else engine.fault(place, details(error));
  } catch (fault) {
    engine.fault(place, details(fault));
  }
  close(call);
}

function told(engine, place, error, call) {
  const { message: words, content, structuredContent, _meta } = error;
  const rich = content !== undefined || structuredContent !== undefined || _meta !== undefined;
  if (call.kind !== 'tool' || !rich) return engine.fail(place, words);
  const blocks = (content ?? [words]).map(block);
  return engine.completeJson(place, json({ content: blocks, structuredContent, _meta, isError: true }));
}

/** For the log alone: what was thrown, where from, and why. */
function details(error) {
  if (error instanceof Unanswerable) return error.message;
  try {
    if (!(error instanceof Error)) return `the handler threw ${String(error)}`;
    const cause = error.cause === undefined ? '' : `\ncaused by ${details(error.cause)}`;
    return `${error.stack ?? error}${cause}`;
  } catch {
    return 'the handler threw something that cannot be shown';
  }
}

module.exports = { answer, failed };
