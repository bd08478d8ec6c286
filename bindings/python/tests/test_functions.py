"""Tools, resources, prompts and completions made of functions."""

from __future__ import annotations

import asyncio
import dataclasses
import datetime
import enum
import functools
from typing import Annotated, Any, Literal, Optional

import pytest
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

import mcpcore
from mcpcore import (
    Audio,
    Call,
    EmbeddedResource,
    Header,
    Image,
    Message,
    NotFoundError,
    Rejection,
    ResourceLink,
    Server,
    Text,
    ToolResult,
)


class Unit(enum.Enum):
    CELSIUS = "celsius"
    FAHRENHEIT = "fahrenheit"


class Place(BaseModel):
    name: str
    latitude: float = Field(ge=-90, le=90, default=0.0)


@dataclasses.dataclass
class Weather:
    place: str
    degrees: float
    at: datetime.date


class Wind(TypedDict):
    speed: float
    from_: str


async def tool_of(function: Any, **options: Any) -> dict[str, Any]:
    """The definition that is listed for a function."""
    server = Server("f", "1")
    server.add_tool(function, **options)
    async with server.client() as client:
        (found,) = await client.list_tools()
        return found


async def test_a_schema_says_what_the_signature_says() -> None:
    def forecast(
        place: Place,
        days: Annotated[int, Field(ge=1, le=14, description="How many days.")] = 3,
        unit: Unit = Unit.CELSIUS,
        detail: Literal["low", "high"] = "low",
        tags: Optional[list[str]] = None,
        region: Annotated[str, Header("Region")] = "eu",
    ) -> str:
        """Forecast of a place.

        More about it.

        Args:
            place: Where.
            tags: Any words,
                on two lines.
        """
        return ""

    tool = await tool_of(forecast, title="T", annotations={"readOnlyHint": True}, meta={"a": 1})
    assert tool["description"] == "Forecast of a place.\n\nMore about it."
    assert (tool["title"], tool["annotations"], tool["_meta"]) == ("T", {"readOnlyHint": True}, {"a": 1})
    schema = tool["inputSchema"]
    properties = schema["properties"]
    assert schema["required"] == ["place"] and schema["additionalProperties"] is False
    assert properties["days"] == {
        "type": "integer",
        "minimum": 1,
        "maximum": 14,
        "default": 3,
        "description": "How many days.",
    }
    assert properties["detail"]["enum"] == ["low", "high"]
    assert properties["tags"]["description"] == "Any words, on two lines."
    assert properties["place"]["description"] == "Where."
    assert properties["region"]["x-mcp-header"] == "Region"
    assert schema["$defs"]["Unit"]["enum"] == ["celsius", "fahrenheit"]
    assert schema["$defs"]["Place"]["properties"]["latitude"]["maximum"] == 90
    assert "outputSchema" not in tool


async def test_arguments_arrive_as_what_the_hints_say() -> None:
    seen: dict[str, Any] = {}
    server = Server("f", "1")

    @server.tool()
    def take(
        text: str,
        whole: int,
        real: float,
        flag: bool = False,
        place: Optional[Place] = None,
        unit: Unit = Unit.CELSIUS,
        day: Optional[datetime.date] = None,
        *,
        call: Call,
    ) -> None:
        seen.update(text=text, whole=whole, real=real, flag=flag, place=place, unit=unit, day=day, call=call.name)

    @server.tool
    async def simple(whole: int, real: float, texts: list[str], maybe: str | None = None) -> None:
        seen.update(whole=whole, real=real, texts=texts, maybe=maybe)

    async with server.client() as client:
        arguments = {"text": "5", "whole": 5.0, "real": 2, "place": {"name": "x"}, "unit": "fahrenheit"}
        result = await client.call_tool("take", {**arguments, "day": "2026-07-28"})
        assert not result.is_error, result
        assert seen == {
            "text": "5",
            "whole": 5,
            "real": 2.0,
            "flag": False,
            "place": Place(name="x"),
            "unit": Unit.FAHRENHEIT,
            "day": datetime.date(2026, 7, 28),
            "call": "take",
        }
        assert (type(seen["whole"]), type(seen["real"])) == (int, float)
        seen.clear()
        assert not (await client.call_tool("simple", {"whole": 1e1, "real": 1, "texts": ["a"]})).is_error
        assert seen == {"whole": 10, "real": 1.0, "texts": ["a"], "maybe": None}
        assert (type(seen["whole"]), type(seen["real"])) == (int, float)


# R068, R069, R070: what is wrong is told to the model with its path, and nothing is turned into something else.
async def test_wrong_arguments_never_reach_the_function() -> None:
    server = Server("f", "1")

    @server.tool()
    def add(a: int, b: int, when: Optional[datetime.date] = None) -> int:
        return a + b

    async with server.client() as client:
        for arguments, shown in [
            ({"a": "x", "b": 1}, "/a"),
            ({"a": "5", "b": 1}, "/a"),
            ({"a": 1}, "b"),
            ({"a": 1, "b": 2, "c": 3}, "c"),
            ({"a": 1, "b": 2, "when": "yesterday"}, "/when"),
        ]:
            result = await client.call_tool("add", arguments)
            assert result.is_error and shown in result.text, result
        assert (await client.call_tool("add", {"a": 1, "b": 2})).structured == 3


PNG = b"\x89PNG\r\n"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("text", {"content": [{"type": "text", "text": "text"}]}),
        (None, {"content": []}),
        (5, {"structuredContent": 5, "content": [{"type": "text", "text": "5"}]}),
        (False, {"structuredContent": False, "content": [{"type": "text", "text": "false"}]}),
        ([], {"structuredContent": [], "content": [{"type": "text", "text": "[]"}]}),
        ({"a": [1]}, {"structuredContent": {"a": [1]}, "content": [{"type": "text", "text": '{"a":[1]}'}]}),
        (Place(name="x"), {"structuredContent": {"name": "x", "latitude": 0.0}}),
        (
            Weather("Oslo", -3.5, datetime.date(2026, 1, 2)),
            {"structuredContent": {"place": "Oslo", "degrees": -3.5, "at": "2026-01-02"}},
        ),
        (Image(PNG), {"content": [{"type": "image", "data": "iVBORw0K", "mimeType": "image/png"}]}),
        (Audio(PNG, "audio/ogg"), {"content": [{"type": "audio", "data": "iVBORw0K", "mimeType": "audio/ogg"}]}),
        (ResourceLink("a://b", "n"), {"content": [{"type": "resource_link", "uri": "a://b", "name": "n"}]}),
        (
            ["look:", Image(PNG), EmbeddedResource("a://b", "t", "text/plain")],
            {
                "content": [
                    {"type": "text", "text": "look:"},
                    {"type": "image", "data": "iVBORw0K", "mimeType": "image/png"},
                    {"type": "resource", "resource": {"uri": "a://b", "mimeType": "text/plain", "text": "t"}},
                ]
            },
        ),
        (
            b"\xfb\xff\xfe",
            {
                "content": [
                    {
                        "type": "resource",
                        "resource": {
                            "uri": "tool://result/give",
                            "mimeType": "application/octet-stream",
                            "blob": "+//+",
                        },
                    }
                ]
            },
        ),
        (
            ToolResult("t", structured=None, meta={"x": 1}),
            {"content": [{"type": "text", "text": "t"}], "structuredContent": None},
        ),
        (ToolResult(["no"], is_error=True), {"content": [{"type": "text", "text": "no"}], "isError": True}),
        (
            Text("t", annotations={"priority": 1}),
            {"content": [{"type": "text", "text": "t", "annotations": {"priority": 1}}]},
        ),
        (mcpcore.RawResult('{"structuredContent": 1.50}'), {"structuredContent": 1.5}),
    ],
    ids=lambda value: type(value).__name__,
)
async def test_what_a_tool_returns(value: Any, expected: dict[str, Any]) -> None:
    server = Server("f", "1")
    server.add_tool(lambda: value, "give", input_schema={"type": "object"})
    async with server.client() as client:
        raw = (await client.call_tool("give")).raw
        assert {key: raw[key] for key in expected} == expected
        assert raw.get("isError", False) == expected.get("isError", False)


# R082: the schema of the result comes from the return type, and what is returned is held against it.
async def test_output_schemas() -> None:
    def model() -> Place:
        return Place(name="x")

    def typed() -> Wind:
        return {"speed": 1.0, "from_": "N"}

    def many() -> list[Weather]:
        return [Weather("Oslo", 1.0, datetime.date(2026, 1, 2))]

    def number() -> int:
        return "no number"  # type: ignore[return-value]

    def image() -> Image:
        return Image(PNG)

    def union() -> Place | ToolResult:
        return ToolResult("fine")

    server = Server("f", "1")
    for function in (model, typed, many, number, image, union):
        server.add_tool(function)
    async with server.client() as client:
        schemas = {tool["name"]: tool.get("outputSchema") for tool in await client.list_tools()}
        assert schemas["model"]["properties"]["name"] == {"type": "string"}
        assert schemas["typed"]["required"] == ["speed", "from_"]
        assert schemas["many"]["type"] == "array" and schemas["number"] == {"type": "integer"}
        assert schemas["image"] is None and schemas["union"] is None
        assert (await client.call_tool("model")).structured == {"name": "x", "latitude": 0.0}
        assert (await client.call_tool("typed")).structured == {"speed": 1.0, "from_": "N"}
        assert (await client.call_tool("many")).structured == [{"place": "Oslo", "degrees": 1.0, "at": "2026-01-02"}]
        assert (await client.call_tool("image")).content[0]["type"] == "image"
        assert (await client.call_tool("union")).text == "fine"
        with pytest.raises(Rejection) as wrong:
            await client.call_tool("number")
        assert wrong.value.code == -32603


async def test_kinds_of_callables() -> None:
    class Adder:
        def __init__(self, plus: int) -> None:
            self.plus = plus

        def method(self, a: int) -> int:
            return a + self.plus

        async def amethod(self, a: int) -> int:
            return a + self.plus

        def __call__(self, a: int) -> int:
            return a + self.plus

        @staticmethod
        def static(a: int) -> int:
            return a

    def two(a: int, b: int) -> int:
        return a + b

    def awaits(a: int) -> Any:
        return Adder(1).amethod(a)

    adder = Adder(1)
    server = Server("f", "1")
    server.add_tool(adder.method)
    server.add_tool(adder.amethod)
    server.add_tool(adder, "object")
    server.add_tool(Adder.static)
    server.add_tool(functools.partial(two, b=1), "partial")
    server.add_tool(awaits, output_schema=None)
    async with server.client() as client:
        for name, expected in [
            ("method", 2),
            ("amethod", 2),
            ("object", 2),
            ("static", 1),
            ("partial", 2),
            ("awaits", 2),
        ]:
            assert (await client.call_tool(name, {"a": 1})).structured == expected, name
    with pytest.raises(ValueError, match="has no name"):
        server.add_tool(lambda: 1)
    with pytest.raises(ValueError, match="given by name"):
        server.add_tool(lambda *rest: 1, "rest")
    with pytest.raises(ValueError, match="odd: no schema for a type hint"):

        def odd(a: Adder) -> int:
            return 1

        server.add_tool(odd)
    with pytest.raises(ValueError, match="added before"):
        server.add_tool(adder.method)


async def test_resources() -> None:
    server = Server("f", "1")

    @server.resource("mem://text", mime_type="text/plain", description="A text.")
    def text() -> str:
        return "the text"

    @server.resource("mem://bytes", mime_type="image/png")
    async def data() -> bytes:
        return PNG

    @server.resource("mem://item/{id}{?limit}")
    def item(id: int, limit: int = 10) -> dict[str, int]:
        if id == 404:
            raise NotFoundError("No such item")
        return {"id": id, "limit": limit}

    @server.resource("mem://any/{+path}")
    def path(path: str, call: Call) -> EmbeddedResource:
        return EmbeddedResource(call.name, path, "text/x")

    async with server.client() as client:
        assert await client.read_resource("mem://text") == [
            {"uri": "mem://text", "mimeType": "text/plain", "text": "the text"}
        ]
        assert (await client.read_resource("mem://bytes"))[0]["blob"] == "iVBORw0K"
        assert (await client.read_resource("mem://item/7"))[0] == {
            "uri": "mem://item/7",
            "mimeType": "application/json",
            "text": '{"id":7,"limit":10}',
        }
        assert '"limit":3' in (await client.read_resource("mem://item/7?limit=3"))[0]["text"]
        assert (await client.read_resource("mem://any/a/b"))[0]["text"] == "a/b"
        for uri, told in [("mem://item/x", "id: "), ("mem://item/404", "No such item"), ("mem://none", "")]:
            with pytest.raises(Rejection) as error:
                await client.read_resource(uri)
            assert error.value.code == -32602 and told in error.value.message, uri
            if uri == "mem://item/404":
                assert error.value.data == {"uri": uri}
    with pytest.raises(ValueError, match="no variable of the uri"):
        server.add_resource(lambda missing: "", "mem://x/{y}", name="x")


async def test_prompts_and_completions() -> None:
    server = Server("f", "1")

    @server.prompt(title="Greeting")
    def greet(
        name: str, times: Annotated[int, Field(description="How often.")] = 1, tags: list[str] | None = None
    ) -> list[Message | str]:
        """Greets.

        :param name: Who is greeted.
        """
        return [f"Hello, {name}!" * times, Message("Hi.", "assistant"), *(tags or [])]

    @server.prompt
    async def plain() -> str:
        return "one message"

    @server.completion("greet", "name")
    def names(value: str, context: dict[str, str]) -> list[str]:
        return [value + str(n) for n in range(150)] + list(context)

    async with server.client() as client:
        assert (await client.discover())["capabilities"]["completions"] == {}
        listed = {prompt["name"]: prompt for prompt in await client.list_prompts()}
        assert listed["greet"]["arguments"] == [
            {"name": "name", "description": "Who is greeted.", "required": True},
            {"name": "times", "description": "How often."},
            {"name": "tags"},
        ]
        got = await client.get_prompt("greet", {"name": "Ann", "times": "2", "tags": '["x"]'})
        assert [(one["role"], one["content"]["text"]) for one in got["messages"]] == [
            ("user", "Hello, Ann!Hello, Ann!"),
            ("assistant", "Hi."),
            ("user", "x"),
        ]
        assert (await client.get_prompt("plain"))["messages"][0]["content"]["text"] == "one message"
        for arguments in ({}, {"name": "a", "times": "many"}, {"name": "a", "other": "x"}):
            with pytest.raises(Rejection) as error:
                await client.get_prompt("greet", arguments)
            assert error.value.code == -32602
        assert (await client.complete("greet", "name", "a"))[:2] == ["a0", "a1"]
        assert len(await client.complete("greet", "name", "a")) == 100


async def test_items_come_and_go_while_the_server_runs() -> None:
    server = Server("f", "1")

    @server.tool()
    def first() -> str:
        return "1"

    async with server.client() as client, client.listen(tools=True, prompts=True) as news:
        server.add_tool(lambda: "2", "second", input_schema={"type": "object"})
        assert (await anext(news))["method"] == "notifications/tools/list_changed"
        assert [tool["name"] for tool in await client.list_tools()] == ["first", "second"]
        assert (await client.call_tool("second")).text == "2"
        server.remove_tool("first")
        assert (await anext(news))["method"] == "notifications/tools/list_changed"
        with pytest.raises(Rejection) as unknown:
            await client.call_tool("first")
        assert unknown.value.code == -32602
        with pytest.raises(mcpcore.CatalogError):
            server.add_tool(lambda: "3", "third", input_schema={"type": "nonsense"})
        with pytest.raises(ValueError, match="no tool"):
            server.remove_tool("third")
        assert [tool["name"] for tool in await client.list_tools()] == ["second"]
        with pytest.raises(ValueError, match="completions=True"):
            server.completion("x", "y")(lambda value: [])


async def test_limits_of_one_tool() -> None:
    server = Server("f", "1")
    running = most = 0

    @server.tool(concurrency=2)
    async def narrow() -> str:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.01)
        running -= 1
        return "done"

    @server.tool(timeout=0.05)
    async def slow() -> str:
        await asyncio.sleep(30)
        return "never"

    async with server.client() as client:
        results = await asyncio.gather(*(client.call_tool("narrow") for _ in range(10)))
        assert most == 2 and all(one.text == "done" for one in results)
        with pytest.raises(Rejection) as late:
            await client.call_tool("slow")
        assert late.value.code == -32603 and "too long" in late.value.message
    async with server.client() as client:
        assert (await client.call_tool("narrow")).text == "done"


async def test_scopes_hide_what_a_caller_may_not_use() -> None:
    server = Server("f", "1")

    @server.tool(scopes=["pay:write"])
    def pay() -> str:
        return "paid"

    async with server.client(caller=mcpcore.Caller("bob", scopes=["read"])) as client:
        assert await client.list_tools() == []
        with pytest.raises(Rejection):
            await client.call_tool("pay")
    async with server.client(caller=mcpcore.Caller("ann", scopes=["pay:write"])) as client:
        assert (await client.call_tool("pay")).text == "paid"


def test_without_pydantic_the_decorators_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "pydantic", None)
    server = Server("f", "1")

    def add(a: int) -> int:
        return a

    with pytest.raises(ImportError, match=r"pip install 'mcpcore\[pydantic\]'"):
        server.add_tool(add)
    server.add_tool(add, input_schema={"type": "object"}, output_schema=None)
    server.add_resource(lambda: "x", "a://b", name="b")
    assert server.handle_sync('{"jsonrpc":"2.0","method":"notifications/x"}') is None
