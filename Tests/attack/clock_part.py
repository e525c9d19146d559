"""The part clock: libfaketime sets the system's clock under a server; dates follow, streams and deadlines do not jump."""

import base64
import calendar
import contextlib
import email.utils
import json
import pathlib
import socket
import sys
import time

from frames import TEXT, frame, handshake, read_server_frames
from running import Client, NotReady, running

HOUR, YEAR = 3600, 365.25 * 86400
LIBRARIES = ("/usr/lib/*/faketime/libfaketimeMT.so.1", "/usr/local/lib/faketime/libfaketimeMT.so.1")
# The server clamps a clock before 1970 or after 2198 to these times.
FIRST, LAST = 0, 7_226_582_399
# An answer of the coach takes at most 4 s; a debug build on a busy machine needs more.
ANSWER_SECONDS = 12
# Steps below a second add up first, and HTTP's dates have whole seconds.
SLACK = 4.0


def library():
    """The path of libfaketime; None if it is not installed."""
    for pattern in LIBRARIES:
        for path in sorted(pathlib.Path("/").glob(pattern[1:])):
            return str(path)
    return None


def attack(part, folder):
    if sys.platform != "linux":
        part.count("skipped, on Linux only")
        return
    faketime = library()
    if faketime is None:
        part.fail(None, f"libfaketime is missing, at {' and '.join(LIBRARIES)}; Debian's and Ubuntu's package is libfaketime")
        return
    for number in part.numbers(rounds=60, short=1):
        place = folder / f"round-{number}"
        place.mkdir()
        try:
            play(part, number, faketime, place)
        except (AssertionError, NotReady, OSError, EOFError) as error:
            part.fail(number, f"{type(error).__name__}: {error}")


class SteppedClock:
    """The clock of a server: the system's, plus the seconds in its file."""

    def __init__(self, folder):
        self.file, self.offset = folder / "clock", 0.0
        self.started = time.time()
        self.set(0.0)

    def set(self, offset):
        """Sets the clock; the file is replaced atomically, because it may be read at any time."""
        draft = self.file.with_suffix(".draft")
        draft.write_text(f"{offset:+.3f}\n")
        draft.replace(self.file)
        self.offset = offset

    def check(self, seconds, what):
        """Checks that a time, in seconds since 1970, is the one that the server must show now."""
        now = time.time()
        due = min(max(now + self.offset, FIRST), LAST)
        # Beyond its ends the date continues from its value when the clock went there.
        more = now - self.started if due in (FIRST, LAST) else 0
        if not due - SLACK <= seconds <= due + SLACK + more:
            raise AssertionError(f"{what} is {seconds - due:+.1f} s off, with the clock set by {self.offset:+.0f} s")


def program(settings, faketime, clock):
    fake = {
        "LD_PRELOAD": faketime, "FAKETIME_TIMESTAMP_FILE": str(clock.file), "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1",
    }
    # The second env is the first program with the library, which then changes its environment: on some systems, Swift
    # loses the arguments of a program if a library does so.
    return ["env", *(f"{name}={value}" for name, value in fake.items()), "env", *settings.program]


def forget_shared_memory(server):
    """Removes libfaketime's remains of a server."""
    for name in ("faketime_shm_", "sem.faketime_sem_"):
        pathlib.Path(f"/dev/shm/{name}{server.process.pid}").unlink(missing_ok=True)


def offsets(random, number):
    """The clock's offsets, in seconds from the true time: overnight, in both directions, and beyond what can be
    counted."""
    steps = [8 * HOUR, -8 * HOUR, -70 * YEAR, 60.0, 290 * YEAR, 0.0, 0.4]
    if number:
        steps += [random.choice([1, -1]) * 10 ** random.uniform(0, 10) for _ in range(3)]
        random.shuffle(steps)
    return steps


def play(part, number, faketime, folder):
    random = part.random(number)
    clock = SteppedClock(folder)
    first = random.choice([0.0, 0.0, -60 * YEAR, 300 * YEAR]) if number else 0.0
    clock.set(first)
    settings = type("Settings", (), {"program": program(part.settings, faketime, clock)})
    options = ["--log-level", "critical", "--record", str(folder / "session.har")]
    with running(settings, "serve", *options, folder=folder) as server, contextlib.ExitStack() as stack:
        stack.callback(forget_shared_memory, server)
        client = stack.enter_context(contextlib.closing(Client(server)))
        look(client, clock)
        for offset in offsets(random, number):
            with contextlib.closing(Chat(server, client)) as chat:
                old = token(client, "1h")
                step = clock.offset
                chat.ask("What should I eat before I run?")
                chat.read_chunk()
                clock.set(offset)
                # The connection and the stream continue at their pace; new work has the new date.
                taken = chat.read_answer()
                if taken > ANSWER_SECONDS:
                    raise AssertionError(f"an answer took {taken:.1f} s with the clock set to {offset:+.0f} s")
                look(client, clock)
                # A token of an hour expires by the clock.
                jump = min(max(time.time() + offset, FIRST), LAST) - min(max(time.time() + step, FIRST), LAST)
                if abs(jump - HOUR) > 60:
                    status = client.send("GET", "/api/v1/goals", headers={"Authorization": f"Bearer {old}"})[0]
                    due = 401 if jump > HOUR else 200
                    if status != due:
                        raise AssertionError(f"a token of an hour had {status} after a step of {jump:+.0f} s, not {due}")
            part.count("set forward" if offset > step else "set back" if offset < step else "not set")
        entries = [entry for entry in journal(client) if entry["kind"] == "clock"]
        if not entries or not all(entry["of_system"] for entry in entries):
            raise AssertionError(f"the journal has no step of the clock, but {entries}")
        if server.stop() != 0:
            raise AssertionError("the server did not end well")
        spans(json.loads((folder / "session.har").read_text()))


def look(client, clock):
    """Checks that the date, the admin API's clock, a new token, a created entity and the journal have the time."""
    # The server's own token ends in 2099.
    client.headers["Authorization"] = f"Bearer {token(client, '8760h')}"
    connection = client.connection
    connection.request("GET", "/api/v1/goals", None, client.headers)
    answer = connection.getresponse()
    answer.read()
    clock.check(email.utils.parsedate_to_datetime(answer.headers["Date"]).timestamp(), "Date")
    clock.check(parsed(client.ask("GET", "/__admin/clock")["now"]), "the clock of the admin API")
    new = token(client, "1h")
    claims = new.split(".")[1]
    expiry = json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))["exp"]
    clock.check(expiry - HOUR, "the end of a token of an hour")
    status, body = client.send("GET", "/api/v1/goals", headers={"Authorization": f"Bearer {new}"})
    if status != 200:
        raise AssertionError(f"a new token had {status}: {body[:200]!r}")
    goal = client.ask(
        "POST", "/api/v1/goals",
        {"title": "Run", "description": "Run.", "category": "fitness", "targetDate": "2999-01-01T00:00:00Z"})
    clock.check(parsed(goal["createdAt"]), "createdAt of a goal")
    clock.check(parsed(journal(client)[-1]["time"]), "the journal's last entry")


def token(client, lifetime):
    return client.ask("POST", "/__admin/tokens", {"expires_in": lifetime})["token"]


def journal(client):
    _, body = client.send("GET", "/__admin/journal")
    return [json.loads(line) for line in body.splitlines()]


def parsed(text):
    whole, _, fraction = text.rstrip("Z").partition(".")
    return calendar.timegm(time.strptime(whole, "%Y-%m-%dT%H:%M:%S")) + float("0." + (fraction or "0"))


def spans(har):
    """Checks that no exchange in a recording took negative time, or hours."""
    for entry in har["log"]["entries"]:
        if not 0 <= entry["time"] <= 600_000:
            raise AssertionError(f"an entry of the recording took {entry['time']} ms")


class Chat:
    """A socket of a consultation with a streaming answer."""

    def __init__(self, server, client):
        made = client.ask("POST", "/api/v1/consultations", {"persona": "nutritionist"})
        consultation = made.get("id") or made["data"]["id"]
        self.closing = client, consultation
        self.connection = server.connect(ANSWER_SECONDS)
        bearer = token(client, "8760h")
        fields = [f"Authorization: Bearer {bearer}", f"X-API-Key: {server.ready['api_key']}"]
        self.connection.sendall(handshake(f"/api/v1/consultations/{consultation}/ws", server.port, fields))
        self.data = b""
        while b"\r\n\r\n" not in self.data:
            self.receive()
        head, self.data = self.data.split(b"\r\n\r\n", 1)
        if b" 101 " not in head.split(b"\r\n")[0]:
            raise AssertionError(f"a handshake was answered with {head[:200]!r}")

    def receive(self):
        try:
            piece = self.connection.recv(1 << 16)
        except socket.timeout:
            raise AssertionError("an answer stood still") from None
        if not piece:
            raise AssertionError("the socket ended")
        self.data += piece

    def ask(self, text):
        self.asked = time.monotonic()
        self.connection.sendall(frame(TEXT, json.dumps({"type": "message", "content": text}).encode()))

    def types(self):
        return [json.loads(payload).get("type") for code, _, payload in read_server_frames(self.data) if code == TEXT]

    def read_chunk(self):
        while "stream_chunk" not in self.types():
            self.receive()

    def read_answer(self):
        """The number of seconds that the answer took."""
        while "stream_complete" not in self.types():
            self.receive()
        return time.monotonic() - self.asked

    def close(self):
        self.connection.close()
        client, consultation = self.closing
        client.send("DELETE", f"/api/v1/consultations/{consultation}")
