"""The client's meals: logged, and followed until they are worked out, by events or by polling."""

import math

from failure import Failure


class MealMixin:
    """What a client knows of meals."""

    POLL_PAUSE = 5  # seconds between two polls while no socket is open
    MOST_POLLS = 12
    FINAL = ("completed", "failed", "manual")
    EVENT_TIME = 4.7  # seconds after which a meal whose event has not come is looked at once
    MEAL_TIME = 65  # seconds after which a meal is given up

    def _prepare_meals(self):
        self.meals = []
        self._early = {}  # news that came before the meal's id was known
        self._greetings = 0  # how often a socket has opened: it brings no events from before

    @property
    def _hears_events(self):
        return bool(self._sockets or self._meal_socket)

    def log_meal(self, text, kind):
        if not text.strip() or len(text) > 1000:
            return self._tell("refused", "Describe the meal in 1 to 1000 characters.")
        if not self._serves("consultation-websocket", "enhanced-consultations", "goal-linking"):
            return
        meal = {"id": None, "text": text, "status": "processing", "calories": None, "error": None}
        meal |= {"protein": None, "items": []}
        self.meals.append(meal)
        self._begin(self._log(meal, kind))

    async def _log(self, meal, kind):
        begun = self.clock.date()

        async def find():
            known = {other["id"] for other in self.meals}
            for log in self._successful(await self._request("GET", "/meal-logs")).list("meal_logs") or []:
                is_ours = log.get("raw_input") == meal["text"] and self._is_since(log.get("created_at"), begun)
                if is_ours and log.get("meal_type") == kind and self._id(log.get("id")) not in known:
                    return log

        log = await self._create("/meal-logs/natural", {"raw_input": meal["text"], "meal_type": kind}, find)
        meal["id"] = self._id(log.get("id"))
        self._take_meal(log)
        if meal["id"] in self._early:
            self._take_meal(self._early.pop(meal["id"]))
        await self._follow(meal)

    async def _follow(self, meal):
        """Waits for a meal: for its event while a socket is open, else by looking every five seconds."""
        end = self.clock.now() + self.MEAL_TIME
        last, polls, failures, greetings = None, 0, 0, self._greetings
        due = self.clock.now() + (self.EVENT_TIME if self._hears_events else 0)  # the next look
        while meal["status"] == "processing":
            had_socket = self._hears_events

            def is_news():
                has_changed = self._greetings != greetings or self._hears_events != had_socket
                return has_changed or meal["status"] != "processing"

            if await self._until(is_news, min(end, due)):
                if self._greetings != greetings:  # the event may have been missed: one look
                    greetings, due = self._greetings, self.clock.now()
                elif self._hears_events:
                    due = math.inf
                else:
                    due = self.clock.now() if last is None else max(self.clock.now(), last + self.POLL_PAUSE)
                continue
            is_poll = last is not None and not self._hears_events  # one look right after creating is none
            if self.clock.now() >= end or is_poll and polls == self.MOST_POLLS:
                break
            polls, last = polls + is_poll, self.clock.now()
            failures = 0 if await self._look_at(meal) else failures + 1
            if failures == self.ATTEMPTS:
                break
            due = math.inf if self._hears_events and not failures else self.clock.now() + self.POLL_PAUSE
        if meal["status"] == "processing":
            meal["error"] = "The meal was not processed in time. Check again later."
            self._tell("meal", meal["error"])

    async def _look_at(self, meal):
        """Asks for a meal once; says whether an answer came."""
        try:
            answer = await self._request("GET", f"/meal-logs/{meal['id']}", attempts=1)
        except Failure as failure:
            if failure.kind != "unavailable":
                raise
            return False
        self._take_meal(self._successful(answer).data)
        return True

    def _take_event(self, frame):
        kind, log = frame.get("type"), frame.get("data")
        if kind in ("meal_log.completed", "meal_log.failed") and isinstance(log, dict):
            self._take_meal({**log, "status": kind.removeprefix("meal_log.")})

    def _take_meal(self, log):
        """Shows what the backend says of a meal, in an answer or in an event."""
        identifier = self._id(log.get("id") or log.get("meal_log_id"))
        meal = next((meal for meal in self.meals if meal["id"] == identifier), None)
        if meal is None:
            self._early[identifier] = log
            if len(self._early) > 32:
                self._early.pop(next(iter(self._early)))
        elif meal["status"] == "processing":
            status = log.get("status")
            meal["status"] = status if status in self.FINAL else "processing"  # whatever it is called
            meal["protein"] = log.get("total_protein_g")
            meal["items"] = [item.get("name") or item.get("food_name") for item in log.get("items") or []]
            if meal["status"] == "completed" and log.get("total_calories") is not None:
                meal["calories"] = round(log["total_calories"])
            if meal["status"] == "failed":
                meal["error"] = log.get("error_message") or log.get("error") or "The meal could not be processed."
                self._tell("meal", meal["error"])
            self._notify()
