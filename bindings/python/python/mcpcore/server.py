"""The server."""

from __future__ import annotations

from weakref import WeakKeyDictionary, ref

from . import _mcpcore, registry
from .calls import Handler, is_async, pair_handler
from .doors import Doors
from .errors import InvalidArgumentError
from .offers import Offers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
    from contextlib import AbstractAsyncContextManager, AbstractContextManager
    from typing import Any, Literal

    from ._mcpcore import Call, Caller
    from .http import Gatekeeper
    from .loops import Post, PrivateLoop
    from .registry import Item
    from .threads import Threads

    Document = Mapping[str, Any] | str
    Catalog = Document | Callable[[Caller], Document]
    Dispatch = Callable[[Call], Any]
    Lifespan = Callable[["Server"], AbstractAsyncContextManager[Any] | AbstractContextManager[Any]]

_LISTS = ("tools", "resources", "prompts")


class Server(Offers, Doors):
    """An MCP server.

    Give it what it offers as a pair, `catalog` and `dispatch`, or build it from functions with `@server.tool()`,
    `@server.resource(uri)` and `@server.prompt()`, or both. Then open a door: `run()` for stdio, `run_http()`,
    `asgi()`, `wsgi()`, or `handle()` for one message.
    """

    def __init__(
        self,
        name: str,
        version: str,
        *,
        catalog: Catalog | None = None,
        dispatch: Dispatch | None = None,
        lifespan: Lifespan | None = None,
        instructions: str | None = None,
        title: str | None = None,
        description: str | None = None,
        website_url: str | None = None,
        icons: Sequence[Mapping[str, Any]] | None = None,
        list_changed: bool | Collection[Literal["tools", "resources", "prompts"]] = True,
        subscribe: bool = False,
        completions: bool | None = None,
        logging: bool = True,
        extensions: Mapping[str, Any] | None = None,
        experimental: Mapping[str, Any] | None = None,
        threads: int | None = None,
        thread_wait: float | None = None,
        call_timeout: float | None = None,
        max_calls: int | None = None,
        page_size: int | None = None,
        max_message_bytes: int | None = None,
        max_result_bytes: int | None = None,
        max_state_bytes: int | None = None,
        max_subscriptions: int | None = None,
        max_subscription_uris: int | None = None,
        invalid_items: Literal["refuse", "skip"] | None = None,
        invalid_arguments: Literal["tool_error", "reject"] | None = None,
        missing_scope: Literal["hide", "challenge"] | None = None,
        repair_arguments: bool = False,
        check_formats: bool = False,
        cache_ttl: float | None = None,
        cache_scope: Literal["public", "private"] | None = None,
        state_keys: Iterable[bytes] = (),
        state_ttl: float | None = None,
        identify: bool = True,
        answer_parse_errors: bool = True,
        drain: float | None = None,
        legacy: bool = True,
        revisions: Iterable[str] = (),
        input_timeout: float | None = None,
    ) -> None:
        """Times are in seconds. `catalog` is a document (`{"tools": […], …}`), or a function of the caller that gives it.

        `dispatch` answers the calls of a catalog: a function of a `Call`, `async` or not, that returns a result in the
        protocol's shape. `lifespan` is a context manager of the server; what it gives is `call.shared`. Without `legacy`
        no session of the revisions before 2026-07-28 is served; `revisions` chooses what is offered (none: all);
        `input_timeout` is how long a call of a session waits for what it asked of the client.
        """
        if not name or not version:
            raise InvalidArgumentError("name and version: must be texts that are not empty")
        self.name = name
        self.version = version
        self.shared: Any = None
        changed = _LISTS if list_changed is True else list_changed or ()
        info = {"title": title, "description": description, "websiteUrl": website_url, "icons": icons}
        info = {key: value for key, value in info.items() if value is not None}
        options: dict[str, Any] = {
            "info": _json(info or None),
            "instructions": instructions,
            "subscribe": subscribe,
            "logging": logging,
            "extensions": _json(extensions),
            "experimental": _json(experimental),
            "threads": threads,
            "thread_wait_ms": _ms(thread_wait),
            "call_timeout_ms": _ms(call_timeout),
            "max_calls": max_calls,
            "page_size": page_size,
            "max_message_bytes": max_message_bytes,
            "max_result_bytes": max_result_bytes,
            "max_state_bytes": max_state_bytes,
            "max_subscriptions": max_subscriptions,
            "max_subscription_uris": max_subscription_uris,
            "invalid_items": invalid_items,
            "invalid_arguments": invalid_arguments,
            "missing_scope": missing_scope,
            "repair_arguments": repair_arguments,
            "check_formats": check_formats,
            "cache_ttl_ms": _ms(cache_ttl),
            "cache_scope": cache_scope,
            "state_keys": list(state_keys),
            "state_ttl_ms": _ms(state_ttl),
            "identify": identify,
            "answer_parse_errors": answer_parse_errors,
            "drain_ms": _ms(drain),
            "legacy": legacy,
            "revisions": list(revisions),
            "input_timeout_ms": _ms(input_timeout),
            "completions": completions,
        }
        options.update((f"{each}_list_changed", each in changed) for each in _LISTS)
        self._options = {key: value for key, value in options.items() if value is not None}
        self._source = catalog
        self._lifespan = lifespan
        self._entered: list[Any] = []
        self._opened = False
        self._keep_context()
        self._handlers: dict[int, Handler] = {}
        self._registry = registry.Registry(self._handlers)
        self._middleware: list[Callable[..., Awaitable[Any]]] = []
        self._rest = None if dispatch is None else pair_handler(dispatch)
        self._rest_number = -1 if self._rest is None else self._registry.number(self._rest)
        self._gatekeepers: dict[int, Gatekeeper] = {}
        self._completes = False
        self._keys = {""}
        self._built: _mcpcore.Engine | None = None
        self._posts: WeakKeyDictionary[AbstractEventLoop, Post] = WeakKeyDictionary()
        self._home: Post | None = None
        self._threads: Threads | None = None
        self._private: PrivateLoop | None = None
        if catalog is not None or dispatch is not None:
            # What is wrong with the pair is said here, not at the first message.
            self._engine()

    # ---- the engine ----

    def _engine(self) -> _mcpcore.Engine:
        """The engine, built when it is first needed."""
        engine = self._built
        if engine is None:
            with self._registry.lock:
                if self._built is None:
                    self._built = self._build()
                engine = self._built
        return engine

    def _build(self) -> _mcpcore.Engine:
        options = dict(self._options)
        self._completes = options.setdefault("completions", self._registry.has("completion"))
        engine = _mcpcore.Engine(self.name, self.version, options, ref(self))
        self._route_all(engine)
        engine.build()
        return engine

    def _route_all(self, engine: _mcpcore.Engine) -> None:
        # Within middleware everything runs on a loop, which gives to threads what may block.
        plain = not self._middleware
        if self._rest is not None:
            engine.route("", None, self._rest_number, self._rest.threaded and plain, 0)
        for item in self._registry:
            registry.route(engine, item, item.handler.threaded and plain)

    def _running(self) -> _mcpcore.Engine | None:
        """The engine that is to be told of a change. While nothing runs yet it is built anew when it is needed."""
        if not self._opened:
            self._built = None
        return self._built

    def _added(self, item: Item) -> None:
        engine = self._running()
        if engine is None:
            return
        if item.kind == "completion" and not self._completes:
            raise InvalidArgumentError("completions: give completions=True to a server that gets them while it runs")
        registry.route(engine, item, item.handler.threaded and not self._middleware)
        if item.definition is not None:
            try:
                self.catalog_changed()
            except BaseException:
                registry.unroute(engine, item)
                raise

    def _removed(self, item: Item) -> None:
        engine = self._running()
        if engine is None:
            return
        if item.definition is not None:
            self.catalog_changed()
        registry.unroute(engine, item)

    def _middleware_added(self, middleware: Any) -> None:
        if not is_async(middleware):
            raise InvalidArgumentError("middleware: must be an async def of a call and what follows")
        self._middleware.append(middleware)
        if self._built is not None:
            self._route_all(self._built)

    def _catalog(self, caller: Caller) -> list[Any]:
        """What the engine asks for: the documents of the catalog."""
        self._keys.add(caller.catalog_key)
        source = self._source
        documents: list[Any] = []
        if source is not None:
            documents.append(source(caller) if callable(source) else source)
        documents.append(self._registry.document())
        return documents

    def _log(self, level: str, text: str) -> None:
        """What the engine has to say, for the module `logging`."""
        from logging import getLogger

        levels = {"debug": 10, "info": 20, "notice": 20, "warning": 30, "error": 40}
        getLogger("mcpcore").log(levels.get(level, 50), "%s", text)

    # ---- where calls run ----

    def _put(self, call: Call, context: Any) -> None:
        """Gives a call to a thread."""
        self._need_threads()
        self._engine().jobs().put(call, context)

    def _keep_context(self) -> None:
        """From now on, calls on threads see the context variables of here."""
        from contextvars import copy_context

        self._context = copy_context()

    def _need_threads(self) -> None:
        if self._threads is None:
            from .threads import Threads

            self._threads = Threads(self, self._engine().jobs())
        self._threads.ensure()

    def _post(self) -> Post:
        """This server's place on the running loop."""
        from asyncio import get_running_loop

        loop = get_running_loop()
        home = self._home
        if home is not None and home.loop is loop:
            return home
        post = self._posts.get(loop)
        if post is None:
            from .loops import Post

            engine = self._engine()
            self._opened = True
            post = self._posts[loop] = Post(self, engine.inbox(), loop)
            if self._home is None or self._home.loop is None:
                self._settle_at(post)
        return post

    def _settle_at(self, post: Post | None) -> None:
        """Calls that belong to no other loop run there."""
        self._home = post
        self._engine().set_home(None if post is None else post.inbox)

    def _go_on(self, call: Call, handler: Handler, value: Any) -> None:
        """A function on a thread gave something to await."""
        home = self._home
        post = home if home is not None and home.loop is not None else self._private_loop().post
        if post is None:
            call._fault("no event loop runs")
        else:
            post.go_on(call, handler, value)

    def _add_gatekeeper(self, function: Callable[..., Any]) -> tuple[int, bool]:
        """Gives a function that says who may come in its number."""
        from .http import Gatekeeper

        with self._registry.lock:
            gatekeeper = Gatekeeper(function)
            number = len(self._gatekeepers)
            self._gatekeepers[number] = gatekeeper
            return number, gatekeeper.threaded

    def _private_loop(self) -> PrivateLoop:
        with self._registry.lock:
            if self._private is None:
                from .loops import PrivateLoop

                self._private = PrivateLoop(self)
            return self._private

    # ---- the lifespan ----

    async def _enter(self) -> None:
        """Enters the lifespan, if nobody has."""
        manager = None
        if not self._entered and self._lifespan is not None:
            manager = self._lifespan(self)
            if hasattr(manager, "__aenter__"):
                self.shared = await manager.__aenter__()
            else:
                self.shared = manager.__enter__()
        self._entered.append(manager)

    async def _leave(self) -> None:
        """Leaves the lifespan, if nobody else is inside."""
        manager = self._entered.pop()
        if manager is None:
            return
        if self._entered:
            self._entered[0] = manager
            return
        self.shared = None
        if hasattr(manager, "__aexit__"):
            await manager.__aexit__(None, None, None)
        else:
            manager.__exit__(None, None, None)

    async def __aenter__(self) -> Server:
        """Enters the lifespan, for doors that have none of their own: `handle`, a mounted `asgi`."""
        await self._enter()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._leave()

    # ---- while it runs ----

    def catalog_changed(self, key: str | None = None) -> None:
        """Builds the catalog of a key (all known keys if none is given) anew, publishes it and tells subscribers.

        What is wrong with it is raised, and the old one stays.
        """
        engine = self._engine()
        for each in sorted(self._keys) if key is None else (key,):
            engine.catalog_changed(each)

    def resource_updated(self, uri: str) -> None:
        """Tells subscribers that a resource changed; needs `subscribe=True`."""
        self._engine().resource_updated(uri)

    def revoke(self, owner_key: str) -> None:
        """Ends the subscriptions of callers with this owner key or principal."""
        self._engine().revoke(owner_key)

    @property
    def stats(self) -> dict[str, Any]:
        """Counters: `exchanges`, `callsOwed`, `connections`, `subscriptions`, `catalogDigest`."""
        found: dict[str, Any] = _mcpcore.from_json(self._engine().stats())
        return found

    def stop(self, timeout: float = 5.0) -> bool:
        """Ends all doors: calls in flight have `timeout` seconds. False if some had to be cancelled.

        It waits, so call it from a thread, or from a loop with `timeout=0`.
        """
        return True if self._built is None else self._built.stop(timeout)

    def close(self) -> None:
        """Stops at once and lets go of threads and loops."""
        self.stop(0)
        if self._private is not None:
            self._private.end()
        if self._built is not None:
            self._built.close()

    def __del__(self) -> None:
        private = getattr(self, "_private", None)
        if private is not None:
            private.end(wait=False)

    def __repr__(self) -> str:
        return f"<Server {self.name!r}>"


def _json(value: Any) -> str | None:
    return None if value is None else _mcpcore.to_json(value)


def _ms(seconds: float | None) -> int | None:
    return None if seconds is None else round(seconds * 1000)
