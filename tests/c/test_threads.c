/* 8 threads with 10 000 calls each, on one server, answered, rejected, cancelled, freed, now or later, at random. */
#include "check.h"

#include <pthread.h>

enum { THREADS = 8, WORKERS = 3, QUEUE = 256 };

static counts seen;
static atomic_int finished, gone;

/* Calls that wait for a worker. */
static mcp_call *queue[QUEUE];
static int queued, closed;
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t queue_more = PTHREAD_COND_INITIALIZER;

static uint32_t next_random(uint32_t *seed) {
  *seed ^= *seed << 13;
  *seed ^= *seed >> 17;
  *seed ^= *seed << 5;
  return *seed;
}

static void finish(mcp_call *call, uint32_t random) {
  mcp_status status = MCP_STATUS_OK;
  mcp_call_progress(call, 1, 2, "on", SIZE_MAX, NULL);
  CHECK(strcmp(mcp_call_argument_text(call, "/text", NULL), "hello") == 0);
  switch (random % 5) {
  case 0: status = mcp_call_complete_text(call, mcp_call_argument_text(call, "/text", NULL), SIZE_MAX, NULL); break;
  case 1: status = mcp_call_complete_json(call, "{\"content\":[]}", SIZE_MAX, NULL); break;
  case 2: status = mcp_call_fail(call, "no", SIZE_MAX, NULL); break;
  case 3: status = mcp_call_reject(call, -32000, "no", SIZE_MAX, "[1]", SIZE_MAX, NULL); break;
  default: mcp_call_free(call);
  }
  CHECK(status == MCP_STATUS_OK || status == MCP_STATUS_GONE);
  if (status == MCP_STATUS_GONE) atomic_fetch_add(&gone, 1);
  atomic_fetch_add(&finished, 1);
}

static void *work(void *user_data) {
  uint32_t seed = (uint32_t)(uintptr_t)user_data;
  for (;;) {
    pthread_mutex_lock(&queue_lock);
    while (!queued && !closed) pthread_cond_wait(&queue_more, &queue_lock);
    if (!queued) break;
    mcp_call *call = queue[--queued];
    pthread_mutex_unlock(&queue_lock);
    finish(call, next_random(&seed));
  }
  pthread_mutex_unlock(&queue_lock);
  return NULL;
}

static void take(void *user_data, mcp_call *call) {
  uint32_t seed = (uint32_t)mcp_call_number(call) * 2654435761u | 1;
  atomic_fetch_add(&((counts *)user_data)->calls, 1);
  CHECK(atomic_load(&((counts *)user_data)->destroyed) == 0);
  if (next_random(&seed) % 3 == 0) {
    finish(call, next_random(&seed));
    return;
  }
  pthread_mutex_lock(&queue_lock);
  int full = queued == QUEUE;
  if (!full) queue[queued++] = call;
  pthread_cond_signal(&queue_more);
  pthread_mutex_unlock(&queue_lock);
  if (full) finish(call, next_random(&seed));
}

static const mcp_server *server;
static int each;

/* A connection of its own; some calls are cancelled, some connections are freed with calls open. */
static void *bring(void *user_data) {
  uint32_t seed = (uint32_t)(uintptr_t)user_data;
  char message[1000];
  int connections = 1;
  output out = {.busy = ATOMIC_FLAG_INIT};
  mcp_connection *connection = connect_local(server, &out);
  for (int n = 1; n <= each; n++) {
    snprintf(message, sizeof message, TOOLS_CALL("%d", "hold", "{\"text\":\"hello\"}") "\n", n);
    mcp_connection_receive(connection, message, SIZE_MAX, NULL);
    uint32_t random = next_random(&seed);
    if (random % 7 == 0) {
      snprintf(message, sizeof message,
               "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":%d}}\n",
               n - (int)(random / 7 % 3));
      mcp_connection_receive(connection, message, SIZE_MAX, NULL);
    }
    if (random % 1000 == 1) {
      mcp_connection_free(connection);
      connection = connect_local(server, &out);
      connections++;
    }
    while (mcp_connection_owed(connection) > 64) sleep_ms(1);
    /* What was written so far does not matter; keep it small. */
    output_lock(&out);
    out.len = 0;
    atomic_flag_clear(&out.busy);
  }
  CHECK_STATUS(MCP_STATUS_OK, mcp_connection_close(connection, 20000, NULL));
  mcp_connection_free(connection);
  /* A freed connection may still be writing on another thread, or have calls; destroy says when that is over. */
  WAIT_FOR(atomic_load(&out.destroyed) == connections);
  free(out.text);
  return NULL;
}

static void run(int32_t dispatch) {
  pthread_t bringers[THREADS], workers[WORKERS];
  memset(&seen, 0, sizeof seen);
  atomic_store(&finished, 0);
  atomic_store(&gone, 0);
  queued = closed = 0;
  mcp_config *config = make_config(dispatch, take, &seen, count_destroy);
  mcp_config_on_cancel(config, count_cancel, &seen, NULL);
  mcp_config_on_log(config, ignore_log, NULL, NULL);
  mcp_server *made = make_server(config);
  server = made;
  for (uintptr_t n = 0; n < WORKERS; n++) CHECK(pthread_create(&workers[n], NULL, work, (void *)(n + 11)) == 0);
  for (uintptr_t n = 0; n < THREADS; n++) CHECK(pthread_create(&bringers[n], NULL, bring, (void *)(n + 101)) == 0);
  for (int n = 0; n < THREADS; n++) pthread_join(bringers[n], NULL);
  /* The server goes while the last calls are still with the workers. */
  mcp_server_free(made);
  pthread_mutex_lock(&queue_lock);
  closed = 1;
  pthread_cond_broadcast(&queue_more);
  pthread_mutex_unlock(&queue_lock);
  for (int n = 0; n < WORKERS; n++) pthread_join(workers[n], NULL);
  WAIT_FOR(atomic_load(&seen.destroyed) == 1);
  CHECK(atomic_load(&finished) == atomic_load(&seen.calls));
  CHECK(atomic_load(&seen.calls) > THREADS * each / 2);
  printf("ok: threads, dispatch %d: %d calls, %d cancelled, %d answered too late\n", (int)dispatch,
         atomic_load(&seen.calls), atomic_load(&seen.cancels), atomic_load(&gone));
}

int main(void) {
  each = quick(10000);
  run(MCP_DISPATCH_INLINE);
  run(MCP_DISPATCH_POOL);
  return 0;
}
