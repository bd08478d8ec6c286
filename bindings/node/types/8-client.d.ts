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
