"""The injected pair: a catalog and a dispatch."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from conftest import call, message, text_of

import mcpcore
from mcpcore import Call, Caller, Rejection, Server, ToolError

CATALOG = {
    "tools": [
        {"name": "echo", "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}}},
        {"name": "raw"},
    ],
    "resources": [{"uri": "mem://a", "name": "a", "mimeType": "text/plain"}],
    "resourceTemplates": [{"uriTemplate": "mem://item/{id}", "name": "item"}],
    "prompts": [{"name": "greet", "arguments": [{"name": "who", "required": True}]}],
}


def dispatch(call: Call) -> Any:
    if call.kind == "tool" and call.name == "raw":
        return {"structuredContent": {"raw": call.raw_arguments.decode(), "meta": sorted(call.meta)}}
    if call.kind == "tool":
        return {"content": [{"type": "text", "text": call.arguments["text"]}]}
    if call.kind == "resource":
        return call.variables.get("id", "the text")
    return {"messages": [{"role": "user", "content": {"type": "text", "text": f"Hello, {call.arguments['who']}!"}}]}


async def adispatch(call: Call) -> Any:
    await asyncio.sleep(0)
    return dispatch(call)


@pytest.mark.parametrize("answer", [dispatch, adispatch])
async def test_each_kind_is_answered_by_either_dispatch(answer: Any) -> None:
    server = Server("pair", "1", catalog=CATALOG, dispatch=answer)
    async with server.client() as client:
        assert (await client.call_tool("echo", {"text": "é🦀"})).text == "é🦀"
        raw = await client.call_tool("raw", {"n": 9007199254740993})
        assert raw.structured["raw"] == '{"n":9007199254740993}'
        assert "io.modelcontextprotocol/protocolVersion" in raw.structured["meta"]
        assert (await client.read_resource("mem://a"))[0]["text"] == "the text"
        assert (await client.read_resource("mem://item/7"))[0]["text"] == "7"
        assert (await client.get_prompt("greet", {"who": "Ann"}))["messages"][0]["content"]["text"] == "Hello, Ann!"
        assert [tool["name"] for tool in await client.list_tools()] == ["echo", "raw"]


@pytest.mark.parametrize("answer", [dispatch, adispatch])
def test_handle_sync(answer: Any) -> None:
    server = Server("pair", "1", catalog=CATALOG, dispatch=answer)
    assert text_of(server.handle_sync(call("echo", {"text": "a"}))) == "a"
    assert text_of(server.handle_sync(call("echo", {"text": "b"}).encode())) == "b"
    assert server.handle_sync('{"jsonrpc":"2.0","method":"notifications/x"}') is None
    assert json.loads(server.handle_sync("nonsense") or "")["error"]["code"] == -32700
    server.close()
    with pytest.raises(mcpcore.ClosedError):
        server.handle_sync(call("echo", {"text": "a"}))


@pytest.mark.parametrize("answer", [dispatch, adispatch])
async def test_handle(answer: Any) -> None:
    server = Server("pair", "1", catalog=CATALOG, dispatch=answer)
    assert text_of(await server.handle(call("echo", {"text": "a"}))) == "a"
    assert await server.handle('{"jsonrpc":"2.0","method":"notifications/x"}') is None
    many = await asyncio.gather(*(server.handle(call("echo", {"text": str(n)})) for n in range(500)))
    assert [text_of(one) for one in many] == [str(n) for n in range(500)]


def test_the_catalog_can_be_text_or_a_function_of_the_caller() -> None:
    def catalog(caller: Caller) -> Any:
        names = [f"tool-of-{caller.catalog_key or 'all'}"]
        return {"tools": [{"name": name} for name in names]}

    server = Server("pair", "1", catalog=catalog, dispatch=lambda call: call.name)
    listed = server.handle_sync(message("tools/list"), caller=Caller("a", catalog_key="blue")) or ""
    assert "tool-of-blue" in listed and "tool-of-all" not in listed
    assert "tool-of-all" in (server.handle_sync(message("tools/list")) or "")
    text = Server("pair", "1", catalog='{"tools": [{"name": "t", "unknown": 1e2}]}', dispatch=lambda call: "x")
    assert '{"name":"t","unknown":1e2,"inputSchema":{"type":"object"}}' in (
        text.handle_sync(message("tools/list")) or ""
    )


# FFI-style: what is wrong is said when the server is made, all of it at once.
@pytest.mark.parametrize(
    ("catalog", "shown"),
    [
        ({"tools": [{"name": "a", "inputSchema": {"type": "nope"}}]}, "/inputSchema/type"),
        ({"tols": []}, 'did you mean "tools"'),
        ({"tools": [{"name": "a"}, {"name": "a"}]}, "a"),
        ('{"tools": [', "not JSON"),
    ],
)
def test_faults_of_the_catalog_stop_the_constructor(catalog: Any, shown: str) -> None:
    with pytest.raises(mcpcore.CatalogError, match=".") as told:
        Server("pair", "1", catalog=catalog, dispatch=lambda call: "x")
    assert shown in str(told.value)


def test_wrong_options_are_named() -> None:
    with pytest.raises(ValueError, match="name and version"):
        Server("", "1")
    with pytest.raises(ValueError, match="cache_scope: must be public or private"):
        Server("a", "1", catalog={}, dispatch=dispatch, cache_scope="nobody")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        Server("a", "1", no_such_option=1)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="32 bytes"):
        Server("a", "1", catalog={}, dispatch=dispatch, state_keys=[b"short"])
    with pytest.raises(mcpcore.CatalogError):
        Server("a", "1", catalog=CATALOG)


# Decision 57: what a handler raises.
@pytest.mark.parametrize("is_async", [False, True])
async def test_errors(is_async: bool, logged: pytest.LogCaptureFixture) -> None:
    def answer(call: Call) -> Any:
        match call.name:
            case "echo":
                raise ToolError("told to the model")
            case "greet":
                raise Rejection(40, "refused", {"why": 1})
            case "mem://a":
                raise KeyError("the secret key")
            case _:
                raise RuntimeError("the secret reason")

    async def aanswer(call: Call) -> Any:
        return answer(call)

    server = Server("pair", "1", catalog=CATALOG, dispatch=aanswer if is_async else answer)
    async with server.client() as client:
        told = await client.call_tool("echo", {"text": "a"})
        assert told.is_error and told.text == "told to the model"
        masked = await client.call_tool("raw", {})
        assert masked.is_error and "secret" not in masked.text and "log id " in masked.text
        with pytest.raises(Rejection) as refused:
            await client.get_prompt("greet", {"who": "x"})
        assert (refused.value.code, refused.value.message, refused.value.data) == (40, "refused", {"why": 1})
        with pytest.raises(Rejection) as hidden:
            await client.read_resource("mem://a")
        assert hidden.value.code == -32603 and "secret" not in hidden.value.message
    identifier = masked.text.split("log id ")[1].split(")")[0]
    lines = [record.getMessage() for record in logged.records if identifier in record.getMessage()]
    assert len(lines) == 1 and "RuntimeError: the secret reason" in lines[0] and "Traceback" in lines[0]


NONSENSE = [None, object(), 5, {"content": "no list"}, {"content": [{"type": "what"}]}, float("nan"), {1: object()}]


@pytest.mark.parametrize("value", NONSENSE, ids=repr)
@pytest.mark.parametrize("is_async", [False, True])
async def test_a_dispatch_that_returns_nonsense(value: Any, is_async: bool, logged: pytest.LogCaptureFixture) -> None:
    async def answer(call: Call) -> Any:
        return value

    server = Server("pair", "1", catalog=CATALOG, dispatch=answer if is_async else lambda call: value)
    async with server.client() as client:
        if value is None:
            assert (await client.call_tool("raw", {})).content == []
            return
        try:
            assert (await client.call_tool("raw", {})).is_error
        except Rejection as error:
            assert error.code == -32603
        assert logged.records, "the author is told"
