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
