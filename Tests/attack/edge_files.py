"""Cases of files: existing ones, special ones, and unwritable ones."""

import contextlib
import json
import os
import pathlib
import resource
import shutil
import socket
import subprocess
import time

from running import ENVIRONMENT, Client, NotReady, run, running

SESSION = pathlib.Path(__file__).resolve().parents[2] / "Fixtures" / "sessions" / "meals.har"
SECONDS = 10


class Skipped(Exception):
    """A case that this system does not have."""


def serve_with_ready_file(settings, path, port):
    """Starts a server with a given ready file, and ends it after a moment; returns its exit status."""
    command = [*settings.program, "serve", "--port", str(port), "--ready-file", str(path)]
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=ENVIRONMENT)
    try:
        # The banner's last line, or the end of a server that cannot start.
        for line in process.stdout:
            if line.startswith(b"Stop with"):
                process.terminate()
        return process.wait(SECONDS)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def ready_file_of_others(settings, folder):
    """A server that cannot listen removes nothing."""
    with contextlib.closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        notes = folder / "notes.txt"
        notes.write_text("mine")
        link = folder / "link"
        link.symlink_to(notes)
        fifo = folder / "fifo"
        os.mkfifo(fifo)
        for path in [notes, link, fifo]:
            status = serve_with_ready_file(settings, path, port)
            if not os.path.lexists(path):
                return f"{path.name} is gone after a server that could not listen and exited with {status}"
        if notes.read_text() != "mine" or not link.is_symlink():
            return "notes.txt, or a link to it, is another one after a server that could not listen"
    with running(settings, "serve", folder=folder) as server:
        serve_with_ready_file(settings, server.ready_file, server.port)
        return None if server.ready_file.exists() else "the ready file of a server that runs is gone"


def ready_file_that_is_no_file(settings, folder):
    """A running server does not touch a path that is not a regular file."""
    fifo, target = folder / "fifo", folder / "target"
    os.mkfifo(fifo)
    target.mkdir()
    for path in [fifo, target]:
        status = serve_with_ready_file(settings, path, 0)
        if not os.path.lexists(path):
            return f"{path.name} is gone, the server exited with {status}"
    return None


def output_to_a_full_device(settings, folder):
    if not os.path.exists("/dev/full"):
        raise Skipped
    for command in [["show", SESSION], ["diff", SESSION, SESSION], ["judge", SESSION], ["token"], ["scenarios"],
                    ["scenarios", "default"], ["verify", "--quiet", "--", "true"]]:
        with open("/dev/full", "wb") as full:
            ended = run(settings.program, *command, output=full, seconds=30)
        if ended.status != 3:
            return f"{command[0]} exits with {ended.status}, 3 was due"
    return None


def check_of_no_file(settings, folder):
    fifo = folder / "scenario.yaml"
    os.mkfifo(fifo)
    for path in [fifo, "/dev/zero", folder]:
        ended = run(settings.program, "check", path, seconds=SECONDS)
        if ended.is_late or ended.status != 2:
            return f"check of {path} {'waited' if ended.is_late else f'exited with {ended.status}'}, 2 was due"
    return None


def watched_scenario_becomes_a_fifo(settings, folder):
    """The scenario's file, or the session in it, suddenly becomes a FIFO."""
    scenario = folder / "scenario.yaml"
    os.mkfifo(folder / "session.har")
    for text in [None, "name: watched\nreplay: session.har\n"]:
        scenario.write_text("name: watched\n")
        with running(settings, "serve", "--scenario", scenario, "--watch", folder=folder) as server:
            if text is None:
                os.mkfifo(folder / "fifo")
                os.replace(folder / "fifo", scenario)
            else:
                scenario.write_text(text)
            # The file is checked twice a second.
            deadline = time.monotonic() + 2
            while time.monotonic() < deadline:
                if server.health(2) is None:
                    return f"/health has no answer once the {'session' if text else 'scenario'} is a FIFO"
                time.sleep(0.1)
            status = server.stop()
        if status != 0:
            return f"the server exited with {status} after SIGTERM"
        scenario.unlink()
    return None


def recording_beyond_the_file_size(settings, folder):
    """`ulimit -f`: the write fails without a fatal signal, and the recording is still JSON."""
    file = folder / "session.har"

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))

    with running(settings, "serve", "--instant", "--record", file, folder=folder, before=limit) as server:
        with contextlib.closing(Client(server)) as client:
            for _ in range(400):
                client.send("POST", "/api/v1/goals", {
                    "title": "Run", "description": "x" * 1_000, "targetDate": "2030-01-01T00:00:00Z"})
        trouble = server.trouble(1_000)
        if trouble:
            return trouble
        server.stop()
    try:
        json.loads(file.read_bytes())
    except ValueError as error:
        return f"the recording is no JSON: {error}"
    return None


def recording_that_is_gone(settings, folder):
    below = folder / "below"
    below.mkdir()
    with running(settings, "serve", "--record", below / "session.har", folder=folder) as server:
        with contextlib.closing(Client(server)) as client:
            client.ask("GET", "/api/v1/goals")
        shutil.rmtree(below)
        status = server.stop()
    return None if status == 3 else f"the server exited with {status}, 3 was due: its recording is gone"


def recording_whose_place_is_taken(settings, folder):
    file = folder / "session.har"
    with running(settings, "serve", "--record", file, folder=folder) as server:
        with contextlib.closing(Client(server)) as client:
            client.ask("GET", "/api/v1/goals")
        file.unlink()
        file.write_text("mine")
        status = server.stop()
    if file.read_text() != "mine":
        return f"a file of another program was replaced, the server exited with {status}"
    return None if status == 3 else f"the server exited with {status}, 3 was due: its recording's place is taken"


def export_to_no_file(settings, folder):
    """An export to a FIFO or a device does not replace it."""
    fifo = folder / "fifo"
    os.mkfifo(fifo)
    try:
        with running(settings, "serve", "--export-on-exit", fifo, folder=folder) as server:
            status = server.stop()
    except NotReady as refusal:
        status = refusal.status
    if status in (None, 0) or status < 0:
        return f"the server exited with {status}, a refusal was due"
    return None if fifo.is_fifo() else "the FIFO has been replaced"


def state_that_is_gone(settings, folder):
    """A state file is moved or removed while its server runs: exit 3, and no second server writes its log."""
    for name in ["moved", "removed"]:
        file, moved = folder / f"{name}.db", folder / f"{name}.old"
        with running(settings, "serve", "--state", file, folder=folder) as server:
            if name == "moved":
                file.rename(moved)
            else:
                file.unlink()
            second = serve_second(settings, folder, file)
            if second != 2:
                return f"a second server with the state file that was {name} exited with {second}, 2 was due"
            with contextlib.closing(Client(server)) as client:
                client.ask("POST", "/api/v1/goals", {
                    "title": "Run", "description": "x", "targetDate": "2030-01-01T00:00:00Z"})
            status = server.stop()
        if status != 3:
            return f"the server exited with {status}, 3 was due: its state file is {name}"
        if f"{name}.db' was moved, removed or replaced" not in server.log():
            return f"the log does not say that the state file is {name}"
    return None


def serve_second(settings, folder, file):
    try:
        with running(settings, "serve", "--state", file, folder=folder) as server:
            return server.stop()
    except NotReady as refusal:
        return refusal.status


def state_file_with_the_name_of_a_uri(settings, folder):
    """It is an ordinary file, even if SQLite accepts URIs."""
    for number, name in enumerate(["file:x?mode=memory", "file::memory:", ":memory:"]):
        place = folder / str(number)
        place.mkdir()

        def enter():
            os.chdir(place)

        with running(settings, "serve", "--state", name, folder=folder, before=enter) as server:
            status = server.stop()
        if status != 0 or not (place / name).exists():
            return f"there is no file '{name}' after a server that exited with {status}"
        if (place / name).stat().st_mode & 0o077:
            return f"other users can read '{name}'"
    return None


CASES = [
    state_that_is_gone, state_file_with_the_name_of_a_uri,
    ready_file_of_others, ready_file_that_is_no_file, output_to_a_full_device, check_of_no_file,
    watched_scenario_becomes_a_fifo, recording_beyond_the_file_size, recording_that_is_gone,
    recording_whose_place_is_taken, export_to_no_file,
]
