"""Faults and load over HTTP: slow senders, silent readers, hang-ups, a stop under load, a proxy, a long life.

    python3 tests/soak/http.py [--quick] [--need-nginx] [PART …] build/examples/everything

Parts: senders streams hang-ups stop proxy life; all if none is named. Without nginx the part `proxy` is left out, unless
it is said to be needed. (HTTP-18, HTTP-25, R049, R051, B-122.)
"""

import json
import random
import shutil
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from server import wait_until
from service import LONG, Client, Service, call, listen, post, run, watched

HERE = Path(__file__).resolve().parent
ECHO = call(1, "echo", '{"text":"hello"}')
MOST_SLOWER = 3.0
MOST_KEPT_MIB = 2.0
MOST_LIFE_MIB = 1.0
MOST_STREAMS_MIB = 64.0


def median_ms(client, count):
    """The median time of a request, one after the other."""
    times = []
    for _ in range(count):
        start = time.perf_counter()
        status, _ = client.ask(ECHO)
        times.append((time.perf_counter() - start) * 1e3)
        if status != 200:
            raise RuntimeError(f"a normal request is answered {status}")
    return statistics.median(times)


def senders(command, quick, tally):
    """Normal requests beside connections that send a byte a second."""
    count = 500 if quick else 10_000
    service = Service(command, f"max-connections={count + 100}")
    client = service.connect()
    median_ms(client, 200)
    alone = median_ms(client, 2000)
    before = service.memory()
    process = subprocess.Popen(
        [sys.executable, HERE / "senders.py", str(service.port), str(count)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        process.stdout.readline()
        # Connections that are cut begin again, so that a few are always missing.
        enough = wait_until(lambda: service.descriptors() >= 0.9 * count, LONG)
        tally.check(enough, f"senders: {service.descriptors()} descriptors for {count} slow senders")
        beside = min(median_ms(client, 1000) for _ in range(3))
        fresh = service.connect()
        tally.check(fresh.ask(ECHO)[0] == 200, "senders: a new connection is served beside them")
        print(f"      p50 {alone:.3f} ms alone, {beside:.3f} ms beside them; {service.memory() - before:.0f} MiB for them")
        tally.check(beside <= MOST_SLOWER * alone, f"senders: p50 is {beside / alone:.2f} times that without (at most {MOST_SLOWER})")
    finally:
        process.stdin.close()
        process.wait(LONG)
    tally.check(service.leave() == 0, "senders: the server leaves with status 0")


class Listener(threading.Thread):
    """A subscription, and how often each uri was told of."""

    def __init__(self, client, uris):
        super().__init__(daemon=True)
        self.client, self.told = client, dict.fromkeys(uris, 0)
        client.send(listen(1, uris))
        self.status, _ = client.head()
        self.acknowledged = b"acknowledged" in client.chunk()

    def run(self):
        try:
            while chunk := self.client.chunk():
                for line in chunk.split(b"\n"):
                    if line.startswith(b"data: ") and b"resources/updated" in line:
                        self.told[json.loads(line[6:])["params"]["uri"]] += 1
        except (EOFError, OSError):
            return


def touch(client, uri):
    status, _ = client.ask(call(2, "touch", json.dumps({"uri": uri})))
    return status == 200


def streams(command, quick, tally):
    """Subscriptions, some of which are never read, and many updates."""
    count, updates = (50, 2_000) if quick else (200, 10_000)
    uris = [f"mem://soak/{number}" for number in range(20)]
    service = Service(command)
    silent = []
    for _ in range(max(1, count // 100)):
        client = service.connect()
        # As little as the system allows, so that the server's side fills.
        client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        client.send(listen(1, uris))
        silent.append(client)
    listeners = [Listener(service.connect(), uris) for _ in range(count - len(silent))]
    tally.check(all(one.acknowledged for one in listeners), f"streams: {len(listeners)} subscriptions are acknowledged")
    for one in listeners:
        one.start()
    driver, source = service.connect(), random.Random(3)
    before = service.memory()
    start = time.monotonic()
    done = sum(touch(driver, source.choice(uris)) for _ in range(updates))
    seconds = time.monotonic() - start
    grown = service.memory("VmHWM") - before
    told = sum(sum(one.told.values()) for one in listeners)
    print(f"      {updates} updates in {seconds:.1f} s, {told} notifications, memory grew by {grown:.1f} MiB at most")
    tally.check(done == updates, f"streams: {done} of {updates} updates are done")
    tally.check(grown <= MOST_STREAMS_MIB, f"streams: memory grew by {grown:.1f} MiB at most")
    # The last state: whatever was told before, this is told too.
    seen = [dict(one.told) for one in listeners]
    quiet = wait_until(lambda: all(sum(one.told.values()) > 0 for one in listeners), LONG)
    tally.check(quiet, "streams: every healthy stream was told of updates")
    time.sleep(0.5)
    seen = [dict(one.told) for one in listeners]
    for uri in uris:
        touch(driver, uri)
    last = wait_until(
        lambda: all(one.told[uri] > before[uri] for one, before in zip(listeners, seen) for uri in uris), LONG
    )
    tally.check(last, "streams: every healthy stream sees the last state of every uri")
    for client in silent:
        client.close()
    tally.check(service.leave() == 0, "streams: the server leaves with status 0")
    for one in listeners:
        one.join(LONG)


# More bytes are declared than come.
UNFINISHED = ECHO.replace(b"Content-Length: ", b"Content-Length: 9", 1)


def hang_up(service, source, requests):
    """One connection that leaves at a random point of one of the requests or of its answer."""
    client = service.connect(2 + source.randrange(100))
    request = source.choice(requests)
    cut = source.randrange(len(request) + 1) if source.random() < 0.5 else len(request)
    try:
        client.send(request[:cut])
        # A body that is not all there is answered after its time only: not waited for.
        if cut == len(request) and request is not UNFINISHED and source.random() < 0.5:
            client.socket.recv(source.randrange(1, 200))
        if source.random() < 0.5:
            # With a reset instead of an end.
            client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    except OSError:
        pass
    client.close()


def hang_ups(command, quick, tally):
    """Clients that leave at any point cost nothing in the end."""
    count = 3_000 if quick else 100_000
    service = Service(command)
    requests = [
        ECHO,
        ECHO * 3,
        call(1, "sleep", '{"ms":40}'),
        call(1, "sleep", '{"ms":120}') + ECHO,
        listen(1, ["mem://a"]),
        post(1, "tools/list"),
        ECHO.replace(b"POST", b"GET", 1),
        UNFINISHED,
    ]
    source = random.Random(5)
    for _ in range(count // 10):
        hang_up(service, source, requests)
    settled = lambda: service.descriptors() <= descriptors
    descriptors = 0
    wait_until(settled, 2)
    descriptors, before, threads = service.descriptors(), service.memory(), service.threads()
    start = time.monotonic()
    for _ in range(count):
        hang_up(service, source, requests)
    seconds = time.monotonic() - start
    tally.check(wait_until(settled, 30), f"hang-ups: {service.descriptors()} descriptors after {count}, {descriptors} before")
    kept = wait_until(lambda: service.memory() - before <= MOST_KEPT_MIB, 10)
    print(f"      {count} connections in {seconds:.0f} s")
    tally.check(kept, f"hang-ups: {service.memory() - before:.2f} MiB more than before are kept (at most {MOST_KEPT_MIB})")
    wait_until(lambda: service.threads() <= threads, 10)
    tally.check(service.threads() <= threads, f"hang-ups: {service.threads()} threads, {threads} before")
    tally.check(service.connect().ask(ECHO)[0] == 200, "hang-ups: the next request is answered")
    tally.check(service.leave() == 0, "hang-ups: the server leaves with status 0")


class Caller(threading.Thread):
    """Asks again and again until the connection ends, or the server says that it does."""

    def __init__(self, client, request):
        super().__init__(daemon=True)
        self.client, self.request = client, request
        self.answered, self.torn = 0, None

    def run(self):
        try:
            while True:
                self.client.send(self.request)
                status, body = self.client.answer()
                if status == 503:
                    # It came when the server had begun to stop, and was told so.
                    return
                if status != 200 or b'"result"' not in body:
                    self.torn = f"{status} {body[:200]}"
                    return
                self.answered += 1
        except (EOFError, OSError):
            # Between two answers the server may close; within one it must not.
            if self.client.rest:
                self.torn = repr(self.client.rest[:200])


def stop(command, quick, tally):
    """SIGTERM under load: what is in flight is answered."""
    service = Service(command, "threads=2")
    waiting = [service.connect() for _ in range(20 if quick else 200)]
    for client in waiting:
        client.send(call(1, "sleep", '{"ms":1000}'))
    callers = [Caller(service.connect(), ECHO) for _ in range(4)]
    for caller in callers:
        caller.start()
    # Long enough for all to have begun, and much shorter than they take.
    time.sleep(0.3)
    service.terminate()
    answered = sum(b'"slept 1000 ms"' in client.answer()[1] for client in waiting)
    tally.check(answered == len(waiting), f"stop: {answered} of {len(waiting)} calls in flight are answered")
    for caller in callers:
        caller.join(LONG)
    torn = [caller.torn for caller in callers if caller.torn]
    tally.check(not torn, f"stop: {sum(caller.answered for caller in callers)} calls beside them, none torn {torn[:2]}")
    tally.check(service.leave() == 0, "stop: the server leaves with status 0")
    try:
        service.connect()
        tally.check(False, "stop: nobody listens any more")
    except ConnectionRefusedError:
        tally.check(True, "stop: nobody listens any more")


NGINX = """
daemon off; pid {home}/pid; error_log {home}/error.log warn; worker_processes 1;
events {{ worker_connections 256; }}
http {{
  access_log off; client_body_temp_path {home}/body; proxy_temp_path {home}/proxy; fastcgi_temp_path {home}/f;
  uwsgi_temp_path {home}/u; scgi_temp_path {home}/s;
  server {{
    listen 127.0.0.1:{port};
    location / {{ proxy_pass http://127.0.0.1:{behind}; proxy_http_version 1.1; proxy_buffering on; proxy_read_timeout 3600; }}
  }}
}}
"""


def proxy(command, _quick, tally):
    """Behind nginx, which buffers: events flow one by one."""
    nginx = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if nginx is None:
        if "--need-nginx" in sys.argv:
            tally.check(False, "proxy: nginx is not installed")
        else:
            print("      proxy: left out, nginx is not installed")
        return
    service = Service(command)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as home:
        config = Path(home) / "nginx.conf"
        config.write_text(NGINX.format(home=home, port=port, behind=service.port))
        process = subprocess.Popen([nginx, "-c", config, "-p", home], stderr=subprocess.DEVNULL)
        try:
            tally.check(wait_until(lambda: reachable(port), 20), "proxy: nginx listens")
            stream = Client(port)
            stream.send(listen(1, ["mem://a"]))
            # Each is waited for before the next is caused, so that one that is held back ends the test.
            tally.check(b"acknowledged" in stream_event(stream, *stream.head()), "proxy: the acknowledgement comes at once")
            driver = Client(port)
            for _ in range(20):
                touch(driver, "mem://a")
                if b"resources/updated" not in stream_event(stream, 200, {}):
                    tally.check(False, "proxy: every update comes as it is made")
                    break
            else:
                tally.check(True, "proxy: every update comes as it is made")
            status, answer = driver.ask(watched(call(1, "sleep", '{"ms":200}'), "p"))
            tally.check(status == 200 and b"progress" in answer and b"slept" in answer, "proxy: a call with progress is answered")
            before = service.descriptors()
            stream.close()
            tally.check(wait_until(lambda: service.descriptors() < before, 20), "proxy: the end of a client ends its stream")
        finally:
            process.terminate()
            process.wait(LONG)
    tally.check(service.leave() == 0, "proxy: the server leaves with status 0")


def reachable(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    except OSError:
        return False


def stream_event(client, status, _headers):
    """The next event; comments are passed over. nginx may cut and join chunks as it likes."""
    if status != 200:
        return b""
    client.events = getattr(client, "events", b"")
    while True:
        while b"\n\n" not in client.events:
            client.events += client.chunk()
        event, client.events = client.events.split(b"\n\n", 1)
        if not event.startswith(b":"):
            return event


def life(command, quick, tally):
    """A great many calls over one connection."""
    count, batch = (20_000 if quick else 1_000_000), 50
    service = Service(command)
    client = service.connect()
    client.send(ECHO)
    status, headers = client.head()
    client.exactly(int(headers["content-length"]))
    client.send(ECHO)
    length = len(client.until(b"\r\n\r\n")) + 4 + int(headers["content-length"])
    client.exactly(int(headers["content-length"]))

    def load(calls):
        for _ in range(calls // batch):
            client.send(ECHO * batch)
            if client.exactly(length * batch).count(b'"text":"hello"') != batch:
                raise RuntimeError("some answer is another one")

    load(max(count // 20, 5_000))
    before = service.memory()
    start = time.monotonic()
    load(count)
    grown, seconds = service.memory() - before, time.monotonic() - start
    print(f"      {count} calls in {seconds:.1f} s")
    tally.check(status == 200 and grown < MOST_LIFE_MIB, f"life: memory grew by {grown:.2f} MiB in {count} calls (less than {MOST_LIFE_MIB})")
    tally.check(service.leave() == 0, "life: the server leaves with status 0")


PARTS = {"senders": senders, "streams": streams, "hang-ups": hang_ups, "stop": stop, "proxy": proxy, "life": life}


if __name__ == "__main__":
    sys.exit(run(__doc__, sys.argv[1:], PARTS))
