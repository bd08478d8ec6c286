// Written by scripts/types.mjs from the Rust docs and types/; change those.

export type Field = number | string | Buffer | null;

/** What the JavaScript side makes of `authorize` and `allowedOrigins`. */
export interface Admission {
  /** Which pages may use the endpoint; none: every one. */
  origins?: Array<string>
  /** Who everyone is; none: JavaScript is asked. */
  anyone?: CallerInit
  /** The number of the function that is asked. */
  asker: number
  /** The number of the store of sessions; none: sessions are in memory alone. */
  keeper?: number
}

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

/** What the JavaScript side works out by itself. */
export interface Features {
  /** More of `serverInfo`, a JSON object. */
  info?: string
  /** Extensions, a JSON object. */
  extensions?: string
  /** Experimental capabilities, a JSON object. */
  experimental?: string
  /** Whether the tools list may change. */
  toolsListChanged: boolean
  /** Whether the resources lists may change. */
  resourcesListChanged: boolean
  /** Whether the prompts list may change. */
  promptsListChanged: boolean
  /** Whether clients can subscribe to single resources. */
  subscribe: boolean
  /** Whether completions are answered. */
  completions: boolean
  /** Whether log lines are sent to clients. */
  logging: boolean
  /** Whether events are told. */
  events: boolean
  /** From which level on the log is wanted; none: warnings go to standard error. */
  logLevel?: string
  /** Whether anything answers calls. */
  calls: boolean
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

/** Where a listener listens. */
export interface Listening {
  /** Its number. */
  listener: number
  /** The port of its first address that has one. */
  port?: number
  /** Every address, with the ports that were chosen. */
  addresses: Array<string>
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

/** One server. Everything but its inbox belongs to the thread that made it. */
export class Engine {
  /**
   * Checks everything and builds the common catalog out of two documents: what was injected and what was registered
   * item by item. `wake` is called when there is something to `take`.
   */
  constructor(name: string, version: string, settings: ServerSettings, features: Features, catalog: string | undefined | null, registered: string | undefined | null, wake: () => void)
  /** What waits for this thread, row after row; see `lib/runtime.js` for their shapes. */
  take(): Array<Field>
  /** Sets the catalog for a key, to be published by `publish` or with the first caller who has the key. */
  setCatalog(key: string, json: string): void
  /** Forgets the catalog for a key. */
  dropCatalog(key: string): void
  /** Sets what was registered item by item. */
  setRegistered(json: string): void
  /** Builds the catalog for a key and publishes it. */
  publish(key: string): void
  /** Tells subscribers of `uri` that it changed. */
  resourceUpdated(uri: string): void
  /** Ends the subscriptions of a principal or owner key. */
  revoke(ownerKey: string): void
  /** Counters as JSON. */
  stats(): string
  /**
   * One message in; its response comes out of `take`. The time-out of the call in ms if it waits for one, -1 if it
   * waits without, none if it was answered.
   */
  begin(ticket: number, message: string | Buffer, caller?: CallerInit | undefined | null): number | null
  /** A message was answered: it is no longer kept. */
  settled(ticket: number): void
  /** The time of a message is over. */
  timeOut(ticket: number): void
  /** Nobody waits for the response to a message any more. */
  cancel(ticket: number, stopped: boolean): void
  /** Serves standard input and output on a thread of its own until they end. */
  serveStdio(ticket: number): void
  /** Stops the server: calls in flight have `timeout_ms` to end. */
  stop(ticket: number, timeoutMs: number): void
  /** A header of a question. */
  questionHeader(place: number, name: string): string | null
  /** Lets a request in. */
  allow(place: number, caller: CallerInit): void
  /** Keeps a request out. */
  refuse(place: number, given: RefusalInit): void
  /** Lets go of a question unanswered: the client gets 500. */
  forgetQuestion(place: number): void
  /** A part of a call as text; none where the call is over or has none. */
  callText(place: number, part: number): string | null
  /** Which round of a call this is; 0 is the first. */
  callRound(place: number): number
  /** A header of the HTTP request that brought a call, where the endpoint's settings name it. */
  callHeader(place: number, name: string): string | null
  /** Whether the client declared a capability. */
  clientSupports(place: number, capability: string): boolean
  /** Begins an exchange. Its number, then the parts that are there. */
  beginExchange(endpoint: number, method: string, url: string, headerLines: string, address?: string | undefined | null, port?: number | undefined | null): Array<Field>
  /** The parts that are there. An exchange that is over is gone. */
  pull(place: number): Array<Field>
  /** Takes bytes of a body. */
  pushBody(place: number, chunk: Buffer): void
  /** A body is complete, with its last bytes. The parts that are there then. */
  endBody(place: number, chunk?: Buffer | undefined | null): Array<Field>
  /** The client of an exchange is gone, or it is over. */
  hangUp(place: number): void
  /**
   * Does what is due for every exchange and for the sessions of endpoints. Milliseconds until the latter have something
   * to do again.
   */
  tickExchanges(): number | null
  /** Gives every answer that was gathered. */
  flush(): void
  /** Answers with text. */
  completeText(place: number, text: string): void
  /** Answers with bytes. */
  completeBlob(place: number, data: Buffer, mimeType?: string | undefined | null): void
  /** Answers with a whole result in the protocol's shape. */
  completeJson(place: number, json: string): void
  /** Answers with structured content, which stands in a text block too. */
  completeStructured(place: number, json: string): void
  /** Tells the model that it failed. */
  fail(place: number, message: string): void
  /** Refuses with a JSON-RPC error. */
  reject(place: number, code: number, message: string, data?: string | undefined | null): void
  /** Asks the client first. */
  requireInput(place: number, requests: string, state?: string | undefined | null): void
  /** The handler failed for a reason that only the log tells. */
  fault(place: number, details: string): void
  /** Lets go of a call unanswered, at once. */
  forget(place: number): void
  /** Ends the stream on which a call is to be answered; 0: the client comes back when the endpoint says. */
  closeStream(place: number, retryMs: number): void
  /** Reports progress; false once the call has ended. */
  progress(place: number, progress: number, total?: number | undefined | null, message?: string | undefined | null): boolean
  /** Sends a log line to the client; false once the call has ended, or where logging is not offered. */
  log(place: number, level: string, logger: string | undefined | null, data: string): boolean
  /** Makes an endpoint for a web server of the host's own. */
  mount(settings: HttpSettings, admission: Admission): number
  /** Listens on sockets of its own. */
  listen(addresses: Array<string>, sockets: SocketSettings, settings: HttpSettings, admission: Admission): Listening
  /** Ends a listener; requests in flight have `timeout_ms` to be answered. */
  stopListening(ticket: number, listener: number, timeoutMs: number): void
  /** Opens a connection; its messages come out of `take`. */
  connect(number: number, caller?: CallerInit | undefined | null): void
  /** Takes the next text of a connection, split anywhere. */
  receive(number: number, text: string): void
  /** In how many ms `tick` has something to do for a connection. */
  nextDeadline(number: number): number | null
  /** Ends calls of a connection whose time is over. */
  tick(number: number): void
  /** Ends a connection at once. */
  disconnect(number: number): void
  /** What a store has said: that it failed, or a session if it was asked for one. */
  kept(place: number, failure?: string | undefined | null, session?: string | undefined | null): void
}
