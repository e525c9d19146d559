"""The part memory: many small entities of one kind. Resident memory grows at most by three times their counted size."""

import contextlib
import json
import re

from frames import TEXT, frame, handshake
from report import table
from running import Client, running

FACTOR = 3.0
# The memory for a server's first worlds, and what an allocator keeps after freeing.
SPARE_MIB = 16
MIB, SHORT_MIB = 64, 8
# The most entries of a journal; a socket's message and its answer are two.
ENTRIES = 10_000


def users(count, **content):
    return {"users": [{"id": f"u{number}", **content} for number in range(count)]}


def rules(key, rule):
    return {key: [{**rule, "name": f"r{number}"} if key == "faults" else rule for number in range(400)]}


# A scenario for each kind, with the smallest possible parts.
SCENARIOS = {
    "users": users(4000),
    "accounts": {
        "accounts": {"password_cost": 1},
        "users": [{"id": f"u{n}", "email": f"u{n}@example.com", "password": "correct horse"} for n in range(400)],
    },
    "goals": users(40, goals=[{"title": "a"}] * 200),
    "consultations": users(40, consultations=[{"persona": "general_wellness", "status": "archived"}] * 200),
    "messages": users(20, consultations=[{"persona": "general_wellness", "messages": [{"user": "a"}] * 200}]),
    "meal logs": users(40, meal_logs=[{"text": "egg", "meal_type": "snack"}] * 100),
    "photos": users(200, photos=[{"text": "egg", "meal_type": "snack"}] * 20),
    "documents": users(40, documents={"mood_entries": [{"valence": 1, "logged_at": "1d ago"}] * 200}),
    "templates": users(40, documents={"workout_templates": [{"name": "a"}] * 200}),
    "fault rules": rules("faults", {"on": "GET /api/v1/goals", "status": 503}),
    "answers": rules("answers", {"text": "a"}),
}


def requests(server, world):
    """Fills a world's journal with the smallest requests, one after the other on a connection."""
    request = f"GET /w/{world['id']}/api/v1/goals HTTP/1.1\r\nHost: h\r\n\r\n".encode()
    for _ in range(ENTRIES // 100):
        with server.connect() as wire:
            wire.sendall(request * 99 + request.replace(b"Host", b"Connection: close\r\nHost"))
            while wire.recv(1 << 20):
                pass


def messages(server, world):
    """Fills a world's journal with a socket's messages."""
    fields = {"Authorization": f"Bearer {world['token']}", "X-API-Key": world["api_key"]}
    place = f"/w/{world['id']}/api/v1/consultations"
    with contextlib.closing(Client(server, headers={**fields, "Content-Type": "application/json"})) as client:
        consultation = client.ask("POST", place, {"persona": "nutritionist"}, 201)["data"]["id"]
    fields = [f"{name}: {value}" for name, value in fields.items()]
    with server.connect() as wire:
        wire.sendall(handshake(f"{place}/{consultation}/ws", server.port, fields))
        for _ in range(ENTRIES // 200):
            wire.sendall(frame(TEXT, b'{"type":"ping"}') * 100)
            received = b""
            while received.count(b'"pong"') < 100:
                data = wire.recv(1 << 20)
                if not data:
                    raise AssertionError(f"the socket ended after {received[-200:]}")
                received += data


JOURNALS = {"journals of requests": requests, "journals of messages": messages}


def exchanges(count):
    return [session_entry(f"http://h/{n}", 200, content={"text": "a"}) for n in range(count)]


def sockets(count):
    message = {"type": "receive", "time": 1738146600, "opcode": 1, "data": "a"}
    return [session_entry("ws://h/s", 101, _webSocketMessages=[message] * 10 * count)]


def session_entry(url, status, content=None, **members):
    return {
        "startedDateTime": "2025-01-29T10:30:00Z", "time": 0, "request": {"method": "GET", "url": url, "headers": []},
        "response": {"status": status, "headers": [], "content": content or {}}, **members}


# A session's entries, and the counted size of each besides its content (docs/limits.md).
SESSIONS = {"sessions of requests": (exchanges, 1024), "sessions of messages": (sockets, 192)}


def attack(part, folder):
    rows = []
    kinds = [*SCENARIOS, *JOURNALS, *SESSIONS]
    for number in part.numbers(rounds=len(kinds), short=len(kinds)):
        name = kinds[number % len(kinds)]
        wanted = SHORT_MIB if part.settings.short else MIB
        counted, grown = measured(part.settings, folder, name, wanted)
        rows.append([name, f"{counted:.0f} MiB", f"{grown:.0f} MiB", f"{grown / counted:.2f}"])
        part.count("within" if grown <= FACTOR * counted + SPARE_MIB else "over")
        if grown > FACTOR * counted + SPARE_MIB:
            part.fail(number, f"{name} of {counted:.0f} MiB take {grown:.0f} MiB of memory")
        part.progress(f"{part.inputs} kinds")
    part.tables.append(table(["many", "counted", "resident", "factor"], rows))


def measured(settings, folder, name, wanted):
    """This many MiB of a kind: how many were counted, and how much resident memory grew."""
    if name in SESSIONS:
        make, weight = SESSIONS[name]
        count = wanted * 2**20 // weight
        before = replayed(settings, folder, exchanges(1))
        return count * weight / 2**20, replayed(settings, folder, make(count // 10 if make is sockets else count)) - before
    with running(settings, "serve", "--instant", "--log-level", "critical", folder=folder) as server:
        with contextlib.closing(Client(server)) as client:
            client.ask("POST", "/__admin/worlds", {}, 201)
            before = server.memory()
            if name in SCENARIOS:
                body, gauge = {"scenario": {"name": "many", **SCENARIOS[name]}}, "stored"
            else:
                body, gauge = {}, "journal"
            counted = 0
            for _ in range(2000):
                world = client.ask("POST", "/__admin/worlds", body, 201)
                if name in JOURNALS:
                    JOURNALS[name](server, world)
                    # It may have waited longer than the keep-alive time.
                    client.connection.close()
                text = client.send("GET", "/__admin/metrics")[1].decode()
                counted = float(re.search(rf"^fitiq_mock_{gauge}_bytes (\S+)$", text, re.M)[1]) / 2**20
                if counted >= wanted:
                    return counted, server.memory() - before
    raise AssertionError(f"2,000 worlds are only {counted:.1f} MiB")


def replayed(settings, folder, entries):
    """The resident memory of a server that replays a session."""
    file = folder / "session.har"
    file.write_text(json.dumps({"log": {"entries": entries}}))
    with running(settings, "replay", file, "--log-level", "critical", folder=folder) as server:
        return server.memory()
