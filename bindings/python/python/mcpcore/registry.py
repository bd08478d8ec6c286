"""What a server offers, made of functions: definitions in the protocol's shape, and a handler for each."""

from __future__ import annotations

from _thread import RLock

from . import results
from .calls import Handler, is_async
from .content import ABSENT
from .errors import InvalidArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any, Literal, TypedDict

    from ._mcpcore import Call, Engine
    from .functions import Signature

    class ItemOptions(TypedDict, total=False):
        """What every item takes besides its function and its name. What comes from the function can be given instead."""

        title: str | None
        description: str | None
        icons: Sequence[Mapping[str, Any]] | None
        meta: Mapping[str, Any] | None
        scopes: Sequence[str]
        """What a caller needs."""
        timeout: float | None
        """In seconds."""
        concurrency: int
        """How many calls of it run at once; 0: any number."""

    class ToolOptions(ItemOptions, total=False):
        """What a tool takes."""

        input_schema: Mapping[str, Any] | None
        output_schema: Mapping[str, Any] | object | None
        """`None` says that what it returns has no schema."""
        annotations: Mapping[str, Any] | None

    class ResourceOptions(ItemOptions, total=False):
        """What a resource or a template takes."""

        name: str | None
        mime_type: str | None
        size: int | None
        annotations: Mapping[str, Any] | None
        ttl: float | None
        """The cache hint, in seconds."""
        cache_scope: Literal["public", "private"] | None
        allow_traversal: bool | None

    class PromptOptions(ItemOptions, total=False):
        """What a prompt takes."""

        asks_input: bool | None
        """Whether the function asks the client for what is missing."""


LISTS = {"tool": "tools", "resource": "resources", "template": "resourceTemplates", "prompt": "prompts"}


class Item:
    """One thing on offer."""

    __slots__ = ("definition", "handler", "kind", "limit", "name", "number")

    def __init__(self, kind: str, name: str, definition: dict[str, Any] | None, handler: Handler, limit: int) -> None:
        self.kind = kind
        """`tool`, `resource`, `template`, `prompt`, or `completion`, which is not listed."""
        self.name = name
        """Its name, uri or template; of a completion, the name or template, a line feed and the argument."""
        self.definition = definition
        self.handler = handler
        self.limit = limit
        """How many calls run at once; 0: any number."""
        self.number = -1


class Registry:
    """The items of one server."""

    def __init__(self, handlers: dict[int, Handler]) -> None:
        self.lock = RLock()
        self._items: dict[tuple[str, str], Item] = {}
        self._handlers = handlers
        self._next = 0

    def number(self, handler: Handler) -> int:
        """Gives a handler its number, by which calls name it."""
        with self.lock:
            number, self._next = self._next, self._next + 1
            self._handlers[number] = handler
            return number

    def add(self, item: Item) -> None:
        """Adds an item."""
        with self.lock:
            if (item.kind, item.name) in self._items:
                raise InvalidArgumentError(f"the {item.kind} {item.name!r} was added before; remove it first")
            item.number = self.number(item.handler)
            self._items[item.kind, item.name] = item

    def remove(self, kind: str, name: str) -> Item | None:
        """Takes an item away; `None` if there is none."""
        with self.lock:
            item = self._items.pop((kind, name), None)
            if item is not None:
                del self._handlers[item.number]
            return item

    def __iter__(self) -> Iterator[Item]:
        with self.lock:
            return iter(list(self._items.values()))

    def document(self) -> dict[str, list[dict[str, Any]]]:
        """The catalog document."""
        document: dict[str, list[dict[str, Any]]] = {}
        with self.lock:
            for item in self._items.values():
                if item.definition is not None:
                    document.setdefault(LISTS[item.kind], []).append(item.definition)
        return document

    def has(self, kind: str) -> bool:
        """Whether there is an item of the kind."""
        with self.lock:
            return any(item.kind == kind for item in self._items.values())


def route(engine: Engine, item: Item, threaded: bool) -> None:
    """Tells the engine where calls of an item go."""
    engine.route(_called(item), item.name, item.number, threaded, item.limit)


def unroute(engine: Engine, item: Item) -> None:
    """Tells the engine that calls of an item go nowhere any more."""
    engine.unroute(_called(item), item.name)


def _called(item: Item) -> str:
    """What calls of an item ask for: of a template, a resource."""
    return "resource" if item.kind == "template" else item.kind


# ---- definitions ----


def _definition(
    fields: Mapping[str, Any], scopes: Sequence[str], timeout: float | None, extra: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The members that are given, and those for the engine."""
    definition = {key: value for key, value in fields.items() if value is not None}
    own: dict[str, Any] = {key: value for key, value in (extra or {}).items() if value is not None}
    if scopes:
        if isinstance(scopes, str):
            raise InvalidArgumentError("scopes: a list of texts is wanted, not one text")
        own["scopes"] = list(scopes)
    if timeout is not None:
        own["timeoutMs"] = round(timeout * 1000)
    if own:
        definition["mcpcore"] = own
    return definition


def name_of(function: Callable[..., Any], given: str | None) -> str:
    """The name of an item."""
    name = given or getattr(function, "__name__", None) or getattr(getattr(function, "func", None), "__name__", None)
    if name is None or name == "<lambda>":
        raise InvalidArgumentError("the function has no name: give one with name=…")
    return name


def invoker(function: Callable[..., Any], bind: Callable[[Call], dict[str, Any]]) -> Callable[[Call], Any]:
    """Calls the function with the arguments that `bind` makes."""

    def invoke(call: Call) -> Any:
        return function(**bind(call))

    return invoke


def tool(
    function: Callable[..., Any],
    name: str | None = None,
    *,
    title: str | None = None,
    description: str | None = None,
    input_schema: Mapping[str, Any] | None = None,
    output_schema: Any = ABSENT,
    annotations: Mapping[str, Any] | None = None,
    icons: Sequence[Mapping[str, Any]] | None = None,
    meta: Mapping[str, Any] | None = None,
    scopes: Sequence[str] = (),
    timeout: float | None = None,
    concurrency: int = 0,
) -> Item:
    """A tool from a function."""
    from . import functions

    name = name_of(function, name)
    signature = functions.read(function)
    if input_schema is not None:
        bind = functions.plain_bind(signature)
        schema = dict(input_schema)
    elif not signature.parameters and not signature.open:
        bind = functions.plain_bind(signature)
        schema = {"type": "object", "additionalProperties": False}
    else:
        schema, bind = functions.arguments(signature)
    dump = None
    if output_schema is ABSENT:
        output_schema, dump = functions.returned(signature)
    fields = {
        "name": name,
        "title": title,
        "description": description if description is not None else signature.description,
        "inputSchema": schema,
        "outputSchema": output_schema,
        "annotations": annotations,
        "icons": icons,
        "_meta": meta,
    }
    finish = results.tool if output_schema is None else results.structured(dump)
    handler = Handler(function, invoker(function, bind), finish, not is_async(function))
    return Item("tool", name, _definition(fields, scopes, timeout), handler, concurrency)


def _variables(template: str) -> list[str]:
    """The variables of a uri template."""
    from re import findall

    names = [name for group in findall(r"\{[+#./;?&]?([^}]*)\}", template) for name in group.split(",")]
    return [name.strip().rstrip("*") for name in names]


def resource(
    function: Callable[..., Any],
    uri: str,
    *,
    name: str | None = None,
    title: str | None = None,
    description: str | None = None,
    mime_type: str | None = None,
    size: int | None = None,
    annotations: Mapping[str, Any] | None = None,
    icons: Sequence[Mapping[str, Any]] | None = None,
    meta: Mapping[str, Any] | None = None,
    scopes: Sequence[str] = (),
    timeout: float | None = None,
    concurrency: int = 0,
    ttl: float | None = None,
    cache_scope: str | None = None,
    allow_traversal: bool | None = None,
) -> Item:
    """A resource, or a template of many, from a function."""
    from . import functions

    signature = functions.read(function)
    templated = "{" in uri
    variables = _variables(uri) if templated else []
    for each, parameter in signature.parameters.items():
        if each not in variables and parameter.default is parameter.empty:
            known = ", ".join(variables) or "none"
            raise InvalidArgumentError(
                f"resource {uri!r}: the parameter {each!r} is no variable of the uri; those are {known}"
            )
    wanted = None if signature.open else set(signature.parameters)
    convert, call_name = functions.texts(signature), signature.call

    def bind(call: Call) -> dict[str, Any]:
        given: dict[str, Any] = call.variables
        if wanted is not None:
            given = {each: value for each, value in given.items() if each in wanted}
        given = convert(given)
        if call_name is not None:
            given[call_name] = call
        return given

    fields = {
        "uriTemplate" if templated else "uri": uri,
        "name": name_of(function, name),
        "title": title,
        "description": description if description is not None else signature.description,
        "mimeType": mime_type,
        "size": size,
        "annotations": annotations,
        "icons": icons,
        "_meta": meta,
    }
    own = {
        "ttlMs": None if ttl is None else round(ttl * 1000),
        "cacheScope": cache_scope,
        "allowTraversal": allow_traversal,
    }
    handler = Handler(function, invoker(function, bind), results.resource(mime_type), not is_async(function))
    kind = "template" if templated else "resource"
    return Item(kind, uri, _definition(fields, scopes, timeout, own), handler, concurrency)


def _argument(name: str, signature: Signature) -> dict[str, Any]:
    argument: dict[str, Any] = {"name": name}
    description = signature.documented.get(name)
    for one in getattr(signature.hints.get(name), "__metadata__", ()):
        description = getattr(one, "description", None) or description
    if description:
        argument["description"] = description
    if signature.parameters[name].default is signature.parameters[name].empty:
        argument["required"] = True
    return argument


def prompt(
    function: Callable[..., Any],
    name: str | None = None,
    *,
    title: str | None = None,
    description: str | None = None,
    icons: Sequence[Mapping[str, Any]] | None = None,
    meta: Mapping[str, Any] | None = None,
    scopes: Sequence[str] = (),
    timeout: float | None = None,
    concurrency: int = 0,
    asks_input: bool | None = None,
) -> Item:
    """A prompt from a function."""
    from . import functions

    name = name_of(function, name)
    signature = functions.read(function)
    convert, call_name = functions.texts(signature), signature.call

    def bind(call: Call) -> dict[str, Any]:
        given: dict[str, Any] = convert(call.arguments)
        if call_name is not None:
            given[call_name] = call
        return given

    arguments = [_argument(each, signature) for each in signature.parameters]
    fields = {
        "name": name,
        "title": title,
        "description": description if description is not None else signature.description,
        "arguments": arguments or None,
        "icons": icons,
        "_meta": meta,
    }
    handler = Handler(function, invoker(function, bind), results.prompt, not is_async(function))
    definition = _definition(fields, scopes, timeout, {"asksInput": asks_input})
    return Item("prompt", name, definition, handler, concurrency)


def completion(function: Callable[..., Any], target: str, argument: str) -> Item:
    """What completes one argument of a prompt, or one variable of a template."""
    from . import functions

    signature = functions.read(function)
    unknown = [each for each in signature.parameters if each not in ("value", "context")]
    if unknown:
        raise InvalidArgumentError(f"a completion takes value, context and a Call, not {unknown[0]!r}")
    wanted, call_name = set(signature.parameters), signature.call

    def bind(call: Call) -> dict[str, Any]:
        asked = call.arguments
        given: dict[str, Any] = {
            "value": asked["argument"]["value"],
            "context": asked.get("context", {}).get("arguments", {}),
        }
        given = {each: value for each, value in given.items() if each in wanted}
        if call_name is not None:
            given[call_name] = call
        return given

    handler = Handler(function, invoker(function, bind), results.completion, not is_async(function))
    return Item("completion", f"{target}\n{argument}", None, handler, 0)
