"""Builds the copy and runs a module's own tests in it."""

import os
import platform
import re
import signal
import subprocess
import sys
import time

# Modules whose tests have another name.
TESTS = {
    "fitiq-mock": "FitIQMockTests", "FakeBackend": "ContractTests", "FitIQMockSwiftTesting": "FitIQMockTestingTests",
    "FitIQMockXCTest": "FitIQMockTestingTests",
}
ISSUE = re.compile(r"✘ .* (?:recorded an issue|failed after)")


def build(copy):
    """None, or the places of the compiler's errors."""
    log = copy / "build.log"
    with open(log, "w") as output:
        built = subprocess.run(
            ["swift", "build", "--build-tests", "--package-path", str(copy)], stdin=subprocess.DEVNULL, stdout=output,
            stderr=subprocess.STDOUT)
    if built.returncode == 0:
        return None
    error = re.compile(rf"^{re.escape(str(copy))}/(.*?):(\d+):\d+: error:", re.MULTILINE)
    found = error.findall(log.read_text(errors="replace"))
    return {(file, int(line)) for file, line in found}


def command(copy, module):
    tests = ["--filter", rf"^{TESTS.get(module, module + 'Tests')}\."]
    binary = copy / ".build/debug/fitiq-mockPackageTests.xctest"
    if platform.system() == "Linux":
        return [str(binary), "--testing-library", "swift-testing", *tests]
    return ["swift", "test", "--skip-build", "--package-path", str(copy), *tests]


def run(copy, module, number, limit):
    """The first failure, or None; the run ends there. A hang is a failure, too."""
    log = copy / f"test-{module}.log"
    with open(log, "w") as output:
        process = subprocess.Popen(
            command(copy, module), cwd=copy, env=os.environ | {"MUTATION": str(number)}, stdin=subprocess.DEVNULL,
            stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
    ends = time.monotonic() + limit
    what = None
    while what is None:
        status = process.poll()
        issue = ISSUE.search(log.read_text(errors="replace"))
        if issue:
            what = issue[0]
        elif status is not None:
            what = f"ended with status {status}" if status else ""
        elif time.monotonic() > ends:
            what = f"not done after {limit:.0f} s"
        else:
            time.sleep(0.1)
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
    return what or None


def clean(copy, module):
    """The duration of the tests without a change."""
    begun = time.monotonic()
    what = run(copy, module, 0, 600)
    if what:
        sys.exit(f"mutate: the tests of {module} fail without a change: {what}; see {copy}/test-{module}.log")
    return time.monotonic() - begun


def noticed(copy, change, seconds):
    return run(copy, change.module, change.number, 3 * seconds + 20)
