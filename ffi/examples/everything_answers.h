/* How the fixture host answers: see tests/wire/catalog/fixture.md. Included by everything.c alone. */
#include "everything_fixture.h"
#include <pthread.h>
#include <time.h>

static void rest(long ms) {
  struct timespec time = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&time, NULL);
}

static void sleep_on(mcp_call *call) {
  int64_t ms = 0;
  mcp_call_argument_int(call, "/ms", &ms);
  for (int64_t passed = 0; passed < ms;) {
    int64_t step = ms - passed < 50 ? ms - passed : 50;
    rest((long)step);
    passed += step;
    if (mcp_call_cancelled(call) != 0) {
      mcp_call_free(call);
      return;
    }
    if (passed < ms) mcp_call_progress(call, (double)passed, (double)ms, NULL, 0, NULL);
  }
  char words[64];
  snprintf(words, sizeof words, "slept %lld ms", (long long)ms);
  say(call, words);
}

static void report_thrice(mcp_call *call) {
  for (int i = 0; i <= 2; i++) {
    if (i > 0) rest(50);
    mcp_call_progress(call, i * 50, 100, NULL, 0, NULL);
  }
  say(call, "done");
}

static void log_thrice(mcp_call *call) {
  for (int i = 0; i <= 2; i++) {
    if (i > 0) rest(50);
    mcp_call_log(call, 1, "fixture", "\"a line\"", SIZE_MAX, NULL);
  }
  say(call, "logged");
}

static void come_back(mcp_call *call) {
  mcp_call_log(call, 1, "fixture", "\"leaving\"", SIZE_MAX, NULL);
  mcp_call_close_stream(call, 100);
  rest(100);
  mcp_call_log(call, 1, "fixture", "\"meanwhile\"", SIZE_MAX, NULL);
  rest(100);
  say(call, "back");
}

typedef void (*answer_fn)(mcp_call *call);

typedef struct later {
  answer_fn answer;
  mcp_call *call;
} later;

static void *run_later(void *given) {
  later job = *(later *)given;
  free(given);
  job.answer(job.call);
  return NULL;
}

/* On a pool thread an answer may take its time; else the thread that called belongs to the door or to the host. */
static void take_time(mcp_call *call, answer_fn answer) {
  pthread_t thread;
  later *job = fx.dispatch == MCP_DISPATCH_POOL ? NULL : malloc(sizeof *job);
  if (job == NULL) {
    answer(call);
    return;
  }
  *job = (later){answer, call};
  if (pthread_create(&thread, NULL, run_later, job) == 0) pthread_detach(thread);
  else run_later(job);
}

/* ---- tools ---- */

static void answer_add(mcp_call *call) {
  int64_t a = 0, b = 0;
  char words[32];
  mcp_call_argument_int(call, "/a", &a);
  mcp_call_argument_int(call, "/b", &b);
  snprintf(words, sizeof words, "%lld", (long long)((uint64_t)a + (uint64_t)b));
  say(call, words);
}

static void answer_echo(mcp_call *call) {
  size_t len = 0;
  const char *words = mcp_call_argument_text(call, "/text", &len);
  mcp_call_complete_text(call, words, len, NULL);
}

static void answer_none(mcp_call *call) { say(call, "none"); }

static void answer_opt(mcp_call *call) {
  size_t len = 0;
  if (mcp_call_argument_json(call, "/q", &len) == NULL) say(call, "absent");
  else say(call, argument(call, "/q") ? argument(call, "/q") : "null");
}

static void answer_structured(mcp_call *call, const char *json, size_t len) {
  text answer = {0};
  put(&answer, "{\"structuredContent\":", SIZE_MAX);
  put(&answer, json, len);
  put(&answer, "}", 1);
  finish_json(call, &answer);
}

static void answer_big(mcp_call *call) {
  size_t len = 0;
  const char *json = mcp_call_argument_json(call, "/id", &len);
  answer_structured(call, json, len);
}

static void answer_meta(mcp_call *call) {
  size_t len = 0;
  const char *json = mcp_call_meta_json(call, &len);
  answer_structured(call, json, len);
}

static void answer_boom(mcp_call *call) { mcp_call_fail(call, "boom", SIZE_MAX, NULL); }

static void answer_reject(mcp_call *call) {
  int64_t code = 0;
  size_t len = 0;
  mcp_call_argument_int(call, "/code", &code);
  const char *data = mcp_call_argument_json(call, "/data", &len);
  mcp_error *error = NULL;
  if (mcp_call_reject(call, (int32_t)code, "rejected", SIZE_MAX, data, len, &error) != MCP_STATUS_OK)
    fprintf(stderr, "everything: %s\n", mcp_error_message(error, NULL));
  mcp_error_free(error);
}

static void answer_noisy(mcp_call *call) {
  printf("hi\n");
  fflush(stdout);
  say(call, "noisy");
}

static void answer_sleep(mcp_call *call) { take_time(call, sleep_on); }

static void answer_three_lines(mcp_call *call) { take_time(call, log_thrice); }

static void answer_come_back(mcp_call *call) { take_time(call, come_back); }

static void answer_three_reports(mcp_call *call) { take_time(call, report_thrice); }

static void answer_progress(mcp_call *call) {
  double value = 0, total = -1; /* below zero: no total */
  char pointer[32];
  mcp_call_argument_double(call, "/total", &total);
  for (int i = 0; snprintf(pointer, sizeof pointer, "/values/%d", i), mcp_call_argument_double(call, pointer, &value); i++) {
    size_t len = 0;
    text message = {0};
    const char *json = mcp_call_argument_json(call, pointer, &len);
    put(&message, "at ", 3);
    put(&message, json, len);
    mcp_call_progress(call, value, total, message.data, message.len, NULL);
    free(message.data);
  }
  say(call, "reported");
}

static void answer_log(mcp_call *call) {
  static const char *const levels[] = {"debug", "info",     "notice", "warning",
                                       "error", "critical", "alert",  "emergency"};
  for (int32_t level = 0; level < 8; level++) {
    char data[32];
    snprintf(data, sizeof data, "\"a %s line\"", levels[level]);
    mcp_call_log(call, level, "fixture", data, SIZE_MAX, NULL);
  }
  say(call, "logged");
}

static void answer_log_once(mcp_call *call) {
  mcp_call_log(call, 1, "fixture", "\"a line\"", SIZE_MAX, NULL);
  say(call, "logged");
}

static void answer_touch(mcp_call *call) {
  size_t len = 0;
  const char *uri = mcp_call_argument_text(call, "/uri", &len);
  mcp_server_resource_updated(atomic_load(&fx.server), uri, len, NULL);
  say(call, "touched");
}

static void answer_toggle(mcp_call *call) {
  static const char *const kinds[KINDS] = {"tool", "resource", "template", "prompt"};
  int kind = 0;
  while (kind < KINDS - 1 && strcmp(kinds[kind], argument(call, "/what")) != 0) kind++;
  say(call, toggle(kind) ? "added" : "removed");
}

static void answer_tool_change(mcp_call *call) {
  toggle(TOOLS);
  toggle(TOOLS);
  say(call, "changed");
}

static void answer_prompt_change(mcp_call *call) {
  toggle(PROMPTS);
  toggle(PROMPTS);
  say(call, "changed");
}

static void answer_arguments(mcp_call *call) {
  size_t len = 0;
  const char *json = mcp_call_arguments(call, &len);
  mcp_call_complete_text(call, json, len, NULL);
}

static const char *outcome(const mcp_call *call, const char *pointer) {
  text action = {0};
  const char *found = "accepted";
  if (!put_answer(&action, call, pointer)) found = "unanswered";
  else if (strcmp(action.data, "decline") == 0) found = "declined";
  else if (strcmp(action.data, "cancel") == 0) found = "cancelled";
  free(action.data);
  return found;
}

static void answer_ask(mcp_call *call) {
  text answer = {0};
  put(&answer, outcome(call, "/user/action"), SIZE_MAX);
  if (strcmp(answer.data, "accepted") == 0) {
    put(&answer, ": ", 2);
    put_answer(&answer, call, "/user/content/name");
  }
  finish(call, &answer);
}

static void answer_ask_twice(mcp_call *call) {
  text answer = {0};
  if (!put_answer(&answer, call, "/first/content/name")) put(&answer, "somebody", SIZE_MAX);
  put(&answer, " likes ", SIZE_MAX);
  if (!put_answer(&answer, call, "/second/content/colour")) put(&answer, "nothing", SIZE_MAX);
  finish(call, &answer);
}

static void answer_ask_url(mcp_call *call) { say(call, outcome(call, "/page/action")); }

static void answer_ask_all(mcp_call *call) { say(call, "answered"); }

static void answer_ask_model(mcp_call *call) {
  text answer = {0};
  put(&answer, "the model says: ", SIZE_MAX);
  put_answer(&answer, call, "/model/content/text");
  finish(call, &answer);
}

static void answer_ask_roots(mcp_call *call) {
  text answer = {0};
  put(&answer, "the first root is ", SIZE_MAX);
  if (!put_answer(&answer, call, "/roots/roots/0/uri")) {
    answer.len = 0;
    put(&answer, "no roots", SIZE_MAX);
  }
  finish(call, &answer);
}

/* ---- resources and prompts ---- */

static void answer_bytes(mcp_call *call) {
  mcp_call_complete_blob(call, "\373\377\376", 3, "application/octet-stream", NULL);
}

static void answer_broken(mcp_call *call) { mcp_call_fail(call, "broken", SIZE_MAX, NULL); }

static void answer_show(mcp_call *call) {
  say(call, strcmp(outcome(call, "/user/action"), "accepted") == 0 ? "shown" : "hidden");
}

static bool answer_variables(mcp_call *call) {
  static const char *const names[] = {"id", "path", "page", "limit"};
  text answer = {0};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    size_t len = 0;
    const char *value = mcp_call_variable(call, names[i], &len);
    if (value == NULL) continue;
    if (answer.len > 0) put(&answer, ";", 1);
    put(&answer, names[i], SIZE_MAX);
    put(&answer, "=", 1);
    put(&answer, value, len);
  }
  finish(call, &answer);
  return true;
}

static void answer_greet(mcp_call *call) {
  text answer = {0};
  put(&answer, "Hello, ", SIZE_MAX);
  put(&answer, argument(call, "/name"), SIZE_MAX);
  put(&answer, "!", 1);
  finish(call, &answer);
}

static void answer_sour(mcp_call *call) { mcp_call_reject(call, -32603, "sour", SIZE_MAX, NULL, 0, NULL); }

static void answer_style(mcp_call *call) {
  text answer = {0};
  put(&answer, "In the style of ", SIZE_MAX);
  if (!put_answer(&answer, call, "/user/content/style")) put(&answer, "nobody", SIZE_MAX);
  put(&answer, ".", 1);
  finish(call, &answer);
}

static void answer_both_arguments(mcp_call *call) {
  text answer = {0};
  put(&answer, "arg1: ", SIZE_MAX);
  put(&answer, argument(call, "/arg1"), SIZE_MAX);
  put(&answer, ", arg2: ", SIZE_MAX);
  put(&answer, argument(call, "/arg2"), SIZE_MAX);
  finish(call, &answer);
}

static void answer_embedded(mcp_call *call) {
  text answer = {0};
  size_t len = 0;
  const char *uri = mcp_call_argument_json(call, "/resourceUri", &len);
  put(&answer, "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"resource\",\"resource\":{\"uri\":", SIZE_MAX);
  put(&answer, uri, len);
  put(&answer, ",\"mimeType\":\"text/plain\",\"text\":\"An embedded resource.\"}}}]}", SIZE_MAX);
  finish_json(call, &answer);
}

static void complete(mcp_call *call) {
  text answer = {0};
  const char *item = mcp_call_name(call, NULL), *name = argument(call, "/argument/name");
  const char *other = argument(call, "/context/arguments/name");
  if (strcmp(item, "greet") == 0 && strcmp(name, "name") == 0) {
    for (int i = 0; i < 250; i++) {
      char value[16];
      snprintf(value, sizeof value, "%sname%03d", i > 0 ? "\n" : "", i);
      put(&answer, value, SIZE_MAX);
    }
  } else if (strcmp(item, "greet") == 0 && strcmp(name, "style") == 0 && other != NULL) {
    put(&answer, "for ", SIZE_MAX);
    put(&answer, other, SIZE_MAX);
  } else if (strcmp(item, "x://item/{id}") == 0) {
    put(&answer, "1\n2\n3", SIZE_MAX);
  }
  finish(call, &answer);
}

/* ---- from a call to its answer ---- */

static const struct {
  const char *key;
  answer_fn answer;
} ANSWERS[] = {
    {"tool:add", answer_add},
    {"tool:ask", answer_ask},
    {"tool:ask_all", answer_ask_all},
    {"tool:ask_model", answer_ask_model},
    {"tool:ask_model_tools", answer_ask_model},
    {"tool:ask_roots", answer_ask_roots},
    {"tool:ask_twice", answer_ask_twice},
    {"tool:ask_url", answer_ask_url},
    {"tool:big", answer_big},
    {"tool:boom", answer_boom},
    {"tool:come_back", answer_come_back},
    {"tool:date", answer_arguments},
    {"tool:draft07", answer_arguments},
    {"tool:echo", answer_echo},
    {"tool:forget", mcp_call_free},
    {"tool:hints", answer_arguments},
    {"tool:log", answer_log},
    {"tool:meta", answer_meta},
    {"tool:noisy", answer_noisy},
    {"tool:none", answer_none},
    {"tool:opt", answer_opt},
    {"tool:pattern", answer_arguments},
    {"tool:progress", answer_progress},
    {"tool:reject", answer_reject},
    {"tool:schema2020", answer_arguments},
    {"tool:sleep", answer_sleep},
    {"tool:test_logging_tool", answer_log_once},
    {"tool:test_reconnection", answer_come_back},
    {"tool:test_tool_with_logging", answer_three_lines},
    {"tool:test_tool_with_progress", answer_three_reports},
    {"tool:test_trigger_prompt_change", answer_prompt_change},
    {"tool:test_trigger_tool_change", answer_tool_change},
    {"tool:toggle", answer_toggle},
    {"tool:touch", answer_touch},
    {"tool:tree", answer_arguments},
    {"tool:unicode", answer_arguments},
    {"resource:mem://ask", answer_show},
    {"resource:mem://bin", answer_bytes},
    {"resource:mem://broken", answer_broken},
    {"prompt:ask_style", answer_style},
    {"prompt:greet", answer_greet},
    {"prompt:sour", answer_sour},
    {"prompt:test_prompt_with_arguments", answer_both_arguments},
    {"prompt:test_prompt_with_embedded_resource", answer_embedded},
};

/* A question; a string "@NAME" in it stands for the argument of that name. */
static void put_filled(text *to, const mcp_call *call, const char *json) {
  const char *mark = strstr(json, "\"@");
  if (mark == NULL) {
    put(to, json, SIZE_MAX);
    return;
  }
  const char *name = mark + 2, *end = strchr(name, '"');
  char pointer[64];
  size_t len = 0;
  snprintf(pointer, sizeof pointer, "/%.*s", (int)(end - name), name);
  const char *value = mcp_call_argument_json(call, pointer, &len);
  put(to, json, (size_t)(mark - json));
  put(to, value ? value : "\"\"", value ? len : SIZE_MAX);
  put(to, end + 1, SIZE_MAX);
}

/* Asks what is still open of the first round that has something open; false if nothing is. */
static bool ask(mcp_call *call, const char *key) {
  text asked = {0};
  int round = 0;
  const char *state = NULL;
  for (const fixture_question *question = fx.questions; question->key != NULL; question++) {
    if (strcmp(question->key, key) != 0 || (round > 0 && question->round != round)) continue;
    if (question->need != NULL && !mcp_call_client_supports(call, question->need)) continue;
    char pointer[64];
    snprintf(pointer, sizeof pointer, "/%s", question->name);
    size_t len = 0;
    if (answer_at(call, pointer, &len) != NULL) continue;
    put(&asked, round > 0 ? ",\"" : "{\"", SIZE_MAX);
    put(&asked, question->name, SIZE_MAX);
    put(&asked, "\":", SIZE_MAX);
    put_filled(&asked, call, question->json);
    round = question->round;
    state = question->state;
  }
  if (round == 0) return false;
  put(&asked, "}", 1);
  mcp_call_require_input(call, asked.data, asked.len, state, state ? SIZE_MAX : 0, NULL);
  free(asked.data);
  return true;
}

static bool answer_known(mcp_call *call, const char *key) {
  for (const fixture_result *result = fx.results; result->key != NULL; result++) {
    if (strcmp(result->key, key) != 0) continue;
    text answer = {0};
    put(&answer, result->json, SIZE_MAX);
    finish_json(call, &answer);
    return true;
  }
  for (size_t i = 0; i < sizeof ANSWERS / sizeof *ANSWERS; i++) {
    if (strcmp(ANSWERS[i].key, key) != 0) continue;
    ANSWERS[i].answer(call);
    return true;
  }
  return false;
}

static void answer_call(void *user_data, mcp_call *call) {
  static const char *const kinds[] = {[MCP_CALL_TOOL] = "tool:", [MCP_CALL_RESOURCE] = "resource:", [MCP_CALL_PROMPT] = "prompt:"};
  (void)user_data;
  int32_t kind = mcp_call_kind(call);
  if (kind == MCP_CALL_COMPLETION) {
    complete(call);
    return;
  }
  if (fx.document != NULL) {
    answer_arguments(call);
    return;
  }
  text key = {0};
  put(&key, kinds[kind], SIZE_MAX);
  put(&key, mcp_call_name(call, NULL), SIZE_MAX);
  const char *mode = kind == MCP_CALL_TOOL ? argument(call, "/mode") : NULL;
  if (mode != NULL) {
    put(&key, ":", 1);
    put(&key, mode, SIZE_MAX);
  }
  if (!ask(call, key.data) && !answer_known(call, key.data) && !(kind == MCP_CALL_RESOURCE && answer_variables(call))) {
    text words = {0};
    put(&words, "no answer is written for ", SIZE_MAX);
    put(&words, key.data, key.len);
    mcp_call_fail(call, words.data, words.len, NULL);
    free(words.data);
  }
  free(key.data);
}
