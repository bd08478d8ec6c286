"""From a function's signature to a schema, and from arguments to a call of it. Imported when a decorator needs it."""

from __future__ import annotations

import inspect
import types
import typing
from typing import Any, Callable, Literal, NamedTuple, Optional, Union

from . import docstring
from ._mcpcore import Call
from .content import Content, Message, ToolResult
from .errors import InvalidArgumentError, MissingExtraError, Rejection, ToolError

Bind = Callable[[Call], "dict[str, Any]"]
_UNIONS = {Union, getattr(types, "UnionType", Union)}
_UNTYPED = (inspect.Parameter.empty, Any)


class Header:
    """Stands in `Annotated`: HTTP clients mirror the argument in the header `Mcp-Param-NAME`."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


class Signature(NamedTuple):
    """What is known of a function."""

    name: str
    parameters: dict[str, inspect.Parameter]
    hints: dict[str, Any]
    returns: Any
    call: Optional[str]
    """The parameter that gets the call."""
    open: bool
    """Whether it takes any further argument."""
    description: Optional[str]
    documented: dict[str, str]


def pydantic() -> Any:
    """The package pydantic."""
    try:
        import pydantic as found
    except ImportError:
        why = "schemas from type hints need pydantic: pip install 'mcpcore[pydantic]', or give input_schema yourself"
        raise MissingExtraError(why) from None
    return found


def _is_call(hint: Any) -> bool:
    if hint is Call:
        return True
    arguments = typing.get_args(hint) if typing.get_origin(hint) in _UNIONS else ()
    return any(argument is Call for argument in arguments)


def _locals() -> dict[str, Any]:
    """The names where the function is given to us: hints that are texts may speak of them."""
    frame = inspect.currentframe()
    while frame is not None and frame.f_globals.get("__package__") == __package__:
        frame = frame.f_back
    return {} if frame is None else dict(frame.f_locals)


def read(function: Callable[..., Any]) -> Signature:
    """Reads a function's signature, hints and docstring."""
    name = getattr(function, "__name__", repr(function))
    try:
        signature = inspect.signature(function)
        target = function if inspect.isroutine(function) or isinstance(function, type) else type(function).__call__
        hints = typing.get_type_hints(getattr(function, "func", target), localns=_locals(), include_extras=True)
    except NameError as error:
        raise InvalidArgumentError(f"{name}: a type hint cannot be resolved: {error}") from error
    parameters = dict(signature.parameters)
    call = next((each for each in parameters if _is_call(hints.get(each))), None)
    if call is not None:
        del parameters[call]
    is_open = False
    for each, parameter in list(parameters.items()):
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            is_open = True
            del parameters[each]
        elif parameter.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.POSITIONAL_ONLY):
            raise InvalidArgumentError(f"{name}: the parameter {each!r} must be one that can be given by name")
    description, documented = docstring.parse(inspect.getdoc(function))
    return Signature(name, parameters, hints, hints.get("return", Any), call, is_open, description, documented)


def plain_bind(signature: Signature) -> Bind:
    """Gives the arguments as they came: all of them to a function that takes any, otherwise those that it names."""
    call_name, names = signature.call, set(signature.parameters)

    def bind(call: Call) -> dict[str, Any]:
        arguments: dict[str, Any] = call.arguments if names or signature.open else {}
        if not signature.open and not names.issuperset(arguments):
            arguments = {name: value for name, value in arguments.items() if name in names}
        if call_name is not None:
            arguments[call_name] = call
        return arguments

    return bind


# ---- tools ----


def _metadata(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    """A hint without its `Annotated`, and what stood there."""
    if typing.get_origin(hint) is typing.Annotated:
        return hint.__origin__, hint.__metadata__
    return hint, ()


def _natural(hint: Any, top: bool = True) -> bool:
    """Whether valid JSON of the hint's schema is already what the function wants."""
    hint, metadata = _metadata(hint)
    for one in metadata:
        plain = isinstance(one, (str, Header)) or type(one).__module__.startswith("annotated_types")
        if not plain and not (type(one).__name__ == "FieldInfo" and one.alias is None and one.validation_alias is None):
            return False
    if hint in (str, bool, None, type(None), Any, dict, list):
        return True
    if hint in (int, float):
        return top
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Literal:
        return all(type(value) in (str, bool, type(None)) for value in arguments)
    if origin is list or origin in _UNIONS:
        return all(_natural(argument, False) for argument in arguments)
    return origin is dict and arguments[0] is str and _natural(arguments[1], False)


def _adapter(signature: Signature) -> Any:
    """Pydantic's adapter of a function with these parameters that gives them back."""

    def echo(**arguments: Any) -> dict[str, Any]:
        return arguments

    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters = [parameter.replace(kind=keyword) for parameter in signature.parameters.values()]
    if signature.open:
        parameters.append(inspect.Parameter("arguments", inspect.Parameter.VAR_KEYWORD))
    echo.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    echo.__annotations__ = {name: signature.hints.get(name, Any) for name in signature.parameters}
    module = pydantic()
    # Whoever wants another name for an argument says so by an alias.
    return module.TypeAdapter(echo, config=module.ConfigDict(arbitrary_types_allowed=True))


def _generator() -> Any:
    from pydantic.json_schema import GenerateJsonSchema

    class Untitled(GenerateJsonSchema):
        """Leaves out the titles that only repeat the names."""

        def field_title_should_be_set(self, schema: Any) -> bool:
            return False

    return Untitled


def _input_schema(adapter: Any, signature: Signature) -> dict[str, Any]:
    schema: dict[str, Any] = adapter.json_schema(schema_generator=_generator())
    schema.setdefault("type", "object")
    properties = schema.get("properties", {})
    for name, text in signature.documented.items():
        if text and name in properties:
            properties[name].setdefault("description", text)
    for name in signature.parameters:
        for one in _metadata(signature.hints.get(name))[1]:
            if isinstance(one, Header) and name in properties:
                properties[name]["x-mcp-header"] = one.name
    return schema


def _numbers(signature: Signature) -> dict[str, Any]:
    """Parameters whose numbers may be spelled as the other kind: `5.0` is an integer too, and `5` a number."""
    plain = {name: _metadata(signature.hints.get(name))[0] for name in signature.parameters}
    return {name: hint for name, hint in plain.items() if hint in (int, float)}


def _natural_bind(signature: Signature) -> Bind:
    numbers, call_name = _numbers(signature), signature.call

    def bind(call: Call) -> dict[str, Any]:
        arguments: dict[str, Any] = call.arguments
        for name, number in numbers.items():
            value = arguments.get(name)
            if value is not None and type(value) is not number:
                arguments[name] = number(value)
        if call_name is not None:
            arguments[call_name] = call
        return arguments

    return bind if numbers or call_name is not None else plain_bind(signature)


def _checked_bind(adapter: Any, signature: Signature) -> Bind:
    validate, call_name = adapter.validator.validate_json, signature.call
    failure = pydantic().ValidationError

    def bind(call: Call) -> dict[str, Any]:
        try:
            arguments: dict[str, Any] = validate(call.raw_arguments)
        except failure as error:
            raise ToolError(_explain(error)) from None
        if call_name is not None:
            arguments[call_name] = call
        return arguments

    return bind


def _explain(error: Any) -> str:
    lines = ["The arguments are not valid:"]
    for one in error.errors(include_url=False, include_context=False):
        path = "".join(f"/{part}" for part in one["loc"])
        lines.append(f"- {path or '/'}: {one['msg']}")
    return "\n".join(lines)


def _schema(signature: Signature, make: Callable[[], Any]) -> Any:
    """A schema, or an error that names the function."""
    try:
        return make()
    except (pydantic().errors.PydanticUserError, pydantic().errors.PydanticSchemaGenerationError) as error:
        why = str(error).splitlines()[0]
        raise InvalidArgumentError(f"{signature.name}: no schema for a type hint: {why}") from error


def arguments(signature: Signature) -> tuple[dict[str, Any], Bind]:
    """The input schema of a tool, and what makes the function's arguments."""
    adapter = _adapter(signature)
    schema = _schema(signature, lambda: _input_schema(adapter, signature))
    natural = not signature.open and all(
        _natural(signature.hints.get(name, Any)) and type(parameter.default).__name__ != "FieldInfo"
        for name, parameter in signature.parameters.items()
    )
    return schema, _natural_bind(signature) if natural else _checked_bind(adapter, signature)


def returned(signature: Signature) -> tuple[Optional[dict[str, Any]], Optional[Callable[[Any], bytes]]]:
    """The output schema of a tool, and what writes what it returns; neither where the hint says nothing of its shape."""
    hint = _metadata(signature.returns)[0]
    if hint in (*_UNTYPED, None, type(None), str, bytes, bytearray, memoryview, object) or _holds_content(hint):
        return None, None
    adapter = _schema(signature, lambda: pydantic().TypeAdapter(hint))
    make = lambda: adapter.json_schema(mode="serialization", schema_generator=_generator())  # noqa: E731
    schema: dict[str, Any] = _schema(signature, make)
    if not schema:
        return None, None
    if _natural(hint) or hint in (int, float):
        return schema, None
    return schema, lambda value: typing.cast(bytes, adapter.dump_json(value, by_alias=True))


def _holds_content(hint: Any) -> bool:
    if isinstance(hint, type) and issubclass(hint, (Content, ToolResult, Message)):
        return True
    return any(_holds_content(argument) for argument in typing.get_args(hint) if argument is not Ellipsis)


# ---- resources, prompts, completions, forms ----


def texts(signature: Signature) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Turns texts (of a template's variables, of a prompt's arguments) into what the hints say."""
    adapters = {}
    for name in signature.parameters:
        if not _textual(signature.hints.get(name, str)):
            adapters[name] = pydantic().TypeAdapter(signature.hints[name])
    if not adapters:
        return lambda given: given
    failure = pydantic().ValidationError

    def convert(given: dict[str, Any]) -> dict[str, Any]:
        for name, adapter in adapters.items():
            if name in given:
                try:
                    given[name] = _from_text(adapter, given[name], failure)
                except failure as error:
                    why = "; ".join(one["msg"] for one in error.errors(include_url=False, include_context=False))
                    raise Rejection(-32602, f"{name}: {why[:150]}") from None
        return given

    return convert


def _textual(hint: Any) -> bool:
    """Whether a text is what the hint wants, as it is."""
    if hint in (str, Any, None, type(None)):
        return True
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    return origin in _UNIONS and all(_textual(argument) for argument in arguments)


def _from_text(adapter: Any, text: str, failure: type[Exception]) -> Any:
    try:
        return adapter.validate_python(text)
    except failure:
        # A list or an object is written as JSON.
        if text[:1] not in ("[", "{"):
            raise
        return adapter.validate_json(text)


def form(schema: Any) -> tuple[dict[str, Any], Callable[[Any], Any]]:
    """The schema of a form that is asked of a user, and what makes an object of the answer."""
    adapter = pydantic().TypeAdapter(schema)
    json_schema: dict[str, Any] = adapter.json_schema(schema_generator=_generator())
    for word in ("title", "description", "additionalProperties"):
        json_schema.pop(word, None)
    return json_schema, adapter.validate_python
