#!/usr/bin/env python3
"""Counts the files that a request and a message pass in MockServer and Faults, with valgrind's callgrind.

  walks.py PROGRAM    prints two numbers: the files of a POST, and those of a chunk with a fault; lists them on stderr

PROGRAM is built without optimization, so that each file has its own object file, whose symbols lead from a function to
its file. callgrind counts the calls of each function, while one server does an operation five times and another server
ten times. A function whose count grows by at least five belongs to the operation.
"""

import collections
import pathlib
import re
import subprocess
import sys
import tempfile

from instructions import Server, chat

SOURCES = pathlib.Path(__file__).parents[1] / "Sources"
MODULES = ["Faults", "MockServer"]
COUNT = 5
# What the compiler makes for a type, such as copies of its values.
GENERATED = re.compile(r"([VOC]w\w\w|M[a-z]|WO\w+)$")


def files(program):
    """The source file of each function; a build may have left objects of files that are gone."""
    found = {}
    for module in MODULES:
        sources = {file.name for file in SOURCES.glob(f"*/{module}/**/*.swift")}
        for file in (program.parent / f"{module}.build").glob("*.swift.o"):
            if file.stem not in sources:
                continue
            listed = subprocess.run(["nm", "--defined-only", file], capture_output=True, text=True, check=True).stdout
            found |= {symbol: f"{module}/{file.stem}" for symbol in re.findall(r" [tT] (\S+)$", listed, re.MULTILINE)}
    return found


def calls(profile):
    """How often each function was called, in callgrind's format."""
    names, calls, number = {}, collections.Counter(), None
    for line in profile.read_text().splitlines():
        if named := re.match(r"c?fn=(\(\d+\))(?: ([^']*))?", line):
            number = named[1]
            if named[2]:
                names[number] = named[2]
        elif called := re.match(r"calls=(\d+)", line):
            calls[names[number]] += int(called[1])
    return calls


def run(binary, operation, count):
    with tempfile.TemporaryDirectory() as folder:
        server = Server(binary, folder, *operation.options(folder, count))
        try:
            operation.act(server, count)
            server.stop()
            return calls(pathlib.Path(folder, "out"))
        finally:
            server.process.kill()


class Post:
    def options(folder, count):
        return ["--clock", "manual"]

    def act(server, count):
        for _ in range(count):
            goal = {"title": "A goal", "description": "", "targetDate": "2030-03-01T00:00:00Z"}
            server.ask("POST", "/api/v1/goals", goal)


class Chunk:
    """One answer. The clock follows the system's, because moving it would need a request."""

    def options(folder, count):
        chunks = ", ".join(f'"{number} "' for number in range(count))
        scenario = pathlib.Path(folder, "chunks.yaml")
        scenario.write_text(
            f"name: chunks\nanswers: [{{chunks: [{chunks}]}}]\n"
            "faults: [{on: socket, at: {chunk: 1..}, dribble: {bytes: 20, every: 1ms}}]\n")
        return ["--scenario", scenario]

    def act(server, count):
        chat(server, 10)


def passed(binary, operation, where):
    once, twice = (run(binary, operation, count) for count in [COUNT, 2 * COUNT])
    # What happens now and then, such as each second, does not run so often.
    more = [name for name in twice if twice[name] - once[name] >= COUNT and not GENERATED.search(name)]
    return sorted({where[name] for name in more if name in where})


def main():
    program = pathlib.Path(sys.argv[1])
    where = files(program)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["strip", "-g", "-o", f"{folder}/server", program], check=True)
        walks = [passed(f"{folder}/server", operation, where) for operation in [Post, Chunk]]
    for walk in walks:
        print(*walk, file=sys.stderr)
    print(*map(len, walks))


main()
