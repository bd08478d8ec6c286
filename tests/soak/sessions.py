"""Sessions over HTTP in numbers: clients that open one and leave, that steal an id, that never read.

    python3 tests/soak/sessions.py [--quick] [PART …] build/examples/everything

Parts: churn stolen silent; all if none is named. (LEG-19, LEG-34, LEG-42.)
"""

import json
import random
import socket
import struct
import sys
import time

from server import wait_until
from service import LONG, Service, run

IDLE_MS = 2000
# Sessions that come before those are idle for too long.
AT_ONCE = 2_500
MOST_KEPT_MIB = 2.0
# Of each silent session, by the options that are set here, and what may come for all together.
REPLAY = 16 << 10
QUEUE = 64 << 10
MOST_BESIDES_MIB = 48.0


def request(verb, session=None, body=None, more=""):
    """A whole request of a client of 2025-11-25."""
    text = b"" if body is None else json.dumps({"jsonrpc": "2.0", **body}).encode()
    accept = "text/event-stream" if verb == "GET" else "application/json, text/event-stream"
    named = f"Mcp-Session-Id: {session}\r\nMCP-Protocol-Version: 2025-11-25\r\n" if session else ""
    typed = f"Content-Type: application/json\r\nContent-Length: {len(text)}\r\n" if body is not None else ""
    return f"{verb} /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: {accept}\r\n{named}{typed}{more}\r\n".encode() + text


def ask(session, method, params=None, more=""):
    return request("POST", session, {"id": 1, "method": method, "params": params or {}}, more)


CLIENT = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "soak", "version": "1.0.0"}}


def begin(client, more=""):
    """Opens a session; its id."""
    client.send(ask(None, "initialize", CLIENT, more))
    status, headers = client.head()
    client.exactly(int(headers["content-length"]))
    if status != 200:
        raise RuntimeError(f"a session is refused: {status}")
    session = headers["mcp-session-id"]
    status, _ = client.ask(request("POST", session, {"method": "notifications/initialized"}, more))
    if status != 202:
        raise RuntimeError(f"a notification is answered {status}")
    return session


def watch(client, session):
    """Opens the stream for what nobody asked about."""
    client.send(request("GET", session))
    status, headers = client.head()
    if status != 200 or headers["content-type"] != "text/event-stream":
        raise RuntimeError(f"no stream: {status} {headers}")


def reset(client):
    """Leaves without a word, and without a port that waits."""
    client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()


def churn(command, quick, tally):
    """Sessions whose clients leave cost nothing once they are idle."""
    count = 3_000 if quick else 50_000
    service = Service(command, f"session-idle={IDLE_MS}")
    source = random.Random(7)

    def come_and_go(times):
        for number in range(times):
            client = service.connect(2 + source.randrange(100))
            watch(client, begin(client))
            reset(client)
            if number % AT_ONCE == AT_ONCE - 1:
                settle()

    def settle():
        time.sleep(IDLE_MS / 1000 + 0.5)
        return service.descriptors()

    first = service.connect()
    session = begin(first)
    start = service.memory()
    # The allocator does not give back what it took for the most there were at once, so there are as many at once later.
    come_and_go(min(count, 4 * AT_ONCE))
    descriptors, before, threads = settle(), service.memory(), service.threads()
    print(f"      {before - start:.1f} MiB are kept of the first")
    start = time.monotonic()
    come_and_go(count)
    seconds, most = time.monotonic() - start, service.memory("VmHWM")
    print(f"      {count} sessions in {seconds:.1f} s, {most - before:.1f} MiB more at most")
    settle()
    back = wait_until(lambda: service.descriptors() <= descriptors, LONG)
    tally.check(back, f"churn: {service.descriptors()} descriptors after {count} sessions, {descriptors} before")
    kept = wait_until(lambda: service.memory() - before <= MOST_KEPT_MIB, 10)
    tally.check(kept, f"churn: {service.memory() - before:.2f} MiB more than before are kept (at most {MOST_KEPT_MIB})")
    tally.check(service.threads() <= threads, f"churn: {service.threads()} threads, {threads} before")
    status, _ = service.connect().ask(ask(session, "ping"))
    tally.check(status == 404, f"churn: a session that was idle for too long is gone: {status}")
    client = service.connect()
    status, _ = client.ask(ask(begin(client), "ping"))
    tally.check(status == 200, f"churn: a new session is served: {status}")
    tally.check(service.leave() == 0, "churn: the server leaves with status 0")


def stolen(command, quick, tally):
    """Whoever comes with the session of somebody else is told that there is none."""
    count = 200 if quick else 5_000
    service = Service([*command, "--bearer"])
    ann, bob = (f"Authorization: Bearer {name}\r\n" for name in ("ann", "bob"))
    owner, thief = service.connect(), service.connect()
    sessions = [begin(owner, ann) for _ in range(count)]
    tries = [
        lambda session: ask(session, "ping", more=bob),
        lambda session: ask(session, "tools/call", {"name": "none", "arguments": {}}, bob),
        lambda session: request("POST", session, {"method": "notifications/initialized"}, bob),
        lambda session: request("POST", session, {"id": 1, "result": {}}, bob),
        lambda session: request("GET", session, more=bob),
        lambda session: request("GET", session, more=bob + "Last-Event-ID: 1\r\n"),
        lambda session: request("DELETE", session, more=bob),
    ]
    told = [thief.ask(tries[number % len(tries)](session))[0] for number, session in enumerate(sessions)]
    tally.check(set(told) == {404}, f"stolen: {count} stolen ids are all 404: {sorted(set(told))}")
    served = [owner.ask(ask(session, "ping", more=ann))[0] for session in sessions]
    tally.check(set(served) == {200}, f"stolen: their owner is served all the while: {sorted(set(served))}")
    tally.check(len(set(sessions)) == count, "stolen: no id comes twice")
    tally.check(service.leave() == 0, "stolen: the server leaves with status 0")


def silent(command, quick, tally):
    """Sessions whose streams nobody reads cost what the options allow."""
    count, updates = (200, 1_000) if quick else (1_000, 10_000)
    service = Service(command, f"session-replay={REPLAY}", f"stream-queue={QUEUE}", "max-sessions=2000")
    uris = [f"mem://soak/{number}/{'a' * 200}" for number in range(40)]
    clients = []
    before = service.memory()
    for number in range(count):
        client = service.connect()
        session = begin(client)
        for uri in uris[:: 1 if number % 10 == 0 else 8]:
            client.ask(ask(session, "resources/subscribe", {"uri": uri}))
        # Half of them never even open it.
        if number % 2:
            client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
            watch(client, session)
        clients.append(client)
    opened = service.memory()
    reader, driver = service.connect(), service.connect()
    session = begin(reader)
    for uri in uris:
        reader.ask(ask(session, "resources/subscribe", {"uri": uri}))
    other = begin(driver)
    source = random.Random(11)
    start = time.monotonic()
    for number in range(updates):
        call = {"name": "touch", "arguments": {"uri": source.choice(uris)}}
        if number % 100 == 0:
            call = {"name": "toggle", "arguments": {"what": "tool"}}
        status, _ = driver.ask(ask(other, "tools/call", call))
        if status != 200:
            raise RuntimeError(f"a call beside silent sessions is answered {status}")
    grown, most = service.memory("VmHWM") - before, count * (REPLAY + QUEUE) / (1 << 20) + MOST_BESIDES_MIB
    print(
        f"      {count} sessions took {opened - before:.1f} MiB, {updates} updates in {time.monotonic() - start:.1f} s "
        f"made that {grown:.1f} MiB"
    )
    tally.check(grown <= most, f"silent: memory grew by {grown:.1f} MiB (at most {most:.0f})")
    watch(reader, session)
    seen = b""
    driver.ask(ask(other, "tools/call", {"name": "touch", "arguments": {"uri": uris[-1]}}))
    mark = json.dumps(uris[-1]).encode()
    while mark not in seen:
        seen += reader.chunk()
    tally.check(True, "silent: who reads is told")
    for client in clients:
        client.close()
    tally.check(service.leave() == 0, "silent: the server leaves with status 0")


PARTS = {"churn": churn, "stolen": stolen, "silent": silent}


if __name__ == "__main__":
    sys.exit(run(__doc__, sys.argv[1:], PARTS))
