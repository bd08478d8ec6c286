/* What the fixture host knows, and the texts that it writes and reads. Included by everything_answers.h. */
#include "mcpcore.h"
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct fixture_result {
  const char *key, *json;
} fixture_result;

typedef struct fixture_question {
  const char *key;
  int round;
  const char *name;
  const char *need; /* asked only of a client that declared this; NULL: always asked */
  const char *state;
  const char *json;
} fixture_question;

enum { TOOLS, RESOURCES, TEMPLATES, PROMPTS, KINDS };

typedef struct fixture {
  const char *const (*items)[40];
  const char *const *extras;
  const fixture_result *results;
  const fixture_question *questions;
  char *document; /* of --catalog-file: its items answer their arguments */
  bool without[KINDS];
  int32_t dispatch;
  mcp_http_config *http; /* until it listens */
  bool listens;
  atomic_bool extra[KINDS]; /* items that `toggle` added */
  _Atomic(mcp_server *) server;
} fixture;

static fixture fx;

/* A text that grows. */
typedef struct text {
  char *data;
  size_t len, room;
} text;

static void put(text *to, const char *data, size_t len) {
  if (data == NULL) return;
  if (len == SIZE_MAX) len = strlen(data);
  if (to->len + len + 1 > to->room) {
    to->room = (to->len + len + 1) * 2;
    to->data = realloc(to->data, to->room);
    if (to->data == NULL) abort();
  }
  memcpy(to->data + to->len, data, len);
  to->len += len;
  to->data[to->len] = '\0';
}

/* Adds an extra item, or takes it away again; true if it is there now. */
static bool toggle(int kind) {
  bool now = !atomic_load(&fx.extra[kind]);
  atomic_store(&fx.extra[kind], now);
  mcp_error *error = NULL;
  if (mcp_server_catalog_changed(atomic_load(&fx.server), "", 0, &error) != MCP_STATUS_OK)
    fprintf(stderr, "everything: %s\n", mcp_error_message(error, NULL));
  mcp_error_free(error);
  return now;
}

static void finish(mcp_call *call, text *answer) {
  mcp_call_complete_text(call, answer->data ? answer->data : "", answer->len, NULL);
  free(answer->data);
}

static void finish_json(mcp_call *call, text *answer) {
  mcp_error *error = NULL;
  if (mcp_call_complete_json(call, answer->data, answer->len, &error) != MCP_STATUS_OK)
    fprintf(stderr, "everything: %s\n", mcp_error_message(error, NULL));
  mcp_error_free(error);
  free(answer->data);
}

static void say(mcp_call *call, const char *words) { mcp_call_complete_text(call, words, SIZE_MAX, NULL); }

static const char *argument(const mcp_call *call, const char *pointer) {
  return mcp_call_argument_text(call, pointer, NULL);
}

/* Answers have no readers by pointer yet, so here is just enough of one: objects, arrays, and texts without escapes. */
static const char *skip(const char *at, const char *end) {
  bool inside = false;
  for (int depth = 0; at < end; at++) {
    if (inside && *at == '\\') at++;
    else if (*at == '"') inside = !inside;
    else if (!inside && (*at == '{' || *at == '[')) depth++;
    else if (!inside && (*at == '}' || *at == ']' || *at == ',') && depth == 0) return at;
    else if (!inside && (*at == '}' || *at == ']')) depth--;
  }
  return end;
}

/* The value of a member or element of the object or array at `at`; NULL if it is not there. */
static const char *step(const char *at, const char *end, const char *name, size_t len) {
  bool object = *at == '{';
  long index = object ? 0 : strtol(name, NULL, 10);
  for (at++; at < end && *at != '}' && *at != ']'; at++) {
    if (object && (size_t)(end - at) > len + 3 && at[len + 1] == '"' && memcmp(at + 1, name, len) == 0) return at + len + 3;
    if (!object && index-- == 0) return at;
    at = skip(at, end);
  }
  return NULL;
}

static const char *answer_at(const mcp_call *call, const char *pointer, size_t *found) {
  size_t len = 0;
  const char *at = mcp_call_answers_json(call, &len), *end = at + len;
  while (at != NULL && *pointer == '/') {
    const char *name = pointer + 1;
    size_t name_len = strcspn(name, "/");
    if (*at != '{' && *at != '[') return NULL;
    at = step(at, end, name, name_len);
    pointer = name + name_len;
  }
  if (at != NULL) *found = (size_t)(skip(at, end) - at);
  return at;
}

/* A text of the answers, put behind what is there; false if it is not there. */
static bool put_answer(text *to, const mcp_call *call, const char *pointer) {
  size_t len = 0;
  const char *json = answer_at(call, pointer, &len);
  if (json == NULL || len < 2 || *json != '"') return false;
  put(to, json + 1, len - 2);
  return true;
}
