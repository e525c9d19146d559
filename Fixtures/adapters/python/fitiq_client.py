"""A client of the FitIQ API that keeps its contract: consultations, their chats, goals and meals.

Plain asyncio: what the user does begins a task, and what comes of it shows in the client's attributes. All waiting goes
by the clock that the client is given, so that tests can carry it through hours in a moment.

    client = Client(url, websocket_url, token, api_key, refresh=ask_for_token, refresh_token=saved)
    client.start_consultation("nutritionist")
    client.send("How much protein do I need?")
"""

import asyncio
import contextlib
import json
import uuid
from datetime import datetime, timedelta

from chat import ChatMixin
from clocks import SystemClock
from failure import Failure
from http_exchange import exchange
from meal_socket import MealSocketMixin
from meals import MealMixin


class Client(ChatMixin, MealMixin, MealSocketMixin):
    """The client; its methods return at once, and are called on the event loop's thread."""

    ATTEMPTS = 3  # of a request, in all
    FIRST_PAUSE = 1  # seconds before the second attempt; each pause is longer than the one before
    REPEAT_TIME = 61  # seconds for which an equal request counts as a repeat of one that failed
    RESPONSE_TIME = 30  # seconds for a request and its answer
    CREATE_PAUSE = 60  # seconds without creating after there were too many consultations
    WITHOUT_GOALS = ("websocket-architecture", "meal-log-websocket")
    WITHOUT_ACCOUNTS = WITHOUT_GOALS + ("consultation-websocket", "enhanced-consultations", "goal-linking")
    TOO_MANY = "There are too many active consultations. Archive one, or try again in a minute."
    SUGGESTION_TIME = 600  # seconds within which a goal can be the one that the coach suggested

    def __init__(self, url, websocket_url, token, api_key, refresh, guide="union", clock=None, refresh_token=None):
        self.url = url + "/api/v1"
        self.websocket_url = websocket_url
        self.token = token
        self.api_key = api_key
        self.refresh = refresh  # asks the user, where no refresh token helps
        self.refresh_token = refresh_token  # works once
        self.guide = guide
        self.clock = clock or SystemClock()
        # What the user sees; the chat and the meals have more.
        self.problems = []
        self.goals = []
        self.quick_actions = []  # the questions that the coach's screen suggests
        # What goes on.
        self._tasks = set()  # all
        self._errands = set()  # those that the user waits for
        self._watchers = []
        self.in_flight = 0  # requests and handshakes whose answer is not there
        self._is_renewing = False
        self._signed_out = None  # a token that is refused, and no other is to be had
        self._failed = {}  # requests that failed: when, how often in a row, and the last pause between
        self._quiet_until = 0  # too many requests: none before
        self._creates_again = 0  # too many consultations: no new one before
        self._gone = set()  # ids that were not found
        self._starting = None  # what consultation is being opened
        self._archiving = None
        self._goals_are_known = False
        self._suggestion = None  # the consultation in which a goal was suggested, and until when it counts
        self._prepare_chat()
        self._prepare_meals()
        self._prepare_meal_socket()

    # Tasks and waiting

    def _begin(self, work, is_errand=True):
        task = asyncio.get_event_loop().create_task(work)
        for group in [self._tasks] + [self._errands] * is_errand:
            group.add(task)
            task.add_done_callback(group.discard)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task):
        self._notify()
        if task.cancelled() or not task.exception():
            return
        if isinstance(task.exception(), Failure):
            self._tell(task.exception().kind, task.exception().message)
        else:
            raise task.exception()

    def _tell(self, kind, message):
        self.problems = self.problems[-99:] + [{"kind": kind, "message": message}]

    def _notify(self):
        """Has everybody look whose condition may hold now."""
        watchers, self._watchers = self._watchers, []
        for watcher in watchers:
            if not watcher.done():
                watcher.set_result(None)

    async def _until(self, condition, deadline=None):
        """Waits for a condition, or until a time by the clock; says whether it holds."""
        while not condition():
            watcher = asyncio.get_running_loop().create_future()
            self._watchers.append(watcher)
            if deadline is None:
                await watcher
            elif deadline <= self.clock.now():
                return False
            else:
                with contextlib.suppress(TimeoutError):
                    await self._within(deadline - self.clock.now(), watcher)
        return True

    async def _within(self, seconds, work):
        """What the work comes to; TimeoutError where it takes longer by the client's clock."""
        work = asyncio.ensure_future(work)
        timer = asyncio.ensure_future(self.clock.sleep(seconds))
        try:
            await asyncio.wait({work, timer}, return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                raise TimeoutError
            return work.result()
        finally:
            timer.cancel()
            work.cancel()

    @property
    def is_busy(self):
        return bool(self._errands) or self._is_chat_busy or self._is_connecting_for_meals

    async def close(self):
        """Ends everything at once, connections included."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        for socket in [*self._sockets, self._meal_socket]:
            if socket:
                socket.transport.abort()
        await asyncio.gather(*tasks, return_exceptions=True)

    # Requests

    def _serves(self, *guides_without):
        """Says whether the backend has what is asked for, and tells the user where it has not."""
        if self.guide in guides_without:
            self._tell("refused", f"The backend follows the guide {self.guide}, which has no such thing.")
            return False
        return True

    async def _request(self, method, path, body=None, attempts=None):
        """The backend's answer, whatever its status below 500.

        After a failure it asks again, with growing pauses; after 401 with another token; after 429 for too many
        requests when it may. What issues tokens is asked without one.
        """
        attempts = attempts or self.ATTEMPTS
        pause, count, waits, renewals = self.FIRST_PAUSE, 0, 0, 0
        needs_token = not path.startswith("/auth/")
        request = (method, path, json.dumps(body))
        failed_at, failures, last_pause = self._failed.get(request, (-self.REPEAT_TIME, 0, 0))
        if attempts > 1 and failed_at + self.REPEAT_TIME > self.clock.now():
            if failures >= attempts:
                raise Failure("unavailable", "The backend did not answer a moment ago. Try again in a minute.")
            await self._until(lambda: False, failed_at + self._longer(last_pause, failures))
            count, pause = failures, max(last_pause, self.clock.now() - failed_at)
        while True:
            await self._until(lambda: False, self._quiet_until)
            token = await self._usable_token() if needs_token else None
            answer = await self._attempt(method, path, body, token)
            if answer is not None and answer.status == 401 and needs_token:
                renewals += 1
                if renewals > 2:  # new tokens are refused as well
                    raise Failure("unauthorized", answer.message)
                await self._renew(token)
                continue
            asked = answer.retry_after if answer else None
            if answer is not None and answer.status == 429 and answer.error.get("code") == "RATE_LIMITED":
                waits += 1
                if waits == 3:
                    raise Failure("unavailable", answer.message)
                self._quiet_until = self.clock.now() + min(asked or 1, 300)
                continue
            if answer is not None and answer.status < 500 and answer.status != 408 and not answer.is_damaged:
                self._failed.pop(request, None)
                return answer
            count += 1
            self._failed[request] = (self.clock.now(), count, pause)
            if count == attempts:
                raise Failure("unavailable", answer.message if answer else "The backend did not answer in time.")
            pause = max(self._longer(pause, count), min(asked or 0, 300))
            await self.clock.sleep(pause)

    def _longer(self, pause, count):
        """The pause after so many failures; the one before it, if there was one, was shorter."""
        return max(pause + self.FIRST_PAUSE * (count > 1), self.FIRST_PAUSE * count)

    async def _attempt(self, method, path, body, token):
        """The answer; None where no whole one comes in time."""
        fields = {"X-API-Key": self.api_key}
        if token is not None:
            fields["Authorization"] = f"Bearer {token}"
        self.in_flight += 1
        try:
            return await self._within(self.RESPONSE_TIME, exchange(method, self.url + path, fields, body))
        except (OSError, EOFError, ValueError):  # TimeoutError is an OSError
            return None
        finally:
            self.in_flight -= 1

    def sign_in(self, email, password):
        if self._serves(*self.WITHOUT_ACCOUNTS):
            self._begin(self._sign_in({"email": email, "password": password}))

    async def _sign_in(self, credentials):
        tokens = self._successful(await self._request("POST", "/auth/login", credentials)).data
        self.token, self.refresh_token = tokens["access_token"], tokens["refresh_token"]
        self._signed_out = None
        self._notify()

    async def _usable_token(self):
        await self._until(lambda: not self._is_renewing)
        if self._signed_out == self.token:
            raise Failure("unauthorized", "The sign-in is no longer valid. Sign in again.")
        return self.token

    async def _renew(self, refused):
        """Gets another token than the one that was refused, once for all that wait for it."""
        if self.token == refused and not self._is_renewing:
            self._is_renewing = True
            self._begin(self._replace(refused))  # goes on where the one who waits is cancelled
        await self._until(lambda: not self._is_renewing)

    async def _replace(self, refused):
        try:
            self.token = await self._exchange_refresh_token() or self.refresh()
            if self.token == refused:
                self._signed_out = refused
        finally:
            self._is_renewing = False
            self._notify()

    async def _exchange_refresh_token(self):
        """The access token that the refresh token brings; None where it brings none, and then it is not used again."""
        token, self.refresh_token = self.refresh_token, None
        if token is None:
            return None
        with contextlib.suppress(Failure):
            answer = await self._request("POST", "/auth/refresh", {"refresh_token": token})
            if answer.is_success:
                self.refresh_token = answer.data.get("refresh_token")
                return answer.data.get("access_token")

    @staticmethod
    def _successful(answer):
        """The answer of a request that was granted."""
        if answer.is_success:
            return answer
        kinds = {401: "unauthorized", 404: "not_found", 429: "too_many"}
        raise Failure(kinds.get(answer.status, "refused"), answer.message)

    async def _create(self, path, body, find):
        """Creates what must not come twice: after a failure, it is looked for before it is tried again."""
        pause = self.FIRST_PAUSE
        for attempt in range(1, self.ATTEMPTS + 1):
            try:
                return self._successful(await self._request("POST", path, body, attempts=1)).data
            except Failure as failure:
                if failure.kind != "unavailable":
                    raise
                failed, reason = self.clock.now(), failure
            await self.clock.sleep(self.FIRST_PAUSE)
            found = await find()
            if found:
                return found
            await self._until(lambda: False, failed + self._longer(pause, attempt))
            pause = self.clock.now() - failed
        raise reason

    def _is_since(self, text, begun):
        """Whether the backend made it after a moment, give or take what clocks differ by."""
        with contextlib.suppress(TypeError, ValueError):
            return datetime.fromisoformat(text) >= begun - timedelta(minutes=5)
        return False

    @staticmethod
    def _id(text):
        """An id as the backend writes it, in lower case; None where it is none."""
        with contextlib.suppress(ValueError, AttributeError, TypeError):
            return str(uuid.UUID(text))
        return None

    # Consultations

    def start_consultation(self, persona):
        if self._serves("goal-linking") and self._starting != persona and self._may_create():
            self._starting = persona
            self._begin(self._opening(persona, self._start(persona)))

    def _may_create(self):
        if self.clock.now() >= self._creates_again:
            return True
        self._tell("too_many", self.TOO_MANY)
        return False

    async def _opening(self, what, work):
        """Finds out which consultation to open, and opens it unless the user has come to want another."""
        if not self._is_chat_wanted:
            self.connection = "connecting"
        try:
            identifier = await work
            if self._starting == what:
                self.open_consultation(identifier)
        finally:
            if self._starting == what:
                self._starting = None
                if not self._is_chat_wanted:
                    self.connection = "failed"

    async def _start(self, persona):
        body = {"persona": persona, "coach_type": persona}  # one guide calls it otherwise
        answer = await self._request("POST", "/consultations", body)
        if answer.status == 409:  # there is one: it is gone on with
            details = answer.error.get("details") or {}
            return details.get("existing_consultation_id")
        self._mind_limit(answer)
        made = self._successful(answer).data
        made = made.get("consultation") or made
        return made.get("id") or made.get("consultation_id")

    def _mind_limit(self, answer):
        if answer.status == 429:
            self._creates_again = self.clock.now() + self.CREATE_PAUSE

    def archive(self):
        if not self.consultation:
            return self._tell("refused", "No chat is open.")
        if self._serves("websocket-architecture", "meal-log-websocket") and not self._archiving:
            self._archiving = self.consultation
            self._begin(self._archive(self.consultation))

    async def _archive(self, identifier):
        try:
            self._successful(await self._request("POST", f"/consultations/{identifier}/archive"))
            self._creates_again = 0
            self._part(identifier)
            if self.consultation == identifier:
                self._starting = None
                self._leave("disconnected")
        finally:
            self._archiving = None

    # Quick actions

    def load_quick_actions(self):
        others = ("consultation-websocket", "goal-linking", "websocket-architecture", "meal-log-websocket")
        if self._serves(*others):
            self._begin(self._load_quick_actions())

    async def _load_quick_actions(self):
        listed = self._successful(await self._request("GET", "/consultations/quick-actions")).list("quick_actions")
        self.quick_actions = [action["prompt"] for action in listed or [] if "prompt" in action]

    # Goals

    def _part(self, consultation):
        """No goal leads to a consultation any more: it is gone, or another goal's."""
        for goal in self.goals:
            if goal["conversation"] == consultation:
                goal["conversation"] = None

    def load_goals(self):
        if self._serves(*self.WITHOUT_GOALS):
            self._begin(self._load_goals())

    async def _load_goals(self):
        listed = self._successful(await self._request("GET", "/goals")).list("goals") or []
        listed = [goal for goal in listed if self._id(goal.get("id")) and "title" in goal]
        listed.sort(key=lambda goal: goal.get("createdAt") or goal.get("created_at") or "")
        self.goals = [self._goal(goal) for goal in listed]
        self._goals_are_known = True
        return listed

    def _goal(self, goal):
        conversation = goal.get("conversationId") or goal.get("conversation_id")
        return {"id": self._id(goal["id"]), "title": goal["title"], "conversation": self._id(conversation)}

    def create_goal(self, title, description):
        if not title.strip():
            return self._tell("refused", "The goal needs a title.")
        if not self._serves(*self.WITHOUT_GOALS):
            return
        consultation, until = self._suggestion or (None, 0)
        self._suggestion = None  # one suggestion is one goal's
        self._begin(self._create_goal(title, description, consultation if self.clock.now() <= until else None))

    async def _create_goal(self, title, description, consultation):
        begun = self.clock.date()
        known = {goal["id"] for goal in self.goals}

        async def find():
            for goal in await self._load_goals():
                made = goal.get("createdAt") or goal.get("created_at")
                is_new = self._id(goal["id"]) not in known and self._is_since(made, begun)
                if is_new and goal["title"] == title:
                    return goal

        target = (begun + timedelta(days=90)).strftime("%Y-%m-%dT%H:%M:%SZ")
        body = {"title": title, "description": description, "targetDate": target}
        goal = self._goal(await self._create("/goals", body, find))
        self.goals = [other for other in self.goals if other["id"] != goal["id"]] + [goal]
        if consultation:
            link = {"conversationId": consultation}
            answer = await self._request("PATCH", f"/goals/{goal['id']}", link)
            if answer.status == 404 and answer.error.get("code") != "GOAL_NOT_FOUND":
                self._lose(consultation)
            self._successful(answer)
            self._part(consultation)
            for other in self.goals:
                if other["id"] == goal["id"]:
                    other["conversation"] = consultation

    def chat_about_goal(self, identifier):
        identifier = self._id(identifier)
        if identifier is None or identifier in self._gone:
            self._tell("not_found", "The goal does not exist any more.")
        elif self._serves(*self.WITHOUT_GOALS) and self._starting != identifier:
            self._starting = identifier
            self._begin(self._opening(identifier, self._find_chat(identifier)))

    async def _find_chat(self, identifier):
        """The consultation about a goal: the one that there is, or a new one."""
        if not self._goals_are_known:
            await self._load_goals()
        goal = next((goal for goal in self.goals if goal["id"] == identifier), None)
        if goal is None:
            raise Failure("not_found", "There is no such goal.")
        if goal["conversation"] and goal["conversation"] not in self._gone:
            return goal["conversation"]
        if self.clock.now() < self._creates_again:
            raise Failure("too_many", self.TOO_MANY)
        answer = await self._request("POST", "/consultations/chat-about-goal", {"goalId": identifier})
        self._mind_limit(answer)
        if answer.status == 404:
            self._gone.add(identifier)
        made = self._successful(answer)
        made = made.body if "conversationId" in made.body else made.data
        goal["conversation"] = self._id(made.get("conversationId") or made.get("conversation_id"))
        return goal["conversation"]
