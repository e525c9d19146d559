"""Clocks that a client's timers follow: the system's, and one that stands still until it is moved."""

import asyncio
import heapq
import itertools
import math
import selectors
import time
from datetime import datetime, timezone


class SystemClock:
    """The clock on the wall: what an app ships with."""

    def now(self):
        """Seconds since some moment."""
        return time.monotonic()

    def date(self):
        """What date and time it is, in UTC."""
        return datetime.now(timezone.utc)

    async def sleep(self, seconds):
        await asyncio.sleep(seconds)


class SuiteClock:
    """A clock that stands still until `move` moves it, with its timers in a heap.

    It counts in whole nanoseconds, as the suite does: a timer is due exactly when it was said to be.
    """

    def __init__(self, nanoseconds):
        self.start = self.nanoseconds = nanoseconds
        self._timers = []
        self._order = itertools.count()

    def now(self):
        """Seconds since the clock was made."""
        return (self.nanoseconds - self.start) / 1e9

    def date(self):
        """What date and time it is, in UTC."""
        return datetime.fromtimestamp(self.nanoseconds // 10**9, timezone.utc)

    async def sleep(self, seconds):
        timer = asyncio.get_running_loop().create_future()
        due = self.nanoseconds + max(0, math.ceil(seconds * 1e9))
        heapq.heappush(self._timers, (due, next(self._order), timer))
        await timer

    def move(self, nanoseconds):
        """Sets the time and rings what is due by then; the tasks that wait for it run when the event loop does."""
        self.nanoseconds = max(self.nanoseconds, nanoseconds)
        while (due := self.next_due()) is not None and due <= self.nanoseconds:
            heapq.heappop(self._timers)[2].set_result(None)

    def next_due(self):
        """When the next timer rings; None where none is set."""
        while self._timers and self._timers[0][2].done():  # its task was cancelled
            heapq.heappop(self._timers)
        return self._timers[0][0] if self._timers else None


class IdleSelector(selectors.DefaultSelector):
    """Stops its event loop once there is nothing to do, so that `loop.run_forever()` means: until all is quiet.

    A loop waits in `select` only where no callback is ready. What could wake it then are sockets, which get `patience`
    seconds more, and the loop's own timers, of which a client on the suite's clock has none.
    """

    def __init__(self):
        super().__init__()
        self.loop = None
        self.patience = 0.0

    def select(self, timeout=None):
        if timeout == 0:
            return super().select(0)
        events = super().select(self.patience)
        if not events:
            self.loop.stop()
        return events


def quiet_loop():
    """An event loop whose `run_forever` returns when all is quiet, and its selector."""
    selector = IdleSelector()
    selector.loop = asyncio.SelectorEventLoop(selector)
    return selector.loop, selector
