"""The tests that take the most processor time."""

import os
import resource


class Profile:
    """The processor time of a process and of its ended children, test by test; Linux.

    If tests run one after another, the time between two ends is the second test's.
    """

    def __init__(self, pid):
        self._pid = pid
        self._before = self._ended()
        self._last = 0.0
        self._seconds = {}

    def add(self, test):
        now = self._used()
        self._seconds[test] = self._seconds.get(test, 0) + now - self._last
        self._last = now

    def tables(self, events):
        suites = {}
        for test, seconds in self._seconds.items():
            suites[events.suites[test]] = suites.get(events.suites[test], 0) + seconds
        tests = {events.names[test]: seconds for test, seconds in self._seconds.items()}
        for title, rows in [("suite", suites), ("test", tests)]:
            total = sum(rows.values())
            yield f"{len(rows)} {title}s took {total:.1f} s of processor time; the dearest:"
            for name, seconds in sorted(rows.items(), key=lambda row: -row[1])[:50]:
                yield f"{seconds:9.2f} s {100 * seconds / max(total, 0.01):5.1f} %  {name}"

    def _used(self):
        try:
            with open(f"/proc/{self._pid}/stat") as file:
                # The text after the name in parentheses; utime, stime, cutime and cstime are fields 14 to 17.
                fields = file.read().rpartition(")")[2].split()
        except FileNotFoundError:
            return self._ended() - self._before
        return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")

    @staticmethod
    def _ended():
        """The processor time of all children of the runner that have ended."""
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime
