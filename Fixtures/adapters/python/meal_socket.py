"""The client's socket with the events of all the user's meals, beside the chat's."""

import asyncio
import contextlib

from failure import Failure
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus


class MealSocketMixin:
    """One connection for a user: opened once, kept alive, and opened again with growing pauses when it is lost."""

    def _prepare_meal_socket(self):
        self._listener = None  # the task that keeps it open
        self._meal_socket = None
        self._is_greeted = False
        self._stopped_at = -self.RETURN_PAUSE  # when this client closed it

    @property
    def _is_connecting_for_meals(self):
        return self._listener is not None and not self._is_greeted

    def listen_to_meals(self):
        if self._serves(*self.WITHOUT_ACCOUNTS) and self._listener is None:
            self._listener = self._begin(self._listen(), is_errand=False)

    def _stop_listening(self):
        if self._listener:
            self._listener.cancel()
            self._listener = None
        if self._meal_socket:
            self._begin(self._close_meal_socket(self._meal_socket, 1000))

    async def _close_meal_socket(self, socket, code):
        try:
            await self._within(self.CLOSE_TIME, socket.close(code))
        except TimeoutError:
            socket.transport.abort()
        self._stopped_at = self.clock.now()
        self._forget_meal_socket(socket)

    def _forget_meal_socket(self, socket):
        if self._meal_socket is socket:
            self._meal_socket, self._is_greeted = None, False
        self._notify()

    async def _listen(self):
        tries, pause, has_renewed = 0, 0, False
        try:
            await self._until(lambda: not self._meal_socket)  # one at a time
            await self._until(lambda: False, self._stopped_at + self.RETURN_PAUSE)
            while True:
                try:
                    token = await self._usable_token()
                    socket = await self._shake_hands(f"{self.websocket_url}/ws/meal-logs", token)
                except InvalidStatus as refusal:
                    status = refusal.response.status_code
                    if status == 401:
                        await self._renew(token)
                        if tries == 0 and not has_renewed:
                            has_renewed = True
                            continue
                    elif 400 <= status < 500 and status not in (408, 429):
                        raise Failure("refused", f"The socket of the meals was refused with status {status}.") from None
                except (OSError, EOFError, InvalidHandshake):
                    pass
                else:
                    was_greeted, code = await self._hear_meals(socket)
                    if code == 1008:  # another device of the user has it: to reconnect would close that one's
                        return
                    if was_greeted:
                        tries, pause, has_renewed = 0, 0, False
                tries += 1
                if tries > self.MOST_TRIES:
                    raise Failure("unavailable", "The events of meals cannot be had. Check the connection.")
                pause = max(pause, self.RECONNECT_PAUSE * tries)
                await self.clock.sleep(pause)
        finally:
            if self._listener is asyncio.current_task():
                self._listener = None
            self._notify()

    async def _hear_meals(self, socket):
        """Takes in what comes until the connection ends; says whether the server had greeted, and its close code."""
        self._meal_socket = socket
        self._notify()
        pinger = self._begin(self._keep_alive(socket), is_errand=False)
        greeting_ends = self.clock.now() + self.GREETING_TIME
        try:
            while not self._is_greeted:
                self._take_meal_frames(socket, await self._within(greeting_ends - self.clock.now(), socket.recv()))
            while True:
                self._take_meal_frames(socket, await socket.recv())
        except TimeoutError:
            with contextlib.suppress(ConnectionClosed):
                await self._close_meal_socket(socket, 1001)
            return False, None
        except ConnectionClosed as end:
            was_greeted = self._is_greeted
            self._forget_meal_socket(socket)
            return was_greeted, end.rcvd.code if end.rcvd else None
        finally:
            pinger.cancel()

    def _take_meal_frames(self, socket, data):
        self._hear(socket)
        for frame in self._frames(data):
            if frame.get("type") == "connected" and not self._is_greeted:
                self._is_greeted = True
                self._greetings += 1
            elif frame.get("type") == "error":
                self._tell("meal", frame.get("error") or "The events of meals cannot be had.")
            else:
                self._take_event(frame)
        self._notify()
