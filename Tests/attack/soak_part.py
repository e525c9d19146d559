"""The part soak: a mixed load of requests, sockets, faults and worlds, each of which is deleted. Memory stays flat."""

import contextlib
import http.client
import itertools
import json
import os
import statistics
import threading
import time

from frames import CLOSE, TEXT, frame, handshake
from report import table
from running import Client, running

MINUTES = 20
SHORT_SECONDS = 6
WORKERS = 4
# The journal has at most 10,000 entries; from here on it stays full.
SATURATION = 11_000
# The maximum difference between the phases' medians: the promise, and what a few seconds can show.
FLAT, LOOSE = 1.10, 1.6
GOAL = {"title": "Run", "targetDate": "2030-01-01T00:00:00Z"}
PHASES = ["warm-up", "first third", "second third", "last third"]
SCENARIOS = [
    "default", "empty-account", "established-account", "conflict", "meal-fails", "silent-coach", "drop-mid-stream",
    "flaky-500", "fragmented-frames", "broken-responses", "reset-mid-frame", "rate-limited", "long-history",
]
# In other scenarios requests may end in any way.
CALM = {"default", "empty-account", "established-account", "conflict", "meal-fails", "silent-coach", "long-history"}


def attack(part, folder):
    settings = part.settings
    if settings.seconds is None and settings.rounds is None and settings.only is None:
        settings.seconds = SHORT_SECONDS if settings.short else MINUTES * 60
    with running(settings, "serve", "--instant", "--seed", "1", "--log-level", "critical", folder=folder) as server:
        saturate(server)
        part.started = time.monotonic()
        numbers = iter(part.numbers(rounds=2_000, short=100))
        lock, done, samples = threading.Lock(), threading.Event(), []
        sampler = threading.Thread(target=sample, args=(part, server, samples, done))
        sampler.start()
        workers = [threading.Thread(target=work, args=(part, server, numbers, lock)) for _ in range(WORKERS)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        done.set()
        sampler.join()
        settle(part, server)
        judge(part, samples)
        status = server.stop()
        if status != 0:
            part.fail(None, f"the server exited with {status} after SIGTERM")


def saturate(server):
    """Fills the default world's journal, which keeps its latest entries."""
    fields = [f"{name}: {value}" for name, value in server.credentials.items()]
    request = "\r\n".join(["GET /api/v1/goals HTTP/1.1", f"Host: 127.0.0.1:{server.port}", *fields, "", ""]).encode()
    for _ in range(SATURATION // 100):
        with contextlib.closing(server.connect()) as connection:
            connection.sendall(request * 99 + request.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
            while connection.recv(1 << 18):
                pass


def sample(part, server, samples, done):
    start = time.monotonic()
    while not done.wait(1.0 if (part.settings.seconds or 60) > 60 else 0.1):
        samples.append((time.monotonic() - start, server.memory()))
        part.progress(f"{part.inputs} worlds, {samples[-1][1]:.0f} MiB")


def work(part, server, numbers, lock):
    """Creates, uses and deletes worlds repeatedly."""
    while True:
        with lock:
            number = next(numbers, None)
        if number is None or not server.is_alive():
            return
        random = part.random(number)
        scenario = random.choice(SCENARIOS)
        try:
            live(server, random, scenario)
            outcome, problem = "world", None
        except Exception as error:
            outcome, problem = "trouble", f"a world of {scenario}: {type(error).__name__}: {error}"
        with lock:
            part.count(outcome)
            if problem:
                part.fail(number, problem)


def live(server, random, scenario):
    """The life of one world, and a request to the default one."""
    with contextlib.closing(Client(server)) as client:
        clock = random.choice(["manual", "real"])
        world = client.ask("POST", "/__admin/worlds", {"scenario": scenario, "seed": random.randrange(1 << 32), "clock": clock})
        try:
            if scenario in CALM:
                use(server, client, random, world, seconds=20)
            else:
                # Gives up a request that a fault leaves hanging.
                with contextlib.suppress(OSError, http.client.HTTPException, AssertionError, ValueError, KeyError):
                    use(server, client, random, world, seconds=1)
        finally:
            client.ask("DELETE", f"/__admin/worlds/{world['id']}")
        client.ask("GET", random.choice(["/api/v1/goals", "/api/v1/consultations", "/__admin/worlds", "/__admin/requests?limit=9"]))


def use(server, admin, random, world, seconds):
    headers = {"Authorization": f"Bearer {world['token']}", "X-API-Key": world["api_key"], "Content-Type": "application/json"}
    below, state = f"/w/{world['id']}", f"/__admin/worlds/{world['id']}"
    with contextlib.closing(Client(server, seconds=seconds, headers=headers)) as client:
        for _ in range(random.randint(1, 20)):
            method, path, body = random.choice([
                ("GET", "/consultations", None), ("GET", "/goals", None), ("GET", "/meal-logs", None),
                ("POST", "/goals", {**GOAL, "description": "x" * random.randrange(2_000)}), ("POST", "/goals", {"title": 5}),
                ("POST", "/meal-logs/natural", {"raw_input": "2 eggs and toast", "meal_type": "lunch"}),
                ("GET", "/nothing", None),
            ])
            status, data = client.send(method, f"{below}/api/v1{path}", body)
            assert status < 500 or seconds == 1, f"{method} {path} was answered with {status}: {data[:200]!r}"
        persona = random.choice(["nutritionist", "fitness_coach", "wellness_specialist", "general_wellness"])
        status, data = client.send("POST", f"{below}/api/v1/consultations", {"persona": persona, "context_type": "mood"})
        if status == 201:
            chat(server, random, f"{below}/api/v1/consultations/{json.loads(data)['data']['id']}/ws", headers, seconds)
        if random.random() < 0.3:
            admin.ask("PUT", f"{state}/state", admin.ask("GET", f"{state}/state"))
        if random.random() < 0.3:
            admin.send("GET", f"{state}/{random.choice(['journal', 'verdicts', 'requests', 'frames', 'faults'])}")
        if world["clock"] == "manual":
            admin.ask("POST", f"{state}/clock", {"advance": "10s"})


def chat(server, random, path, headers, seconds):
    """A question over a socket, which is closed cleanly or left to the server."""
    fields = [f"{name}: {value}" for name, value in headers.items()]
    with contextlib.closing(server.connect(seconds)) as connection:
        connection.sendall(handshake(path, server.port, fields))
        received = connection.recv(65_536)
        messages = [{"type": "message", "content": "What should I eat?"}, {"type": "ping"}]
        connection.sendall(b"".join(frame(TEXT, json.dumps(message).encode()) for message in messages))
        while b'"pong"' not in received:
            data = connection.recv(65_536)
            if not data:
                return
            received += data
        if random.random() < 0.5:
            connection.sendall(frame(CLOSE, b"\x03\xe8"))
            while connection.recv(65_536):
                pass


def settle(part, server):
    """The state after every world was deleted."""
    with contextlib.closing(Client(server)) as client:
        worlds = client.ask("GET", "/__admin/worlds")["worlds"]
        if len(worlds) != 1:
            part.fail(None, f"{len(worlds)} worlds are there in the end, one was due")
    descriptors = f"/proc/{server.process.pid}/fd"
    if os.path.isdir(descriptors):
        for attempt in itertools.count():
            count = len(os.listdir(descriptors))
            if count < 40:
                break
            if attempt == 50:
                part.fail(None, f"{count} descriptors are open in the end")
                break
            time.sleep(0.1)


def judge(part, samples):
    """Reports each phase's memory, and fails if it grows."""
    if len(samples) < 8:
        return
    size = len(samples) // 4
    phases = [[memory for _, memory in samples[n * size:(n + 1) * size if n < 3 else None]] for n in range(4)]
    medians = [statistics.median(phase) for phase in phases]
    rows = [
        [name, f"{min(phase):.1f}", f"{median:.1f}", f"{max(phase):.1f}"]
        for name, phase, median in zip(PHASES, phases, medians)]
    part.tables.append(table(["resident memory, MiB", "least", "median", "most"], rows))
    allowed = FLAT if samples[-1][0] >= 300 else LOOSE
    if max(medians[1:]) > min(medians[1:]) * allowed:
        found = ", ".join(f"{median:.1f}" for median in medians[1:])
        part.fail(None, f"resident memory is not flat within {(allowed - 1) * 100:.0f} %: {found} MiB")
