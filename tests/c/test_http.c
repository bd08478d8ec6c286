/* Authorization, headers of calls, and the listener with real sockets. */
#include "http.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- authorization ---- */

typedef struct asked {
  counts seen;
  int way;
  bool at_home; /* only on this thread */
  pthread_t thread, home;
  mcp_auth *auth;
} asked;

enum { ALLOW, LATER, UNAUTHORIZED, FORBIDDEN, DROPPED, NOBODY, HALF, BAD_STATUS, BAD_TEXT, WAYS };

static void *allow_later(void *given) {
  asked *it = given;
  sleep_ms(20);
  CHECK_HAS(mcp_auth_header(it->auth, "AUTHORIZATION", NULL), "Bearer secret");
  CHECK_STATUS(MCP_STATUS_OK, mcp_auth_allow(it->auth, mcp_caller_new("later", SIZE_MAX), NULL));
  return NULL;
}

static void look(const mcp_auth *auth) {
  size_t len = 0;
  CHECK(strcmp(mcp_auth_method(auth), "POST") == 0);
  CHECK(strcmp(mcp_auth_path(auth, &len), "/mcp") == 0 && len == 4);
  const char *token = mcp_auth_header(auth, "authorization", &len);
  CHECK(strcmp(token, "Bearer secret") == 0 && len == strlen(token));
  CHECK(mcp_auth_header(auth, "Authorization", NULL) == token);
  CHECK(strcmp(mcp_auth_header(auth, "x-twice", NULL), "1, 2") == 0);
  CHECK(!mcp_auth_header(auth, "x-none", &len) && !mcp_auth_header(auth, "", &len) && !mcp_auth_header(auth, NULL, &len));
  CHECK(strcmp(mcp_auth_peer(auth), "192.0.2.1:1000") == 0);
  CHECK(!mcp_auth_header(auth, "peer", NULL));
}

static void authorize(void *user_data, mcp_auth *auth) {
  asked *it = user_data;
  atomic_fetch_add(&it->seen.calls, 1);
  CHECK(atomic_load(&it->seen.destroyed) == 0);
  CHECK(!it->at_home || pthread_equal(pthread_self(), it->home));
  look(auth);
  mcp_caller *caller = mcp_caller_new("ann", SIZE_MAX);
  switch (it->way) {
  case ALLOW:
    CHECK_STATUS(MCP_STATUS_OK, mcp_auth_allow(auth, caller, NULL));
    /* Whoever falls through into the next answer is told. */
    CHECK_ERROR(MCP_STATUS_ANSWERED, "before", mcp_auth_refuse(auth, 401, NULL, NULL, NULL, NULL, &error));
    CHECK_ERROR(MCP_STATUS_ANSWERED, "before", mcp_auth_allow(auth, mcp_caller_new_local(), &error));
    mcp_auth_free(auth);
    CHECK(!mcp_auth_method(auth) && !mcp_auth_header(auth, "host", NULL));
    return;
  case LATER:
    it->auth = auth;
    CHECK(pthread_create(&it->thread, NULL, allow_later, it) == 0);
    break;
  case UNAUTHORIZED:
    CHECK_STATUS(MCP_STATUS_OK, mcp_auth_refuse(auth, 401, "read \"x\"", "invalid_token", "It has \\ expired.", "why: secret", NULL));
    break;
  case FORBIDDEN: CHECK_STATUS(MCP_STATUS_OK, mcp_auth_refuse(auth, 403, NULL, NULL, NULL, NULL, NULL)); break;
  case DROPPED: mcp_auth_free(auth); break;
  case NOBODY: CHECK_ERROR(MCP_STATUS_INVALID_ARGUMENT, "caller is NULL", mcp_auth_allow(auth, NULL, &error)); break;
  case HALF:
    CHECK(mcp_caller_set_claims(caller, "not JSON", SIZE_MAX) == MCP_STATUS_INVALID_JSON);
    CHECK_ERROR(MCP_STATUS_INVALID_JSON, "caller: ", mcp_auth_allow(auth, caller, &error));
    return;
  case BAD_STATUS:
    CHECK_ERROR(MCP_STATUS_INVALID_ARGUMENT, "401 or 403", mcp_auth_refuse(auth, 404, NULL, NULL, NULL, NULL, &error));
    break;
  default:
    CHECK_ERROR(MCP_STATUS_INVALID_UTF8, "description", mcp_auth_refuse(auth, 401, NULL, NULL, "\xff", NULL, &error));
  }
  mcp_caller_free(caller);
}

/* Says who calls, and what the call sees of the head. */
static void tell(void *user_data, mcp_call *call) {
  char text[200];
  size_t len = 0;
  (void)user_data;
  const char *seen = mcp_call_header(call, "X-Seen", &len);
  CHECK(seen == mcp_call_header(call, "x-seen", NULL));
  CHECK(!mcp_call_header(call, "authorization", NULL) && !mcp_call_header(call, NULL, NULL));
  snprintf(text, sizeof text, "%s saw %s", mcp_caller_principal(mcp_call_caller(call), NULL), seen ? seen : "nothing");
  mcp_call_complete_text(call, text, SIZE_MAX, NULL);
}

static output log_lines = {.busy = ATOMIC_FLAG_INIT};

static void keep_log(void *user_data, int32_t level, const char *text, size_t len) {
  char line[500];
  (void)user_data, (void)level, (void)len;
  int size = snprintf(line, sizeof line, "%s\n", text);
  CHECK(size < (int)sizeof line);
  output_take(&log_lines, line, (size_t)size);
}

static mcp_server *teller(int32_t dispatch) {
  mcp_config *config = make_config(dispatch, tell, NULL, NULL);
  mcp_config_on_log(config, keep_log, NULL, NULL);
  return make_server(config);
}

static void authorizations(int32_t dispatch) {
  static const char headers[] = CALL_HEADERS("echo") "Authorization: Bearer secret\r\nX-Twice: 1\r\nx-twice: 2\r\nX-Seen: a\r\nx-seen: b\r\n";
  for (int way = 0; way < WAYS; way++) {
    asked it = {.way = way, .at_home = dispatch != MCP_DISPATCH_POOL, .home = pthread_self()};
    mcp_server *server = teller(dispatch);
    mcp_http_config *config = guarded_door(authorize, &it, count_destroy);
    mcp_http_config_add_text(config, MCP_HTTP_OPTION_CALL_HEADER, "X-Seen", SIZE_MAX);
    mcp_endpoint *endpoint = make_endpoint(server, config);
    web one = WEB;
    web_post(&one, endpoint, headers, TOOLS_CALL("1", "echo", "{}"));
    if (dispatch == MCP_DISPATCH_PUMP) {
      CHECK(atomic_load(&it.seen.calls) == 0 && !atomic_load(&one.wants));
      while (!atomic_load(&one.last)) mcp_server_pump(server, 10, NULL, NULL);
    }
    if (way == ALLOW) CHECK_ANSWERED(&one, 200, "ann saw a, b");
    else if (way == LATER) CHECK_ANSWERED(&one, 200, "later saw a, b");
    else if (way == UNAUTHORIZED) {
      CHECK_ANSWERED(&one, 401, "");
      CHECK_HAS(one.headers, "www-authenticate: Bearer ");
      CHECK_HAS(one.headers, "scope=\"read \\\"x\\\"\"");
      CHECK_HAS(one.headers, "error=\"invalid_token\"");
      CHECK_HAS(one.headers, "error_description=\"It has \\\\ expired.\"");
      CHECK(!strstr(one.headers, "why: secret") && !strstr(one.out.text, "why: secret"));
      if (dispatch == MCP_DISPATCH_PUMP) mcp_server_pump(server, 0, NULL, NULL);
      WAIT_FOR(output_has(&log_lines, "why: secret"));
    } else CHECK_ANSWERED(&one, way == FORBIDDEN ? 403 : 500, "");
    if (way > LATER) CHECK(atomic_load(&one.wants) == 0);
    if (way == LATER) pthread_join(it.thread, NULL);
    web_end(&one);
    CHECK(atomic_load(&it.seen.calls) == 1 && atomic_load(&it.seen.destroyed) == 0);
    mcp_endpoint_free(endpoint);
    mcp_server_free(server);
    WAIT_FOR(atomic_load(&it.seen.destroyed) == 1);
  }
}

static void keep(void *user_data, mcp_auth *auth) { ((asked *)user_data)->auth = auth; }

/* The client, the endpoint and the server go before the answer. */
static void an_authorization_that_outlives_all(void) {
  for (int way = 0; way < 3; way++) {
    asked it = {.way = way};
    mcp_server *server = teller(MCP_DISPATCH_INLINE);
    mcp_endpoint *endpoint = make_endpoint(server, guarded_door(keep, &it, count_destroy));
    web one = WEB;
    web_post(&one, endpoint, CALL_HEADERS("echo"), TOOLS_CALL("1", "echo", "{}"));
    CHECK(it.auth && !atomic_load(&one.wants));
    web_end(&one);
    mcp_endpoint_free(endpoint);
    mcp_server_free(server);
    CHECK(atomic_load(&it.seen.destroyed) == 0);
    CHECK(strcmp(mcp_auth_method(it.auth), "POST") == 0);
    if (way == 0) mcp_auth_free(it.auth);
    if (way == 1) CHECK_STATUS(MCP_STATUS_OK, mcp_auth_allow(it.auth, mcp_caller_new_local(), NULL));
    if (way == 2) CHECK_STATUS(MCP_STATUS_OK, mcp_auth_refuse(it.auth, 401, NULL, NULL, NULL, NULL, NULL));
    CHECK(atomic_load(&it.seen.destroyed) == 1);
  }
}

static int32_t read_body(void *user_data, const mcp_caller *caller, const char *body, size_t len) {
  asked *it = user_data;
  atomic_fetch_add(&it->seen.calls, 1);
  CHECK(!it->at_home || pthread_equal(pthread_self(), it->home));
  CHECK(strcmp(mcp_caller_principal(caller, NULL), "") == 0);
  CHECK(len == strlen(TOOLS_CALL("1", "echo", "{}")) && memcmp(body, TOOLS_CALL("1", "echo", "{}"), len) == 0);
  return it->way;
}

static void bodies(int32_t dispatch) {
  for (int way = -1; way < 2; way++) {
    asked it = {.way = way, .at_home = dispatch != MCP_DISPATCH_POOL, .home = pthread_self()};
    mcp_server *server = teller(dispatch);
    mcp_http_config *config = open_door();
    CHECK_STATUS(MCP_STATUS_OK, mcp_http_config_on_authorize_body(config, read_body, &it, count_destroy));
    mcp_endpoint *endpoint = make_endpoint(server, config);
    web one = WEB;
    web_post(&one, endpoint, CALL_HEADERS("echo"), TOOLS_CALL("1", "echo", "{}"));
    if (dispatch == MCP_DISPATCH_PUMP) {
      CHECK(atomic_load(&it.seen.calls) == 0 && !atomic_load(&one.heads));
      while (!atomic_load(&one.last)) mcp_server_pump(server, 10, NULL, NULL);
    }
    CHECK_ANSWERED(&one, way == 0 ? 200 : 403, "");
    CHECK(atomic_load(&it.seen.calls) == 1);
    web_end(&one);
    mcp_endpoint_free(endpoint);
    mcp_server_free(server);
    WAIT_FOR(atomic_load(&it.seen.destroyed) == 1);
  }
}

/* ---- the listener ---- */

static int dial(uint16_t port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  CHECK(fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0);
  return fd;
}

static void send_post(int fd, const char *headers, const char *body) {
  char head[2000];
  int size = snprintf(head, sizeof head, "POST /mcp HTTP/1.1\r\n%sContent-Length: %zu\r\n\r\n", headers, strlen(body));
  CHECK(write(fd, head, (size_t)size) == size && write(fd, body, strlen(body)) == (ssize_t)strlen(body));
}

/* Reads until `part` came. */
static void await_part(int fd, const char *part) {
  char text[8192] = "";
  size_t len = 0;
  while (!strstr(text, part)) {
    ssize_t got = read(fd, text + len, sizeof text - 1 - len);
    if (got <= 0) fprintf(stderr, "%s\n", text);
    CHECK(got > 0);
    len += (size_t)got;
    text[len] = 0;
  }
}

static mcp_listener *make_listener(const mcp_server *server, mcp_http_config *config, const char *address) {
  mcp_listener *listener = NULL;
  mcp_error *error = NULL;
  mcp_http_config_add_text(config, MCP_HTTP_OPTION_ADDRESS, address, SIZE_MAX);
  mcp_status status = mcp_http_listen(server, config, &listener, &error);
  if (status != MCP_STATUS_OK) fprintf(stderr, "%s\n", mcp_error_message(error, NULL));
  CHECK(status == MCP_STATUS_OK && listener && !error);
  return listener;
}

static void *wait_for_it(void *listener) {
  CHECK_STATUS(MCP_STATUS_OK, mcp_listener_wait(listener, NULL));
  return NULL;
}

static mcp_call *held;
static counts held_counts;

static void hold(void *user_data, mcp_call *call) {
  (void)user_data;
  held = call;
  atomic_fetch_add(&held_counts.calls, 1);
}

static void listens(int32_t dispatch) {
  mcp_server *server = teller(dispatch);
  mcp_listener *listener = make_listener(server, open_door(), "127.0.0.1:0");
  uint16_t port = mcp_listener_port(listener);
  char address[40];
  size_t len = 0;
  snprintf(address, sizeof address, "127.0.0.1:%d", port);
  CHECK(port > 0 && strcmp(mcp_listener_address(listener, 0, &len), address) == 0 && len == strlen(address));
  CHECK(!mcp_listener_address(listener, 1, &len) && !mcp_listener_address(listener, SIZE_MAX, NULL));
  pthread_t waiter;
  CHECK(pthread_create(&waiter, NULL, wait_for_it, listener) == 0);
  int fd = dial(port);
  for (int round = 0; round < 3; round++) {
    send_post(fd, CALL_HEADERS("echo"), TOOLS_CALL("1", "echo", "{}"));
    if (dispatch == MCP_DISPATCH_PUMP) {
      uint32_t ran = 0;
      while (!ran) mcp_server_pump(server, 10, &ran, NULL);
    }
    await_part(fd, " saw nothing");
  }
  /* A client that is gone before its answer is no signal. */
  int gone = dial(port);
  send_post(gone, CALL_HEADERS("echo"), TOOLS_CALL("1", "echo", "{}"));
  close(gone);

  /* The port is taken. */
  mcp_listener *second = (mcp_listener *)&server;
  mcp_http_config *config = open_door();
  mcp_http_config_add_text(config, MCP_HTTP_OPTION_ADDRESS, address, SIZE_MAX);
  CHECK_ERROR(MCP_STATUS_IO, address, mcp_http_listen(server, config, &second, &error));
  CHECK(!second);
  CHECK_STATUS(MCP_STATUS_OK, mcp_listener_stop(listener, 1000, NULL));
  pthread_join(waiter, NULL);
  CHECK_STATUS(MCP_STATUS_OK, mcp_listener_stop(listener, 1000, NULL));
  CHECK_STATUS(MCP_STATUS_OK, mcp_listener_wait(listener, NULL));
  mcp_listener_free(listener);
  close(fd);
  mcp_server_free(server);
}

typedef struct stopping {
  mcp_listener *listener;
  mcp_server *server;
  mcp_status status;
} stopping;

static void *stop_it(void *given) {
  stopping *it = given;
  it->status = it->listener ? mcp_listener_stop(it->listener, 10000, NULL) : mcp_server_stop(it->server, 10000, NULL);
  return NULL;
}

/* A stop waits for what is in flight; a free does not. */
static void stops(void) {
  for (int way = 0; way < 3; way++) {
    memset(&held_counts, 0, sizeof held_counts);
    mcp_config *config = make_config(MCP_DISPATCH_POOL, hold, NULL, NULL);
    mcp_config_on_cancel(config, count_cancel, &held_counts, NULL);
    mcp_server *server = make_server(config);
    counts asked = {0};
    mcp_http_config *http = open_door();
    mcp_http_config_on_authorize_body(http, NULL, &asked, count_destroy);
    CHECK(atomic_load(&asked.destroyed) == 1);
    mcp_http_config_free(http);
    mcp_listener *listener = make_listener(server, open_door(), "127.0.0.1:0");
    int fd = dial(mcp_listener_port(listener));
    send_post(fd, CALL_HEADERS("hold"), TOOLS_CALL("1", "hold", "{}"));
    WAIT_FOR(atomic_load(&held_counts.calls) == 1);
    if (way < 2) {
      stopping it = {way == 0 ? listener : NULL, server, MCP_STATUS_INTERNAL};
      pthread_t thread;
      CHECK(pthread_create(&thread, NULL, stop_it, &it) == 0);
      sleep_ms(20);
      CHECK_STATUS(MCP_STATUS_OK, mcp_call_complete_text(held, "in flight", SIZE_MAX, NULL));
      await_part(fd, "in flight");
      pthread_join(thread, NULL);
      CHECK(it.status == MCP_STATUS_OK);
      mcp_listener_free(listener);
    } else {
      mcp_listener_free(listener);
      WAIT_FOR(atomic_load(&held_counts.cancels) == 1);
      CHECK_ERROR(MCP_STATUS_GONE, "", mcp_call_complete_text(held, "late", SIZE_MAX, &error));
    }
    close(fd);
    mcp_server_free(server);
  }
}

/* Who is at the other end of a Unix socket is its principal. */
static void unix_sockets(void) {
  char path[] = "/tmp/mcp-test-XXXXXX", address[80], says[40];
  CHECK(mkdtemp(path));
  snprintf(address, sizeof address, "unix:%s/socket", path);
  mcp_server *server = teller(MCP_DISPATCH_POOL);
  mcp_http_config *config = open_door();
  mcp_http_config_set_int(config, MCP_HTTP_OPTION_UNIX_PRINCIPAL, 1);
  mcp_listener *listener = make_listener(server, config, address);
  CHECK(mcp_listener_port(listener) == 0 && strcmp(mcp_listener_address(listener, 0, NULL), address) == 0);
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  snprintf(name.sun_path, sizeof name.sun_path, "%s", address + strlen("unix:"));
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  CHECK(connect(fd, (struct sockaddr *)&name, sizeof name) == 0);
  send_post(fd, CALL_HEADERS("echo"), TOOLS_CALL("1", "echo", "{}"));
  snprintf(says, sizeof says, "uid:%d saw nothing", (int)getuid());
  await_part(fd, says);
  close(fd);
  mcp_listener_free(listener);
  CHECK(access(name.sun_path, F_OK) != 0);
  CHECK(rmdir(path) == 0);
  mcp_server_free(server);
}

/* HTTP-04: nothing is listened on but the addresses that are named. */
static void listeners_that_fail(void) {
  mcp_server *server = teller(MCP_DISPATCH_INLINE);
  mcp_listener *listener = NULL;
  counts asked = {0};
  CHECK_ERROR(MCP_STATUS_INVALID_ARGUMENT, "addresses", mcp_http_listen(server, guarded_door(keep, &asked, count_destroy), &listener, &error));
  CHECK(atomic_load(&asked.destroyed) == 1);
  mcp_http_config *config = guarded_door(keep, &asked, count_destroy);
  mcp_http_config_add_text(config, MCP_HTTP_OPTION_ADDRESS, "localhost", SIZE_MAX);
  CHECK_ERROR(MCP_STATUS_INVALID_ARGUMENT, "localhost", mcp_http_listen(server, config, &listener, &error));
  CHECK(atomic_load(&asked.destroyed) == 2);
  config = guarded_door(keep, &asked, count_destroy);
  mcp_http_config_add_text(config, MCP_HTTP_OPTION_ADDRESS, "192.0.2.1:0", SIZE_MAX);
  CHECK_ERROR(MCP_STATUS_IO, "192.0.2.1", mcp_http_listen(server, config, &listener, &error));
  CHECK(atomic_load(&asked.destroyed) == 3);
  CHECK_ERROR(MCP_STATUS_INVALID_ARGUMENT, "server", mcp_http_listen(NULL, guarded_door(keep, &asked, count_destroy), &listener, &error));
  CHECK_ERROR(MCP_STATUS_INVALID_ARGUMENT, "out", mcp_http_listen(server, guarded_door(keep, &asked, count_destroy), NULL, &error));
  CHECK_ERROR(MCP_STATUS_INVALID_ARGUMENT, "server", mcp_endpoint_new(NULL, guarded_door(keep, &asked, count_destroy), (mcp_endpoint **)&listener, &error));
  CHECK(atomic_load(&asked.destroyed) == 6);
  mcp_http_config_free(guarded_door(keep, &asked, count_destroy));
  CHECK(atomic_load(&asked.destroyed) == 7);
  config = guarded_door(keep, &asked, count_destroy);
  mcp_http_config_on_authorize(config, keep, &asked, count_destroy);
  CHECK(atomic_load(&asked.destroyed) == 8);
  mcp_http_config_free(config);
  CHECK(atomic_load(&asked.destroyed) == 9);
  CHECK_STATUS(MCP_STATUS_OK, mcp_server_stop(server, 0, NULL));
  config = guarded_door(keep, &asked, count_destroy);
  mcp_http_config_add_text(config, MCP_HTTP_OPTION_ADDRESS, "127.0.0.1:0", SIZE_MAX);
  CHECK_ERROR(MCP_STATUS_CLOSED, "stopped", mcp_http_listen(server, config, &listener, &error));
  CHECK(!listener && atomic_load(&asked.destroyed) == 10);
  mcp_server_free(server);
}

/* ---- fork ---- */

static void in_child(mcp_server *server, mcp_listener *listener, mcp_endpoint *endpoint, web *it, asked *who) {
  mcp_http_exchange *exchange = NULL;
  mcp_listener *second = NULL;
  counts seen = {0};
  alarm(20);
  CHECK_ERROR(MCP_STATUS_CLOSED, "fork()", mcp_listener_stop(listener, 1000, &error));
  CHECK_ERROR(MCP_STATUS_CLOSED, "fork()", mcp_listener_wait(listener, &error));
  CHECK(mcp_listener_port(listener) == 0 && !mcp_listener_address(listener, 0, NULL));
  CHECK_ERROR(MCP_STATUS_CLOSED, "fork()", mcp_http_listen(server, open_door(), &second, &error));
  CHECK_ERROR(MCP_STATUS_CLOSED, "fork()", mcp_endpoint_stop(endpoint, &error));
  CHECK_ERROR(MCP_STATUS_CLOSED, "fork()",
              mcp_http_begin(endpoint, "POST", "/mcp", SIZE_MAX, "", 0, NULL, web_want_body, web_head, web_data, &seen,
                             count_destroy, &exchange, &error));
  CHECK(atomic_load(&seen.destroyed) == 1 && !exchange);
  CHECK_ERROR(MCP_STATUS_CLOSED, "fork()", mcp_http_body(it->exchange, "x", 1, true, &error));
  CHECK_ERROR(MCP_STATUS_CLOSED, "fork()", mcp_http_pause(it->exchange, true, &error));
  CHECK_ERROR(MCP_STATUS_CLOSED, "fork()", mcp_http_tick(it->exchange, &error));
  CHECK(mcp_http_next_deadline(it->exchange) == -1);
  CHECK_ERROR(MCP_STATUS_CLOSED, "fork()", mcp_auth_allow(who->auth, mcp_caller_new_local(), &error));
  mcp_http_free(it->exchange);
  mcp_listener_free(listener);
  mcp_endpoint_free(endpoint);
  CHECK(atomic_load(&it->destroyed) == 0 && atomic_load(&who->seen.destroyed) == 0);
  /* Not exit: what belongs to the parent is still allocated here. */
  execlp("true", "true", (char *)NULL);
  _exit(1);
}

static void forks(void) {
  asked who = {0};
  mcp_server *server = teller(MCP_DISPATCH_INLINE);
  mcp_listener *listener = make_listener(server, open_door(), "127.0.0.1:0");
  mcp_endpoint *endpoint = make_endpoint(server, guarded_door(keep, &who, count_destroy));
  web it = WEB;
  web_post(&it, endpoint, CALL_HEADERS("echo"), TOOLS_CALL("1", "echo", "{}"));
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) in_child(server, listener, endpoint, &it, &who);
  int status;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);

  /* The parent saw nothing of it. */
  CHECK_STATUS(MCP_STATUS_OK, mcp_auth_allow(who.auth, mcp_caller_new("ann", SIZE_MAX), NULL));
  CHECK_ANSWERED(&it, 200, "ann saw nothing");
  int fd = dial(mcp_listener_port(listener));
  send_post(fd, CALL_HEADERS("echo"), TOOLS_CALL("1", "echo", "{}"));
  await_part(fd, " saw nothing");
  close(fd);
  web_end(&it);
  mcp_listener_free(listener);
  mcp_endpoint_free(endpoint);
  mcp_server_free(server);
}

int main(void) {
  authorizations(MCP_DISPATCH_INLINE);
  authorizations(MCP_DISPATCH_POOL);
  authorizations(MCP_DISPATCH_PUMP);
  an_authorization_that_outlives_all();
  bodies(MCP_DISPATCH_INLINE);
  bodies(MCP_DISPATCH_POOL);
  bodies(MCP_DISPATCH_PUMP);
  listens(MCP_DISPATCH_INLINE);
  listens(MCP_DISPATCH_POOL);
  listens(MCP_DISPATCH_PUMP);
  stops();
  unix_sockets();
  listeners_that_fail();
  forks();
  free(log_lines.text);
  puts("ok: http");
  return 0;
}
