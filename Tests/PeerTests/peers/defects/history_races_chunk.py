"""A history fetch that races a chunk: after an answer the client does not wait for the history, which replaces the
transcript.

It usually arrives before the next question. If it is slow, it removes the chunks of the next answer.
"""

from adapted import Client, drive


class HistoryRacesChunk(Client):
    async def _read_history(self, chat):
        if not chat.is_fresh or not chat.turn or chat.turn.is_cut:
            return await super()._read_history(chat)
        chat.tasks.append(self._begin(self._replace_history(chat), is_errand=False))

    async def _replace_history(self, chat):
        await super()._read_history(chat)
        if chat.turn and chat.turn.text:
            chat.turn.text = ""  # it is thought to be in the history


if __name__ == "__main__":
    drive(HistoryRacesChunk)
