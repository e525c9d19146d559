"""Plays Autobahn's cases: `python3 Tests/autobahn --program PATH --client PATH [CASE …]`; scripts/autobahn builds both."""

import argparse
import asyncio
import concurrent.futures
import fnmatch
import pathlib
import sys
import tempfile
import time

import cases
import fuzzing
import table


PAGE = pathlib.Path(__file__).parent.parent.parent / "docs/autobahn.md"


def arguments():
    parser = argparse.ArgumentParser(
        prog="scripts/autobahn", description="Plays Autobahn's test suite with the server and a client.")
    parser.add_argument("cases", nargs="*", metavar="CASE", help="such as 7.9.1 or '9.*'; all by default")
    parser.add_argument("--program", default=".build/release/fitiq-mock", help="the fitiq-mock to test")
    parser.add_argument("--client", default=".build/release/echo-client", help="the client to test")
    parser.add_argument("--short", action="store_true", help="without 9, 12 and 13, which are slow")
    parser.add_argument("--write", action="store_true", help="write the table into docs/autobahn.md; takes all cases")
    options = parser.parse_args()
    if options.write and (options.cases or options.short):
        parser.error("--write takes all cases")
    return options


SHORT = ["[1-8].*", "10.*"]


def chosen(options):
    patterns = options.cases or (SHORT if options.short else ["*"])
    found = [case for case in cases.load()[0]
             if any(fnmatch.fnmatchcase(cases.number(case), pattern) for pattern in patterns)]
    if not found:
        sys.exit(f"autobahn: there is no case {' '.join(patterns)}")
    return found


def play(role, options):
    if role == "client":
        return asyncio.run(fuzzing.play_client(options.client, chosen(options)))
    with tempfile.TemporaryDirectory(prefix="fitiq-mock-autobahn-") as folder:
        return asyncio.run(fuzzing.play_server(options.program, chosen(options), folder))


def main():
    options = arguments()
    start = time.monotonic()
    played = [cases.number(case) for case in chosen(options)]
    # Both at once, because each keeps about one processor busy.
    with concurrent.futures.ProcessPoolExecutor() as executor:
        runs = {role: executor.submit(play, role, options) for role in ("server", "client")}
        results = {role: run.result() for role, run in runs.items()}
    failures, lines = table.of(results, played)
    print("\n".join(lines))
    print(f"autobahn: {2 * len(played) - len(failures)} passed, {len(failures)} failed, "
          f"{time.monotonic() - start:.0f} s", file=sys.stderr)
    for failure in failures:
        print(f"autobahn: {failure}", file=sys.stderr)
    if options.write and not failures:
        table.write(PAGE, lines)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
