"""The Python adapter with one mistake: broken_adapters.py FOLDER_OF_THE_ADAPTER MISTAKE."""

import contextlib
import json
import os
import sys
import time

sys.path.insert(0, sys.argv[1])

from adapter import main  # noqa: E402
from failure import Failure  # noqa: E402
from fitiq_client import Client  # noqa: E402


class Impatient(Client):
    """Reconnects without waiting."""

    RECONNECT_PAUSE = 0.2


class Hasty(Client):
    """Polls meals every second."""

    POLL_PAUSE = 1


class Plodding(Client):
    """Waits equally long before each repeat of a request."""

    def _longer(self, pause, count):
        return 1


class Forgetful(Client):
    """Shows only the newest chunk of an answer while it streams."""

    def _take_frame(self, chat, frame):
        if chat.turn and frame.get("type") in ("stream_chunk", "assistant_message_chunk"):
            chat.turn.text = None
        super()._take_frame(chat, frame)


class Echoing(Client):
    """Asks again after a lost connection, although the history has the question."""

    async def _recover(self, chat, turn):
        await self._until(lambda: chat.is_connected and chat.is_fresh)
        turn.is_cut = False
        await self._say(chat)
        await self._hear_out(chat, turn)
        await self._read_history(chat)


class Brittle(Client):
    """Leaves the chat at an invalid message."""

    def _take(self, chat, data):
        if not self._frames(data):
            return self._leave("failed")
        super()._take(chat, data)


class Misspelling(Client):
    """Links a goal in snake_case, and assumes that it worked."""

    async def _request(self, method, path, body=None, attempts=None):
        if method == "PATCH":
            body = {"conversation_id": body["conversationId"]}
        return await super()._request(method, path, body, attempts)


class Patient(Client):
    """Polls a meal, and ignores the event about a failure."""

    def _take_event(self, frame):
        if frame.get("type") != "meal_log.failed":
            super()._take_event(frame)


class Thrifty(Client):
    """Keeps a refused refresh token."""

    async def _exchange_refresh_token(self):
        token = self.refresh_token
        try:
            return await super()._exchange_refresh_token()
        finally:
            self.refresh_token = self.refresh_token or token


class Constant(float):
    """The same number of seconds, however often it is multiplied."""

    def __mul__(self, count):
        return float(self)


class Steady(Client):
    """Waits equally long before each reconnect."""

    RECONNECT_PAUSE = Constant(2)


class Absent(Client):
    """Keeps reading after a lost connection, and does not reconnect."""

    async def _converse(self, chat, socket):
        await super()._converse(chat, socket)
        while True:
            await self.clock.sleep(35)
            await self._read_history(chat)


class Greedy(Client):
    """Keeps polling meals that are already processed."""

    async def _look_at(self, meal):
        has_come = await super()._look_at(meal)
        if meal["status"] == "completed":
            for _ in range(30):
                await self.clock.sleep(0.1)
                await super()._look_at(meal)
        return has_come


class Chatty(Client):
    """Leaves the input open until the coach answers."""

    async def _say(self, chat):
        await super()._say(chat)
        await super()._say(chat)


class Insistent(Client):
    """Repeats the POST without looking for its result."""

    async def _create(self, path, body, find):
        async def nothing():
            return None

        return await super()._create(path, body, nothing)


class Credulous(Client):
    """Shows a partial answer as the whole answer."""

    @property
    def transcript(self):
        return [{**line, "is_complete": True} for line in super().transcript]


class Deaf(Client):
    """Hides the coaches' `error` frames from its user."""

    def _tell(self, kind, message):
        if kind != "chat":
            super()._tell(kind, message)


class Mute(Client):
    """Leaves without a close frame."""

    async def _close(self, chat, socket, code, is_left=True):
        socket.transport.abort()
        await super()._close(chat, socket, code, is_left)


class Mixing(Client):
    """Shows an event at any meal that is in processing."""

    def _take_event(self, frame):
        waiting = [meal["id"] for meal in self.meals if meal["status"] == "processing"]
        if str(frame.get("type")).startswith("meal_log.") and waiting:
            frame["data"]["id"] = waiting[0]
        super()._take_event(frame)


class Startled(Client):
    """Leaves the chat at a frame of an unknown type."""

    def _take_frame(self, chat, frame):
        known = ("connected", "message_", "user_message", "stream_c", "assistant_message_", "template_", "error", "meal_")
        if not str(frame.get("type")).startswith(known):
            return self._leave("failed")
        super()._take_frame(chat, frame)


class Abrupt(Client):
    """Takes a frame of a type that it does not know for the end of the answer."""

    def _take_frame(self, chat, frame):
        if frame.get("type") in ("coach_mood", "assistant_thinking", "stream_paused") and chat.turn:
            chat.turn.is_over = True
        super()._take_frame(chat, frame)


class Choosy(Client):
    """Knows four personas, and treats any other as an error."""

    async def _request(self, method, path, body=None, attempts=None):
        answer = await super()._request(method, path, body, attempts)
        if "sleep_coach" in json.dumps(answer.body):
            raise Failure("refused", "There is no such coach.")
        return answer


class Rigid(Client):
    """Knows four statuses of goals, and treats any other as an error."""

    def _goal(self, goal):
        if goal["status"] not in ("not_started", "in_progress", "completed", "archived"):
            raise Failure("refused", f"The goal is {goal['status']}.")
        return super()._goal(goal)


class Stern(Client):
    """Knows three statuses of meals, and treats any other as an error."""

    def _take_meal(self, log):
        if log.get("status") not in ("processing", "completed", "failed"):
            raise Failure("refused", f"The meal is {log.get('status')}.")
        super()._take_meal(log)


class Taciturn(Client):
    """Loads the coach's suggested questions, and shows none."""

    async def _load_quick_actions(self):
        await super()._load_quick_actions()
        self.quick_actions = []


class Nostalgic(Client):
    """Keeps the goal's deleted conversation."""

    def _part(self, consultation):
        pass


class Attached(Client):
    """Keeps the goal's conversation where only the socket says that it is gone."""

    def _give_up(self, chat, status, body):
        self._part = lambda consultation: None
        super()._give_up(chat, status, body)


class Ambitious(Client):
    """Treats everything that the coach creates as a goal."""

    def _take_template(self, chat, metadata, is_new=True):
        if metadata and metadata.get("template_created"):
            metadata["template_created"]["type"] = "goal"
        super()._take_template(chat, metadata, is_new)


class Starving(Client):
    """Sends a meal without any input."""

    def log_meal(self, text, kind):
        super().log_meal(text or "nothing", kind)
        if not text:
            self.meals.pop()

    async def _request(self, method, path, body=None, attempts=None):
        if body and body.get("raw_input") == "nothing":
            body["raw_input"] = ""
        return await super()._request(method, path, body, attempts)


class Wordless(Client):
    """Does not send a meal without input, and does not say so."""

    def log_meal(self, text, kind):
        if text:
            super().log_meal(text, kind)


class Hoarding(Client):
    """Keeps every message."""

    SHOWN_MESSAGES = 10**9


class Sprawling(Client):
    """Cuts a history when it is loaded first, and lets the chat grow from there."""

    @property
    def transcript(self):
        if self._chat and self._chat.has_history:
            self.loaded = getattr(self, "loaded", len(self._chat.history))
            self.SHOWN_MESSAGES = 100 + len(self._chat.history) - self.loaded
        return super().transcript


class Counting(Client):
    """Takes only the calories from an event."""

    def _take_meal(self, log):
        super()._take_meal({**log, "items": [], "total_protein_g": None})


class Discreet(Client):
    """Prints the backend's refusals and the failures of quick actions, instead of showing them."""

    def _tell(self, kind, message):
        if kind != "refused" and "quick-actions" not in message:
            super()._tell(kind, message)

    async def _load_quick_actions(self):
        with contextlib.suppress(Failure):
            await super()._load_quick_actions()


class Hurried(Client):
    """Does not repeat the request for a goal whose chat did not open in time."""

    async def _request(self, method, path, body=None, attempts=None):
        if path.endswith("/chat-about-goal"):
            attempts = 1
        return await super()._request(method, path, body, attempts)


class Crashing(Client):
    """Has a bug."""

    async def _log(self, meal, kind):
        return meal["no such member"]


class Collapsing(Client):
    """Its process ends when something is said."""

    def send(self, text):
        os._exit(3)


class Trouble(Client):
    """Its process misbehaves when a meal is logged."""

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
