#!/usr/bin/env python3
"""Runs a build of SwiftPM, `build.py COMMAND…`, and prints a table of when and how long it compiled each module.

As `swiftc`, which SWIFT_EXEC names for the build, it runs the compiler and notes its times.
"""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time


def compiler(arguments):
    """Stands in for the compiler."""
    begin = time.time()
    status = subprocess.run([os.environ["BUILD_COMPILER"], *arguments]).returncode
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    what = "link" if {"-emit-executable", "-emit-library"} & set(arguments) else "compile" if "-c" in arguments else None
    if what and "-module-name" in arguments:
        module = arguments[arguments.index("-module-name") + 1]
        with open(os.environ["BUILD_TIMES"], "a") as file:
            file.write(f"{module}\t{what}\t{begin}\t{time.time()}\t{used.ru_utime + used.ru_stime}\n")
    return status if status >= 0 else 128 - status


def build(command):
    with tempfile.TemporaryDirectory() as folder:
        shim, times, log = (os.path.join(folder, name) for name in ("swiftc", "times", "log"))
        os.symlink(os.path.abspath(__file__), shim)
        open(times, "w").close()
        # The end of the chain of links, because swiftc looks for its tools next to that file.
        real = os.path.join(os.path.dirname(os.path.realpath(shutil.which("swift"))), "swiftc")
        environment = {**os.environ, "SWIFT_EXEC": shim, "BUILD_COMPILER": real, "BUILD_TIMES": times}
        begin, before = time.time(), resource.getrusage(resource.RUSAGE_CHILDREN)
        with open(log, "w") as file:
            status = subprocess.run(
                command, env=environment, stdin=subprocess.DEVNULL, stdout=file, stderr=file).returncode
        if status:
            sys.exit(open(log).read() + f"build: {' '.join(command)} exited with {status}")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        rows = [line.split("\t") for line in open(times).read().splitlines()]
        print("| module | begins | ends | processor time |")
        print("| --- | ---: | ---: | ---: |")
        for module, what, start, end, seconds in sorted(rows, key=lambda row: float(row[2])):
            name = module if what == "compile" else f"{module}, linked"
            print(f"| {name} | {float(start) - begin:.1f} s | {float(end) - begin:.1f} s | {float(seconds):.1f} s |")
        print(f"| all | | {time.time() - begin:.1f} s | {used:.1f} s |")


if os.path.basename(sys.argv[0]) == "swiftc":
    sys.exit(compiler(sys.argv[1:]))
build(sys.argv[1:])
