"""The part kill: recorders that are killed with -9 under load. The remaining file is JSON, and has everything that
clients had received."""

import collections
import json
import threading
import time

from kill_clients import Asker, Talker
from report import table
from running import Client, running

WAYS = ["record", "serve --record"]
# Enough for an answer of some 250 KB, because a kill cuts the writes of large entries.
GOALS = 100


def attack(part, folder):
    counts = {way: collections.Counter() for way in WAYS}
    with running(part.settings, "serve", "--instant", "--log-level", "critical", folder=folder) as upstream:
        for number in part.numbers(rounds=200, short=10):
            way = WAYS[number % 2]
            file = folder / f"killed-{number}.har"
            if way == "record":
                options = ["record", "--upstream", upstream.url, "--output", file]
            else:
                options = ["serve", "--instant", "--record", file]
            with running(part.settings, *options, "--log-level", "critical", folder=folder) as server:
                source = upstream if way == "record" else server
                clients = load(part.random(number), source, server)
            kept = file.read_bytes()
            problem = examine(kept, clients, counts[way])
            part.count("killed")
            if problem:
                part.fail(number, f"{way}: {problem}", kept, "har")
            part.progress(f"{part.inputs} kills")
            file.unlink()
    if part.settings.only is None:
        for way in WAYS:
            check_load(part, way, counts[way])
    names = ["kills", "exchanges received", "exchanges lost", "frames received", "frames lost", "files that are no JSON"]
    part.tables.append(table(["killed"] + names, [[way] + [f"{counts[way][name]:,}" for name in names] for way in WAYS]))


def check_load(part, way, counts):
    """Fails if nothing was received, so that nothing could be lost; a single kill may come too early for that."""
    for name in ["exchanges received", "frames received"]:
        if counts["kills"] and not counts[name]:
            part.fail(None, f"{way}: no {name} before any of {counts['kills']} kills")


def load(numbers, source, server):
    """Starts clients, and kills the server at a random moment; returns the clients once they have noticed."""
    id, goal = prepare(source)
    credentials = source.credentials
    socket = f"/api/v1/consultations/{id}/ws"
    is_killed = threading.Event()
    clients = [Asker(server, credentials, f"small{n}", is_killed, f"/api/v1/goals/{goal}") for n in range(2)]
    clients.append(Asker(server, credentials, "large", is_killed, "/api/v1/goals"))
    clients += [Talker(server, credentials, f"pings{n}", is_killed, socket, {"type": "ping"}, b'"pong"') for n in range(2)]
    question = {"type": "message", "content": "What should I eat for breakfast?"}
    clients.append(Talker(server, credentials, "chat", is_killed, socket, question, b"stream_complete"))
    for client in clients:
        client.start()
    time.sleep(numbers.uniform(0.02, 0.6))
    is_killed.set()
    server.kill()
    for client in clients:
        client.join()
    return clients


def prepare(server):
    """Creates or finds a consultation and goals; returns their ids."""
    client = Client(server)
    goals = client.ask("GET", "/api/v1/goals")
    if not goals["data"]["goals"]:
        for _ in range(GOALS):
            client.ask("POST", "/api/v1/goals", {
                "title": "Exercise 3x per week", "description": "Build a habit. " * 130, "targetDate": "2030-03-01T00:00:00Z"})
        goals = client.ask("GET", "/api/v1/goals")
    client.send("POST", "/api/v1/consultations", {"persona": "nutritionist"})
    id = client.ask("GET", "/api/v1/consultations")["data"]["consultations"][0]["id"]
    # A chat of earlier rounds may have filled it.
    client.ask("POST", f"/api/v1/consultations/{id}/archive", {})
    id = client.ask("POST", "/api/v1/consultations", {"persona": "nutritionist"}, status=201)["data"]["id"]
    client.close()
    return id, goals["data"]["goals"][0]["id"]


def examine(kept, clients, counts):
    """Counts the received answers and those that the file lacks; returns the problem, if any."""
    counts["kills"] += 1
    askers = [client for client in clients if isinstance(client, Asker)]
    talkers = [client for client in clients if isinstance(client, Talker)]
    received = {target: body for client in askers for target, body in client.received.items()}
    texts = {client.target: client.texts() for client in talkers}
    counts["exchanges received"] += len(received)
    counts["frames received"] += sum(map(len, texts.values()))
    problems = [client.problem for client in clients if client.problem]
    if problems:
        return f"{len(problems)} clients had trouble that was not the kill: {problems[0]}"
    try:
        entries = json.loads(kept)["log"]["entries"]
    except (ValueError, KeyError, TypeError) as error:
        counts["files that are no JSON"] += 1
        return f"the file of {len(kept)} bytes is no JSON: {error}"
    bodies, frames = read(entries)
    lost = [target for target, body in received.items() if bodies.get(target) != body.decode()]
    counts["exchanges lost"] += len(lost)
    lost_frames = 0
    for target, sent in texts.items():
        have = frames.get(target, [])
        same = next((place for place, (one, other) in enumerate(zip(sent, have)) if one != other), min(len(sent), len(have)))
        lost_frames += len(sent) - same
    counts["frames lost"] += lost_frames
    if lost or lost_frames:
        return f"of {len(received)} exchanges {len(lost)} are lost, of {sum(map(len, texts.values()))} frames {lost_frames}"
    return None


def read(entries):
    """The bodies of a recording's answers and the messages of its sockets, by target."""
    bodies, targets, frames = {}, {}, collections.defaultdict(list)
    for entry in entries:
        target = "/" + entry["request"]["url"].split("/", 3)[3]
        if entry.get("_resourceType") != "websocket":
            bodies[target] = entry["response"]["content"].get("text")
            continue
        # Entries with the same number continue each other.
        target = targets.setdefault(entry.get("_fitiq", {}).get("socket", target), target)
        messages = entry.get("_webSocketMessages", [])
        frames[target] += [message["data"] for message in messages if message["type"] == "receive"]
    return bodies, frames
