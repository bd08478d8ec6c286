"""The official Python client against a host. Runs in the environment that run.py makes: client.py COMMAND… or client.py URL."""

import sys

import anyio
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.subscriptions import ResourceUpdated, ToolsListChanged
from mcp_types import ElicitResult, PromptReference, ResourceTemplateReference
from script import Tally, forms, plain_calls, plain_reads, progress_and_leaving, text

tally = Tally(f"python 2026-07-28 of {sys.argv[1]}")
check = tally.check
logged: list[str] = []
asked: list[str] = []
answer = ElicitResult(action="accept", content={"name": "Ann"})


async def elicit(_context, params) -> ElicitResult:
    asked.append(params.message)
    return answer


async def log(params) -> None:
    logged.append(str(params.data))


async def discover(client: Client) -> None:
    check("version", client.protocol_version == "2026-07-28", client.protocol_version)
    info = client.server_info
    check("identity", info is not None and (info.name, info.version) == ("everything", "1.0.0"), info)
    able = client.server_capabilities
    check("tools", able.tools is not None and able.tools.list_changed is True, able)
    check("resources", able.resources is not None and able.resources.subscribe is True, able)
    check("others", None not in (able.prompts, able.completions, able.logging), able)


async def walk(page_of, items_of) -> tuple[list[str], int]:
    """Names of a list, page by page."""
    names: list[str] = []
    cursor, pages = None, 0
    while True:
        page = await page_of(cursor=cursor)
        names += items_of(page)
        pages += 1
        cursor = page.next_cursor
        if cursor is None:
            return names, pages


# PAGE-01
async def lists(client: Client) -> None:
    tools, pages = await walk(client.list_tools, lambda page: [tool.name for tool in page.tools])
    check("tools in pages", pages > 1 and len(set(tools)) == len(tools), (pages, tools))
    check("tools in order", tools == sorted(tools) and {"add", "echo", "unicode"} <= set(tools), tools)
    uris, _ = await walk(client.list_resources, lambda page: [str(item.uri) for item in page.resources])
    check("resources", "mem://a" in uris and uris == sorted(uris), uris)
    templates, _ = await walk(
        client.list_resource_templates, lambda page: [item.uri_template for item in page.resource_templates]
    )
    check("templates", "x://item/{id}" in templates, templates)
    prompts, _ = await walk(client.list_prompts, lambda page: [item.name for item in page.prompts])
    check("prompts", prompts == ["ask_style", "greet", "rich", "sour"], prompts)


async def calls(client: Client) -> None:
    await plain_calls(tally, client)
    out = await client.call_tool("out", {"mode": "ok"})
    check("structured", out.structured_content == {"n": 1}, out)
    big = await client.call_tool("big", {"id": 9007199254740993})
    check("big number", big.structured_content == 9007199254740993, big)
    rich = await client.call_tool("say", {"mode": "image"})
    check("image", rich.content[0].type == "image", rich)
    try:
        check("unknown tool", False, await client.call_tool("nope", {}))
    except MCPError as error:
        check("unknown tool", error.error.code == -32602, error.error)


async def reads(client: Client) -> None:
    await plain_reads(tally, client, (-32602, MCPError))


async def prompts(client: Client) -> None:
    got = await client.get_prompt("greet", {"name": "Ann"})
    check("prompt", got.messages[0].content.text == "Hello, Ann!", got)
    rich = await client.get_prompt("rich")
    check("rich prompt", [m.content.type for m in rich.messages][1:3] == ["image", "audio"], rich)
    done = await client.complete(PromptReference(name="greet"), {"name": "name", "value": "n"})
    values = done.completion
    check("complete", (len(values.values), values.total, values.has_more) == (100, 250, True), values)
    done = await client.complete(PromptReference(name="greet"), {"name": "style", "value": ""}, {"name": "Ann"})
    check("complete with context", done.completion.values == ["for Ann"], done)
    done = await client.complete(ResourceTemplateReference(uri="x://item/{id}"), {"name": "id", "value": ""})
    check("complete a template", done.completion.values == ["1", "2", "3"], done)


async def progress_and_cancel(client: Client) -> None:
    await progress_and_leaving(tally, client)


def reply(action: str, content: dict | None = None) -> None:
    global answer
    answer = ElicitResult(action=action, content=content)


async def questions(client: Client) -> None:
    await forms(tally, client, reply, lambda: asked)
    try:
        check("undeclared", False, await client.call_tool("ask_roots", {}))
    except MCPError as error:
        check("undeclared", error.error.code == -32021, error.error)


async def subscriptions(client: Client) -> None:
    async with client.listen(tools_list_changed=True, resource_subscriptions=["mem://a"]) as first:
        check("honoured", first.honored.tools_list_changed is True, first.honored)
        await client.call_tool("touch", {"uri": "mem://b"})
        await client.call_tool("touch", {"uri": "mem://a"})
        with anyio.fail_after(10):
            check("updated", await anext(first) == ResourceUpdated(uri="mem://a"))
        await client.call_tool("toggle", {"what": "tool"})
        with anyio.fail_after(10):
            check("tools changed", isinstance(await anext(first), ToolsListChanged))
        names, _ = await walk(client.list_tools, lambda page: [tool.name for tool in page.tools])
        check("the new tool", "extra" in names, names)
        await client.call_tool("toggle", {"what": "tool"})
    check("after the stream", text(await client.call_tool("none", {})) == "none")


async def logs(server: StdioServerParameters | str) -> None:
    async with Client(server, log_level="error", logging_callback=log) as client:
        await client.call_tool("log", {})
        check("log lines", logged == [f"a {level} line" for level in ("error", "critical", "alert", "emergency")], logged)


async def main() -> int:
    url = sys.argv[1].startswith("http")
    server = sys.argv[1] if url else StdioServerParameters(command=sys.argv[1], args=sys.argv[2:])
    async with Client(server, elicitation_callback=elicit, cache=None) as client:
        parts = (discover, lists, calls, reads, prompts, progress_and_cancel, questions, subscriptions)
        await tally.run(parts, client)
    await logs(server)
    return tally.end(f"python over {'HTTP' if url else 'stdio'}")


if __name__ == "__main__":
    sys.exit(anyio.run(main))
