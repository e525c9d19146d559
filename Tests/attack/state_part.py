"""The part state: servers with --state that are killed with -9 while clients write. The remaining file has the state of
one moment."""

import collections
import contextlib
import stat
import threading
import time

from report import table
from running import Client, NotReady, running

WRITERS = 3
# The limit of a user's goals, for all writers together.
GOALS = 300
# The documentation promises five commits a second; the rest allows for a busy machine.
SECONDS_TO_COMMIT = 1.0
DATE = "2030-01-01T00:00:00Z"


class Writer(threading.Thread):
    """Announces in its first goal the number of the following goals, then creates the next: never one without the
    other."""

    def __init__(self, server, name, is_killed):
        super().__init__(daemon=True)
        self.name, self.is_killed = name, is_killed
        self.client = Client(server)
        # The times at which each number was answered with a success.
        self.announced, self.created = {}, {}
        self.problem = None

    def run(self):
        try:
            first = self.ask("POST", "/api/v1/goals", f"{self.name} announces 0", 201)["data"]["id"]
            for number in range(1, GOALS):
                self.ask("PATCH", f"/api/v1/goals/{first}", f"{self.name} announces {number}", 200)
                self.announced[number] = time.monotonic()
                self.ask("POST", "/api/v1/goals", f"{self.name} has {number}", 201)
                self.created[number] = time.monotonic()
        except Exception as error:
            if not self.is_killed.is_set():
                self.problem = f"{self.name}: {type(error).__name__}: {error}"
        finally:
            self.client.close()

    def ask(self, method, path, title, status):
        body = {"title": title, "description": "x" * 200}
        return self.client.ask(method, path, {**body, "targetDate": DATE} if method == "POST" else body, status)


def attack(part, folder):
    counts = collections.Counter()
    for number in part.numbers(rounds=100, short=6):
        file = folder / f"{number}.db"
        numbers = part.random(number)
        # Some live long enough that something must be saved.
        life = numbers.uniform(1.2, 1.8) if number % 3 == 2 else numbers.uniform(0.02, 0.6)
        try:
            problem = kill_and_look(part, folder, file, life, counts)
        except NotReady as error:
            problem = f"no server starts with what was left: {error}"
        except OSError as error:
            problem = f"{type(error).__name__}: {error}"
        part.count("killed")
        if problem:
            part.fail(number, problem, file.read_bytes() if file.exists() else None, "db")
        part.progress(f"{part.inputs} kills")
        for left in folder.glob(f"{number}.db*"):
            left.unlink()
    names = ["kills", "goals answered", "goals kept", "goals lost", "files open to others"]
    oldest = f"{counts['oldest loss in ms']:,} ms"
    row = ["serve --state"] + [f"{counts[name]:,}" for name in names] + [oldest]
    part.tables.append(table(["killed"] + names + ["oldest loss"], [row]))


def kill_and_look(part, folder, file, life, counts):
    options = ["serve", "--instant", "--state", file, "--log-level", "critical"]
    is_killed = threading.Event()
    with running(part.settings, *options, folder=folder) as server:
        writers = [Writer(server, f"w{number}", is_killed) for number in range(WRITERS)]
        for writer in writers:
            writer.start()
        time.sleep(life)
        is_killed.set()
        killed = time.monotonic()
        server.kill()
    for writer in writers:
        writer.join()
    counts["kills"] += 1
    problems = [writer.problem for writer in writers if writer.problem]
    if problems:
        return f"a client had trouble that was not the kill: {problems[0]}"
    open_files = [path.name for path in folder.glob(f"{file.name}*") if path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO)]
    counts["files open to others"] += len(open_files)
    if open_files:
        return f"other users can read {', '.join(open_files)}"
    titles = kept_titles(part, options, file, folder)
    if kept_titles(part, options, file, folder) != titles:
        return "a server that was started again and stopped has other goals than before"
    return examine(titles, writers, killed, counts)


def kept_titles(part, options, file, folder):
    """The titles on a server that continues with the file; it stops cleanly, and leaves only the file."""
    with running(part.settings, *options, folder=folder) as server:
        with contextlib.closing(Client(server)) as client:
            goals = client.ask("GET", "/api/v1/goals")["data"]["goals"]
        status = server.stop()
        if status != 0:
            raise OSError(f"a server with the file that was left exited with {status}: {server.log()[-500:]}")
    beside = [path.name for path in folder.glob(f"{file.name}-*")]
    if beside:
        raise OSError(f"a server that stopped cleanly left {', '.join(beside)}")
    return [goal.get("title", "") for goal in goals]


def examine(titles, writers, killed, counts):
    """The problem with the kept goals; None if they are the state of one late moment."""
    for writer in writers:
        announced = [int(title.split()[2]) for title in titles if title.startswith(f"{writer.name} announces ")]
        have = [int(title.split()[2]) for title in titles if title.startswith(f"{writer.name} has ")]
        last = len(have)
        counts["goals answered"] += len(writer.created)
        counts["goals kept"] += last
        lost = [time for number, time in writer.created.items() if number > last]
        counts["goals lost"] += len(lost)
        age = max((killed - time for time in lost), default=0)
        counts["oldest loss in ms"] = max(counts["oldest loss in ms"], int(age * 1000))
        if age > SECONDS_TO_COMMIT:
            return f"{len(lost)} goals are lost, one that was answered {age:.1f} s before the kill"
        if not announced and not have:
            continue
        if have != list(range(1, last + 1)) or len(announced) != 1 or announced[0] - last not in (0, 1):
            return f"not the state of one moment: {writer.name} announces {announced}, and has {last} goals up to {max(have, default=0)}"
    return None
