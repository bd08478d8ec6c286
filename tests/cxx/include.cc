// The header twice in one C++ program, and used as C++ uses it.
#include "mcpcore.h"
#include "mcpcore.h"

#include <cstdio>
#include <memory>
#include <type_traits>

static_assert(std::is_same<mcp_status, int32_t>::value, "a status is a plain number");

int main() {
  std::unique_ptr<mcp_config, decltype(&mcp_config_free)> config(mcp_config_new("c++", "1"), mcp_config_free);
  mcp_status status = mcp_config_set_int(config.get(), MCP_OPTION_DISPATCH, MCP_DISPATCH_INLINE);
  if (status != MCP_STATUS_OK) return 1;
  if (mcp_version_number() != MCP_VERSION_NUMBER) return 2;
  std::puts("ok: C++");
  return 0;
}
