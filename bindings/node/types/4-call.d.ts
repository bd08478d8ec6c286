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
