"""One chapter for each guide, as that guide's own client: its endpoints and frames, and nothing else."""

import json

from facts import UNKNOWN_ID, expect, expect_equal, expect_keys, step
from teller import Closed, expect_silence, frames_until, next_event, next_frame

CONSULTATIONS = "/api/v1/consultations"
GOAL = {"title": "Run 5 km", "description": "", "targetDate": "2025-06-30T00:00:00Z"}
UNION = (
    "id consultation_id user_id persona status started_at message_count created_at updated_at context_type is_active "
    "is_archived ")
PAGINATION = "page page_size total_pages total_count has_next has_prev"


async def send(socket, **frame):
    await socket.send(json.dumps(frame))


def check_frames(frames, types, **members):
    """Checks the types of frames, without repetitions, and the exact members of each."""
    seen = []
    for frame in frames:
        if not seen or seen[-1] != frame["type"]:
            seen.append(frame["type"])
        expect_keys(frame, members[frame["type"]], f"the frame {frame['type']}")
    expect_equal(seen, types, "the types of the frames")
    return "".join(frame["content"] for frame in frames if frame["type"].endswith("_chunk"))


async def expect_error(socket, members, *words, **frame):
    """Checks that a frame unknown to this guide gets an `error` that names the guide with it."""
    await send(socket, **frame)
    answer = await next_frame(socket)
    expect_equal(answer["type"], "error", "the answer's type")
    expect_keys(answer, members, "the frame error")
    for word in words:
        expect(word in answer["error"], f"{word!r} in the error", answer)


async def check_support_goal(teller):
    """Checks a goal in the union's form: this guide only presupposes goals."""
    goal = await teller.ask(201, "POST", "/api/v1/goals", GOAL)
    expect_keys(
        goal, "success data id userId title description status progress category targetDate conversationId createdAt "
        "updatedAt", "the goal")
    return goal["id"]


async def consultation_websocket(teller):
    members = "id user_id persona status started_at message_count created_at updated_at"
    step("create; fields of other guides are ignored")
    wish = {"persona": "nutritionist", "context_type": "mood", "title": 7, "coach_type": "nobody"}
    answer = await teller.ask(201, "POST", CONSULTATIONS, wish)
    expect_keys(answer, "success data", "the answer")
    expect_keys(answer["data"], "consultation", "data")
    created = answer["data"]["consultation"]
    expect_keys(created, members, "the consultation")
    id = created["id"]

    step("the same again: 409 with the details that the guide decodes; it is fetched")
    error = await teller.refusal(409, "POST", CONSULTATIONS, {"persona": "nutritionist"}, code="CONSULTATION_EXISTS")
    expect_equal(
        error["details"],
        {"existing_consultation_id": id, "persona": "nutritionist", "status": "active", "can_continue": True},
        "details")
    answer = await teller.ask(200, "GET", f"{CONSULTATIONS}/{id}")
    expect_keys(answer, "success data", "the answer")
    expect_equal(answer["data"], created, "the consultation, fetched")

    step("for a goal, which the guide presupposes: goal_id on both sides")
    goal = await check_support_goal(teller)
    wish = {"persona": "nutritionist", "goal_id": goal}
    about = (await teller.ask(201, "POST", CONSULTATIONS, wish))["data"]["consultation"]
    expect_keys(about, f"{members} goal_id", "the consultation for a goal")
    error = await teller.refusal(409, "POST", CONSULTATIONS, wish, code="CONSULTATION_EXISTS")
    expect_equal(error["details"]["goal_id"], goal, "details.goal_id")
    shown = await teller.ask(200, "GET", f"/api/v1/goals/{goal}")
    expect_equal((about["goal_id"], shown["conversationId"]), (goal, about["id"]), "goal and conversation")
    await teller.refusal(
        404, "POST", CONSULTATIONS, {"persona": "nutritionist", "goal_id": UNKNOWN_ID}, code="GOAL_NOT_FOUND")

    step("chat: connected, message, message_received, stream_chunk, stream_complete")
    plain = "type consultation_id timestamp"
    frames = {
        "message_received": plain, "stream_chunk": f"{plain} content", "stream_complete": plain,
        "error": f"{plain} error"}
    socket = await teller.open(id)
    await send(socket, type="message", content="What shall I eat?")
    heard = await frames_until(socket, "stream_complete")
    text = check_frames(heard, ["message_received", "stream_chunk", "stream_complete"], **frames)
    await expect_silence(socket)
    await expect_error(
        socket, frames["error"], "consultation-websocket", "enhanced-consultations", type="user_message", content="Hi")
    await expect_error(socket, frames["error"], "content", type="message", content=" ")

    step("the history: all of it, whatever page is asked for")
    for query in ["", "?page=0&page_size=many"]:
        answer = await teller.ask(200, "GET", f"{CONSULTATIONS}/{id}/messages{query}")
        expect_keys(answer["data"], "messages", "data")
        for message in answer["data"]["messages"]:
            expect_keys(message, "id consultation_id role content created_at", "the message")
        expect_equal([m["content"] for m in answer["data"]["messages"]], ["What shall I eat?", text], "the history")

    step("archived, which the guide presupposes: the socket ends, the goal is free")
    await teller.ask(200, "POST", f"{CONSULTATIONS}/{about['id']}/archive")
    expect_equal((await teller.ask(200, "GET", f"/api/v1/goals/{goal}"))["conversationId"], None, "conversationId")
    answer = await teller.ask(200, "POST", f"{CONSULTATIONS}/{id}/archive")
    expect_keys(
        answer["data"], f"{UNION} last_message_at consultation", "data of a presupposed answer")
    expect_keys(await next_frame(socket), frames["error"], "the last frame")
    closed = await next_event(socket)
    expect(isinstance(closed, Closed) and closed.code == 1000, "a close with 1000", closed)


async def enhanced_consultations(teller):
    members = "id user_id persona context_type is_active is_archived message_count created_at updated_at"
    step("create in a context, with a title; fields of other guides are ignored")
    wish = {"persona": "fitness_coach", "context_type": "mood", "context_id": "m-1", "title": "Tired"}
    answer = await teller.ask(201, "POST", CONSULTATIONS, {**wish, "goal_id": UNKNOWN_ID, "coach_type": "nobody"})
    expect_keys(answer, "success data", "the answer")
    created = answer["data"]
    expect_keys(created, f"{members} context_id title", "the consultation")
    expect_equal({name: created[name] for name in wish}, wish, "what was sent")
    expect_keys((await teller.ask(201, "POST", CONSULTATIONS, {"persona": "nutritionist"}))["data"], members,
                "a general consultation")
    await teller.refusal(409, "POST", CONSULTATIONS, wish, code="CONSULTATION_EXISTS")
    goal = await check_support_goal(teller)
    wish = {"persona": "fitness_coach", "context_type": "goal", "context_id": goal}
    expect_keys((await teller.ask(201, "POST", CONSULTATIONS, wish))["data"], f"{members} context_id", "one for a goal")
    await teller.refusal(
        400, "POST", CONSULTATIONS, {"persona": "nutritionist", "context_type": "goal"}, code="VALIDATION_FAILED",
        words=["context_id"])

    step("list and quick actions")
    id = created["id"]
    data = (await teller.ask(200, "GET", f"{CONSULTATIONS}?context_type=mood&page_size=1"))["data"]
    expect_keys(data, "consultations pagination", "data")
    expect_keys(data["pagination"], PAGINATION, "pagination")
    expect_equal(data["consultations"], [created], "the consultations about a mood")
    query = "persona=nutritionist&context_type=goal"
    data = (await teller.ask(200, "GET", f"{CONSULTATIONS}/quick-actions?{query}"))["data"]
    expect_keys(data, "quick_actions count", "data")
    for action in data["quick_actions"]:
        required = {"prompt", "context_type"}
        expect(required <= set(action) <= required | {"description", "persona", "category"}, "a quick action", action)

    step("chat: user_message, assistant_message_start, assistant_message_chunk, assistant_message_end")
    frames = {
        "user_message": "type message_id content", "assistant_message_start": "type message_id",
        "assistant_message_chunk": "type message_id content", "assistant_message_end": "type message_id metadata",
        "error": "type error"}
    types = list(frames)[:4]
    socket = await teller.open(id)
    await send(socket, type="user_message", content="How do I warm up?", metadata={"screen": "chat"})
    heard = await frames_until(socket, "assistant_message_end")
    text = check_frames(heard, types, **frames)
    await expect_silence(socket)
    await expect_error(
        socket, frames["error"], "enhanced-consultations", "consultation-websocket", type="message", content="Hi")

    step("the history, in pages, with metadata where there is some")
    data = (await teller.ask(200, "GET", f"{CONSULTATIONS}/{id}/messages?page=1"))["data"]
    expect_keys(data, "messages pagination", "data")
    expect_keys(data["pagination"], PAGINATION, "pagination")
    question, reply = data["messages"]
    expect_keys(question, "id consultation_id role content created_at", "the question")
    expect_keys(reply, "id consultation_id role content metadata created_at", "the answer")
    expect_equal(
        (question["id"], reply["id"], reply["content"], reply["metadata"]),
        (heard[0]["message_id"], heard[-1]["message_id"], text, heard[-1]["metadata"]), "ids and texts of the history")
    expect_keys((await teller.ask(200, "GET", f"{CONSULTATIONS}/{id}/messages"))["data"], "messages pagination", "data")

    step("read and archive")
    shown = (await teller.ask(200, "GET", f"{CONSULTATIONS}/{id}"))["data"]
    expect_keys(shown, f"{members} context_id title last_message_at", "the consultation with messages")
    archived = (await teller.ask(200, "POST", f"{CONSULTATIONS}/{id}/archive"))["data"]
    expect_equal(
        archived, {**shown, "is_active": False, "is_archived": True, "updated_at": archived["updated_at"]}, "archived")
    expect_keys(await next_frame(socket), frames["error"], "the last frame")
    closed = await next_event(socket)
    expect(isinstance(closed, Closed) and closed.code == 1000, "a close with 1000", closed)


async def websocket_architecture(teller):
    step("create with coach_type and context: consultation_id is all there is to it")
    wish = {"coach_type": "nutritionist", "context": "meal_log_tracking"}
    answer = await teller.ask(201, "POST", CONSULTATIONS, {**wish, "persona": 7, "goal_id": UNKNOWN_ID})
    expect_keys(answer, "consultation_id", "the answer")
    id = answer["consultation_id"]
    error = await teller.refusal(409, "POST", CONSULTATIONS, wish, code="CONSULTATION_EXISTS")
    expect_equal(error["details"]["existing_consultation_id"], id, "the existing id")
    await teller.refusal(
        400, "POST", CONSULTATIONS, {"persona": "nutritionist"}, code="VALIDATION_FAILED", words=["coach_type"])

    step("read, which the guide presupposes: as the union has it")
    answer = await teller.ask(200, "GET", f"{CONSULTATIONS}/{id}")
    expect_keys(answer["data"], f"{UNION} consultation", "data")

    step("chat, without message_received; the socket's token is in its URL")
    plain = "type consultation_id timestamp"
    frames = {"stream_chunk": f"{plain} content", "stream_complete": plain, "error": f"{plain} error"}
    socket = await teller.open(id)
    await send(socket, type="message", content="What shall I eat?")
    text = check_frames(await frames_until(socket, "stream_complete"), ["stream_chunk", "stream_complete"], **frames)
    history = await teller.messages(id)
    expect_equal([m["content"] for m in history], ["What shall I eat?", text], "the history")
    await expect_silence(socket)
    await expect_error(
        socket, frames["error"], "websocket-architecture", "enhanced-consultations", type="user_message", content="Hi")
    await teller.refused(404, f"/ws?token={teller.token}", {}, "/api/v1/consultations/{id}/ws")
    await socket.close()


async def goal_linking(teller):
    step("the socket, which the guide presupposes, speaks both protocols as the union does")
    goal = await teller.ask(201, "POST", "/api/v1/goals", GOAL)
    answer = await teller.ask(201, "POST", f"{CONSULTATIONS}/chat-about-goal", {"goalId": goal["id"]})
    id = answer["conversationId"]
    plain = "type consultation_id timestamp"
    frames = {
        "message_received": plain, "stream_chunk": f"{plain} content", "stream_complete": plain,
        "user_message": f"{plain} message_id content", "assistant_message_start": f"{plain} message_id",
        "assistant_message_chunk": f"{plain} message_id content",
        "assistant_message_end": f"{plain} message_id metadata"}
    types = list(frames)
    socket = await teller.open(id)
    await send(socket, type="message", content="How do I begin?")
    check_frames(await frames_until(socket, "stream_complete"), types[:3], **frames)
    await send(socket, type="user_message", content="And then?")
    check_frames(await frames_until(socket, "assistant_message_end"), types[3:], **frames)
    await expect_error(socket, f"{plain} error code", "mesage", type="mesage")
    await socket.close()

    step("so do messages and archive")
    data = (await teller.ask(200, "GET", f"{CONSULTATIONS}/{id}/messages?page_size=3"))["data"]
    expect_keys(data, "messages pagination", "data")
    answer = await teller.ask(200, "POST", f"{CONSULTATIONS}/{id}/archive")
    expect_keys(
        answer, "success data id consultation_id userId goalId persona createdAt updatedAt messageCount lastMessageAt",
        "the answer")
    expect_keys(
        answer["data"], f"{UNION} context_id goal_id title last_message_at consultation", "data of the answer")


async def meal_log_websocket(teller):
    step("a consultation, which the guide presupposes, is created as in the union; nothing else is done with it")
    answer = await teller.ask(
        201, "POST", CONSULTATIONS, {"persona": "nutritionist", "context_type": "journal", "title": "Lunch"})
    expect_keys(answer["data"], f"{UNION} title consultation", "data")

    step("the socket knows ping alone; its frames name no consultation")
    socket = await teller.connect(f"{CONSULTATIONS}/{answer['data']['id']}/ws", teller.headers)
    expect_keys(await next_frame(socket), "type timestamp", "connected")
    await send(socket, type="ping")
    expect_keys(await next_frame(socket), "type timestamp", "pong")
    for type, guide in [("message", "consultation-websocket"), ("user_message", "enhanced-consultations")]:
        await expect_error(
            socket, "type error timestamp", "meal-log-websocket", guide, type=type, content="What shall I eat?")
    await socket.send("not JSON")
    expect_keys(await next_frame(socket), "type error timestamp", "error")

    step("refusals: error alone where the guide documents the endpoint, the union's form elsewhere")
    for status, method, path, body, members in [
        (400, "POST", "/api/v1/meal-logs/natural", {"raw_input": " ", "meal_type": "lunch"}, "error"),
        (404, "GET", f"/api/v1/meal-logs/{UNKNOWN_ID}", None, "error"),
        (404, "GET", f"{CONSULTATIONS}/{UNKNOWN_ID}/ws", None, "error"),
        (400, "GET", "/api/v1/meal-logs?limit=0", None, "success error"),
        (400, "POST", CONSULTATIONS, {}, "success error"),
    ]:
        refusal = await teller.ask(status, method, path, body)
        expect_keys(refusal, members, f"the refusal of {method} {path}")
        expect_keys(refusal["error"], "message code", "the error")
    await socket.close()
