"""The official Python SDK's low-level server: echo among 50 tools."""

import anyio
import door
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
NAMES = [f"tool_{number:05}" for number in range(49)] + ["echo"]
TOOLS = [types.Tool(name=name, description="Does one thing.", input_schema=SCHEMA) for name in NAMES]


async def list_tools(ctx, params):
    return types.ListToolsResult(tools=TOOLS)


async def call_tool(ctx, params):
    return types.CallToolResult(content=[types.TextContent(type="text", text=params.arguments["text"])])


server = Server("bench", version="1.0.0", on_list_tools=list_tools, on_call_tool=call_tool)


async def main():
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


port = door.http_port()
if port is None:
    anyio.run(main)
else:
    door.serve(server.streamable_http_app(json_response=True, stateless_http=True), port)
