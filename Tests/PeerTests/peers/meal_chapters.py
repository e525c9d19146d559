"""Meal logs in plain words, with and without a socket, in the union and in two guides' modes."""

import asyncio
import time
from datetime import datetime

from facts import UNKNOWN_ID, expect, expect_equal, expect_keys, step
from teller import expect_silence, next_frame

MEALS = "/api/v1/meal-logs"
CREATE = f"{MEALS}/natural"
TYPES = ["breakfast", "lunch", "dinner", "snack"]
NO_FOOD = ("Failed to parse meal input", "Could not identify any food items in the input")

NUTRIENTS = ["protein", "carbs", "fat", "fiber", "sugar"]
ALWAYS = "id user_id raw_input meal_type status logged_at created_at updated_at "
TOTALS = "total_calories total_protein_g total_carbs_g total_fat_g total_fiber_g total_sugar_g "
OLDER_TOTALS = "total_protein total_carbs total_fat total_fiber total_sugar "
TIMES = "processing_started_at processing_completed_at "
ITEM = (
    "id meal_log_id food_id food_name quantity unit calories protein_g carbs_g fat_g fiber_g sugar_g confidence_score "
    "order_index created_at ")
# The members of a log, by the form of the answer and its status.
MEMBERS = {
    "union": {
        "processing": f"{ALWAYS} meal_log_id processing_started_at",
        "completed": f"{ALWAYS} meal_log_id {TOTALS} {OLDER_TOTALS} items_count {TIMES} items",
        "failed": f"{ALWAYS} meal_log_id error_message error details",
    },
    "meal-log-websocket": {
        "processing": ALWAYS,
        "completed": f"{ALWAYS} {TOTALS} {TIMES} items",
        "failed": f"{ALWAYS} error_message",
    },
    # The answers of GET and POST, if the guide's model of an answer differs from that of its event.
    "meal-log-websocket over REST": {
        "processing": ALWAYS, "completed": f"{ALWAYS} total_calories total_protein_g total_carbs_g total_fat_g",
        "failed": ALWAYS,
    },
    "websocket-architecture": {
        "completed": f"{ALWAYS} items total_calories {OLDER_TOTALS} {TIMES}",
        "failed": "meal_log_id error details",
    },
}
ITEM_MEMBERS = {
    "union": f"{ITEM} name protein carbohydrates fat fiber sugar confidence",
    "meal-log-websocket": ITEM,
    "websocket-architecture":
        "id meal_log_id name quantity unit calories protein carbohydrates fat fiber sugar confidence",
}
APPS = {"log": {"failed": " error_code"}, "item": " food_type"}
NOTES = {
    "union": ["parsing_notes", "notes"], "meal-log-websocket": ["parsing_notes"], "websocket-architecture": ["notes"]}


class Meals:
    """A user who logs meals, and checks the shapes of the server's mode."""

    def __init__(self, teller):
        self.teller = teller
        guide = teller.server.guide
        # websocket-architecture documents only the events, so its REST answers are the union's.
        self.rest_form = "meal-log-websocket over REST" if guide == "meal-log-websocket" else "union"
        self.event_form = guide

    async def create(self, text, meal_type="lunch", **fields):
        answer = await self.teller.ask(201, "POST", CREATE, {"raw_input": text, "meal_type": meal_type, **fields})
        log = self.unwrapped(answer)
        # The answer shows the log as created, however soon processing ends.
        expect_equal((log["status"], log["raw_input"], log["meal_type"]), ("processing", text, meal_type), "a new log")
        self.check(log, self.rest_form)
        return log

    def unwrapped(self, answer):
        expect_keys(answer, "success data" if self.rest_form == "union" else "data", "the answer")
        return answer["data"]

    async def show(self, id):
        log = self.unwrapped(await self.teller.ask(200, "GET", f"{MEALS}/{id}"))
        self.check(log, self.rest_form)
        return log

    async def list(self, query=""):
        """No guide has the list, so it is the union's in every mode."""
        data = (await self.teller.ask(200, "GET", f"{MEALS}{query}"))["data"]
        of_apps = " total offset" if self.teller.server.guide == "union" else ""
        expect_keys(data, "meal_logs total_count page limit has_more" + of_apps, "data")
        for log in data["meal_logs"]:
            self.check(log, "union")
        return data

    async def outcome(self, id, every=0.2, most=60):
        """The log after processing, for a client that polls."""
        for _ in range(most):
            log = await self.show(id)
            if log["status"] != "processing":
                return log
            await asyncio.sleep(every)
        raise AssertionError(f"the meal log {id} is not done after {most} polls")

    async def socket(self, persona="nutritionist"):
        """A socket on a new consultation."""
        self.consultation = await self.teller.create(persona)
        return await self.teller.open(self.consultation)

    async def event(self, socket):
        frame = await next_frame(socket)
        expect_keys(frame, "type data timestamp", "the event")
        expect(frame["type"] in ("meal_log.completed", "meal_log.failed"), "a meal event", frame)
        data = frame["data"]
        status = frame["type"].removeprefix("meal_log.")
        self.check({"status": status, **data}, self.event_form, known=data)
        expect_equal(data.get("status", status), status, "the status in the event")
        return frame

    def check(self, log, form, known=None):
        """Checks the members of a log and of its items, and that the totals are the sums of the items."""
        # Members that only the apps read, which a guide's mode omits.
        apps = APPS if self.event_form == "union" else {"log": {}, "item": ""}
        members = MEMBERS[form][log["status"]] + apps["log"].get(log["status"], "")
        # Not every failure has suggestions.
        suggestions = [name for name in log if name == "suggestions" and apps["item"] and log["status"] == "failed"]
        expect_keys(log if known is None else known, " ".join([members, *suggestions]), f"the {log['status']} log")
        if log["status"] != "completed" or "items" not in members:
            return
        for index, item in enumerate(log["items"]):
            notes = [name for name in NOTES[form] if name in item]
            expect(notes in ([], NOTES[form]), "all notes or none", item)
            expect_keys(item, " ".join([ITEM_MEMBERS[form] + apps["item"], *notes]), "the item")
            expect_equal(item["meal_log_id"], log["id"], "the item's log")
            if form == "websocket-architecture":
                expect(isinstance(item["quantity"], str), "a quantity in words", item)
                continue
            expect(isinstance(item["calories"], int) and isinstance(item["quantity"], (int, float)), "numbers", item)
            expect_equal(item["order_index"], index, "order_index")
        total = sum(item["calories"] for item in log["items"])
        expect_equal(log["total_calories"], total, "total_calories")
        older = form != "meal-log-websocket"
        for name in NUTRIENTS:
            member = {"carbs": "carbohydrates"}.get(name, name) if older else f"{name}_g"
            total = round(sum(item[member] for item in log["items"]), 1)
            for label in ([f"total_{name}"] if older else []) + ([] if form == "websocket-architecture" else [
                    f"total_{name}_g"]):
                expect_equal(log[label], total, label)


def facts_of(log):
    """Calories, protein, carbohydrates, fat, and the number of items, by the form's names."""
    grams = [log.get(f"total_{name}_g", log.get(f"total_{name}")) for name in ("protein", "carbs", "fat")]
    return log["total_calories"], *grams, len(log["items"]) if "items" in log else None


# The results of the guides' own examples; None if they do not say.
EXAMPLES = [
    ("2 eggs", (140, None, None, None, 1)),
    ("2 eggs and toast", (290, 16.0, None, None, 2)),
    ("120g chicken breast", (198, 37.2, 0.0, 4.3, 1)),
]


def check_example(log, wanted):
    # Not every form has all of them.
    known = [(got, want) for got, want in zip(facts_of(log), wanted) if None not in (got, want)]
    expect_equal([got for got, _ in known], [want for _, want in known], f"the facts of {log['raw_input']}")


async def meals(teller):
    user = Meals(teller)
    step("without a socket: create, poll until it is completed")
    for text, wanted in EXAMPLES:
        log = await user.create(text, "breakfast", logged_at="2025-01-29T08:15:00.5+02:00")
        expect_equal(log["logged_at"], "2025-01-29T06:15:00Z", "logged_at")
        done = await user.outcome(log["id"])
        expect_equal((done["status"], done["id"]), ("completed", log["id"]), "the outcome")
        check_example(done, wanted)
        same = ["user_id", "raw_input", "meal_type", "logged_at", "created_at"]
        expect_equal([done[name] for name in same], [log[name] for name in same], "what does not change")
    for chicken in done.get("items", []):
        expect_equal(
            (chicken["food_name"], chicken["quantity"], chicken["order_index"]), ("Chicken Breast", 120, 0), "the item")

    step("no food in it: failed, and it says why")
    log = await user.create("xyzzy plugh", "snack")
    done = await user.outcome(log["id"])
    expect_equal(done["status"], "failed", "the outcome")
    if user.rest_form == "union":
        expect_equal(
            (done["error_message"], done["error"], done["details"]), (NO_FOOD[0], *NO_FOOD), "message, error and details")

    step("more foods than a log holds: failed, and it says how many there may be")
    log = await user.create(", ".join(["egg"] * 51), "dinner")
    done = await user.outcome(log["id"])
    expect_equal(done["status"], "failed", "the outcome of 51 foods")
    if user.rest_form == "union":
        expect_equal(done["error_message"], NO_FOOD[0], "the message")
        expect("50" in done["details"], "the limit in details", done)

    step("what POST refuses: 400 that names the field")
    good = {"raw_input": "2 eggs", "meal_type": "lunch"}
    for field, bad, words in [
        ("raw_input", None, ["required"]), ("raw_input", "", ["1 to 1000"]), ("raw_input", " \n\t ", ["blank"]),
        ("raw_input", "x" * 1001, ["1001"]), ("raw_input", 7, ["7"]), ("raw_input", ["2 eggs"], ["array"]),
        ("raw_input", "e" + "\u0301" * 9000, ["16384 bytes"]),
        ("meal_type", None, ["required"]), ("meal_type", "brunch", ["brunch", *TYPES]), ("meal_type", 7, ["7"]),
        ("logged_at", "yesterday", ["yesterday"]), ("logged_at", "2025-02-30T08:00:00Z", ["2025-02-30"]),
        ("logged_at", "2025-01-29", ["2025-01-29"]), ("logged_at", 1738146600, ["1738146600", "iso8601"]),
    ]:
        await teller.refusal(400, "POST", CREATE, {**good, field: bad}, code="VALIDATION_FAILED", words=[field, *words])
    await user.create("🍳" * 1000, logged_at=None)

    step("ids: unknown, in upper case, malformed, another user's: 404")
    stranger = Meals(teller.as_user("meal-stranger"))
    foreign = await stranger.create("2 eggs")
    for id, words in [
        (UNKNOWN_ID, []), (log["id"].upper(), [f'lower-case it to "{log["id"]}"']), ("meal", ["lower-case UUIDs"]),
        (foreign["id"], []),
    ]:
        await teller.refusal(404, "GET", f"{MEALS}/{id}", code="NOT_FOUND", words=[id, *words])
    expect_equal((await stranger.list())["total_count"], 1, "how many logs the other user has")


async def meals_heard(teller):
    user = Meals(teller)
    step("with a socket: 201 first, then one event with all there is to know")
    socket = await user.socket()
    for text, wanted in EXAMPLES:
        log = await user.create(text, "dinner")
        frame = await user.event(socket)
        expect_equal((frame["type"], frame["data"]["id"]), ("meal_log.completed", log["id"]), "the event")
        check_example(frame["data"], wanted)
        shown = await user.show(log["id"])
        if user.event_form != "websocket-architecture":
            told = frame["data"] if user.rest_form == "union" else {name: frame["data"][name] for name in shown}
            expect_equal(told, shown, "the event's data, which is the log")
        expect_equal(frame["timestamp"], frame["data"]["processing_completed_at"], "the event's time")
        await expect_silence(socket)
    if user.event_form == "websocket-architecture":
        expect_equal(frame["data"]["items"][0]["quantity"], "120g", "the quantity, as it was written")

    step("a failed meal is heard as well")
    log = await user.create("xyzzy plugh", "snack")
    frame = await user.event(socket)
    expect_equal(frame["type"], "meal_log.failed", "the event")
    data = frame["data"]
    expect_equal(data.get("id", data.get("meal_log_id")), log["id"], "the log in the event")
    expect_equal(data.get("error_message", data.get("error")), NO_FOOD[0], "the message in the event")

    step("every open socket of the user hears it, whatever the consultation; nobody else's does")
    same = await teller.open(user.consultation)
    other = await user.socket("fitness_coach")
    stranger = Meals(teller.as_user("meal-listener"))
    foreign = await stranger.socket()
    log = await user.create("2 eggs")
    for each in (socket, same, other):
        expect_equal((await user.event(each))["data"]["id"], log["id"], "the log in the event")
    await expect_silence(foreign)

    step("a socket that connects later hears nothing of it")
    late = await teller.open(user.consultation)
    await expect_silence(late)
    for each in (socket, same, other, late, foreign):
        await each.close()


async def meals_listed(teller):
    user = Meals(teller)
    step("listed by logged_at, newest first; those of the same second newest first")
    texts = ["2 eggs", "2 eggs and toast", "xyzzy plugh", "120g chicken breast", "2 eggs"]
    days = ["2025-01-28T23:59:59Z", "2025-01-29T00:00:00Z", "2025-01-29T12:00:00Z", "2025-01-30T00:00:00Z"]
    days.append(days[0])
    logs = [
        (await user.create(text, TYPES[index % 4], logged_at=day))["id"]
        for index, (text, day) in enumerate(zip(texts, days))]
    for id in logs:
        await user.outcome(id)
    first, second, third, fourth, fifth = logs
    for query, wanted in [
        ("", [fourth, third, second, fifth, first]),
        ("?status=completed", [fourth, second, fifth, first]), ("?status=failed", [third]), ("?status=processing", []),
        ("?status=manual", []), ("?meal_type=breakfast", [fifth, first]), ("?meal_type=snack", [fourth]),
        ("?start_date=2025-01-29&end_date=2025-01-29", [third, second]),
        ("?start_date=2025-01-29T00:00:00Z&end_date=2025-01-29T12:00:00Z", [third, second]),
        ("?start_date=2025-01-29T00:00:01Z", [fourth, third]), ("?end_date=2025-01-28", [fifth, first]),
        ("?start_date=2025-01-29T01:00:00%2B01:00&end_date=2025-01-29T11:59:59Z", [second]),
        ("?start_date=2025-02-01&end_date=2025-01-01", []),
        ("?meal_type=breakfast&status=completed&end_date=2025-01-28", [fifth, first]),
    ]:
        data = await user.list(query)
        expect_equal([log["id"] for log in data["meal_logs"]], wanted, f"the logs of {query!r}")
        expect_equal(
            (data["total_count"], data["page"], data["limit"], data["has_more"]), (len(wanted), 1, 50, False), query)

    step("in pages")
    listed = []
    for page in (1, 2, 3):
        data = await user.list(f"?limit=2&page={page}")
        listed += [log["id"] for log in data["meal_logs"]]
        expect_equal(
            (data["total_count"], data["page"], data["limit"], data["has_more"]), (5, page, 2, page < 3), "the page")
    expect_equal(listed, [fourth, third, second, fifth, first], "the pages' ids")
    expect_equal((await user.list("?page=99"))["meal_logs"], [], "a page behind the last")

    step("what the list refuses")
    for query, word in [
        ("limit=0", "limit"), ("limit=101", "limit"), ("page=0", "page"), ("status=done", "status"),
        ("meal_type=brunch", "meal_type"), ("start_date=yesterday", "start_date"), ("end_date=2025-02-30", "end_date"),
        ("start_date=2025-01-29T00:00:00+01:00", "%2B"),
    ]:
        await teller.refusal(400, "GET", f"{MEALS}?{query}", code="VALIDATION_FAILED", words=[word])


async def meal_pace(teller):
    user = Meals(teller)
    step("processing takes 2.0 to 4.5 s; meanwhile the log is processing, and the socket is silent")
    socket = await user.socket()
    start = time.monotonic()
    log = await user.create("2 eggs and toast")
    expect_equal((await user.show(log["id"]))["status"], "processing", "the status at first")
    expect_equal((await user.list("?status=processing"))["total_count"], 1, "how many are processing")
    await expect_silence(socket)
    silent = time.monotonic() - start
    expect(silent < 2.0, "the first looks within 2 s (or this machine is too busy to tell)", silent)
    frame = await user.event(socket)
    took = time.monotonic() - start
    # The upper bound allows for a busy machine.
    expect(1.99 <= took <= 6.0, "the event after 2.0 to 4.5 s", took)
    shown = await user.show(log["id"])
    expect_equal((frame["data"]["id"], shown["status"]), (log["id"], "completed"), "the event and the log")
    begun, ended = (datetime.fromisoformat(shown[f"processing_{name}_at"]) for name in ("started", "completed"))
    # Both are truncated to the second.
    expect(1 <= (ended - begun).total_seconds() <= 5, "times that are 2.0 to 4.5 s apart", shown)
    await socket.close()

    step("nobody listens: it is completed all the same, and a socket that connects then hears nothing")
    log = await user.create("120g chicken breast")
    done = await user.outcome(log["id"], every=0.5, most=20)
    expect_equal(done["status"], "completed", "the status in the end")
    late = await user.teller.open(user.consultation)
    await expect_silence(late)
    await late.close()
