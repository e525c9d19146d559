"""The parts har and journal: hostile recordings and journals, for each command that reads them."""

import concurrent.futures
import json
import os
import pathlib
import signal
import time

import journal
from json_inputs import hostile_file, hostile_lines
from running import Ended, NotReady, Server, run

SESSIONS = pathlib.Path(__file__).resolve().parents[2] / "Fixtures" / "sessions"
SECONDS = 20
MEMORY = 500
WORKERS = 2

# The exit codes that each command documents.
STATUSES = {"show": {0, 2}, "diff": {0, 1, 2}, "judge": {0, 1, 2, 4}, "replay": {0, 2}}

# Handwritten files: the command, the bytes, the correct exit codes.
BY_HAND = [
    (["show", "diff", "judge", "replay"], b'{"log":[[[[', {2}),
    (["show", "judge"], b'{"log":{"entries":[[[[', {2}),
    (["show", "judge"], b'{"log":{"entries":[garbage garbage', {2}),
    (["show", "judge"], b'{"log":{"entries":[]@@@@', {2}),
    (["replay", "show", "diff", "judge"], b"garbage\n", {2}),
    (["show", "diff", "judge", "replay"], b"\0" * 100_000, {2}),
    (["show", "diff", "judge", "replay"], b"[" * 100_000, {2}),
    (["diff", "show", "replay"], b"", {2}),
    (["diff", "show", "replay"], b"{}", {2}),
    (["show", "diff", "replay"], b'{"log":1}', {2}),
    (["show", "diff", "replay"], b'{"log":{"entries":5}}', {2}),
    (["show", "diff", "judge", "replay"], b'{"log":{"version":"1.2","entries":[]}}garbage', {2}),
    (["show", "diff", "judge", "replay"], b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40, {2}),
    (["judge"], b"garbage", {2}),
    (["judge"], b"garbage\n{}\n", {2}),
    (["judge"], b"5\n", {2}),
    (["judge"], b'{"a":1', {2}),
]


def attack(part, folder):
    originals = [(file.name, file.read_bytes()) for file in sorted([*SESSIONS.glob("*.har"), *SESSIONS.glob("foreign/*.har")])]
    if part.name == "journal":
        originals = [("journal.ndjson", journal.saved(part.settings, folder))]
    trees = {name: json.loads(data) for name, data in originals if part.name == "har"}
    for name, data in originals:
        (folder / name).write_bytes(data)
    if part.settings.only is None:
        by_hand(part, folder)
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        for batch in part.batches(rounds=1_500, short=40, size=20):
            futures = [pool.submit(examine, part, folder, originals, trees, number) for number in batch]
            for future in futures:
                future.result()
            part.progress(f"{part.inputs} commands")


def by_hand(part, folder):
    for index, (commands, data, statuses) in enumerate(BY_HAND):
        file = folder / f"by-hand-{index}"
        file.write_bytes(data)
        commands = [command for command in commands if (command == "judge") == (part.name == "journal")]
        # Some of these take a third of a second in a debug build.
        for command in commands[:1] if part.settings.short else commands:
            ended = obey(part, command, file, folder)
            part.count(f"{command} {ended.status}")
            problem = wrong(command, ended)
            if not problem and ended.status not in statuses:
                problem = f"exited with {ended.status}, {sorted(statuses)} was due"
            if problem:
                part.fail(None, f"{command} of the file {data[:40]!r}: {problem}")
        file.unlink()


def examine(part, folder, originals, trees, number):
    """Creates one file, and runs the commands on it."""
    numbers = part.random(number)
    name, original = numbers.choice(originals)
    data = hostile_file(original, trees[name], numbers) if trees else hostile_lines(original, numbers)
    file = folder / f"input-{number}.{'har' if trees else 'ndjson'}"
    file.write_bytes(data)
    commands = ["show", "diff", "judge", "replay"] if trees else ["judge"]
    if trees and part.settings.short:
        # Some of them take a third of a second in a debug build.
        commands = numbers.choice([["judge"], ["judge"], ["show", "diff"], ["replay"]])
    statuses = {}
    for command in commands:
        ended = obey(part, command, file, folder)
        part.count(f"{command} {ended.status}")
        statuses[command] = ended.status
        problem = wrong(command, ended) or contradiction(statuses, data)
        if problem:
            part.fail(number, f"{command}: {problem}", data, file.suffix[1:])
            break
    file.unlink()


def obey(part, command, file, folder):
    """Runs a command on a file, and returns its outcome."""
    program = part.settings.program
    if command == "diff":
        return run(program, "diff", file, file, seconds=SECONDS)
    if command != "replay":
        return run(program, command, file, seconds=SECONDS)
    return replayed(program, file, folder)


def replayed(program, file, folder):
    """Replays a file: starts it, sends one request, and stops it."""
    start = time.monotonic()
    try:
        server = Server(program, "replay", file, "--log-level", "critical", folder=folder)
    except NotReady as refusal:
        return Ended(
            refusal.status, b"", refusal.log.encode(), time.monotonic() - start, memory=0, is_late=refusal.is_late)
    server.health()
    memory, status = server.memory(), server.stop()
    log = server.log().encode()
    os.unlink(server.log_file)
    return Ended(status, b"", log, time.monotonic() - start, memory, is_late=status is None)


def wrong(command, ended):
    """The problem with the end of a command, whatever its input."""
    if ended.is_late:
        return f"did not end within {SECONDS} s"
    if ended.status < 0:
        return f"was ended by {signal.Signals(-ended.status).name}: {ended.errors[-500:]!r}"
    if ended.status not in STATUSES[command]:
        return f"exited with {ended.status}, {sorted(STATUSES[command])} are documented: {ended.errors[-500:]!r}"
    if ended.memory > MEMORY:
        return f"took {ended.memory:.0f} MiB"
    if ended.status == 2 and not (len(ended.errors) > 20 and ended.errors.startswith(b"fitiq-mock: ")):
        return f"exited with 2 and no sentence: {ended.errors[:200]!r}"
    return None


def contradiction(statuses, data):
    """A contradiction between two commands about one file, or about input that is plainly not a recording."""
    if statuses.get("diff") == 1:
        return "the file differs from itself"
    if "diff" in statuses and (statuses["show"] == 2) != (statuses["diff"] == 2):
        return f"show exits with {statuses['show']}, diff with {statuses['diff']}"
    plain = data.strip(b" \t\r\n")
    is_object = plain.startswith(b"{") or plain.startswith(b"\xef\xbb\xbf{")
    for command, status in statuses.items():
        if plain and not is_object and status != 2:
            return f"{command} exits with {status} for a file that begins with {plain[:20]!r}"
    return None
