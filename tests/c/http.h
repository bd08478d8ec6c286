/* What the tests of the HTTP door share: requests, and a web server's side of an exchange. */
#ifndef HTTP_H
#define HTTP_H

#include "check.h"

#define HTTP_HEADERS(method, more)                                                                \
  "Host: localhost\r\nContent-Type: application/json\r\n"                                         \
  "Accept: application/json, text/event-stream\r\n"                                               \
  "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: " method "\r\n" more

#define CALL_HEADERS(name) HTTP_HEADERS("tools/call", "Mcp-Name: " name "\r\n")

/* What a web server would write, and what it does when it is called. */
typedef struct web {
  output out;          /* the data */
  char headers[2048];
  atomic_int status, wants, heads, last, destroyed, inside;
  const char *body;    /* handed over as soon as it is wanted */
  bool pause_at_head, free_at_last;
  mcp_http_exchange *exchange;
} web;

#define WEB {.out = {.busy = ATOMIC_FLAG_INIT}}

/* One callback at a time, and the handle is there before the first. */
static inline web *web_enter(void *user_data) {
  web *it = user_data;
  CHECK(atomic_fetch_add(&it->inside, 1) == 0);
  CHECK(it->exchange && !atomic_load(&it->last) && !atomic_load(&it->destroyed));
  return it;
}

static inline void web_want_body(void *user_data, uint64_t max_bytes) {
  web *it = web_enter(user_data);
  CHECK(max_bytes >= 1024 && atomic_load(&it->heads) == 0);
  CHECK(atomic_fetch_add(&it->wants, 1) == 0);
  if (it->body) CHECK_STATUS(MCP_STATUS_OK, mcp_http_body(it->exchange, it->body, SIZE_MAX, true, NULL));
  atomic_fetch_sub(&it->inside, 1);
}

static inline void web_head(void *user_data, int32_t status, const char *headers, size_t len) {
  web *it = web_enter(user_data);
  CHECK(strlen(headers) == len && len < sizeof it->headers && it->out.len == 0);
  CHECK(len == 0 || strcmp(headers + len - 2, "\r\n") == 0);
  memcpy(it->headers, headers, len + 1);
  atomic_store(&it->status, status);
  CHECK(atomic_fetch_add(&it->heads, 1) == 0);
  if (it->pause_at_head) CHECK_STATUS(MCP_STATUS_OK, mcp_http_pause(it->exchange, true, NULL));
  atomic_fetch_sub(&it->inside, 1);
}

static inline void web_data(void *user_data, const char *data, size_t len, bool last) {
  web *it = web_enter(user_data);
  CHECK(atomic_load(&it->heads) == 1 && data);
  output_lock(&it->out);
  it->out.text = realloc(it->out.text, it->out.len + len + 1);
  CHECK(it->out.text);
  memcpy(it->out.text + it->out.len, data, len);
  it->out.len += len;
  it->out.text[it->out.len] = 0;
  atomic_flag_clear(&it->out.busy);
  if (last && it->free_at_last) mcp_http_free(it->exchange);
  atomic_fetch_sub(&it->inside, 1);
  if (last) atomic_store(&it->last, 1);
}

static inline void web_destroy(void *user_data) { atomic_fetch_add(&((web *)user_data)->destroyed, 1); }

static inline void web_begin(web *it, const mcp_endpoint *endpoint, const char *method, const char *headers, const char *peer) {
  mcp_error *error = NULL;
  mcp_status status = mcp_http_begin(endpoint, method, "/mcp", SIZE_MAX, headers, SIZE_MAX, peer, web_want_body, web_head,
                                     web_data, it, web_destroy, &it->exchange, &error);
  if (status != MCP_STATUS_OK) fprintf(stderr, "%s\n", mcp_error_message(error, NULL));
  CHECK(status == MCP_STATUS_OK && it->exchange);
}

static inline void web_post(web *it, const mcp_endpoint *endpoint, const char *headers, const char *body) {
  it->body = body;
  web_begin(it, endpoint, "POST", headers, "192.0.2.1:1000");
}

/* Frees the exchange and what was written. */
static inline void web_end(web *it) {
  if (!it->free_at_last) mcp_http_free(it->exchange);
  WAIT_FOR(atomic_load(&it->destroyed) == 1);
  free(it->out.text);
}

/* Waits for the whole answer and checks it. */
#define CHECK_ANSWERED(it, code, part)                                                            \
  do {                                                                                            \
    WAIT_FOR(atomic_load(&(it)->last));                                                           \
    if (atomic_load(&(it)->status) != (code)) fprintf(stderr, "%s\n%s\n", (it)->headers, (it)->out.text); \
    CHECK(atomic_load(&(it)->status) == (code));                                                  \
    CHECK_HAS((it)->out.text, part);                                                              \
  } while (0)

/* A configuration that lets everyone in. */
static inline mcp_http_config *open_door(void) {
  mcp_http_config *config = mcp_http_config_new();
  CHECK_STATUS(MCP_STATUS_OK, mcp_http_config_add_text(config, MCP_HTTP_OPTION_ORIGIN, "loopback", SIZE_MAX));
  CHECK_STATUS(MCP_STATUS_OK, mcp_http_config_allow_any_caller(config, NULL));
  return config;
}

/* One that asks. */
static inline mcp_http_config *guarded_door(mcp_authorize_fn fn, void *user_data, mcp_destroy_fn destroy) {
  mcp_http_config *config = mcp_http_config_new();
  CHECK_STATUS(MCP_STATUS_OK, mcp_http_config_allow_any_origin(config));
  CHECK_STATUS(MCP_STATUS_OK, mcp_http_config_on_authorize(config, fn, user_data, destroy));
  return config;
}

static inline mcp_endpoint *make_endpoint(const mcp_server *server, mcp_http_config *config) {
  mcp_endpoint *endpoint = NULL;
  mcp_error *error = NULL;
  mcp_status status = mcp_endpoint_new(server, config, &endpoint, &error);
  if (status != MCP_STATUS_OK) fprintf(stderr, "%s\n", mcp_error_message(error, NULL));
  CHECK(status == MCP_STATUS_OK && endpoint && !error);
  return endpoint;
}

#endif
