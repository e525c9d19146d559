"""A timer that is never cancelled: the pause before the next try to connect goes on when the user has left.

Nothing shows while the connection holds. Whoever leaves between two tries is connected again a moment later.
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
