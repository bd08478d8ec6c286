/* Sessions of the older revisions: kept by the host, gone on with, ended in time, without any memory at all. */
#include "http.h"

#include <pthread.h>

#define LEGACY_HEADERS "Host: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
#define INITIALIZE                                                                                \
  "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{}}}"
#define LEGACY_CALL(name)                                                                         \
  "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"" name "\",\"arguments\":{\"a\":1}}}"

/* A store of one session. */
typedef struct store {
  counts seen;
  pthread_mutex_t lock;
  char id[64], text[2048];
  int saves, loads, deletes;
  bool broken;
} store;

#define STORE {.lock = PTHREAD_MUTEX_INITIALIZER}

static int32_t save(void *user_data, const char *id, const char *session, size_t len, uint64_t ttl_ms) {
  store *it = user_data;
  CHECK(strlen(id) == 32 && strlen(session) == len && len < sizeof it->text && ttl_ms == 1800000);
  pthread_mutex_lock(&it->lock);
  bool broken = it->broken;
  if (!broken) {
    memcpy(it->id, id, 33);
    memcpy(it->text, session, len + 1);
    it->saves++;
  }
  pthread_mutex_unlock(&it->lock);
  return broken ? 7 : 0;
}

static int32_t load(void *user_data, const char *id, mcp_session *found) {
  store *it = user_data;
  pthread_mutex_lock(&it->lock);
  it->loads++;
  if (strcmp(id, it->id) == 0) {
    CHECK_STATUS(MCP_STATUS_INVALID_UTF8, mcp_session_found(found, "\xff", 1));
    CHECK_STATUS(MCP_STATUS_OK, mcp_session_found(found, it->text, SIZE_MAX));
  }
  bool broken = it->broken;
  pthread_mutex_unlock(&it->lock);
  return broken ? -1 : 0;
}

static int32_t forget(void *user_data, const char *id) {
  store *it = user_data;
  pthread_mutex_lock(&it->lock);
  it->deletes++;
  CHECK(strcmp(id, it->id) == 0);
  it->id[0] = 0;
  pthread_mutex_unlock(&it->lock);
  return 0;
}

static void destroy_store(void *user_data) { atomic_fetch_add(&((store *)user_data)->seen.destroyed, 1); }

static void answer(void *user_data, mcp_call *call) {
  if (strcmp(mcp_call_name(call, NULL), "hold") == 0) CHECK_STATUS(MCP_STATUS_OK, mcp_call_close_stream(call, 250));
  echo(user_data, call);
}

static mcp_endpoint *door(const mcp_server *server, store *it) {
  mcp_http_config *config = open_door();
  CHECK_STATUS(MCP_STATUS_OK, mcp_http_config_session_store(config, save, load, forget, it, destroy_store));
  return make_endpoint(server, config);
}

/* Sends one request, pumping where that is needed, and waits for the answer. */
static void request(web *it, mcp_server *server, const mcp_endpoint *endpoint, const char *method, const char *id, const char *body) {
  char headers[512];
  int len = id ? snprintf(headers, sizeof headers, LEGACY_HEADERS "Mcp-Session-Id: %s\r\n", id)
               : snprintf(headers, sizeof headers, LEGACY_HEADERS);
  CHECK(len > 0 && len < (int)sizeof headers);
  it->body = body;
  web_begin(it, endpoint, method, headers, NULL);
  WAIT_FOR((mcp_server_pump(server, 0, NULL, NULL), atomic_load(&it->last)));
}

static void kept_by_the_host(int32_t dispatch) {
  store it = STORE;
  mcp_config *config = make_config(dispatch, answer, NULL, NULL);
  mcp_config_on_log(config, ignore_log, NULL, NULL);
  mcp_server *server = make_server(config);
  mcp_endpoint *one = door(server, &it), *two = door(server, &it);
  web opened = WEB, called = WEB, ended = WEB, gone = WEB, broken = WEB, unknown = WEB;

  request(&opened, server, one, "POST", NULL, INITIALIZE);
  CHECK_ANSWERED(&opened, 200, "\"protocolVersion\":\"2025-11-25\"");
  CHECK(it.saves == 1);
  CHECK_HAS(opened.headers, it.id);
  mcp_endpoint_free(one);
  web_end(&opened);

  /* Another endpoint goes on with it. */
  char id[64];
  memcpy(id, it.id, sizeof id);
  request(&called, server, two, "POST", id, LEGACY_CALL("echo"));
  CHECK_ANSWERED(&called, 200, "{\\\"a\\\":1}");
  CHECK(it.loads == 1);
  web_end(&called);
  request(&ended, server, two, "DELETE", id, NULL);
  CHECK_ANSWERED(&ended, 204, "");
  CHECK(it.deletes == 1);
  web_end(&ended);
  request(&gone, server, two, "POST", id, LEGACY_CALL("echo"));
  CHECK_ANSWERED(&gone, 404, "initialize");
  web_end(&gone);

  it.broken = true;
  request(&broken, server, two, "POST", NULL, INITIALIZE);
  CHECK_ANSWERED(&broken, 503, "-32603");
  web_end(&broken);
  request(&unknown, server, two, "POST", "00000000000000000000000000000000", LEGACY_CALL("echo"));
  CHECK_ANSWERED(&unknown, 503, "-32603");
  web_end(&unknown);

  mcp_endpoint_free(two);
  mcp_server_free(server);
  WAIT_FOR(atomic_load(&it.seen.destroyed) == 2);
}

/* The registration takes the user_data also when it fails. */
static void bad_stores(void) {
  store it = STORE;
  mcp_http_config *config = open_door();
  CHECK(mcp_http_config_session_store(config, save, NULL, forget, &it, destroy_store) == MCP_STATUS_INVALID_ARGUMENT);
  CHECK(mcp_http_config_session_store(config, NULL, load, forget, &it, destroy_store) == MCP_STATUS_INVALID_ARGUMENT);
  CHECK(mcp_http_config_session_store(NULL, save, load, forget, &it, destroy_store) == MCP_STATUS_INVALID_ARGUMENT);
  CHECK(atomic_load(&it.seen.destroyed) == 3);
  CHECK_STATUS(MCP_STATUS_OK, mcp_http_config_session_store(config, save, load, forget, &it, destroy_store));
  mcp_http_config_free(config);
  CHECK(atomic_load(&it.seen.destroyed) == 4);
}

/* The id of the session that an answer opened. */
static void opened_by(const web *it, char id[64]) {
  const char *header = strstr(it->headers, "mcp-session-id: ");
  CHECK(header && sscanf(header, "mcp-session-id: %63s", id) == 1);
}

static void a_stream_that_ends_early(void) {
  mcp_server *server = make_server(make_config(MCP_DISPATCH_INLINE, answer, NULL, NULL));
  mcp_endpoint *endpoint = make_endpoint(server, open_door());
  web opened = WEB, called = WEB;
  char id[64];
  request(&opened, server, endpoint, "POST", NULL, INITIALIZE);
  opened_by(&opened, id);
  request(&called, server, endpoint, "POST", id, LEGACY_CALL("hold"));
  CHECK_ANSWERED(&called, 200, "retry: 250\n");
  web_end(&called);
  web_end(&opened);
  mcp_endpoint_free(endpoint);
  mcp_server_free(server);
}

static void sessions_end_in_time(void) {
  mcp_server *server = make_server(make_config(MCP_DISPATCH_INLINE, answer, NULL, NULL));
  mcp_http_config *http = open_door();
  CHECK_STATUS(MCP_STATUS_OK, mcp_http_config_set_int(http, MCP_HTTP_OPTION_SESSION_IDLE_MS, 1));
  mcp_endpoint *endpoint = make_endpoint(server, http);
  CHECK(mcp_endpoint_next_deadline(endpoint) == -1 && mcp_endpoint_next_deadline(NULL) == -1);
  web opened = WEB, gone = WEB;
  char id[64];
  request(&opened, server, endpoint, "POST", NULL, INITIALIZE);
  opened_by(&opened, id);
  int64_t left = mcp_endpoint_next_deadline(endpoint);
  CHECK(left >= 0 && left < 1000);
  WAIT_FOR((sleep_ms(5), mcp_endpoint_tick(endpoint, NULL), mcp_endpoint_next_deadline(endpoint) == -1));
  request(&gone, server, endpoint, "POST", id, LEGACY_CALL("echo"));
  CHECK_ANSWERED(&gone, 404, "initialize");
  web_end(&gone);
  web_end(&opened);
  mcp_endpoint_free(endpoint);
  mcp_server_free(server);
}

static void without_any_memory(void) {
  mcp_config *config = make_config(MCP_DISPATCH_INLINE, answer, NULL, NULL);
  mcp_server *server = make_server(config);
  mcp_http_config *http = open_door();
  CHECK_STATUS(MCP_STATUS_OK, mcp_http_config_set_int(http, MCP_HTTP_OPTION_SESSIONS, MCP_SESSIONS_STATELESS));
  mcp_endpoint *endpoint = make_endpoint(server, http);
  web opened = WEB, called = WEB;
  request(&opened, server, endpoint, "POST", NULL, INITIALIZE);
  CHECK_ANSWERED(&opened, 200, "serverInfo");
  CHECK(!strstr(opened.headers, "mcp-session-id"));
  request(&called, server, endpoint, "POST", NULL, LEGACY_CALL("hold"));
  CHECK_ANSWERED(&called, 200, "{\\\"a\\\":1}");
  CHECK_HAS(called.headers, "content-type: application/json\r\n");
  web_end(&called);
  web_end(&opened);
  mcp_endpoint_free(endpoint);
  mcp_server_free(server);
}

int main(void) {
  kept_by_the_host(MCP_DISPATCH_POOL);
  kept_by_the_host(MCP_DISPATCH_INLINE);
  kept_by_the_host(MCP_DISPATCH_PUMP);
  bad_stores();
  a_stream_that_ends_early();
  sessions_end_in_time();
  without_any_memory();
  puts("ok: sessions");
  return 0;
}
