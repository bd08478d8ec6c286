/* destroy runs exactly once for each registration, whatever becomes of it. */
#include "check.h"

static mcp_call *held[4];
static int holding;

static void hold(void *user_data, mcp_call *call) {
  counts *seen = user_data;
  atomic_fetch_add(&seen->calls, 1);
  CHECK(atomic_load(&seen->destroyed) == 0);
  held[holding++] = call;
}

static void fill(void *user_data, const char *key, size_t len, mcp_catalog *catalog) {
  (void)key, (void)len;
  atomic_fetch_add(&((counts *)user_data)->catalogs, 1);
  mcp_catalog_add_tool(catalog, TOOL("more"), SIZE_MAX);
}

static void fill_badly(void *user_data, const char *key, size_t len, mcp_catalog *catalog) {
  (void)key, (void)len;
  atomic_fetch_add(&((counts *)user_data)->catalogs, 1);
  mcp_catalog_fail(catalog, "the database is away", SIZE_MAX);
}

static void take_event(void *user_data, const char *event, size_t len) {
  CHECK(len > 1 && event[0] == '{' && event[len - 1] == '}');
  atomic_fetch_add(&((counts *)user_data)->events, 1);
}

enum { KINDS = 5 };

/* Registers all five with a counter each. */
static void register_all(mcp_config *config, counts seen[KINDS], mcp_catalog_fn catalog) {
  mcp_config_on_call(config, hold, &seen[0], count_destroy);
  mcp_config_on_catalog(config, catalog, &seen[1], count_destroy);
  mcp_config_on_cancel(config, count_cancel, &seen[2], count_destroy);
  mcp_config_on_log(config, count_log, &seen[3], count_destroy);
  mcp_config_on_event(config, take_event, &seen[4], count_destroy);
}

static void all_destroyed(counts seen[KINDS], int times) {
  for (int kind = 0; kind < KINDS; kind++) CHECK(atomic_load(&seen[kind].destroyed) == times);
}

static void a_config_that_is_freed(void) {
  counts seen[KINDS] = {0};
  mcp_config *config = mcp_config_new("n", "v");
  register_all(config, seen, fill);
  all_destroyed(seen, 0);
  mcp_config_free(config);
  all_destroyed(seen, 1);
}

static void a_registration_that_fails(void) {
  counts seen[KINDS] = {0};
  register_all(NULL, seen, fill);
  all_destroyed(seen, 1);
  mcp_config *config = mcp_config_new("n", "v");
  mcp_config_on_call(config, NULL, &seen[0], count_destroy);
  mcp_config_on_catalog(config, NULL, &seen[1], count_destroy);
  mcp_config_on_cancel(config, NULL, &seen[2], count_destroy);
  mcp_config_on_log(config, NULL, &seen[3], count_destroy);
  mcp_config_on_event(config, NULL, &seen[4], count_destroy);
  all_destroyed(seen, 2);
  mcp_config_free(config);
  all_destroyed(seen, 2);
}

static void a_registration_that_is_repeated(void) {
  counts first[KINDS] = {0}, second[KINDS] = {0};
  mcp_config *config = mcp_config_new("n", "v");
  register_all(config, first, fill);
  register_all(config, second, fill);
  all_destroyed(first, 1);
  all_destroyed(second, 0);
  mcp_config_free(config);
  all_destroyed(first, 1);
  all_destroyed(second, 1);
}

static void a_server_that_is_refused(void) {
  mcp_server *server = NULL;
  for (int fault = 0; fault < 4; fault++) {
    counts seen[KINDS] = {0};
    mcp_config *config = mcp_config_new(fault == 0 ? "\xff" : "n", "v");
    register_all(config, seen, fault == 1 ? fill_badly : fill);
    if (fault == 2) mcp_config_set_catalog(config, "{\"tools\":[{\"name\":7}]}", SIZE_MAX);
    if (fault == 3) mcp_config_set_int(config, 12345, 0);
    CHECK(mcp_server_new(config, &server, NULL) != MCP_STATUS_OK && !server);
    all_destroyed(seen, 1);
  }
  counts seen[KINDS] = {0};
  mcp_config *config = mcp_config_new("n", "v");
  register_all(config, seen, fill);
  CHECK_STATUS(MCP_STATUS_INVALID_ARGUMENT, mcp_server_new(config, NULL, NULL));
  all_destroyed(seen, 1);
}

static void every_fault_is_said_at_once(void) {
  counts seen[KINDS] = {0};
  mcp_server *server = NULL;
  mcp_error *error = NULL;
  mcp_config *config = mcp_config_new("n", "v");
  register_all(config, seen, fill_badly);
  mcp_config_set_int(config, MCP_OPTION_MAX_CALLS, 0);
  mcp_config_set_catalog(config, "{\"tools\":[{\"name\":\"good\"},{\"name\":7}]}", SIZE_MAX);
  CHECK_STATUS(MCP_STATUS_INVALID_ARGUMENT, mcp_server_new(config, &server, &error));
  CHECK_HAS(mcp_error_message(error, NULL), "option MAX_CALLS takes 1 to 1000000, got 0\n");
  CHECK_HAS(mcp_error_message(error, NULL), "the database is away");
  CHECK_HAS(mcp_error_message(error, NULL), "tools[1]");
  mcp_error_free(error);

  /* A fault that was mended is none. */
  config = mcp_config_new("n", "v");
  mcp_config_set_int(config, MCP_OPTION_MAX_CALLS, 0);
  mcp_config_set_int(config, MCP_OPTION_MAX_CALLS, 1);
  mcp_server_free(make_server(config));
}

/* Who offers something must answer for it; who offers nothing need not. */
static void a_catalog_without_on_call(void) {
  mcp_server *server = NULL;
  mcp_config *config = mcp_config_new("n", "v");
  mcp_config_set_catalog(config, CATALOG, SIZE_MAX);
  CHECK_ERROR(MCP_STATUS_CATALOG, "", mcp_server_new(config, &server, &error));
  CHECK(!server);
  config = mcp_config_new("n", "v");
  mcp_config_set_catalog(config, "{\"tools\":[]}", SIZE_MAX);
  mcp_server_free(make_server(config));
}

/* The last of server, connection and calls takes the user_data along, in every order. */
static void calls_outlive_their_server(void) {
  for (int order = 0; order < 6; order++) {
    counts seen[KINDS] = {0};
    output out = {.busy = ATOMIC_FLAG_INIT};
    mcp_config *config = mcp_config_new("n", "v");
    register_all(config, seen, fill);
    mcp_config_set_catalog(config, CATALOG, SIZE_MAX);
    mcp_config_set_int(config, MCP_OPTION_DISPATCH, MCP_DISPATCH_INLINE);
    mcp_server *server = make_server(config);
    mcp_connection *connection = connect_local(server, &out);
    holding = 0;
    send_line(connection, TOOLS_CALL("1", "hold", "{}"));
    send_line(connection, TOOLS_CALL("2", "hold", "{}"));
    CHECK(holding == 2 && mcp_connection_owed(connection) == 2);
    static const char *const orders[] = {"scab", "csab", "sacb", "asbc", "abcs", "cabs"};
    for (const char *step = orders[order]; *step; step++) {
      all_destroyed(seen, 0);
      if (*step == 's') mcp_server_free(server);
      if (*step == 'c') mcp_connection_free(connection);
      if (*step == 'a') mcp_call_complete_text(held[0], "late or not", SIZE_MAX, NULL);
      if (*step == 'b') mcp_call_free(held[1]);
    }
    WAIT_FOR(atomic_load(&seen[0].destroyed) == 1);
    all_destroyed(seen, 1);
    WAIT_FOR(atomic_load(&out.destroyed) == 1);
    CHECK(atomic_load(&seen[1].catalogs) == 1);
    free(out.text);
  }
}

static void connections_that_fail(void) {
  output out = {.busy = ATOMIC_FLAG_INIT};
  mcp_connection *connection = NULL;
  mcp_caller *caller = mcp_caller_new_local();
  mcp_server *server = make_server(make_config(MCP_DISPATCH_INLINE, echo, NULL, NULL));
  CHECK(mcp_connection_new(NULL, caller, output_take, &out, output_destroy, &connection, NULL) != MCP_STATUS_OK);
  CHECK(mcp_connection_new(server, NULL, output_take, &out, output_destroy, &connection, NULL) != MCP_STATUS_OK);
  CHECK(mcp_connection_new(server, caller, NULL, &out, output_destroy, &connection, NULL) != MCP_STATUS_OK);
  CHECK(mcp_connection_new(server, caller, output_take, &out, output_destroy, NULL, NULL) != MCP_STATUS_OK);
  CHECK_STATUS(MCP_STATUS_OK, mcp_server_stop(server, 0, NULL));
  CHECK_STATUS(MCP_STATUS_CLOSED,
               mcp_connection_new(server, caller, output_take, &out, output_destroy, &connection, NULL));
  CHECK(!connection && atomic_load(&out.destroyed) == 5);
  mcp_caller_free(caller);
  mcp_server_free(server);
}

static void callers_are_copied(void) {
  size_t len;
  output out = {.busy = ATOMIC_FLAG_INIT};
  counts seen = {0};
  mcp_caller *caller = mcp_caller_new("alice", 5);
  mcp_caller_set_claims(caller, "{\"role\": \"admin\"}", SIZE_MAX);
  mcp_caller_add_scope(caller, "files:read", SIZE_MAX);
  mcp_caller_set_expiry(caller, 4102444800000);
  CHECK(strcmp(mcp_caller_owner_key(caller, NULL), "alice") == 0);
  mcp_caller_set_owner_key(caller, "team", SIZE_MAX);
  CHECK(strcmp(mcp_caller_owner_key(caller, &len), "team") == 0 && len == 4);
  CHECK(strcmp(mcp_caller_principal(caller, NULL), "alice") == 0);
  CHECK(strcmp(mcp_caller_catalog_key(caller, NULL), "") == 0);
  CHECK(mcp_caller_has_scope(caller, "files:*") && !mcp_caller_has_scope(caller, "files:write"));
  CHECK(mcp_caller_expiry(caller) == 4102444800000);
  mcp_server *server = make_server(make_config(MCP_DISPATCH_INLINE, hold, &seen, NULL));
  mcp_connection *connection = NULL;
  mcp_connection_new(server, caller, output_take, &out, NULL, &connection, NULL);
  mcp_caller_set_claims(caller, "{}", 2);
  mcp_caller_free(caller);
  holding = 0;
  send_line(connection, TOOLS_CALL("1", "hold", "{}"));
  const mcp_caller *asking = mcp_call_caller(held[0]);
  CHECK(asking == mcp_call_caller(held[0]));
  CHECK(strcmp(mcp_caller_principal(asking, NULL), "alice") == 0);
  CHECK_HAS(mcp_caller_claims_json(asking, NULL), "admin");
  mcp_call_free(held[0]);
  mcp_connection_free(connection);
  mcp_server_free(server);
  free(out.text);
}

int main(void) {
  a_config_that_is_freed();
  a_registration_that_fails();
  a_registration_that_is_repeated();
  a_server_that_is_refused();
  every_fault_is_said_at_once();
  a_catalog_without_on_call();
  calls_outlive_their_server();
  connections_that_fail();
  callers_are_copied();
  puts("ok: ownership");
  return 0;
}
