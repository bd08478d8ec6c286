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
# limits of one connection, names and versions that no header can hold, responses in one array where a stream of events has
# begun. And what HTTP alone asks for: headers for the arguments of a tool.
STREAM_ONLY = ("#bytes", "#text", "#split", "#eof")
FILES = ("base-duplicate-ids", "base-notifications", "cancel", "conformance-calls", "legacy-batch", "legacy-cancel",
         "legacy-eras", "resources-crafted", "stdio-", "subscriptions-limit", "subscriptions.txtar", "versions.txtar")
# Where the name stands that Mcp-Name repeats.
NAMES = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri", "tasks/get": "taskId",
         "tasks/update": "taskId", "tasks/cancel": "taskId"}


def applies(item: Scenario) -> bool:
    """Whether the file is about more than a stream of bytes."""
    lines = item.sections.get("client", [])
    return "refused" not in item.sections and not item.path.name.startswith(FILES) and not any(
        line.split(" ")[0] in STREAM_ONLY for line in lines
    )


def encoded(value: str) -> str:
    """A header value; what no header can hold goes in the Base64 wrapper."""
    plain = value.isascii() and value.isprintable() and value == value.strip() and not value.startswith("=?base64?")
    return value if plain else f"=?base64?{base64.b64encode(value.encode()).decode()}?="


class Session:
    """What a client of an older revision remembers."""

    def __init__(self) -> None:
        self.id = ""
        self.revision = ""

    def headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        if self.id:
            headers["Mcp-Session-Id"] = self.id
        if self.revision in ("2025-06-18", "2025-11-25"):
            headers["MCP-Protocol-Version"] = self.revision
        return headers


def is_modern(message: object) -> bool:
    """Whether a message names its revision."""
    params = message.get("params") if isinstance(message, dict) else None
    meta = params.get("_meta") if isinstance(params, dict) else None
    return isinstance(meta, dict) and PREFIX + "protocolVersion" in meta


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

    sessions = False

    def __init__(self, command: list[str]) -> None:
        self.session = Session() if self.sessions else None
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
        opens = self.session is not None and b'"initialize"' in line and not line.startswith(b"[")
        thread = threading.Thread(target=self._post, args=(line, opens), daemon=True)
        thread.start()
        # What was sent before is begun before, and nothing is sent in a session before there is one.
        thread.join(PATIENCE if opens else 0.03)

    def _headers(self, line: bytes, opens: bool) -> dict[str, str]:
        if self.session is None:
            return headers_of(line)
        try:
            modern = is_modern(load(line.decode()))
        except (ValueError, RecursionError, Fault):
            modern = False
        if modern:
            return headers_of(line)
        return Session().headers() if opens else self.session.headers()

    def _opened(self, response: http.client.HTTPResponse, text: bytes) -> None:
        """A session was opened: from now on it is named, and its stream is read."""
        self.session.id = response.getheader("Mcp-Session-Id", "")
        self.session.revision = load(text.decode()).get("result", {}).get("protocolVersion", "")
        if self.session.id:
            reading = threading.Event()
            threading.Thread(target=self._listen, args=(self.session.headers(), reading), daemon=True).start()
            reading.wait(PATIENCE)

    def _listen(self, headers: dict[str, str], reading: threading.Event) -> None:
        connection = http.client.HTTPConnection(self.url.hostname, self.url.port, timeout=60)
        self.open.append(connection)
        try:
            connection.request("GET", self.url.path, None, headers)
            response = connection.getresponse()
            reading.set()
            self._events(response)
        except (OSError, http.client.HTTPException, ValueError, AttributeError):
            pass  # the test hung up

    def _events(self, response: http.client.HTTPResponse) -> None:
        while part := response.readline():
            if part.startswith(b"data:") and part[5:].strip():
                self._heard(part[5:].strip())

    def _post(self, line: bytes, opens: bool) -> None:
        connection = http.client.HTTPConnection(self.url.hostname, self.url.port, timeout=60)
        self.open.append(connection)
        try:
            connection.request("POST", self.url.path, line, self._headers(line, opens))
            response = connection.getresponse()
            if response.getheader("Content-Type", "").startswith("text/event-stream"):
                self._events(response)
            else:
                text = response.read()
                if opens and response.status == 200:
                    self._opened(response, text)
                if response.status == 400 and b'"method"' not in line and b"where none is awaited" in text:
                    return  # only HTTP can say so
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
