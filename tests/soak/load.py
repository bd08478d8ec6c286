"""Load over stdio: pipelined calls, a reader that dawdles, cancels at random (CANCEL-03, CANCEL-06, STDIO-08).

    python3 tests/soak/load.py [--quick] build/examples/everything

Every id is answered at most once and none is lost. What was cancelled is not answered after a fence: the answer to any
request that was sent after the cancel shows that the cancel had been read, so nothing may follow it.
"""

import json
import random
import sys
import threading
import time

from server import Server, Tally, request, wait_until

QUIET_SECONDS = 30
CANCEL_SHARE = 0.1
SLEEP_SHARE = 0.03
LOOK_BACK = 400


class Ledger:
    """What was sent, cancelled and answered. Ids are numbers in the order of sending."""

    def __init__(self):
        self.lock = threading.Lock()
        self.sent = 0
        self.cancelled = {}  # id → the highest id that was sent before its cancel
        self.answers = {}
        self.highest_answered = -1
        self.twice, self.late, self.wrong = [], [], []

    def next(self):
        with self.lock:
            self.sent += 1
            return self.sent - 1

    def cancel(self, id_):
        with self.lock:
            self.cancelled.setdefault(id_, self.sent - 1)

    def see(self, line):
        message = json.loads(line)
        id_ = message.get("id")
        with self.lock:
            if not isinstance(id_, int) or "result" not in message:
                self.wrong.append(line[:200])
                return
            if id_ in self.answers:
                self.twice.append(id_)
            if id_ in self.cancelled and self.cancelled[id_] < self.highest_answered:
                self.late.append(id_)
            self.answers[id_] = message["result"]
            self.highest_answered = max(self.highest_answered, id_)

    def lost(self):
        """Ids that are owed an answer."""
        with self.lock:
            return [id_ for id_ in range(self.sent) if id_ not in self.answers and id_ not in self.cancelled]


def dawdle(source):
    """Now and then the reader does not read for a while, so that pipes and queues fill."""
    if source.random() < 0.05:
        time.sleep(0.02)


def send_calls(server, ledger, count, source):
    """Sends the calls without ever waiting for an answer."""
    sleeper = 0
    for _ in range(count):
        id_ = ledger.next()
        if source.random() < SLEEP_SHARE:
            sleeper = id_
            arguments = f'"name":"sleep","arguments":{{"ms":{source.randrange(1, 6)}}},'
        else:
            arguments = f'"name":"echo","arguments":{{"text":"t{id_}"}},'
        server.send(request(id_, "tools/call", arguments))
        if source.random() < CANCEL_SHARE:
            # Every other time one that is likely to be at work still, so that cancels come in time as well as late.
            victim = source.choice([sleeper, source.randrange(max(0, id_ - LOOK_BACK), id_ + 1)])
            ledger.cancel(victim)
            server.send(
                b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d,"reason":"soak"}}\n' % victim
            )


def settle(server, ledger):
    """Waits until nothing is owed, then asks once more: a fence for all cancels."""
    while ledger.lost():
        before = len(ledger.answers)
        if not wait_until(lambda: len(ledger.answers) > before or not ledger.lost(), QUIET_SECONDS):
            return
    fence = ledger.next()
    server.send(request(fence, "server/discover"))
    wait_until(lambda: fence in ledger.answers, QUIET_SECONDS)
    time.sleep(0.2)


def run(command, name, count, tally):
    """One load against one server."""
    ledger, source, pauses = Ledger(), random.Random(7), random.Random(8)
    server = Server(command, ledger.see, lambda: dawdle(pauses))
    start = time.monotonic()
    send_calls(server, ledger, count, source)
    settle(server, ledger)
    seconds = time.monotonic() - start
    lost = ledger.lost()
    mixed = [
        id_ for id_, result in ledger.answers.items()
        if result.get("content") and result["content"][0]["text"] not in (f"t{id_}",)
        and not result["content"][0]["text"].startswith("slept ")
    ]
    kept_quiet = [id_ for id_ in ledger.cancelled if id_ not in ledger.answers]
    tally.check(not lost, f"{name}: none of {ledger.sent} requests is lost {lost[:5]}")
    tally.check(not ledger.twice, f"{name}: none is answered twice {ledger.twice[:5]}")
    tally.check(not ledger.late, f"{name}: none is answered after a fence behind its cancel {ledger.late[:5]}")
    tally.check(not ledger.wrong, f"{name}: every message is a result {ledger.wrong[:3]}")
    tally.check(not mixed, f"{name}: every answer is that of its call {mixed[:5]}")
    # Without one such the checks above would show nothing about cancels.
    tally.check(kept_quiet, f"{name}: {len(kept_quiet)} of {len(ledger.cancelled)} cancels came in time, {seconds:.1f} s")
    status = server.leave(20)
    tally.check(status == 0, f"{name}: the server leaves with status {status}")


def main(words):
    quick = "--quick" in words
    command = [word for word in words if word != "--quick"]
    if not command:
        print(__doc__)
        return 2
    tally = Tally()
    count = 5_000 if quick else 100_000
    flags = ["--stdio", "--catalog", "fx"]
    run([*command, *flags], "pool", count, tally)
    run([*command, *flags, "--inline"], "inline", count, tally)
    return tally.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
