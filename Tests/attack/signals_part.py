"""The part signals: signals at random moments for servers under load. Each server ends cleanly, or leaves no trace."""

import collections
import contextlib
import json
import pathlib
import signal
import subprocess
import tempfile
import threading
import time

from kill_clients import Asker
from report import table
from running import ENVIRONMENT, STOP_SECONDS, Client, running

SESSION = pathlib.Path(__file__).resolve().parents[2] / "Fixtures" / "sessions" / "meals.har"
ENDING = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP]
# The signals that a server survives.
PASSING = [signal.SIGPIPE, signal.SIGXFSZ, signal.SIGWINCH, signal.SIGCONT, signal.SIGURG]
WAYS = ["serve", "record", "replay"]
# As under nohup: child processes inherit ignored signals.
INHERITS = signal.getsignal(signal.SIGHUP) == signal.SIG_IGN


def attack(part, folder):
    outcomes = {way: collections.Counter() for way in WAYS}
    with running(part.settings, "serve", "--instant", "--log-level", "critical", folder=folder) as upstream:
        for number in part.numbers(rounds=300, short=18):
            way = WAYS[number % len(WAYS)]
            place = pathlib.Path(tempfile.mkdtemp(dir=folder))
            problem, outcome = play(part, part.random(number), way, upstream, place)
            part.count(outcome)
            outcomes[way][outcome] += 1
            if problem:
                part.fail(number, f"{way}: {problem}")
            part.progress(f"{part.inputs} rounds")
    names = sorted({name for counts in outcomes.values() for name in counts})
    rows = [[way] + [f"{outcomes[way][name]:,}" for name in names] for way in WAYS]
    part.tables.append(table(["signalled"] + names, rows))


def options_of(way, upstream, place):
    if way == "serve":
        return ["serve", "--instant", "--state", place / "state.db", "--record", place / "session.har",
                "--export-on-exit", place / "export.json"]
    if way == "record":
        return ["record", "--upstream", upstream.url, "--output", place / "session.har"]
    return ["replay", SESSION, "--match", "route"]


def play(part, numbers, way, upstream, place):
    """The problem of a server that gets signals, and how it ended."""
    options = [*options_of(way, upstream, place), "--log-level", "critical"]
    if numbers.random() < 0.2:
        return signalled_at_its_start(part, numbers, options, place)
    is_ignored = numbers.random() < 0.15 or INHERITS
    before = (lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) if is_ignored else None
    with running(part.settings, *options, folder=place, before=before) as server:
        credentials = (upstream if way == "record" else server).credentials if way != "replay" else {}
        is_ended = threading.Event()
        clients = [Asker(server, credentials, f"a{n}", is_ended, "/health") for n in range(2)]
        for client in clients:
            client.start()
        time.sleep(numbers.uniform(0, 0.3))
        passing = numbers.sample(PASSING, numbers.randint(0, 2)) + [signal.SIGHUP] * is_ignored
        for each in passing:
            server.process.send_signal(each)
            time.sleep(0.01)
        time.sleep(0.05 if passing else 0)
        if passing and server.health() is None:
            return f"it does not answer after {names(passing)}, which it lives through", "ended too early"
        is_ended.set()
        ending = numbers.choices(ENDING[:2] if is_ignored else ENDING, k=numbers.choice([1, 1, 1, 2, 3]))
        for each in ending:
            if server.is_alive():
                server.process.send_signal(each)
            time.sleep(numbers.uniform(0, 0.01))
        problem, outcome = ended(server.process, ending)
        for client in clients:
            client.join()
        problem = problem or looked(server.ready_file, place, way, outcome)
    return (f"after {names(ending)} {problem}" if problem else None), outcome


def signalled_at_its_start(part, numbers, options, place):
    """A signal comes before the server is ready: the ready file does not exist, or is removed again."""
    ready, each = place / "ready.json", numbers.choice(ENDING[:2] if INHERITS else ENDING)
    process = subprocess.Popen(
        [*part.settings.program, *map(str, options), "--port", "0", "--ready-file", str(ready)], stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ENVIRONMENT)
    try:
        time.sleep(numbers.uniform(0, 0.15))
        process.send_signal(each)
        status = process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        return f"it still runs {STOP_SECONDS} s after {each.name} at its start", "no end"
    finally:
        process.kill()
        process.wait()
    if status not in (0, -each):
        return f"it exited with {status} after {each.name} at its start", f"exit {status}"
    if ready.exists():
        return f"its ready file is left after {each.name} at its start", "ready file left"
    return None, "ended at its start"


def ended(process, ending):
    """How a server ends: cleanly, or at once by a second signal other than a hang-up."""
    try:
        status = process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        # Clients wait for the server's end.
        process.kill()
        return f"it still runs after {STOP_SECONDS} s", "no end"
    if status == 3 and sum(each != signal.SIGHUP for each in ending) > 1:
        return None, "exit 3, at once"
    return (None if status == 0 else f"it exited with {status}"), f"exit {status}"


def looked(ready, place, way, outcome):
    """The problem with the files of a server that has ended."""
    if ready.exists():
        return "its ready file is left"
    parts = [path.name for path in place.glob("*.part")]
    if parts:
        return f"{', '.join(parts)} is left"
    whole = {"serve": ["session.har"] + ["export.json"] * (outcome == "exit 0"), "record": ["session.har"], "replay": []}[way]
    for name in whole:
        try:
            json.loads((place / name).read_bytes())
        except (OSError, ValueError) as error:
            return f"{name} is not written: {error}"
    return None


def names(signals):
    return ", ".join(each.name for each in signals)
