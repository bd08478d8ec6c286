/* What the contract tests share: checks that say where, a small catalog, requests, and a host that counts. */
#ifndef CHECK_H
#define CHECK_H

#include "mcpcore.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CHECK(condition)                                                                          \
  do {                                                                                            \
    if (!(condition)) {                                                                           \
      fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                     \
      exit(1);                                                                                    \
    }                                                                                             \
  } while (0)

/* The status that was expected; else the message says more than the number. */
#define CHECK_STATUS(expected, call)                                                              \
  do {                                                                                            \
    mcp_status got_ = (call);                                                                     \
    if (got_ != (expected)) {                                                                     \
      fprintf(stderr, "%s:%d: %s gave %d, not %s\n", __FILE__, __LINE__, #call, (int)got_, #expected); \
      exit(1);                                                                                    \
    }                                                                                             \
  } while (0)

#define CHECK_HAS(text, part)                                                                     \
  do {                                                                                            \
    const char *text_ = (text);                                                                   \
    if (!text_ || !strstr(text_, (part))) {                                                       \
      fprintf(stderr, "%s:%d: no %s in %s\n", __FILE__, __LINE__, (part), text_ ? text_ : "NULL"); \
      exit(1);                                                                                    \
    }                                                                                             \
  } while (0)

/* A failure with this status whose message has this part. Takes the expression with `&error` in it. */
#define CHECK_ERROR(expected, part, call)                                                         \
  do {                                                                                            \
    mcp_error *error = NULL;                                                                      \
    CHECK_STATUS(expected, call);                                                                 \
    CHECK(error && mcp_error_status(error) == (expected));                                        \
    CHECK_HAS(mcp_error_message(error, NULL), part);                                              \
    mcp_error_free(error);                                                                        \
  } while (0)

/* Under valgrind and the sanitizers the loads are smaller. */
static inline int quick(int many) { return getenv("MCP_TEST_QUICK") ? many / 20 : many; }

static inline void sleep_ms(long ms) {
  struct timespec span = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&span, NULL);
}

/* Waits until the condition holds; 20 seconds are for ever. */
#define WAIT_FOR(condition)                                                                       \
  do {                                                                                            \
    for (int waited_ = 0; !(condition); waited_++) {                                              \
      CHECK(waited_ < 20000 && "in time: " #condition);                                           \
      sleep_ms(1);                                                                                \
    }                                                                                             \
  } while (0)

/* No thread outlives what it serves. It may still be on its way out when its last effect is seen, so the end of a test
   waits for all; a leak checker would take what they hold for lost. */
static bool is_alone(void) {
  FILE *file = fopen("/proc/self/status", "r");
  char line[256];
  long threads = 1;
  while (file && fgets(line, sizeof line, file)) {
    if (strncmp(line, "Threads:", 8) == 0) threads = strtol(line + 8, NULL, 10);
  }
  if (file) fclose(file);
  return threads == 1;
}

__attribute__((destructor)) static void await_threads(void) { WAIT_FOR(is_alone()); }

#define TOOL(name) "{\"name\":\"" name "\",\"inputSchema\":{\"type\":\"object\"}}"
static const char CATALOG[] =
    "{\"tools\":[" TOOL("echo") "," TOOL("hold") "," TOOL("drop") "],"
    "\"resources\":[{\"uri\":\"test://one\",\"name\":\"one\"}],"
    "\"resourceTemplates\":[{\"uriTemplate\":\"test://item/{id}\",\"name\":\"item\"}],"
    "\"prompts\":[{\"name\":\"ask\",\"arguments\":[{\"name\":\"what\"}]}]}";

#define META                                                                                      \
  "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                        \
  "\"io.modelcontextprotocol/clientCapabilities\":{\"elicitation\":{\"form\":{}}}}"

/* A request; `params` is what stands before _meta, with its comma. */
#define REQUEST(id, method, params)                                                               \
  "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\",\"params\":{" params META "}}"
#define TOOLS_CALL(id, name, arguments)                                                           \
  REQUEST(id, "tools/call", "\"name\":\"" name "\",\"arguments\":" arguments ",")

/* A host that counts what happens to it. */
typedef struct counts {
  atomic_int calls, cancels, catalogs, logs, events, destroyed;
  atomic_int last_reason;
  _Atomic(uint64_t) last_number;
} counts;

static inline void count_destroy(void *user_data) { atomic_fetch_add(&((counts *)user_data)->destroyed, 1); }

static inline void count_cancel(void *user_data, uint64_t number, int32_t reason) {
  counts *seen = user_data;
  atomic_store(&seen->last_number, number);
  atomic_store(&seen->last_reason, reason);
  atomic_fetch_add(&seen->cancels, 1);
}

static inline void count_log(void *user_data, int32_t level, const char *text, size_t len) {
  CHECK(level >= MCP_LOG_DEBUG && level <= MCP_LOG_EMERGENCY && strlen(text) == len);
  atomic_fetch_add(&((counts *)user_data)->logs, 1);
}

static inline void ignore_log(void *user_data, int32_t level, const char *text, size_t len) {
  (void)user_data, (void)level, (void)text, (void)len;
}

/* Answers with the arguments as a text. */
static inline void echo(void *user_data, mcp_call *call) {
  size_t len;
  const char *arguments = mcp_call_arguments(call, &len);
  if (user_data) atomic_fetch_add(&((counts *)user_data)->calls, 1);
  mcp_call_complete_text(call, arguments, len, NULL);
}

static inline mcp_server *make_server(mcp_config *config) {
  mcp_server *server = NULL;
  mcp_error *error = NULL;
  mcp_status status = mcp_server_new(config, &server, &error);
  if (status != MCP_STATUS_OK) fprintf(stderr, "%s\n", mcp_error_message(error, NULL));
  CHECK(status == MCP_STATUS_OK && server && !error);
  return server;
}

/* A configuration over CATALOG that answers with `fn`, in `dispatch`. */
static inline mcp_config *make_config(int32_t dispatch, mcp_call_fn fn, void *user_data, mcp_destroy_fn destroy) {
  mcp_config *config = mcp_config_new("test", "1");
  CHECK_STATUS(MCP_STATUS_OK, mcp_config_set_catalog(config, CATALOG, SIZE_MAX));
  CHECK_STATUS(MCP_STATUS_OK, mcp_config_set_int(config, MCP_OPTION_DISPATCH, dispatch));
  CHECK_STATUS(MCP_STATUS_OK, mcp_config_on_call(config, fn, user_data, destroy));
  return config;
}

/* One request through mcp_handle_request as the local caller. Free with mcp_bytes_free. */
static inline mcp_bytes *ask(const mcp_server *server, const char *message) {
  mcp_bytes *response = NULL;
  mcp_caller *caller = mcp_caller_new_local();
  CHECK_STATUS(MCP_STATUS_OK, mcp_handle_request(server, caller, message, SIZE_MAX, 20000, &response, NULL));
  mcp_caller_free(caller);
  return response;
}

#define CHECK_ANSWER(server, message, part)                                                       \
  do {                                                                                            \
    mcp_bytes *answer_ = ask(server, message);                                                    \
    CHECK_HAS(mcp_bytes_data(answer_, NULL), part);                                               \
    mcp_bytes_free(answer_);                                                                      \
  } while (0)

/* What a connection wrote. */
typedef struct output {
  atomic_flag busy;
  char *text;
  size_t len;
  atomic_int destroyed;
} output;

static inline void output_lock(output *out) {
  while (atomic_flag_test_and_set(&out->busy)) sleep_ms(0);
}

static inline void output_take(void *user_data, const char *messages, size_t len) {
  output *out = user_data;
  CHECK(len > 0 && messages[len - 1] == '\n');
  output_lock(out);
  out->text = realloc(out->text, out->len + len + 1);
  CHECK(out->text);
  memcpy(out->text + out->len, messages, len);
  out->len += len;
  out->text[out->len] = 0;
  atomic_flag_clear(&out->busy);
}

static inline void output_destroy(void *user_data) { atomic_fetch_add(&((output *)user_data)->destroyed, 1); }

static inline int output_has(output *out, const char *part) {
  output_lock(out);
  int has = out->text && strstr(out->text, part);
  atomic_flag_clear(&out->busy);
  return has;
}

static inline int output_lines(output *out) {
  int lines = 0;
  output_lock(out);
  for (size_t at = 0; at < out->len; at++) lines += out->text[at] == '\n';
  atomic_flag_clear(&out->busy);
  return lines;
}

static inline mcp_connection *connect_local(const mcp_server *server, output *out) {
  mcp_connection *connection = NULL;
  mcp_caller *caller = mcp_caller_new_local();
  CHECK_STATUS(MCP_STATUS_OK, mcp_connection_new(server, caller, output_take, out, output_destroy, &connection, NULL));
  mcp_caller_free(caller);
  return connection;
}

static inline void send_line(mcp_connection *connection, const char *message) {
  CHECK_STATUS(MCP_STATUS_OK, mcp_connection_receive(connection, message, SIZE_MAX, NULL));
  CHECK_STATUS(MCP_STATUS_OK, mcp_connection_receive(connection, "\n", 1, NULL));
}

#endif
