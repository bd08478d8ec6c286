// Written by scripts/types.mjs from the Rust docs and types/; change those.

/** Who asks, as a door is told. Identity comes from here only; nothing in a request can change it. */
export interface CallerInit {
  /** The principal id; empty or absent: the anonymous caller. */
  principal?: string
  /** The key that owns what the caller makes; the principal unless given. */
  ownerKey?: string
  /** Which catalog the caller sees; absent or empty: the common one. */
  catalogKey?: string
  /** Granted scopes; `'*'` alone grants every scope there is. */
  scopes?: string[] | '*'
  /** Claims of the credential, which your own code reads back as `call.caller.claims`. */
  claims?: Record<string, unknown>
  /** When the credential ends, in ms since 1970. */
  expiresAt?: number
}

/** Settings of an HTTP endpoint. Every one has a default; numbers that may be "none" take 0 for it. */
export interface HttpSettings {
  /** The path of the endpoint. Default `/mcp`; where it is mounted in a web server of your own, every path. */
  path?: string
  /**
   * Names that the `Host` header may have. Without any it is not checked, but a listener on a loopback address
   * requires loopback names.
   */
  hosts?: Array<string>
  /** The longest body, in bytes. Default 1 MiB. */
  maxBodyBytes?: number
  /** How long a body may take to arrive, in ms; 0: for ever. Default 15 000. */
  bodyTimeoutMs?: number
  /** Bytes of all bodies that were received and are not answered yet. Default 64 MiB. */
  byteBudget?: number
  /** Calls in flight. Default 1024. */
  maxCalls?: number
  /** Open subscriptions; 0: none are served. Default 1024. */
  maxStreams?: number
  /** The longest life of a subscription, in ms; 0: no end (the default). */
  maxStreamMs?: number
  /** What may wait to be sent on one stream, in bytes. Default 1 MiB. */
  streamQueueBytes?: number
  /**
   * After so much silence an SSE stream gets a comment, and a call becomes an SSE stream, in ms; 0: never. Default
   * 15 000.
   */
  keepAliveMs?: number
  /** How often `authorize` is asked again about an open subscription, in ms; 0: never (the default). */
  reauthorizeMs?: number
  /** Whether `authorize` is asked again before a subscription is told something. Default false. */
  reauthorizeOnDelivery?: boolean
  /** The protected resource metadata of RFC 9728: an object with `resource`. */
  resourceMetadata?: { resource: string; [member: string]: unknown }
  /** The realm that challenges name. */
  realm?: string
  /** Request headers that calls may see as `call.header(name)`. */
  callHeaders?: Array<string>
  /**
   * What becomes of `initialize`, with which clients of revisions before 2026-07-28 begin: it opens a session (the
   * default), or it is answered and nothing is kept, for hosts that run in many places or only while they answer.
   */
  sessions?: 'kept' | 'stateless'
  /** Sessions at once; one more ends that whose client has been away for longest. Default 10 000. */
  maxSessions?: number
  /**
   * How long a session is kept whose client sends nothing and has no stream open, in ms; 0: for ever. Default 30
   * minutes.
   */
  sessionIdleMs?: number
  /**
   * What is kept of each session's streams, so that a client that was cut off can have it again, in bytes; 0: streams
   * cannot be resumed. Default 256 KiB.
   */
  sessionReplayBytes?: number
  /**
   * After how long a client comes back to a stream that ended before it was complete, in ms; 0: it is not told.
   * Default 1000.
   */
  retryMs?: number
  /** The path of the HTTP+SSE transport of 2024-11-05; without one it is not served. */
  ssePath?: string
}

/** Why a request is kept out, and what its client is told in the `WWW-Authenticate` challenge. */
export interface RefusalInit {
  /** 401: who asks is not known. 403: who asks is known and may not. */
  status: 401 | 403
  /** Scopes that would do, separated by spaces. */
  scope?: string
  /** The error code of RFC 6750, `invalid_token` for example; absent where the request brought no token. */
  error?: string
  /** For people, told to the client. */
  description?: string
  /** For the log only. */
  reason?: string
}

/** Settings of a server. Every one has a default; numbers that may be "none" take 0 for it. */
export interface ServerSettings {
  /** What a model should know about the server. */
  instructions?: string
  /** Calls in flight on one connection; more wait their turn. Default 1024. */
  maxCalls?: number
  /** How long a call may take, in ms; 0: for ever (the default). An item's own `timeoutMs` wins. */
  callTimeoutMs?: number
  /** Items on one page of a list; 0: all. Default 50. */
  pageSize?: number
  /** The longest message that is read, in bytes. Default 16 MiB. */
  maxMessageBytes?: number
  /** The longest result that a handler may give, in bytes. Default 16 MiB. */
  maxResultBytes?: number
  /** The longest sealed `requestState`, in bytes. Default 64 KiB. */
  maxStateBytes?: number
  /** Open subscriptions on one connection. Default 1024. */
  maxSubscriptions?: number
  /** Resource URIs in one subscription. Default 1024. */
  maxSubscriptionUris?: number
  /**
   * What happens to a catalog item with a fault: the catalog is refused (the default), or the item alone is left out
   * with a line in the log.
   */
  invalidItems?: 'refuse' | 'skip'
  /**
   * What arguments that break a tool's schema are answered: a tool result with `isError` that a model can read and
   * correct (the default), or the JSON-RPC error -32602.
   */
  invalidArguments?: 'toolError' | 'reject'
  /**
   * What a caller without the scopes of an item sees: nothing (the default), or the item, and a challenge when it is
   * used.
   */
  missingScope?: 'hide' | 'challenge'
  /** Whether scalars in strings (`"5"` where the schema wants an integer) are repaired. Default false. */
  repairArguments?: boolean
  /** Whether `format` in schemas is checked or only told. Default false. */
  checkFormats?: boolean
  /** How long clients may keep lists, discovery and reads, in ms. Default 0. */
  cacheTtlMs?: number
  /** Who may keep them. Default `private`. */
  cacheScope?: 'public' | 'private'
  /**
   * Keys that seal `requestState`, 32 bytes each (as base64 if they are text), newest first: the first seals, all
   * open. Without any, a random key of this process.
   */
  stateKeys?: (Uint8Array | string)[]
  /** How long a sealed state can be used, in ms. Default 10 minutes. */
  stateTtlMs?: number
  /** Whether `serverInfo` is written into every result. Default true. */
  identify?: boolean
  /** Whether a line on stdio that is not JSON is answered with -32700. Default true. */
  answerParseErrors?: boolean
  /** How long a door waits for owed answers at the end of its input, in ms. Default 5000. */
  drainMs?: number
  /** Whether sessions of the revisions before 2026-07-28, which `initialize` opens, are served too. Default true. */
  legacy?: boolean
  /** The revisions that are offered, such as `2025-11-25`. Default all. */
  revisions?: Array<string>
  /** How long a call of a session waits for what it asked of the client, in ms; 0: for ever. Default 10 minutes. */
  inputTimeoutMs?: number
}

/** Settings of a listener's sockets. */
export interface SocketSettings {
  /** Threads that serve; a connection stays on one. Default 1. */
  threads?: number
  /** Open connections; more wait. Default 4096. */
  maxConnections?: number
  /** How long the head of a request may take, in ms; 0: for ever. Default 10 000. */
  headerTimeoutMs?: number
  /** How long a connection may be without a request, in ms; 0: for ever. Default 60 000. */
  idleMs?: number
}

/** A value or a promise of one. */
export type Awaitable<T> = T | PromiseLike<T>;

/** JSON Schema, in any of the dialects 2020-12 (the default), 2019-09, draft-07, draft-06 and draft-04. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** A schema of zod 4.2 and later, arktype, valibot (by `toStandardJsonSchema`) or any other library with both standards. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly validate: (value: unknown) => unknown;
    readonly jsonSchema: {
      readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
      readonly output: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
    };
  };
}

/** JSON Schema or a Standard Schema. */
export type Schema = StandardSchema | JsonSchema;

type RequiredOf<S> = S extends { readonly required: readonly (infer K)[] } ? K : never;
type ObjectOf<S> = S extends { readonly properties: infer P }
  ? { -readonly [K in keyof P as K extends RequiredOf<S> ? K : never]: FromJsonSchema<P[K]> } & {
      -readonly [K in keyof P as K extends RequiredOf<S> ? never : K]?: FromJsonSchema<P[K]>;
    }
  : Record<string, unknown>;
type TypeOf<T, S> = T extends 'string'
  ? string
  : T extends 'number' | 'integer'
    ? number
    : T extends 'boolean'
      ? boolean
      : T extends 'null'
        ? null
        : T extends 'array'
          ? S extends { readonly items: infer I }
            ? FromJsonSchema<I>[]
            : unknown[]
          : T extends 'object'
            ? ObjectOf<S>
            : unknown;

/** The type of what a JSON Schema, written as a literal, describes; `unknown` where it says too much for TypeScript. */
export type FromJsonSchema<S> = S extends { readonly const: infer C }
  ? C
  : S extends { readonly enum: readonly (infer E)[] }
    ? E
    : S extends { readonly anyOf: readonly (infer A)[] }
      ? FromJsonSchema<A>
      : S extends { readonly oneOf: readonly (infer A)[] }
        ? FromJsonSchema<A>
        : S extends { readonly type: readonly (infer T)[] }
          ? TypeOf<T, S>
          : S extends { readonly type: infer T }
            ? TypeOf<T, S>
            : S extends { readonly properties: unknown }
              ? ObjectOf<S>
              : unknown;

/** What a handler gets for a schema. */
export type Parsed<S> = S extends { readonly '~standard': { readonly types?: infer T } }
  ? NonNullable<T> extends { readonly output: infer O }
    ? O
    : unknown
  : unknown extends FromJsonSchema<S>
    ? Record<string, any>
    : FromJsonSchema<S>;

/** What a handler returns for a schema. */
export type Returned<S> = S extends { readonly '~standard': { readonly types?: infer T } }
  ? NonNullable<T> extends { readonly output: infer O }
    ? O
    : unknown
  : FromJsonSchema<S>;

type Split<N extends string> = N extends `${infer A},${infer B}` ? A | Split<B> : N;
type Expression<E extends string> = E extends `?${infer N}` | `&${infer N}`
  ? { [K in Split<N>]?: string }
  : E extends `+${infer N}` | `#${infer N}` | `/${infer N}`
    ? { [K in Split<N>]: string }
    : { [K in Split<E>]: string };

/** The variables of a uri template. */
export type Variables<T extends string> = string extends T
  ? Record<string, string>
  : T extends `${string}{${infer E}}${infer Rest}`
    ? Expression<E> & Variables<Rest>
    : {};

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

/** The `code` of an {@link McpError}. */
export type ErrorCode =
  | 'INVALID_ARGUMENT'
  | 'INVALID_UTF8'
  | 'INVALID_JSON'
  | 'CATALOG'
  | 'ANSWERED'
  | 'GONE'
  | 'CLOSED'
  | 'IO'
  | 'TIMEOUT'
  | 'BUSY'
  | 'INTERNAL'
  | 'CANCELLED'
  | 'STOPPED';

/** What this package throws. */
export class McpError extends Error {
  constructor(code: ErrorCode, message: string, options?: { cause?: unknown });
  /** A stable word. */
  readonly code: ErrorCode;
}

/**
 * Thrown by a handler, it is told to the model: a tool result with `isError`; for other kinds the error -32603 with this
 * message. Any other exception is masked: the client gets an id, and the log tells the rest under it.
 */
export class ToolError extends Error {
  constructor(
    message: string,
    options?: {
      content?: (string | ContentBlock)[];
      structuredContent?: unknown;
      _meta?: Record<string, unknown>;
      cause?: unknown;
    },
  );
}

/** Thrown by a handler, it refuses with this JSON-RPC error; an in-process client throws it for what a server refused. */
export class Rejection extends Error {
  constructor(code: number, message: string, data?: unknown);
  readonly code: number;
  readonly data: unknown;
}

/** Returned or thrown by `authorize`, it keeps a request out. */
export class Refusal extends Error {
  constructor(init: RefusalInit);
  readonly status: 401 | 403;
  /** 401: who asks is not known. */
  static unauthorized(init?: Omit<RefusalInit, 'status'>): Refusal;
  /** 403: who asks is known and may not. */
  static forbidden(init?: Omit<RefusalInit, 'status'>): Refusal;
}

/** Ends this round of a call and asks the client. Handlers that catch everything must let it pass. */
export class InputRequired extends Error {
  constructor(requests: Record<string, InputRequest>, state?: unknown);
  readonly requests: Record<string, InputRequest>;
  readonly state: unknown;
}

/** Who asks. */
export interface Caller {
  /** The principal id; empty for the anonymous caller, `local` on stdio. */
  principal: string;
  /** The key that owns what the caller makes. */
  ownerKey: string;
  /** Which catalog the caller sees; empty for the common one. */
  catalogKey: string;
  /** Granted scopes; `['*']`: every scope there is. */
  scopes: string[];
  claims?: Record<string, unknown>;
  /** In ms since 1970. */
  expiresAt?: number;
}

/** A question for the client in the protocol's own shape. */
export interface InputRequest {
  method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list';
  params?: Record<string, unknown>;
}

/** What a user did with a form. */
export type Elicited<T = Record<string, string | number | boolean | string[]>> =
  { action: 'accept'; content: T } | { action: 'decline' | 'cancel'; content?: undefined };

/** What the client's model said. */
export interface Sampled {
  role: 'user' | 'assistant';
  content: ContentBlock | { type: string; [member: string]: unknown } | unknown[];
  model: string;
  stopReason?: string;
}

export interface SampleParams {
  messages: { role: 'user' | 'assistant'; content: unknown }[];
  maxTokens: number;
  systemPrompt?: string;
  temperature?: number;
  stopSequences?: string[];
  modelPreferences?: Record<string, unknown>;
  includeContext?: 'none' | 'thisServer' | 'allServers';
  tools?: unknown[];
  toolChoice?: { mode: 'auto' | 'required' | 'none' };
  metadata?: Record<string, unknown>;
}

export interface Root {
  uri: string;
  name?: string;
}

export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency';

/**
 * One request that a handler answers. What it asks of the client (`elicit`, `elicitUrl`, `sample`, `roots`) is either
 * there already and returned, or ends this round: the promise rejects with {@link InputRequired}, the client is asked, and
 * the handler runs anew with the answer. Questions of one turn (`Promise.all`) are asked together.
 */
export class Call<Shared = unknown> {
  private constructor();
  readonly kind: 'tool' | 'resource' | 'prompt' | 'completion';
  /** A number that no other call of this server has. */
  readonly number: number;
  /** The tool's or prompt's name, the resource's uri, or for a completion the prompt's name or the uri template. */
  readonly name: string;
  /** The uri of a resource that is read. */
  readonly uri: string | undefined;
  /** The arguments; numbers as JavaScript has them. For a completion `{argument: {name, value}, context?}`. */
  readonly arguments: any;
  /** The arguments as the client wrote them, JSON text with every digit. */
  readonly rawArguments: string;
  /** The uri template that matched, and its variables, decoded. */
  readonly template: string | undefined;
  readonly variables: Record<string, string>;
  /** The request's `_meta`. */
  readonly meta: Record<string, unknown>;
  /** The request's `_meta` as the client wrote it. */
  readonly rawMeta: string;
  /** All answers to questions so far, by key. */
  readonly answers: Record<string, any>;
  /** What the round before left here; set it before asking, and the next round has it. Any JSON. */
  state: any;
  /** Which round this is; 0 is the first. */
  readonly round: number;
  readonly caller: Caller;
  /** The revision that the request is served under. */
  readonly revision: string;
  /** What the server's `lifespan` gave. */
  readonly shared: Shared;
  /** Aborted when the call ends without its answer; `signal.reason.code` says why. */
  readonly signal: AbortSignal;
  /** Why the call ended without its answer, or null. */
  readonly cancelled: 'CANCELLED' | 'TIMEOUT' | 'CLOSED' | 'STOPPED' | null;
  /** Whether the client declared `elicitation`, `elicitation.url`, `sampling`, `sampling.tools`, `roots` … */
  clientSupports(capability: string): boolean;
  /** A header of the HTTP request that brought the call; only those that `callHeaders` names. */
  header(name: string): string | undefined;
  /** Reports progress; nothing is sent to clients that did not ask for it. False once the call has ended. */
  progress(progress: number, total?: number, message?: string): boolean;
  /** Sends a log line to the client, if it asked for that level. `data` is any JSON. */
  log(level: LogLevel, data: unknown, logger?: string): boolean;
  /**
   * Ends the stream on which the call is to be answered, so that a long call holds no connection: the client comes back for
   * the rest after `retryMs` (without it, after what the endpoint's `retryMs` says). Does nothing where clients cannot come
   * back: in requests of 2026-07-28, in sessions before 2025-11-25, without HTTP.
   */
  closeStream(retryMs?: number): void;
  /** Asks the user by a form; `schema` is an object of strings, numbers, booleans and choices. */
  elicit<const S extends Schema>(key: string, message: string, schema: S): Promise<Elicited<Parsed<S>>>;
  /** Asks the user to open an address. */
  elicitUrl(key: string, message: string, url: string): Promise<{ action: 'accept' | 'decline' | 'cancel' }>;
  /** Asks the client's model. */
  sample(key: string, params: SampleParams): Promise<Sampled>;
  /** Asks for the folders and files that the client works in. */
  roots(key?: string): Promise<{ roots: Root[] }>;
  /** Questions in the protocol's own shape, to be returned or thrown. */
  require(requests: Record<string, InputRequest>, state?: unknown): InputRequired;
  /** Lets go of the call unanswered: the client gets the error -32603. */
  forget(): void;
}

/** What the engine keeps about an item and never lists. */
export interface ItemSettings {
  /** Scopes that a caller needs to see and use the item; `files:*` is met by whoever has one that begins so. */
  scopes?: string[];
  /** How long a call may take, in ms; 0: for ever. */
  timeoutMs?: number;
  /** How many handlers of this item run at once; further calls wait. */
  concurrency?: number;
}

interface Described {
  title?: string;
  description?: string;
  icons?: Icon[];
  _meta?: Record<string, unknown>;
}

export interface ToolDefinition<I = unknown, O = unknown> extends Described, ItemSettings {
  name: string;
  /** Any arguments, if it is left out. */
  inputSchema?: I & Schema;
  /** What the handler returns then has to be valid, or the client gets an error. */
  outputSchema?: O & Schema;
  annotations?: {
    title?: string;
    readOnlyHint?: boolean;
    destructiveHint?: boolean;
    idempotentHint?: boolean;
    openWorldHint?: boolean;
  };
}

interface ReadSettings extends ItemSettings {
  /** Cache hint of a read. */
  ttlMs?: number;
  cacheScope?: 'public' | 'private';
}

interface ResourceFields extends Described, ReadSettings {
  /** Its uri or template unless given. */
  name?: string;
  mimeType?: string;
  annotations?: Annotations;
}

export interface ResourceDefinition extends ResourceFields {
  uri: string;
  uriTemplate?: undefined;
  size?: number;
}

export interface TemplateDefinition<T extends string = string> extends ResourceFields {
  /** RFC 6570: `{v}`, `{+v}`, `{#v}`, `{/v}`, `{?a,b}`, `{&a,b}`. */
  uriTemplate: T;
  uri?: undefined;
  /** Whether `..` and the like may stand in the values of variables. */
  allowTraversal?: boolean;
}

export interface PromptArgument {
  name: string;
  title?: string;
  description?: string;
  required?: boolean;
}

export interface PromptDefinition<A = readonly PromptArgument[], S = unknown> extends Described, ItemSettings {
  name: string;
  arguments?: A;
  /** Instead of `arguments`: an object schema whose properties are strings. */
  argsSchema?: S & Schema;
  /** The prompt asks for what is missing: required arguments may be absent. */
  asksInput?: boolean;
}

type NamesOf<A, R> = A extends readonly (infer E)[]
  ? E extends { readonly name: infer N extends string }
    ? E extends { readonly required: true }
      ? R extends true
        ? N
        : never
      : R extends true
        ? never
        : N
    : never
  : never;

/** What a prompt's handler gets. */
export type PromptArguments<A, S> = unknown extends S
  ? { [K in NamesOf<A, true>]: string } & { [K in NamesOf<A, false>]?: string }
  : Parsed<S>;

/**
 * What a tool's handler returns: text; bytes of an image or a sound; a block of content or a list of them; anything else
 * that is JSON, which becomes structured content and its text; or a whole result.
 */
export type ToolReturn<O> = unknown extends O ? unknown : Returned<O> | ToolResult | CallToolResult | RawResult;

/**
 * What a resource's handler returns: text, bytes, one or several `{text | blob, mimeType?, uri?}`, or any other JSON;
 * nothing: there is no such resource.
 */
export type ResourceReturn = unknown;

/** What a prompt's handler returns: text or content of one user message, messages, or a whole result. */
export type PromptReturn =
  | string
  | ContentBlock
  | PromptMessage
  | readonly (string | ContentBlock | PromptMessage)[]
  | {
      messages: readonly (string | ContentBlock | PromptMessage)[];
      description?: string;
      _meta?: Record<string, unknown>;
    }
  | RawResult;

/** What a completion's handler returns; a list is cut at a hundred values. */
export type CompletionReturn =
  readonly string[] | string | { values: string[]; total?: number; hasMore?: boolean } | undefined;

/** Something that was registered. */
export interface Registered {
  /** As it is listed. */
  readonly definition: Record<string, unknown>;
  /** Takes it away; false if it was gone. */
  remove(): boolean;
}

/** A catalog document in the protocol's own shapes; `mcpcore` inside an item holds its settings for the engine. */
export interface Catalog {
  tools?: readonly Record<string, unknown>[];
  resources?: readonly Record<string, unknown>[];
  resourceTemplates?: readonly Record<string, unknown>[];
  prompts?: readonly Record<string, unknown>[];
}

/** A request that wants in. */
export interface AuthorizationRequest {
  readonly method: string;
  readonly path: string;
  /** Address and port, where the web server tells them. */
  readonly peer: string | undefined;
  /** The token of an `Authorization: Bearer` header. */
  readonly bearer: string | undefined;
  /** A header; several values are joined with ", ". */
  header(name: string): string | undefined;
}

/**
 * Who may use an endpoint, asked before a byte of the body is read: a caller is let in, a {@link Refusal} (returned or
 * thrown) keeps out, and so does nothing (401). Any other exception is a 500 that the log explains.
 */
export type Authorize = (request: AuthorizationRequest) => Awaitable<CallerInit | Refusal | null | undefined | false>;

/** Who may use an HTTP endpoint. Neither has a default. */
export interface AdmissionOptions {
  /** A function, `'anyone'`, or the caller that everyone is. */
  authorize: Authorize | 'anyone' | CallerInit;
  /** Origins of pages that may use it (`'loopback'`: this machine's, at any port), or `'any'`. */
  allowedOrigins: readonly string[] | 'loopback' | 'any';
}

/**
 * Keeps sessions of older clients outside the process, so that another one can go on with them. A session is its id and a
 * text that only this library reads. What is thrown or rejected goes to the log; the client gets 503 for what could not be
 * loaded, or not be saved when it began. A store that has not answered after 30 s has failed.
 */
export interface SessionStore {
  /** Keeps the session instead of what was there. It may be forgotten after `ttlMs` without another save. */
  save(id: string, session: string, ttlMs: number | undefined): Awaitable<unknown>;
  /** What was saved last. */
  load(id: string): Awaitable<string | null | undefined>;
  /** Forgets the session, if it is there. */
  delete(id: string): Awaitable<unknown>;
}

export interface HandlerOptions extends HttpSettings, AdmissionOptions {
  /** Keeps sessions outside the process too. */
  sessionStore?: SessionStore;
}

export interface ListenOptions extends HandlerOptions, SocketSettings {
  /** 0, the default, takes one that is free. */
  port?: number;
  /** Default `127.0.0.1`. */
  host?: string;
  /** Instead of `port` and `host`: `127.0.0.1:4000`, `[::1]:0`, `unix:/run/mcp.sock`. */
  addresses?: string[];
}

/** A socket of one's own. */
export interface Listener extends AsyncDisposable {
  readonly port: number | undefined;
  readonly addresses: string[];
  readonly url: string | undefined;
  /** Takes no more requests; those in flight have `timeoutMs` (5000) to be answered. */
  close(options?: { timeoutMs?: number }): Promise<void>;
}

/** What `handler` needs of node:http's request and response; Express, Connect and Fastify's raw ones have it. */
export type Handler = (
  request: import('node:http').IncomingMessage,
  response: import('node:http').ServerResponse,
) => void | Promise<void>;

export interface ServerOptions<Shared = undefined> extends ServerSettings {
  /** For `serverInfo`. */
  name: string;
  version: string;
  title?: string;
  description?: string;
  websiteUrl?: string;
  icons?: Icon[];
  /** Extensions by id. */
  extensions?: Record<string, Record<string, unknown>>;
  /** Experimental capabilities. */
  experimental?: Record<string, Record<string, unknown>>;
  /**
   * What is on offer besides what is registered: a document, its JSON text, or a function of the caller, asked once for
   * each catalog key (empty: the common catalog) and again by `catalogChanged`.
   */
  catalog?:
    | Catalog
    | string
    | ((caller: { principal: string; catalogKey: string } & CallerInit) => Awaitable<Catalog | string>);
  /**
   * Answers every call that no registered handler answers. Objects are results in the protocol's own shape; text, bytes
   * and content are short forms.
   */
  dispatch?: (call: Call<Shared>) => unknown;
  /**
   * Makes what the handlers share, before the first of them runs. If it has `Symbol.asyncDispose` or `Symbol.dispose`, that
   * is called when the server ends.
   */
  lifespan?: (server: Server<Shared>) => Awaitable<Shared>;
  /** Which lists may change. Default: those that something is registered in, or that a catalog function gives. */
  listChanged?: boolean | { tools?: boolean; resources?: boolean; prompts?: boolean };
  /** Whether clients can subscribe to single resources. Default false. */
  subscribe?: boolean;
  /** Whether completions are answered. Default: whether any is registered. */
  completions?: boolean;
  /** Whether `call.log` is offered. Default true. */
  logging?: boolean;
  /** Takes the server's own log; without one, warnings go to standard error. */
  log?: (level: LogLevel, text: string) => void;
  /** What `log` takes at least. Default `info`. */
  logLevel?: LogLevel;
  /** Takes events, JSON text: `{"event":"call","kind":"tool","name":"echo","number":7,"outcome":"complete"}`. */
  onEvent?: (json: string) => void;
  /** What `fetch` needs, and what `listen` and `handler` take where they are not told otherwise. */
  http?: HandlerOptions;
}

/** A function round every call: it may look at the call, answer it itself, or change what `next` gives. */
export type Middleware<Shared = unknown> = (call: Call<Shared>, next: () => Promise<unknown>) => unknown;

/** An MCP server: what is on offer, and the doors to it. */
export class Server<Shared = undefined> implements AsyncDisposable {
  constructor(options: ServerOptions<Shared>);

  /** Registers a tool; while the server runs, too. Arguments are valid before the handler sees them. */
  tool<const I = unknown, const O = unknown>(
    definition: ToolDefinition<I, O>,
    handler: (args: Parsed<NoInfer<I>>, call: Call<Shared>) => Awaitable<ToolReturn<NoInfer<O>>>,
  ): Registered;

  /** Registers a resource or a resource template. */
  resource<const T extends string>(
    definition: TemplateDefinition<T>,
    handler: (variables: Variables<T>, call: Call<Shared>) => Awaitable<ResourceReturn>,
  ): Registered;
  resource(
    definition: ResourceDefinition,
    handler: (variables: {}, call: Call<Shared>) => Awaitable<ResourceReturn>,
  ): Registered;

  /** Registers a prompt. */
  prompt<const A extends readonly PromptArgument[] = readonly [], const S = unknown>(
    definition: PromptDefinition<A, S>,
    handler: (args: PromptArguments<A, S>, call: Call<Shared>) => Awaitable<PromptReturn>,
  ): Registered;

  /** Registers a completion for an argument of a prompt, or a variable of a template. */
  completion(
    of: { prompt: string; argument: string } | { uriTemplate: string; argument: string },
    handler: (value: string, call: Call<Shared>) => Awaitable<CompletionReturn>,
  ): this;

  /** Runs a function round every call, the first registered outermost. */
  middleware(fn: Middleware<Shared>): this;

  /** Makes several changes of what is registered, and publishes them at once. */
  change<T>(work: () => T): T;

  /** Checks everything and builds the catalog; the doors do it by themselves. Every fault is told at once. */
  start(): Promise<this>;

  /**
   * Serves standard input and output until the input ends. At once and for good, descriptor 1 leads to standard error, so
   * that stray prints cannot touch the protocol.
   */
  serveStdio(): Promise<void>;

  /** Serves HTTP on a socket of its own, on threads of its own: what the engine can answer never waits for this thread. */
  listen(options?: Partial<ListenOptions>): Promise<Listener>;

  /** An endpoint for node:http, Express, Connect, and by `reply.hijack()` Fastify. */
  handler(options?: Partial<HandlerOptions>): Handler;

  /** An endpoint for Hono, Bun, Deno and others; needs the option `http`. It is bound: pass it on as it is. */
  readonly fetch: (request: Request) => Promise<Response>;

  /**
   * One message in, its response out; null for a notification. Progress and log lines have nowhere to go and are dropped.
   * Rejects with an {@link McpError} `TIMEOUT` after `timeoutMs`.
   */
  handle(
    message: string | Uint8Array,
    options?: { caller?: CallerInit; timeoutMs?: number; signal?: AbortSignal },
  ): Promise<string | null>;

  /** A client in this process, for tests: it speaks the protocol, only without a socket. */
  client(options?: ClientOptions): Promise<Client>;

  /** Tells subscribers of a resource that it changed. */
  resourceUpdated(uri: string): void;

  /** Asks the catalog anew and publishes it, for one catalog key or for all. Resolved once it is published. */
  catalogChanged(key?: string): Promise<void>;

  /** Ends the subscriptions of a principal or owner key. */
  revoke(ownerKey: string): void;

  /** Counters. */
  readonly stats: Record<string, unknown>;

  /** Ends every door; calls in flight have `timeoutMs` (5000) to end. */
  close(options?: { timeoutMs?: number }): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface ClientOptions {
  /** Who asks; the local caller with every scope, unless given. */
  caller?: CallerInit;
  name?: string;
  version?: string;
  /** What is declared; by default what the functions below can answer. */
  capabilities?: Record<string, unknown>;
  logLevel?: LogLevel;
  onElicit?: (params: any) => Awaitable<Elicited<any>>;
  onSample?: (params: any) => Awaitable<Sampled>;
  onRoots?: () => Awaitable<{ roots: Root[] }>;
  /** Takes every notification. */
  onNotification?: (message: any) => void;
}

export interface RequestOptions {
  /** Aborted: the request is cancelled, and its promise rejects with the reason. */
  signal?: AbortSignal;
  onProgress?: (params: { progress: number; total?: number; message?: string }) => void;
  logLevel?: LogLevel;
  /** More of `_meta`. */
  meta?: Record<string, unknown>;
}

/** A client in the server's own process. What the server refuses is thrown as a {@link Rejection}. */
export class Client implements AsyncDisposable {
  private constructor();
  discover(): Promise<any>;
  /** Calls a tool, and answers what it asks by the functions of the options. */
  callTool(name: string, args?: Record<string, unknown>, options?: RequestOptions): Promise<any>;
  readResource(uri: string, options?: RequestOptions): Promise<any>;
  getPrompt(name: string, args?: Record<string, string>, options?: RequestOptions): Promise<any>;
  complete(
    ref: { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string },
    argument: { name: string; value: string },
    known?: Record<string, string>,
    options?: RequestOptions,
  ): Promise<{ values: string[]; total?: number; hasMore?: boolean }>;
  /** Everything, over all pages. */
  listTools(): Promise<any[]>;
  listResources(): Promise<any[]>;
  listResourceTemplates(): Promise<any[]>;
  listPrompts(): Promise<any[]>;
  /** Subscribes. Resolved once the server has said what it honours. */
  listen(
    notifications: {
      toolsListChanged?: boolean;
      resourcesListChanged?: boolean;
      promptsListChanged?: boolean;
      resourceSubscriptions?: string[];
    },
    onMessage: (message: any) => void,
  ): Promise<{ honoured: any; ended: Promise<any>; end(): void }>;
  /** Any request of the revision 2026-07-28, one round. */
  request(method: string, params?: Record<string, unknown>, options?: RequestOptions): Promise<any>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The version of this package. */
export const version: string;
