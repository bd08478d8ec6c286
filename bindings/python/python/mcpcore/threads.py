"""Threads that answer what may block."""

from __future__ import annotations

from weakref import ref

from . import calls
from ._mcpcore import Authorization

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextvars import Context

    from ._mcpcore import Jobs
    from .server import Server


class Threads:
    """The threads of one server: started as they are needed, daemons, since a function that blocks cannot be ended."""

    def __init__(self, server: Server, jobs: Jobs) -> None:
        self._server = ref(server)
        self._jobs = jobs
        self._number = 0

    def ensure(self) -> None:
        """Sees to it that somebody waits for work, as far as the limit goes."""
        if self._jobs.more():
            self._start()

    def _start(self) -> None:
        from threading import Thread

        self._number += 1
        name = f"mcpcore-{self._number}"
        Thread(target=work, args=(self._server, self._jobs, ref(self)), name=name, daemon=True).start()


def work(server_ref: ref[Server], jobs: Jobs, threads_ref: ref[Threads]) -> None:
    """Answers one call after the other. Between two of them nothing keeps the server alive."""
    while True:
        job = jobs.take()
        if job is None:
            return
        call, context, more = job
        server = server_ref()
        if more:
            threads = threads_ref()
            if threads is not None:
                threads._start()
            del threads
        if server is None:
            call._drop()
        else:
            where: Context = context if context is not None else server._context.copy()
            if type(call) is Authorization:
                from .http import ask

                where.run(ask, server, call)
            else:
                where.run(calls.run, server, call)
            del where
        del job, call, context, server
