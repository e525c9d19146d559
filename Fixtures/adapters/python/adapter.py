"""Has the contract suite drive the client: fitiq-mock test-client -- python3 Fixtures/adapters/python/adapter.py"""

import asyncio
import json
import re
import sys
from datetime import datetime, timezone

from clocks import SuiteClock, quiet_loop
from fitiq_client import Client


class Adapter:
    """Answers the suite's commands, one at a time; between them the client stands still."""

    def __init__(self, client_type=Client):
        self.client_type = client_type
        self.loop, self.selector = quiet_loop()
        asyncio.set_event_loop(self.loop)
        self.loop.set_exception_handler(self.crashed)
        self.error = None
        self.client = None

    def answer(self, command):
        name = command.pop("command")
        answer = getattr(self, name, None) or self.instruct
        result = answer(**command) if answer != self.instruct else self.instruct(name, **command)
        error, self.error = self.error, None
        return {"ok": False, "error": error} if error else {"ok": True, **(result or {})}

    def begin(self, url, ws_url, token, fresh_token, api_key, guide, now, refresh_token=None, **_):
        self.clock = SuiteClock(nanoseconds(now))
        refresh = lambda: fresh_token
        self.client = self.client_type(url, ws_url, token, api_key, refresh, guide, self.clock, refresh_token)
        return {"clock": "suite"}

    def instruct(self, name, **arguments):
        arguments = {{"type": "kind", "id": "identifier"}.get(key, key): value for key, value in arguments.items()}
        getattr(self.client, name)(**arguments)

    def settle(self, now):
        self.clock.move(nanoseconds(now))
        while True:
            # The backend answers within a moment, or holds the answer back until its clock is moved.
            self.selector.patience = 0.002 if self.client.in_flight else 0
            self.loop.run_forever()
            due = self.clock.next_due()
            if due is None or due > self.clock.nanoseconds:
                return {"next": due and timestamp(due)}
            self.clock.move(due)

    def report(self):
        client = self.client
        shown = ("consultation", "connection", "transcript", "problems", "goals", "meals")
        shown += ("templates", "quick_actions", "is_busy")
        return {"report": {name: getattr(client, name) for name in shown}}

    def end(self):
        self.loop.run_until_complete(self.client.close())

    def crashed(self, loop, context):
        """A mistake in the client: the suite is told, and the traceback goes to standard error."""
        self.error = f"{context['message']}: {context.get('exception')!r}"
        loop.default_exception_handler(context)


def nanoseconds(text):
    """2025-01-29T10:30:01.500000000Z in nanoseconds since 1970."""
    seconds, fraction = re.fullmatch(r"(.*?)(?:\.(\d+))?Z", text).groups()
    moment = datetime.fromisoformat(seconds).replace(tzinfo=timezone.utc)
    return int(moment.timestamp()) * 10**9 + int((fraction or "0").ljust(9, "0")[:9])


def timestamp(nanoseconds):
    seconds, fraction = divmod(nanoseconds, 10**9)
    return f"{datetime.fromtimestamp(seconds, timezone.utc):%Y-%m-%dT%H:%M:%S}.{fraction:09}Z"


def main(client_type=Client):
    # What is printed by accident goes to standard error: standard output belongs to the answers.
    answers, sys.stdout = sys.stdout, sys.stderr
    adapter = Adapter(client_type)
    for line in sys.stdin:
        print(json.dumps(adapter.answer(json.loads(line))), file=answers, flush=True)


if __name__ == "__main__":
    main()
