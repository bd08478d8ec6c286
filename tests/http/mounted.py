#!/usr/bin/env python3
"""Shows that the endpoint inside a foreign web server (ffi/examples/mounted.c) answers as the library's own listener."""

import http.client
import json
import re
import signal
import socket
import subprocess
import sys
import threading

META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
passed = failed = 0


def check(name: str, holds: bool, seen: object = None) -> None:
    global passed, failed
    passed += holds
    failed += not holds
    if not holds:
        print(f"FAIL {name}: {seen!r}")


def head(method: str, name: str = "") -> dict[str, str]:
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": method,
    }
    return {**headers, "Mcp-Name": name} if name else headers


def body(number: int, method: str, **params: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": {**params, "_meta": META}}).encode()


def greet(number: int, name: str) -> bytes:
    return body(number, "tools/call", name="greet", arguments={"name": name})


def answer(connection: http.client.HTTPConnection) -> tuple[int, dict]:
    response = connection.getresponse()
    text = response.read()
    return response.status, json.loads(text) if text else {}


def plain(port: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    for number in range(20):
        connection.request("POST", "/mcp?q=1", greet(number, "Ada"), head("tools/call", "greet"))
        status, found = answer(connection)
        check("call", status == 200 and found["id"] == number and "Hello Ada!" in json.dumps(found), found)
    connection.request("POST", "/mcp", body(1, "tools/list"), head("tools/list"))
    status, found = answer(connection)
    check("list", status == 200 and found["result"]["tools"][0]["name"] == "greet", found)
    connection.request("POST", "/mcp", iter([greet(2, "in")[:9], greet(2, "in")[9:]]), head("tools/call", "greet"))
    status, found = answer(connection)
    check("chunks", status == 200 and "Hello in!" in json.dumps(found), found)
    long = "x" * 100_000
    connection.request("POST", "/mcp", greet(3, long), head("tools/call", "greet"))
    check("a long body", answer(connection)[0] == 200)
    connection.request("POST", "/mcp", greet(3, "Ada"), head("tools/call", "other"))
    status, found = answer(connection)
    check("a wrong header", status == 400 and found["error"]["code"] == -32020, found)


def refused(port: int) -> None:
    cases = [
        ("GET", "/mcp", b"", {"MCP-Protocol-Version": "2026-07-28"}, 405),
        ("GET", "/mcp", b"", {}, 400),
        ("POST", "/else", b"{}", head("tools/list"), 404),
        ("POST", "/mcp", b"{}", {**head("tools/list"), "Content-Type": "text/plain"}, 415),
        ("POST", "/mcp", b"{}", {**head("tools/list"), "Origin": "https://evil.example"}, 403),
        ("POST", "/mcp", b"{}", {**head("tools/list"), "Host": "evil.example"}, 403),
        ("OPTIONS", "/mcp", b"", {"Origin": "http://localhost:1", "Access-Control-Request-Method": "POST"}, 204),
        ("POST", "/mcp", b"x" * (1 << 21), head("tools/list"), 413),
    ]
    for method, path, text, headers, wanted in cases:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        try:
            connection.request(method, path, text, headers)
        except (BrokenPipeError, ConnectionResetError):
            pass  # refused before it was read
        status = connection.getresponse().status
        check(f"{method} {path} {wanted}", status == wanted, status)


def waits_for_permission(port: int) -> None:
    """Expect: 100-continue: the body is sent when it is wanted."""
    text = greet(1, "patience")
    lines = "".join(f"{name}: {value}\r\n" for name, value in head("tools/call", "greet").items())
    with socket.create_connection(("127.0.0.1", port), 10) as peer:
        peer.sendall(f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{lines}Expect: 100-continue\r\n"
                     f"Content-Length: {len(text)}\r\n\r\n".encode())
        check("100", peer.recv(1000).startswith(b"HTTP/1.1 100"))
        peer.sendall(text)
        check("after 100", b"200 OK" in peer.recv(10000))


def many(port: int) -> None:
    def run(number: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        for _ in range(50):
            connection.request("POST", "/mcp", greet(number, f"n{number}"), head("tools/call", "greet"))
            status, found = answer(connection)
            check("one of many", status == 200 and f"Hello n{number}!" in json.dumps(found), found)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def listens(port: int) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    text = body(5, "subscriptions/listen", notifications={"toolsListChanged": True})
    connection.request("POST", "/mcp", text, head("subscriptions/listen"))
    response = connection.getresponse()
    check("stream", response.getheader("Content-Type") == "text/event-stream", response.headers)
    line = b""
    while not line.startswith(b"data:"):
        line = response.readline()
    check("acknowledged", b"acknowledged" in line, line)
    return response


def main() -> int:
    server = subprocess.Popen([sys.argv[1], "0"], stderr=subprocess.PIPE, text=True)
    port = int(re.search(r":(\d+)/mcp", server.stderr.readline())[1])
    plain(port)
    refused(port)
    waits_for_permission(port)
    many(port)
    gone = listens(port)
    gone.close()
    stream = listens(port)
    server.send_signal(signal.SIGTERM)
    rest = stream.read()
    check("ends with its result", b'"id":5' in rest and b'"result"' in rest, rest)
    code = server.wait(timeout=10)
    check("ends", code == 0, code)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
