"""A reconnect that doubles a message: whatever was asked when the connection ended is asked again on the next one.

It does not look into the history first, in which the question may stand already.
"""

from adapted import Client, drive


class DoublesOnReconnect(Client):
    async def _recover(self, chat, turn):
        await self._until(lambda: chat.is_connected and chat.is_fresh)
        if turn.question is not None and turn.text is None:
            turn.is_cut, turn.heard_at = False, self.clock.now()
            await self._say(chat)
            await self._hear_out(chat, turn)
        await super()._recover(chat, turn) if turn.is_cut else await self._read_history(chat)


if __name__ == "__main__":
    drive(DoublesOnReconnect)
