"""A WSGI application over an endpoint. It serves no subscriptions, and does not see a client hang up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .doors import _answer_here
from .http import ask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._mcpcore import Endpoint, Exchange
    from .server import Server

WANT, HEAD, DATA, _, WHOLE = range(5)
CHUNK = 64 << 10
# The connection is the web server's own.
_HOP_BY_HOP = {b"connection", b"keep-alive", b"transfer-encoding"}

Environ = dict[str, Any]
StartResponse = Callable[..., Any]


class Wsgi:
    """The application."""

    def __init__(self, server: Server, options: dict[str, Any]) -> None:
        self._server = server
        self._endpoint: Endpoint = server._engine().endpoint({"sessions": "stateless", **options, "max_streams": 0})
        server._opened = True

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        peer = environ.get("REMOTE_ADDR")
        exchange, arrived = self._endpoint.begin(
            environ["REQUEST_METHOD"],
            environ.get("PATH_INFO") or "/",
            _headers(environ),
            (peer, _number(environ.get("REMOTE_PORT"))) if peer else None,
        )
        try:
            for question in arrived:
                self._ask(question)
            part = exchange.wait()
            if part[0] == WANT:
                self._read(exchange, environ)
                part = exchange.wait()
        except BaseException:
            exchange.close()
            raise
        status = part[1]
        headers = [(name.decode(), value.decode("latin-1")) for name, value in part[2] if name not in _HOP_BY_HOP]
        start_response(f"{status} {_reason(status)}", headers)
        if part[0] == WHOLE:
            exchange.close()
            return [part[3]]
        return _parts(exchange)

    def _ask(self, question: Any) -> None:
        if question._threaded:
            ask(self._server, question)
            return
        post = self._server._private_loop().post
        loop = None if post is None else post.loop
        if post is None or loop is None:
            question._drop()
        else:
            loop.call_soon_threadsafe(post.start, question)

    def _read(self, exchange: Exchange, environ: Environ) -> None:
        """Reads the body, and answers on this thread what it brings."""
        body = environ["wsgi.input"]
        left = _number(environ.get("CONTENT_LENGTH"))
        # Without a length the input ends by itself, where the server says so.
        endless = environ.get("wsgi.input_terminated", False) and not environ.get("CONTENT_LENGTH")
        while left > 0 or endless:
            chunk = body.read(CHUNK if endless else min(left, CHUNK))
            if not chunk:
                break
            left -= len(chunk)
            exchange.body(chunk, False)
        arrived = exchange.body(b"", True)
        if arrived:
            _answer_here(self._server, arrived)


def _parts(exchange: Exchange) -> Iterator[bytes]:
    try:
        while True:
            part = exchange.wait()
            if part[0] == DATA:
                yield part[1]
                if part[2]:
                    return
            elif part[0] not in (WANT, HEAD):
                return
    finally:
        exchange.close()


def _number(text: Any) -> int:
    try:
        return int(text)
    except (TypeError, ValueError):
        return 0


def _headers(environ: Environ) -> list[tuple[bytes, bytes]]:
    found = [
        (name[5:].replace("_", "-").lower().encode(), str(value).encode("latin-1"))
        for name, value in environ.items()
        if name.startswith("HTTP_")
    ]
    for name in ("CONTENT_TYPE", "CONTENT_LENGTH"):
        if environ.get(name):
            found.append((name.replace("_", "-").lower().encode(), str(environ[name]).encode("latin-1")))
    return found


def _reason(status: int) -> str:
    from http import HTTPStatus

    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown"
