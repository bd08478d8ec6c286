from mcpcore import Server

server = Server("greeter", "1.0.0")


@server.tool()
def greet(name: str) -> str:
    """Greets somebody."""
    return f"Hello {name}!"


server.run()
