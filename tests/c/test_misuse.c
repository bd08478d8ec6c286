/* R100: a careless host gets a status or silence, and never takes its own process down. */
#include "check.h"

#include <pthread.h>

static mcp_call *held;

static void hold(void *user_data, mcp_call *call) {
  (void)user_data;
  held = call;
}

static mcp_status second;

static void answer_twice(void *user_data, mcp_call *call) {
  (void)user_data;
  CHECK_STATUS(MCP_STATUS_OK, mcp_call_complete_text(call, "first", SIZE_MAX, NULL));
  mcp_error *error = NULL;
  second = mcp_call_complete_text(call, "second", SIZE_MAX, &error);
  CHECK_HAS(mcp_error_message(error, NULL), "finished before");
  mcp_error_free(error);
  CHECK_STATUS(MCP_STATUS_ANSWERED, mcp_call_fail(call, "x", 1, NULL));
  CHECK_STATUS(MCP_STATUS_ANSWERED, mcp_call_progress(call, 1, 1, NULL, 0, NULL));
  CHECK(!mcp_call_name(call, NULL) && mcp_call_kind(call) == 0 && !mcp_call_caller(call));
  mcp_call_free(call);
  mcp_call_free(call);
}

static void twice(void) {
  output out = {.busy = ATOMIC_FLAG_INIT};
  mcp_server *server = make_server(make_config(MCP_DISPATCH_INLINE, answer_twice, NULL, NULL));
  mcp_connection *connection = connect_local(server, &out);
  for (int n = 0; n < 2000; n++) send_line(connection, TOOLS_CALL("1", "hold", "{}"));
  CHECK(second == MCP_STATUS_ANSWERED && output_lines(&out) == 2000 && !output_has(&out, "second"));
  mcp_connection_free(connection);
  mcp_server_free(server);
  free(out.text);
}

static void drop(void *user_data, mcp_call *call) {
  (void)user_data;
  mcp_call_free(call);
}

static void never(void) {
  mcp_server *server = make_server(make_config(MCP_DISPATCH_INLINE, drop, NULL, NULL));
  CHECK_ANSWER(server, TOOLS_CALL("7", "drop", "{}"), "-32603");
  CHECK_ANSWER(server, REQUEST("8", "resources/read", "\"uri\":\"test://one\","), "-32603");
  CHECK_ANSWER(server, REQUEST("9", "prompts/get", "\"name\":\"ask\","), "-32603");
  mcp_server_free(server);
}

/* Two threads race to finish one call: one wins. */
static atomic_int won, lost;

static void *race(void *call) {
  mcp_status status = mcp_call_complete_text(call, "mine", SIZE_MAX, NULL);
  CHECK(status == MCP_STATUS_OK || status == MCP_STATUS_ANSWERED);
  atomic_fetch_add(status == MCP_STATUS_OK ? &won : &lost, 1);
  return NULL;
}

static void raced(void) {
  int rounds = quick(1000);
  output out = {.busy = ATOMIC_FLAG_INIT};
  mcp_server *server = make_server(make_config(MCP_DISPATCH_INLINE, hold, NULL, NULL));
  mcp_connection *connection = connect_local(server, &out);
  for (int n = 0; n < rounds; n++) {
    pthread_t other;
    send_line(connection, TOOLS_CALL("1", "hold", "{}"));
    CHECK(pthread_create(&other, NULL, race, held) == 0);
    race(held);
    pthread_join(other, NULL);
  }
  CHECK(won == rounds && lost == rounds && output_lines(&out) == rounds);
  mcp_connection_free(connection);
  mcp_server_free(server);
  free(out.text);
}

/* Text that is no UTF-8, lengths that no memory has, JSON that is none: consumed, refused, and the client is told. */
static void bad_texts(void) {
  output out = {.busy = ATOMIC_FLAG_INIT};
  mcp_config *config = make_config(MCP_DISPATCH_INLINE, hold, NULL, NULL);
  mcp_config_on_log(config, ignore_log, NULL, NULL);
  mcp_server *server = make_server(config);
  mcp_connection *connection = connect_local(server, &out);
#define FRESH (send_line(connection, TOOLS_CALL("1", "hold", "{}")), held)
  CHECK_ERROR(MCP_STATUS_INVALID_UTF8, "text is not UTF-8 at byte 2", mcp_call_complete_text(FRESH, "ab\xff", SIZE_MAX, &error));
  CHECK_ERROR(MCP_STATUS_INVALID_UTF8, "message", mcp_call_fail(FRESH, "\xc0\x80", 2, &error));
  CHECK_ERROR(MCP_STATUS_INVALID_UTF8, "state", mcp_call_require_input(FRESH, "{}", 2, "\xed\xa0\x80", 3, &error));
  CHECK_ERROR(MCP_STATUS_INVALID_ARGUMENT, "length of text", mcp_call_complete_text(FRESH, "x", SIZE_MAX - 1, &error));
  CHECK_ERROR(MCP_STATUS_INVALID_ARGUMENT, "length of data", mcp_call_complete_blob(FRESH, "x", SIZE_MAX, "image/png", &error));
  CHECK_ERROR(MCP_STATUS_INVALID_ARGUMENT, "length of data", mcp_call_complete_blob(FRESH, "x", SIZE_MAX / 2 + 1, "image/png", &error));
  CHECK_ERROR(MCP_STATUS_INVALID_JSON, "", mcp_call_complete_json(FRESH, "{", SIZE_MAX, &error));
  CHECK_ERROR(MCP_STATUS_INVALID_JSON, "", mcp_call_complete_json(FRESH, "{\"content\":7}", SIZE_MAX, &error));
  CHECK_ERROR(MCP_STATUS_INVALID_JSON, "", mcp_call_reject(FRESH, 1, "x", 1, "{", 1, &error));
  CHECK_ERROR(MCP_STATUS_INVALID_JSON, "", mcp_call_require_input(FRESH, "[]", 2, NULL, 0, &error));
  CHECK(output_lines(&out) == 10);
  for (const char *at = out.text; (at = strstr(at, "\"id\":1")); at++) CHECK_HAS(at, "-32603");
  mcp_connection_free(connection);

  /* Bytes from a client are never a status. */
  CHECK_ANSWER(server, "\xff\xfe", "-32700");
  CHECK_ANSWER(server, "", "-32700");
  CHECK_ANSWER(server, "[]", "-32600");
  mcp_server_free(server);
  free(out.text);
}

static void bad_numbers(void) {
  mcp_bytes *response = NULL;
  mcp_connection *connection;
  output out = {.busy = ATOMIC_FLAG_INIT};
  mcp_caller *caller = mcp_caller_new_local();
  mcp_server *server = make_server(make_config(MCP_DISPATCH_PUMP, hold, NULL, NULL));
  CHECK_ERROR(MCP_STATUS_INVALID_ARGUMENT, "timeout_ms takes -1",
              mcp_handle_request(server, caller, "{}", 2, -2, &response, &error));
  CHECK_ERROR(MCP_STATUS_INVALID_ARGUMENT, "max_ms takes -1", mcp_server_pump(server, INT64_MIN, NULL, &error));
  connection = connect_local(server, &out);
  CHECK_ERROR(MCP_STATUS_INVALID_ARGUMENT, "drain_ms takes -1", mcp_connection_close(connection, -7, &error));
  CHECK_STATUS(MCP_STATUS_OK, mcp_connection_close(connection, INT64_MAX, NULL));
  mcp_connection_free(connection);
  CHECK_ERROR(MCP_STATUS_INVALID_ARGUMENT, "timeout_ms takes -1", mcp_server_stop(server, -2, &error));
  CHECK_STATUS(MCP_STATUS_OK, mcp_server_stop(server, INT64_MAX, NULL));
  CHECK_STATUS(MCP_STATUS_OK, mcp_server_stop(server, -1, NULL));
  mcp_caller_free(caller);
  mcp_server_free(server);
  free(out.text);
}

/* Everything that is settled by the header's list of what callbacks may do. */
static mcp_server *running;

static void reenter(void *user_data, mcp_call *call) {
  (void)user_data;
  mcp_bytes *bytes = NULL;
  CHECK_STATUS(MCP_STATUS_OK, mcp_server_catalog_changed(running, "", 0, NULL));
  CHECK_STATUS(MCP_STATUS_OK, mcp_server_resource_updated(running, "test://one", SIZE_MAX, NULL));
  CHECK_STATUS(MCP_STATUS_OK, mcp_server_revoke(running, "nobody", SIZE_MAX, NULL));
  CHECK_STATUS(MCP_STATUS_OK, mcp_server_stats(running, &bytes, NULL));
  mcp_bytes_free(bytes);
  CHECK_ANSWER(running, REQUEST("2", "tools/list", ""), "echo");
  mcp_call_complete_text(call, "re-entered", SIZE_MAX, NULL);
}

static void re_entrancy(void) {
  for (int32_t dispatch = MCP_DISPATCH_POOL; dispatch <= MCP_DISPATCH_INLINE; dispatch++) {
    output out = {.busy = ATOMIC_FLAG_INIT};
    running = make_server(make_config(dispatch, reenter, NULL, NULL));
    mcp_connection *connection = connect_local(running, &out);
    send_line(connection, TOOLS_CALL("1", "echo", "{}"));
    WAIT_FOR(output_has(&out, "re-entered"));
    mcp_connection_free(connection);
    mcp_server_free(running);
    free(out.text);
  }
}

/* A connection that its own output callback wants to feed, close or ask. */
static mcp_connection *looped;
static atomic_int loops;

static void loop_back(void *user_data, const char *messages, size_t len) {
  output_take(user_data, messages, len);
  if (atomic_fetch_add(&loops, 1) == 0) {
    mcp_connection_owed(looped);
    mcp_connection_next_deadline(looped);
    CHECK_STATUS(MCP_STATUS_OK, mcp_connection_set_backlog(looped, 10, NULL));
    CHECK_STATUS(MCP_STATUS_OK, mcp_connection_set_backlog(looped, 0, NULL));
    CHECK_STATUS(MCP_STATUS_OK, mcp_connection_tick(looped, NULL));
    mcp_status status = mcp_connection_receive(looped, "\n", 1, NULL);
    CHECK(status == MCP_STATUS_OK || status == MCP_STATUS_BUSY);
  }
}

static void an_output_that_talks_back(void) {
  output out = {.busy = ATOMIC_FLAG_INIT};
  mcp_server *server = make_server(make_config(MCP_DISPATCH_INLINE, echo, NULL, NULL));
  mcp_caller *caller = mcp_caller_new_local();
  CHECK_STATUS(MCP_STATUS_OK, mcp_connection_new(server, caller, loop_back, &out, NULL, &looped, NULL));
  send_line(looped, TOOLS_CALL("1", "echo", "{}"));
  send_line(looped, TOOLS_CALL("2", "echo", "{}"));
  CHECK(output_lines(&out) == 2);
  mcp_connection_free(looped);
  mcp_caller_free(caller);
  mcp_server_free(server);
  free(out.text);
}

static void messages_and_texts(void) {
  mcp_bytes *quoted = NULL;
  size_t len;
  CHECK_STATUS(MCP_STATUS_OK, mcp_json_quote("a\"\\\n\x01\xc3\xa9", SIZE_MAX, &quoted, NULL));
  CHECK(strcmp(mcp_bytes_data(quoted, &len), "\"a\\\"\\\\\\n\\u0001\xc3\xa9\"") == 0 && len == 17);
  mcp_bytes_free(quoted);
  CHECK_ERROR(MCP_STATUS_INVALID_UTF8, "text", mcp_json_quote("\xff", 1, &quoted, &error));
  CHECK(!quoted);
  CHECK_STATUS(MCP_STATUS_OK, mcp_check_message(REQUEST("1", "tools/list", ""), SIZE_MAX, NULL));
  CHECK_STATUS(MCP_STATUS_INVALID_JSON, mcp_check_message("{\"jsonrpc\":\"2.0\",\"method\":\"\xff\"}", SIZE_MAX, NULL));
  CHECK_STATUS(MCP_STATUS_INVALID_JSON, mcp_check_message("{", SIZE_MAX, NULL));
  CHECK_STATUS(MCP_STATUS_INVALID_JSON, mcp_check_message("7", 1, NULL));
}

int main(void) {
  twice();
  never();
  raced();
  bad_texts();
  bad_numbers();
  re_entrancy();
  an_output_that_talks_back();
  messages_and_texts();
  puts("ok: misuse");
  return 0;
}
