"""A reconnect that doubles a message: the question that was open when the connection ended is asked again on the next
one.

It does not check the history first, which may already have the question.
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
