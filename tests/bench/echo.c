/* The measured host in C: answers every call with its own text, on the thread that read it. The catalog is a file. */
#include "mcpcore.h"
#include <stdio.h>
#include <stdlib.h>

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

int main(int count, char **words) {
  size_t len = 0;
  char *catalog = count == 2 ? read_file(words[1], &len) : NULL;
  if (catalog == NULL) {
    fprintf(stderr, "usage: echo CATALOG\n");
    return 2;
  }
  mcp_server *server = NULL;
  mcp_error *error = NULL;
  mcp_config *config = mcp_config_new("bench", "1.0.0");
  mcp_config_set_int(config, MCP_OPTION_DISPATCH, MCP_DISPATCH_INLINE);
  mcp_config_set_catalog(config, catalog, len);
  mcp_config_on_call(config, answer, NULL, NULL);
  mcp_status status = mcp_server_new(config, &server, &error);
  if (status == MCP_STATUS_OK) status = mcp_serve_stdio(server, &error);
  if (status != MCP_STATUS_OK) fprintf(stderr, "echo: %s\n", mcp_error_message(error, NULL));
  mcp_error_free(error);
  mcp_server_free(server);
  free(catalog);
  return status != MCP_STATUS_OK;
}
