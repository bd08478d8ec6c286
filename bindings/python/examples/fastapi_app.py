"""An MCP server inside a FastAPI application: `uvicorn fastapi_app:app`, then http://127.0.0.1:8000/tools/."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import FastAPI
from pydantic import BaseModel, Field

from mcpcore import Authorization, Call, Caller, Server, Unauthorized

TOKENS = {"let-me-in": Caller("ann", scopes=["count"])}


class Count(BaseModel):
    text: str
    letters: int


server = Server("letters", "1.0.0")


@server.tool(scopes=["count"])
async def count(text: Annotated[str, Field(min_length=1)], call: Call) -> Count:
    """Counts the letters of a text, slowly enough to watch."""
    for done, _ in enumerate(text, 1):
        call.progress(done, len(text))
        await asyncio.sleep(0.01)
    return Count(text=text, letters=sum(letter.isalpha() for letter in text))


def authorize(request: Authorization) -> Caller:
    caller = TOKENS.get(request.bearer or "")
    if caller is None:
        raise Unauthorized(reason="no such token")
    return caller


@asynccontextmanager
async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
    # Mounted applications are not told when the server begins and ends, so it is entered here.
    async with server:
        yield


app = FastAPI(lifespan=lifespan)
app.mount("/tools", server.asgi(authorize=authorize, allowed_origins=["loopback"]))


@app.get("/")
def index() -> dict[str, str]:
    return {"mcp": "/tools/"}
