"""FastMCP: echo among 50 tools, over HTTP only."""

import door
from fastmcp import FastMCP

server = FastMCP("bench", version="1.0.0")


def add(name):
    async def tool(text: str) -> str:
        return text

    server.tool(tool, name=name, description="Does one thing.", output_schema=None)


for number in range(49):
    add(f"tool_{number:05}")
add("echo")

door.serve(server.http_app(json_response=True, stateless_http=True), door.http_port())
