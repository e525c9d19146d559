"""Handshakes, and chats in both protocols."""

import asyncio
import json

from facts import UNKNOWN_ID, expect, expect_equal, step
from teller import (
    FRAME_SECONDS, check_assistant_message, check_stream, expect_silence, frames_until, next_frame)


async def handshakes(teller):
    id = await teller.create()
    path = f"/api/v1/consultations/{id}/ws"
    headers = teller.headers
    step("connect with headers, and with ?token=")
    await (await teller.open(id)).close()
    socket = await teller.connect(f"{path}?token={teller.token}", {})
    expect_equal((await next_frame(socket))["type"], "connected", "the first frame's type")
    await socket.close()

    step("no credentials, a wrong key, an expired token: 401")
    expired = teller.server.token("expired", "--expires-in=-5m")
    await teller.refused(401, path, {}, "?token=", "Authorization")
    await teller.refused(401, path, {**headers, "X-API-Key": "wrong"}, "X-API-Key")
    await teller.refused(401, path, {**headers, "Authorization": f"Bearer {expired}"}, "expired")
    await teller.refused(401, f"{path}?token={expired}", {}, "expired")

    step("/ws: 404 naming the right path; an unknown or upper-case id: 404")
    await teller.refused(404, "/ws", headers, "/api/v1/consultations/{id}/ws")
    await teller.refused(404, f"/api/v1/consultations/{UNKNOWN_ID}/ws", headers, UNKNOWN_ID)
    await teller.refused(404, f"/api/v1/consultations/{id.upper()}/ws", headers, id)

    step("a plain GET: 426")
    status, fields, answer = await teller.adapter.request("GET", f"{teller.server.url}{path}", None, headers)
    expect_equal((status, fields.get("upgrade", "").lower()), (426, "websocket"), "a plain GET on the socket's path")
    expect_equal(answer["error"]["code"], "UPGRADE_REQUIRED", "the code")

    step("an archived consultation: 400")
    await teller.ask(200, "POST", f"/api/v1/consultations/{id}/archive")
    await teller.refused(400, path, headers, "not active")


async def chat(teller):
    id = await teller.create(persona="fitness_coach")
    step("ping: JSON and control")
    socket = await teller.open(id)
    await expect_silence(socket)
    await asyncio.wait_for(socket.ping(), FRAME_SECONDS)

    step("chat as consultation-websocket has it; chunks make up the stored message")
    await socket.send(json.dumps({"type": "message", "content": "  How do I warm up? 🏃 "}))
    text = check_stream(await frames_until(socket, "stream_complete"))
    history = await teller.messages(id)
    expect_equal(
        [(m["role"], m["content"]) for m in history], [("user", "How do I warm up? 🏃"), ("assistant", text)],
        "the history")

    step("chat as enhanced-consultations has it, on the same socket")
    await socket.send(json.dumps({"type": "user_message", "content": "And afterwards?", "metadata": {"n": [1]}}))
    frames = await frames_until(socket, "assistant_message_end")
    text, answer_id = check_assistant_message(frames)
    history = await teller.messages(id)
    expect_equal(
        [(m["id"], m["content"]) for m in history[2:]],
        [(frames[0]["message_id"], "And afterwards?"), (answer_id, text)], "the history's end")
    expect_equal(frames[0]["content"], "And afterwards?", "the echo")
    data = (await teller.ask(200, "GET", f"/api/v1/consultations/{id}"))["data"]
    expect_equal(data["message_count"], 4, "message_count")
    page = (await teller.ask(200, "GET", f"/api/v1/consultations/{id}/messages?page=2&page_size=3"))["data"]
    expect_equal([m["id"] for m in page["messages"]], [answer_id], "the history's second page")

    step("two sockets on one consultation, each in its own protocol; a silent one hears nothing")
    other, silent = await teller.open(id), await teller.open(id)
    await other.send(json.dumps({"type": "message", "content": "Stretching?"}))
    check_stream(await frames_until(other, "stream_complete"))
    check_assistant_message(await frames_until(socket, "assistant_message_end"))
    await other.send(json.dumps({"type": "message", "content": "How long?"}))
    text = check_stream(await frames_until(other, "stream_complete"))
    same, answer_id = check_assistant_message(await frames_until(socket, "assistant_message_end"))
    expect_equal(same, text, "the answer in the other protocol")
    last = (await teller.messages(id))[-1]
    expect_equal((last["id"], last["content"]), (answer_id, text), "the stored answer")
    await expect_silence(silent)

    step("messages that are sent at once are answered one after the other")
    for number in range(3):
        await other.send(json.dumps({"type": "message", "content": f"Question {number}"}))
    answers = 0
    while answers < 3:
        answers += (await next_frame(other))["type"] == "stream_complete"
    # `websockets` stops reading when its queue is full: unread frames would keep the close frame from it.
    for _ in range(3):
        await frames_until(socket, "assistant_message_end")
    roles = [m["role"] for m in (await teller.messages(id))[-6:]]
    expect_equal((roles.count("user"), roles.count("assistant")), (3, 3), "the roles of the last six messages")

    step("the closing handshake")
    for each in (socket, other, silent):
        await each.close()
