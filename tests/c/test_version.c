/* Header and library are of one version, and so are their texts. */
#include "check.h"

int main(void) {
  char text[32];
  CHECK(mcp_version_number() == MCP_VERSION_NUMBER);
  CHECK(MCP_VERSION_NUMBER == (MCP_VERSION_MAJOR << 16 | MCP_VERSION_MINOR << 8 | MCP_VERSION_PATCH));
  snprintf(text, sizeof text, "%d.%d.%d", MCP_VERSION_MAJOR, MCP_VERSION_MINOR, MCP_VERSION_PATCH);
  CHECK(strcmp(mcp_version(), text) == 0);
  puts("ok: version");
  return 0;
}
