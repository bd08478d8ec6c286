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
