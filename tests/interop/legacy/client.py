"""The official Python client of the revisions before 2026-07-28 against a host, in each of them. Runs in the environment
that run.py makes: client.py COMMAND…, or client.py URL URL, the second for the transport with two endpoints."""

import sys
from contextlib import asynccontextmanager

import anyio
import httpx
import mcp.client.session as session_module
from mcp import ClientSession, McpError, StdioServerParameters, types
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from script import Tally, forms, plain_calls, plain_reads, progress_and_leaving, text

VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
tally = Tally()
check = tally.check
version = ""
logged: list[tuple[str, str]] = []
asked: list[types.ElicitRequestParams] = []
noted: list[types.ServerNotification] = []
resumed: list[str] = []
over = "stdio"
answer = types.ElicitResult(action="accept", content={"name": "Ann"})
roots = [types.Root(uri="file:///home/a", name="a")]


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
    await plain_calls(tally, client)
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
    await plain_reads(tally, client, (-32002, McpError))


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
    async def leave() -> None:
        # This client does not say that it left, so the test does.
        params = types.CancelledNotificationParams(requestId=client._request_id - 1)
        await client.send_notification(types.ClientNotification(types.CancelledNotification(params=params)))

    await progress_and_leaving(tally, client, leave)


def reply(action: str, content: dict | None = None) -> None:
    global answer
    answer = types.ElicitResult(action=action, content=content)


async def refused(client: ClientSession, name: str, tool: str) -> None:
    try:
        check(name, False, await client.call_tool(tool, {}))
    except McpError as error:
        check(name, error.error.code == -32021, error.error)


async def questions(client: ClientSession) -> None:
    check("the model", text(await client.call_tool("ask_model", {})).endswith("France?: Paris"))
    check("the roots", text(await client.call_tool("ask_roots", {})) == "the first root is file:///home/a")
    roots.clear()
    await client.send_roots_list_changed()
    check("other roots", text(await client.call_tool("ask_roots", {})) == "no roots")
    if not since("2025-06-18"):
        await refused(client, "no forms", "ask")
        await refused(client, "no tools", "ask_model_tools")
        return
    await forms(tally, client, reply, lambda: [one.message for one in asked])
    check("all at once", text(await client.call_tool("ask_all", {})) == "answered")
    reply("accept")
    if since("2025-11-25"):
        check("a page", text(await client.call_tool("ask_url", {})) == "accepted")
        check("its id", isinstance(asked[-1], types.ElicitRequestURLParams) and asked[-1].elicitationId, asked[-1])
    else:
        await refused(client, "no page", "ask_url")
    reply("accept", {"name": 5})
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


# LEG-23
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
            await tally.run(parts, client)


def begin() -> None:
    """What the client answers when a session begins, and how it is told of."""
    tally.where, tally.who = f"{version} over {over}, ", f"python {version} over {over}"
    reply("accept", {"name": "Ann"})
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
    # LEG-70, LEG-73: 2024-11-05, the last of them, over its own transport too
    if url:
        over = "two endpoints"
        await talk(words)
    return tally.end(f"python of sessions over {'HTTP' if url else 'stdio'}")


if __name__ == "__main__":
    sys.exit(anyio.run(main))
