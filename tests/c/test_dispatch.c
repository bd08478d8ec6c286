/* Where host code runs, and how calls are read and answered there. */
#include "check.h"

#include <poll.h>
#include <pthread.h>

static pthread_t main_thread;
static atomic_int elsewhere, here, ran;

static void count_thread(void *user_data, mcp_call *call) {
  atomic_fetch_add(pthread_equal(pthread_self(), main_thread) ? &here : &elsewhere, 1);
  echo(user_data, call);
  atomic_fetch_add(&ran, 1);
}

static void count_destroy_thread(void *user_data) {
  CHECK(pthread_equal(pthread_self(), main_thread));
  count_destroy(user_data);
}

static void reset(void) {
  atomic_store(&here, 0);
  atomic_store(&elsewhere, 0);
  atomic_store(&ran, 0);
}

static void inline_runs_on_the_thread_that_brings(void) {
  reset();
  output out = {.busy = ATOMIC_FLAG_INIT};
  mcp_server *server = make_server(make_config(MCP_DISPATCH_INLINE, count_thread, NULL, NULL));
  mcp_connection *connection = connect_local(server, &out);
  send_line(connection, TOOLS_CALL("1", "echo", "{\"a\":1}"));
  CHECK(here == 1 && elsewhere == 0 && output_has(&out, "{\\\"a\\\":1}"));
  CHECK_STATUS(MCP_STATUS_INVALID_ARGUMENT, mcp_server_pump(server, 0, NULL, NULL));
  CHECK(mcp_server_pump_fd(server) == -1);
  mcp_connection_free(connection);
  mcp_server_free(server);
  free(out.text);
}

static void the_pool_runs_elsewhere(void) {
  reset();
  output out = {.busy = ATOMIC_FLAG_INIT};
  mcp_server *server = make_server(make_config(MCP_DISPATCH_POOL, count_thread, NULL, NULL));
  mcp_connection *connection = connect_local(server, &out);
  send_line(connection, TOOLS_CALL("1", "echo", "{}"));
  WAIT_FOR(output_has(&out, "\"id\":1"));
  CHECK(here == 0 && elsewhere == 1);
  /* mcp_handle_request runs on its own thread, whatever the dispatch. */
  CHECK_ANSWER(server, TOOLS_CALL("2", "echo", "{}"), "\"id\":2");
  CHECK(here == 1 && elsewhere == 1);
  CHECK_STATUS(MCP_STATUS_OK, mcp_connection_close(connection, 1000, NULL));
  mcp_connection_free(connection);
  mcp_server_free(server);
  free(out.text);
}

/* R097: no library thread ever calls the host; what the engine can answer itself does not wait for the pump. */
static void the_pump_runs_only_inside_pump(void) {
  reset();
  uint32_t pumped = 99;
  counts seen = {0};
  output out = {.busy = ATOMIC_FLAG_INIT};
  mcp_server *server = make_server(make_config(MCP_DISPATCH_PUMP, count_thread, &seen, count_destroy_thread));
  mcp_connection *connection = connect_local(server, &out);
  struct pollfd waiting = {mcp_server_pump_fd(server), POLLIN, 0};
  CHECK(waiting.fd >= 0 && poll(&waiting, 1, 0) == 0);
  send_line(connection, TOOLS_CALL("1", "echo", "{}"));
  send_line(connection, TOOLS_CALL("2", "echo", "{}"));
  send_line(connection, REQUEST("3", "server/discover", ""));
  WAIT_FOR(output_has(&out, "\"id\":3"));
  sleep_ms(20);
  CHECK(ran == 0 && poll(&waiting, 1, 0) == 1);
  CHECK_STATUS(MCP_STATUS_OK, mcp_server_pump(server, 1000, &pumped, NULL));
  CHECK(pumped == 2 && here == 2 && elsewhere == 0);
  WAIT_FOR(output_lines(&out) == 3);
  CHECK(strstr(out.text, "\"id\":1") < strstr(out.text, "\"id\":2"));
  CHECK(poll(&waiting, 1, 0) == 0);
  CHECK_STATUS(MCP_STATUS_OK, mcp_server_pump(server, 0, &pumped, NULL));
  CHECK(pumped == 0);
  mcp_connection_free(connection);
  mcp_server_free(server);
  CHECK(atomic_load(&seen.destroyed) == 1);
  free(out.text);
}

static void *answer_later(void *user_data) {
  mcp_call *call = user_data;
  sleep_ms(20);
  CHECK_STATUS(MCP_STATUS_OK, mcp_call_complete_text(call, "late", SIZE_MAX, NULL));
  return NULL;
}

static void start_answer(void *user_data, mcp_call *call) {
  CHECK(pthread_create(user_data, NULL, answer_later, call) == 0);
}

static void a_call_is_answered_later_from_another_thread(void) {
  pthread_t thread;
  mcp_server *server = make_server(make_config(MCP_DISPATCH_INLINE, start_answer, &thread, NULL));
  CHECK_ANSWER(server, TOOLS_CALL("1", "hold", "{}"), "\"text\":\"late\"");
  pthread_join(thread, NULL);
  mcp_server_free(server);
}

/* Reading, on a call of each kind. */
static void read_call(void *user_data, mcp_call *call) {
  size_t len = 0;
  int64_t integer = -1;
  double number = -1;
  bool truth = false;
  counts *seen = user_data;
  atomic_fetch_add(&seen->calls, 1);
  CHECK(strcmp(mcp_call_protocol_version(call), "2026-07-28") == 0);
  CHECK(mcp_call_number(call) != 0 && mcp_call_cancelled(call) == 0 && mcp_call_round(call) == 0);
  CHECK(mcp_call_client_supports(call, "elicitation") && !mcp_call_client_supports(call, "sampling"));
  CHECK(mcp_call_meta_json(call, &len) && len > 20);
  const char *answers = mcp_call_answers_json(call, &len);
  CHECK(len == 2 && memcmp(answers, "{}", 2) == 0 && !mcp_call_state(call, &len));
  switch (mcp_call_kind(call)) {
  case MCP_CALL_TOOL: {
    CHECK(strcmp(mcp_call_name(call, &len), "echo") == 0 && len == 4);
    CHECK(mcp_call_name(call, NULL) == mcp_call_name(call, NULL));
    const char *text = mcp_call_argument_text(call, "/t", &len);
    CHECK(len == 4 && memcmp(text, "\xc3\xa9\0z", 5) == 0);
    CHECK(text == mcp_call_argument_text(call, "/t", NULL));
    CHECK(strcmp(mcp_call_argument_text(call, "/list/1", NULL), "two") == 0);
    CHECK(mcp_call_argument_count(call, "/list", &len) && len == 2);
    CHECK(mcp_call_argument_count(call, "", &len) && len == 7);
    CHECK(mcp_call_argument_int(call, "/i", &integer) && integer == 100);
    CHECK(mcp_call_argument_double(call, "/d", &number) && number == 0.5);
    CHECK(mcp_call_argument_bool(call, "/b", &truth) && truth);
    /* The very digits, and nothing stored where the kind or the size is another. */
    const char *json = mcp_call_argument_json(call, "/big", &len);
    CHECK(len == 20 && memcmp(json, "18446744073709551616", 20) == 0);
    integer = 7;
    CHECK(!mcp_call_argument_int(call, "/big", &integer) && !mcp_call_argument_int(call, "/d", &integer));
    CHECK(!mcp_call_argument_int(call, "/t", &integer) && !mcp_call_argument_int(call, "/none", &integer));
    CHECK(integer == 7 && !mcp_call_argument_text(call, "/i", NULL) && !mcp_call_argument_text(call, "t", NULL));
    CHECK(!mcp_call_argument_text(call, "/none", NULL) && !mcp_call_argument_count(call, "/t", &len));
    json = mcp_call_argument_json(call, "/o/\xc3\xa9~1~0", &len);
    CHECK(len == 4 && memcmp(json, "null", 4) == 0);
    /* The answer may be a view of the call that it consumes. */
    CHECK_STATUS(MCP_STATUS_OK, mcp_call_complete_text(call, mcp_call_argument_text(call, "/list/0", NULL), SIZE_MAX, NULL));
    return;
  }
  case MCP_CALL_RESOURCE:
    if (mcp_call_template(call, NULL)) {
      CHECK(strcmp(mcp_call_template(call, NULL), "test://item/{id}") == 0);
      CHECK(strcmp(mcp_call_name(call, NULL), "test://item/a%20b") == 0);
      CHECK(strcmp(mcp_call_variable(call, "id", &len), "a b") == 0 && len == 3);
    } else {
      CHECK(!mcp_call_variable(call, "id", NULL));
    }
    CHECK(!mcp_call_variable(call, "none", NULL));
    CHECK_STATUS(MCP_STATUS_OK, mcp_call_complete_blob(call, "\xfb\xff\xfe", 3, "image/png", NULL));
    return;
  case MCP_CALL_PROMPT:
    CHECK(strcmp(mcp_call_argument_text(call, "/what", NULL), "why") == 0);
    CHECK_STATUS(MCP_STATUS_OK,
                 mcp_call_complete_json(call, "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"hi\"}}]}", SIZE_MAX, NULL));
    return;
  case MCP_CALL_COMPLETION:
    CHECK(strcmp(mcp_call_name(call, NULL), "ask") == 0);
    CHECK(strcmp(mcp_call_argument_text(call, "/argument/value", NULL), "w") == 0);
    CHECK_STATUS(MCP_STATUS_OK, mcp_call_complete_text(call, "who\nwhy", SIZE_MAX, NULL));
    return;
  default: CHECK(!"a kind");
  }
}

static void every_kind_is_read_and_answered(void) {
  counts seen = {0};
  mcp_config *config = make_config(MCP_DISPATCH_INLINE, read_call, &seen, count_destroy);
  mcp_config_set_int(config, MCP_OPTION_COMPLETIONS, 1);
  mcp_server *server = make_server(config);
  CHECK_ANSWER(server,
               TOOLS_CALL("1", "echo",
                          "{\"t\":\"\\u00e9\\u0000z\",\"list\":[\"one\",\"two\"],\"i\":1e2,\"d\":0.5,\"b\":true,"
                          "\"big\":18446744073709551616,\"o\":{\"\xc3\xa9/~\":null}}"),
               "\"text\":\"one\"");
  CHECK_ANSWER(server, REQUEST("2", "resources/read", "\"uri\":\"test://one\","), "\"blob\":\"+//+\"");
  CHECK_ANSWER(server, REQUEST("3", "resources/read", "\"uri\":\"test://item/a%20b\","), "\"blob\":\"+//+\"");
  CHECK_ANSWER(server, REQUEST("4", "prompts/get", "\"name\":\"ask\",\"arguments\":{\"what\":\"why\"},"), "\"text\":\"hi\"");
  CHECK_ANSWER(server,
               REQUEST("5", "completion/complete",
                       "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"ask\"},\"argument\":{\"name\":\"what\",\"value\":\"w\"},"),
               "[\"who\",\"why\"]");
  CHECK(atomic_load(&seen.calls) == 5);
  mcp_server_free(server);
  CHECK(atomic_load(&seen.destroyed) == 1);
}

/* Input from the user: the call comes again with the answers and the state. */
static void ask_first(void *user_data, mcp_call *call) {
  size_t len;
  (void)user_data;
  if (mcp_call_round(call) == 0) {
    CHECK_STATUS(MCP_STATUS_OK,
                 mcp_call_require_input(call,
                                        "{\"name\":{\"method\":\"elicitation/create\",\"params\":{\"mode\":\"form\",\"message\":\"Who?\","
                                        "\"requestedSchema\":{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"string\"}}}}}}",
                                        SIZE_MAX, "kept", SIZE_MAX, NULL));
    return;
  }
  CHECK(strcmp(mcp_call_state(call, &len), "kept") == 0 && len == 4);
  CHECK(strcmp(mcp_call_answer_text(call, "/name/action", NULL), "accept") == 0);
  CHECK(strcmp(mcp_call_answer_text(call, "/name/content/n", &len), "Ada") == 0 && len == 3);
  const char *content = mcp_call_answer_json(call, "/name/content", &len);
  CHECK(content && len == 11 && memcmp(content, "{\"n\":\"Ada\"}", len) == 0);
  CHECK(!mcp_call_answer_text(call, "/none", NULL) && !mcp_call_answer_json(call, "/name/none", &len));
  const char *answers = mcp_call_answers_json(call, &len);
  CHECK_STATUS(MCP_STATUS_OK, mcp_call_complete_text(call, answers, len, NULL));
}

static void input_is_asked_and_comes_back(void) {
  char retry[8192], *end;
  mcp_server *server = make_server(make_config(MCP_DISPATCH_INLINE, ask_first, NULL, NULL));
  mcp_bytes *first = ask(server, TOOLS_CALL("1", "echo", "{}"));
  CHECK_HAS(mcp_bytes_data(first, NULL), "\"input_required\"");
  const char *state = strstr(mcp_bytes_data(first, NULL), "\"requestState\":\"");
  CHECK(state);
  state += strlen("\"requestState\":\"");
  end = strchr(state, '"');
  CHECK(end);
  snprintf(retry, sizeof retry, REQUEST("2", "tools/call",
           "\"name\":\"echo\",\"arguments\":{},\"requestState\":\"%.*s\",\"inputResponses\":{\"name\":"
           "{\"action\":\"accept\",\"content\":{\"n\":\"Ada\"}}},"), (int)(end - state), state);
  CHECK_ANSWER(server, retry, "Ada");
  mcp_bytes_free(first);
  mcp_server_free(server);
}

static void progress_and_log(void *user_data, mcp_call *call) {
  (void)user_data;
  CHECK_STATUS(MCP_STATUS_OK, mcp_call_progress(call, 1, 2, "half", SIZE_MAX, NULL));
  CHECK_STATUS(MCP_STATUS_OK, mcp_call_progress(call, 2, -1, NULL, 0, NULL));
  CHECK_STATUS(MCP_STATUS_OK, mcp_call_log(call, MCP_LOG_WARNING, "disk", "{\"free\":0}", SIZE_MAX, NULL));
  CHECK_STATUS(MCP_STATUS_OK, mcp_call_log(call, MCP_LOG_DEBUG, NULL, "\"quiet\"", SIZE_MAX, NULL));
  CHECK_STATUS(MCP_STATUS_INVALID_JSON, mcp_call_log(call, MCP_LOG_ERROR, NULL, "{", SIZE_MAX, NULL));
  mcp_call_complete_text(call, "done", SIZE_MAX, NULL);
}

static void a_call_speaks_before_its_answer(void) {
  output out = {.busy = ATOMIC_FLAG_INIT};
  mcp_config *config = make_config(MCP_DISPATCH_INLINE, progress_and_log, NULL, NULL);
  mcp_config_set_int(config, MCP_OPTION_LOGGING, 1);
  mcp_server *server = make_server(config);
  mcp_connection *connection = connect_local(server, &out);
  send_line(connection,
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\",\"_meta\":{"
            "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{},"
            "\"io.modelcontextprotocol/logLevel\":\"info\",\"progressToken\":\"t\"}}}");
  WAIT_FOR(output_has(&out, "\"done\""));
  CHECK(output_has(&out, "notifications/progress") && output_has(&out, "half"));
  CHECK(output_has(&out, "\"logger\":\"disk\"") && output_has(&out, "{\"free\":0}") && !output_has(&out, "quiet"));
  mcp_connection_free(connection);
  mcp_server_free(server);
  free(out.text);
}

static void catalog_by_key(void *user_data, const char *key, size_t len, mcp_catalog *catalog) {
  char tool[200];
  CHECK(strlen(key) == len);
  int number = atomic_fetch_add(&((counts *)user_data)->catalogs, 1);
  snprintf(tool, sizeof tool, "{\"name\":\"for_%s_%d\",\"inputSchema\":{\"type\":\"object\"}}", len ? key : "all", number);
  CHECK_STATUS(MCP_STATUS_OK, mcp_catalog_add_tool(catalog, tool, SIZE_MAX));
  CHECK_STATUS(MCP_STATUS_OK, mcp_catalog_add(catalog, "{\"prompts\":[{\"name\":\"p\"}]}", SIZE_MAX));
  CHECK_STATUS(MCP_STATUS_OK, mcp_catalog_add_resource(catalog, "{\"uri\":\"a://b\",\"name\":\"b\"}", SIZE_MAX));
  CHECK_STATUS(MCP_STATUS_OK, mcp_catalog_add_resource_template(catalog, "{\"uriTemplate\":\"c://{d}\",\"name\":\"d\"}", SIZE_MAX));
  CHECK_STATUS(MCP_STATUS_OK, mcp_catalog_add_prompt(catalog, "{\"name\":\"q\"}", SIZE_MAX));
}

static void catalogs_are_filled_by_key_and_anew(void) {
  counts seen = {0};
  mcp_bytes *response = NULL;
  mcp_config *config = mcp_config_new("n", "v");
  mcp_config_on_call(config, echo, NULL, NULL);
  mcp_config_on_catalog(config, catalog_by_key, &seen, NULL);
  mcp_config_set_int(config, MCP_OPTION_TOOLS_LIST_CHANGED, 1);
  mcp_server *server = make_server(config);
  CHECK_ANSWER(server, REQUEST("1", "tools/list", ""), "for_all_0");
  mcp_caller *tenant = mcp_caller_new("t", 1);
  mcp_caller_set_catalog_key(tenant, "acme", SIZE_MAX);
  CHECK_STATUS(MCP_STATUS_OK,
               mcp_handle_request(server, tenant, REQUEST("2", "tools/list", ""), SIZE_MAX, -1, &response, NULL));
  CHECK_HAS(mcp_bytes_data(response, NULL), "for_acme_1");
  mcp_bytes_free(response);
  CHECK_STATUS(MCP_STATUS_OK, mcp_server_catalog_changed(server, "", 0, NULL));
  CHECK_ANSWER(server, REQUEST("3", "tools/list", ""), "for_all_2");
  CHECK_STATUS(MCP_STATUS_OK, mcp_server_stats(server, &response, NULL));
  CHECK_HAS(mcp_bytes_data(response, NULL), "{");
  mcp_bytes_free(response);
  mcp_caller_free(tenant);
  mcp_server_free(server);
}

int main(void) {
  main_thread = pthread_self();
  inline_runs_on_the_thread_that_brings();
  the_pool_runs_elsewhere();
  the_pump_runs_only_inside_pump();
  a_call_is_answered_later_from_another_thread();
  every_kind_is_read_and_answered();
  input_is_asked_and_comes_back();
  a_call_speaks_before_its_answer();
  catalogs_are_filled_by_key_and_anew();
  puts("ok: dispatch");
  return 0;
}
