"""An app's test, by the system's clock: asks a question, and fails if the chat has the question twice.

    plain_client.py [unchanged | doubles | crashes | hangs | spins]

A problem that the app shows to its user is an honest end, whatever the backend did. The mistake `doubles` is that of
doubles_on_reconnect.py; the others happen when a connection is lost.
"""

import asyncio
import os
import signal
import sys
from collections import Counter

from adapted import Client
from doubles_on_reconnect import DoublesOnReconnect

QUESTION = "How much protein do I need?"


class Hurried:
    """A client that does not make a test wait."""

    FIRST_PAUSE = 1
    RESPONSE_TIME = 5
    HANDSHAKE_TIME = 5
    ANSWER_TIME = 4
    GREETING_TIME = 3
    RETURN_PAUSE = 0
    MOST_TRIES = 1


class Unchanged(Hurried, Client):
    pass


class Doubles(Hurried, DoublesOnReconnect):
    pass


class Crashes(Unchanged):
    async def _recover(self, chat, turn):
        os.kill(os.getpid(), signal.SIGSEGV)


class Hangs(Unchanged):
    async def _recover(self, chat, turn):
        signal.pause()


class Spins(Unchanged):
    async def _recover(self, chat, turn):
        while True:
            await self._read_history(chat)


async def main(mistake):
    variable = lambda name: os.environ["FITIQ_MOCK_" + name]
    refresh = lambda: variable("FRESH_TOKEN")
    make = {"doubles": Doubles, "crashes": Crashes, "hangs": Hangs, "spins": Spins}.get(mistake, Unchanged)
    client = make(variable("URL"), variable("WS_URL"), variable("TOKEN"), variable("API_KEY"), refresh)
    client.start_consultation("nutritionist")
    client.send(QUESTION)
    while client.is_busy:
        await asyncio.sleep(0.005)
    client.disconnect()
    while client._sockets or client.in_flight:
        await asyncio.sleep(0.005)
    shown = Counter(line["text"] for line in client.transcript if line["role"] == "user")
    await client.close()
    assert shown[QUESTION] <= 1, "The question was asked twice."
    assert client.problems or shown[QUESTION] == 1, "The question is gone, and nobody says so."


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else ""))
