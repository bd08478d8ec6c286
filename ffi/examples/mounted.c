/*
 * The HTTP endpoint inside a web server of your own, here GNU libmicrohttpd: cc mounted.c $(pkg-config --cflags --libs
 * mcpcore libmicrohttpd). It serves one tool at http://127.0.0.1:PORT/mcp, and everything else is the web server's.
 *
 * The web server's loop runs on the main thread; calls run on the library's pool and wake it. What libmicrohttpd cannot do:
 * it takes an answer before or behind a body only, so a body that is refused midway ends its connection; and while it
 * waits for an answer it does not see that a client has hung up before the next comment of the stream.
 */
#include <arpa/inet.h>
#include <mcpcore.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BEGUN, READING, WAITING, QUEUED };
enum { ENOUGH = 65536 }; /* bytes that wait to be written before the exchange is paused */

/* One HTTP request: half the web server's, half the exchange's. */
typedef struct request {
  struct request *next;         /* of those that are open; the main thread's */
  struct MHD_Connection *connection;
  mcp_http_exchange *exchange;
  char *target;
  int state;                    /* the main thread's */
  pthread_mutex_t lock;         /* of what follows */
  int owners, status;
  bool wanted, suspended, last, paused;
  char *headers, *data;
  size_t len;
} request;

static mcp_endpoint *endpoint;
static request *open_requests;
static volatile sig_atomic_t stop;

static void let_go(void *given) {
  request *it = given;
  pthread_mutex_lock(&it->lock);
  bool gone = --it->owners == 0;
  pthread_mutex_unlock(&it->lock);
  if (!gone) return;
  pthread_mutex_destroy(&it->lock);
  free(it->target);
  free(it->headers);
  free(it->data);
  free(it);
}

/* Lets the web server look at the request again. Holds the lock. */
static void wake(request *it) {
  if (it->suspended) MHD_resume_connection(it->connection);
  it->suspended = false;
}

/* ---- what the exchange says, on any thread ---- */

static void want_body(void *user_data, uint64_t max_bytes) {
  request *it = user_data;
  (void)max_bytes; /* the exchange counts; what is too long it refuses */
  pthread_mutex_lock(&it->lock);
  it->wanted = true;
  wake(it);
  pthread_mutex_unlock(&it->lock);
}

static void take_head(void *user_data, int32_t status, const char *headers, size_t len) {
  request *it = user_data;
  pthread_mutex_lock(&it->lock);
  it->headers = malloc(len + 1);
  if (it->headers == NULL) abort();
  memcpy(it->headers, headers, len + 1);
  it->status = status;
  wake(it);
  pthread_mutex_unlock(&it->lock);
}

static void take_data(void *user_data, const char *data, size_t len, bool last) {
  request *it = user_data;
  pthread_mutex_lock(&it->lock);
  it->data = realloc(it->data, it->len + len + 1);
  if (it->data == NULL) abort();
  memcpy(it->data + it->len, data, len);
  it->len += len;
  it->last = last;
  bool full = it->len > ENOUGH && !last && !it->paused;
  if (full) it->paused = true;
  wake(it);
  pthread_mutex_unlock(&it->lock);
  if (full) mcp_http_pause(it->exchange, true, NULL);
}

/* ---- what the web server does, on the main thread ---- */

static void *note_target(void *given, const char *uri, struct MHD_Connection *connection) {
  request *it = calloc(1, sizeof *it);
  (void)given;
  if (it == NULL || (it->target = strdup(uri)) == NULL) abort();
  pthread_mutex_init(&it->lock, NULL);
  it->connection = connection;
  it->owners = 1;
  it->next = open_requests;
  return open_requests = it;
}

typedef struct text {
  char data[16384];
  size_t len;
  bool over;
} text;

static enum MHD_Result add_header(void *given, enum MHD_ValueKind kind, const char *name, const char *value) {
  text *to = given;
  (void)kind;
  int size = snprintf(to->data + to->len, sizeof to->data - to->len, "%s: %s\r\n", name, value ? value : "");
  to->over = size < 0 || (size_t)size >= sizeof to->data - to->len;
  if (!to->over) to->len += (size_t)size;
  return to->over ? MHD_NO : MHD_YES;
}

static enum MHD_Result refuse(struct MHD_Connection *connection, unsigned status) {
  struct MHD_Response *response = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
  enum MHD_Result queued = MHD_queue_response(connection, status, response);
  MHD_destroy_response(response);
  return queued;
}

static ssize_t read_data(void *given, uint64_t at, char *to, size_t room) {
  request *it = given;
  (void)at;
  pthread_mutex_lock(&it->lock);
  size_t size = it->len < room ? it->len : room;
  if (size > 0) {
    memcpy(to, it->data, size);
    memmove(it->data, it->data + size, it->len - size);
    it->len -= size;
  }
  bool resume = it->paused && it->len == 0;
  if (resume) it->paused = false;
  bool end = size == 0 && it->last;
  if (size == 0 && !end && !resume) {
    it->suspended = true;
    MHD_suspend_connection(it->connection);
  }
  pthread_mutex_unlock(&it->lock);
  if (resume) mcp_http_pause(it->exchange, false, NULL);
  return end ? MHD_CONTENT_READER_END_OF_STREAM : (ssize_t)size;
}

/* Holds the lock. */
static enum MHD_Result send_head(request *it) {
  uint64_t size = MHD_SIZE_UNKNOWN;
  const char *length = strstr(it->headers, "content-length: ");
  if (length != NULL) size = strtoull(length + strlen("content-length: "), NULL, 10);
  struct MHD_Response *response = MHD_create_response_from_callback(size, 32768, read_data, it, NULL);
  for (char *line = it->headers, *end; (end = strstr(line, "\r\n")) != NULL; line = end + 2) {
    char *colon = strstr(line, ": ");
    *colon = *end = '\0';
    /* The web server writes the length itself. */
    if (strcmp(line, "content-length") != 0) MHD_add_response_header(response, line, colon + 2);
  }
  enum MHD_Result queued = MHD_queue_response(it->connection, (unsigned)it->status, response);
  MHD_destroy_response(response);
  it->state = QUEUED;
  return queued;
}

static enum MHD_Result begin(request *it, const char *method) {
  char peer[64] = "";
  text headers = {.len = 0};
  const union MHD_ConnectionInfo *address = MHD_get_connection_info(it->connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  if (address != NULL && address->client_addr->sa_family == AF_INET) {
    const struct sockaddr_in *from = (const struct sockaddr_in *)address->client_addr;
    const unsigned char *ip = (const unsigned char *)&from->sin_addr;
    snprintf(peer, sizeof peer, "%d.%d.%d.%d:%d", ip[0], ip[1], ip[2], ip[3], ntohs(from->sin_port));
  }
  MHD_get_connection_values(it->connection, MHD_HEADER_KIND, add_header, &headers);
  if (headers.over) return refuse(it->connection, MHD_HTTP_REQUEST_HEADER_FIELDS_TOO_LARGE);
  it->owners = 2;
  mcp_status status = mcp_http_begin(endpoint, method, it->target, SIZE_MAX, headers.data, headers.len, peer, want_body,
                                     take_head, take_data, it, let_go, &it->exchange, NULL);
  return status == MCP_STATUS_OK ? MHD_YES : refuse(it->connection, MHD_HTTP_BAD_REQUEST);
}

static enum MHD_Result handle(void *given, struct MHD_Connection *connection, const char *path, const char *method,
                              const char *version, const char *upload, size_t *size, void **state) {
  request *it = *state;
  enum MHD_Result result = MHD_YES;
  (void)given, (void)version;
  if (strcmp(path, "/mcp") != 0) return refuse(connection, MHD_HTTP_NOT_FOUND);
  if (it->exchange == NULL && (result = begin(it, method), it->exchange == NULL)) return result;
  if (it->state == READING && *size > 0) {
    mcp_http_body(it->exchange, upload, *size, false, NULL);
    *size = 0;
    pthread_mutex_lock(&it->lock);
    if (it->headers != NULL) result = MHD_NO;
    pthread_mutex_unlock(&it->lock);
    return result;
  }
  if (it->state == READING) {
    it->state = WAITING;
    mcp_http_body(it->exchange, NULL, 0, true, NULL);
  }
  pthread_mutex_lock(&it->lock);
  if (it->headers != NULL) {
    result = send_head(it);
  } else if (it->state == BEGUN && it->wanted) {
    it->state = READING;
  } else {
    it->suspended = true;
    MHD_suspend_connection(connection);
  }
  pthread_mutex_unlock(&it->lock);
  return result;
}

static void completed(void *given, struct MHD_Connection *connection, void **state, enum MHD_RequestTerminationCode why) {
  request *it = *state;
  (void)given, (void)connection, (void)why;
  if (it == NULL) return;
  for (request **at = &open_requests; *at != NULL; at = &(*at)->next) {
    if (*at == it) {
      *at = it->next;
      break;
    }
  }
  mcp_http_free(it->exchange);
  let_go(it);
}

/* Does what is due. Gives how long nothing else is, in ms. */
static int32_t tick(void) {
  int64_t wait = 1000;
  for (request *it = open_requests; it != NULL; it = it->next) {
    int64_t due = mcp_http_next_deadline(it->exchange);
    if (due == 0) mcp_http_tick(it->exchange, NULL);
    else if (due > 0 && due < wait) wait = due;
  }
  return (int32_t)wait;
}

/* ---- the MCP server ---- */

static void greet(void *user_data, mcp_call *call) {
  char words[300];
  (void)user_data;
  snprintf(words, sizeof words, "Hello %.200s!", mcp_call_argument_text(call, "/name", NULL));
  mcp_call_complete_text(call, words, SIZE_MAX, NULL);
}

static void on_signal(int number) { stop = number; }

int main(int count, char **words) {
  mcp_server *server = NULL;
  mcp_error *error = NULL;
  uint16_t port = (uint16_t)(count > 1 ? strtoul(words[1], NULL, 10) : 4000);
  mcp_config *config = mcp_config_new("mounted", "1.0.0");
  mcp_config_set_catalog(config,
                         "{\"tools\":[{\"name\":\"greet\",\"description\":\"Greets somebody.\",\"inputSchema\":{\"type\":"
                         "\"object\",\"properties\":{\"name\":{\"type\":\"string\"}},\"required\":[\"name\"]}}]}",
                         SIZE_MAX);
  mcp_config_set_int(config, MCP_OPTION_TOOLS_LIST_CHANGED, 1);
  mcp_config_on_call(config, greet, NULL, NULL);
  mcp_http_config *http = mcp_http_config_new();
  mcp_http_config_add_text(http, MCP_HTTP_OPTION_ORIGIN, "loopback", SIZE_MAX);
  mcp_http_config_add_text(http, MCP_HTTP_OPTION_HOST, "127.0.0.1", SIZE_MAX);
  mcp_http_config_allow_any_caller(http, NULL);
  mcp_status status = mcp_server_new(config, &server, &error);
  if (status == MCP_STATUS_OK) status = mcp_endpoint_new(server, http, &endpoint, &error);
  else mcp_http_config_free(http);
  struct MHD_Daemon *daemon = NULL;
  if (status == MCP_STATUS_OK) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(0x7f000001);
    daemon = MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC, port, NULL, NULL, handle, NULL,
                              MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_URI_LOG_CALLBACK, note_target, NULL,
                              MHD_OPTION_NOTIFY_COMPLETED, completed, NULL, MHD_OPTION_CONNECTION_TIMEOUT, 60u,
                              MHD_OPTION_END);
  }
  if (daemon != NULL) {
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    port = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
    fprintf(stderr, "listening on http://127.0.0.1:%d/mcp\n", port);
    while (!stop) MHD_run_wait(daemon, tick());
    mcp_endpoint_stop(endpoint, NULL);
    for (int round = 0; open_requests != NULL && round < 250; round++) MHD_run_wait(daemon, 20); /* what is in flight */
    for (request *it = open_requests; it != NULL; it = it->next) {
      pthread_mutex_lock(&it->lock);
      wake(it); /* the web server cannot close what it has put aside */
      pthread_mutex_unlock(&it->lock);
    }
    MHD_run_wait(daemon, 0);
    MHD_stop_daemon(daemon);
  } else {
    fprintf(stderr, "mounted: %s\n", error ? mcp_error_message(error, NULL) : "cannot listen");
  }
  mcp_error_free(error);
  mcp_endpoint_free(endpoint);
  mcp_server_free(server);
  return daemon == NULL;
}
