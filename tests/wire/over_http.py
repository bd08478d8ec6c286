"""The same corpus over HTTP: each line of the client is a POST with the headers that belong to it."""

import base64
import contextlib
import http.client
import json
import re
import signal
import socket
import subprocess
import threading
import urllib.parse

from scenario import PREFIX, Fault, Scenario, load

PATIENCE = 15.0
# What only a stream of bytes has: pieces, an end, and in these files ids that are remembered, cancellation by a message,
# limits of one connection, a response that nobody awaits, names and versions that no header can hold. And what HTTP alone
# asks for: headers for the arguments of a tool.
STREAM_ONLY = ("#bytes", "#text", "#split", "#eof")
FILES = ("base-duplicate-ids", "base-notifications", "cancel", "conformance-calls", "resources-crafted", "stdio-",
         "subscriptions-limit", "subscriptions.txtar", "versions.txtar")
# Where the name stands that Mcp-Name repeats.
NAMES = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri", "tasks/get": "taskId",
         "tasks/update": "taskId", "tasks/cancel": "taskId"}


def applies(item: Scenario) -> bool:
    """Whether the file is about more than a stream of bytes."""
    lines = item.sections.get("client", [])
    return "refused" not in item.sections and not item.session and not item.path.name.startswith(FILES) and not any(
        line.split(" ")[0] in STREAM_ONLY for line in lines
    )


def encoded(value: str) -> str:
    """A header value; what no header can hold goes in the Base64 wrapper."""
    plain = value.isascii() and value.isprintable() and value == value.strip() and not value.startswith("=?base64?")
    return value if plain else f"=?base64?{base64.b64encode(value.encode()).decode()}?="


def headers_of(line: bytes) -> dict[str, str]:
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
    }
    try:
        message = load(line.decode())
    except (ValueError, RecursionError, Fault):
        return headers
    if not isinstance(message, dict) or not isinstance(message.get("method"), str):
        return headers
    headers["Mcp-Method"] = encoded(message["method"])
    params = message.get("params")
    if isinstance(params, dict):
        name = params.get(NAMES.get(message["method"]))
        if isinstance(name, str):
            headers["Mcp-Name"] = encoded(name)
        meta = params.get("_meta")
        version = meta.get(PREFIX + "protocolVersion") if isinstance(meta, dict) else None
        if isinstance(version, str):
            headers["MCP-Protocol-Version"] = version
    return headers


class HttpHost:
    """One host process that listens, and what it has answered so far."""

    def __init__(self, command: list[str]) -> None:
        self.process = subprocess.Popen([*command, "--http", "0", "--http-option", "max-body=20000000"], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.messages: list[str] = []
        self.stderr = b""
        self.split = 0
        self.news = threading.Condition()
        self.open: list[http.client.HTTPConnection] = []
        found = None
        while not found:
            line = self.process.stderr.readline()
            if not line:
                raise Fault(f"the host did not say where it listens: {self.stderr.decode(errors='replace')[-500:]}")
            found = re.search(r"http://\S+", line.decode())
            self.stderr += line
        self.url = urllib.parse.urlsplit(found[0])
        self.collector = threading.Thread(target=self._collect, daemon=True)
        self.collector.start()
        self.threads = [self.collector]

    def _collect(self) -> None:
        while chunk := self.process.stderr.read1(1 << 16):
            self.stderr += chunk

    def send(self, data: bytes) -> None:
        line = data.removesuffix(b"\n")
        if not line.strip():
            return
        thread = threading.Thread(target=self._post, args=(line,), daemon=True)
        thread.start()
        # What was sent before is begun before.
        thread.join(0.03)

    def _post(self, line: bytes) -> None:
        connection = http.client.HTTPConnection(self.url.hostname, self.url.port, timeout=60)
        self.open.append(connection)
        try:
            connection.request("POST", self.url.path, line, headers_of(line))
            response = connection.getresponse()
            if response.getheader("Content-Type", "").startswith("text/event-stream"):
                while part := response.readline():
                    if part.startswith(b"data:"):
                        self._heard(part[5:].strip())
            else:
                text = response.read()
                if response.getheader("Content-Type") != "application/json":
                    text = text and json.dumps({"status": response.status, "text": text.decode()}).encode()
                if text:
                    self._heard(text)
        except (OSError, http.client.HTTPException, ValueError, AttributeError):
            pass  # the test hung up
        with self.news:
            self.news.notify_all()

    def _heard(self, text: bytes) -> None:
        with self.news:
            self.messages.append(text.decode("utf-8", "backslashreplace"))
            self.news.notify_all()

    def end(self) -> None:
        """Hangs up, and ends the host."""
        for connection in self.open:
            if connection.sock is not None:
                with contextlib.suppress(OSError):
                    connection.sock.shutdown(socket.SHUT_RDWR)
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise Fault("the host did not leave") from None
        self.collector.join(PATIENCE)
        if status != 0:
            raise Fault(f"the host left with status {status}: {self.stderr.decode(errors='replace')[-500:]}")
