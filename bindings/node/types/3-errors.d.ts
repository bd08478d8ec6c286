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
