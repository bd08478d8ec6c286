/* A first server: one tool, one resource, one resource template, one prompt, over HTTP or stdio. No JSON library. */
#include <mcpcore.h>
#include <stdio.h>
#include <string.h>

static const char CATALOG[] =
    "{\"tools\":[{\"name\":\"get_weather\",\"description\":\"Current weather of Oslo or Lima.\",\"inputSchema\":"
    "  {\"type\":\"object\",\"properties\":{\"place\":{\"type\":\"string\"}},\"required\":[\"place\"]}}],"
    " \"resources\":[{\"uri\":\"weather://places\",\"name\":\"places\",\"mimeType\":\"text/plain\"}],"
    " \"resourceTemplates\":[{\"uriTemplate\":\"weather://place/{name}\",\"name\":\"place\",\"mimeType\":\"text/plain\"}],"
    " \"prompts\":[{\"name\":\"forecast\",\"arguments\":[{\"name\":\"place\",\"required\":true}]}]}";

static const char *weather(const char *place) {
  if (strcmp(place, "Oslo") == 0) return "-3 °C and snow";
  if (strcmp(place, "Lima") == 0) return "19 °C and fog";
  return NULL;
}

static void tool(mcp_call *call) {
  const char *now = weather(mcp_call_argument_text(call, "/place", NULL)); /* the schema says that it is there */
  if (now) mcp_call_complete_text(call, now, SIZE_MAX, NULL);
  else mcp_call_fail(call, "No weather for this place; try Oslo or Lima.", SIZE_MAX, NULL);
}

static void resource(mcp_call *call) {
  const char *place = mcp_call_variable(call, "name", NULL);
  const char *text = place ? weather(place) : "Oslo\nLima"; /* no variable: weather://places itself */
  if (text) mcp_call_complete_text(call, text, SIZE_MAX, NULL);
  else mcp_call_reject(call, -32602, "No such place", SIZE_MAX, NULL, 0, NULL);
}

static void prompt(mcp_call *call) {
  size_t len;
  char text[300];
  const char *place = mcp_call_argument_text(call, "/place", &len);
  if (len > 200) {
    mcp_call_reject(call, -32602, "place: at most 200 bytes", SIZE_MAX, NULL, 0, NULL);
    return;
  }
  snprintf(text, sizeof text, "What will the weather be like in %s tomorrow?", place);
  mcp_call_complete_text(call, text, SIZE_MAX, NULL);
}

static void answer(void *user_data, mcp_call *call) {
  (void)user_data;
  switch (mcp_call_kind(call)) {
  case MCP_CALL_TOOL: tool(call); break;
  case MCP_CALL_RESOURCE: resource(call); break;
  case MCP_CALL_PROMPT: prompt(call); break;
  default: mcp_call_free(call);
  }
}

static mcp_status serve_http(mcp_server *server, const char *address, mcp_error **error) {
  mcp_listener *listener = NULL;
  mcp_http_config *config = mcp_http_config_new();
  mcp_http_config_add_text(config, MCP_HTTP_OPTION_ADDRESS, address, SIZE_MAX);
  mcp_http_config_add_text(config, MCP_HTTP_OPTION_ORIGIN, "loopback", SIZE_MAX); /* pages that this machine serves */
  mcp_http_config_allow_any_caller(config, NULL); /* or say with mcp_http_config_on_authorize who may */
  mcp_status status = mcp_http_listen(server, config, &listener, error);
  if (status == MCP_STATUS_OK) {
    fprintf(stderr, "listening on http://%s/mcp\n", mcp_listener_address(listener, 0, NULL));
    status = mcp_listener_wait(listener, error);
  }
  mcp_listener_free(listener);
  return status;
}

int main(int count, char **words) {
  mcp_server *server = NULL;
  mcp_error *error = NULL;
  mcp_config *config = mcp_config_new("weather", "1.0.0");
  mcp_config_set_catalog(config, CATALOG, SIZE_MAX);
  mcp_config_on_call(config, answer, NULL, NULL);
  mcp_status status = mcp_server_new(config, &server, &error);
  if (status == MCP_STATUS_OK) {
    bool stdio = count > 1 && strcmp(words[1], "--stdio") == 0;
    status = stdio ? mcp_serve_stdio(server, &error) : serve_http(server, count > 1 ? words[1] : "127.0.0.1:4000", &error);
  }
  if (status != MCP_STATUS_OK) fprintf(stderr, "weather: %s\n", mcp_error_message(error, NULL));
  mcp_error_free(error);
  mcp_server_free(server);
  return status != MCP_STATUS_OK;
}
