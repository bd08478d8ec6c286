#include <mcpcore.h>
#include <stdio.h>

static void greet(void *user_data, mcp_call *call) {
  char text[128];
  (void)user_data;
  snprintf(text, sizeof text, "Hello %s!", mcp_call_argument_text(call, "/name", NULL));
  mcp_call_complete_text(call, text, SIZE_MAX, NULL);
}

int main(void) {
  mcp_server *server = NULL;
  mcp_error *error = NULL;
  mcp_config *config = mcp_config_new("greeter", "1.0.0");
  mcp_config_set_catalog(config,
      "{\"tools\":[{\"name\":\"greet\",\"description\":\"Greets somebody.\","
      "\"inputSchema\":{\"type\":\"object\",\"required\":[\"name\"],"
      "\"properties\":{\"name\":{\"type\":\"string\",\"maxLength\":99}}}}]}", SIZE_MAX);
  mcp_config_on_call(config, greet, NULL, NULL);
  mcp_status status = mcp_server_new(config, &server, &error);
  if (status == MCP_STATUS_OK) status = mcp_serve_stdio(server, &error);
  if (status != MCP_STATUS_OK) fprintf(stderr, "%s\n", mcp_error_message(error, NULL));
  mcp_error_free(error);
  mcp_server_free(server);
  return status != MCP_STATUS_OK;
}
