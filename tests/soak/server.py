"""A server process on pipes, for the soak tests: send bytes, see every line that it answers, look at its memory."""

import os
import select
import subprocess
import threading
import time

META = (
    '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",'
    '"io.modelcontextprotocol/clientInfo":{"name":"soak","version":"1.0.0"},'
    '"io.modelcontextprotocol/clientCapabilities":{}}'
)
PIECE = 1 << 16


def request(id_, method, params=""):
    """One request as a line; `params` is JSON members, a comma after each."""
    return f'{{"jsonrpc":"2.0","id":{id_},"method":"{method}","params":{{{params}{META}}}}}\n'.encode()


class Server:
    """Starts the command. `on_line` is called with each line, in order, on a thread of its own; `pause` before reads."""

    def __init__(self, command, on_line, pause=lambda: None):
        self.rest = b""  # what of a message the server did not take
        # glibc keeps up to 32 MiB of freed memory once a big block was freed. What counts here is what the server holds,
        # so big blocks go back at once; the variable means nothing elsewhere.
        env = {**os.environ, "MALLOC_MMAP_THRESHOLD_": str(1 << 20)}
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, env=env)
        self.reader = threading.Thread(target=self._read, args=(on_line, pause), daemon=True)
        self.reader.start()

    def _read(self, on_line, pause):
        rest = b""
        while True:
            pause()
            piece = os.read(self.process.stdout.fileno(), PIECE)
            if not piece:
                return
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                on_line(line)

    def send_while_taken(self, data, times, patience):
        """Writes the same again and again until the server takes no more for `patience` seconds. Says how often."""
        for sent in range(times):
            view = memoryview(data)
            while view:
                if not select.select([], [self.process.stdin], [], patience)[1]:
                    self.rest = bytes(view)
                    return sent
                # A pipe that is writable takes as much at once without waiting.
                view = view[os.write(self.process.stdin.fileno(), view[: select.PIPE_BUF]) :]
        return times

    def send(self, data):
        """Writes all of it, however long the server takes to read it."""
        data, self.rest = self.rest + data, b""
        view = memoryview(data)
        while view:
            view = view[os.write(self.process.stdin.fileno(), view[: 16 * PIECE]) :]

    def memory(self, field):
        """A size of /proc/PID/status in MiB: VmRSS now, VmHWM the most since the last `forget_peak`."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return next(int(line.split()[1]) for line in status if line.startswith(field)) / 1024

    def forget_peak(self):
        """Lets VmHWM start again from what is resident now."""
        with open(f"/proc/{self.process.pid}/clear_refs", "w", encoding="ascii") as refs:
            refs.write("5")

    def leave(self, seconds):
        """Closes the input and gives the exit status; None if the server had to be killed."""
        self.process.stdin.close()
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return None
        self.reader.join(seconds)
        return status


def wait_until(condition, seconds):
    """Whether the condition came true in time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.005)
    return True


class Tally:
    """Counts checks, and prints those that fail."""

    def __init__(self):
        self.passed = self.failed = 0

    def check(self, good, what):
        self.passed, self.failed = self.passed + bool(good), self.failed + (not good)
        print(f"{'ok  ' if good else 'FAIL'}  {what}", flush=True)

    def close(self):
        print(f"{self.passed} passed, {self.failed} failed")
        return self.failed != 0
