/** Hints for whom and how much a block is for. */
export interface Annotations {
  audience?: ('user' | 'assistant')[];
  /** From 0 to 1. */
  priority?: number;
  /** RFC 3339. */
  lastModified?: string;
}

/** An icon of a server or an item. */
export interface Icon {
  src: string;
  mimeType?: string;
  sizes?: string[];
  theme?: 'light' | 'dark';
}

interface BlockOptions {
  annotations?: Annotations;
  _meta?: Record<string, unknown>;
}

export interface TextBlock extends BlockOptions {
  type: 'text';
  text: string;
}
export interface ImageBlock extends BlockOptions {
  type: 'image';
  data: string;
  mimeType: string;
}
export interface AudioBlock extends BlockOptions {
  type: 'audio';
  data: string;
  mimeType: string;
}
export interface ResourceLinkBlock extends BlockOptions {
  type: 'resource_link';
  uri: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  size?: number;
  icons?: Icon[];
}
export interface ResourceBlock extends BlockOptions {
  type: 'resource';
  resource: ResourceContents;
}
/** A block of content. */
export type ContentBlock = TextBlock | ImageBlock | AudioBlock | ResourceLinkBlock | ResourceBlock;

/** One content of a resource: its text, or its bytes as base64. */
export type ResourceContents = { uri: string; mimeType?: string; _meta?: Record<string, unknown> } & (
  { text: string } | { blob: string }
);

/** Bytes, or base64 that was made already. */
export type Data = Uint8Array | ArrayBuffer | string;

/** A block of text. */
export function text(value: string, options?: BlockOptions): TextBlock;
/** An image. */
export function image(data: Data, mimeType: string, options?: BlockOptions): ImageBlock;
/** A sound. */
export function audio(data: Data, mimeType: string, options?: BlockOptions): AudioBlock;
/** A link to a resource that the client can read. */
export function resourceLink(
  uri: string,
  name: string,
  options?: Omit<ResourceLinkBlock, 'type' | 'uri' | 'name'>,
): ResourceLinkBlock;
/** A resource inside a message: text as it is, bytes as base64. */
export function embeddedResource(
  uri: string,
  body: Data,
  options?: BlockOptions & { mimeType?: string },
): ResourceBlock;

/** A message of a prompt. */
export interface PromptMessage {
  role: 'user' | 'assistant';
  content: ContentBlock;
}
/** A message of the user. */
export function user(content: string | ContentBlock): PromptMessage;
/** A message of the model. */
export function assistant(content: string | ContentBlock): PromptMessage;

/** A tool result in the protocol's own shape. */
export interface CallToolResult {
  content?: (ContentBlock | { type: string; [member: string]: unknown })[];
  structuredContent?: unknown;
  isError?: boolean;
  _meta?: Record<string, unknown>;
}
/** A whole tool result, for when a plain return value says too little. */
export class ToolResult implements CallToolResult {
  constructor(init: CallToolResult);
  content?: CallToolResult['content'];
  structuredContent?: unknown;
  isError?: boolean;
  _meta?: Record<string, unknown>;
}

/** A result that is JSON text already: it is sent as it is, numbers to the last digit. */
export interface RawResult {
  readonly json: string;
}
/** A result that is JSON text already: it is sent as it is, numbers to the last digit. */
export function rawResult(json: string): RawResult;
