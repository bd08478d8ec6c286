'use strict';

/** A block of content in the protocol's own shape. */
class Content {
  constructor(fields) {
    for (const name in fields) if (fields[name] !== undefined) this[name] = fields[name];
  }
}

/** A whole tool result, for when a plain return value says too little. */
class ToolResult {
  constructor({ content, structuredContent, isError, _meta } = {}) {
    this.content = content;
    this.structuredContent = structuredContent;
    this.isError = isError;
    this._meta = _meta;
  }
}

/** A result that is JSON text already: it is sent as it is, numbers to the last digit. */
class RawResult {
  constructor(json) {
    this.json = json;
  }
}

function base64(data) {
  if (typeof data === 'string') return data;
  if (data instanceof ArrayBuffer) return Buffer.from(data).toString('base64');
  if (ArrayBuffer.isView(data)) return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64');
  throw new TypeError('data must be a Uint8Array, an ArrayBuffer or base64 text');
}

const text = (value, options = {}) => new Content({ type: 'text', text: String(value), ...options });
const image = (data, mimeType, options = {}) =>
  new Content({ type: 'image', data: base64(data), mimeType, ...options });
const audio = (data, mimeType, options = {}) =>
  new Content({ type: 'audio', data: base64(data), mimeType, ...options });
const resourceLink = (uri, name, options = {}) => new Content({ type: 'resource_link', uri, name, ...options });

/** A resource inside a message; `body` is text or bytes. */
function embeddedResource(uri, body, { mimeType, annotations, _meta } = {}) {
  const held = typeof body === 'string' ? { text: body } : { blob: base64(body) };
  const resource = new Content({ uri, mimeType, ...held });
  return new Content({ type: 'resource', resource, annotations, _meta });
}

const message = (role, content) => ({ role, content: typeof content === 'string' ? text(content) : content });
const user = (content) => message('user', content);
const assistant = (content) => message('assistant', content);
const rawResult = (json) => new RawResult(json);

const BLOCKS = new Set(['text', 'image', 'audio', 'resource_link', 'resource']);

/** Whether a value is a block, made here or written by hand. */
function isBlock(value) {
  return value instanceof Content || (typeof value === 'object' && value !== null && BLOCKS.has(value.type));
}

const SIGNATURES = [
  ['image/png', [0x89, 0x50, 0x4e, 0x47]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/gif', [0x47, 0x49, 0x46, 0x38]],
  ['audio/ogg', [0x4f, 0x67, 0x67, 0x53]],
  ['audio/mpeg', [0x49, 0x44, 0x33]],
  ['audio/flac', [0x66, 0x4c, 0x61, 0x43]],
];

/** The media type of bytes that say it themselves. */
function sniff(bytes) {
  const known = SIGNATURES.find(([, signature]) => signature.every((byte, at) => bytes[at] === byte));
  if (known) return known[0];
  const riff = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 12)).toString('latin1');
  if (!riff.startsWith('RIFF')) return undefined;
  return { WEBP: 'image/webp', WAVE: 'audio/wav' }[riff.slice(8)];
}

/** The bytes of a value that is bytes, else nothing. */
function bytesOf(value) {
  if (Buffer.isBuffer(value)) return value;
  if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) return Buffer.from(value);
  return undefined;
}

module.exports = {
  Content,
  ToolResult,
  RawResult,
  text,
  image,
  audio,
  resourceLink,
  embeddedResource,
  user,
  assistant,
  rawResult,
  base64,
  bytesOf,
  isBlock,
  sniff,
};
