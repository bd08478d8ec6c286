"""The half of a server that says what it offers."""

from __future__ import annotations

from . import registry
from .errors import InvalidArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Any, TypeVar, overload

    from typing_extensions import Unpack

    from ._mcpcore import Call
    from .registry import Item, PromptOptions, ResourceOptions, ToolOptions

    F = TypeVar("F", bound=Callable[..., Any])
    Following = Callable[[Call], Awaitable[Any]]
    M = TypeVar("M", bound=Callable[[Call, Following], Awaitable[Any]])
else:

    def overload(function):
        return function


class Offers:
    """Decorators and functions that add what is offered, before the server runs or while it does."""

    _registry: registry.Registry

    def _added(self, item: Item) -> None:
        raise NotImplementedError

    def _removed(self, item: Item) -> None:
        raise NotImplementedError

    def _middleware_added(self, middleware: Any) -> None:
        raise NotImplementedError

    def _add(self, item: Item) -> None:
        with self._registry.lock:
            self._registry.add(item)
            try:
                self._added(item)
            except BaseException:
                self._registry.remove(item.kind, item.name)
                raise

    def _remove(self, kind: str, name: str) -> None:
        with self._registry.lock:
            item = self._registry.remove(kind, name)
            if item is None:
                raise InvalidArgumentError(f"there is no {kind} {name!r}")
            self._removed(item)

    # ---- tools ----

    @overload
    def tool(self, name: F, /) -> F: ...

    @overload
    def tool(self, name: str | None = None, **options: Unpack[ToolOptions]) -> Callable[[F], F]: ...

    def tool(self, name: Any = None, **options: Any) -> Any:
        """Makes a tool of a function. Its name, description and schemas come from the function unless they are given.

        `title`, `description`, `input_schema`, `output_schema` (`None` says that what it returns has no schema),
        `annotations`, `icons`, `meta`; `scopes` are what a caller needs; `timeout` is in seconds; `concurrency` is how many
        calls of it run at once (0: any number).
        """
        return _decorating(self.add_tool, name, options)

    def add_tool(self, function: Callable[..., Any], name: str | None = None, **options: Unpack[ToolOptions]) -> None:
        """Adds a tool; see `tool`."""
        self._add(registry.tool(function, name, **options))

    def remove_tool(self, name: str) -> None:
        """Takes a tool away. Calls of it that run go on."""
        self._remove("tool", name)

    # ---- resources ----

    def resource(self, uri: str, **options: Unpack[ResourceOptions]) -> Callable[[F], F]:
        """Makes a resource of a function; with variables in the uri (`weather://place/{name}`), a template of many.

        The function's parameters are the variables. As for tools, and `name`, `mime_type`, `size` in bytes, `ttl` (the
        cache hint in seconds), `cache_scope` ("public" or "private"), `allow_traversal`.
        """

        def decorate(function: F) -> F:
            self.add_resource(function, uri, **options)
            return function

        return decorate

    def add_resource(self, function: Callable[..., Any], uri: str, **options: Unpack[ResourceOptions]) -> None:
        """Adds a resource or a template; see `resource`."""
        self._add(registry.resource(function, uri, **options))

    def remove_resource(self, uri: str) -> None:
        """Takes a resource or a template away."""
        self._remove("template" if "{" in uri else "resource", uri)

    # ---- prompts ----

    @overload
    def prompt(self, name: F, /) -> F: ...

    @overload
    def prompt(self, name: str | None = None, **options: Unpack[PromptOptions]) -> Callable[[F], F]: ...

    def prompt(self, name: Any = None, **options: Any) -> Any:
        """Makes a prompt of a function: a text, a `Message` or several of them. Its parameters are the arguments.

        `title`, `description`, `icons`, `meta`, `scopes`, `timeout` and `concurrency` as for tools; `asks_input` says that
        the function asks the client for what is missing.
        """
        return _decorating(self.add_prompt, name, options)

    def add_prompt(
        self, function: Callable[..., Any], name: str | None = None, **options: Unpack[PromptOptions]
    ) -> None:
        """Adds a prompt; see `prompt`."""
        self._add(registry.prompt(function, name, **options))

    def remove_prompt(self, name: str) -> None:
        """Takes a prompt away."""
        self._remove("prompt", name)

    # ---- completions, middleware ----

    def completion(self, target: str, argument: str) -> Callable[[F], F]:
        """Makes a function complete one argument of a prompt (by its name) or one variable of a uri template.

        It takes any of `value` (what was typed), `context` (other arguments, a dict) and a `Call`; it returns values.
        """

        def decorate(function: F) -> F:
            self._add(registry.completion(function, target, argument))
            return function

        return decorate

    def middleware(self, function: M) -> M:
        """Puts an `async def f(call, following)` round every call: it returns `await following(call)`, or something else.

        The first one added is the outermost.
        """
        self._middleware_added(function)
        return function


def _decorating(add: Callable[..., None], name: Any, options: dict[str, Any]) -> Any:
    """A decorator that adds its function; or that function itself, added, where the decorator has no parentheses."""
    if callable(name):
        add(name)
        return name

    def decorate(function: F) -> F:
        add(function, name, **options)
        return function

    return decorate
