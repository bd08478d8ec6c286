"""The official Python client of the revisions before 2026-07-28 against a host, in each of them. Runs in the environment
that run.py makes: client.py COMMAND…, or client.py URL URL, the second for the transport with two endpoints."""

import json
import os
import sys
import time
from contextlib import asynccontextmanager

import anyio
import httpx
import mcp.client.session as session_module
from mcp import ClientSession, McpError, StdioServerParameters, types
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
passed = 0
failed = 0
version = ""
logged: list[tuple[str, str]] = []
asked: list[types.ElicitRequestParams] = []
noted: list[types.ServerNotification] = []
resumed: list[str] = []
over = "stdio"
answer = types.ElicitResult(action="accept", content={"name": "Ann"})
roots = [types.Root(uri="file:///home/a", name="a")]


def check(name: str, holds: bool, seen: object = None) -> None:
    """Counts one expectation."""
    global passed, failed
    if holds:
        passed += 1
    else:
        failed += 1
        print(f"FAIL {version} over {over}, {name}: {seen!r}")


def keep(name: str, result) -> None:
    """Keeps a result, for run.py to compare with those of other clients."""
    with open(os.environ["MCPCORE_ANSWERS"], "a") as file:
        kept = result.model_dump(mode="json", by_alias=True, exclude_unset=True)
        file.write(json.dumps([name, f"python {version} over {over}", kept]) + "\n")


def since(first: str) -> bool:
    return version >= first


async def elicit(_context, params) -> types.ElicitResult:
    asked.append(params)
    return answer


async def sample(_context, params) -> types.CreateMessageResult | types.ErrorData:
    text = params.messages[0].content.text
    if text == "refuse":
        return types.ErrorData(code=-1, message="User rejected sampling request")
    content = types.TextContent(type="text", text=f"{text}: Paris")
    return types.CreateMessageResult(role="assistant", content=content, model="m")


async def list_roots(_context) -> types.ListRootsResult:
    return types.ListRootsResult(roots=roots)


async def log(params) -> None:
    logged.append((params.level, str(params.data)))


async def note(message) -> None:
    if isinstance(message, types.ServerNotification):
        noted.append(message.root)


async def heard(kind: type) -> object:
    """Waits for a notification of the kind."""
    with anyio.fail_after(10):
        while True:
            found = next((one for one in noted if isinstance(one, kind)), None)
            if found is not None:
                noted.remove(found)
                return found
            await anyio.sleep(0.01)


def text(result) -> str:
    """The one text block of a tool result."""
    return result.content[0].text if len(result.content) == 1 and result.content[0].type == "text" else ""


async def opening(client: ClientSession, opened: types.InitializeResult) -> None:
    check("version", opened.protocolVersion == version, opened.protocolVersion)
    check("identity", (opened.serverInfo.name, opened.serverInfo.version) == ("everything", "1.0.0"), opened)
    able = opened.capabilities
    check("tools", able.tools is not None and able.tools.listChanged is True, able)
    check("resources", able.resources is not None and able.resources.subscribe is True, able)
    check("completions", (able.completions is not None) == since("2025-03-26"), able)
    check("others", None not in (able.prompts, able.logging) and able.tasks is None, able)
    check("ping", await client.send_ping() == types.EmptyResult())


async def walk(page_of, items_of) -> tuple[list, int]:
    """Items of a list, page by page."""
    items: list = []
    cursor, pages = None, 0
    while True:
        page = await page_of(params=types.PaginatedRequestParams(cursor=cursor) if cursor else None)
        items += items_of(page)
        pages += 1
        cursor = page.nextCursor
        if cursor is None:
            return items, pages


# PAGE-01
async def lists(client: ClientSession) -> None:
    tools, pages = await walk(client.list_tools, lambda page: page.tools)
    names = [tool.name for tool in tools]
    check("tools in pages", pages > 1 and names == sorted(set(names)), (pages, names))
    hints = next(tool for tool in tools if tool.name == "hints")
    check("title", (hints.title is not None) == since("2025-06-18"), hints)
    check("annotations", (hints.annotations is not None) == since("2025-03-26"), hints)
    check("icons", (hints.icons is not None) == since("2025-11-25"), hints)
    check("meta", (hints.meta is not None) == since("2025-06-18"), hints)
    out, out_list = (next(tool for tool in tools if tool.name == name) for name in ("out", "out_list"))
    check("output schema", (out.outputSchema is not None) == since("2025-06-18"), out)
    check("output that is no object", out_list.outputSchema is None, out_list)
    resources, _ = await walk(client.list_resources, lambda page: page.resources)
    check("resources", "mem://a" in [str(one.uri) for one in resources], resources)
    templates, _ = await walk(client.list_resource_templates, lambda page: page.resourceTemplates)
    check("templates", "x://item/{id}" in [one.uriTemplate for one in templates], templates)
    prompts, _ = await walk(client.list_prompts, lambda page: page.prompts)
    check("prompts", [one.name for one in prompts] == ["ask_style", "greet", "rich", "sour"], prompts)


async def calls(client: ClientSession) -> None:
    check("echo", text(await client.call_tool("echo", {"text": "é🦀\n"})) == "é🦀\n")
    check("add", text(await client.call_tool("add", {"a": 2, "b": 3})) == "5")
    check("none", text(await client.call_tool("none")) == "none")
    wrong = await client.call_tool("add", {"a": "x", "b": 1})
    check("invalid arguments", wrong.isError is True and "/a" in text(wrong), wrong)
    boom = await client.call_tool("boom", {})
    check("failure", boom.isError is True and text(boom) == "boom", boom)
    out = await client.call_tool("out", {"mode": "ok"})
    check("structured", out.structuredContent == ({"n": 1} if since("2025-06-18") else None), out)
    check("structured as text", text(out) == '{"n":1}', out)
    listed = await client.call_tool("out_list", {"mode": "ok"})
    check("a list as text", listed.structuredContent is None and text(listed) == "[1,2]", listed)
    kinds = {mode: (await client.call_tool("say", {"mode": mode})).content[0].type for mode in ("image", "audio", "link")}
    audio = "audio" if since("2025-03-26") else "text"
    link = "resource_link" if since("2025-06-18") else "text"
    check("kinds of content", kinds == {"image": "image", "audio": audio, "link": link}, kinds)
    try:
        check("unknown tool", False, await client.call_tool("nope", {}))
    except McpError as error:
        check("unknown tool", error.error.code == -32602, error.error)


async def reads(client: ClientSession) -> None:
    (content,) = (await client.read_resource("mem://a")).contents
    check("read", isinstance(content, types.TextResourceContents) and content.text == "A", content)
    (content,) = (await client.read_resource("mem://bin")).contents
    check("read bytes", isinstance(content, types.BlobResourceContents) and content.blob == "+//+", content)
    (content,) = (await client.read_resource("x://item/7")).contents
    check("read template", content.text == "id=7", content)
    try:
        check("not found", False, await client.read_resource("mem://none"))
    except McpError as error:
        check("not found", (error.error.code, error.error.data) == (-32002, {"uri": "mem://none"}), error.error)


async def prompts(client: ClientSession) -> None:
    got = await client.get_prompt("greet", {"name": "Ann"})
    check("prompt", got.messages[0].content.text == "Hello, Ann!", got)
    done = await client.complete(types.PromptReference(type="ref/prompt", name="greet"), {"name": "name", "value": "n"})
    values = done.completion
    check("complete", (len(values.values), values.total, values.hasMore) == (100, 250, True), values)
    template = types.ResourceTemplateReference(type="ref/resource", uri="x://item/{id}")
    done = await client.complete(template, {"name": "id", "value": ""})
    check("complete a template", done.completion.values == ["1", "2", "3"], done)


async def progress_and_cancel(client: ClientSession) -> None:
    seen: list[tuple[float, float | None]] = []

    async def report(progress: float, total: float | None, _message: str | None) -> None:
        seen.append((progress, total))

    result = await client.call_tool("sleep", {"ms": 220}, progress_callback=report)
    check("slept", text(result) == "slept 220 ms", result)
    check("progress", len(seen) >= 3 and seen == sorted(seen) and seen[0] == (50, 220), seen)
    start = time.monotonic()
    with anyio.move_on_after(0.3) as scope:
        await client.call_tool("sleep", {"ms": 60000})
    check("left", scope.cancelled_caught)
    # This client does not say that it left, so the test does.
    params = types.CancelledNotificationParams(requestId=client._request_id - 1)
    await client.send_notification(types.ClientNotification(types.CancelledNotification(params=params)))
    check("after a cancel", text(await client.call_tool("none", {})) == "none")
    check("in time", time.monotonic() - start < 10)


async def refused(client: ClientSession, name: str, tool: str) -> None:
    try:
        check(name, False, await client.call_tool(tool, {}))
    except McpError as error:
        check(name, error.error.code == -32021, error.error)


async def questions(client: ClientSession) -> None:
    global answer
    check("the model", text(await client.call_tool("ask_model", {})).endswith("France?: Paris"))
    check("the roots", text(await client.call_tool("ask_roots", {})) == "the first root is file:///home/a")
    roots.clear()
    await client.send_roots_list_changed()
    check("other roots", text(await client.call_tool("ask_roots", {})) == "no roots")
    if not since("2025-06-18"):
        await refused(client, "no forms", "ask")
        await refused(client, "no tools", "ask_model_tools")
        return
    accepted = await client.call_tool("ask", {})
    keep("accepted", accepted)
    check("accept", text(accepted) == "accepted: Ann")
    check("asked", [one.message for one in asked] == ["What is your name?"], asked)
    answer = types.ElicitResult(action="decline")
    declined = await client.call_tool("ask", {})
    keep("declined", declined)
    check("decline", text(declined) == "declined")
    answer = types.ElicitResult(action="cancel")
    check("cancel", text(await client.call_tool("ask", {})) == "cancelled")
    answer = types.ElicitResult(action="accept", content={"name": "Ann", "colour": "red", "style": "a haiku"})
    twice = await client.call_tool("ask_twice", {"note": "n"})
    keep("two rounds", twice)
    check("two rounds", text(twice) == "Ann likes red", twice)
    got = await client.get_prompt("ask_style", {"topic": "t"})
    keep("a prompt", got)
    check("a prompt asks", got.messages[0].content.text == "In the style of a haiku.", got)
    shown = await client.read_resource("mem://ask")
    keep("a resource", shown)
    (content,) = shown.contents
    check("a resource asks", content.text == "shown", content)
    check("all at once", text(await client.call_tool("ask_all", {})) == "answered")
    answer = types.ElicitResult(action="accept")
    if since("2025-11-25"):
        check("a page", text(await client.call_tool("ask_url", {})) == "accepted")
        check("its id", isinstance(asked[-1], types.ElicitRequestURLParams) and asked[-1].elicitationId, asked[-1])
    else:
        await refused(client, "no page", "ask_url")
    answer = types.ElicitResult(action="accept", content={"name": 5})
    try:
        check("a wrong answer", False, await client.call_tool("ask", {}))
    except McpError as error:
        check("a wrong answer", error.error.code == -32602, error.error)


async def changes(client: ClientSession) -> None:
    noted.clear()
    await client.subscribe_resource("mem://a")
    await client.call_tool("touch", {"uri": "mem://b"})
    await client.call_tool("touch", {"uri": "mem://a"})
    update = await heard(types.ResourceUpdatedNotification)
    check("updated", str(update.params.uri) == "mem://a", update)
    await client.unsubscribe_resource("mem://a")
    await client.call_tool("touch", {"uri": "mem://a"})
    for what, kind in (
        ("tool", types.ToolListChangedNotification),
        ("prompt", types.PromptListChangedNotification),
        ("resource", types.ResourceListChangedNotification),
    ):
        await client.call_tool("toggle", {"what": what})
        check(f"{what}s changed", await heard(kind) is not None)
        await client.call_tool("toggle", {"what": what})
        await heard(kind)
    check("no other update", not any(isinstance(one, types.ResourceUpdatedNotification) for one in noted), noted)


async def logs(client: ClientSession) -> None:
    for level, lines in (("error", 4), ("debug", 8)):
        logged.clear()
        await client.set_logging_level(level)
        await client.call_tool("log", {})
        check(f"log lines from {level}", len(logged) == lines and logged[0] == (level, f"a {level} line"), logged)


async def coming_back(client: ClientSession) -> None:
    await client.set_logging_level("info")
    logged.clear()
    resumed.clear()
    check("the answer", text(await client.call_tool("come_back", {})) == "back")
    check("what was said", [data for _, data in logged] == ["leaving", "meanwhile"], logged)
    check("on another stream", len(resumed) == (1 if over == "HTTP" and since("2025-11-25") else 0), resumed)


async def watch(request: httpx.Request) -> None:
    if "last-event-id" in request.headers:
        resumed.append(request.headers["last-event-id"])


@asynccontextmanager
async def connection(words: list[str]):
    """Streams to a command's pipes, or to one of the URLs."""
    if over == "stdio":
        server = StdioServerParameters(command=words[0], args=[*words[1:], "--catalog", "fx", "--page", "7"])
        async with stdio_client(server) as streams:
            yield streams
    elif over == "HTTP":
        # No time-out: the stream for what nobody asked about may be silent.
        async with httpx.AsyncClient(timeout=None, event_hooks={"request": [watch]}) as http:
            async with streamable_http_client(words[0], http_client=http) as (read, write, _):
                yield read, write
    else:
        async with sse_client(words[1]) as streams:
            yield streams


async def talk(words: list[str]) -> None:
    begin()
    async with connection(words) as (read, write):
        callbacks = {"elicitation_callback": elicit, "sampling_callback": sample, "list_roots_callback": list_roots}
        async with ClientSession(read, write, logging_callback=log, message_handler=note, **callbacks) as client:
            opened = await client.initialize()
            await opening(client, opened)
            parts = (lists, calls, reads, prompts, progress_and_cancel, questions, changes, logs, coming_back)
            for part in parts:
                try:
                    await part(client)
                except Exception as error:  # one part must not hide the others
                    check(part.__name__, False, error)


def begin() -> None:
    """What the client answers when a session begins."""
    global answer
    answer = types.ElicitResult(action="accept", content={"name": "Ann"})
    roots[:] = [types.Root(uri="file:///home/a", name="a")]
    asked.clear()


async def main() -> int:
    global version, over
    words = sys.argv[1:]
    url = words[0].startswith("http")
    over = "HTTP" if url else "stdio"
    for version in VERSIONS:
        session_module.types.LATEST_PROTOCOL_VERSION = version
        await talk(words)
    if url:
        over = "two endpoints"
        await talk(words)
    print(f"python of sessions over {'HTTP' if url else 'stdio'}: {passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(anyio.run(main))
