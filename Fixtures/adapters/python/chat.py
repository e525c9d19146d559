"""The client's chat: history first, then a socket, kept alive and connected again, and one question after another."""

import contextlib
import json
import weakref

from failure import Failure
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus


class Turn:
    """A question and its answer while it comes; an answer that nobody asked for has no question."""

    def __init__(self, question, known, now):
        self.question = question
        self.known = known  # the ids of the messages before it
        self.text = None  # what has come of the answer
        self.heard_at = now
        self.is_received = False  # the server has the question
        self.is_over = False
        self.is_cut = False  # the connection ended before the answer did

    def place(self, history):
        """Where the question stands in the history; None where it does not.

        An answer that nobody asked for begins behind what was known.
        """
        for index, message in enumerate(history):
            is_new = message["id"] not in self.known
            if is_new and (self.question is None or (message["role"], message["content"]) == ("user", self.question)):
                return index
        return None

    def is_answered(self, history):
        place = self.place(history)
        return place is not None and any(message["role"] == "assistant" for message in history[place:])


class Chat:
    """An open chat."""

    def __init__(self, identifier):
        self.id = identifier
        self.history = []  # as the backend has it
        self.has_history = False
        self.turn = None
        self.leftover = None  # an answer that broke off
        self.unread = []  # lines that the history should have by now, which could not be read
        self.waiting = []
        self.socket = None
        self.is_connected = False  # the server has said so
        self.is_fresh = False  # the history has been read since the connection was made
        self.tasks = []  # what ends when the user leaves


class ChatMixin:
    """What a client knows of chats; one is open at a time."""

    LONGEST_PAUSE = 30
    RECONNECT_PAUSE = 1  # seconds before the first try, twice as many before the second, and so on
    MOST_TRIES = 5  # in a row
    RETURN_PAUSE = 3  # seconds before a chat that the user has left is connected again
    HANDSHAKE_TIME = 30
    GREETING_TIME = 10
    PING_PAUSE = 25
    PONG_TIME = 10
    ANSWER_TIME = 60  # seconds without a word, after which an answer is given up
    CLOSE_TIME = 5
    LONGEST_MESSAGE = 2000
    SHOWN_MESSAGES = 100
    MOST_WAITING = 32
    MOST_TEMPLATES = 100

    def _prepare_chat(self):
        self.consultation = None
        self.connection = "disconnected"
        self._chat = None  # the one that is shown; left or not
        self._is_chat_wanted = False
        self._sockets = set()  # those that are open, or closing
        self._heard = weakref.WeakSet()  # those from which something has come since the last ping
        self._left_at = {}  # when this client closed a chat's socket, by consultation
        self._tried_at = {}  # when a chat's socket ended otherwise, or the last try to connect it again
        self.templates = []  # what coaches created, the newest at the end
        self._templates = set()  # those that were seen
        self._beforehand = []  # what the user writes while the chat is being opened

    @property
    def _has_history(self):
        return self.guide != "meal-log-websocket"

    @property
    def _is_chat_busy(self):
        if not self._is_chat_wanted:
            return False
        return not self._chat.is_connected or bool(self._chat.turn or self._chat.waiting)

    @property
    def transcript(self):
        """The messages, oldest first: role, text, and whether it is shown as whole."""
        chat = self._chat
        if chat is None:
            return []
        lines = [(message["role"], message["content"], True) for message in chat.history[-self.SHOWN_MESSAGES :]]
        lines += chat.unread
        if chat.leftover:
            lines.append(("assistant", chat.leftover, False))
        if chat.turn and chat.turn.question is not None and chat.turn.place(chat.history) is None:
            lines.append(("user", chat.turn.question, True))
        if chat.turn and chat.turn.text is not None and not (chat.turn.is_cut and chat.turn.is_answered(chat.history)):
            lines.append(("assistant", chat.turn.text, False))
        lines += [("user", text, True) for text in chat.waiting + self._beforehand]
        return [{"role": role, "text": text, "is_complete": whole} for role, text, whole in lines]

    # What the user does

    def open_consultation(self, identifier):
        identifier = self._id(identifier)
        self._starting = None
        if identifier is None or identifier in self._gone:
            if not self._is_chat_wanted:
                self.connection = "failed"
            return self._tell("not_found", "The consultation does not exist any more.")
        if self._is_chat_wanted and self.consultation == identifier:
            return
        self._leave("connecting")
        self.consultation = identifier
        self._chat = chat = Chat(identifier)
        chat.waiting, self._beforehand = self._beforehand, []
        self._is_chat_wanted = True
        chat.tasks = [self._begin(work, is_errand=False) for work in (self._keep_connected(chat), self._talk(chat))]

    def send(self, text):
        text = text.strip()
        queue = self._beforehand if self._starting else self._chat.waiting if self._is_chat_wanted else None
        if not text:
            self._tell("refused", "The message is blank.")
        elif len(text) > self.LONGEST_MESSAGE:
            most = self.LONGEST_MESSAGE  # the backend counts what a reader sees as one, and so never more
            self._tell("refused", f"The message has {len(text)} characters; at most {most} can be sent.")
        elif queue is None:
            self._tell("refused", "No chat is open. Start or open a consultation first.")
        elif len(queue) >= self.MOST_WAITING:
            self._tell("refused", "Too many messages wait to be sent.")
        elif self._serves("meal-log-websocket"):
            queue.append(text)
            self._notify()

    def disconnect(self):
        self._starting = None
        self._stop_listening()
        self._leave("disconnected")

    def _leave(self, connection):
        """Leaves the chat that is open, if one is; what it shows stays."""
        self.connection = connection
        chat, self._is_chat_wanted = self._chat, False
        if chat is None:
            return
        if chat.turn and chat.turn.question and not chat.turn.is_received or chat.waiting:
            self._tell("unavailable", "A message may not have reached the coach. Send it again.")
        chat.waiting = []
        chat.is_connected = False
        for task in chat.tasks:
            task.cancel()
        chat.tasks = []
        if chat.socket:
            self._begin(self._close(chat, chat.socket, 1000))
        self._notify()

    # The connection

    async def _keep_connected(self, chat):
        try:
            await self._read_history(chat)
        except Failure:
            self._leave("failed")
            raise
        chat.is_fresh = True
        tries, pause, has_renewed = 0, 0, False
        while True:
            await self._until(lambda: not self._sockets)  # one at a time
            await self._until(lambda: False, self._left_at.get(chat.id, -self.RETURN_PAUSE) + self.RETURN_PAUSE)
            await self._until(lambda: False, self._tried_at.get(chat.id, -self.RECONNECT_PAUSE) + self.RECONNECT_PAUSE)
            if chat.id in self._tried_at:  # whoever came back has waited too, and the next pause is no shorter
                pause = max(pause, min(self.clock.now() - self._tried_at[chat.id], self.LONGEST_PAUSE))
                self._tried_at[chat.id] = self.clock.now()
            try:
                token = await self._usable_token()
                socket = await self._shake_hands(f"{self.websocket_url}/api/v1/consultations/{chat.id}/ws", token)
            except InvalidStatus as refusal:
                status = refusal.response.status_code
                if status == 401:
                    await self._renew(token)
                    if tries == 0 and not has_renewed:
                        has_renewed = True
                        continue
                elif 400 <= status < 500 and status not in (408, 429):
                    return self._give_up(chat, status, refusal.response.body)
            except (OSError, EOFError, InvalidHandshake):
                pass
            except Failure:
                self._leave("failed")
                raise
            else:
                if await self._converse(chat, socket):
                    tries, pause, has_renewed = 0, 0, False
            if chat.turn and not chat.turn.is_over:
                chat.turn.is_cut = True
            chat.is_fresh = not self._has_history
            self.connection = "connecting"
            self._notify()
            if self._archiving == chat.id:  # then the server has closed it
                await self._until(lambda: self._archiving != chat.id)
            tries += 1
            if tries > self.MOST_TRIES:
                self._tell(
                    "unavailable", "The chat could not be reached. Check the connection and open the chat again.")
                return self._leave("failed")
            pause = max(pause, self.RECONNECT_PAUSE * tries)
            await self.clock.sleep(pause)

    async def _shake_hands(self, path, token):
        fields = {"Authorization": f"Bearer {token}", "X-API-Key": self.api_key}
        if self.guide in ("enhanced-consultations", "websocket-architecture"):
            path, fields = f"{path}?token={token}", {}
        self.in_flight += 1
        try:
            # The library's own timers would follow the system's clock.
            quiet = {"open_timeout": None, "ping_interval": None, "close_timeout": None}
            opening = connect(path, additional_headers=fields, proxy=None, **quiet)
            return await self._within(self.HANDSHAKE_TIME, opening.__aenter__())
        finally:
            self.in_flight -= 1

    def _give_up(self, chat, status, body):
        message = f"The chat was refused with status {status}."
        with contextlib.suppress(ValueError, TypeError, KeyError):
            message = json.loads(body)["error"]["message"]
        if status == 404:
            self._forget(chat.id)
        self._goals_are_known = False
        self._tell("not_found" if status == 404 else "refused", message)
        self._leave("failed")

    async def _converse(self, chat, socket):
        """Takes in what comes until the connection ends; says whether the server had greeted."""
        chat.socket = socket
        self._sockets.add(socket)
        self._notify()
        pinger = self._begin(self._keep_alive(socket), is_errand=False)
        greeting_ends = self.clock.now() + self.GREETING_TIME
        try:
            while not chat.is_connected:
                self._take(chat, await self._within(greeting_ends - self.clock.now(), socket.recv()))
            while True:
                self._take(chat, await socket.recv())
        except TimeoutError:
            await self._close(chat, socket, 1001, is_left=False)
            return False
        except ConnectionClosed:
            self._sockets.discard(socket)
            was_connected, chat.is_connected, chat.socket = chat.is_connected, False, None
            self._tried_at[chat.id] = self.clock.now()
            return was_connected
        finally:
            pinger.cancel()

    async def _keep_alive(self, socket):
        """Pings; where no pong comes nobody is there, and nobody would answer a close frame either."""
        while True:
            await self.clock.sleep(self.PING_PAUSE)
            with contextlib.suppress(ConnectionClosed):
                pong = await socket.ping()
                self._heard.discard(socket)
                pong.add_done_callback(lambda pong: self._hear(socket))
                if not await self._until(lambda: socket in self._heard, self.clock.now() + self.PONG_TIME):
                    socket.transport.abort()

    def _hear(self, socket):
        self._heard.add(socket)
        self._notify()

    async def _close(self, chat, socket, code, is_left=True):
        try:
            await self._within(self.CLOSE_TIME, socket.close(code))
        except TimeoutError:
            socket.transport.abort()
        self._sockets.discard(socket)
        chat.socket = None
        if is_left:
            self._left_at[chat.id] = self._tried_at[chat.id] = self.clock.now()
        self._notify()

    # What comes

    def _take(self, chat, data):
        self._hear(chat.socket)
        for frame in self._frames(data):
            self._take_frame(chat, frame)
        self._notify()

    @staticmethod
    def _frames(data):
        if isinstance(data, bytes):
            return []
        try:
            frames = [json.loads(data)]
        except ValueError:  # some send several in one
            frames = []
            for line in data.splitlines():
                with contextlib.suppress(ValueError):
                    frames.append(json.loads(line))
        return [frame for frame in frames if isinstance(frame, dict)]

    def _take_frame(self, chat, frame):
        kind, turn = frame.get("type"), chat.turn
        if kind == "connected":
            self._greeted(chat)
        elif kind in ("message_received", "user_message") and turn:
            turn.is_received, turn.heard_at = True, self.clock.now()
        elif kind in ("stream_chunk", "assistant_message_start", "assistant_message_chunk"):
            if turn is None or turn.is_over:
                self._begin_turn(chat, None)
                chat.tasks.append(self._begin(self._see_through(chat, chat.turn), is_errand=False))
            chat.turn.text = (chat.turn.text or "") + frame.get("content", "")
            chat.turn.is_received, chat.turn.heard_at = True, self.clock.now()
        elif kind in ("stream_complete", "assistant_message_end") and turn:
            turn.is_over = True
        elif kind == "template_created":
            self._take_template(chat, frame.get("metadata"))
        elif kind == "error" and self._archiving != chat.id:
            self._tell("chat", frame.get("error") or "The coach could not answer.")
            if turn:
                turn.is_over, turn.text = True, None
        else:
            self._take_event(frame)

    def _greeted(self, chat):
        if chat.is_connected:
            return
        chat.is_connected = True
        self._tried_at.pop(chat.id, None)
        self.connection = "connected"
        self._greetings += 1
        if not chat.is_fresh:
            chat.tasks.append(self._begin(self._refresh(chat)))

    async def _refresh(self, chat):
        """Reads what was missed while there was no connection."""
        try:
            await self._read_history(chat)
        finally:
            chat.is_fresh = True

    async def _read_history(self, chat):
        if not self._has_history:
            return
        answer = await self._request("GET", f"/consultations/{chat.id}/messages")
        if answer.status == 404:
            self._lose(chat.id)
        messages = self._successful(answer).list("messages") or []
        is_first, known = not chat.has_history, {message["id"] for message in chat.history}
        chat.has_history, chat.history, chat.unread = True, messages, []
        for message in messages:
            if message["id"] not in known:
                self._take_template(chat, message.get("metadata"), is_new=not is_first)
        self._notify()

    def _forget(self, identifier):
        """A consultation does not exist any more: it is not asked for again, and no goal leads to it."""
        self._gone.add(identifier)
        self._part(identifier)

    def _lose(self, identifier):
        """The same, and its chat may be open."""
        self._forget(identifier)
        if self._is_chat_wanted and self.consultation == identifier:
            self._leave("failed")

    def _take_template(self, chat, metadata, is_new=True):
        template = (metadata or {}).get("template_created") or {}
        if template and (chat.id, template.get("id")) not in self._templates:
            self._templates.add((chat.id, template.get("id")))
            shown = {"type": template.get("type", ""), "name": template.get("name", "")}
            self.templates = self.templates[1 - self.MOST_TEMPLATES :] + [shown]
            if is_new and template.get("type") == "goal":
                self._suggestion = (chat.id, self.clock.now() + self.SUGGESTION_TIME)

    # Questions and answers

    async def _talk(self, chat):
        """Asks one question after another: none is sent while an answer comes."""
        while True:
            await self._until(lambda: chat.waiting and not chat.turn and chat.is_connected and chat.is_fresh)
            self._begin_turn(chat, chat.waiting.pop(0))
            await self._say(chat)
            await self._see_through(chat, chat.turn)

    def _begin_turn(self, chat, question):
        chat.leftover = None
        chat.turn = Turn(question, {message["id"] for message in chat.history}, self.clock.now())

    async def _say(self, chat):
        kind = "message" if self.guide in ("consultation-websocket", "websocket-architecture") else "user_message"
        with contextlib.suppress(ConnectionClosed):  # the turn will be cut
            await chat.socket.send(json.dumps({"type": kind, "content": chat.turn.question}))

    async def _see_through(self, chat, turn):
        """Waits for the end of an answer, however it comes; what the history says is right."""
        try:
            await self._hear_out(chat, turn)
            if turn.is_cut:
                await self._recover(chat, turn)
            elif turn.is_over:
                await self._read_history(chat)
            else:
                await self._read_history(chat)
                if not turn.is_answered(chat.history):
                    chat.leftover = turn.text
                    self._tell("unavailable", "The coach did not answer. Ask again.")
        except Failure as failure:
            self._tell(failure.kind, failure.message)
            if turn.question is not None and turn.place(chat.history) is None:
                chat.unread.append(("user", turn.question, True))
            if turn.text is not None and not turn.is_answered(chat.history):
                chat.unread.append(("assistant", turn.text, turn.is_over))
        finally:
            if chat.turn is turn:
                chat.turn = None
            self._notify()

    async def _hear_out(self, chat, turn):
        while not (turn.is_over or turn.is_cut) and self.clock.now() < turn.heard_at + self.ANSWER_TIME:
            await self._until(lambda: turn.is_over or turn.is_cut, turn.heard_at + self.ANSWER_TIME)

    async def _recover(self, chat, turn):
        """An answer was cut: it goes on without us, and is read from the history once it is there."""
        looks, deadline, has_repeated = 0, None, False
        while True:
            await self._until(lambda: chat.is_connected and chat.is_fresh)
            deadline = deadline or self.clock.now() + self.ANSWER_TIME
            if turn.is_answered(chat.history):
                return
            if turn.question is not None and turn.place(chat.history) is None:
                if turn.is_received or has_repeated:
                    return self._tell("unavailable", "A message may not have reached the coach. Send it again.")
                has_repeated, turn.is_cut, turn.heard_at = True, False, self.clock.now()
                await self._say(chat)
                await self._hear_out(chat, turn)
                if not turn.is_cut:
                    return await self._read_history(chat)
                continue
            if self.clock.now() >= deadline:
                return self._tell("unavailable", "The coach did not answer. Ask again.")
            looks += 1
            await self.clock.sleep(min(2 * looks, 10))
            await self._read_history(chat)
