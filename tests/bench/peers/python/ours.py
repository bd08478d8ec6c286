"""The Python package as a server for the benches: echo among 50 tools. stdio, or with `listen` or `asgi` (under uvicorn)
HTTP; then the port is the first line of its output. With `--sync` the handlers are no coroutines."""

import sys

from mcpcore import Server

SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
HTTP = {"authorize": "anyone", "allowed_origins": "any", "path": "/mcp"}

server = Server("bench", "1.0.0")


async def echo(text: str) -> str:
    return text


def sync_echo(text: str) -> str:
    return text


answer = sync_echo if "--sync" in sys.argv else echo
for number in range(49):
    server.add_tool(answer, f"tool_{number:05}", description="Does one thing.", input_schema=SCHEMA)
server.add_tool(answer, "echo", description="Does one thing.", input_schema=SCHEMA)

door = sys.argv[1] if len(sys.argv) > 1 else "stdio"
if door == "listen":
    server.run_http(0, ready=lambda listener: print(listener.port, flush=True), **HTTP)
elif door == "asgi":
    import uvicorn

    class Telling(uvicorn.Server):
        async def startup(self, sockets=None):
            await super().startup(sockets)
            print(self.servers[0].sockets[0].getsockname()[1], flush=True)

    Telling(uvicorn.Config(server.asgi(**HTTP), port=0, log_level="error", access_log=False, timeout_keep_alive=600)).run()
else:
    server.run()
