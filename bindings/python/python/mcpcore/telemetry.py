"""Spans of OpenTelemetry round every call, where the program has set it up. Otherwise nothing is imported."""

from __future__ import annotations

import sys
from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ._mcpcore import Call

_METHODS = {
    "tool": "tools/call",
    "resource": "resources/read",
    "prompt": "prompts/get",
    "completion": "completion/complete",
}


def enabled() -> bool:
    """Whether the program has given OpenTelemetry somebody to tell."""
    trace = sys.modules.get("opentelemetry.trace")
    return trace is not None and type(trace.get_tracer_provider()).__name__ not in (
        "ProxyTracerProvider",
        "NoOpTracerProvider",
    )


@contextmanager
def span(call: Call) -> Iterator[None]:
    """A span of the call, a child of the one that the client named in `_meta`."""
    import opentelemetry.propagate as propagate
    import opentelemetry.trace as trace

    meta = call.meta
    carrier = {key: meta[key] for key in ("traceparent", "tracestate", "baggage") if isinstance(meta.get(key), str)}
    parent = propagate.extract(carrier) if carrier else None
    method = _METHODS[call.kind]
    attributes = {"mcp.method.name": method, "mcp.protocol.version": call.protocol_version}
    if call.kind == "tool":
        attributes["gen_ai.tool.name"] = call.name
        attributes["gen_ai.operation.name"] = "execute_tool"
    elif call.kind == "prompt":
        attributes["gen_ai.prompt.name"] = call.name
    elif call.kind == "resource":
        attributes["mcp.resource.uri"] = call.name
    name = f"{method} {call.name}" if call.kind in ("tool", "prompt") else method
    tracer = trace.get_tracer("mcpcore")
    with tracer.start_as_current_span(name, context=parent, kind=trace.SpanKind.SERVER, attributes=attributes):
        yield
