/* The measured host in C: answers every call with its own text, among the tools of a catalog that is a file. Over stdio on
 * the thread that read it; over HTTP on one thread of the listener, inline there or on the pool. */
#include "mcpcore.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void answer(void *user_data, mcp_call *call) {
  (void)user_data;
  size_t len = 0;
  const char *text = mcp_call_argument_text(call, "/text", &len);
  mcp_call_complete_text(call, text, len, NULL);
}

static char *read_file(const char *path, size_t *len) {
  FILE *file = fopen(path, "rb");
  char *data = NULL;
  if (file == NULL) return NULL;
  if (fseek(file, 0, SEEK_END) == 0) {
    long size = ftell(file);
    rewind(file);
    data = size < 0 ? NULL : malloc((size_t)size + 1);
    *len = data == NULL ? 0 : fread(data, 1, (size_t)size, file);
  }
  fclose(file);
  return data;
}

/* Prints its port, and serves until it is killed. */
static mcp_status serve_http(mcp_server *server, mcp_error **error) {
  mcp_listener *listener = NULL;
  mcp_http_config *config = mcp_http_config_new();
  mcp_http_config_add_text(config, MCP_HTTP_OPTION_ADDRESS, "127.0.0.1:0", SIZE_MAX);
  mcp_http_config_add_text(config, MCP_HTTP_OPTION_ORIGIN, "loopback", SIZE_MAX);
  mcp_http_config_set_int(config, MCP_HTTP_OPTION_MAX_BODY_BYTES, 4 << 20);
  mcp_http_config_allow_any_caller(config, NULL);
  mcp_status status = mcp_http_listen(server, config, &listener, error);
  if (status == MCP_STATUS_OK) {
    printf("%d\n", mcp_listener_port(listener));
    fflush(stdout);
    status = mcp_listener_wait(listener, error);
  }
  mcp_listener_free(listener);
  return status;
}

int main(int count, char **words) {
  size_t len = 0;
  char *catalog = count == 2 || count == 3 ? read_file(words[1], &len) : NULL;
  if (catalog == NULL) {
    fprintf(stderr, "usage: echo CATALOG [http-inline|http-pool]\n");
    return 2;
  }
  const char *door = count == 3 ? words[2] : "stdio";
  bool pool = strcmp(door, "http-pool") == 0;
  mcp_server *server = NULL;
  mcp_error *error = NULL;
  mcp_config *config = mcp_config_new("bench", "1.0.0");
  mcp_config_set_int(config, MCP_OPTION_DISPATCH, pool ? MCP_DISPATCH_POOL : MCP_DISPATCH_INLINE);
  mcp_config_set_catalog(config, catalog, len);
  mcp_config_on_call(config, answer, NULL, NULL);
  mcp_status status = mcp_server_new(config, &server, &error);
  if (status == MCP_STATUS_OK)
    status = strcmp(door, "stdio") == 0 ? mcp_serve_stdio(server, &error) : serve_http(server, &error);
  if (status != MCP_STATUS_OK) fprintf(stderr, "echo: %s\n", mcp_error_message(error, NULL));
  mcp_error_free(error);
  mcp_server_free(server);
  free(catalog);
  return status != MCP_STATUS_OK;
}
