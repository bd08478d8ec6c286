"""A server process that listens, for the soak tests over HTTP, and clients that are bare sockets."""

import os
import re
import resource
import signal
import socket
import subprocess
import threading

from server import META, Tally

LONG = 60
# IP_BIND_ADDRESS_NO_PORT: the port is chosen when the socket connects, so that it need only differ among its peers.
NO_PORT = 24


def raise_descriptors():
    """As many descriptors as this user may have."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return most


def body(id_, method, params=""):
    return f'{{"jsonrpc":"2.0","id":{id_},"method":"{method}","params":{{{params}{META}}}}}'.encode()


def post(id_, method, params="", name=None):
    """A whole request; `params` is JSON members, a comma after each."""
    text = body(id_, method, params)
    named = f"Mcp-Name: {name}\r\n" if name else ""
    return (
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n"
        f"Mcp-Method: {method}\r\n{named}Content-Length: {len(text)}\r\n\r\n"
    ).encode() + text


def call(id_, tool, arguments="{}"):
    return post(id_, "tools/call", f'"name":"{tool}","arguments":{arguments},', tool)


def watched(request, token):
    """The same request, asking for progress."""
    head, text = request.split(b"\r\n\r\n", 1)
    text = text.replace(b'"_meta":{', f'"_meta":{{"progressToken":"{token}",'.encode(), 1)
    return re.sub(rb"(?<=Content-Length: )\d+", str(len(text)).encode(), head) + b"\r\n\r\n" + text


def listen(id_, uris):
    quoted = ",".join(f'"{uri}"' for uri in uris)
    return post(id_, "subscriptions/listen", f'"notifications":{{"resourceSubscriptions":[{quoted}]}},')


class Service:
    """Starts the command on a free port of this machine, with options for HTTP; calls run where they arrive."""

    def __init__(self, command, *options):
        # glibc keeps freed memory of big blocks; what counts here is what the server holds.
        env = {**os.environ, "MALLOC_MMAP_THRESHOLD_": str(1 << 20), "MALLOC_ARENA_MAX": "2"}
        words = [*command, "--http", "0", "--catalog", "fx", "--inline"]
        for option in options:
            words += ["--http-option", option]
        self.process = subprocess.Popen(words, stderr=subprocess.PIPE, env=env)
        self.errors = []
        self.port = None
        for line in self.process.stderr:
            found = re.search(rb"http://127\.0\.0\.1:(\d+)/", line)
            if found:
                self.port = int(found[1])
                break
        if self.port is None:
            raise RuntimeError(f"the server does not listen: {self.errors}")
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stderr:
            self.errors.append(line.decode(errors="replace"))

    def connect(self, near=1):
        """A client; `near` is the last number of its address, each of which has ports of its own."""
        return Client(self.port, near)

    def memory(self, field="VmRSS"):
        """A size of /proc/PID/status in MiB."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return next(int(line.split()[1]) for line in status if line.startswith(field)) / 1024

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def threads(self):
        return len(os.listdir(f"/proc/{self.process.pid}/task"))

    def terminate(self):
        self.process.send_signal(signal.SIGTERM)

    def leave(self, seconds=LONG):
        """Ends the server and gives its exit status; None if it had to be killed."""
        if self.process.poll() is None:
            self.terminate()
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return None


class Client:
    """A socket, and what was read from it and not looked at."""

    def __init__(self, port, near=1):
        self.socket = socket.socket()
        self.socket.settimeout(LONG)
        if near > 1:
            self.socket.setsockopt(socket.IPPROTO_IP, NO_PORT, 1)
            self.socket.bind((f"127.0.0.{near}", 0))
        self.socket.connect(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.rest = b""

    def send(self, data):
        self.socket.sendall(data)

    def _fill(self):
        piece = self.socket.recv(1 << 16)
        if not piece:
            raise EOFError(f"the server closed; before: {self.rest[-200:]!r}")
        self.rest += piece

    def until(self, mark):
        while mark not in self.rest:
            self._fill()
        found, self.rest = self.rest.split(mark, 1)
        return found

    def exactly(self, count):
        while len(self.rest) < count:
            self._fill()
        found, self.rest = self.rest[:count], self.rest[count:]
        return found

    def head(self):
        """Status and headers, their names in lower case."""
        first, *lines = self.until(b"\r\n\r\n").decode("latin-1").split("\r\n")
        headers = dict(line.split(": ", 1) for line in lines)
        return int(first.split()[1]), {name.lower(): value for name, value in headers.items()}

    def chunk(self):
        """The next chunk; empty behind the last."""
        found = self.exactly(int(self.until(b"\r\n"), 16))
        self.exactly(2)
        return found

    def answer(self):
        """Status and body."""
        status, headers = self.head()
        if headers.get("transfer-encoding") == "chunked":
            return status, b"".join(iter(self.chunk, b""))
        return status, self.exactly(int(headers.get("content-length", 0)))

    def ask(self, request):
        self.send(request)
        return self.answer()

    def close(self):
        self.socket.close()


def run(usage, words, parts):
    """Runs the parts that the words name, or all, against a command. A part is called with the command, whether to be quick,
    and the tally."""
    quick = "--quick" in words
    words = [word for word in words if not word.startswith("--")]
    command = [word for word in words if word not in parts]
    if len(command) != 1:
        print(usage)
        return 2
    tally = Tally()
    raise_descriptors()
    for name in [word for word in words if word in parts] or parts:
        parts[name](command, quick, tally)
    return tally.close()
