/* What the parts of the fixture host share. */
#ifndef EVERYTHING_H
#define EVERYTHING_H
#include "mcpcore.h"
#include <stdatomic.h>

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
  atomic_bool extra[KINDS]; /* items that `toggle` added */
  _Atomic(mcp_server *) server;
} fixture;

extern fixture fx;

/* A text that grows. */
typedef struct text {
  char *data;
  size_t len, room;
} text;

void put(text *to, const char *data, size_t len);

/* Adds an extra item, or takes it away again; true if it is there now. */
bool toggle(int kind);

/* Answers a call, now or later. */
void answer_call(void *user_data, mcp_call *call);
#endif
