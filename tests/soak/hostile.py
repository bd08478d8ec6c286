"""Hostile input over stdio: whatever comes, the server goes on answering and gives its memory back (R005, R031).

    python3 tests/soak/hostile.py [--quick] build/examples/everything

Every attack is followed by a request that must be answered. Nothing of an attack may be answered but with errors.
"""

import random
import sys
import threading

from server import Server, Tally, request, wait_until

MIB = 1 << 20
# The longest line that is read, as R005 has it.
LONGEST_LINE = 8 * MIB
# Room to grow into the longest line, and to parse it.
MOST_GROWTH_MIB = 40
MOST_KEPT_MIB = 16
ANSWER_SECONDS = 120
GARBAGE = b"garbage {}[]\",:0123456789 \xc3\xa4\xff\xfe\x00\x1b\x7f"


def endless_line(quick):
    """A line that does not end; at last it does."""
    for _ in range(40 if quick else 1024):
        yield b" " * MIB
    yield b"\n"
    for _ in range(20 if quick else 64):
        yield b'{"a":"' + b"x" * MIB
    yield b"\n"


def deep_nesting(_quick):
    """200 000 levels: open, closed, and hidden in a request's arguments."""
    depth = 200_000
    yield b"[" * depth + b"\n"
    yield b"[" * depth + b"]" * depth + b"\n"
    yield b'{"a":' * depth + b"1" + b"}" * depth + b"\n"
    deep = "[" * depth + "]" * depth
    yield request(1, "tools/call", f'"name":"echo","arguments":{{"text":"a","more":{deep}}},')
    yield request(f"[{deep}]", "tools/list")


def invalid_text(quick):
    """Bytes that are no UTF-8, and escapes that are no text, wherever text can stand."""
    broken = [b"\xff", b"\xc3", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xf8\x88\x80\x80\x80", b"\\ud800", b"\\u12", b"\x01"]
    for _ in range(20 if quick else 2000):
        for piece in broken:
            yield b'{"jsonrpc":"2.0","id":1,"method":"' + piece + b'"}\n'
            yield b'{"jsonrpc":"2.0","id":"' + piece + b'","method":"tools/list"}\n'
            yield request(2, "tools/call", '"name":"echo","arguments":{"text":"@"},').replace(b"@", piece)
            yield piece + b"\n"


def repeated_members(quick):
    """The same member twice at every level, and so often that comparing all with all would take for ever."""
    many = 20_000 if quick else 300_000
    yield b'{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/list"}\n'
    yield b'{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"tools/list"}\n'
    yield request(3, "tools/call", '"name":"echo","name":"echo","arguments":{"text":"a"},')
    yield request(4, "tools/call", '"name":"echo","arguments":{"text":"a","text":"b"},')
    yield request(5, "tools/call", '"name":"echo","arguments":{"text":"a","\\u0074ext":"b"},')
    same = ",".join(['"x":1'] * many)
    yield request(6, "tools/call", f'"name":"echo","arguments":{{"text":"a",{same}}},')
    different = ",".join(f'"x{number}":1' for number in range(many))
    yield request(7, "tools/call", f'"name":"echo","arguments":{{"text":"a",{different},"x1":1}},')


def garbage_lines(quick):
    """A million lines of nothing."""
    source = random.Random(1)
    lines = [bytes(source.choices(GARBAGE, k=source.randrange(60))).strip() or b"x" for _ in range(1000)]
    block = b"".join(line + b"\n" for line in lines)
    for _ in range(10 if quick else 1000):
        yield block


class Probe:
    """Watches what the server says: answers to probes, errors, and anything that should not be."""

    def __init__(self):
        self.answered = set()
        self.errors = 0
        self.strange = []
        self.reading = threading.Event()
        self.reading.set()

    def see(self, line):
        if b'"id":"probe-' in line and b'"result"' in line:
            self.answered.add(line.split(b'"probe-')[1].split(b'"')[0].decode())
        elif b'"error"' in line:
            self.errors += 1
        elif b'"id":8,' not in line:
            self.strange.append(line[:200])


def unread_answers(server, probe, tally, quick):
    """Requests whose answers nobody reads: far longer than the requests, so that what is owed must be bounded."""
    server.forget_peak()
    before = server.memory("VmRSS")
    probe.reading.clear()
    ask = request(8, "tools/list") * 100
    taken = server.send_while_taken(ask, 100 if quick else 1000, 3)
    grown = server.memory("VmHWM") - before
    tally.check(grown <= MOST_GROWTH_MIB, f"unread answers: memory grew by {grown:.1f} MiB for {taken * 100} requests")
    probe.reading.set()
    server.send(request('"probe-unread"', "server/discover"))
    tally.check(wait_until(lambda: "unread" in probe.answered, ANSWER_SECONDS), "unread answers: the next request is answered")


def attack(server, probe, tally, name, pieces):
    """One attack, then a request, then a look at the memory."""
    server.forget_peak()
    before, errors = server.memory("VmRSS"), probe.errors
    lines = 0
    for piece in pieces:
        server.send(piece)
        lines += piece.count(b"\n")
    server.send(request(f'"probe-{name}"', "server/discover"))
    tally.check(wait_until(lambda: name in probe.answered, ANSWER_SECONDS), f"{name}: the next request is answered")
    answers = probe.errors - errors
    tally.check(0 < answers <= lines, f"{name}: {answers} errors for {lines} lines")
    grown = server.memory("VmHWM") - before
    tally.check(grown <= MOST_GROWTH_MIB, f"{name}: memory grew by {grown:.1f} MiB at most")


def main(words):
    quick = "--quick" in words
    command = [word for word in words if word != "--quick"]
    if not command:
        print(__doc__)
        return 2
    tally, probe = Tally(), Probe()
    server = Server([*command, "--stdio", "--catalog", "fx", "--max-message", str(LONGEST_LINE)], probe.see, probe.reading.wait)
    server.send(request('"probe-start"', "server/discover"))
    tally.check(wait_until(lambda: "start" in probe.answered, ANSWER_SECONDS), "the server answers")
    start = server.memory("VmRSS")
    for name, make in [
        ("endless line", endless_line),
        ("deep nesting", deep_nesting),
        ("invalid text", invalid_text),
        ("repeated members", repeated_members),
        ("garbage lines", garbage_lines),
    ]:
        attack(server, probe, tally, name, make(quick))
        kept = wait_until(lambda: server.memory("VmRSS") - start <= MOST_KEPT_MIB, 5)
        tally.check(kept, f"{name}: {server.memory('VmRSS') - start:.1f} MiB more than at the start are kept")
    unread_answers(server, probe, tally, quick)
    tally.check(not probe.strange, f"nothing but errors was answered to it {probe.strange[:3]}")
    status = server.leave(20)
    tally.check(status == 0, f"the server leaves with status {status}")
    return tally.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
