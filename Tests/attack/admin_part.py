"""The part admin: calls that return or accept everything in a full world. While each runs, /health is requested."""

import contextlib
import json
import threading
import time

from http_answers import read_answers
from report import table
from running import Client, running

# The limit for an admin call, which must not keep others waiting.
SECONDS = 600
MEMORY = 3_000
MEAL = "two eggs and toast, "
# Four bytes per character, in a description of the maximum length.
DESCRIPTION = "𝄞" * 2_000
GOALS_OF_A_USER = 1_000


class Size:
    """The size of the full world."""

    def __init__(self, is_short):
        self.meals = 600 if is_short else 10_000
        # Together their goals are more than 64 MiB of JSON, a limit of imports.
        self.users = 10
        self.imported_goals = 5_000 if is_short else 200_000
        # A short attack runs concurrently with other tests.
        self.bound = 2_000.0 if is_short else 100.0


class Prober(threading.Thread):
    """Requests /health repeatedly over one connection, and remembers the longest wait."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.client = Client(server, seconds=SECONDS, headers={})
        self.longest, self.problem, self.asked, self.is_done = 0.0, None, 0, threading.Event()

    def run(self):
        try:
            while not self.is_done.wait(0.002):
                start = time.monotonic()
                status, _ = self.client.send("GET", "/health")
                self.longest = max(self.longest, time.monotonic() - start)
                self.asked += 1
                if status != 200:
                    self.problem = f"/health was answered with {status}"
        except Exception as error:
            self.problem = f"/health: {type(error).__name__}: {error}"

    def stop(self):
        self.is_done.set()
        self.join()
        self.client.close()


def attack(part, folder):
    size = Size(part.settings.short)
    bound = part.settings.bound or size.bound
    rows = []
    try:
        for stage in [full_journal, many_goals, *([] if part.settings.short else [large_world, long_histories])]:
            with running(part.settings, "serve", "--instant", "--seed", "1", "--log-level", "critical", folder=folder) as server:
                stage(server, size, Measured(part, server, bound, rows))
                trouble = server.trouble(MEMORY)
                if trouble:
                    part.fail(None, trouble)
        if not part.settings.short:
            watch(part, folder, bound, rows)
    finally:
        header = ["admin call", "bytes sent", "bytes received", "seconds", "/health waited at most, ms"]
        part.tables.append(table(header, rows))


def full_journal(server, size, measured):
    """Meals with the longest text, each an entry of the journal, a goal's worth of state, and work for the judges."""
    fill(server, server.credentials, size.meals, "/api/v1/meal-logs/natural", lambda n: {
        "raw_input": f"{n} " + (MEAL * 50)[:1_000 - 6], "meal_type": "lunch"})
    measured("GET journal", "GET", "/__admin/journal")
    measured("GET requests", "GET", "/__admin/requests?limit=1000")
    measured("GET verdicts", "GET", "/__admin/verdicts")
    # The second time the world's judge has already seen the earlier entries.
    measured("GET verdicts, again", "GET", "/__admin/verdicts")
    state = measured("GET state", "GET", "/__admin/state")
    measured("PUT state", "PUT", "/__admin/state", state)
    measured("DELETE journal", "DELETE", "/__admin/journal")


def many_goals(server, size, measured):
    """A state with many small entities."""
    measured("PUT goals", "PUT", "/__admin/state", goals(size.imported_goals))
    state = measured("GET goals", "GET", "/__admin/state")
    measured("PUT goals, exported", "PUT", "/__admin/state", state)
    measured("POST reset", "POST", "/__admin/reset", b"{}")
    measured("POST reset to another", "POST", "/__admin/reset", b'{"scenario":"default"}')


class Measured:
    """An admin call, and its effect on others."""

    def __init__(self, part, server, bound, rows):
        self.part, self.server, self.bound, self.rows = part, server, bound, rows

    def __call__(self, name, method, path, body=None):
        """The call's answer; None if it failed, which counts as a failure of the part."""
        prober = Prober(self.server)
        prober.start()
        start = time.monotonic()
        problem, data = None, None
        with contextlib.closing(Client(self.server, seconds=SECONDS)) as client:
            try:
                status, data = client.send(method, path, body)
                if status >= 300:
                    problem = f"was answered with {status}: {data[:300]!r}"
            except Exception as error:
                problem = f"{type(error).__name__}: {error}"
        seconds = time.monotonic() - start
        prober.stop()
        longest = prober.longest * 1_000
        if longest > self.bound:
            problem = problem or f"/health waited {longest:.0f} ms, of {self.bound:.0f} allowed"
        self.part.count("call")
        if problem or prober.problem:
            self.part.fail(None, f"{name}: {problem or prober.problem}")
        sizes = [f"{len(one or b''):,}" for one in (body, data)]
        self.rows.append([name, *sizes, f"{seconds:.2f}", f"{longest:.1f}"])
        return data


def fill(server, credentials, count, path, body, statuses=(201,)):
    """Sends this many POSTs, a hundred at a time."""
    fields = [f"{name}: {value}" for name, value in credentials.items()]
    head = [f"POST {path} HTTP/1.1", f"Host: 127.0.0.1:{server.port}", *fields, "Content-Type: application/json"]
    for start in range(0, count, 100):
        with contextlib.closing(server.connect(SECONDS)) as connection:
            numbers = range(start, min(start + 100, count))
            sender = threading.Thread(target=send_all, args=(connection, head, [body(n) for n in numbers]))
            sender.start()
            data = bytearray()
            while more := connection.recv(1 << 18):
                data += more
            sender.join()
            answers, _ = read_answers(bytes(data), may_be_head=False)
            bad = [answer.body[:200] for answer in answers if answer.status not in statuses]
            assert len(answers) == len(numbers) and not bad, f"{path}: {len(answers)} answers, {bad[:1]}"


def send_all(connection, head, bodies):
    for place, body in enumerate(bodies):
        data = json.dumps(body, ensure_ascii=False).encode()
        last = ["Connection: close"] if place == len(bodies) - 1 else []
        connection.sendall("\r\n".join([*head, *last, f"Content-Length: {len(data)}", "", ""]).encode() + data)


def goals(count):
    """A state with this many goals, a thousand for each user."""
    users = []
    for first in range(0, count, GOALS_OF_A_USER):
        titles = [{"title": f"Goal {n}"} for n in range(first, min(count, first + GOALS_OF_A_USER))]
        users.append({"id": f"user-{first}", "goals": titles})
    return json.dumps({"name": "goals", "users": users}, separators=(",", ":")).encode()


def large_world(server, size, measured):
    """A world as full as possible, with a large state: its export can be imported."""
    for user in range(size.users):
        with contextlib.closing(Client(server)) as client:
            token = client.ask("POST", "/__admin/tokens", {"user": f"large-{user}"})["token"]
        credentials = {**server.credentials, "Authorization": f"Bearer {token}"}
        fill(server, credentials, GOALS_OF_A_USER, "/api/v1/goals", lambda n: {
            "title": f"Goal {n}", "description": DESCRIPTION, "targetDate": "2030-01-01T00:00:00Z"}, statuses=(201, 507))
    state = measured("GET large state", "GET", "/__admin/state")
    measured("PUT large state", "PUT", "/__admin/state", state)


def long_histories(_server, _size, measured):
    """A short file that creates many messages; the export has all of them, and can be imported."""
    consultation = {"persona": "nutritionist", "status": "archived", "made_up_messages": 10_000}
    state = {"name": "histories", "users": [{"consultations": [consultation] * 40}]}
    measured("PUT histories", "PUT", "/__admin/state", json.dumps(state).encode())
    state = measured("GET histories", "GET", "/__admin/state")
    measured("PUT histories, exported", "PUT", "/__admin/state", state)


def watch(part, folder, bound, rows):
    """A watched scenario with a session of some 90 MB is read again."""
    session, scenario = folder / "session.har", folder / "scenario.yaml"
    text = json.dumps({"data": [{"id": str(n), "title": "Run 5 km before summer"} for n in range(300)]})
    entries = [{
        "startedDateTime": "2025-01-29T10:30:00.000Z", "time": 1, "cache": {}, "timings": {"send": 0, "wait": 1, "receive": 0},
        "request": {"method": "GET", "url": f"http://127.0.0.1/api/v1/goals?page={n}", "httpVersion": "HTTP/1.1", "cookies": [],
                    "headers": [], "queryString": [], "headersSize": -1, "bodySize": 0},
        "response": {"status": 200, "statusText": "OK", "httpVersion": "HTTP/1.1", "cookies": [], "headers": [],
                     "content": {"size": len(text), "mimeType": "application/json", "text": text},
                     "redirectURL": "", "headersSize": -1, "bodySize": len(text)},
    } for n in range(90_000_000 // len(text))]
    session.write_text(json.dumps({"log": {"version": "1.2", "creator": {"name": "x", "version": "1"}, "entries": entries}}))
    scenario.write_text("name: watched\n")
    with running(part.settings, "serve", "--scenario", scenario, "--watch", folder=folder) as server:
        prober = Prober(server)
        prober.start()
        start = time.monotonic()
        scenario.write_text(f"name: watched\nreplay: {session.name}\n")
        while "reloaded" not in server.log() and time.monotonic() < start + 120:
            time.sleep(0.05)
        seconds, is_read = time.monotonic() - start, "reloaded" in server.log()
        prober.stop()
    part.count("reload")
    longest = prober.longest * 1_000
    rows.append(["--watch, a session", f"{session.stat().st_size:,}", 0, f"{seconds:.2f}", f"{longest:.1f}"])
    if not is_read:
        part.fail(None, f"the session was not read within 120 s: {server.log()[-300:]}")
    elif longest > bound or prober.problem:
        part.fail(None, f"--watch: {prober.problem or f'/health waited {longest:.0f} ms, of {bound:.0f} allowed'}")
