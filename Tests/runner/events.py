"""Swift Testing's stream of events: the progress of a run, and its failures."""

import json


class Events:
    """Reads the lines of a stream as they arrive, in version 0 of Swift Testing's `Documentation/ABI/JSON.md`.

    The tests come first, then their events.
    """

    def __init__(self):
        # By id: the name of a suite, or a test with its suite and place.
        self.names = {}
        self.suites = {}
        self.count = 0
        self.done = 0
        # The reason of each test that was skipped.
        self.skipped = []
        # Started but unfinished tests, with their start times; the oldest first.
        self.running = {}
        # A text for each issue that fails the run.
        self.failures = []
        self.is_ended = False

    def read(self, line):
        """Reads a line; returns the id of a test that it ends, or None."""
        record = json.loads(line)
        payload = record["payload"]
        if record["kind"] == "test":
            self._add_test(payload)
            return None
        kind, test = payload["kind"], payload.get("testID")
        if kind == "runEnded":
            self.is_ended = True
        elif kind == "issueRecorded":
            self._add_issue(payload)
        elif test not in self.suites:
            return None
        elif kind == "testStarted":
            self.running[test] = payload["instant"]["absolute"]
        elif kind == "testSkipped":
            self.done += 1
            self.skipped.append(" ".join(payload.get("_comments", [])) or "no reason told")
        elif kind == "testEnded":
            self.running.pop(test, None)
            self.done += 1
            return test
        return None

    def _add_test(self, test):
        name = test.get("displayName", test["name"])
        if test["kind"] == "suite":
            self.names[test["id"]] = name
            return
        # MODULE.SUITE/FUNCTION/FILE:LINE:COLUMN; without a suite the function follows the module.
        suite = "/".join(test["id"].split("/")[:-2]) or test["id"].split(".")[0]
        self.suites[test["id"]] = self.names.get(suite, suite)
        self.names[test["id"]] = f"{self.suites[test['id']]}: {name} ({place(test)})"
        self.count += 1

    def _add_issue(self, payload):
        issue = payload["issue"]
        if issue["isKnown"] or not issue.get("isFailure", True):
            return
        lines = [self.names.get(payload.get("testID"), "Outside of tests")]
        if "_testCase" in payload:
            lines.append(f"with {payload['_testCase']['displayName']}")
        if "sourceLocation" in issue:
            lines.append(f"at {place(issue)}")
        for message in payload["messages"]:
            lines += message["text"].split("\n")
        self.failures.append("\n    ".join(lines))


def place(of):
    location = of["sourceLocation"]
    return f"{location['fileID']}:{location['line']}"
