"""Slow senders: so many connections, each of which sends a byte a second and begins again when it is cut.

    python3 tests/soak/senders.py PORT CONNECTIONS

Says `ready` once all are open, and goes on until its input ends. A process of its own, since descriptors are limited.
"""

import os
import select
import socket
import sys
import time

from service import NO_PORT, call, raise_descriptors

# Every other sender has sent its head already.
REQUEST = call(1, "echo", '{"text":"slow"}')
HEAD = REQUEST.index(b"\r\n\r\n") + 4
# Ports of one address that are surely free.
PORTS = 5_000


class Sender:
    def __init__(self, port, number):
        self.port, self.number = port, number
        self.socket = None
        self.sent = 0

    def begin(self):
        self.socket = socket.socket()
        self.socket.setsockopt(socket.IPPROTO_IP, NO_PORT, 1)
        self.socket.bind((f"127.0.0.{2 + self.number // PORTS}", 0))
        self.socket.setblocking(False)
        try:
            self.socket.connect(("127.0.0.1", self.port))
        except BlockingIOError:
            pass
        self.sent = 0

    def go_on(self):
        """A byte more; whatever the server says ends the connection."""
        piece = REQUEST[self.sent : self.sent + 1]
        if self.sent == 0 and self.number % 2:
            piece = REQUEST[: HEAD + 1]
        try:
            self.sent += self.socket.send(piece or b" ")
            self.socket.recv(1 << 10)
        except BlockingIOError:
            return
        except OSError:
            pass
        self.socket.close()
        self.begin()


def main(words):
    port, count = map(int, words)
    raise_descriptors()
    senders = [Sender(port, number) for number in range(count)]
    for number, sender in enumerate(senders):
        sender.begin()
        if number % 200 == 0:
            time.sleep(0.02)  # the server's queue is not endless
    first = True
    while not select.select([sys.stdin], [], [], 0)[0]:
        start = time.monotonic()
        for number, sender in enumerate(senders):
            sender.go_on()
            # Spread over the second, as if they knew nothing of each other.
            if number % 500 == 499:
                ahead = start + number / count - time.monotonic()
                if ahead > 0:
                    time.sleep(ahead)
        if first:
            print("ready", flush=True)
            first = False
        time.sleep(max(0, start + 1 - time.monotonic()))
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
