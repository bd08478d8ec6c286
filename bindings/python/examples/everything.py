"""The fixture host of the tests, as an injected pair. tests/wire/catalog/fixture.md says what it offers and answers."""

from __future__ import annotations

import contextlib
import json
import signal
import sys
import time
from typing import Any

from everything_flags import Flags

from mcpcore import Call, Caller, EmbeddedResource, Error, RawResult, Rejection, Server, ToolError

LISTS = {"tool": "tools", "resource": "resources", "template": "resourceTemplates", "prompt": "prompts"}
LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]
# Questions that are left out where the client did not declare what they need, and rounds that keep no state.
OPTIONAL = {"tool:ask_all", "tool:test_input_required_result_capabilities"}
STATELESS = {"tool:ask", "tool:test_input_required_result_elicitation"}
NEEDS = {"elicitation/create": "elicitation", "sampling/createMessage": "sampling", "roots/list": "roots"}


class Fixture:
    """What is served, and what `toggle` has added."""

    def __init__(self, flags: Flags) -> None:
        self.flags = flags
        self.extra: set[str] = set()
        self.server: Server

    def catalog(self, _caller: object) -> Any:
        if self.flags.catalog_text is not None:
            return self.flags.catalog_text
        found: dict[str, list[Any]] = {}
        for kind, member in LISTS.items():
            if member not in self.flags.without:
                extra = [self.flags.document["extras"][kind]] if kind in self.extra else []
                found[member] = self.flags.document["catalog"][member] + extra
        return found

    def toggle(self, kind: str) -> bool:
        self.extra ^= {kind}
        self.server.catalog_changed()
        return kind in self.extra


fx = Fixture(Flags(sys.argv[1:]))


# ---- tools ----


def sleep(call: Call, arguments: dict[str, Any]) -> Any:
    ms, passed = arguments["ms"], 0
    while passed < ms:
        step = min(50, ms - passed)
        time.sleep(step / 1000)
        passed += step
        if call.cancelled:
            return "cancelled"
        if passed < ms:
            call.progress(passed, ms)
    return f"slept {ms} ms"


def progress(call: Call, arguments: dict[str, Any]) -> str:
    # The message has the number as the client wrote it, which a float would not keep.
    written = json.loads(call.raw_arguments, parse_float=str, parse_int=str)["values"]
    for value, text in zip(arguments["values"], written):
        call.progress(value, arguments.get("total"), f"at {text}")
    return "reported"


def three_reports(call: Call, _arguments: dict[str, Any]) -> str:
    for step in (0, 50, 100):
        if step:
            time.sleep(0.05)
        call.progress(step, 100)
    return "done"


def say(call: Call, level: Any, text: str) -> None:
    # Without the capability it is an error, and the tool answers all the same.
    with contextlib.suppress(Error):
        call.log(level, text, logger="fixture")


def log(call: Call, _arguments: dict[str, Any]) -> str:
    for level in LEVELS:
        say(call, level, f"a {level} line")
    return "logged"


def log_once(call: Call, _arguments: dict[str, Any]) -> str:
    say(call, "info", "a line")
    return "logged"


def log_thrice(call: Call, _arguments: dict[str, Any]) -> str:
    for number in range(3):
        if number:
            time.sleep(0.05)
        say(call, "info", "a line")
    return "logged"


def come_back(call: Call, _arguments: dict[str, Any]) -> str:
    say(call, "info", "leaving")
    call.close_stream(retry=0.1)
    time.sleep(0.1)
    say(call, "info", "meanwhile")
    time.sleep(0.1)
    return "back"


def noisy(_call: Call, _arguments: dict[str, Any]) -> str:
    print("hi", flush=True)
    return "noisy"


def boom(_call: Call, _arguments: dict[str, Any]) -> str:
    raise ToolError("boom")


def reject(_call: Call, arguments: dict[str, Any]) -> str:
    raise Rejection(arguments["code"], "rejected", arguments.get("data"))


def forget(call: Call, _arguments: dict[str, Any]) -> None:
    call._drop()


def touch(_call: Call, arguments: dict[str, Any]) -> str:
    fx.server.resource_updated(arguments["uri"])
    return "touched"


def toggle(_call: Call, arguments: dict[str, Any]) -> str:
    return "added" if fx.toggle(arguments["what"]) else "removed"


def change(kind: str) -> Any:
    def answer(_call: Call, _arguments: dict[str, Any]) -> str:
        fx.toggle(kind)
        fx.toggle(kind)
        return "changed"

    return answer


def opt(_call: Call, arguments: dict[str, Any]) -> str:
    if "q" not in arguments:
        return "absent"
    return "null" if arguments["q"] is None else str(arguments["q"])


def structured(text: str) -> RawResult:
    return RawResult('{"structuredContent":' + text + "}")


def as_sent(call: Call, _arguments: dict[str, Any]) -> str:
    return call.raw_arguments.decode()


OUTCOMES = {"accept": "accepted", "decline": "declined", "cancel": "cancelled"}


def outcome(call: Call, key: str) -> str:
    return OUTCOMES.get(call.answers.get(key, {}).get("action"), "unanswered")


def value(call: Call, key: str, field: str) -> str | None:
    found: str | None = call.answers.get(key, {}).get("content", {}).get(field)
    return found


def ask(call: Call, _arguments: dict[str, Any]) -> str:
    found = outcome(call, "user")
    return f"accepted: {value(call, 'user', 'name')}" if found == "accepted" else found


def ask_twice(call: Call, _arguments: dict[str, Any]) -> str:
    return f"{value(call, 'first', 'name') or 'somebody'} likes {value(call, 'second', 'colour') or 'nothing'}"


def ask_model(call: Call, _arguments: dict[str, Any]) -> str:
    return f"the model says: {call.answers['model']['content']['text']}"


def ask_roots(call: Call, _arguments: dict[str, Any]) -> str:
    roots = call.answers["roots"]["roots"]
    return f"the first root is {roots[0]['uri']}" if roots else "no roots"


# ---- resources, prompts, completions ----


def bytes_of(call: Call, _arguments: dict[str, Any]) -> EmbeddedResource:
    return EmbeddedResource(call.name, b"\xfb\xff\xfe", "application/octet-stream")


def broken(_call: Call, _arguments: dict[str, Any]) -> str:
    raise ToolError("broken")


def sour(_call: Call, _arguments: dict[str, Any]) -> str:
    raise Rejection(-32603, "sour")


def embedded(_call: Call, arguments: dict[str, Any]) -> dict[str, Any]:
    resource = {"uri": arguments["resourceUri"], "mimeType": "text/plain", "text": "An embedded resource."}
    return {"messages": [{"role": "user", "content": {"type": "resource", "resource": resource}}]}


def complete(call: Call) -> str:
    asked = call.arguments
    context = asked.get("context", {}).get("arguments", {})
    match call.name, asked["argument"]["name"]:
        case "greet", "name":
            return "\n".join(f"name{number:03}" for number in range(250))
        case "greet", "style" if "name" in context:
            return f"for {context['name']}"
        case "x://item/{id}", _:
            return "1\n2\n3"
    return ""


ANSWERS: dict[str, Any] = {
    "tool:add": lambda _, given: str(int(given["a"]) + int(given["b"])),
    "tool:ask": ask,
    "tool:ask_all": lambda _, __: "answered",
    "tool:ask_model": ask_model,
    "tool:ask_model_tools": ask_model,
    "tool:ask_roots": ask_roots,
    "tool:ask_twice": ask_twice,
    "tool:ask_url": lambda call, _: outcome(call, "page"),
    "tool:big": lambda call, _: structured(json.loads(call.raw_arguments, parse_int=str, parse_float=str)["id"]),
    "tool:boom": boom,
    "tool:come_back": come_back,
    "tool:echo": lambda _, given: given["text"],
    "tool:forget": forget,
    "tool:log": log,
    "tool:meta": lambda call, _: structured(call.raw_meta.decode()),
    "tool:noisy": noisy,
    "tool:none": lambda _, __: "none",
    "tool:opt": opt,
    "tool:progress": progress,
    "tool:reject": reject,
    "tool:sleep": sleep,
    "tool:test_logging_tool": log_once,
    "tool:test_reconnection": come_back,
    "tool:test_tool_with_logging": log_thrice,
    "tool:test_tool_with_progress": three_reports,
    "tool:test_trigger_prompt_change": change("prompt"),
    "tool:test_trigger_tool_change": change("tool"),
    "tool:toggle": toggle,
    "tool:touch": touch,
    "resource:mem://ask": lambda call, _: "shown" if outcome(call, "user") == "accepted" else "hidden",
    "resource:mem://bin": bytes_of,
    "resource:mem://broken": broken,
    "prompt:ask_style": lambda call, _: f"In the style of {value(call, 'user', 'style') or 'nobody'}.",
    "prompt:greet": lambda _, given: f"Hello, {given['name']}!",
    "prompt:sour": sour,
    "prompt:test_prompt_with_arguments": lambda _, given: f"arg1: {given['arg1']}, arg2: {given['arg2']}",
    "prompt:test_prompt_with_embedded_resource": embedded,
}
ANSWERS |= {
    f"tool:{name}": as_sent for name in ("date", "draft07", "hints", "pattern", "schema2020", "tree", "unicode")
}


def filled(node: Any, call: Call) -> Any:
    """A question with each string `@NAME` replaced by the argument of that name."""
    if isinstance(node, dict):
        return {name: filled(part, call) for name, part in node.items()}
    if isinstance(node, list):
        return [filled(part, call) for part in node]
    return call.arguments[node[1:]] if isinstance(node, str) and node.startswith("@") else node


def question(call: Call, key: str) -> None:
    """Asks what is open of the first round that has something open."""
    for number, questions in enumerate(fx.flags.document["questions"].get(key, []), 1):
        asked = {
            name: request
            for name, request in questions.items()
            if name not in call.answers and (key not in OPTIONAL or call.client_supports(NEEDS[request["method"]]))
        }
        if asked:
            if key not in STATELESS:
                call.state = f"round {number}"
            call.require_input(filled(asked, call))


def dispatch(call: Call) -> Any:
    if call.kind == "completion":
        return complete(call)
    if fx.flags.catalog_text is not None:
        return as_sent(call, {})
    key, arguments = f"{call.kind}:{call.name}", call.arguments
    if call.kind == "tool" and isinstance(arguments.get("mode"), str):
        key += f":{arguments['mode']}"
    question(call, key)
    if key in fx.flags.document["results"]:
        return fx.flags.document["results"][key]
    if key in ANSWERS:
        return ANSWERS[key](call, arguments)
    if call.kind == "resource" and call.template is not None:
        found = call.variables
        return ";".join(f"{name}={found[name]}" for name in ("id", "path", "page", "limit") if name in found)
    raise ToolError(f"no answer is written for {key}")


def serve_http(port: int) -> None:
    """Listens by the engine's own threads, or with `--door asgi` under uvicorn; until a signal comes."""
    # Who uses the endpoint is the same user as on stdio.
    admission: Any = {"authorize": Caller.local(), "allowed_origins": ["loopback"], "path": "/mcp", **fx.flags.http}
    if fx.flags.door != "asgi":
        fx.server.run_http(port, ready=lambda listener: say_where(listener.port), **admission)
        return
    import uvicorn

    class Telling(uvicorn.Server):
        async def startup(self, sockets: Any = None) -> None:
            await super().startup(sockets)
            say_where(self.servers[0].sockets[0].getsockname()[1])

    # Uvicorn gives the signal that ended it to whoever had it before.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    config = uvicorn.Config(fx.server.asgi(**admission), port=port, log_level="error", server_header=False)
    Telling(config).run()


def say_where(port: int | None) -> None:
    print(f"listening on http://127.0.0.1:{port}/mcp", file=sys.stderr, flush=True)


def main() -> int:
    try:
        fx.server = Server("everything", "1.0.0", catalog=fx.catalog, dispatch=dispatch, **fx.flags.options)
    except Exception as error:
        print(f"everything: {error}", file=sys.stderr)
        return 1
    if fx.flags.port is None:
        fx.server.run()
    else:
        serve_http(fx.flags.port)
    return 0


if __name__ == "__main__":
    sys.exit(main())
