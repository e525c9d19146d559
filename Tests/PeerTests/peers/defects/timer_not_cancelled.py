"""A timer that is never cancelled: the pause before the next reconnect continues after the user has left.

It does not show while the connection lasts. A user who leaves between two tries is connected again a moment later.
"""

from adapted import Client, drive


class TimerNotCancelled(Client):
    def _leave(self, connection):
        chat = self._chat
        if chat and chat.tasks and chat.socket is None and chat.has_history:
            del chat.tasks[0]  # the one that keeps it connected
        super()._leave(connection)


if __name__ == "__main__":
    drive(TimerNotCancelled)
