"""The part memory: worlds of many small things of one kind. Resident memory grows at most by three times what is counted as stored."""

import contextlib
import re

from report import table
from running import Client, running

FACTOR = 3.0
# What a server takes for its first worlds of any kind, and an allocator for what it has given back.
SPARE_MIB = 16
MIB, SHORT_MIB = 64, 8


def users(count, **content):
    return {"users": [{"id": f"u{number}", **content} for number in range(count)]}


def rules(key, rule):
    return {key: [{**rule, "name": f"r{number}"} if key == "faults" else rule for number in range(400)]}


# A scenario each, as small as its pieces can be.
KINDS = {
    "users": users(4000),
    "accounts": {
        "accounts": {"password_cost": 1},
        "users": [{"id": f"u{n}", "email": f"u{n}@example.com", "password": "correct horse"} for n in range(400)],
    },
    "goals": users(40, goals=[{"title": "a"}] * 200),
    "consultations": users(40, consultations=[{"persona": "general_wellness", "status": "archived"}] * 200),
    "messages": users(20, consultations=[{"persona": "general_wellness", "messages": [{"user": "a"}] * 200}]),
    "meal logs": users(40, meal_logs=[{"text": "egg", "meal_type": "snack"}] * 100),
    "documents": users(40, documents={"mood_entries": [{"score": 1}] * 200}),
    "templates": users(40, documents={"workout_templates": [{"name": "a"}] * 200}),
    "fault rules": rules("faults", {"on": "GET /api/v1/goals", "status": 503}),
    "answers": rules("answers", {"text": "a"}),
}


def attack(part, folder):
    rows = []
    kinds = list(KINDS.items())
    for number in part.numbers(rounds=len(kinds), short=len(kinds)):
        name, scenario = kinds[number % len(kinds)]
        with running(part.settings, "serve", "--instant", "--log-level", "critical", folder=folder) as server:
            with contextlib.closing(Client(server)) as client:
                client.ask("POST", "/__admin/worlds", {}, 201)
                before = server.memory()
                stored = fill(client, {"name": "many", **scenario}, SHORT_MIB if part.settings.short else MIB)
            grown = server.memory() - before
        rows.append([name, f"{stored:.0f} MiB", f"{grown:.0f} MiB", f"{grown / stored:.2f}"])
        part.count("within" if grown <= FACTOR * stored + SPARE_MIB else "over")
        if grown > FACTOR * stored + SPARE_MIB:
            part.fail(number, f"{name} of {stored:.0f} MiB take {grown:.0f} MiB of memory")
        part.progress(f"{part.inputs} kinds")
    part.tables.append(table(["worlds of", "stored", "resident", "factor"], rows))


def fill(client, scenario, wanted):
    """Makes worlds of a scenario until so many MiB are stored; returns how many are."""
    for _ in range(2000):
        client.ask("POST", "/__admin/worlds", {"scenario": scenario}, 201)
        text = client.send("GET", "/__admin/metrics")[1].decode()
        stored = float(re.search(r"^fitiq_mock_stored_bytes (\S+)$", text, re.M)[1]) / 2**20
        if stored >= wanted:
            return stored
    raise AssertionError(f"2,000 worlds are only {stored:.1f} MiB")
