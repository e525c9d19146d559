"""Attacks a fitiq-mock: `python3 Tests/attack --program PATH [PART …]`; scripts/attack builds one first."""

import argparse
import importlib
import pathlib
import random
import shutil
import signal
import sys
import tempfile

from report import Part, Settings, print_report

PARTS = ["http", "websocket", "har", "journal", "kill", "state", "signals", "clock", "scenarios", "admin", "edges", "numbers",
         "nesting", "sql", "memory", "soak"]
MODULES = {"har": "files_part", "journal": "files_part"}


def arguments():
    parser = argparse.ArgumentParser(
        prog="scripts/attack", description="Attacks fitiq-mock with hostile input, kills and load, decided by a seed.")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; all by default")
    parser.add_argument("--program", default=".build/release/fitiq-mock", help="the fitiq-mock to attack")
    parser.add_argument("--seed", type=int, default=1, help="decides every input; 1 without")
    parser.add_argument("--fresh", action="store_true", help="draws the seed from the system")
    parser.add_argument("--rounds", type=int, help="so many inputs or rounds of each part")
    parser.add_argument("--seconds", type=float, help="so long for each part")
    parser.add_argument("--short", action="store_true", help="some seconds for each part")
    parser.add_argument("--only", type=span, help="only the input with this number, or N-M")
    parser.add_argument("--bound", type=float, help="the longest that /health may wait in the part admin, in ms")
    parser.add_argument("--keep", default=".build/attack", help="where inputs that failed are kept")
    options = parser.parse_args()
    unknown = [part for part in options.parts if part not in PARTS]
    if unknown:
        parser.error(f"the parts are {', '.join(PARTS)}; got '{unknown[0]}'")
    return options


def span(text):
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def main():
    options = arguments()
    # Ends everything that it started on the way out. The caller may have blocked signals, and child processes would
    # inherit that: no SIGTERM would end them.
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    seed = random.SystemRandom().getrandbits(32) if options.fresh else options.seed
    program = pathlib.Path(options.program).resolve()
    if not program.is_file():
        sys.exit(f"attack: there is no {program}; build it, or name one with --program")
    # A stand-in written in Python need not be executable.
    command = [sys.executable, str(program)] if program.suffix == ".py" else [str(program)]
    settings = Settings(
        command, seed, options.rounds, options.seconds, options.short, options.only, options.bound, options.keep)
    parts = []
    # In this order, because the peak memory of a command is at least what this process had when it started the command.
    for name in sorted(options.parts or PARTS, key=PARTS.index):
        part = Part(name, settings)
        parts.append(part)
        folder = pathlib.Path(tempfile.mkdtemp(prefix=f"fitiq-mock-attack-{name}-"))
        try:
            print(f"attack: {name}, seed {seed}", file=sys.stderr, flush=True)
            importlib.import_module(MODULES.get(name, f"{name}_part")).attack(part, folder)
        except Exception as error:
            part.fail(None, f"the part ended early: {type(error).__name__}: {error}")
        finally:
            part.finish()
            shutil.rmtree(folder, ignore_errors=True)
    print_report(parts)
    return 1 if any(part.failures for part in parts) else 0


if __name__ == "__main__":
    sys.exit(main())
