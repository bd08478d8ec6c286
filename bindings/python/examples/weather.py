"""A first server: one tool, one resource, one resource template, one prompt."""

from mcpcore import NotFoundError, Server, ToolError

server = Server("weather", "1.0.0")

NOW = {"Oslo": "-3 °C and snow", "Lima": "19 °C and fog"}


@server.tool()
def get_weather(place: str) -> str:
    """Current weather of Oslo or Lima."""
    if place not in NOW:
        raise ToolError("No weather for this place; try Oslo or Lima.")
    return NOW[place]


@server.resource("weather://places", mime_type="text/plain")
def places() -> str:
    return "\n".join(NOW)


@server.resource("weather://place/{name}", mime_type="text/plain")
def place(name: str) -> str:
    if name not in NOW:
        raise NotFoundError("No such place")
    return NOW[name]


@server.prompt()
def forecast(place: str) -> str:
    return f"What will the weather be like in {place} tomorrow?"


if __name__ == "__main__":
    server.run()
