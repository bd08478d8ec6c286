/*
 * The fixture host of the tests: one of every kind of item, answered in every way that the interface has. What it offers
 * and answers is described in tests/wire/catalog/fixture.md; the constant part is in everything_catalog.h.
 */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "everything_answers.h"
#include "everything_catalog.h"
#include <signal.h>

static const struct {
  const char *name;
  const char *const (*items)[40];
  const char *const *extras;
  const fixture_result *results;
  const fixture_question *questions;
} CATALOGS[] = {
    {"conformance", CONFORMANCE_ITEMS, CONFORMANCE_EXTRAS, CONFORMANCE_RESULTS, CONFORMANCE_QUESTIONS},
    {"fx", FX_ITEMS, FX_EXTRAS, FX_RESULTS, FX_QUESTIONS},
    {"ui", UI_ITEMS, UI_EXTRAS, UI_RESULTS, UI_QUESTIONS},
};

/* ---- catalog ---- */

static void fill(void *user_data, const char *key, size_t len, mcp_catalog *catalog) {
  (void)user_data, (void)key, (void)len;
  if (fx.document != NULL) {
    mcp_catalog_add(catalog, fx.document, SIZE_MAX);
    return;
  }
  mcp_status (*const add[KINDS])(mcp_catalog *, const char *, size_t) = {
      mcp_catalog_add_tool, mcp_catalog_add_resource, mcp_catalog_add_resource_template, mcp_catalog_add_prompt};
  for (int kind = 0; kind < KINDS; kind++) {
    if (fx.without[kind]) continue;
    for (const char *const *item = fx.items[kind]; *item != NULL; item++) add[kind](catalog, *item, SIZE_MAX);
    if (atomic_load(&fx.extra[kind])) add[kind](catalog, fx.extras[kind], SIZE_MAX);
  }
}

/* ---- flags ---- */

static const struct {
  const char *flag;
  int32_t option;
  int64_t value; /* -1: the next word is the number */
} NUMBERS[] = {
    {"--page", MCP_OPTION_PAGE_SIZE, -1},
    {"--pool", MCP_OPTION_POOL_THREADS, -1},
    {"--ttl", MCP_OPTION_CACHE_TTL_MS, -1},
    {"--max-message", MCP_OPTION_MAX_MESSAGE_BYTES, -1},
    {"--state-ttl", MCP_OPTION_STATE_TTL_MS, -1},
    {"--call-timeout", MCP_OPTION_CALL_TIMEOUT_MS, -1},
    {"--subscriptions", MCP_OPTION_MAX_SUBSCRIPTIONS, -1},
    {"--input-timeout", MCP_OPTION_INPUT_TIMEOUT_MS, -1},
    {"--public", MCP_OPTION_CACHE_SCOPE, 1},
    {"--inline", MCP_OPTION_DISPATCH, MCP_DISPATCH_INLINE},
    {"--pump", MCP_OPTION_DISPATCH, MCP_DISPATCH_PUMP},
    {"--reject-arguments", MCP_OPTION_INVALID_ARGUMENTS, 1},
    {"--skip-invalid", MCP_OPTION_INVALID_ITEMS, 1},
    {"--repair", MCP_OPTION_REPAIR_ARGUMENTS, 1},
    {"--formats", MCP_OPTION_CHECK_FORMATS, 1},
    {"--no-identity", MCP_OPTION_IDENTIFY, 0},
    {"--quiet", MCP_OPTION_ANSWER_PARSE_ERRORS, 0},
    {"--no-legacy", MCP_OPTION_LEGACY, 0},
};

/* What is allowed unless a flag says otherwise: by the name of the capability, or with all of its kind. */
static const struct {
  const char *name, *kind;
  int32_t option;
} ALLOWED[] = {
    {"completions", NULL, MCP_OPTION_COMPLETIONS},
    {"logging", NULL, MCP_OPTION_LOGGING},
    {"subscribe", "resources", MCP_OPTION_RESOURCES_SUBSCRIBE},
    {"listChanged", "tools", MCP_OPTION_TOOLS_LIST_CHANGED},
    {"listChanged", "resources", MCP_OPTION_RESOURCES_LIST_CHANGED},
    {"listChanged", "prompts", MCP_OPTION_PROMPTS_LIST_CHANGED},
};

/* Options of --http-option, each as NAME=NUMBER. */
static const struct {
  const char *name;
  int32_t option;
} HTTP_NUMBERS[] = {
    {"max-body", MCP_HTTP_OPTION_MAX_BODY_BYTES},
    {"body-timeout", MCP_HTTP_OPTION_BODY_TIMEOUT_MS},
    {"byte-budget", MCP_HTTP_OPTION_BYTE_BUDGET},
    {"keep-alive", MCP_HTTP_OPTION_KEEP_ALIVE_MS},
    {"max-calls", MCP_HTTP_OPTION_MAX_CALLS},
    {"max-streams", MCP_HTTP_OPTION_MAX_STREAMS},
    {"max-stream", MCP_HTTP_OPTION_MAX_STREAM_MS},
    {"stream-queue", MCP_HTTP_OPTION_STREAM_QUEUE_BYTES},
    {"threads", MCP_HTTP_OPTION_THREADS},
    {"max-connections", MCP_HTTP_OPTION_MAX_CONNECTIONS},
    {"header-timeout", MCP_HTTP_OPTION_HEADER_TIMEOUT_MS},
    {"idle", MCP_HTTP_OPTION_IDLE_MS},
    {"max-sessions", MCP_HTTP_OPTION_MAX_SESSIONS},
    {"session-idle", MCP_HTTP_OPTION_SESSION_IDLE_MS},
    {"session-replay", MCP_HTTP_OPTION_SESSION_REPLAY_BYTES},
    {"retry", MCP_HTTP_OPTION_RETRY_MS},
};

static bool http_number(const char *word) {
  size_t len = strcspn(word, "=");
  for (size_t i = 0; i < sizeof HTTP_NUMBERS / sizeof *HTTP_NUMBERS && word[len] == '='; i++)
    if (strlen(HTTP_NUMBERS[i].name) == len && memcmp(HTTP_NUMBERS[i].name, word, len) == 0)
      return mcp_http_config_set_int(fx.http, HTTP_NUMBERS[i].option, strtoll(word + len + 1, NULL, 10)) == MCP_STATUS_OK;
  return false;
}

/* With --bearer a request is from whom its token names. */
static void admit(void *user_data, mcp_auth *auth) {
  static const char scheme[] = "Bearer ";
  (void)user_data;
  const char *header = mcp_auth_header(auth, "authorization", NULL);
  if (header != NULL && strncmp(header, scheme, strlen(scheme)) == 0)
    mcp_auth_allow(auth, mcp_caller_new(header + strlen(scheme), SIZE_MAX), NULL);
  else
    mcp_auth_refuse(auth, 401, NULL, NULL, NULL, NULL, NULL);
}

/* Unless told otherwise, who uses the endpoint is the same user as on stdio. */
static void say_who(bool bearer) {
  if (bearer) {
    mcp_http_config_on_authorize(fx.http, admit, NULL, NULL);
    return;
  }
  mcp_caller *caller = mcp_caller_new_local();
  mcp_http_config_allow_any_caller(fx.http, caller);
  mcp_caller_free(caller);
}

static bool listen_on(const char *port) {
  char address[32];
  snprintf(address, sizeof address, "127.0.0.1:%s", port);
  mcp_http_config_add_text(fx.http, MCP_HTTP_OPTION_ADDRESS, address, SIZE_MAX);
  mcp_http_config_add_text(fx.http, MCP_HTTP_OPTION_ORIGIN, "loopback", SIZE_MAX);
  return fx.listens = true;
}

static bool number_flag(mcp_config *config, const char *flag, const char *next, int *used) {
  for (size_t i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++) {
    if (strcmp(NUMBERS[i].flag, flag) != 0) continue;
    bool wants = NUMBERS[i].value == -1;
    if (wants && next == NULL) return false;
    int64_t value = wants ? strtoll(next, NULL, 10) : NUMBERS[i].value;
    if (NUMBERS[i].option == MCP_OPTION_DISPATCH) fx.dispatch = (int32_t)value;
    *used = wants ? 2 : 1;
    return mcp_config_set_int(config, NUMBERS[i].option, value) == MCP_STATUS_OK;
  }
  return false;
}

static char *read_file(const char *path) {
  text found = {0};
  char piece[4096];
  FILE *file = fopen(path, "rb");
  if (file == NULL) return NULL;
  for (size_t got; (got = fread(piece, 1, sizeof piece, file)) > 0;) put(&found, piece, got);
  fclose(file);
  return found.data;
}

/* Leaves the items of a kind out; true if there is such a kind. */
static bool leave_empty(const char *kind) {
  static const char *const kinds[KINDS] = {"tools", "resources", "resources", "prompts"};
  bool known = false;
  for (int i = 0; i < KINDS; i++)
    if (strcmp(kinds[i], kind) == 0) known = fx.without[i] = true;
  return known;
}

static bool leave_out(mcp_config *config, const char *name) {
  bool known = leave_empty(name);
  for (size_t i = 0; i < sizeof ALLOWED / sizeof *ALLOWED; i++) {
    bool meant = strcmp(ALLOWED[i].name, name) == 0 || (ALLOWED[i].kind != NULL && strcmp(ALLOWED[i].kind, name) == 0);
    if (meant) known = mcp_config_set_int(config, ALLOWED[i].option, 0) == MCP_STATUS_OK;
  }
  return known;
}

static bool choose(const char *name) {
  for (size_t i = 0; i < sizeof CATALOGS / sizeof *CATALOGS; i++) {
    if (strcmp(CATALOGS[i].name, name) != 0) continue;
    fx.items = CATALOGS[i].items;
    fx.extras = CATALOGS[i].extras;
    fx.results = CATALOGS[i].results;
    fx.questions = CATALOGS[i].questions;
    return true;
  }
  return false;
}

static bool word_flag(mcp_config *config, const char *flag, const char *next) {
  if (strcmp(flag, "--catalog") == 0) return choose(next);
  if (strcmp(flag, "--catalog-file") == 0) return (fx.document = read_file(next)) != NULL;
  if (strcmp(flag, "--without") == 0) return leave_out(config, next);
  if (strcmp(flag, "--empty") == 0) return leave_empty(next);
  if (strcmp(flag, "--instructions") == 0)
    return mcp_config_set_text(config, MCP_OPTION_INSTRUCTIONS, next, SIZE_MAX) == MCP_STATUS_OK;
  if (strcmp(flag, "--revision") == 0)
    return mcp_config_add_text(config, MCP_OPTION_REVISION, next, SIZE_MAX) == MCP_STATUS_OK;
  if (strcmp(flag, "--http") == 0) return listen_on(next);
  if (strcmp(flag, "--http-option") == 0) return http_number(next);
  if (strcmp(flag, "--sse") == 0)
    return mcp_http_config_set_text(fx.http, MCP_HTTP_OPTION_SSE_PATH, next, SIZE_MAX) == MCP_STATUS_OK;
  if (strcmp(flag, "--state-key") == 0)
    return mcp_config_add_text(config, MCP_OPTION_STATE_KEY, next, SIZE_MAX) == MCP_STATUS_OK;
  return false;
}

static bool configure(mcp_config *config, int count, char **words) {
  bool bearer = false;
  choose("conformance");
  for (size_t i = 0; i < sizeof ALLOWED / sizeof *ALLOWED; i++) mcp_config_set_int(config, ALLOWED[i].option, 1);
  for (int i = 1, used; i < count; i += used) {
    const char *next = i + 1 < count ? words[i + 1] : NULL;
    used = 1;
    if (strcmp(words[i], "--stdio") == 0) continue;
    if (strcmp(words[i], "--bearer") == 0) {
      bearer = true;
      continue;
    }
    if (strcmp(words[i], "--ui") == 0) {
      mcp_config_set_text(config, MCP_OPTION_EXTENSIONS, "{\"io.modelcontextprotocol/ui\":{}}", SIZE_MAX);
      continue;
    }
    if (number_flag(config, words[i], next, &used)) continue;
    used = 2;
    if (next != NULL && word_flag(config, words[i], next)) continue;
    fprintf(stderr, "everything: cannot use %s\n", words[i]);
    return false;
  }
  say_who(bearer);
  return true;
}

typedef struct service {
  mcp_status status;
  sigset_t end; /* the signals that end an HTTP service */
  atomic_bool over;
} service;

static mcp_status serve_stdio(mcp_error **error) { return mcp_serve_stdio(atomic_load(&fx.server), error); }

/* Serves until a signal comes, then answers what is in flight. */
static mcp_status serve_http(const sigset_t *end, mcp_error **error) {
  mcp_listener *listener = NULL;
  mcp_http_config *config = fx.http;
  fx.http = NULL;
  mcp_status status = mcp_http_listen(atomic_load(&fx.server), config, &listener, error);
  if (status == MCP_STATUS_OK) {
    int which;
    fprintf(stderr, "listening on http://127.0.0.1:%d/mcp\n", mcp_listener_port(listener));
    sigwait(end, &which);
    status = mcp_listener_stop(listener, 5000, error);
  }
  mcp_listener_free(listener);
  return status;
}

static void *serve(void *given) {
  service *run = given;
  mcp_error *error = NULL;
  run->status = fx.listens ? serve_http(&run->end, &error) : serve_stdio(&error);
  if (run->status != MCP_STATUS_OK) fprintf(stderr, "everything: %s\n", mcp_error_message(error, NULL));
  mcp_error_free(error);
  atomic_store(&run->over, true);
  return NULL;
}

int main(int count, char **words) {
  mcp_error *error = NULL;
  mcp_server *server = NULL;
  service run = {0};
  fx.http = mcp_http_config_new();
  mcp_config *config = mcp_config_new("everything", "1.0.0");
  if (!configure(config, count, words)) {
    mcp_http_config_free(fx.http);
    mcp_config_free(config);
    return 2;
  }
  sigemptyset(&run.end);
  sigaddset(&run.end, SIGTERM);
  sigaddset(&run.end, SIGINT);
  if (fx.listens) pthread_sigmask(SIG_BLOCK, &run.end, NULL); /* before there are threads, which inherit it */
  mcp_config_on_catalog(config, fill, NULL, NULL);
  mcp_config_on_call(config, answer_call, NULL, NULL);
  if (mcp_server_new(config, &server, &error) != MCP_STATUS_OK) {
    fprintf(stderr, "everything: %s\n", mcp_error_message(error, NULL));
    mcp_error_free(error);
    mcp_http_config_free(fx.http);
    return 1;
  }
  atomic_store(&fx.server, server);
  pthread_t door;
  if (fx.dispatch == MCP_DISPATCH_PUMP && pthread_create(&door, NULL, serve, &run) == 0) {
    while (!atomic_load(&run.over)) mcp_server_pump(server, 20, NULL, NULL);
    pthread_join(door, NULL);
  } else {
    serve(&run);
  }
  mcp_server_free(server);
  mcp_http_config_free(fx.http);
  free(fx.document);
  return run.status != MCP_STATUS_OK;
}
