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
