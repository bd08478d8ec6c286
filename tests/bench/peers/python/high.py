"""The official Python SDK's high-level server: echo among 50 tools. With `--async` at the end, its handlers are coroutines."""

import sys

import door
from mcp.server.mcpserver import MCPServer

server = MCPServer("bench", version="1.0.0", log_level="ERROR")


async def coroutine(text: str) -> str:
    return text


def function(text: str) -> str:
    return text


def add(name):
    tool = coroutine if sys.argv[-1] == "--async" else function
    server.add_tool(tool, name=name, description="Does one thing.", structured_output=False)


for number in range(49):
    add(f"tool_{number:05}")
add("echo")

port = door.http_port()
if port is None:
    server.run()
else:
    door.serve(server.streamable_http_app(json_response=True, stateless_http=True), port)
