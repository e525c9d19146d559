#!/usr/bin/env python3
"""Stands in for the test program: writes events as Swift Testing does, of a run that --filter describes."""

import json
import os
import signal
import sys
import time

stream = open(sys.argv[sys.argv.index("--event-stream-output-path") + 1], "w")
way = sys.argv[sys.argv.index("--filter") + 1]
start = time.monotonic()


def place(line):
    return {"fileID": "SomeTests/Some.swift", "line": line}


def record(record_kind, **payload):
    stream.write(json.dumps({"version": 0, "kind": record_kind, "payload": payload}) + "\n")
    stream.flush()


def event(kind, test=None, text="", **more):
    instant = {"absolute": time.monotonic() - start}
    record("event", kind=kind, testID=test, instant=instant, messages=[{"symbol": "x", "text": text}], **more)


def issue(test, line, text, **more):
    event("issueRecorded", test, text, issue={"isKnown": False, "sourceLocation": place(line), **more})


def wait_for_runner():
    """Returns once the runner, this process's parent, has read all events and sleeps."""
    runner, end = f"/proc/{os.getppid()}", str(stream.tell())

    def is_read(fd):
        try:
            if not os.path.samefile(f"{runner}/fd/{fd}", stream.name):
                return False
            with open(f"{runner}/fdinfo/{fd}") as info, open(f"{runner}/stat") as stat:
                return info.read().split()[1] == end and stat.read().rpartition(") ")[2].startswith("S")
        except FileNotFoundError:
            # The runner has closed this file since it was listed.
            return False

    while not any(is_read(fd) for fd in os.listdir(f"{runner}/fd")):
        time.sleep(0.001)


SUITE = "SomeTests.Some"
TESTS = [f"{SUITE}/{name}()/Some.swift:{line}:6" for line, name in [(3, "one"), (7, "two"), (11, "three")]]
if way != "nothing":
    record("test", kind="suite", id=SUITE, name="Some", displayName="Things", sourceLocation=place(1))
    for line, test in zip((3, 7, 11), TESTS):
        record("test", kind="function", id=test, name="f", displayName=f"are {line}", sourceLocation=place(line))
event("runStarted")
event("testStarted", SUITE)
event("testStarted", TESTS[0])
event("testEnded", TESTS[0])
event("testSkipped", TESTS[2], "skipped", _comments=["Not today."])
event("testStarted", TESTS[1])
if way == "fails":
    sys.stdout.buffer.write("…".encode()[:2])
    issue(TESTS[1], 8, "Expectation failed: a == b\n  a → “…”", isFailure=True)
    issue(TESTS[1], 9, "Expectation failed: c", isFailure=True)
    issue(TESTS[1], 9, "Expectation failed: known", isKnown=True)
elif way == "crashes":
    print("Fatal error: index out of range", file=sys.stderr, flush=True)
    os.kill(os.getpid(), signal.SIGTRAP)
elif way == "races":
    runs = stream.name + ".runs"
    open(runs, "a").write("x")
    if len(open(runs).read()) == 1:
        print(" 0 0x00007f6fdf8a59c0 _dispatch_event_loop_drain + 1120 in libdispatch.so", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGSEGV)
elif way == "hangs":
    time.sleep(600)
elif way == "works":
    wait_for_runner()
    deadline = time.process_time() + 0.3
    while time.process_time() < deadline:
        pass
event("testEnded", TESTS[1])
event("testEnded", SUITE)
if way != "leaves":
    event("runEnded")
stream.close()
sys.exit(69 if way == "nothing" else 1 if way == "fails" else 0)
