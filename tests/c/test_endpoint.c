/* HTTP inside a web server: order, ownership, misuse, pump mode, pause, hang-ups, time. */
#include "http.h"

#include <pthread.h>

static counts seen;
static mcp_call *held;
static atomic_int holding;

static void hold(void *user_data, mcp_call *call) {
  (void)user_data;
  if (strcmp(mcp_call_name(call, NULL), "hold") != 0) {
    echo(NULL, call);
    return;
  }
  held = call;
  atomic_store(&holding, 1);
}

static mcp_server *holder(int32_t dispatch) {
  atomic_store(&holding, 0);
  memset(&seen, 0, sizeof seen);
  mcp_config *config = make_config(dispatch, hold, NULL, NULL);
  mcp_config_on_cancel(config, count_cancel, &seen, NULL);
  mcp_config_on_log(config, ignore_log, NULL, NULL);
  mcp_config_set_int(config, MCP_OPTION_RESOURCES_SUBSCRIBE, 1);
  return make_server(config);
}

/* The answer of `echo`, in each way that callbacks may run. */
static void answers(int32_t dispatch) {
  mcp_server *server = holder(dispatch);
  mcp_endpoint *endpoint = make_endpoint(server, open_door());
  for (int round = 0; round < 20; round++) {
    web it = WEB;
    it.free_at_last = round % 2;
    web_post(&it, endpoint, CALL_HEADERS("echo"), TOOLS_CALL("1", "echo", "{\"a\":1}"));
    if (dispatch == MCP_DISPATCH_INLINE) CHECK(atomic_load(&it.last));
    if (dispatch == MCP_DISPATCH_PUMP) {
      CHECK(!atomic_load(&it.heads));
      CHECK_STATUS(MCP_STATUS_OK, mcp_server_pump(server, 0, NULL, NULL));
      CHECK(atomic_load(&it.last));
    }
    CHECK_ANSWERED(&it, 200, "{\\\"a\\\":1}");
    CHECK_HAS(it.headers, "content-type: application/json\r\n");
    CHECK(!strstr(it.headers, "connection: close"));
    CHECK(atomic_load(&it.wants) == 1);
    web_end(&it);
  }
  mcp_endpoint_free(endpoint);
  mcp_server_free(server);
}

/* A body in any pieces, handed over later. */
static void a_body_in_pieces(void) {
  mcp_server *server = holder(MCP_DISPATCH_POOL);
  mcp_endpoint *endpoint = make_endpoint(server, open_door());
  web it = WEB;
  const char *body = TOOLS_CALL("7", "echo", "{}");
  web_begin(&it, endpoint, "POST", CALL_HEADERS("echo"), NULL);
  CHECK(atomic_load(&it.wants) == 1 && !atomic_load(&it.heads));
  for (const char *at = body; *at; at++) CHECK_STATUS(MCP_STATUS_OK, mcp_http_body(it.exchange, at, 1, false, NULL));
  CHECK_STATUS(MCP_STATUS_OK, mcp_http_body(it.exchange, NULL, 0, true, NULL));
  CHECK_ANSWERED(&it, 200, "\"id\":7");
  /* What nobody wants is ignored. */
  CHECK_STATUS(MCP_STATUS_OK, mcp_http_body(it.exchange, "more", 4, true, NULL));
  CHECK_STATUS(MCP_STATUS_OK, mcp_http_tick(it.exchange, NULL));
  CHECK_STATUS(MCP_STATUS_OK, mcp_http_pause(it.exchange, true, NULL));
  CHECK_STATUS(MCP_STATUS_OK, mcp_http_pause(it.exchange, false, NULL));
  CHECK(mcp_http_next_deadline(it.exchange) == -1);
  web_end(&it);
  mcp_endpoint_free(endpoint);
  mcp_server_free(server);
}

/* Refusals before the body is read, and the limit itself. */
static void refusals(void) {
  static const struct {
    const char *method, *headers;
    int status;
    const char *part;
  } cases[] = {
      {"GET", "Host: localhost\r\nMCP-Protocol-Version: 2026-07-28\r\n", 405, ""},
      {"GET", "Host: localhost\r\n", 400, "Mcp-Session-Id"},
      {"POST", "Host: localhost\r\nContent-Type: text/plain\r\nAccept: */*\r\n", 415, ""},
      {"POST", "Host: localhost\r\nContent-Type: application/json\r\nAccept: text/html\r\n", 406, ""},
      {"POST", CALL_HEADERS("echo") "Origin: https://evil.example\r\n", 403, ""},
      {"POST", CALL_HEADERS("echo") "Content-Length: 5000\r\n", 413, ""},
  };
  mcp_server *server = holder(MCP_DISPATCH_INLINE);
  mcp_http_config *config = open_door();
  mcp_http_config_set_int(config, MCP_HTTP_OPTION_MAX_BODY_BYTES, 1024);
  mcp_endpoint *endpoint = make_endpoint(server, config);
  for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
    web it = WEB;
    web_begin(&it, endpoint, cases[at].method, cases[at].headers, NULL);
    CHECK_ANSWERED(&it, cases[at].status, cases[at].part);
    CHECK(atomic_load(&it.wants) == 0);
    /* Where there is no body, none is unread. */
    if (cases[at].status != 400) CHECK_HAS(it.headers, "connection: close\r\n");
    web_end(&it);
  }

  /* One byte over the limit is told at once. */
  char body[1025];
  memset(body, ' ', sizeof body);
  web it = WEB;
  web_begin(&it, endpoint, "POST", CALL_HEADERS("echo"), NULL);
  CHECK_STATUS(MCP_STATUS_OK, mcp_http_body(it.exchange, body, 1024, false, NULL));
  CHECK(!atomic_load(&it.last));
  CHECK_STATUS(MCP_STATUS_OK, mcp_http_body(it.exchange, body, 1, false, NULL));
  CHECK_ANSWERED(&it, 413, "");
  web_end(&it);
  mcp_endpoint_free(endpoint);
  mcp_server_free(server);
}

/* A body that does not come is given up at its time, by a tick of the host. */
static void a_late_body(void) {
  mcp_server *server = holder(MCP_DISPATCH_INLINE);
  mcp_http_config *config = open_door();
  mcp_http_config_set_int(config, MCP_HTTP_OPTION_BODY_TIMEOUT_MS, 30);
  mcp_endpoint *endpoint = make_endpoint(server, config);
  web it = WEB;
  web_begin(&it, endpoint, "POST", CALL_HEADERS("echo"), NULL);
  int64_t left = mcp_http_next_deadline(it.exchange);
  CHECK(left >= 0 && left <= 30);
  sleep_ms(40);
  CHECK(!atomic_load(&it.heads));
  CHECK_STATUS(MCP_STATUS_OK, mcp_http_tick(it.exchange, NULL));
  CHECK_ANSWERED(&it, 408, "");
  web_end(&it);
  mcp_endpoint_free(endpoint);
  mcp_server_free(server);
}

/* While paused nothing begins; what came meanwhile comes then, in order. */
static void pauses(void) {
  mcp_server *server = holder(MCP_DISPATCH_INLINE);
  mcp_endpoint *endpoint = make_endpoint(server, open_door());
  web it = WEB;
  web_post(&it, endpoint, CALL_HEADERS("hold"), TOOLS_CALL("1", "hold", "{}"));
  WAIT_FOR(atomic_load(&holding));
  mcp_http_pause(it.exchange, true, NULL);
  mcp_call_complete_text(held, "answered", SIZE_MAX, NULL);
  CHECK(!atomic_load(&it.heads));
  mcp_http_pause(it.exchange, false, NULL);
  CHECK_ANSWERED(&it, 200, "answered");
  web_end(&it);

  web inside = WEB;
  inside.pause_at_head = true;
  web_post(&inside, endpoint, CALL_HEADERS("echo"), TOOLS_CALL("2", "echo", "{}"));
  CHECK(atomic_load(&inside.heads) == 1 && !inside.out.text && !atomic_load(&inside.last));
  mcp_http_pause(inside.exchange, false, NULL);
  CHECK_ANSWERED(&inside, 200, "\"id\":2");
  web_end(&inside);
  mcp_endpoint_free(endpoint);
  mcp_server_free(server);
}

/* A subscription: acknowledged first, told what changed, paused, ended by the host in each way. */
static void subscriptions(void) {
  static const char body[] =
      REQUEST("9", "subscriptions/listen", "\"notifications\":{\"resourceSubscriptions\":[\"test://one\"]},");
  enum { REVOKED, STOPPED, SERVER_STOPPED, FREED, WAYS };
  for (int way = 0; way < WAYS; way++) {
    mcp_server *server = holder(MCP_DISPATCH_INLINE);
    mcp_http_config *config = mcp_http_config_new();
    mcp_caller *caller = mcp_caller_new("ann", SIZE_MAX);
    mcp_http_config_allow_any_origin(config);
    mcp_http_config_allow_any_caller(config, caller);
    mcp_caller_free(caller);
    mcp_endpoint *endpoint = make_endpoint(server, config);
    web it = WEB;
    web_post(&it, endpoint, HTTP_HEADERS("subscriptions/listen", ""), body);
    CHECK(atomic_load(&it.status) == 200);
    CHECK_HAS(it.headers, "content-type: text/event-stream\r\n");
    CHECK_HAS(it.headers, "x-accel-buffering: no\r\n");
    CHECK_HAS(it.out.text, "notifications/subscriptions/acknowledged");
    CHECK(mcp_http_next_deadline(it.exchange) > 0);
    size_t before = it.out.len;
    mcp_http_pause(it.exchange, true, NULL);
    for (int update = 0; update < 100; update++) mcp_server_resource_updated(server, "test://one", SIZE_MAX, NULL);
    CHECK(it.out.len == before);
    mcp_http_pause(it.exchange, false, NULL);
    CHECK_HAS(it.out.text + before, "notifications/resources/updated");
    CHECK(!atomic_load(&it.last));
    if (way == REVOKED) CHECK_STATUS(MCP_STATUS_OK, mcp_server_revoke(server, "ann", SIZE_MAX, NULL));
    if (way == STOPPED) CHECK_STATUS(MCP_STATUS_OK, mcp_endpoint_stop(endpoint, NULL));
    if (way == SERVER_STOPPED) CHECK_STATUS(MCP_STATUS_OK, mcp_server_stop(server, 1000, NULL));
    if (way != FREED) WAIT_FOR(atomic_load(&it.last));
    if (way == STOPPED || way == SERVER_STOPPED) {
      CHECK_HAS(it.out.text + before, "\"id\":9");
      web late = WEB;
      web_begin(&late, endpoint, "POST", CALL_HEADERS("echo"), NULL);
      CHECK_ANSWERED(&late, 503, "");
      web_end(&late);
    }
    web_end(&it);
    mcp_endpoint_free(endpoint);
    mcp_server_free(server);
  }
}

/* The client hangs up: its call is cancelled, and a late answer is a status. */
static void hang_ups(int32_t dispatch) {
  mcp_server *server = holder(dispatch);
  mcp_endpoint *endpoint = make_endpoint(server, open_door());
  web it = WEB;
  web_post(&it, endpoint, CALL_HEADERS("hold"), TOOLS_CALL("1", "hold", "{}"));
  if (dispatch == MCP_DISPATCH_PUMP) mcp_server_pump(server, 0, NULL, NULL);
  WAIT_FOR(atomic_load(&holding));
  uint64_t number = mcp_call_number(held);
  CHECK_STATUS(MCP_STATUS_OK, mcp_call_progress(held, 1, 2, NULL, 0, NULL));
  mcp_http_free(it.exchange);
  if (dispatch == MCP_DISPATCH_PUMP) {
    CHECK(atomic_load(&seen.cancels) == 0);
    mcp_server_pump(server, 0, NULL, NULL);
  }
  WAIT_FOR(atomic_load(&seen.cancels) == 1);
  CHECK(atomic_load(&seen.last_reason) == MCP_CANCEL_CLOSED && atomic_load(&seen.last_number) == number);
  CHECK(mcp_call_cancelled(held) == MCP_CANCEL_CLOSED);
  CHECK_ERROR(MCP_STATUS_GONE, "", mcp_call_complete_text(held, "late", SIZE_MAX, &error));
  WAIT_FOR(atomic_load(&it.destroyed) == 1);
  CHECK(!atomic_load(&it.heads));

  /* Before the body, and while it comes. */
  for (int part = 0; part < 2; part++) {
    web early = WEB;
    web_begin(&early, endpoint, "POST", CALL_HEADERS("echo"), NULL);
    if (part) mcp_http_body(early.exchange, "{", 1, false, NULL);
    mcp_http_free(early.exchange);
    CHECK(atomic_load(&early.destroyed) == 1 && !atomic_load(&early.heads));
  }

  /* The endpoint and the server may go before the exchange and its call. */
  web last = WEB;
  atomic_store(&holding, 0);
  web_post(&last, endpoint, CALL_HEADERS("hold"), TOOLS_CALL("2", "hold", "{}"));
  if (dispatch == MCP_DISPATCH_PUMP) mcp_server_pump(server, 0, NULL, NULL);
  WAIT_FOR(atomic_load(&holding));
  mcp_endpoint_free(endpoint);
  mcp_server_free(server);
  CHECK_STATUS(MCP_STATUS_OK, mcp_call_complete_text(held, "still here", SIZE_MAX, NULL));
  CHECK_ANSWERED(&last, 200, "still here");
  web_end(&last);
}

/* Each way in which mcp_http_begin fails ends user_data once and gives no handle. */
static void beginnings_that_fail(void) {
  mcp_server *server = holder(MCP_DISPATCH_INLINE);
  mcp_endpoint *endpoint = make_endpoint(server, open_door());
  const char *headers = CALL_HEADERS("echo");
  for (int way = 0; way < 11; way++) {
    static const char *const says[] = {"endpoint", "method", "method", "target",    "target", "headers",
                                       "headers",  "peer",   "want_body", "head", "data"};
    web it = WEB;
    it.exchange = (mcp_http_exchange *)&it;
    CHECK_ERROR(MCP_STATUS_INVALID_ARGUMENT, says[way],
                mcp_http_begin(way == 0 ? NULL : endpoint, way == 1 ? NULL : way == 2 ? "A B" : "POST",
                               way == 3 ? NULL : way == 4 ? "/a b" : "/mcp", SIZE_MAX, way == 5 ? NULL : headers,
                               way == 6 ? 4 : SIZE_MAX, way == 7 ? "nowhere" : NULL, way == 8 ? NULL : web_want_body,
                               way == 9 ? NULL : web_head, way == 10 ? NULL : web_data, &it, web_destroy, &it.exchange,
                               &error));
    CHECK(!it.exchange && atomic_load(&it.destroyed) == 1 && !atomic_load(&it.heads));
  }
  web it = WEB;
  CHECK_ERROR(MCP_STATUS_INVALID_ARGUMENT, "out is NULL",
              mcp_http_begin(endpoint, "POST", "/mcp", SIZE_MAX, headers, SIZE_MAX, NULL, web_want_body, web_head, web_data,
                             &it, web_destroy, NULL, &error));
  CHECK(atomic_load(&it.destroyed) == 1);
  mcp_endpoint_free(endpoint);
  mcp_server_free(server);
}

/* Everything that is wrong with a configuration is told at once, and it is consumed. */
static void configurations_that_fail(void) {
  mcp_server *server = holder(MCP_DISPATCH_INLINE);
  mcp_endpoint *endpoint = (mcp_endpoint *)&server;
  CHECK_ERROR(MCP_STATUS_INVALID_ARGUMENT, "origins", mcp_endpoint_new(server, mcp_http_config_new(), &endpoint, &error));
  CHECK(!endpoint);
  CHECK_ERROR(MCP_STATUS_INVALID_ARGUMENT, "access", mcp_endpoint_new(server, mcp_http_config_new(), &endpoint, &error));

  counts asked = {0}, read = {0};
  mcp_http_config *config = open_door();
  mcp_http_config_on_authorize(config, (mcp_authorize_fn)NULL, &asked, count_destroy);
  CHECK(atomic_load(&asked.destroyed) == 1);
  mcp_http_config_on_authorize_body(config, NULL, &read, count_destroy);
  CHECK(atomic_load(&read.destroyed) == 1);
  CHECK(mcp_http_config_on_authorize(NULL, NULL, &asked, count_destroy) == MCP_STATUS_INVALID_ARGUMENT);
  CHECK(mcp_http_config_on_authorize_body(NULL, NULL, &read, count_destroy) == MCP_STATUS_INVALID_ARGUMENT);
  CHECK(atomic_load(&asked.destroyed) == 2 && atomic_load(&read.destroyed) == 2);
  CHECK(mcp_http_config_set_int(config, MCP_HTTP_OPTION_MAX_CALLS, 0) == MCP_STATUS_INVALID_ARGUMENT);
  CHECK(mcp_http_config_set_int(config, 4711, 0) == MCP_STATUS_INVALID_ARGUMENT);
  CHECK(mcp_http_config_set_text(config, MCP_HTTP_OPTION_PATH, "\xff", 1) == MCP_STATUS_INVALID_UTF8);
  mcp_http_config_add_text(config, MCP_HTTP_OPTION_ADDRESS, "127.0.0.1:0", SIZE_MAX);
  mcp_http_config_allow_any_origin(config);
  mcp_error *error = NULL;
  CHECK(mcp_endpoint_new(server, config, &endpoint, &error) == MCP_STATUS_INVALID_ARGUMENT);
  static const char *const says[] = {"on_authorize is NULL",   "on_authorize_body is NULL", "option MAX_CALLS takes",
                                     "no option has the number", "option PATH is not UTF-8",  "option ADDRESS is for mcp_http_listen",
                                     "not both"};
  for (size_t at = 0; at < sizeof says / sizeof *says; at++) CHECK_HAS(mcp_error_message(error, NULL), says[at]);
  mcp_error_free(error);
  mcp_server_free(server);
}

static mcp_endpoint *shared_endpoint;
static atomic_int answered;

static void *many(void *given) {
  unsigned seed = (unsigned)(size_t)given;
  for (int round = 0; round < quick(400); round++) {
    web it = WEB;
    web_post(&it, shared_endpoint, CALL_HEADERS("echo"), TOOLS_CALL("1", "echo", "{}"));
    seed = seed * 1103515245 + 12345;
    /* Some hang up at any moment. */
    if (seed >> 16 & 1) {
      WAIT_FOR(atomic_load(&it.last));
      atomic_fetch_add(&answered, 1);
    }
    web_end(&it);
  }
  return NULL;
}

/* Exchanges of many threads over one endpoint, the calls on the pool. */
static void threads(void) {
  mcp_server *server = holder(MCP_DISPATCH_POOL);
  shared_endpoint = make_endpoint(server, open_door());
  pthread_t runners[4];
  for (size_t at = 0; at < 4; at++) CHECK(pthread_create(&runners[at], NULL, many, (void *)(at + 1)) == 0);
  for (size_t at = 0; at < 4; at++) pthread_join(runners[at], NULL);
  CHECK(atomic_load(&answered) > 0);
  mcp_bytes *stats = NULL;
  WAIT_FOR((mcp_bytes_free(stats), stats = NULL, mcp_server_stats(server, &stats, NULL),
            strstr(mcp_bytes_data(stats, NULL), "\"callsOwed\":0")));
  mcp_bytes_free(stats);
  mcp_endpoint_free(shared_endpoint);
  mcp_server_free(server);
}

int main(void) {
  answers(MCP_DISPATCH_INLINE);
  answers(MCP_DISPATCH_POOL);
  answers(MCP_DISPATCH_PUMP);
  a_body_in_pieces();
  refusals();
  a_late_body();
  pauses();
  subscriptions();
  hang_ups(MCP_DISPATCH_INLINE);
  hang_ups(MCP_DISPATCH_POOL);
  hang_ups(MCP_DISPATCH_PUMP);
  beginnings_that_fail();
  configurations_that_fail();
  threads();
  puts("ok: endpoint");
  return 0;
}
