"""Runs the built tests, circle by circle, shows its progress, and lists failures at the end.

Progress and failures come from Swift Testing's stream of events; the tests' output goes to a log unchanged. `swift
test` passes output on in pieces, and drops each piece that begins or ends within a character.
"""

import argparse
import os
import platform
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from events import Events
from profile import Profile

ROOT = Path(__file__).resolve().parents[2]
# Started all at once, the default, each test would wait minutes between two of its steps.
WIDTH = 16
# In seconds, and longer than any time limit of a test: that cancels a test, but does not end a blocked thread.
SILENCE = 16 * 60
# The modules whose tests use URLSession. On Linux, Foundation crashes now and then in libdispatch's event loop, on a
# thread that runs no code of this package; then the group runs once more.
SESSIONS = ["FitIQMockTestingTests", "ContractTests"]
RACE = b"_dispatch_event_loop_drain + "


def circles(chosen):
    """The groups that run one after the other: a name, and options of Swift Testing."""
    if chosen:
        return [("chosen", chosen)]
    exits = "|".join(places(exit_tests()))
    # In these two modules, other files extend the suites that take one test at a time.
    serial = "|".join([r"^(PeerTests|ErrataTests)\.", *places(serial_tests())])
    others = [f for module in ("TutorialTests", *SESSIONS) for f in ("--skip", rf"^{module}\.")]
    return [
        # A thread of Swift Testing waits for the processes of exit tests, and spins while another process has ended
        # that nobody has waited for yet. So they run without others.
        ("exits", ["--filter", exits]),
        ("units", ["--skip", exits, "--skip", serial, *others]),
        ("url sessions", ["--skip", exits, "--filter", rf"^({'|'.join(SESSIONS)})\."]),
        # Peers, and the tutorials' clients, wait by the system's clock, as an app does; while the units run they
        # would be late. The other suites that take one test at a time run beside them: among the units, each of their
        # tests would wait for a free place, so that they would end long after the others.
        ("peers", ["--skip", exits, *others, "--filter", serial]),
        ("tutorials", ["--filter", r"^TutorialTests\."]),
    ]


def places(files):
    """Regular expressions for the ids of the tests in files."""
    files = sorted(file.relative_to(ROOT / "Tests") for file in files)
    return [rf"^{file.parts[0]}\..*/{re.escape(file.name)}:" for file in files]


def exit_tests():
    """The files with tests that end processes, themselves or by a helper named for their file."""
    texts = {file: file.read_text() for file in test_files()}
    enders = {file for file, text in texts.items() if "processExitsWith" in text}
    helpers = {file for file in enders if "@Test" not in texts[file]}
    users = {file for file, text in texts.items() if any(re.search(rf"\b{helper.stem}\b", text) for helper in helpers)}
    return (enders | users) - helpers


def serial_tests():
    """The files with a suite of their own that takes one test at a time."""
    return [file for file in test_files() if re.search(r"@Suite\(.*\.serialized(?s:.*)@Test", file.read_text())]


def test_files():
    return (ROOT / "Tests").glob("*Tests/**/*.swift")


class Run:
    """Runs of the test program one after the other, with a log and lines about them."""

    def __init__(self, options):
        self.options = options
        self.folder = options.folder
        self.log = open(self.folder / "test.log", "wb")
        self.stream = self.folder / "test-events.jsonl"
        self.start = time.monotonic()
        self.told = self.start
        self.failures = []
        self.skipped = Counter()
        self.passed = 0
        # The test program ignores unknown options; `swift test` before Swift 6.3 refuses them.
        self.knows_width = platform.system() == "Linux" or "parallelization-width" in subprocess.run(
            ["swift", "test", "--help-hidden"], capture_output=True, text=True).stdout

    def circle(self, name, arguments, is_repeated=False):
        self.stream.unlink(missing_ok=True)
        self.stream.touch()
        begin, events = self.log.tell(), Events()
        # In its own session, so that everything that it has started ends with it.
        process = subprocess.Popen(
            self.command(arguments), stdin=subprocess.DEVNULL, stdout=self.log, stderr=subprocess.STDOUT, cwd=ROOT,
            start_new_session=True)
        profile = Profile(process.pid) if self.options.profile else None
        try:
            with self.stream.open("rb") as stream:
                self.follow(name, process, stream, events, profile)
            status = process.wait()
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                pass
        if status < 0 and not is_repeated and not events.failures:
            if RACE in Path(self.log.name).read_bytes()[begin:]:
                self.say(f"test: {name}: Foundation crashed below libdispatch; these tests run once more")
                return self.circle(name, arguments, is_repeated=True)
        if status == os.EX_UNAVAILABLE:
            events.failures.append(f"no test fits {' '.join(arguments)}")
        elif status not in (0, 1) or not events.is_ended:
            events.failures.append(self.end(name, status, events, begin))
        elif status and not events.failures:
            events.failures.append(f"{name}: the tests exited with {status}\n{self.tail(begin)}")
        self.failures += events.failures
        self.skipped.update(events.skipped)
        self.passed += events.done - len(events.skipped)
        self.tell(name, events, is_over=True)
        for line in profile.tables(events) if profile else []:
            print(line)

    def xctest(self):
        """The XCTest tests, which the test program runs if no library is named; `swift test` runs both."""
        begin, bundle = self.log.tell(), ROOT / ".build" / "debug" / "fitiq-mockPackageTests.xctest"
        try:
            status = subprocess.run(
                [bundle], stdin=subprocess.DEVNULL, stdout=self.log, stderr=subprocess.STDOUT, cwd=ROOT,
                timeout=self.options.silence).returncode
        except subprocess.TimeoutExpired:
            status = -signal.SIGKILL
        counts = re.findall(rb"Executed (\d+) tests?", Path(self.log.name).read_bytes()[begin:])
        if status or not counts or counts[-1] == b"0":
            self.failures.append(f"XCTest: the tests exited with {status}\n{self.tail(begin)}")
        else:
            self.passed += int(counts[-1])

    def command(self, arguments):
        options = ["--event-stream-output-path", str(self.stream), "--event-stream-version", "0", *arguments]
        if self.knows_width:
            options += ["--experimental-maximum-parallelization-width", "1" if self.options.profile else str(WIDTH)]
        if self.options.program:
            return [self.options.program, *options]
        if platform.system() == "Linux":
            bundle = ROOT / ".build" / "debug" / "fitiq-mockPackageTests.xctest"
            return [str(bundle), "--testing-library", "swift-testing", *options]
        return ["swift", "test", "--skip-build", "--test-product", "fitiq-mockPackageTests", *options]

    def follow(self, name, process, stream, events, profile):
        heard, rest, is_over = time.monotonic(), b"", False
        while not is_over:
            is_over = process.poll() is not None
            if chunk := stream.read():
                heard = time.monotonic()
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    known = len(events.failures)
                    ended = events.read(line)
                    if profile and ended:
                        profile.add(ended)
                    for failure in events.failures[known:]:
                        self.say(f"test: failed: {failure.splitlines()[0]}")
            elif time.monotonic() - heard > self.options.silence:
                self.say(f"test: {name}: nothing happened for {self.options.silence:.0f} s; the tests are ended")
                os.killpg(process.pid, signal.SIGKILL)
                heard = time.monotonic()
            self.tell(name, events)
            time.sleep(0.005 if profile else 0.1)

    def end(self, name, status, events, begin):
        how = f"were ended by {signal.Signals(-status).name}" if status < 0 else f"exited with {status} before their end"
        running = "".join(f"\n    was running: {events.names[test]}" for test in events.running)
        return f"{name}: the tests {how}{running}\n{self.tail(begin)}"

    def tail(self, begin):
        """The last lines of the log, which contain the reason of a crash."""
        text = Path(self.log.name).read_bytes()[begin:].decode(errors="replace")
        lines = [line for line in text.splitlines() if not re.match(r"\W*[◇✔↳]", line)]
        return "\n".join("    " + line for line in lines[-40:])

    def tell(self, name, events, is_over=False):
        """One line that is overwritten on a terminal, or a line every ten seconds elsewhere."""
        now = time.monotonic()
        if not is_over and now - self.told < (0.5 if sys.stdout.isatty() else 10):
            return
        self.told = now
        line = f"test: {name}: {events.done} of {events.count} tests, {now - self.start:.0f} s"
        if not is_over and events.running:
            line += f"; {next(events.names[test] for test in events.running)}"
        if sys.stdout.isatty() and not is_over:
            line = line[: os.get_terminal_size().columns - 1]
            print(f"\r{line}\033[K", end="", flush=True)
        else:
            self.say(line)

    def say(self, line):
        print(("\r\033[K" if sys.stdout.isatty() else "") + line, flush=True)

    def report(self):
        for reason, count in self.skipped.items():
            print(f"test: {count} skipped: {reason}")
        for failure in self.failures:
            print(f"\n{failure}")
        if self.failures:
            print(f"\ntest: {len(self.failures)} failed, see above; all that was written is in {self.log.name}")
        else:
            print(f"test: {self.passed} tests passed in {time.monotonic() - self.start:.0f} s")
        return 1 if self.failures else 0


def main():
    parser = argparse.ArgumentParser(prog="scripts/test", add_help=False, allow_abbrev=False)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--profile", action="store_true")
    # For the tests of this file.
    parser.add_argument("--program")
    parser.add_argument("--folder", type=Path, default=ROOT / ".build")
    parser.add_argument("--silence", type=float, default=SILENCE)
    options, chosen = parser.parse_known_args()
    if options.long:
        os.environ["FITIQ_MOCK_TEST_LONG"] = "1"
    run = Run(options)
    for name, arguments in circles(chosen):
        run.circle(name, arguments)
    if not chosen and not options.program and platform.system() == "Linux":
        run.xctest()
    return run.report()


# A signal becomes an exit, so that child processes end too.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
try:
    sys.exit(main())
except KeyboardInterrupt:
    sys.exit(130)
