"""A client inside the process, for tests: it speaks the protocol with a server, without a socket or a pipe."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Optional, Union

from . import _mcpcore
from ._mcpcore import Caller
from .errors import ClosedError, Error, InvalidArgumentError, Rejection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .server import Server

REVISION = "2026-07-28"
_PREFIX = "io.modelcontextprotocol/"

Answer = Union[Mapping[str, Any], Awaitable[Mapping[str, Any]]]
Asked = Callable[["dict[str, Any]"], Answer]
Progress = Callable[["dict[str, Any]"], object]


class CallResult:
    """What a tool answered."""

    __slots__ = ("raw",)

    def __init__(self, raw: dict[str, Any]) -> None:
        self.raw = raw
        """The whole result."""

    @property
    def content(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.raw.get("content", [])
        return found

    @property
    def text(self) -> str:
        """The text blocks, joined."""
        return "".join(block["text"] for block in self.content if block["type"] == "text")

    @property
    def structured(self) -> Any:
        """The structured content; `None` also where there is none."""
        return self.raw.get("structuredContent")

    @property
    def is_error(self) -> bool:
        return bool(self.raw.get("isError", False))

    def __repr__(self) -> str:
        return f"CallResult({self.raw!r})"


class Client:
    """A client of a server in this process; see `Server.client`.

    `elicit`, `sample` and `roots` answer what the server asks: functions of the request's params, `async` or not, that
    return the result in the protocol's shape (`roots` also a list of uris). What is not given is not declared as a
    capability. `on_notification` gets every notification; `log_level` asks for log lines.
    """

    def __init__(
        self,
        server: Server,
        *,
        caller: Optional[Caller] = None,
        elicit: Optional[Asked] = None,
        sample: Optional[Asked] = None,
        roots: Optional[Union[Asked, Sequence[str]]] = None,
        on_notification: Optional[Callable[[dict[str, Any]], object]] = None,
        log_level: Optional[str] = None,
        meta: Optional[Mapping[str, Any]] = None,
        rounds: int = 16,
    ) -> None:
        self._server = server
        self._caller = caller or Caller.local()
        self._asked: dict[str, Any] = {
            "elicitation/create": elicit,
            "sampling/createMessage": sample,
            "roots/list": roots,
        }
        capabilities: dict[str, Any] = {}
        if elicit is not None:
            capabilities["elicitation"] = {"form": {}, "url": {}}
        if sample is not None:
            capabilities["sampling"] = {"tools": {}, "context": {}}
        if roots is not None:
            capabilities["roots"] = {}
        self._meta: dict[str, Any] = {
            _PREFIX + "protocolVersion": REVISION,
            _PREFIX + "clientInfo": {"name": "mcpcore-test", "version": _mcpcore.__version__},
            _PREFIX + "clientCapabilities": capabilities,
            **(meta or {}),
        }
        if log_level is not None:
            self._meta[_PREFIX + "logLevel"] = log_level
        self._on_notification = on_notification
        self._rounds = rounds
        self._next = 0
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._progress: dict[int, Progress] = {}
        self._listeners: dict[int, asyncio.Queue[Optional[dict[str, Any]]]] = {}
        self._connection: Optional[_mcpcore.Connection] = None
        self._timer: Optional[asyncio.TimerHandle] = None
        self._calls: set[int] = set()

    async def __aenter__(self) -> Client:
        await self._server._enter()
        self._post = self._server._post()
        engine = self._server._engine()
        self._connection = engine.connect(self._caller, self._post.inbox, self._receive)
        return self

    async def __aexit__(self, *error: object) -> None:
        connection, self._connection = self._connection, None
        if self._timer is not None:
            self._timer.cancel()
        if connection is not None:
            connection.close()
        for future in self._waiting.values():
            future.cancel()
        for queue in self._listeners.values():
            queue.put_nowait(None)
        await self._post.settled(5, self._calls)
        await self._server._leave()

    # ---- messages ----

    def _receive(self, messages: Optional[bytes]) -> None:
        for line in (messages or b"").splitlines():
            message = _mcpcore.from_json(line)
            if "method" in message:
                self._note(message)
                continue
            number = message.get("id")
            self._progress.pop(number, None)
            queue = self._listeners.pop(number, None)
            if queue is not None:
                queue.put_nowait(None)
            future = self._waiting.pop(number, None)
            if future is not None and not future.done():
                future.set_result(message)

    def _note(self, message: dict[str, Any]) -> None:
        params = message.get("params", {})
        subscription = params.get("_meta", {}).get(_PREFIX + "subscriptionId")
        if message["method"] == "notifications/progress":
            report = self._progress.get(params.get("progressToken"))
            if report is not None:
                report(params)
        elif message["method"] == "notifications/subscriptions/acknowledged":
            future = self._waiting.pop(subscription, None)
            if future is not None and not future.done():
                future.set_result(message)
        elif subscription in self._listeners:
            self._listeners[subscription].put_nowait(message)
        if self._on_notification is not None:
            self._on_notification(message)

    def send(self, message: Union[str, bytes, Mapping[str, Any]]) -> None:
        """Sends a message as it is: JSON text, or a value."""
        if self._connection is None:
            raise ClosedError("the client is not open: async with server.client() as client")
        text = _mcpcore.to_json(message) if isinstance(message, Mapping) else message
        line = text.encode() if isinstance(text, str) else text
        for call in self._connection.receive(line + b"\n"):
            self._calls.add(call.number)
            self._post.start(call)
        self._watch()

    def _watch(self) -> None:
        """Sees to it that time-outs happen."""
        if self._timer is None and self._connection is not None:
            due = self._connection.next_deadline()
            if due is not None:
                self._timer = asyncio.get_running_loop().call_later(due, self._tick)

    def _tick(self) -> None:
        self._timer = None
        if self._connection is not None:
            self._connection.tick()
            self._watch()

    async def request(
        self,
        method: str,
        params: Optional[Mapping[str, Any]] = None,
        *,
        on_progress: Optional[Progress] = None,
        meta: Optional[Mapping[str, Any]] = None,
    ) -> dict[str, Any]:
        """Sends a request and waits for its result; what the server asks in between is answered.

        A JSON-RPC error is raised as `Rejection`. Cancelling it cancels the request.
        """
        params = dict(params or {})
        for _ in range(self._rounds):
            result = await self._once(method, params, on_progress, meta)
            if result.get("resultType") != "input_required":
                return result
            requests = result.get("inputRequests", {})
            params["inputResponses"] = {key: await self._answer(request) for key, request in requests.items()}
            params.pop("requestState", None)
            if "requestState" in result:
                params["requestState"] = result["requestState"]
        raise Error(f"the server asked {self._rounds} times and has not answered")

    async def _once(
        self,
        method: str,
        params: Mapping[str, Any],
        on_progress: Optional[Progress],
        meta: Optional[Mapping[str, Any]],
    ) -> dict[str, Any]:
        self._next += 1
        number = self._next
        together = {**self._meta, **(meta or {})}
        if on_progress is not None:
            together["progressToken"] = number
            self._progress[number] = on_progress
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[number] = future
        try:
            self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": {**params, "_meta": together}})
            message = await future
        except asyncio.CancelledError:
            if self._waiting.pop(number, None) is not None and self._connection is not None:
                self.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
            raise
        error = message.get("error")
        if error is not None:
            raise Rejection(error["code"], error["message"], error.get("data"))
        result: dict[str, Any] = message.get("result", {})
        return result

    async def _answer(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        function = self._asked.get(request["method"])
        if function is None:
            raise InvalidArgumentError(f"the server asks {request['method']}: give the client a function for it")
        if not callable(function):
            return {"roots": [{"uri": uri} for uri in function]}
        answer = function(request.get("params", {}))
        given: Mapping[str, Any] = await answer if hasattr(answer, "__await__") else answer
        return given

    # ---- methods ----

    async def discover(self) -> dict[str, Any]:
        """What the server says of itself."""
        return await self.request("server/discover")

    async def _list(self, method: str, member: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        cursor: Optional[str] = None
        while True:
            page = await self.request(method, {} if cursor is None else {"cursor": cursor})
            found += page[member]
            cursor = page.get("nextCursor")
            if cursor is None:
                return found

    async def list_tools(self) -> list[dict[str, Any]]:
        """All tools, page by page."""
        return await self._list("tools/list", "tools")

    async def list_resources(self) -> list[dict[str, Any]]:
        """All resources."""
        return await self._list("resources/list", "resources")

    async def list_resource_templates(self) -> list[dict[str, Any]]:
        """All resource templates."""
        return await self._list("resources/templates/list", "resourceTemplates")

    async def list_prompts(self) -> list[dict[str, Any]]:
        """All prompts."""
        return await self._list("prompts/list", "prompts")

    async def call_tool(
        self,
        name: str,
        arguments: Optional[Mapping[str, Any]] = None,
        *,
        on_progress: Optional[Progress] = None,
        meta: Optional[Mapping[str, Any]] = None,
    ) -> CallResult:
        """Calls a tool."""
        params = {"name": name, "arguments": dict(arguments or {})}
        return CallResult(await self.request("tools/call", params, on_progress=on_progress, meta=meta))

    async def read_resource(self, uri: str) -> list[dict[str, Any]]:
        """The contents of a resource."""
        contents: list[dict[str, Any]] = (await self.request("resources/read", {"uri": uri}))["contents"]
        return contents

    async def get_prompt(self, name: str, arguments: Optional[Mapping[str, str]] = None) -> dict[str, Any]:
        """A prompt's result; its `messages` are what counts."""
        return await self.request("prompts/get", {"name": name, "arguments": dict(arguments or {})})

    async def complete(
        self, target: str, argument: str, value: str, context: Optional[Mapping[str, str]] = None
    ) -> list[str]:
        """Completions of an argument of a prompt, or of a variable of a template."""
        templated = "{" in target
        ref = {"type": "ref/resource", "uri": target} if templated else {"type": "ref/prompt", "name": target}
        params: dict[str, Any] = {"ref": ref, "argument": {"name": argument, "value": value}}
        if context:
            params["context"] = {"arguments": dict(context)}
        values: list[str] = (await self.request("completion/complete", params))["completion"]["values"]
        return values

    @asynccontextmanager
    async def listen(
        self, *, tools: bool = False, resources: bool = False, prompts: bool = False, uris: Iterable[str] = ()
    ) -> AsyncIterator[AsyncIterator[dict[str, Any]]]:
        """Subscribes: `async with client.listen(tools=True) as notifications`, then `async for`."""
        asked: dict[str, Any] = {}
        for given, word in ((tools, "tools"), (resources, "resources"), (prompts, "prompts")):
            if given:
                asked[f"{word}ListChanged"] = True
        if uris:
            asked["resourceSubscriptions"] = list(uris)
        self._next += 1
        number = self._next
        queue: asyncio.Queue[Optional[dict[str, Any]]] = asyncio.Queue()
        self._listeners[number] = queue
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[number] = future
        params = {"notifications": asked, "_meta": self._meta}
        self.send({"jsonrpc": "2.0", "id": number, "method": "subscriptions/listen", "params": params})
        message = await future
        if "error" in message:
            raise Rejection(message["error"]["code"], message["error"]["message"], message["error"].get("data"))
        try:
            yield _notifications(queue)
        finally:
            if self._listeners.pop(number, None) is not None and self._connection is not None:
                self.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})


async def _notifications(queue: asyncio.Queue[Optional[dict[str, Any]]]) -> AsyncIterator[dict[str, Any]]:
    while True:
        message = await queue.get()
        if message is None:
            return
        yield message
