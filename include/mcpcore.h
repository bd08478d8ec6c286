/*
 * mcpcore.h: a protocol engine for the Model Context Protocol.
 *
 * The library decides what a well-formed message is and refuses one that is not. It holds no tools, no domain and no
 * policy. Your program, the host, supplies the catalog (what is on offer), answers calls (what is done), and says who may
 * call.
 *
 *   config      what a server is made from: options, a catalog, your functions
 *   server      immutable, shared by any number of threads
 *   call        one request that you answer exactly once, now or later, from any thread
 *   caller      who asks
 *   connection  one stdio-like peer: bytes in, messages out to your function
 *   listener    HTTP with its own sockets
 *   endpoint    HTTP inside your own web server: heads and bodies in, answers out to your functions
 *
 * Messages come in through a door: mcp_serve_stdio, mcp_serve_fd and mcp_http_listen read and write by themselves; a
 * connection and an endpoint take bytes that you bring; mcp_handle_request takes one message and gives its response. One
 * server may have any number of doors at once. Without any server: mcp_check_message, mcp_json_quote, mcp_version,
 * mcp_version_number.
 *
 *
 * A first program. Compile it with: cc first.c $(pkg-config --cflags --libs mcpcore)
 *
 * #include <mcpcore.h>
 * #include <stdio.h>
 *
 * static void greet(void *user_data, mcp_call *call) {
 *   char text[128];
 *   (void)user_data;
 *   snprintf(text, sizeof text, "Hello %s!", mcp_call_argument_text(call, "/name", NULL));
 *   mcp_call_complete_text(call, text, SIZE_MAX, NULL);
 * }
 *
 * int main(void) {
 *   mcp_server *server = NULL;
 *   mcp_error *error = NULL;
 *   mcp_config *config = mcp_config_new("greeter", "1.0.0");
 *   mcp_config_set_catalog(config,
 *       "{\"tools\":[{\"name\":\"greet\",\"description\":\"Greets somebody.\","
 *       "\"inputSchema\":{\"type\":\"object\",\"required\":[\"name\"],"
 *       "\"properties\":{\"name\":{\"type\":\"string\",\"maxLength\":99}}}}]}", SIZE_MAX);
 *   mcp_config_on_call(config, greet, NULL, NULL);
 *   mcp_status status = mcp_server_new(config, &server, &error);
 *   if (status == MCP_STATUS_OK) status = mcp_serve_stdio(server, &error);
 *   if (status != MCP_STATUS_OK) fprintf(stderr, "%s\n", mcp_error_message(error, NULL));
 *   mcp_error_free(error);
 *   mcp_server_free(server);
 *   return status != MCP_STATUS_OK;
 * }
 *
 *
 * Text
 *
 *   A text that goes in is UTF-8, as a pointer and its length in bytes; SIZE_MAX as length means "up to the NUL". NULL with
 *   0 is the empty text. A text without a length parameter (a name, a JSON pointer, a capability) ends at its NUL.
 *   A text that comes out has an optional `len`, which may be NULL, and a NUL follows it. Raw JSON is a slice of the
 *   message instead (functions that end in _json, and mcp_call_arguments): it has only a length, and without a place for
 *   the length you get NULL.
 *   Where a parameter is optional, NULL means "none".
 *
 * Ownership
 *
 *   A _new function gives a handle to one owner; its _free function takes it and accepts NULL. A function that "consumes" a
 *   handle takes it even when it fails. What you pass is copied before the function returns; no memory that you allocated
 *   is ever freed by the library, nor the reverse. What comes out as const is a view, and its comment says how long it
 *   lives. The arguments of a callback live until it returns, but for a handle that is said to be yours.
 *   Freeing a server or a connection with calls outstanding is fine: calls keep what they need.
 *
 * Threads
 *
 *   Each function says one of
 *     Threads: any              from any thread, at any time, several at once
 *     Threads: one at a time    only one thread at a time for this handle
 *     Threads: callback         called by the library, or only of use inside such a call
 *   A function that consumes or frees a handle must be the last to use it: no other thread may be inside a function with
 *   the same handle.
 *
 * Callbacks
 *
 *   MCP_OPTION_DISPATCH says where they run: on the library's pool, on the thread that brought the message, or only inside
 *   mcp_server_pump. Several may run at once, also with the same user_data, unless only one thread brings or pumps
 *   messages. The library holds no lock meanwhile. mcp_handle_request always runs them on its own thread.
 *   They must return: no C++ exception and no longjmp may leave one.
 *   user_data comes first. destroy(user_data), if there is one, runs exactly once, after the last callback with it returned
 *   and the last call of the server was consumed, on whatever thread that happens; also when the registration itself or
 *   mcp_server_new fails.
 *
 * HTTP
 *
 *   mcp_http_config says who may use an endpoint and from which pages in browsers; both must be said. Everything else has a
 *   default, and every limit and time is an option:
 *
 *     MCP_HTTP_OPTION_         type       bounds               default
 *     ADDRESS                  list
 *     PATH                     text
 *     ORIGIN                   list
 *     HOST                     list
 *     MAX_BODY_BYTES           bytes      1024 to 2147483647   1048576
 *     BODY_TIMEOUT_MS          ms         0 to 31536000000     15000
 *     BYTE_BUDGET              bytes      0 to 1099511627776   67108864
 *     KEEP_ALIVE_MS            ms         0 to 31536000000     15000
 *     RESOURCE_METADATA        text
 *     CALL_HEADER              list
 *     MAX_CALLS                number     1 to 1000000         1024
 *     MAX_STREAMS              number     0 to 1000000         1024
 *     MAX_STREAM_MS            ms         0 to 31536000000     0
 *     STREAM_QUEUE_BYTES       bytes      1024 to 2147483647   1048576
 *     REALM                    text
 *     REAUTHORIZE_MS           ms         0 to 31536000000     0
 *     REAUTHORIZE_ON_DELIVERY  0 or 1                          0
 *     UNIX_PRINCIPAL           0 or 1                          0
 *     THREADS                  number     1 to 1024            1
 *     MAX_CONNECTIONS          number     1 to 1000000         4096
 *     HEADER_TIMEOUT_MS        ms         0 to 31536000000     10000
 *     IDLE_MS                  ms         0 to 31536000000     60000
 *     DRAIN_MS                 ms         0 to 31536000000     5000
 *     SESSIONS                 list
 *     MAX_SESSIONS             number     1 to 1000000         10000
 *     SESSION_IDLE_MS          ms         0 to 31536000000     1800000
 *     SESSION_REPLAY_BYTES     bytes      0 to 2147483647      262144
 *     RETRY_MS                 ms         0 to 31536000000     1000
 *     SSE_PATH                 text
 *
 *   An answer is one JSON text, or a stream of events where something must be said before it or a call is quiet for long. A
 *   client that hangs up cancels its call. mcp_authorize_fn is asked before a byte of the body is read, and tells who
 *   calls: the principal and the owner key name the caller everywhere, its scopes say which items it sees, its catalog key
 *   which catalog, its expiry when its subscriptions end. mcp_server_revoke ends them earlier.
 *   Mounted in your web server: mcp_endpoint_new once; for each request mcp_http_begin with its head; mcp_http_body with its
 *   body when mcp_http_want_body_fn asks; write what mcp_http_head_fn and mcp_http_data_fn give; mcp_http_free at the end or
 *   when the client hangs up. mcp_http_pause holds answers back while your socket is full. ffi/examples/mounted.c does it
 *   with libmicrohttpd.
 *   Threads, descriptors and signals stay yours there; a listener has threads of its own.
 *   A client of a revision before 2026-07-28 opens a session: its calls belong to the session and go on when a connection is
 *   cut, and the client has the rest when it comes back. Limits bound sessions as they bound everything else;
 *   mcp_endpoint_tick ends in time those whose clients are away. mcp_http_config_session_store keeps them for other
 *   processes, MCP_HTTP_OPTION_SESSIONS does without them.
 *
 * Re-entrancy
 *
 *   Inside a callback you may use: every function of a call, a caller, an authorization, an exchange, of errors and bytes,
 *   mcp_check_message and mcp_json_quote, mcp_server_catalog_changed (but not inside mcp_catalog_fn),
 *   mcp_server_resource_updated, mcp_server_revoke, mcp_server_stats, mcp_handle_request (a call that waits for a call may
 *   be told "busy"), and every function of another server. You may not free or stop the server, listener or endpoint that
 *   runs the callback, nor free the connection.
 *
 * Errors
 *
 *   A function that can fail returns mcp_status; 0 is success. `mcp_error **error`, always last, may be NULL. If not, it is
 *   set in every case: to NULL on success, else to an error that is yours (mcp_error_free).
 *   On failure a place for a handle gets NULL, and other places are left as they were.
 *   Functions that fill a config, a catalog or a caller have no `error`: what was wrong is remembered, and whoever uses the
 *   handle fails with it. So you may leave their statuses alone and still learn of every mistake.
 *   NULL where it must not be is MCP_STATUS_INVALID_ARGUMENT, and the message names the parameter; a function without a
 *   status gives NULL, 0 or false. A fault of the library never ends your program; it is MCP_STATUS_PANIC.
 *
 * Fork
 *
 *   After fork() a handle that the parent made is of no use in the child: functions fail with MCP_STATUS_CLOSED, _free
 *   functions leave everything to the parent, and destroy functions do not run. Make a server of its own in the child; a
 *   config that was not consumed yet may be used there.
 *
 * The process
 *
 *   The library installs no signal handler, reads no environment variable and keeps no global state beyond what says that
 *   a handle is stale. A closed peer is an error, never SIGPIPE. Only mcp_serve_stdio changes descriptors, and says how.
 *
 * Versions
 *
 *   MCP_VERSION_NUMBER is the header's, mcp_version_number() the loaded library's. Before 1.0 each minor version has a
 *   SONAME of its own (libmcpcore.so.0.1) and may change the interface; within one, functions and constants are only added.
 *   "Since" says when.
 */
#ifndef MCPCORE_H
#define MCPCORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The first number of this header's version. */
#define MCP_VERSION_MAJOR 0

/* The second number of this header's version. Before 1.0 it changes with the binary interface, and so does the SONAME. */
#define MCP_VERSION_MINOR 1

/* The third number of this header's version. */
#define MCP_VERSION_PATCH 0

/* This header's version as one number that grows: major << 16 | minor << 8 | patch. */
#define MCP_VERSION_NUMBER (((MCP_VERSION_MAJOR << 16) | (MCP_VERSION_MINOR << 8)) | MCP_VERSION_PATCH)

/* What became of a function call: 0 is success. A number keeps its meaning for ever; new ones may be added.
 * Since: 0.1.
 */
typedef int32_t mcp_status;
enum {
  /* Done. */
  MCP_STATUS_OK = 0,
  /* A value that the function cannot take: NULL, a bad number, a handle in the wrong state. The message names it. */
  MCP_STATUS_INVALID_ARGUMENT = 1,
  /* A text is not UTF-8. */
  MCP_STATUS_INVALID_UTF8 = 2,
  /* A text is not JSON, or JSON of the wrong shape. The message says where. */
  MCP_STATUS_INVALID_JSON = 3,
  /* The catalog has faults. The message lists every one, a line each: item, JSON pointer, reason. */
  MCP_STATUS_CATALOG = 4,
  /* The call was answered before. */
  MCP_STATUS_ANSWERED = 5,
  /* The call was cancelled, ran out of time or lost its connection. Nothing was sent. */
  MCP_STATUS_GONE = 6,
  /* The server was stopped, the connection closed, or the process is a fork of the one that made the handle. */
  MCP_STATUS_CLOSED = 7,
  /* Reading or writing failed. */
  MCP_STATUS_IO = 8,
  /* Nobody answered in time. */
  MCP_STATUS_TIMEOUT = 9,
  /* A limit on work in flight was reached. Try again later. */
  MCP_STATUS_BUSY = 10,
  /* The library failed inside and stopped there. Please report it with the message. */
  MCP_STATUS_PANIC = 98,
  /* A fault of the library. Please report it with the message. */
  MCP_STATUS_INTERNAL = 99,
};

/* What a call asks for: mcp_call_kind.
 * Since: 0.1.
 */
enum {
  /* Run a tool: mcp_call_name is its name. */
  MCP_CALL_TOOL = 1,
  /* Read a resource: mcp_call_name is its uri. */
  MCP_CALL_RESOURCE = 2,
  /* Render a prompt: mcp_call_name is its name. */
  MCP_CALL_PROMPT = 3,
  /* Complete an argument: mcp_call_name is the prompt's name or the uri template. */
  MCP_CALL_COMPLETION = 4,
};

/* Why a call ended without its answer: mcp_call_cancelled, mcp_cancel_fn.
 * Since: 0.1.
 */
enum {
  /* The client said so. */
  MCP_CANCEL_CLIENT = 1,
  /* Its time was over. */
  MCP_CANCEL_TIMEOUT = 2,
  /* The connection closed. */
  MCP_CANCEL_CLOSED = 3,
  /* The server was stopped. */
  MCP_CANCEL_STOPPED = 4,
};

/* How grave a log line is, as RFC 5424 orders them: mcp_call_log, mcp_log_fn.
 * Since: 0.1.
 */
enum {
  /* For whoever debugs. */
  MCP_LOG_DEBUG = 0,
  /* Ordinary progress. */
  MCP_LOG_INFO = 1,
  /* Ordinary but worth seeing. */
  MCP_LOG_NOTICE = 2,
  /* Something to look into. */
  MCP_LOG_WARNING = 3,
  /* Something failed. */
  MCP_LOG_ERROR = 4,
  /* A part of the system failed. */
  MCP_LOG_CRITICAL = 5,
  /* Act now. */
  MCP_LOG_ALERT = 6,
  /* The system cannot be used. */
  MCP_LOG_EMERGENCY = 7,
};

/* Options of a server: mcp_config_set_int for numbers, choices and switches (0 off, 1 on), mcp_config_set_text for
 * texts, mcp_config_add_text for lists. A text that is a JSON object is checked by mcp_server_new.
 * Since: 0.1.
 */
enum {
  /* Where callbacks run. Choice: MCP_DISPATCH_POOL (default), MCP_DISPATCH_INLINE, MCP_DISPATCH_PUMP. */
  MCP_OPTION_DISPATCH = 1,
  /* Threads of the pool; 0: four, or as many as there are processors if that is more. Number: 0 to 1024, default 0. */
  MCP_OPTION_POOL_THREADS = 2,
  /* How long a call may wait for a thread of the pool before it is answered "busy", in milliseconds; 0: for ever.
   * Number: 0 to 31536000000, default 60000.
   */
  MCP_OPTION_POOL_WAIT_MS = 3,
  /* Calls in flight on one connection; more wait their turn. Number: 1 to 1000000, default 1024. */
  MCP_OPTION_MAX_CALLS = 4,
  /* How long a call may take, in milliseconds; 0: for ever. An item's own timeoutMs wins. Number: 0 to 31536000000,
   * default 0.
   */
  MCP_OPTION_CALL_TIMEOUT_MS = 5,
  /* Items on one page of a list; 0: all. Number: 0 to 1000000, default 50. */
  MCP_OPTION_PAGE_SIZE = 6,
  /* The longest message that is read, in bytes. Number: 1024 to 2147483647, default 16777216. */
  MCP_OPTION_MAX_MESSAGE_BYTES = 7,
  /* The longest result that you may give, in bytes. Number: 1024 to 2147483647, default 16777216. */
  MCP_OPTION_MAX_RESULT_BYTES = 8,
  /* The longest sealed state of mcp_call_require_input, in bytes. Number: 1024 to 2147483647, default 65536. */
  MCP_OPTION_MAX_STATE_BYTES = 9,
  /* Open subscriptions on one connection. Number: 0 to 1000000, default 1024. */
  MCP_OPTION_MAX_SUBSCRIPTIONS = 10,
  /* Resource URIs in one subscription. Number: 0 to 1000000, default 1024. */
  MCP_OPTION_MAX_SUBSCRIPTION_URIS = 11,
  /* What happens to a catalog item with a fault. Choice: MCP_INVALID_ITEMS_REFUSE (default), MCP_INVALID_ITEMS_SKIP. */
  MCP_OPTION_INVALID_ITEMS = 12,
  /* What arguments that break a tool's schema are answered. Choice: MCP_INVALID_ARGUMENTS_TOOL_ERROR (default),
   * MCP_INVALID_ARGUMENTS_REJECT.
   */
  MCP_OPTION_INVALID_ARGUMENTS = 13,
  /* What a caller without the scopes of a catalog item sees. Choice: MCP_MISSING_SCOPE_HIDE (default),
   * MCP_MISSING_SCOPE_CHALLENGE.
   */
  MCP_OPTION_MISSING_SCOPE = 14,
  /* Whether scalars in strings ("5" where the schema wants an integer) are repaired. Switch: default 0. */
  MCP_OPTION_REPAIR_ARGUMENTS = 15,
  /* Whether "format" in schemas is checked or only told. Switch: default 0. */
  MCP_OPTION_CHECK_FORMATS = 16,
  /* How long clients may keep lists, discovery and reads, in milliseconds. Number: 0 to 31536000000, default 0. */
  MCP_OPTION_CACHE_TTL_MS = 17,
  /* Who may keep them. Choice: MCP_CACHE_PRIVATE (default), MCP_CACHE_PUBLIC. */
  MCP_OPTION_CACHE_SCOPE = 18,
  /* A key that seals the state of mcp_call_require_input: 32 bytes as base64. The first one seals, all open; without
   * any, a random key of this process. List: mcp_config_add_text.
   */
  MCP_OPTION_STATE_KEY = 19,
  /* How long a sealed state can be used, in milliseconds. Number: 1 to 31536000000, default 600000. */
  MCP_OPTION_STATE_TTL_MS = 20,
  /* More of serverInfo as a JSON object: title, description, websiteUrl, icons. Text. */
  MCP_OPTION_INFO = 21,
  /* What a model should know about the server. Text. */
  MCP_OPTION_INSTRUCTIONS = 22,
  /* Whether serverInfo is written into every result. Switch: default 1. */
  MCP_OPTION_IDENTIFY = 23,
  /* Whether the tools list may change while the server runs. Switch: default 0. */
  MCP_OPTION_TOOLS_LIST_CHANGED = 24,
  /* Whether the resources lists may change while the server runs. Switch: default 0. */
  MCP_OPTION_RESOURCES_LIST_CHANGED = 25,
  /* Whether the prompts list may change while the server runs. Switch: default 0. */
  MCP_OPTION_PROMPTS_LIST_CHANGED = 26,
  /* Whether clients can subscribe to single resources. Switch: default 0. */
  MCP_OPTION_RESOURCES_SUBSCRIBE = 27,
  /* Whether you answer completions. Switch: default 0. */
  MCP_OPTION_COMPLETIONS = 28,
  /* Whether you send log lines (mcp_call_log) to clients that ask for them. Switch: default 0. */
  MCP_OPTION_LOGGING = 29,
  /* Extensions as a JSON object of id to settings. Text. */
  MCP_OPTION_EXTENSIONS = 30,
  /* Experimental capabilities as a JSON object. Text. */
  MCP_OPTION_EXPERIMENTAL = 31,
  /* Whether a line on stdio that is not JSON is answered with -32700. Switch: default 1. */
  MCP_OPTION_ANSWER_PARSE_ERRORS = 32,
  /* How long stdio waits for owed answers at the end of its input, in milliseconds. Number: 0 to 31536000000,
   * default 5000.
   */
  MCP_OPTION_DRAIN_MS = 33,
  /* Whether sessions of the revisions before 2026-07-28, which initialize opens, are served too. Switch: default 1. */
  MCP_OPTION_LEGACY = 34,
  /* A revision that is offered, such as "2025-11-25"; without any, all of them. List: mcp_config_add_text. */
  MCP_OPTION_REVISION = 35,
  /* How long a call of a session waits for what it asked of the client, in milliseconds; 0: for ever.
   * Number: 0 to 31536000000, default 600000.
   */
  MCP_OPTION_INPUT_TIMEOUT_MS = 36,
};

/* Where callbacks run: MCP_OPTION_DISPATCH.
 * Since: 0.1.
 */
enum {
  /* On a bounded pool of the library's threads; a slow callback holds up nobody else. */
  MCP_DISPATCH_POOL = 0,
  /* On the thread that brought the request; callbacks promise not to block. The fastest. */
  MCP_DISPATCH_INLINE = 1,
  /* Only inside mcp_server_pump, on your own thread. */
  MCP_DISPATCH_PUMP = 2,
};

/* What happens to a catalog item with a fault: MCP_OPTION_INVALID_ITEMS.
 * Since: 0.1.
 */
enum {
  /* The catalog is refused. */
  MCP_INVALID_ITEMS_REFUSE = 0,
  /* The item alone is left out, with a line in the log. */
  MCP_INVALID_ITEMS_SKIP = 1,
};

/* What a call with arguments that break the tool's schema is answered: MCP_OPTION_INVALID_ARGUMENTS.
 * Since: 0.1.
 */
enum {
  /* A tool result with isError that a model can read and correct. */
  MCP_INVALID_ARGUMENTS_TOOL_ERROR = 0,
  /* The JSON-RPC error -32602. */
  MCP_INVALID_ARGUMENTS_REJECT = 1,
};

/* What a caller without the scopes of a catalog item sees: MCP_OPTION_MISSING_SCOPE.
 * Since: 0.1.
 */
enum {
  /* The item does not exist for them. */
  MCP_MISSING_SCOPE_HIDE = 0,
  /* The item is listed; using it is refused with the scopes that are missing. */
  MCP_MISSING_SCOPE_CHALLENGE = 1,
};

/* Who may keep a list or a read result: MCP_OPTION_CACHE_SCOPE.
 * Since: 0.1.
 */
enum {
  /* Only the caller that asked. */
  MCP_CACHE_PRIVATE = 0,
  /* Anyone: the same for all callers. */
  MCP_CACHE_PUBLIC = 1,
};

/* Options of an HTTP endpoint: mcp_http_config_set_int for numbers and switches (0 off, 1 on), mcp_http_config_set_text
 * for texts, mcp_http_config_add_text for lists. Texts are checked by mcp_http_listen and mcp_endpoint_new.
 * Since: 0.1.
 */
enum {
  /* Where a listener waits for connections: "127.0.0.1:4000", "[::1]:0" (port 0: any free one), "unix:/run/x.sock".
   * At least one for mcp_http_listen, none for mcp_endpoint_new. List: mcp_http_config_add_text.
   */
  MCP_HTTP_OPTION_ADDRESS = 1,
  /* The path of the endpoint, "/mcp" unless set; "" where your router has chosen already: every path is the endpoint
   * then. Text.
   */
  MCP_HTTP_OPTION_PATH = 2,
  /* A page in browsers that may use the endpoint, as "https://host" or "https://host:port"; "loopback" is every page
   * that this machine itself serves. One of this and mcp_http_config_allow_any_origin is required. List:
   * mcp_http_config_add_text.
   */
  MCP_HTTP_OPTION_ORIGIN = 3,
  /* A name that the Host header may have; without a port it stands for every port. Without any: loopback names where
   * only loopback addresses are listened on, else everything. List: mcp_http_config_add_text.
   */
  MCP_HTTP_OPTION_HOST = 4,
  /* The longest body, in bytes; a longer one is answered 413. Number: 1024 to 2147483647, default 1048576. */
  MCP_HTTP_OPTION_MAX_BODY_BYTES = 5,
  /* How long a whole body may take to arrive, in milliseconds, before 408; 0: for ever. Number: 0 to 31536000000,
   * default 15000.
   */
  MCP_HTTP_OPTION_BODY_TIMEOUT_MS = 6,
  /* Bytes of all bodies that were received and are not answered yet; the first 65536 of each are free. Over it new
   * requests are answered 503. Number: 0 to 1099511627776, default 67108864.
   */
  MCP_HTTP_OPTION_BYTE_BUDGET = 7,
  /* After so much silence, in milliseconds, a stream gets a comment, and a call becomes a stream; 0: never. Number: 0
   * to 31536000000, default 15000.
   */
  MCP_HTTP_OPTION_KEEP_ALIVE_MS = 8,
  /* The protected resource metadata of RFC 9728, a JSON object with "resource". It is served without a token at
   * "/.well-known/oauth-protected-resource" followed by the path, and every challenge names its URL. Text.
   */
  MCP_HTTP_OPTION_RESOURCE_METADATA = 9,
  /* A request header that calls may see with mcp_call_header. List: mcp_http_config_add_text. */
  MCP_HTTP_OPTION_CALL_HEADER = 10,
  /* Calls in flight; one more is answered 503. Number: 1 to 1000000, default 1024. */
  MCP_HTTP_OPTION_MAX_CALLS = 11,
  /* Open subscriptions; one more is answered 503. Number: 0 to 1000000, default 1024. */
  MCP_HTTP_OPTION_MAX_STREAMS = 12,
  /* The longest life of a subscription, in milliseconds; 0: no end. Number: 0 to 31536000000, default 0. */
  MCP_HTTP_OPTION_MAX_STREAM_MS = 13,
  /* What may wait to be sent on one stream, in bytes; a subscription whose client does not read is closed over it.
   * Number: 1024 to 2147483647, default 1048576.
   */
  MCP_HTTP_OPTION_STREAM_QUEUE_BYTES = 14,
  /* The realm that challenges name. Text. */
  MCP_HTTP_OPTION_REALM = 15,
  /* How often mcp_authorize_fn is asked again about an open subscription, in milliseconds; 0: never. Number: 0 to
   * 31536000000, default 0.
   */
  MCP_HTTP_OPTION_REAUTHORIZE_MS = 16,
  /* Whether mcp_authorize_fn is asked again before a subscription is told something. Switch: default 0. */
  MCP_HTTP_OPTION_REAUTHORIZE_ON_DELIVERY = 17,
  /* Whether the principal of a peer on a Unix socket is "uid:" and its user id. Only with
   * mcp_http_config_allow_any_caller. Switch: default 0.
   */
  MCP_HTTP_OPTION_UNIX_PRINCIPAL = 18,
  /* Threads of a listener; a connection stays on one. Number: 1 to 1024, default 1. */
  MCP_HTTP_OPTION_THREADS = 19,
  /* Open connections of a listener; more wait until one closes. Number: 1 to 1000000, default 4096. */
  MCP_HTTP_OPTION_MAX_CONNECTIONS = 20,
  /* How long a listener waits for the head of a request, in milliseconds, before 408; 0: for ever. Number: 0 to
   * 31536000000, default 10000.
   */
  MCP_HTTP_OPTION_HEADER_TIMEOUT_MS = 21,
  /* How long a listener keeps a connection without a request, or one whose client does not read what is sent to it, in
   * milliseconds; 0: for ever. Number: 0 to 31536000000, default 60000.
   */
  MCP_HTTP_OPTION_IDLE_MS = 22,
  /* How long requests in flight on a listener have to be answered after mcp_server_stop, in milliseconds. Number: 0 to
   * 31536000000, default 5000.
   */
  MCP_HTTP_OPTION_DRAIN_MS = 23,
  /* What becomes of initialize, with which clients of the revisions before 2026-07-28 begin. Choice: MCP_SESSIONS_KEPT
   * (default), MCP_SESSIONS_STATELESS.
   */
  MCP_HTTP_OPTION_SESSIONS = 24,
  /* Sessions at once. For one more, that is ended whose client has been away for longest; with none to end, initialize
   * is answered 503. Number: 1 to 1000000, default 10000.
   */
  MCP_HTTP_OPTION_MAX_SESSIONS = 25,
  /* How long a session is kept whose client sends nothing and has no stream open, in milliseconds; 0: for ever. Number:
   * 0 to 31536000000, default 1800000.
   */
  MCP_HTTP_OPTION_SESSION_IDLE_MS = 26,
  /* What is kept of each session's streams, so that a client that was cut off can have it again, in bytes; the last
   * event is kept in any case. 0: streams cannot be resumed. Number: 0 to 2147483647, default 262144.
   */
  MCP_HTTP_OPTION_SESSION_REPLAY_BYTES = 27,
  /* After how long a client comes back to a stream that ended before it was complete, in milliseconds; 0: it is not
   * told. Number: 0 to 31536000000, default 1000.
   */
  MCP_HTTP_OPTION_RETRY_MS = 28,
  /* The path of the HTTP+SSE transport of 2024-11-05, beside MCP_HTTP_OPTION_PATH; it is not served unless set. Text. */
  MCP_HTTP_OPTION_SSE_PATH = 29,
};

/* What becomes of initialize: MCP_HTTP_OPTION_SESSIONS.
 * Since: 0.1.
 */
enum {
  /* It opens a session, which later requests name in Mcp-Session-Id. */
  MCP_SESSIONS_KEPT = 0,
  /* It is answered, and nothing is kept: each request is served by itself, for hosts that run in many places or only
   * while they answer. Clients are asked nothing and hear of no changes.
   */
  MCP_SESSIONS_STATELESS = 1,
};

/* The head of a request that wants in. Answer it exactly once: inside mcp_authorize_fn or later, from any thread. Freed
 * without an answer, the client gets 500 and no reason; without one for 30 seconds, 503.
 *
 * Reading leaves it yours; the functions that finish it consume it, and the views that it gave end. As a net for mistakes
 * the library remembers the handles that were consumed last, so that finishing one again is most often
 * MCP_STATUS_ANSWERED; do not build on it.
 *
 * Functions: mcp_auth_method, mcp_auth_path, mcp_auth_header, mcp_auth_peer, mcp_auth_allow, mcp_auth_refuse,
 * mcp_auth_free.
 * Since: 0.1.
 */
typedef struct mcp_auth mcp_auth;

/* Bytes that the library made and you own: a response, a JSON text. A NUL follows them.
 *
 * Functions: mcp_bytes_data, mcp_bytes_free.
 * Since: 0.1.
 */
typedef struct mcp_bytes mcp_bytes;

/* One request that you answer exactly once: inside mcp_call_fn or later, from any thread. Freed without an answer, the
 * client gets the error -32603.
 *
 * Reading and acting leave the call yours; the functions that finish it consume it, and the views that it gave end.
 * It may outlive its connection and its server. As a net for mistakes the library remembers the handles that were
 * consumed last, so that finishing one again is most often MCP_STATUS_ANSWERED; do not build on it.
 *
 * Read: mcp_call_kind, mcp_call_number, mcp_call_name, mcp_call_arguments, mcp_call_argument_text,
 * mcp_call_argument_int, mcp_call_argument_double, mcp_call_argument_bool, mcp_call_argument_count,
 * mcp_call_argument_json, mcp_call_variable, mcp_call_template, mcp_call_meta_json, mcp_call_answers_json,
 * mcp_call_answer_text, mcp_call_answer_json, mcp_call_state, mcp_call_round, mcp_call_caller,
 * mcp_call_client_supports, mcp_call_protocol_version, mcp_call_header, mcp_call_cancelled. Act: mcp_call_progress, mcp_call_log,
 * mcp_call_close_stream. Finish:
 * mcp_call_complete_text, mcp_call_complete_blob, mcp_call_complete_json, mcp_call_fail, mcp_call_reject, mcp_call_require_input, mcp_call_free.
 * Since: 0.1.
 */
typedef struct mcp_call mcp_call;

/* Who asks. Identity comes from here only; nothing in a request can change it.
 *
 * You need not look at the statuses of its setters: a caller with a fault cannot be used, and the function that you
 * give it to says what was wrong.
 *
 * Functions: mcp_caller_new, mcp_caller_new_local, mcp_caller_free, mcp_caller_set_owner_key,
 * mcp_caller_set_catalog_key, mcp_caller_add_scope, mcp_caller_set_all_scopes, mcp_caller_set_claims,
 * mcp_caller_set_expiry, mcp_caller_principal, mcp_caller_owner_key, mcp_caller_catalog_key, mcp_caller_has_scope,
 * mcp_caller_claims_json, mcp_caller_expiry.
 * Since: 0.1.
 */
typedef struct mcp_caller mcp_caller;

/* A catalog being filled, inside mcp_catalog_fn. Definitions are JSON texts in the protocol's own shapes, and clients
 * see them as you wrote them.
 *
 * A text that is not JSON is refused at once. Every other fault is noted, and all are reported together when the
 * catalog is done. You need not look at the statuses here: a catalog with a fault is never used, unless
 * MCP_OPTION_INVALID_ITEMS says that a faulty item is left out.
 *
 * Functions: mcp_catalog_add, mcp_catalog_add_tool, mcp_catalog_add_resource, mcp_catalog_add_resource_template,
 * mcp_catalog_add_prompt, mcp_catalog_fail.
 * Since: 0.1.
 */
typedef struct mcp_catalog mcp_catalog;

/* What a server is made from: mcp_server_new consumes it.
 *
 * You need not look at the statuses of its setters: mcp_server_new fails with every fault, a line each.
 *
 * Functions: mcp_config_new, mcp_config_free, mcp_config_set_int, mcp_config_set_text, mcp_config_add_text,
 * mcp_config_set_catalog, mcp_config_on_catalog, mcp_config_on_call, mcp_config_on_cancel, mcp_config_on_log,
 * mcp_config_on_event.
 * Since: 0.1.
 */
typedef struct mcp_config mcp_config;

/* What the library remembers for one stdio-like peer (a pipe, a socket, a WebSocket), of any protocol revision. You
 * bring its bytes, a callback takes what goes back.
 *
 * A host without threads looks at mcp_connection_next_deadline and calls mcp_connection_tick then.
 *
 * Functions: mcp_connection_new, mcp_connection_free, mcp_connection_receive, mcp_connection_end_input,
 * mcp_connection_wants_input, mcp_connection_owed, mcp_connection_set_backlog, mcp_connection_next_deadline, mcp_connection_tick,
 * mcp_connection_close, mcp_connection_is_closed.
 * Since: 0.1.
 */
typedef struct mcp_connection mcp_connection;

/* HTTP without a socket, for your own web server: it routes requests here, an mcp_http_exchange answers each.
 *
 * Functions: mcp_endpoint_new, mcp_endpoint_free, mcp_endpoint_stop, mcp_endpoint_next_deadline, mcp_endpoint_tick,
 * mcp_http_begin.
 * Since: 0.1.
 */
typedef struct mcp_endpoint mcp_endpoint;

/* What went wrong: a status for programs and a message for people.
 *
 * The message is one short sentence that says what was wrong, where, and what to do; for a catalog or a
 * configuration it is one line for each fault.
 *
 * Functions: mcp_error_status, mcp_error_message, mcp_error_free.
 * Since: 0.1.
 */
typedef struct mcp_error mcp_error;

/* What an HTTP endpoint is made from: mcp_http_listen and mcp_endpoint_new consume it.
 *
 * Two things have no default, since a wrong one would open your machine: who may use the endpoint
 * (mcp_http_config_on_authorize or mcp_http_config_allow_any_caller) and which pages in browsers may
 * (MCP_HTTP_OPTION_ORIGIN or mcp_http_config_allow_any_origin). You need not look at the statuses of its setters: who
 * consumes it fails with every fault, a line each.
 *
 * Functions: mcp_http_config_new, mcp_http_config_free, mcp_http_config_set_int, mcp_http_config_set_text,
 * mcp_http_config_add_text, mcp_http_config_allow_any_caller, mcp_http_config_allow_any_origin,
 * mcp_http_config_on_authorize, mcp_http_config_on_authorize_body, mcp_http_config_session_store.
 * Since: 0.1.
 */
typedef struct mcp_http_config mcp_http_config;

/* One HTTP request on your web server. You bring its head, then its body when it is wanted; callbacks take the answer.
 *
 * The callbacks run on whatever thread has something to say: inside mcp_http_begin, mcp_http_body and mcp_http_tick, and
 * on the threads that finish calls and authorizations; one at a time, in order, under no lock. A host without threads
 * looks at mcp_http_next_deadline and calls mcp_http_tick then.
 *
 * Functions: mcp_http_begin, mcp_http_body, mcp_http_pause, mcp_http_next_deadline, mcp_http_tick, mcp_http_free.
 * Since: 0.1.
 */
typedef struct mcp_http_exchange mcp_http_exchange;

/* HTTP with its own sockets and threads: HTTP/1.1 and HTTP/2 without TLS (h2c), over TCP and Unix sockets.
 *
 * Functions: mcp_http_listen, mcp_listener_port, mcp_listener_address, mcp_listener_wait, mcp_listener_stop,
 * mcp_listener_free.
 * Since: 0.1.
 */
typedef struct mcp_listener mcp_listener;

/* A protocol server: immutable, usable from any number of threads at once, without I/O of its own.
 *
 * Functions: mcp_server_new, mcp_server_free, mcp_handle_request, mcp_connection_new, mcp_serve_stdio, mcp_serve_fd,
 * mcp_server_catalog_changed, mcp_server_resource_updated, mcp_server_revoke, mcp_server_pump, mcp_server_pump_fd,
 * mcp_server_stats, mcp_server_stop.
 * Since: 0.1.
 */
typedef struct mcp_server mcp_server;

/* A session that is looked for, inside mcp_session_load_fn.
 *
 * Functions: mcp_session_found.
 * Since: 0.1.
 */
typedef struct mcp_session mcp_session;

/* Fills a catalog for the callers whose catalog key is `key`; the empty key is the common catalog.
 *
 * It runs in mcp_server_new, after mcp_server_catalog_changed, and when the first caller with a new key comes.
 * Ownership: `key` and `catalog` are valid until the function returns.
 * Threads: callback.
 * Since: 0.1.
 */
typedef void (*mcp_catalog_fn)(void *user_data, const char *key, size_t len, mcp_catalog *catalog);

/* Ends the life of a user_data.
 *
 * It runs exactly once: after the last callback with that user_data returned and the last call of the server was
 * consumed, on whatever thread that happens; also when the registration or mcp_server_new fails.
 * MCP_DISPATCH_PUMP: only inside a function that you called.
 * Threads: callback.
 * Since: 0.1.
 */
typedef void (*mcp_destroy_fn)(void *user_data);

/* Answers a call, now or later, from any thread.
 * Ownership: `call` is yours. Finish it with an mcp_call_complete, _fail, _reject or _require_input function, which
 * consume it, or give it up with mcp_call_free.
 * Threads: callback.
 * Since: 0.1.
 */
typedef void (*mcp_call_fn)(void *user_data, mcp_call *call);

/* Learns that a call ended without its answer: which one (mcp_call_number) and why (MCP_CANCEL_*).
 *
 * The handle of the call stays valid and is still yours to consume; what you answer is dropped.
 * Threads: callback.
 * Since: 0.1.
 */
typedef void (*mcp_cancel_fn)(void *user_data, uint64_t call_number, int32_t reason);

/* Takes a line of the library's own log; `level` is MCP_LOG_*.
 * Ownership: `text` is valid until the function returns; a NUL follows it.
 * Threads: callback.
 * Since: 0.1.
 */
typedef void (*mcp_log_fn)(void *user_data, int32_t level, const char *text, size_t len);

/* Takes an event, one JSON object: what the server did, for metrics and audit.
 * Ownership: `event_json` is valid until the function returns; no NUL follows it.
 * Threads: callback.
 * Since: 0.1.
 */
typedef void (*mcp_event_fn)(void *user_data, const char *event_json, size_t len);

/* Takes one or more whole messages of a connection, in order; a newline ends each, and none has one inside.
 *
 * Write them to a byte stream as they are, or cut them at the newlines for a transport that has frames. The function
 * must take everything. It is called by one thread at a time.
 * Ownership: `messages` is valid until the function returns; no NUL follows it.
 * Threads: callback.
 * Since: 0.1.
 */
typedef void (*mcp_output_fn)(void *user_data, const char *messages, size_t len);

/* Decides who may use an endpoint, now or later, from any thread. It runs before a byte of the body is read.
 * Ownership: `auth` is yours. Finish it with mcp_auth_allow or mcp_auth_refuse, which consume it, or give it up with
 * mcp_auth_free.
 * Threads: callback; where MCP_OPTION_DISPATCH says, before calls that wait.
 * Since: 0.1.
 */
typedef void (*mcp_authorize_fn)(void *user_data, mcp_auth *auth);

/* Sees the exact bytes of a body before they are read as JSON, for signatures and filters. 0 lets it in; with any other
 * number the client gets 403 and no reason.
 * Ownership: `caller` and `body` are valid until the function returns; no NUL follows the body.
 * Threads: callback; where MCP_OPTION_DISPATCH says.
 * Since: 0.1.
 */
typedef int32_t (*mcp_authorize_body_fn)(void *user_data, const mcp_caller *caller, const char *body, size_t len);

/* Keeps a session of an older revision under `id`, instead of what was there. `session` is a JSON text that means
 * nothing to you; it holds whose session it is, so keep it where nobody else reads. You may forget it when it was not
 * saved again for `ttl_ms` milliseconds (0: never); a session that is in use is saved again in time. 0 if it is kept,
 * any other number if not: then `initialize` is answered 503.
 *
 * It may block, and so may mcp_session_load_fn and mcp_session_delete_fn. MCP_DISPATCH_POOL: they run on the pool, several
 * at once. MCP_DISPATCH_INLINE: on a thread of the endpoint that does nothing else. MCP_DISPATCH_PUMP: inside
 * mcp_server_pump.
 * Ownership: `id` and `session` are valid until the function returns; a NUL follows each.
 * Threads: callback.
 * Since: 0.1.
 */
typedef int32_t (*mcp_session_save_fn)(void *user_data, const char *id, const char *session, size_t len,
    uint64_t ttl_ms);

/* Looks for what was saved under `id` last, and gives it to mcp_session_found. 0 if it was found or is not there, any
 * other number if you cannot tell: then the client gets 503.
 * Ownership: `id` and `session` are valid until the function returns; a NUL follows the id.
 * Threads: callback.
 * Since: 0.1.
 */
typedef int32_t (*mcp_session_load_fn)(void *user_data, const char *id, mcp_session *session);

/* Forgets what was saved under `id`, if there is anything. 0 if it is gone, any other number if not.
 * Ownership: `id` is valid until the function returns; a NUL follows it.
 * Threads: callback.
 * Since: 0.1.
 */
typedef int32_t (*mcp_session_delete_fn)(void *user_data, const char *id);

/* Asks for the body of a request: hand it over with mcp_http_body, here or later. It comes at most once and before the
 * head; a request that is refused before its body is read has none, so leave the body alone until then.
 *
 * `max_bytes` is the longest body that is taken; what is longer is answered 413 as soon as one byte more comes. Where
 * the client waits for it (Expect: 100-continue), tell it now to go on.
 * Threads: callback; one at a time for an exchange.
 * Since: 0.1.
 */
typedef void (*mcp_http_want_body_fn)(void *user_data, uint64_t max_bytes);

/* Takes status and headers of the answer, each header as "Name: value" and CR LF. It comes once.
 *
 * "connection: close" is among them where the body was not read: close the connection behind the answer. The data has
 * a length of its own only in its "content-length", if there is one; else send it in chunks and flush each.
 * Ownership: `headers` is valid until the function returns; a NUL follows it.
 * Threads: callback; one at a time for an exchange.
 * Since: 0.1.
 */
typedef void (*mcp_http_head_fn)(void *user_data, int32_t status, const char *headers, size_t len);

/* Takes data of the answer, in order: send and flush it. `last` is true exactly once, at the end of every answer; then
 * `len` may be 0.
 *
 * A host that cannot write now keeps the data and calls mcp_http_pause.
 * Ownership: `data` is valid until the function returns; no NUL follows it.
 * Threads: callback; one at a time for an exchange.
 * Since: 0.1.
 */
typedef void (*mcp_http_data_fn)(void *user_data, const char *data, size_t len, bool last);

/* The version of the library that is loaded, as text: "0.1.0".
 * Ownership: a constant; never freed.
 * Threads: any.
 * Since: 0.1.
 */
const char *mcp_version(void);

/* The version of the library that is loaded, as MCP_VERSION_NUMBER counts. Compare it with the macro to learn whether
 * the header is of another version.
 * Threads: any.
 * Since: 0.1.
 */
uint32_t mcp_version_number(void);

/* The status of an error; MCP_STATUS_OK for NULL.
 * Threads: any.
 * Since: 0.1.
 */
mcp_status mcp_error_status(const mcp_error *error);

/* The message of an error; "no error" for NULL, so that it can always be printed.
 * Ownership: valid until the error is freed.
 * Threads: any.
 * Since: 0.1.
 */
const char *mcp_error_message(const mcp_error *error, size_t *len);

/* Frees an error; NULL does nothing.
 * Threads: one at a time.
 * Since: 0.1.
 */
void mcp_error_free(mcp_error *error);

/* The bytes, followed by a NUL; NULL for NULL.
 * Ownership: valid until the bytes are freed.
 * Threads: any.
 * Since: 0.1.
 */
const char *mcp_bytes_data(const mcp_bytes *bytes, size_t *len);

/* Frees bytes; NULL does nothing.
 * Threads: one at a time.
 * Since: 0.1.
 */
void mcp_bytes_free(mcp_bytes *bytes);

/* Checks that a text is one well-formed JSON-RPC message as this library reads it; for gateways.
 * Threads: any.
 * Errors: MCP_STATUS_INVALID_JSON; the message says what is wrong and where.
 * Since: 0.1.
 */
mcp_status mcp_check_message(const char *message, size_t len, mcp_error **error);

/* Writes a text as a JSON string literal, quotes included.
 * Ownership: *out is yours. Free with mcp_bytes_free.
 * Threads: any.
 * Errors: MCP_STATUS_INVALID_UTF8.
 * Since: 0.1.
 */
mcp_status mcp_json_quote(const char *text, size_t len, mcp_bytes **out, mcp_error **error);

/* Makes a configuration with every default. Name and version are what clients see in serverInfo.
 * Ownership: the result is yours. Free with mcp_config_free, or pass to mcp_server_new, which consumes it.
 * Threads: any.
 * Since: 0.1.
 */
mcp_config *mcp_config_new(const char *name, const char *version);

/* Frees a configuration that no server was made from; NULL does nothing.
 * Threads: one at a time.
 * Since: 0.1.
 */
void mcp_config_free(mcp_config *config);

/* Sets an option that is a number, a choice or a switch.
 * Threads: one at a time.
 * Errors: MCP_STATUS_INVALID_ARGUMENT for an option that does not exist or is of another type, or a number out of
 * bounds.
 * Since: 0.1.
 */
mcp_status mcp_config_set_int(mcp_config *config, int32_t option, int64_t value);

/* Sets an option that is a text.
 * Threads: one at a time.
 * Errors: MCP_STATUS_INVALID_ARGUMENT for an option that does not exist or is of another type; MCP_STATUS_INVALID_UTF8.
 * Since: 0.1.
 */
mcp_status mcp_config_set_text(mcp_config *config, int32_t option, const char *text, size_t len);

/* Appends to an option that is a list of texts.
 * Threads: one at a time.
 * Errors: MCP_STATUS_INVALID_ARGUMENT for an option that does not exist or is of another type, or a text that the
 * option does not take; MCP_STATUS_INVALID_UTF8.
 * Since: 0.1.
 */
mcp_status mcp_config_add_text(mcp_config *config, int32_t option, const char *text, size_t len);

/* Sets a constant catalog: {"tools":[…],"resources":[…],"resourceTemplates":[…],"prompts":[…]}, each key optional. What
 * mcp_catalog_fn adds comes on top.
 * Threads: one at a time.
 * Errors: MCP_STATUS_INVALID_UTF8. The rest is checked by mcp_server_new.
 * Since: 0.1.
 */
mcp_status mcp_config_set_catalog(mcp_config *config, const char *json, size_t len);

/* Registers the function that fills catalogs. A second registration replaces the first, whose destroy runs then.
 * Ownership: `destroy`, if not NULL, runs once for `user_data`, also when this fails.
 * Threads: one at a time.
 * Since: 0.1.
 */
mcp_status mcp_config_on_catalog(mcp_config *config, mcp_catalog_fn function, void *user_data,
    mcp_destroy_fn destroy);

/* Registers the function that answers calls; needed as soon as the catalog offers anything. A second registration replaces the first, whose destroy runs then.
 * Ownership: `destroy`, if not NULL, runs once for `user_data`, also when this fails.
 * Threads: one at a time.
 * Since: 0.1.
 */
mcp_status mcp_config_on_call(mcp_config *config, mcp_call_fn function, void *user_data, mcp_destroy_fn destroy);

/* Registers the function that learns of cancelled calls. A second registration replaces the first, whose destroy runs
 * then.
 * Ownership: `destroy`, if not NULL, runs once for `user_data`, also when this fails.
 * Threads: one at a time.
 * Since: 0.1.
 */
mcp_status mcp_config_on_cancel(mcp_config *config, mcp_cancel_fn function, void *user_data, mcp_destroy_fn destroy);

/* Registers the function that takes the library's own log; without one, warnings and worse go to standard error. A
 * second registration replaces the first, whose destroy runs then.
 * Ownership: `destroy`, if not NULL, runs once for `user_data`, also when this fails.
 * Threads: one at a time.
 * Since: 0.1.
 */
mcp_status mcp_config_on_log(mcp_config *config, mcp_log_fn function, void *user_data, mcp_destroy_fn destroy);

/* Registers the function that takes events. A second registration replaces the first, whose destroy runs then.
 * Ownership: `destroy`, if not NULL, runs once for `user_data`, also when this fails.
 * Threads: one at a time.
 * Since: 0.1.
 */
mcp_status mcp_config_on_event(mcp_config *config, mcp_event_fn function, void *user_data, mcp_destroy_fn destroy);

/* Adds a whole document: {"tools":[…],"resources":[…],"resourceTemplates":[…],"prompts":[…]}, each key optional.
 * Threads: callback.
 * Errors: MCP_STATUS_INVALID_UTF8, MCP_STATUS_INVALID_JSON.
 * Since: 0.1.
 */
mcp_status mcp_catalog_add(mcp_catalog *catalog, const char *json, size_t len);

/* Adds one tool: {"name":…,"description":…,"inputSchema":…,…}.
 * Threads: callback.
 * Errors: MCP_STATUS_INVALID_UTF8, MCP_STATUS_INVALID_JSON.
 * Since: 0.1.
 */
mcp_status mcp_catalog_add_tool(mcp_catalog *catalog, const char *json, size_t len);

/* Adds one resource: {"uri":…,"name":…,"mimeType":…,…}.
 * Threads: callback.
 * Errors: MCP_STATUS_INVALID_UTF8, MCP_STATUS_INVALID_JSON.
 * Since: 0.1.
 */
mcp_status mcp_catalog_add_resource(mcp_catalog *catalog, const char *json, size_t len);

/* Adds one resource template: {"uriTemplate":…,"name":…,"mimeType":…,…}.
 * Threads: callback.
 * Errors: MCP_STATUS_INVALID_UTF8, MCP_STATUS_INVALID_JSON.
 * Since: 0.1.
 */
mcp_status mcp_catalog_add_resource_template(mcp_catalog *catalog, const char *json, size_t len);

/* Adds one prompt: {"name":…,"arguments":[…],…}.
 * Threads: callback.
 * Errors: MCP_STATUS_INVALID_UTF8, MCP_STATUS_INVALID_JSON.
 * Since: 0.1.
 */
mcp_status mcp_catalog_add_prompt(mcp_catalog *catalog, const char *json, size_t len);

/* Says that the catalog cannot be had, and why. At start the server is refused; later the old catalog stays.
 * Threads: callback.
 * Since: 0.1.
 */
mcp_status mcp_catalog_fail(mcp_catalog *catalog, const char *reason, size_t len);

/* Makes a server. Everything is checked here, and every fault of the configuration and the catalog is reported, a line
 * each.
 * Ownership: consumes `config`. *out is yours. Free with mcp_server_free.
 * Threads: any.
 * Errors: MCP_STATUS_INVALID_ARGUMENT, MCP_STATUS_INVALID_UTF8, MCP_STATUS_INVALID_JSON, MCP_STATUS_CATALOG.
 * Since: 0.1.
 */
mcp_status mcp_server_new(mcp_config *config, mcp_server **out, mcp_error **error);

/* Frees a server; NULL does nothing. Calls and connections that are still open keep what they need; calls that wait for
 * mcp_server_pump are ended, since nobody can pump any more.
 * Threads: one at a time. Not inside a callback of this server.
 * Since: 0.1.
 */
void mcp_server_free(mcp_server *server);

/* Serves one modern message (2026-07-28 or newer) and gives its response, on this thread; it starts no thread.
 *
 * Callbacks run on this thread too. A call that is not answered when they return is waited for. What a call says
 * before its answer (progress, log lines) is dropped: there is nowhere to send it.
 * Ownership: `message` is any bytes; what is wrong with it stands in the response. *response is yours, NULL if there is
 * none because the message was a notification. Free with mcp_bytes_free.
 * Threads: any.
 * Errors: MCP_STATUS_TIMEOUT after timeout_ms (-1: without limit) without an answer; MCP_STATUS_CLOSED.
 * Since: 0.1.
 */
mcp_status mcp_handle_request(const mcp_server *server, const mcp_caller *caller, const char *message, size_t len,
    int64_t timeout_ms, mcp_bytes **response, mcp_error **error);

/* Builds the catalog for a key anew ("" is the common one), publishes it before it returns, and tells subscribers. On a
 * fault the old one stays.
 * Threads: any; also inside callbacks, but not inside mcp_catalog_fn.
 * Errors: MCP_STATUS_CATALOG.
 * Since: 0.1.
 */
mcp_status mcp_server_catalog_changed(const mcp_server *server, const char *catalog_key, size_t len,
    mcp_error **error);

/* Tells the subscribers of a resource that it changed.
 * Threads: any; also inside callbacks.
 * Since: 0.1.
 */
mcp_status mcp_server_resource_updated(const mcp_server *server, const char *uri, size_t len, mcp_error **error);

/* Ends the subscriptions of callers whose owner key or principal this is.
 * Threads: any; also inside callbacks.
 * Since: 0.1.
 */
mcp_status mcp_server_revoke(const mcp_server *server, const char *owner_key, size_t len, mcp_error **error);

/* Runs waiting callbacks on this thread, for about max_ms and at least one if there is one. With MCP_DISPATCH_PUMP
 * callbacks run nowhere else.
 *
 * `calls_run` may be NULL; it gets how many ran.
 * Threads: any; the host's own choice, since that is where its code runs.
 * Errors: MCP_STATUS_INVALID_ARGUMENT if the server has no pump.
 * Since: 0.1.
 */
mcp_status mcp_server_pump(const mcp_server *server, int64_t max_ms, uint32_t *calls_run, mcp_error **error);

/* A descriptor that is readable while mcp_server_pump has work, for poll() and the like; -1 if the server has no pump.
 * Ownership: the library's; do not read or close it. Valid until the server is freed.
 * Threads: any.
 * Since: 0.1.
 */
int mcp_server_pump_fd(const mcp_server *server);

/* Counters of the server as a JSON object.
 * Ownership: *json is yours. Free with mcp_bytes_free.
 * Threads: any; also inside callbacks.
 * Since: 0.1.
 */
mcp_status mcp_server_stats(const mcp_server *server, mcp_bytes **json, mcp_error **error);

/* Stops a server for good: ends subscriptions, refuses new requests, gives calls in flight timeout_ms (-1: without
 * limit) to end, and cancels the rest.
 * Threads: any. Not inside a callback of this server, which it would wait for.
 * Errors: MCP_STATUS_TIMEOUT if calls had to be cancelled.
 * Since: 0.1.
 */
mcp_status mcp_server_stop(const mcp_server *server, int64_t timeout_ms, mcp_error **error);

/* What the call asks for, MCP_CALL_*; 0 for NULL.
 * Threads: any.
 * Since: 0.1.
 */
int32_t mcp_call_kind(const mcp_call *call);

/* A number that no other call of the server has; mcp_cancel_fn names the call with it. 0 for NULL.
 * Threads: any.
 * Since: 0.1.
 */
uint64_t mcp_call_number(const mcp_call *call);

/* The tool's or prompt's name, the resource's uri, or for a completion the prompt's name or the uri template.
 * Ownership: valid until the call is consumed.
 * Threads: any.
 * Since: 0.1.
 */
const char *mcp_call_name(const mcp_call *call, size_t *len);

/* A variable of the uri template that matched, decoded; NULL if the template has none of that name or the uri leaves it
 * out.
 * Ownership: valid until the call is consumed.
 * Threads: any.
 * Since: 0.1.
 */
const char *mcp_call_variable(const mcp_call *call, const char *name, size_t *len);

/* The uri template that matched; NULL if the resource stands in the catalog itself.
 * Ownership: valid until the call is consumed.
 * Threads: any.
 * Since: 0.1.
 */
const char *mcp_call_template(const mcp_call *call, size_t *len);

/* The request's _meta, a JSON object. In a session, the revision and what the client said of itself when it opened the
 * session stand there too, under the same keys as in a request of 2026-07-28.
 * Ownership: valid until the call is consumed; no NUL follows it.
 * Threads: any.
 * Since: 0.1.
 */
const char *mcp_call_meta_json(const mcp_call *call, size_t *len);

/* All answers to input requests so far, a JSON object from your keys to the answers; {} in the first round.
 * Ownership: valid until the call is consumed; no NUL follows it.
 * Threads: any.
 * Since: 0.1.
 */
const char *mcp_call_answers_json(const mcp_call *call, size_t *len);

/* What you kept with mcp_call_require_input in the round before; NULL if nothing.
 * Ownership: valid until the call is consumed.
 * Threads: any.
 * Since: 0.1.
 */
const char *mcp_call_state(const mcp_call *call, size_t *len);

/* Which round of mcp_call_require_input this is; 0 is the first.
 * Threads: any.
 * Since: 0.1.
 */
uint32_t mcp_call_round(const mcp_call *call);

/* Who asks; NULL for NULL.
 * Ownership: the call's; do not free it. Valid until the call is consumed.
 * Threads: any.
 * Since: 0.1.
 */
const mcp_caller *mcp_call_caller(const mcp_call *call);

/* Whether the client declared a capability: "sampling", "sampling.tools", "elicitation.url", "roots",
 * "extensions.<id>" and so on.
 * Threads: any.
 * Since: 0.1.
 */
bool mcp_call_client_supports(const mcp_call *call, const char *capability);

/* The protocol revision that the request is served under, such as "2026-07-28"; in a session the session's.
 * Ownership: valid until the call is consumed.
 * Threads: any.
 * Since: 0.1.
 */
const char *mcp_call_protocol_version(const mcp_call *call);

/* Why the call ended without its answer, MCP_CANCEL_*; 0 while somebody still waits for it.
 * Threads: any.
 * Since: 0.1.
 */
int32_t mcp_call_cancelled(const mcp_call *call);

/* Reports progress. It is dropped silently unless the client asked for it and `progress` grew.
 *
 * `total` below 0 or not a number: unknown. `message` may be NULL.
 * Threads: any.
 * Errors: MCP_STATUS_GONE.
 * Since: 0.1.
 */
mcp_status mcp_call_progress(const mcp_call *call, double progress, double total, const char *message, size_t len,
    mcp_error **error);

/* Sends a log line to the client. It is dropped silently below the level that the request asked for; in a session below
 * the one that the client set last, at first MCP_LOG_INFO.
 *
 * `level` is MCP_LOG_*, `logger` a name or NULL, `data_json` any JSON value: mcp_json_quote makes one of a text.
 * Threads: any.
 * Errors: MCP_STATUS_INVALID_JSON, MCP_STATUS_GONE; MCP_STATUS_INVALID_ARGUMENT without MCP_OPTION_LOGGING.
 * Since: 0.1.
 */
mcp_status mcp_call_log(const mcp_call *call, int32_t level, const char *logger, const char *data_json, size_t len,
    mcp_error **error);

/* Ends the stream on which the call is to be answered, so that no connection is held for a call that takes long: the
 * client comes back for the rest after `retry_ms` milliseconds (0: what MCP_HTTP_OPTION_RETRY_MS says). It does nothing
 * where clients cannot come back: in requests of 2026-07-28, in sessions before 2025-11-25, without HTTP.
 * Threads: any.
 * Since: 0.1.
 */
mcp_status mcp_call_close_stream(const mcp_call *call, uint64_t retry_ms);

/* The arguments as the client sent them, a JSON object; {} when there were none. They hold to the tool's schema.
 * Ownership: valid until the call is consumed; no NUL follows it.
 * Threads: any.
 * Since: 0.1.
 */
const char *mcp_call_arguments(const mcp_call *call, size_t *len);

/* The text at a JSON pointer ("/place", "/tags/0") into the arguments, decoded; NULL if there is none or it is not a
 * string. It may hold a NUL of its own, which only `len` tells.
 * Ownership: valid until the call is consumed.
 * Threads: any.
 * Since: 0.1.
 */
const char *mcp_call_argument_text(const mcp_call *call, const char *pointer, size_t *len);

/* Stores the integer at a JSON pointer into the arguments, in any spelling (1, 1.0, 1e2); false, and nothing stored, if
 * there is none or it does not fit.
 * Threads: any.
 * Since: 0.1.
 */
bool mcp_call_argument_int(const mcp_call *call, const char *pointer, int64_t *out);

/* Stores the number at a JSON pointer into the arguments as the nearest double; false, and nothing stored, if there is
 * none or no double holds it.
 * Threads: any.
 * Since: 0.1.
 */
bool mcp_call_argument_double(const mcp_call *call, const char *pointer, double *out);

/* Stores the boolean at a JSON pointer into the arguments; false, and nothing stored, if there is none.
 * Threads: any.
 * Since: 0.1.
 */
bool mcp_call_argument_bool(const mcp_call *call, const char *pointer, bool *out);

/* Stores how many elements or members the array or object at a JSON pointer into the arguments has; false, and nothing
 * stored, if there is neither.
 * Threads: any.
 * Since: 0.1.
 */
bool mcp_call_argument_count(const mcp_call *call, const char *pointer, size_t *out);

/* The value at a JSON pointer into the arguments, as the client wrote it; NULL if there is none.
 * Ownership: valid until the call is consumed; no NUL follows it.
 * Threads: any.
 * Since: 0.1.
 */
const char *mcp_call_argument_json(const mcp_call *call, const char *pointer, size_t *len);

/* The text at a JSON pointer into the answers to your input requests ("/user/action", "/user/content/name"), decoded; NULL
 * if there is none or it is not a string. An answer of a form has "action": "accept", "decline" or "cancel".
 * Ownership: valid until the call is consumed.
 * Threads: any.
 * Since: 0.1.
 */
const char *mcp_call_answer_text(const mcp_call *call, const char *pointer, size_t *len);

/* The JSON at a JSON pointer into the answers to your input requests, as the client wrote it; NULL if there is none.
 * Ownership: valid until the call is consumed; no NUL follows it.
 * Threads: any.
 * Since: 0.1.
 */
const char *mcp_call_answer_json(const mcp_call *call, const char *pointer, size_t *len);

/* Answers with a text: a tool's text block, a resource's text, a prompt's one user message, a completion's values (a
 * line each).
 * Ownership: consumes `call`, also on failure.
 * Threads: any.
 * Errors: MCP_STATUS_ANSWERED, MCP_STATUS_GONE, MCP_STATUS_INVALID_UTF8.
 * Since: 0.1.
 */
mcp_status mcp_call_complete_text(mcp_call *call, const char *text, size_t len, mcp_error **error);

/* Answers with bytes: a resource's blob, or a tool's image or audio block, which `mime_type` tells apart.
 *
 * `mime_type` may be NULL for a resource: its own is used. `len` is always the length.
 * Ownership: consumes `call`, also on failure.
 * Threads: any.
 * Errors: MCP_STATUS_ANSWERED, MCP_STATUS_GONE, MCP_STATUS_INVALID_ARGUMENT.
 * Since: 0.1.
 */
mcp_status mcp_call_complete_blob(mcp_call *call, const void *data, size_t len, const char *mime_type,
    mcp_error **error);

/* Answers with a whole result in the protocol's own shape: {"content":[…],"structuredContent":…} of a tool,
 * {"contents":[…]} of a resource, {"messages":[…]} of a prompt, {"completion":{"values":[…]}}.
 * Ownership: consumes `call`, also on failure.
 * Threads: any.
 * Errors: MCP_STATUS_ANSWERED, MCP_STATUS_GONE, MCP_STATUS_INVALID_UTF8, MCP_STATUS_INVALID_JSON.
 * Since: 0.1.
 */
mcp_status mcp_call_complete_json(mcp_call *call, const char *result, size_t len, mcp_error **error);

/* Tells the model that it failed, in words that it can act on: a tool result with isError. Other kinds of call answer
 * the error -32603.
 * Ownership: consumes `call`, also on failure.
 * Threads: any.
 * Errors: MCP_STATUS_ANSWERED, MCP_STATUS_GONE, MCP_STATUS_INVALID_UTF8.
 * Since: 0.1.
 */
mcp_status mcp_call_fail(mcp_call *call, const char *message, size_t len, mcp_error **error);

/* Refuses with a JSON-RPC error.
 *
 * `data_json` is any JSON value, or NULL.
 * Ownership: consumes `call`, also on failure.
 * Threads: any.
 * Errors: MCP_STATUS_ANSWERED, MCP_STATUS_GONE, MCP_STATUS_INVALID_UTF8, MCP_STATUS_INVALID_JSON.
 * Since: 0.1.
 */
mcp_status mcp_call_reject(mcp_call *call, int32_t code, const char *message, size_t len, const char *data_json,
    size_t data_len, mcp_error **error);

/* Asks the user, the client's model or its roots first. The call comes again with the answers, as a new handle, in
 * another mcp_call_fn, from the top: what was done before the question is done again. That is so in every revision; in a
 * session the client is asked while its request waits.
 *
 * `requests_json` is {"your key":{"method":"elicitation/create","params":{…}},…}. `state` is a text that comes back
 * with mcp_call_state, or NULL; clients carry it sealed. Ask mcp_call_client_supports before.
 * Ownership: consumes `call`, also on failure.
 * Threads: any.
 * Errors: MCP_STATUS_ANSWERED, MCP_STATUS_GONE, MCP_STATUS_INVALID_UTF8, MCP_STATUS_INVALID_JSON.
 * Since: 0.1.
 */
mcp_status mcp_call_require_input(mcp_call *call, const char *requests_json, size_t len, const char *state,
    size_t state_len, mcp_error **error);

/* Frees a call; NULL does nothing. The client gets the error -32603.
 * Ownership: consumes `call`.
 * Threads: any.
 * Since: 0.1.
 */
void mcp_call_free(mcp_call *call);

/* A header of the request, whatever the case of `name`; several values are joined with ", ". NULL if the request has none,
 * MCP_HTTP_OPTION_CALL_HEADER does not name it, or the call did not come over HTTP.
 * Ownership: valid until the call is consumed.
 * Threads: any.
 * Since: 0.1.
 */
const char *mcp_call_header(const mcp_call *call, const char *name, size_t *len);

/* Makes a caller with this principal id, without scopes, for the common catalog, without expiry. An empty principal is
 * the anonymous caller.
 * Ownership: the result is yours. Free with mcp_caller_free.
 * Threads: any.
 * Since: 0.1.
 */
mcp_caller *mcp_caller_new(const char *principal, size_t len);

/* Makes the caller of this machine's own user, as on stdio: principal "local", with all scopes.
 * Ownership: the result is yours. Free with mcp_caller_free.
 * Threads: any.
 * Since: 0.1.
 */
mcp_caller *mcp_caller_new_local(void);

/* Frees a caller; NULL does nothing. What uses it goes on with its own copy.
 * Threads: one at a time.
 * Since: 0.1.
 */
void mcp_caller_free(mcp_caller *caller);

/* Sets the key that owns what the caller makes; without one it is the principal.
 * Threads: one at a time.
 * Since: 0.1.
 */
mcp_status mcp_caller_set_owner_key(mcp_caller *caller, const char *key, size_t len);

/* Sets which catalog the caller sees; the empty key is the common one.
 * Threads: one at a time.
 * Since: 0.1.
 */
mcp_status mcp_caller_set_catalog_key(mcp_caller *caller, const char *key, size_t len);

/* Grants one scope.
 * Threads: one at a time.
 * Since: 0.1.
 */
mcp_status mcp_caller_add_scope(mcp_caller *caller, const char *scope, size_t len);

/* Grants every scope there is.
 * Threads: one at a time.
 * Since: 0.1.
 */
mcp_status mcp_caller_set_all_scopes(mcp_caller *caller);

/* Sets the claims of the credential, a JSON object that your own code reads back with mcp_caller_claims_json.
 * Threads: one at a time.
 * Errors: MCP_STATUS_INVALID_JSON.
 * Since: 0.1.
 */
mcp_status mcp_caller_set_claims(mcp_caller *caller, const char *json, size_t len);

/* Sets when the credential ends, in milliseconds since 1970. What the caller has open then, ends.
 * Threads: one at a time.
 * Errors: MCP_STATUS_INVALID_ARGUMENT for a negative time.
 * Since: 0.1.
 */
mcp_status mcp_caller_set_expiry(mcp_caller *caller, int64_t unix_ms);

/* The principal id; "" for the anonymous caller, NULL for NULL.
 * Ownership: valid until the caller is changed, freed, or the call that it belongs to is consumed.
 * Threads: any.
 * Since: 0.1.
 */
const char *mcp_caller_principal(const mcp_caller *caller, size_t *len);

/* The key that owns what the caller makes; NULL for NULL.
 * Ownership: as mcp_caller_principal.
 * Threads: any.
 * Since: 0.1.
 */
const char *mcp_caller_owner_key(const mcp_caller *caller, size_t *len);

/* The key of the catalog that the caller sees; "" for the common one, NULL for NULL.
 * Ownership: as mcp_caller_principal.
 * Threads: any.
 * Since: 0.1.
 */
const char *mcp_caller_catalog_key(const mcp_caller *caller, size_t *len);

/* Whether the caller has a scope. One that ends in "*" is had by whoever has a scope that begins the same.
 * Threads: any.
 * Since: 0.1.
 */
bool mcp_caller_has_scope(const mcp_caller *caller, const char *scope);

/* The claims, a JSON object; NULL if none were set.
 * Ownership: as mcp_caller_principal.
 * Threads: any.
 * Since: 0.1.
 */
const char *mcp_caller_claims_json(const mcp_caller *caller, size_t *len);

/* When the credential ends, in milliseconds since 1970; -1 for never.
 * Threads: any.
 * Since: 0.1.
 */
int64_t mcp_caller_expiry(const mcp_caller *caller);

/* Serves this process's standard input and output until the input ends.
 *
 * It takes private copies of descriptors 0 and 1 and points 0 at the null device and 1 at standard error, for the rest
 * of the process, so that stray prints and child processes cannot touch the protocol. So it can be called once. At the
 * end of the input it waits for owed answers, at most MCP_OPTION_DRAIN_MS.
 * Threads: any. It blocks its thread; mcp_server_stop on another ends it.
 * Errors: MCP_STATUS_IO if a descriptor is not open or nobody reads the output; MCP_STATUS_CLOSED the second time.
 * Since: 0.1.
 */
mcp_status mcp_serve_stdio(const mcp_server *server, mcp_error **error);

/* Serves a pair of descriptors (two pipes, or a socket twice) until the input ends, as stdio is served.
 * Ownership: the descriptors stay yours, and must stay open until the function returns.
 * Threads: any. It blocks its thread; mcp_server_stop on another ends it.
 * Errors: MCP_STATUS_IO if nobody reads the output; MCP_STATUS_INVALID_ARGUMENT for a descriptor below 0.
 * Since: 0.1.
 */
mcp_status mcp_serve_fd(const mcp_server *server, int in_fd, int out_fd, mcp_error **error);

/* Opens a connection for a caller.
 * Ownership: `destroy` runs once, also when this fails; else when the connection is freed and its last call consumed.
 * *out is yours. Free with mcp_connection_free.
 * Threads: any.
 * Errors: MCP_STATUS_CLOSED if the server was stopped.
 * Since: 0.1.
 */
mcp_status mcp_connection_new(const mcp_server *server, const mcp_caller *caller, mcp_output_fn output,
    void *user_data, mcp_destroy_fn destroy, mcp_connection **out, mcp_error **error);

/* Frees a connection; NULL does nothing. It closes at once: calls are cancelled, nothing is sent any more. The output
 * callback may still be running on another thread; destroy says when that is over.
 * Threads: one at a time. Not inside a callback that runs inside a function of this connection.
 * Since: 0.1.
 */
void mcp_connection_free(mcp_connection *connection);

/* Takes the next bytes from the peer, split anywhere, and serves the messages that they complete.
 *
 * With MCP_DISPATCH_INLINE callbacks run before this returns.
 * Threads: one at a time for this function; the other functions of the connection may run meanwhile.
 * Errors: MCP_STATUS_CLOSED. What is wrong with a message is answered to the peer.
 * Since: 0.1.
 */
mcp_status mcp_connection_receive(const mcp_connection *connection, const char *bytes, size_t len, mcp_error **error);

/* Says that no more bytes will come: a last line without its newline is served, subscriptions end. Answers still go
 * out.
 * Threads: one at a time, with mcp_connection_receive.
 * Since: 0.1.
 */
mcp_status mcp_connection_end_input(const mcp_connection *connection, mcp_error **error);

/* Whether to go on reading from the peer. False while calls that wait their turn take more memory than is good, until
 * some of them were started; false for NULL and once closed.
 * Threads: any.
 * Since: 0.1.
 */
bool mcp_connection_wants_input(const mcp_connection *connection);

/* How many calls of the connection were not answered yet, cancelled ones left out.
 * Threads: any.
 * Since: 0.1.
 */
size_t mcp_connection_owed(const mcp_connection *connection);

/* Says how many bytes the output callback took and you could not write yet. While they are many, no further call is
 * started. Without this the library takes it that everything is written at once.
 * Threads: any; also inside the output callback.
 * Since: 0.1.
 */
mcp_status mcp_connection_set_backlog(const mcp_connection *connection, size_t bytes, mcp_error **error);

/* How long until mcp_connection_tick has something to do, in milliseconds; -1 for nothing. Ask again after each message
 * that came in or went out.
 * Threads: any.
 * Since: 0.1.
 */
int64_t mcp_connection_next_deadline(const mcp_connection *connection);

/* Ends calls and subscriptions whose time is over.
 * Threads: any.
 * Since: 0.1.
 */
mcp_status mcp_connection_tick(const mcp_connection *connection, mcp_error **error);

/* Closes a connection: ends its input, waits at most drain_ms (-1: without limit, 0: not at all) for owed answers,
 * cancels the rest. Nothing is sent afterwards.
 * Threads: one at a time, with mcp_connection_receive.
 * Errors: MCP_STATUS_TIMEOUT if calls had to be cancelled.
 * Since: 0.1.
 */
mcp_status mcp_connection_close(const mcp_connection *connection, int64_t drain_ms, mcp_error **error);

/* Whether the connection was closed, or its server stopped with nothing owed. True for NULL.
 * Threads: any.
 * Since: 0.1.
 */
bool mcp_connection_is_closed(const mcp_connection *connection);

/* Makes an HTTP configuration with every default.
 * Ownership: the result is yours. Free with mcp_http_config_free, or pass to mcp_http_listen or mcp_endpoint_new, which
 * consume it.
 * Threads: any.
 * Since: 0.1.
 */
mcp_http_config *mcp_http_config_new(void);

/* Frees an HTTP configuration that nothing was made from; NULL does nothing.
 * Threads: one at a time.
 * Since: 0.1.
 */
void mcp_http_config_free(mcp_http_config *config);

/* Sets an option that is a number or a switch.
 * Threads: one at a time.
 * Errors: MCP_STATUS_INVALID_ARGUMENT for an option that does not exist or is of another type, or a number out of
 * bounds.
 * Since: 0.1.
 */
mcp_status mcp_http_config_set_int(mcp_http_config *config, int32_t option, int64_t value);

/* Sets an option that is a text.
 * Threads: one at a time.
 * Errors: MCP_STATUS_INVALID_ARGUMENT for an option that does not exist or is of another type; MCP_STATUS_INVALID_UTF8.
 * Since: 0.1.
 */
mcp_status mcp_http_config_set_text(mcp_http_config *config, int32_t option, const char *text, size_t len);

/* Appends to an option that is a list of texts.
 * Threads: one at a time.
 * Errors: MCP_STATUS_INVALID_ARGUMENT for an option that does not exist or is of another type; MCP_STATUS_INVALID_UTF8.
 * Since: 0.1.
 */
mcp_status mcp_http_config_add_text(mcp_http_config *config, int32_t option, const char *text, size_t len);

/* Lets everyone use the endpoint, as this caller; NULL is the anonymous caller, without scopes.
 * Ownership: `caller` stays yours.
 * Threads: one at a time.
 * Errors: what was wrong with the caller.
 * Since: 0.1.
 */
mcp_status mcp_http_config_allow_any_caller(mcp_http_config *config, const mcp_caller *caller);

/* Lets every page in every browser use the endpoint; then authorization alone protects it.
 * Threads: one at a time.
 * Since: 0.1.
 */
mcp_status mcp_http_config_allow_any_origin(mcp_http_config *config);

/* Registers the function that decides who may use the endpoint. A second registration replaces the first, whose destroy
 * runs then.
 * Ownership: `destroy`, if not NULL, runs once for `user_data`, also when this fails; else when the listener or the
 * endpoint with its exchanges is gone and the last authorization consumed.
 * Threads: one at a time.
 * Since: 0.1.
 */
mcp_status mcp_http_config_on_authorize(mcp_http_config *config, mcp_authorize_fn function, void *user_data,
    mcp_destroy_fn destroy);

/* Registers the function that sees each body before it is read as JSON. A second registration replaces the first, whose
 * destroy runs then.
 * Ownership: as mcp_http_config_on_authorize.
 * Threads: one at a time.
 * Since: 0.1.
 */
mcp_status mcp_http_config_on_authorize_body(mcp_http_config *config, mcp_authorize_body_fn function,
    void *user_data, mcp_destroy_fn destroy);

/* Registers the functions that keep sessions of the older revisions outside of the endpoint, so that another process can
 * go on with them. What a session is does not change: its calls, its streams and what waits to be sent stay in the
 * process that has them. Without them an endpoint keeps its sessions in its own memory. A second registration replaces
 * the first, whose destroy runs then.
 * Ownership: as mcp_http_config_on_authorize.
 * Threads: one at a time.
 * Since: 0.1.
 */
mcp_status mcp_http_config_session_store(mcp_http_config *config, mcp_session_save_fn save, mcp_session_load_fn load,
    mcp_session_delete_fn forget, void *user_data, mcp_destroy_fn destroy);

/* Gives what mcp_session_save_fn was given for this session last.
 * Threads: callback.
 * Errors: MCP_STATUS_INVALID_UTF8.
 * Since: 0.1.
 */
mcp_status mcp_session_found(mcp_session *session, const char *text, size_t len);

/* The HTTP method; NULL for NULL.
 * Ownership: valid until the authorization is consumed.
 * Threads: any.
 * Since: 0.1.
 */
const char *mcp_auth_method(const mcp_auth *auth);

/* The path as the client wrote it, without the query; NULL for NULL.
 * Ownership: valid until the authorization is consumed.
 * Threads: any.
 * Since: 0.1.
 */
const char *mcp_auth_path(const mcp_auth *auth, size_t *len);

/* A header, whatever the case of `name`; several values are joined with ", ". NULL if it is absent.
 * Ownership: valid until the authorization is consumed.
 * Threads: any.
 * Since: 0.1.
 */
const char *mcp_auth_header(const mcp_auth *auth, const char *name, size_t *len);

/* Where the request comes from: "192.0.2.1:50000", "[::1]:50000", "unix:1000" with the user id of the peer, "unix", or ""
 * where nobody knows. NULL for NULL.
 * Ownership: valid until the authorization is consumed.
 * Threads: any.
 * Since: 0.1.
 */
const char *mcp_auth_peer(const mcp_auth *auth);

/* Lets a request in as `caller`.
 * Ownership: consumes `auth` and `caller`, also on failure; the client gets 500 then.
 * Threads: any; also inside callbacks.
 * Errors: what was wrong with the caller; MCP_STATUS_ANSWERED.
 * Since: 0.1.
 */
mcp_status mcp_auth_allow(mcp_auth *auth, mcp_caller *caller, mcp_error **error);

/* Keeps a request out, with `status` 401 (who are you?) or 403 (not you), and a Bearer challenge that says why.
 *
 * Each text ends at its NUL and may be NULL. `scope`: the scopes that would do, separated by spaces. `error_code`: a code
 * of RFC 6750, such as "invalid_token". `description`: for people, told to the client. `reason`: for the log only.
 * Ownership: consumes `auth`, also on failure; the client gets 500 then.
 * Threads: any; also inside callbacks.
 * Errors: MCP_STATUS_INVALID_ARGUMENT for another status; MCP_STATUS_INVALID_UTF8, MCP_STATUS_ANSWERED.
 * Since: 0.1.
 */
mcp_status mcp_auth_refuse(mcp_auth *auth, int32_t status, const char *scope, const char *error_code,
    const char *description, const char *reason, mcp_error **error);

/* Gives an authorization up; NULL does nothing. The client gets 500, the log a line.
 * Threads: any; also inside callbacks.
 * Since: 0.1.
 */
void mcp_auth_free(mcp_auth *auth);

/* Listens on every MCP_HTTP_OPTION_ADDRESS and serves there, on threads of its own, until it is stopped. Everything is
 * checked here, and every fault is reported, a line each.
 * Ownership: consumes `config`. *out is yours. Free with mcp_listener_free.
 * Threads: any.
 * Errors: MCP_STATUS_INVALID_ARGUMENT, MCP_STATUS_INVALID_UTF8; MCP_STATUS_IO if an address cannot be listened on;
 * MCP_STATUS_CLOSED if the server was stopped.
 * Since: 0.1.
 */
mcp_status mcp_http_listen(const mcp_server *server, mcp_http_config *config, mcp_listener **out, mcp_error **error);

/* The port of the first address that is no Unix socket; 0 if there is none.
 * Threads: any.
 * Since: 0.1.
 */
uint16_t mcp_listener_port(const mcp_listener *listener);

/* An address that is listened on, "127.0.0.1:4000" or "unix:/run/x.sock", in the order of MCP_HTTP_OPTION_ADDRESS from
 * 0; NULL beyond the last one.
 * Ownership: valid until the listener is freed.
 * Threads: any.
 * Since: 0.1.
 */
const char *mcp_listener_address(const mcp_listener *listener, size_t number, size_t *len);

/* Waits until the listener was stopped, by mcp_listener_stop or mcp_server_stop.
 * Threads: any. Not inside a callback.
 * Since: 0.1.
 */
mcp_status mcp_listener_wait(const mcp_listener *listener, mcp_error **error);

/* Stops a listener for good: takes no more connections, ends subscriptions with their result, gives requests in flight
 * timeout_ms (-1: without limit) to be answered, and closes the rest. Other doors of the server go on.
 * Threads: any. Not inside a callback of the server, which it would wait for.
 * Errors: MCP_STATUS_TIMEOUT if requests had to be given up.
 * Since: 0.1.
 */
mcp_status mcp_listener_stop(const mcp_listener *listener, int64_t timeout_ms, mcp_error **error);

/* Frees a listener; NULL does nothing. One that was not stopped closes at once: its calls are cancelled.
 * Threads: one at a time. Not inside a callback of the server.
 * Since: 0.1.
 */
void mcp_listener_free(mcp_listener *listener);

/* Makes an endpoint of a server. Everything is checked here, and every fault is reported, a line each.
 * Ownership: consumes `config`. *out is yours. Free with mcp_endpoint_free.
 * Threads: any.
 * Errors: MCP_STATUS_INVALID_ARGUMENT, MCP_STATUS_INVALID_UTF8; MCP_STATUS_CLOSED if the server was stopped.
 * Since: 0.1.
 */
mcp_status mcp_endpoint_new(const mcp_server *server, mcp_http_config *config, mcp_endpoint **out, mcp_error **error);

/* Frees an endpoint; NULL does nothing. Its exchanges go on with what they need.
 * Threads: one at a time. Not inside a callback of this endpoint.
 * Since: 0.1.
 */
void mcp_endpoint_free(mcp_endpoint *endpoint);

/* Stops an endpoint for good: new requests are answered 503, subscriptions end with their result, calls in flight go
 * on. mcp_server_stop does it too.
 * Threads: any.
 * Since: 0.1.
 */
mcp_status mcp_endpoint_stop(const mcp_endpoint *endpoint, mcp_error **error);

/* How long until mcp_endpoint_tick has something to do, in milliseconds; -1 for nothing.
 * Threads: any.
 * Since: 0.1.
 */
int64_t mcp_endpoint_next_deadline(const mcp_endpoint *endpoint);

/* Does what is due of an endpoint's sessions: ends those whose clients have been away for too long, and calls that go on
 * without a connection. Without it, later requests of sessions do it.
 * Threads: any.
 * Since: 0.1.
 */
mcp_status mcp_endpoint_tick(const mcp_endpoint *endpoint, mcp_error **error);

/* Begins to serve a request. Callbacks may run before this returns.
 *
 * `target` is what stands in the request line, with its query. `headers` are all header lines, "Name: value" each, ended
 * by CR LF or LF. `peer` is where the request comes from, in one of the forms of mcp_auth_peer (the port may be
 * missing), or NULL.
 * Ownership: *out is yours, and set before the first callback. Free with mcp_http_free. `destroy` runs once, also when
 * this fails; else after the last callback, when the exchange is freed.
 * Threads: any.
 * Errors: MCP_STATUS_INVALID_ARGUMENT for what is no HTTP; answer the request with 400 then.
 * Since: 0.1.
 */
mcp_status mcp_http_begin(const mcp_endpoint *endpoint, const char *method, const char *target, size_t target_len,
    const char *headers, size_t headers_len, const char *peer, mcp_http_want_body_fn want_body,
    mcp_http_head_fn head, mcp_http_data_fn data, void *user_data, mcp_destroy_fn destroy, mcp_http_exchange **out,
    mcp_error **error);

/* Hands over bytes of the body, split anywhere, after mcp_http_want_body_fn; `last` ends it. At any other time they are
 * ignored.
 *
 * With MCP_DISPATCH_INLINE the call runs before this returns.
 * Threads: one at a time for this function; the other functions of the exchange may run meanwhile. Also inside the
 * callbacks of the exchange.
 * Since: 0.1.
 */
mcp_status mcp_http_body(const mcp_http_exchange *exchange, const char *data, size_t len, bool last,
    mcp_error **error);

/* Says that your socket is full (true) or takes more (false). While paused no callback begins; what the server has to
 * say waits, within MCP_HTTP_OPTION_STREAM_QUEUE_BYTES.
 * Threads: any; also inside the callbacks of the exchange.
 * Since: 0.1.
 */
mcp_status mcp_http_pause(const mcp_http_exchange *exchange, bool paused, mcp_error **error);

/* How long until mcp_http_tick has something to do, in milliseconds; -1 for nothing.
 * Threads: any.
 * Since: 0.1.
 */
int64_t mcp_http_next_deadline(const mcp_http_exchange *exchange);

/* Does what is due: ends what took too long, keeps quiet streams alive.
 * Threads: any; also inside the callbacks of the exchange.
 * Since: 0.1.
 */
mcp_status mcp_http_tick(const mcp_http_exchange *exchange, mcp_error **error);

/* Frees an exchange; NULL does nothing. Before its last data the client is gone: its call is cancelled. No callback begins
 * any more; one may still be running on another thread, and destroy says when that is over.
 * Threads: one at a time. Also inside the callbacks of the exchange.
 * Since: 0.1.
 */
void mcp_http_free(mcp_http_exchange *exchange);

#ifdef __cplusplus
}
#endif

#endif
