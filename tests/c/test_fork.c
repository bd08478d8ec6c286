/* R099: in the child of a fork what the parent made fails cleanly, and its end touches nothing of the parent. */
#include "check.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static mcp_call *held;

static void hold(void *user_data, mcp_call *call) {
  (void)user_data;
  held = call;
}

static void in_child(mcp_server *server, mcp_connection *connection, mcp_caller *caller, mcp_config *config, counts *seen) {
  mcp_bytes *response = NULL;
  const char *ping = REQUEST("1", "server/discover", "");
  alarm(20);
  CHECK_ERROR(MCP_STATUS_CLOSED, "fork()", mcp_handle_request(server, caller, ping, SIZE_MAX, -1, &response, &error));
  CHECK_ERROR(MCP_STATUS_CLOSED, "fork()", mcp_server_catalog_changed(server, "", 0, &error));
  CHECK_ERROR(MCP_STATUS_CLOSED, "fork()", mcp_server_stop(server, -1, &error));
  CHECK_ERROR(MCP_STATUS_CLOSED, "fork()", mcp_server_pump(server, 0, NULL, &error));
  CHECK_ERROR(MCP_STATUS_CLOSED, "fork()", mcp_serve_fd(server, 0, 1, &error));
  CHECK_ERROR(MCP_STATUS_CLOSED, "fork()", mcp_connection_receive(connection, "\n", 1, &error));
  CHECK_ERROR(MCP_STATUS_CLOSED, "fork()", mcp_connection_close(connection, -1, &error));
  CHECK(mcp_connection_is_closed(connection) && mcp_server_pump_fd(server) == -1);
  CHECK_ERROR(MCP_STATUS_CLOSED, "fork()", mcp_call_complete_text(held, "from the child", SIZE_MAX, &error));
  mcp_connection_free(connection);
  mcp_server_free(server);
  CHECK(atomic_load(&seen->destroyed) == 0);

  /* A configuration that came along makes a server that works, pool and all. */
  output out = {.busy = ATOMIC_FLAG_INIT};
  mcp_server *own = make_server(config);
  mcp_connection *peer = connect_local(own, &out);
  send_line(peer, TOOLS_CALL("1", "echo", "{}"));
  WAIT_FOR(output_has(&out, "\"id\":1"));
  mcp_connection_free(peer);
  mcp_server_free(own);
  free(out.text);
  /* Not exit: what belongs to the parent is still allocated here, and leak checkers would object. */
  execlp("true", "true", (char *)NULL);
  _exit(1);
}

static void check_child(pid_t child) {
  int status;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void handles(int32_t dispatch) {
  counts seen = {0};
  output out = {.busy = ATOMIC_FLAG_INIT};
  mcp_server *server = make_server(make_config(dispatch, hold, &seen, count_destroy));
  mcp_connection *connection = connect_local(server, &out);
  mcp_caller *caller = mcp_caller_new_local();
  mcp_config *config = make_config(MCP_DISPATCH_POOL, echo, NULL, NULL);
  held = NULL;
  send_line(connection, TOOLS_CALL("1", "hold", "{}"));
  if (dispatch == MCP_DISPATCH_PUMP) CHECK_STATUS(MCP_STATUS_OK, mcp_server_pump(server, 0, NULL, NULL));
  WAIT_FOR(mcp_connection_owed(connection) == 1 && held);
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) in_child(server, connection, caller, config, &seen);
  check_child(child);

  /* The parent saw nothing of it. */
  CHECK_STATUS(MCP_STATUS_OK, mcp_call_complete_text(held, "from the parent", SIZE_MAX, NULL));
  WAIT_FOR(output_has(&out, "from the parent"));
  CHECK(!output_has(&out, "from the child"));
  mcp_config_free(config);
  mcp_caller_free(caller);
  mcp_connection_free(connection);
  mcp_server_free(server);
  WAIT_FOR(atomic_load(&seen.destroyed) == 1);
  free(out.text);
}

int main(void) {
  handles(MCP_DISPATCH_INLINE);
  handles(MCP_DISPATCH_PUMP);
  handles(MCP_DISPATCH_POOL);
  puts("ok: fork");
  return 0;
}
