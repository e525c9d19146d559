"""The flows of the guide goal-linking, and the rules of goals. They apply to the union and to the guide's mode."""

import json

from facts import MOST_ACTIVE, UNKNOWN_ID, expect, expect_equal, expect_keys, step
from teller import Closed, check_stream, frames_until, next_event, next_frame

GOALS = "/api/v1/goals"
CONSULTATIONS = "/api/v1/consultations"
CHAT = f"{CONSULTATIONS}/chat-about-goal"
WISH = {
    "title": "Lose 10 pounds", "description": "By walking, and with fewer snacks", "targetDate": "2025-06-30T00:00:00Z",
    "category": "weight"}
GOAL = "id userId title description status progress category targetDate conversationId createdAt updatedAt"
SNAKE_GOAL = "id user_id title description status progress category target_date conversation_id created_at updated_at"
# The members that only the apps read, and those that depend on the time.
MEASURE = "start_date goal_type target_value target_unit current_value is_recurring"
APP_GOAL = f"{SNAKE_GOAL} {MEASURE} is_overdue days_remaining"


class Goals:
    """A user of goal-linking's client: the checked members have the same place in the union and in the guide's mode."""

    def __init__(self, teller):
        self.teller = teller
        self.is_union = teller.server.guide == "union"

    def check(self, goal):
        """Checks a goal's members, with the envelope next to them in the union."""
        if self.is_union:
            expect_keys(goal, f"{GOAL} success data", "the goal")
            expect_keys(goal["data"], f"{SNAKE_GOAL} {MEASURE}", "data")
            for camel, snake in zip(GOAL.split(), SNAKE_GOAL.split()):
                expect_equal(goal["data"][snake], goal[camel], f"data.{snake}")
        else:
            expect_keys(goal, GOAL, "the goal")
        return goal

    async def create(self, **fields):
        return self.check(await self.teller.ask(201, "POST", GOALS, {**WISH, **fields}))

    async def show(self, goal):
        return self.check(await self.teller.ask(200, "GET", f"{GOALS}/{goal['id']}"))

    async def patch(self, goal, **fields):
        changed = self.check(await self.teller.ask(200, "PATCH", f"{GOALS}/{goal['id']}", fields))
        expect_equal(await self.show(goal), changed, "the goal after PATCH")
        return changed

    async def chat_about(self, goal):
        answer = await self.teller.ask(201, "POST", CHAT, {"goalId": goal["id"]})
        if self.is_union:
            expect_keys(answer, "conversationId goalId createdAt persona success data", "the answer")
            expect_keys(answer["data"], "conversation_id goal_id created_at persona", "data")
            expect_equal(answer["data"]["conversation_id"], answer["conversationId"], "data.conversation_id")
        else:
            expect_keys(answer, "conversationId goalId createdAt persona", "the answer")
        expect_equal(answer["goalId"], goal["id"], "goalId")
        expect_keys(answer["persona"], "id name avatar", "persona")
        expect_equal(answer["persona"]["name"], "Wellness Coach", "the persona's name")
        return answer

    async def conversation(self, id):
        """The conversation, in the guide's camelCase."""
        answer = await self.teller.ask(200, "GET", f"{CONSULTATIONS}/{id}")
        if not self.is_union:
            expect_keys(
                answer, "id userId goalId persona createdAt updatedAt messageCount lastMessageAt", "the conversation")
        return answer

    async def expect_linked(self, goal, conversation):
        expect_equal((await self.show(goal))["conversationId"], conversation, f"the conversation of {goal['title']}")
        if conversation is not None:
            expect_equal((await self.conversation(conversation))["goalId"], goal["id"], "the conversation's goal")

    async def start_conversation(self):
        """An active conversation without a goal; in the guide's mode, one whose goal was unlinked."""
        if self.is_union:
            return await self.teller.create(persona="general_wellness")
        goal = await self.create(title="A goal to begin with")
        id = (await self.chat_about(goal))["conversationId"]
        await self.patch(goal, conversationId=None)
        expect_equal((await self.conversation(id))["goalId"], None, "the goal of a conversation that lost it")
        return id


async def goal_chat(teller):
    goals = Goals(teller)
    step("create a goal: not started, and without a conversation")
    goal = await goals.create()
    expect_equal({name: goal[name] for name in WISH}, WISH, "what was sent")
    expect_equal(
        (goal["status"], goal["progress"], goal["conversationId"]), ("not_started", 0, None), "a new goal's state")
    expect_equal(await goals.show(goal), goal, "the goal, fetched")

    step("chat about it: both sides name each other")
    answer = await goals.chat_about(goal)
    id = answer["conversationId"]
    await goals.expect_linked(goal, id)
    shown = await goals.conversation(id)
    expect_equal(shown["persona"], answer["persona"], "the conversation's persona")
    expect_equal((shown["messageCount"], shown["lastMessageAt"]), (0, None), "nothing said yet")
    expect_equal(shown["createdAt"], answer["createdAt"], "createdAt")

    step("its avatar is served; chat over the socket; the conversation counts the messages")
    media_type, image = teller.server.fetch(answer["persona"]["avatar"])
    expect(media_type.startswith("image/svg+xml") and b"<svg" in image, "an image", (media_type, image))
    socket = await teller.open(id)
    await socket.send(json.dumps({"type": "message", "content": "How do I begin?"}))
    text = check_stream(await frames_until(socket, "stream_complete"))
    await socket.close()
    shown = await goals.conversation(id)
    expect_equal(shown["messageCount"], 2, "messageCount")
    expect(shown["lastMessageAt"] is not None, "lastMessageAt", shown)
    expect_equal([m["content"] for m in await teller.messages(id)], ["How do I begin?", text], "the history")

    step("chat about it again: 201 with the same conversation, and nothing new")
    expect_equal(await goals.chat_about(goal), answer, "the answer to the same wish")

    step("an unlinked conversation about the goal is found again and linked")
    await goals.patch(goal, conversationId=None)
    expect_equal((await goals.conversation(id))["goalId"], None, "the conversation's goal once unlinked")
    expect_equal(await goals.chat_about(goal), answer, "the answer after unlinking")
    await goals.expect_linked(goal, id)

    step("archiving closes the socket and frees the goal; the next chat is another conversation")
    socket = await teller.open(id)
    await teller.ask(200, "POST", f"{CONSULTATIONS}/{id}/archive")
    expect_equal((await next_frame(socket))["type"], "error", "the last frame")
    closed = await next_event(socket)
    expect(isinstance(closed, Closed) and closed.code == 1000, "a close with 1000", closed)
    await goals.expect_linked(goal, None)
    expect_equal((await goals.conversation(id))["goalId"], goal["id"], "the goal of an archived conversation")
    other = (await goals.chat_about(goal))["conversationId"]
    expect(other != id, "another conversation", other)
    await goals.expect_linked(goal, other)

    step("all goals are listed, oldest first")
    second = await goals.create(title="Sleep 8 hours")
    listed = await teller.ask(200, "GET", GOALS)
    expect_equal(listed["totalCount"], 2, "totalCount")
    expect_equal([item["id"] for item in listed["goals"]], [goal["id"], second["id"]], "the ids")
    expect_keys(listed["goals"][0], GOAL, "a goal of the list")
    expect_keys(listed, "goals totalCount success data" if goals.is_union else "goals totalCount", "the list")
    if goals.is_union:
        expect_equal((listed["data"]["total_count"], len(listed["data"]["goals"])), (2, 2), "data")
        expect_keys(listed["data"]["goals"][0], APP_GOAL, "a goal of data's list")


async def goal_from_chat(teller):
    goals = Goals(teller)
    step("a conversation; a goal comes up in it, is created and linked by PATCH")
    first = await goals.start_conversation()
    goal = await goals.create(title="Run 5 km")
    await goals.patch(goal, conversationId=first)
    await goals.expect_linked(goal, first)
    again = await goals.patch(goal, conversationId=first)
    expect_equal(again["conversationId"], first, "linking the same again")

    step("chatting about the goal continues in that conversation")
    expect_equal((await goals.chat_about(goal))["conversationId"], first, "the conversation about the goal")

    step("the conversation goes to another goal: the first loses it")
    other = await goals.create(title="Run 10 km")
    await goals.patch(other, conversationId=first)
    await goals.expect_linked(goal, None)
    await goals.expect_linked(other, first)

    step("a goal goes to another conversation: the old one loses it")
    helper = await goals.create(title="Stretch")
    second = (await goals.chat_about(helper))["conversationId"]
    await goals.patch(other, conversationId=second)
    await goals.expect_linked(other, second)
    await goals.expect_linked(helper, None)
    expect_equal((await goals.conversation(first))["goalId"], None, "the old conversation's goal")

    step("null unlinks both; without the field the link stays")
    await goals.patch(other, title="Run 12 km")
    await goals.expect_linked(other, second)
    await goals.patch(other, conversationId=None)
    await goals.expect_linked(other, None)
    expect_equal((await goals.conversation(second))["goalId"], None, "the goal of the unlinked conversation")

    step("an archived conversation is not linked")
    await teller.ask(200, "POST", f"{CONSULTATIONS}/{second}/archive")
    await teller.refusal(
        400, "PATCH", f"{GOALS}/{other['id']}", {"conversationId": second, "title": "Never"},
        code="CONSULTATION_NOT_ACTIVE", words=[second, "archived"])
    expect_equal((await goals.show(other))["title"], "Run 12 km", "the title after a refused PATCH")


async def goal_rules(teller):
    goals = Goals(teller)
    goal = await goals.create(description="", category=None)
    path = f"{GOALS}/{goal['id']}"
    expect_equal((goal["description"], goal["category"]), ("", None), "an empty description and no category")

    step("PATCH changes what it names, once or all together; {} and null change nothing")
    expect_equal(await goals.patch(goal), goal, "the goal after {}")
    nulls = dict.fromkeys(["title", "description", "targetDate", "progress", "status", "category"])
    expect_equal(await goals.patch(goal, **nulls), goal, "the goal after nulls")
    wish = {
        "title": "Other", "description": "d", "targetDate": "2026-01-01T12:00:00.75+02:00", "progress": 0.35,
        "status": "in_progress", "category": "sport"}
    changed = await goals.patch(goal, **wish, id="ignored", userId=7)
    expect_equal(
        {name: changed[name] for name in wish}, {**wish, "targetDate": "2026-01-01T10:00:00Z"}, "what PATCH changed")
    expect_equal([changed[name] for name in ["id", "userId", "createdAt"]],
                 [goal[name] for name in ["id", "userId", "createdAt"]], "what PATCH does not change")
    for status in ["completed", "archived", "not_started"]:
        expect_equal((await goals.patch(goal, status=status))["status"], status, "status")

    step("what PATCH refuses changes nothing: 400 that names the field")
    before = await goals.show(goal)
    for field, bad in [
        ("title", ""), ("title", "x" * 201), ("title", 7), ("description", "x" * 2001), ("targetDate", "tomorrow"),
        ("targetDate", "2025-02-29T00:00:00Z"), ("targetDate", 1738146600), ("progress", 1.01), ("progress", -0.1),
        ("progress", "0.5"), ("status", "done"), ("category", ""), ("category", "x" * 101), ("conversationId", 7),
    ]:
        body = {"title": "Never", field: bad}
        await teller.refusal(400, "PATCH", path, body, code="VALIDATION_FAILED", words=[field])
    # Fields are checked before the ids in them: this id would be 404.
    await teller.refusal(
        400, "PATCH", path, {"conversationId": UNKNOWN_ID, "status": "done"}, code="VALIDATION_FAILED", words=["done"])
    expect_equal(await goals.show(goal), before, "the goal after refusals")

    step("what POST refuses")
    for missing in ["title", "description", "targetDate"]:
        body = {name: value for name, value in WISH.items() if name != missing}
        await teller.refusal(400, "POST", GOALS, body, code="VALIDATION_FAILED", words=[missing, "required"])

    step("ids: unknown, in upper case, malformed, another user's: 404, with a hint where case or form is wrong")
    upper = goal["id"].upper()
    stranger = Goals(teller.as_user("goal-stranger"))
    foreign = await stranger.create()
    for method, body in [("GET", None), ("PATCH", {"title": "x"})]:
        for id, words in [
            (UNKNOWN_ID, [UNKNOWN_ID]), (upper, [f'lower-case it to "{goal["id"]}"']),
            ("my-goal", ["lower-case UUIDs"]), (foreign["id"], [foreign["id"]]),
        ]:
            await teller.refusal(404, method, f"{GOALS}/{id}", body, code="GOAL_NOT_FOUND", words=words)
    for id, words in [(UNKNOWN_ID, [UNKNOWN_ID]), (upper, [goal["id"]]), (foreign["id"], [foreign["id"]])]:
        await teller.refusal(404, "POST", CHAT, {"goalId": id}, code="GOAL_NOT_FOUND", words=["goalId", *words])
    for body, words in [
        ({}, ["goalId", "required"]), ({"goalId": None}, ["goalId"]), ({"goalId": 7}, ["goalId", "7"]),
        ({"goalId": "my-goal"}, ["my-goal", "UUID"]),
    ]:
        await teller.refusal(400, "POST", CHAT, body, code="VALIDATION_FAILED", words=words)

    step("a conversation's id in PATCH likewise: 404")
    conversation = (await goals.chat_about(goal))["conversationId"]
    theirs = (await stranger.chat_about(foreign))["conversationId"]
    for id, words in [
        (UNKNOWN_ID, [UNKNOWN_ID]), (conversation.upper(), [f'lower-case it to "{conversation}"']),
        ("chat", ["lower-case UUIDs"]), (theirs, [theirs]),
    ]:
        await teller.refusal(404, "PATCH", path, {"conversationId": id}, code="NOT_FOUND", words=words)
    await goals.expect_linked(goal, conversation)
    await stranger.expect_linked(foreign, theirs)

    step(f"chats about {MOST_ACTIVE} goals, then 429; a goal that has a conversation goes on")
    for number in range(MOST_ACTIVE - 1):
        await goals.chat_about(await goals.create(title=f"Goal {number}"))
    last = await goals.create(title="One too many")
    await teller.refusal(
        429, "POST", CHAT, {"goalId": last["id"]}, code="TOO_MANY_ACTIVE_CONSULTATIONS", words=[str(MOST_ACTIVE)])
    await goals.expect_linked(last, None)
    expect_equal((await goals.chat_about(goal))["conversationId"], conversation, "the conversation that goes on")
    await teller.ask(200, "POST", f"{CONSULTATIONS}/{conversation}/archive")
    await goals.chat_about(last)
