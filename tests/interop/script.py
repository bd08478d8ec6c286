"""What the Python clients of all revisions share: they count, keep what they were answered, and ask the same of a host."""

import json
import os
import time

import anyio


class Tally:
    """Counts expectations. `where` is said of a failure, `who` of an answer that is kept."""

    def __init__(self, who: str = "") -> None:
        self.passed = self.failed = 0
        self.where, self.who = "", who

    def check(self, name: str, holds: bool, seen: object = None) -> None:
        if holds:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAIL {self.where}{name}: {seen!r}")

    def keep(self, name: str, result) -> None:
        """Keeps a result, for run.py to compare with those of other clients."""
        with open(os.environ["MCPCORE_ANSWERS"], "a") as file:
            kept = result.model_dump(mode="json", by_alias=True, exclude_unset=True)
            file.write(json.dumps([name, self.who, kept]) + "\n")

    async def run(self, parts, client) -> None:
        """Runs parts of a script; one must not hide the others."""
        for part in parts:
            try:
                await part(client)
            except Exception as error:
                self.check(part.__name__, False, error)

    def end(self, what: str) -> int:
        print(f"{what}: {self.passed} passed, {self.failed} failed")
        return 1 if self.failed else 0


def text(result) -> str:
    """The one text block of a tool result."""
    return result.content[0].text if len(result.content) == 1 and result.content[0].type == "text" else ""


async def plain_calls(tally: Tally, client) -> None:
    tally.check("echo", text(await client.call_tool("echo", {"text": "é🦀\n"})) == "é🦀\n")
    tally.check("add", text(await client.call_tool("add", {"a": 2, "b": 3})) == "5")
    tally.check("none", text(await client.call_tool("none")) == "none")
    wrong = (await client.call_tool("add", {"a": "x", "b": 1})).model_dump(by_alias=True)
    tally.check("invalid arguments", wrong["isError"] is True and "/a" in wrong["content"][0]["text"], wrong)
    boom = (await client.call_tool("boom", {})).model_dump(by_alias=True)
    tally.check("failure", boom["isError"] is True and boom["content"][0]["text"] == "boom", boom)


async def plain_reads(tally: Tally, client, expected) -> None:
    """Reads; `expected` is the code of what is not there, and the exception that tells it."""
    for name, uri, member, value in (
        ("read", "mem://a", "text", "A"),
        ("read bytes", "mem://bin", "blob", "+//+"),
        ("read template", "x://item/7", "text", "id=7"),
    ):
        (content,) = (await client.read_resource(uri)).contents
        tally.check(name, getattr(content, member, None) == value, content)
    code, kind = expected
    try:
        tally.check("not found", False, await client.read_resource("mem://none"))
    except kind as error:
        seen = (error.error.code, error.error.data)
        tally.check("not found", seen == (code, {"uri": "mem://none"}), error.error)


async def progress_and_leaving(tally: Tally, client, leave=None) -> None:
    """A call that reports, and one that is left; `leave` tells the host so where the client does not."""
    seen: list[tuple[float, float | None]] = []

    async def report(progress: float, total: float | None, _message: str | None) -> None:
        seen.append((progress, total))

    result = await client.call_tool("sleep", {"ms": 220}, progress_callback=report)
    tally.check("slept", text(result) == "slept 220 ms", result)
    tally.check("progress", len(seen) >= 3 and seen == sorted(seen) and seen[0] == (50, 220), seen)
    start = time.monotonic()
    with anyio.move_on_after(0.3) as scope:
        await client.call_tool("sleep", {"ms": 60000})
    tally.check("left", scope.cancelled_caught)
    if leave is not None:
        await leave()
    tally.check("after a cancel", text(await client.call_tool("none", {})) == "none")
    tally.check("in time", time.monotonic() - start < 10)


async def forms(tally: Tally, client, answer, asked) -> None:
    """Questions by form. `answer` says what the client answers from now on, `asked` which messages it was shown."""
    answer("accept", {"name": "Ann"})
    accepted = await client.call_tool("ask", {})
    tally.keep("accepted", accepted)
    tally.check("accept", text(accepted) == "accepted: Ann")
    tally.check("asked", asked() == ["What is your name?"], asked())
    answer("decline")
    declined = await client.call_tool("ask", {})
    tally.keep("declined", declined)
    tally.check("decline", text(declined) == "declined")
    answer("cancel")
    tally.check("cancel", text(await client.call_tool("ask", {})) == "cancelled")
    answer("accept", {"name": "Ann", "colour": "red", "style": "a haiku"})
    twice = await client.call_tool("ask_twice", {"note": "n"})
    tally.keep("two rounds", twice)
    tally.check("two rounds", text(twice) == "Ann likes red", twice)
    got = await client.get_prompt("ask_style", {"topic": "t"})
    tally.keep("a prompt", got)
    tally.check("a prompt asks", got.messages[0].content.text == "In the style of a haiku.", got)
    shown = await client.read_resource("mem://ask")
    tally.keep("a resource", shown)
    (content,) = shown.contents
    tally.check("a resource asks", content.text == "shown", content)
