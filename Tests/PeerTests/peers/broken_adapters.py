"""The Python adapter with one mistake: broken_adapters.py FOLDER_OF_THE_ADAPTER MISTAKE."""

import os
import sys
import time

sys.path.insert(0, sys.argv[1])

from adapter import main  # noqa: E402
from fitiq_client import Client  # noqa: E402


class Impatient(Client):
    """Connects again without waiting."""

    RECONNECT_PAUSE = 0.2


class Hasty(Client):
    """Looks at meals every second."""

    POLL_PAUSE = 1


class Credulous(Client):
    """Shows what has come of an answer as the whole of it."""

    @property
    def transcript(self):
        return [{**line, "is_complete": True} for line in super().transcript]


class Deaf(Client):
    """Tells its user nothing of what coaches' `error` frames say."""

    def _tell(self, kind, message):
        if kind != "chat":
            super()._tell(kind, message)


class Mute(Client):
    """Leaves without a close frame."""

    async def _close(self, chat, socket, code, is_left=True):
        socket.transport.abort()
        await super()._close(chat, socket, code, is_left)


class Crashing(Client):
    """Has a bug."""

    async def _log(self, meal, kind):
        return meal["no such member"]


class Trouble(Client):
    """Its process makes trouble when a meal is logged."""

    def log_meal(self, text, kind):
        self.meal = (text, kind)
        getattr(self, sys.argv[3])()

    def dies(self):
        os._exit(3)

    def raises(self):
        raise RuntimeError("out of eggs")

    def is_killed(self):
        os.kill(os.getpid(), 9)

    def writes_garbage(self):
        os.write(1, b"\x00\xff\xfe\x1b[31m eggs\n")

    def writes_much(self):
        os.write(1, b"x" * (2 << 20) + b"\n")

    def prints_to_the_answers(self):
        os.write(1, b"2 eggs are logged\n")

    def prints(self):
        print(self.meal[0], "is logged")
        super().log_meal(*self.meal)
    def leaves_a_child_behind(self):
        if os.fork():
            os._exit(4)
        time.sleep(30)

    def closes_its_output(self):
        os.close(1)
        os.dup2(2, 1)
        time.sleep(30)


if __name__ == "__main__":
    main(globals()[sys.argv[2]])
