/* R100: NULL for each pointer of each function is a status whose message names the parameter, or a harmless default. */
#include "check.h"

static mcp_config *config;
static mcp_server *server;
static mcp_caller *caller;
static mcp_call *held;

static void hold(void *user_data, mcp_call *call) {
  (void)user_data;
  held = call;
}

/* A fresh call each time, because what is tested consumes it. */
static mcp_connection *peer;
static output out = {.busy = ATOMIC_FLAG_INIT};
static mcp_call *fresh(void) {
  held = NULL;
  send_line(peer, TOOLS_CALL("1", "hold", "{\"a\":1}"));
  CHECK(held);
  return held;
}

#define NAMES(parameter, call) CHECK_ERROR(MCP_STATUS_INVALID_ARGUMENT, parameter " is NULL", call)
#define REFUSES(call) CHECK_STATUS(MCP_STATUS_INVALID_ARGUMENT, call)

static void errors_bytes_version(void) {
  size_t len = 99;
  mcp_bytes *bytes = NULL;
  CHECK(mcp_error_status(NULL) == MCP_STATUS_OK);
  CHECK(strcmp(mcp_error_message(NULL, &len), "no error") == 0 && len == 8);
  mcp_error_free(NULL);
  CHECK(!mcp_bytes_data(NULL, &len) && len == 0);
  CHECK(!mcp_bytes_data(NULL, NULL));
  mcp_bytes_free(NULL);
  NAMES("message", mcp_check_message(NULL, 5, &error));
  NAMES("text", mcp_json_quote(NULL, 5, &bytes, &error));
  NAMES("text", mcp_json_quote(NULL, SIZE_MAX, &bytes, &error));
  NAMES("out", mcp_json_quote("x", 1, NULL, &error));
  REFUSES(mcp_json_quote("x", 1, NULL, NULL));
  CHECK_STATUS(MCP_STATUS_OK, mcp_json_quote(NULL, 0, &bytes, NULL));
  CHECK(strcmp(mcp_bytes_data(bytes, NULL), "\"\"") == 0);
  mcp_bytes_free(bytes);
}

static void configs(void) {
  mcp_config_free(NULL);
  REFUSES(mcp_config_set_int(NULL, MCP_OPTION_PAGE_SIZE, 1));
  REFUSES(mcp_config_set_text(NULL, MCP_OPTION_INSTRUCTIONS, "x", 1));
  REFUSES(mcp_config_add_text(NULL, MCP_OPTION_STATE_KEY, "x", 1));
  REFUSES(mcp_config_set_catalog(NULL, "{}", 2));
  REFUSES(mcp_config_on_catalog(NULL, NULL, NULL, NULL));
  REFUSES(mcp_config_on_call(NULL, echo, NULL, NULL));
  REFUSES(mcp_config_on_cancel(NULL, count_cancel, NULL, NULL));
  REFUSES(mcp_config_on_log(NULL, ignore_log, NULL, NULL));
  REFUSES(mcp_config_on_event(NULL, NULL, NULL, NULL));

  /* What the setters refuse, mcp_server_new says, all of it. */
  mcp_server *made = (mcp_server *)&out;
  mcp_error *error = NULL;
  mcp_config *bad = mcp_config_new(NULL, NULL);
  CHECK(bad);
  REFUSES(mcp_config_set_text(bad, MCP_OPTION_INSTRUCTIONS, NULL, 1));
  REFUSES(mcp_config_add_text(bad, MCP_OPTION_STATE_KEY, NULL, SIZE_MAX));
  REFUSES(mcp_config_set_catalog(bad, NULL, 7));
  REFUSES(mcp_config_on_catalog(bad, NULL, NULL, NULL));
  REFUSES(mcp_config_on_call(bad, NULL, NULL, NULL));
  REFUSES(mcp_config_on_cancel(bad, NULL, NULL, NULL));
  REFUSES(mcp_config_on_log(bad, NULL, NULL, NULL));
  REFUSES(mcp_config_on_event(bad, NULL, NULL, NULL));
  REFUSES(mcp_config_set_int(bad, MCP_OPTION_PAGE_SIZE, -1));
  CHECK_STATUS(MCP_STATUS_INVALID_ARGUMENT, mcp_server_new(bad, &made, &error));
  CHECK(!made);
  static const char *const faults[] = {
      "name is NULL", "version is NULL", "option INSTRUCTIONS is NULL", "option STATE_KEY is NULL", "the catalog is NULL",
      "the function of on_catalog is NULL", "the function of on_call is NULL", "the function of on_cancel is NULL",
      "the function of on_log is NULL", "the function of on_event is NULL", "option PAGE_SIZE takes 0 to 1000000, got -1"};
  for (size_t at = 0; at < sizeof faults / sizeof *faults; at++) CHECK_HAS(mcp_error_message(error, NULL), faults[at]);
  mcp_error_free(error);
  NAMES("config", mcp_server_new(NULL, &made, &error));
  NAMES("out", mcp_server_new(mcp_config_new("n", "v"), NULL, &error));
  REFUSES(mcp_server_new(NULL, NULL, NULL));
}

static void fill(void *user_data, const char *key, size_t len, mcp_catalog *catalog) {
  (void)user_data;
  CHECK(key && len == 0);
  REFUSES(mcp_catalog_add(catalog, NULL, 1));
  REFUSES(mcp_catalog_add_tool(catalog, NULL, 1));
  REFUSES(mcp_catalog_add_resource(catalog, NULL, 1));
  REFUSES(mcp_catalog_add_resource_template(catalog, NULL, 1));
  REFUSES(mcp_catalog_add_prompt(catalog, NULL, 1));
  REFUSES(mcp_catalog_fail(catalog, NULL, 1));
}

static void catalogs(void) {
  REFUSES(mcp_catalog_add(NULL, "{}", 2));
  REFUSES(mcp_catalog_add_tool(NULL, "{}", 2));
  REFUSES(mcp_catalog_add_resource(NULL, "{}", 2));
  REFUSES(mcp_catalog_add_resource_template(NULL, "{}", 2));
  REFUSES(mcp_catalog_add_prompt(NULL, "{}", 2));
  REFUSES(mcp_catalog_fail(NULL, "no", 2));
  mcp_server *made = NULL;
  mcp_config *bad = mcp_config_new("n", "v");
  mcp_config_on_call(bad, echo, NULL, NULL);
  mcp_config_on_catalog(bad, fill, NULL, NULL);
  CHECK_ERROR(MCP_STATUS_CATALOG, "json is NULL", mcp_server_new(bad, &made, &error));
  CHECK(!made);
}

static void callers(void) {
  size_t len;
  mcp_bytes *response = NULL;
  mcp_caller_free(NULL);
  REFUSES(mcp_caller_set_owner_key(NULL, "k", 1));
  REFUSES(mcp_caller_set_catalog_key(NULL, "k", 1));
  REFUSES(mcp_caller_add_scope(NULL, "s", 1));
  REFUSES(mcp_caller_set_all_scopes(NULL));
  REFUSES(mcp_caller_set_claims(NULL, "{}", 2));
  REFUSES(mcp_caller_set_expiry(NULL, 1));
  CHECK(!mcp_caller_principal(NULL, &len) && !mcp_caller_owner_key(NULL, &len) && !mcp_caller_catalog_key(NULL, &len));
  CHECK(!mcp_caller_has_scope(NULL, "s") && !mcp_caller_has_scope(caller, NULL));
  CHECK(!mcp_caller_claims_json(NULL, &len) && mcp_caller_expiry(NULL) == -1);

  /* Half an identity is none. */
  mcp_caller *(*const makers[])(void) = {mcp_caller_new_local};
  for (int fault = 0; fault < 6; fault++) {
    mcp_caller *bad = fault == 5 ? mcp_caller_new(NULL, 1) : makers[0]();
    CHECK(bad);
    if (fault == 0) REFUSES(mcp_caller_set_owner_key(bad, NULL, 1));
    if (fault == 1) REFUSES(mcp_caller_set_catalog_key(bad, NULL, 1));
    if (fault == 2) REFUSES(mcp_caller_add_scope(bad, NULL, 1));
    if (fault == 3) REFUSES(mcp_caller_set_claims(bad, NULL, 1));
    if (fault == 4) REFUSES(mcp_caller_set_expiry(bad, -1));
    CHECK_ERROR(MCP_STATUS_INVALID_ARGUMENT, "caller: ",
                mcp_handle_request(server, bad, REQUEST("1", "server/discover", ""), SIZE_MAX, -1, &response, &error));
    CHECK(!response);
    mcp_caller_free(bad);
  }
}

static void servers(void) {
  mcp_bytes *response = NULL;
  mcp_connection *made = NULL;
  const char *ping = REQUEST("1", "server/discover", "");
  mcp_server_free(NULL);
  NAMES("server", mcp_handle_request(NULL, caller, ping, SIZE_MAX, -1, &response, &error));
  NAMES("caller", mcp_handle_request(server, NULL, ping, SIZE_MAX, -1, &response, &error));
  NAMES("message", mcp_handle_request(server, caller, NULL, 1, -1, &response, &error));
  NAMES("response", mcp_handle_request(server, caller, ping, SIZE_MAX, -1, NULL, &error));
  NAMES("server", mcp_server_catalog_changed(NULL, "", 0, &error));
  NAMES("catalog_key", mcp_server_catalog_changed(server, NULL, 1, &error));
  NAMES("server", mcp_server_resource_updated(NULL, "u", 1, &error));
  NAMES("uri", mcp_server_resource_updated(server, NULL, 1, &error));
  NAMES("server", mcp_server_revoke(NULL, "k", 1, &error));
  NAMES("owner_key", mcp_server_revoke(server, NULL, 1, &error));
  NAMES("server", mcp_server_pump(NULL, 0, NULL, &error));
  CHECK(mcp_server_pump_fd(NULL) == -1);
  NAMES("server", mcp_server_stats(NULL, &response, &error));
  NAMES("json", mcp_server_stats(server, NULL, &error));
  NAMES("server", mcp_server_stop(NULL, 0, &error));
  NAMES("server", mcp_serve_stdio(NULL, &error));
  NAMES("server", mcp_serve_fd(NULL, 0, 1, &error));
  CHECK_ERROR(MCP_STATUS_INVALID_ARGUMENT, "in_fd", mcp_serve_fd(server, -1, 1, &error));
  CHECK_ERROR(MCP_STATUS_INVALID_ARGUMENT, "out_fd", mcp_serve_fd(server, 0, -1, &error));
  NAMES("server", mcp_connection_new(NULL, caller, output_take, NULL, NULL, &made, &error));
  NAMES("caller", mcp_connection_new(server, NULL, output_take, NULL, NULL, &made, &error));
  NAMES("output", mcp_connection_new(server, caller, NULL, NULL, NULL, &made, &error));
  NAMES("out", mcp_connection_new(server, caller, output_take, NULL, NULL, NULL, &error));
  CHECK(!made && !response);
}

static void connections(void) {
  mcp_connection_free(NULL);
  NAMES("connection", mcp_connection_receive(NULL, "x", 1, &error));
  NAMES("bytes", mcp_connection_receive(peer, NULL, 1, &error));
  NAMES("connection", mcp_connection_end_input(NULL, &error));
  NAMES("connection", mcp_connection_set_backlog(NULL, 0, &error));
  NAMES("connection", mcp_connection_tick(NULL, &error));
  NAMES("connection", mcp_connection_close(NULL, 0, &error));
  CHECK(mcp_connection_owed(NULL) == 0 && mcp_connection_next_deadline(NULL) == -1);
  CHECK(mcp_connection_is_closed(NULL) && !mcp_connection_wants_input(NULL));
}

static void ignore_auth(void *user_data, mcp_auth *auth) {
  (void)user_data;
  mcp_auth_free(auth);
}

static void http(void) {
  size_t len;
  mcp_endpoint *endpoint = NULL;
  mcp_listener *listener = NULL;
  mcp_http_config_free(NULL);
  mcp_listener_free(NULL);
  mcp_endpoint_free(NULL);
  mcp_http_free(NULL);
  mcp_auth_free(NULL);
  mcp_http_config *bad = mcp_http_config_new();
  REFUSES(mcp_http_config_set_int(NULL, MCP_HTTP_OPTION_MAX_CALLS, 1));
  REFUSES(mcp_http_config_set_text(NULL, MCP_HTTP_OPTION_PATH, "/", 1));
  REFUSES(mcp_http_config_set_text(bad, MCP_HTTP_OPTION_PATH, NULL, 1));
  REFUSES(mcp_http_config_add_text(NULL, MCP_HTTP_OPTION_HOST, "h", 1));
  REFUSES(mcp_http_config_add_text(bad, MCP_HTTP_OPTION_HOST, NULL, 1));
  REFUSES(mcp_http_config_allow_any_caller(NULL, caller));
  REFUSES(mcp_http_config_allow_any_origin(NULL));
  REFUSES(mcp_http_config_on_authorize(NULL, ignore_auth, NULL, NULL));
  REFUSES(mcp_http_config_on_authorize(bad, NULL, NULL, NULL));
  REFUSES(mcp_http_config_on_authorize_body(NULL, NULL, NULL, NULL));
  REFUSES(mcp_http_config_on_authorize_body(bad, NULL, NULL, NULL));
  REFUSES(mcp_http_config_session_store(bad, NULL, NULL, NULL, NULL, NULL));
  REFUSES(mcp_session_found(NULL, "{}", 2));
  REFUSES(mcp_call_close_stream(NULL, 0));
  REFUSES(mcp_endpoint_tick(NULL, NULL));
  CHECK(mcp_endpoint_next_deadline(NULL) == -1);
  CHECK_ERROR(MCP_STATUS_INVALID_ARGUMENT, "option HOST is NULL", mcp_http_listen(server, bad, &listener, &error));
  NAMES("config", mcp_http_listen(server, NULL, &listener, &error));
  NAMES("config", mcp_endpoint_new(server, NULL, &endpoint, &error));
  NAMES("out", mcp_endpoint_new(server, mcp_http_config_new(), NULL, &error));
  NAMES("server", mcp_endpoint_new(NULL, mcp_http_config_new(), &endpoint, &error));
  NAMES("endpoint", mcp_endpoint_stop(NULL, &error));
  CHECK(mcp_listener_port(NULL) == 0 && !mcp_listener_address(NULL, 0, &len));
  NAMES("listener", mcp_listener_wait(NULL, &error));
  NAMES("listener", mcp_listener_stop(NULL, 0, &error));
  NAMES("exchange", mcp_http_body(NULL, "x", 1, true, &error));
  NAMES("exchange", mcp_http_pause(NULL, true, &error));
  NAMES("exchange", mcp_http_tick(NULL, &error));
  CHECK(mcp_http_next_deadline(NULL) == -1);
  CHECK(!mcp_auth_method(NULL) && !mcp_auth_path(NULL, &len) && !mcp_auth_header(NULL, "a", &len) && !mcp_auth_peer(NULL));
  NAMES("auth", mcp_auth_allow(NULL, mcp_caller_new_local(), &error));
  NAMES("auth", mcp_auth_refuse(NULL, 401, NULL, NULL, NULL, NULL, &error));
  CHECK(!endpoint && !listener);
}

static void calls_read(void) {
  size_t len;
  int64_t integer;
  double number;
  bool truth;
  mcp_call *call = fresh();
  CHECK(mcp_call_kind(NULL) == 0 && mcp_call_number(NULL) == 0 && mcp_call_round(NULL) == 0 && mcp_call_cancelled(NULL) == 0);
  CHECK(!mcp_call_name(NULL, &len) && !mcp_call_template(NULL, &len) && !mcp_call_state(NULL, &len));
  CHECK(!mcp_call_protocol_version(NULL) && !mcp_call_caller(NULL));
  CHECK(!mcp_call_arguments(NULL, &len) && !mcp_call_meta_json(NULL, &len) && !mcp_call_answers_json(NULL, &len));
  CHECK(!mcp_call_header(NULL, "host", &len) && !mcp_call_header(call, NULL, &len) && !mcp_call_header(call, "host", &len));
  CHECK(!mcp_call_variable(NULL, "id", &len) && !mcp_call_variable(call, NULL, &len));
  CHECK(!mcp_call_client_supports(NULL, "roots") && !mcp_call_client_supports(call, NULL));
  CHECK(!mcp_call_argument_text(NULL, "/a", &len) && !mcp_call_argument_text(call, NULL, &len));
  CHECK(!mcp_call_argument_json(NULL, "/a", &len) && !mcp_call_argument_json(call, NULL, &len));
  CHECK(!mcp_call_argument_int(NULL, "/a", &integer) && !mcp_call_argument_int(call, NULL, &integer));
  CHECK(!mcp_call_argument_double(NULL, "/a", &number) && !mcp_call_argument_double(call, NULL, &number));
  CHECK(!mcp_call_argument_bool(NULL, "/a", &truth) && !mcp_call_argument_bool(call, NULL, &truth));
  CHECK(!mcp_call_argument_count(NULL, "", &len) && !mcp_call_argument_count(call, NULL, &len));
  CHECK(!mcp_call_argument_int(call, "/a", NULL) && !mcp_call_argument_double(call, "/a", NULL));
  CHECK(!mcp_call_argument_bool(call, "/a", NULL) && !mcp_call_argument_count(call, "", NULL));
  CHECK(!mcp_call_answer_text(NULL, "/a", &len) && !mcp_call_answer_text(call, NULL, &len));
  CHECK(!mcp_call_answer_json(NULL, "/a", &len) && !mcp_call_answer_json(call, NULL, &len));
  CHECK(!mcp_call_answer_json(call, "", NULL));
  /* Raw JSON has no end of its own: without a place for its length it is not given. */
  CHECK(!mcp_call_arguments(call, NULL) && !mcp_call_meta_json(call, NULL) && !mcp_call_answers_json(call, NULL));
  CHECK(!mcp_call_argument_json(call, "/a", NULL));
  CHECK(!mcp_call_answer_text(NULL, "/a", &len) && !mcp_call_answer_text(call, NULL, &len));
  CHECK(!mcp_call_answer_text(call, "/a", NULL));
  CHECK(!mcp_call_answer_json(NULL, "/a", &len) && !mcp_call_answer_json(call, NULL, &len));
  CHECK(!mcp_call_answer_json(call, "/a", NULL));
  CHECK(strcmp(mcp_call_name(call, NULL), "hold") == 0);
  NAMES("call", mcp_call_progress(NULL, 1, 2, NULL, 0, &error));
  NAMES("message", mcp_call_progress(call, 1, 2, NULL, 1, &error));
  NAMES("call", mcp_call_log(NULL, MCP_LOG_INFO, NULL, "1", 1, &error));
  NAMES("data_json", mcp_call_log(call, MCP_LOG_INFO, NULL, NULL, 1, &error));
  CHECK_ERROR(MCP_STATUS_INVALID_ARGUMENT, "level takes", mcp_call_log(call, 8, NULL, "1", 1, &error));
  CHECK_ERROR(MCP_STATUS_INVALID_ARGUMENT, "level takes", mcp_call_log(call, -1, NULL, "1", 1, &error));
  mcp_call_free(call);
}

static void calls_finish(void) {
  NAMES("call", mcp_call_complete_text(NULL, "x", 1, &error));
  NAMES("call", mcp_call_complete_blob(NULL, "x", 1, NULL, &error));
  NAMES("call", mcp_call_complete_json(NULL, "{}", 2, &error));
  NAMES("call", mcp_call_fail(NULL, "x", 1, &error));
  NAMES("call", mcp_call_reject(NULL, 1, "x", 1, NULL, 0, &error));
  NAMES("call", mcp_call_require_input(NULL, "{}", 2, NULL, 0, &error));
  mcp_call_free(NULL);

  /* A call is consumed on failure too, and its client is told. */
  int answered = output_lines(&out);
  NAMES("text", mcp_call_complete_text(fresh(), NULL, 1, &error));
  NAMES("data", mcp_call_complete_blob(fresh(), NULL, 1, "image/png", &error));
  NAMES("result", mcp_call_complete_json(fresh(), NULL, 1, &error));
  NAMES("message", mcp_call_fail(fresh(), NULL, 1, &error));
  NAMES("message", mcp_call_reject(fresh(), 1, NULL, 1, NULL, 0, &error));
  NAMES("data_json", mcp_call_reject(fresh(), 1, "x", 1, NULL, 1, &error));
  NAMES("requests_json", mcp_call_require_input(fresh(), NULL, 1, NULL, 0, &error));
  NAMES("state", mcp_call_require_input(fresh(), "{}", 2, NULL, 1, &error));
  CHECK(output_lines(&out) == answered + 8);
}

int main(void) {
  config = make_config(MCP_DISPATCH_INLINE, hold, NULL, NULL);
  mcp_config_on_log(config, ignore_log, NULL, NULL);
  server = make_server(config);
  caller = mcp_caller_new_local();
  peer = connect_local(server, &out);
  errors_bytes_version();
  configs();
  catalogs();
  callers();
  servers();
  connections();
  http();
  calls_read();
  calls_finish();
  mcp_connection_free(peer);
  mcp_caller_free(caller);
  mcp_server_free(server);
  free(out.text);
  puts("ok: null");
  return 0;
}
