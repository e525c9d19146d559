"""Counts and prints the results of an attack: outcomes, failures with the command that repeats them, one table at the
end."""

import collections
import pathlib
import random
import sys
import time

# Further failures of one kind show nothing new; the beginning of its sentence identifies a kind.
TOLD_FAILURES = 5
KIND = 24


class Settings:
    """The command line's settings of a run."""

    def __init__(self, program, seed, rounds, seconds, short, only, bound, keep):
        self.program, self.seed, self.rounds, self.seconds = program, seed, rounds, seconds
        self.short, self.only, self.bound, self.keep = short, only, bound, pathlib.Path(keep)


class Part:
    """One part of the attack: its inputs, their outcomes, and failures."""

    def __init__(self, name, settings):
        self.name, self.settings = name, settings
        self.inputs = 0
        self.outcomes = collections.Counter()
        self.failures = 0
        self.kinds = collections.Counter()
        self.tables = []
        self.started = time.monotonic()
        self.ended = None

    def random(self, number):
        """The random numbers of one input, which depend only on the seed, the part and the input's number."""
        return random.Random(f"{self.settings.seed}/{self.name}/{number}")

    def numbers(self, rounds, short):
        """The numbers of the inputs: `rounds` of them, or `short`, within the time limit."""
        if self.settings.only is not None:
            yield from self.settings.only
            return
        limit = self.settings.rounds or (short if self.settings.short else rounds)
        if self.settings.seconds is not None and self.settings.rounds is None:
            limit = sys.maxsize
        deadline = float("inf") if self.settings.seconds is None else self.started + self.settings.seconds
        for number in range(limit):
            if time.monotonic() >= deadline:
                return
            yield number

    def batches(self, rounds, short, size):
        """The same numbers in batches."""
        batch = []
        for number in self.numbers(rounds, short):
            batch.append(number)
            if len(batch) == size:
                yield batch
                batch = []
        if batch:
            yield batch

    def count(self, outcome, inputs=1):
        self.inputs += inputs
        self.outcomes[outcome] += inputs

    def fail(self, number, what, data=None, suffix="bin"):
        """Counts a failure, and prints it with the command that repeats it.

        `number` is an input's, a list of them, or None if the whole part must be repeated.
        """
        self.failures += 1
        self.kinds[what[:KIND]] += 1
        if self.kinds[what[:KIND]] > TOLD_FAILURES:
            return
        only = f"{number[0]}-{number[-1]}" if isinstance(number, list) else number
        place = "" if number is None else f", input {only}"
        lines = [f"attack: {self.name}, seed {self.settings.seed}{place}: {what}"]
        if data is not None:
            self.settings.keep.mkdir(parents=True, exist_ok=True)
            name = f"by-hand-{self.failures}" if number is None else only
            file = self.settings.keep / f"{self.name}-{self.settings.seed}-{name}.{suffix}"
            file.write_bytes(data)
            lines.append(f"  input: {file} ({len(data)} bytes)")
        again = f"  again: scripts/attack {self.name} --seed {self.settings.seed}"
        lines.append(again + (" --short" if self.settings.short else "") + ("" if number is None else f" --only {only}"))
        print("\n".join(lines), file=sys.stderr, flush=True)

    def progress(self, text):
        if sys.stderr.isatty():
            print(f"\r{self.name}: {text}\033[K", end="", file=sys.stderr, flush=True)

    def finish(self):
        self.ended = time.monotonic()
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr, flush=True)

    def row(self):
        outcomes = ", ".join(f"{name} {count:,}" for name, count in self.outcomes.most_common())
        return f"| {self.name} | {self.inputs:,} | {outcomes or 'none'} | {self.failures} | {self.ended - self.started:.1f} |"


def print_report(parts):
    """Prints the parts' own tables, then the one of all parts."""
    for part in parts:
        for table in part.tables:
            print(table + "\n")
    print("| part | inputs | what came of them | failures | seconds |")
    print("| --- | ---: | --- | ---: | ---: |")
    for part in parts:
        print(part.row())
    sys.stdout.flush()


def table(header, rows):
    """A Markdown table; all columns but the first are numbers."""
    lines = ["| " + " | ".join(header) + " |", "| --- |" + " ---: |" * (len(header) - 1)]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows])
