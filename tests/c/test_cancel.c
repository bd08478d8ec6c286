/* Calls that end without their answer: the host learns of it, what it answers is dropped, nothing more is sent. */
#include "check.h"

static mcp_call *held;

static void hold(void *user_data, mcp_call *call) {
  atomic_fetch_add(&((counts *)user_data)->calls, 1);
  held = call;
}

typedef struct scene {
  counts seen;
  output out;
  mcp_server *server;
  mcp_connection *connection;
  uint64_t number;
} scene;

/* A call is held. */
static void open_scene(scene *at, int64_t timeout_ms) {
  memset(at, 0, sizeof *at);
  atomic_flag_clear(&at->out.busy);
  held = NULL;
  mcp_config *config = make_config(MCP_DISPATCH_INLINE, hold, &at->seen, count_destroy);
  mcp_config_on_cancel(config, count_cancel, &at->seen, NULL);
  mcp_config_set_int(config, MCP_OPTION_CALL_TIMEOUT_MS, timeout_ms);
  at->server = make_server(config);
  at->connection = connect_local(at->server, &at->out);
  send_line(at->connection, TOOLS_CALL("1", "hold", "{}"));
  CHECK(held && mcp_call_cancelled(held) == 0);
  at->number = mcp_call_number(held);
}

/* The call has ended for this reason; its handle still reads, and answering says that it is gone. */
static void check_gone(scene *at, int32_t reason) {
  WAIT_FOR(atomic_load(&at->seen.cancels) == 1);
  CHECK(atomic_load(&at->seen.last_reason) == reason && atomic_load(&at->seen.last_number) == at->number);
  CHECK(mcp_call_cancelled(held) == reason);
  CHECK(strcmp(mcp_call_name(held, NULL), "hold") == 0);
  CHECK_STATUS(MCP_STATUS_GONE, mcp_call_progress(held, 1, 2, NULL, 0, NULL));
  int lines = output_lines(&at->out);
  CHECK_ERROR(MCP_STATUS_GONE, "", mcp_call_complete_text(held, "late", SIZE_MAX, &error));
  CHECK(output_lines(&at->out) == lines && !output_has(&at->out, "late"));
}

static void close_scene(scene *at) {
  mcp_connection_free(at->connection);
  mcp_server_free(at->server);
  WAIT_FOR(atomic_load(&at->seen.destroyed) == 1);
  CHECK(atomic_load(&at->seen.cancels) == 1);
  free(at->out.text);
}

static void the_client_cancels(void) {
  scene at;
  open_scene(&at, 0);
  send_line(at.connection, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}");
  check_gone(&at, MCP_CANCEL_CLIENT);
  /* A later answer is the fence: everything before it has been written. */
  send_line(at.connection, REQUEST("2", "server/discover", ""));
  WAIT_FOR(output_has(&at.out, "\"id\":2"));
  CHECK(output_lines(&at.out) == 1);
  close_scene(&at);
}

static void time_runs_out(void) {
  scene at;
  open_scene(&at, 30);
  int64_t deadline = mcp_connection_next_deadline(at.connection);
  CHECK(deadline >= 0 && deadline <= 30);
  for (int n = 0; n < 1000 && atomic_load(&at.seen.cancels) == 0; n++) {
    sleep_ms(5);
    CHECK_STATUS(MCP_STATUS_OK, mcp_connection_tick(at.connection, NULL));
  }
  check_gone(&at, MCP_CANCEL_TIMEOUT);
  CHECK(output_has(&at.out, "\"id\":1") && mcp_connection_next_deadline(at.connection) == -1);
  close_scene(&at);
}

static void the_connection_closes(void) {
  scene at;
  open_scene(&at, 0);
  CHECK_STATUS(MCP_STATUS_TIMEOUT, mcp_connection_close(at.connection, 10, NULL));
  CHECK(mcp_connection_is_closed(at.connection) && mcp_connection_owed(at.connection) == 0);
  check_gone(&at, MCP_CANCEL_CLOSED);
  CHECK_STATUS(MCP_STATUS_CLOSED, mcp_connection_receive(at.connection, "\n", 1, NULL));
  CHECK_STATUS(MCP_STATUS_OK, mcp_connection_close(at.connection, 0, NULL));
  close_scene(&at);
}

static void the_connection_is_freed(void) {
  scene at;
  open_scene(&at, 0);
  mcp_connection_free(at.connection);
  at.connection = NULL;
  check_gone(&at, MCP_CANCEL_CLOSED);
  close_scene(&at);
}

static void the_server_stops(void) {
  scene at;
  open_scene(&at, 0);
  CHECK_STATUS(MCP_STATUS_TIMEOUT, mcp_server_stop(at.server, 10, NULL));
  check_gone(&at, MCP_CANCEL_STOPPED);
  mcp_bytes *response = NULL;
  mcp_caller *caller = mcp_caller_new_local();
  CHECK_STATUS(MCP_STATUS_CLOSED, mcp_handle_request(at.server, caller, REQUEST("2", "server/discover", ""), SIZE_MAX,
                                                     -1, &response, NULL));
  CHECK(!response);
  mcp_caller_free(caller);
  close_scene(&at);
}

static void nobody_answers_in_time(void) {
  counts seen = {0};
  mcp_bytes *response = (mcp_bytes *)&seen;
  mcp_config *config = make_config(MCP_DISPATCH_INLINE, hold, &seen, count_destroy);
  mcp_config_on_cancel(config, count_cancel, &seen, NULL);
  mcp_server *server = make_server(config);
  mcp_caller *caller = mcp_caller_new_local();
  CHECK_STATUS(MCP_STATUS_TIMEOUT,
               mcp_handle_request(server, caller, TOOLS_CALL("1", "hold", "{}"), SIZE_MAX, 20, &response, NULL));
  CHECK(!response && atomic_load(&seen.cancels) == 1 && mcp_call_cancelled(held) == MCP_CANCEL_TIMEOUT);
  mcp_server_free(server);
  CHECK(atomic_load(&seen.destroyed) == 0);
  CHECK_STATUS(MCP_STATUS_GONE, mcp_call_complete_text(held, "late", SIZE_MAX, NULL));
  CHECK(atomic_load(&seen.destroyed) == 1);
  mcp_caller_free(caller);
}

/* An answer owed at the end of the input still goes out. */
static void what_is_owed_is_answered(void) {
  scene at;
  open_scene(&at, 0);
  CHECK_STATUS(MCP_STATUS_OK, mcp_connection_receive(at.connection, REQUEST("2", "server/discover", ""), SIZE_MAX, NULL));
  CHECK(mcp_connection_wants_input(at.connection) && mcp_connection_owed(at.connection) == 1);
  CHECK_STATUS(MCP_STATUS_OK, mcp_connection_end_input(at.connection, NULL));
  WAIT_FOR(output_has(&at.out, "\"id\":2"));
  CHECK_STATUS(MCP_STATUS_OK, mcp_call_complete_text(held, "owed", SIZE_MAX, NULL));
  WAIT_FOR(output_has(&at.out, "owed"));
  CHECK_STATUS(MCP_STATUS_OK, mcp_connection_close(at.connection, 1000, NULL));
  mcp_connection_free(at.connection);
  mcp_server_free(at.server);
  CHECK(atomic_load(&at.seen.cancels) == 0 && atomic_load(&at.seen.destroyed) == 1);
  free(at.out.text);
}

/* While much is unwritten no further call is started; they go on when it has become little. */
static void a_backlog_holds_calls(void) {
  counts seen = {0};
  output out = {.busy = ATOMIC_FLAG_INIT};
  mcp_server *server = make_server(make_config(MCP_DISPATCH_INLINE, echo, &seen, NULL));
  mcp_connection *connection = connect_local(server, &out);
  CHECK_STATUS(MCP_STATUS_OK, mcp_connection_set_backlog(connection, 1u << 30, NULL));
  send_line(connection, TOOLS_CALL("1", "echo", "{}"));
  sleep_ms(20);
  CHECK(atomic_load(&seen.calls) == 0);
  CHECK_STATUS(MCP_STATUS_OK, mcp_connection_set_backlog(connection, 0, NULL));
  WAIT_FOR(output_has(&out, "\"id\":1"));
  mcp_connection_free(connection);
  mcp_server_free(server);
  free(out.text);
}

int main(void) {
  the_client_cancels();
  time_runs_out();
  the_connection_closes();
  the_connection_is_freed();
  the_server_stops();
  nobody_answers_in_time();
  what_is_owed_is_answered();
  a_backlog_holds_calls();
  puts("ok: cancel");
  return 0;
}
