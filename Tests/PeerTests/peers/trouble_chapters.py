"""Unusual situations: bad frames, closes by the server, lost connections, sizes, extensions, pace."""

import asyncio
import json
import random
import signal
import time

from facts import MEBIBYTE, MOST_WAITING, PERSONAS, expect, expect_equal, step
from teller import Closed, check_stream, expect_silence, frames_until, next_event, next_frame


async def bad_frames(teller):
    id = await teller.create()
    socket = await teller.open(id)
    for bad, code in [
        ("not JSON", "INVALID_JSON"), ("[]", "INVALID_JSON"), ("{}", "INVALID_MESSAGE_TYPE"),
        ('{"type":"mesage","content":"x"}', "INVALID_MESSAGE_TYPE"), ('{"type":"message"}', "INVALID_CONTENT"),
        ('{"type":"user_message","content":" \\n "}', "INVALID_CONTENT"),
        ('{"type":"message","content":7}', "INVALID_CONTENT"),
        (json.dumps({"type": "message", "content": "x" * 2001}), "INVALID_CONTENT"),
        (b'{"type":"ping"}', "UNSUPPORTED_DATA"),
    ]:
        step(f"{bad[:40]!r} is answered by {code}, and the connection stays open")
        await socket.send(bad)
        frame = await next_frame(socket)
        expect_equal((frame["type"], frame["code"], frame["consultation_id"]), ("error", code, id), "the frame")
        expect(len(frame["error"]) > 10, "a sentence in error", frame)
        await expect_silence(socket)
    expect_equal(await teller.messages(id), [], "the history")
    step("2000 characters after trimming are fine, and so are emoji, which count as one each")
    for content in ["x" * 2000, " " + "👨‍👩‍👧" * 2000 + " "]:
        await socket.send(json.dumps({"type": "message", "content": content}))
        check_stream(await frames_until(socket, "stream_complete"))
    await socket.close()


async def archiving(teller):
    step("archiving closes every socket with an error frame and 1000")
    id = await teller.create()
    sockets = [await teller.open(id) for _ in range(3)]
    await teller.ask(200, "POST", f"/api/v1/consultations/{id}/archive")
    for socket in sockets:
        frame = await next_frame(socket)
        expect_equal((frame["type"], frame["error"]), ("error", "Consultation is not active"), "the last frame")
        closed = await next_event(socket)
        expect(isinstance(closed, Closed) and closed.code == 1000, "a close with 1000", closed)


async def deflate(teller):
    step("permessage-deflate is offered and declined")
    id = await teller.create()
    socket = await teller.open(id, compress=True)
    expect_equal(socket.extensions, [], "the negotiated extensions")
    await socket.send(json.dumps({"type": "message", "content": "How much water? " * 50}))
    check_stream(await frames_until(socket, "stream_complete"))
    await socket.close()


async def deflated(teller):
    id = await teller.create()
    step("a handshake without an offer is refused")
    await teller.refused(400, f"/api/v1/consultations/{id}/ws", teller.headers, "permessage-deflate")
    step("permessage-deflate is agreed on, and chats go on compressed")
    socket = await teller.open(id, compress=True)
    expect_equal(socket.extensions, ["permessage-deflate"], "the negotiated extensions")
    for _ in range(3):
        await socket.send(json.dumps({"type": "message", "content": "How much water? 💧 " * 50}))
        check_stream(await frames_until(socket, "stream_complete"))
    await socket.ping()
    await socket.close()
    step("text and binary, empty, large, and hard to compress, come back as they were")
    socket = await teller.connect("/__admin/echo", {}, compress=True)
    noise = random.Random(7).randbytes(200_000)
    for message in ["", "hëllo 👋", b"", noise, "x" * MEBIBYTE, noise, b"y" * 65535, "hëllo 👋"]:
        await socket.send(message)
        expect_equal(await next_event(socket), message, "the echo")
    await socket.close()


async def echo(teller):
    socket = await teller.connect("/__admin/echo", {})
    step("text and binary, empty and not")
    for message in ["", "hëllo 👋", b"", bytes(range(256)), "x" * 65536, b"y" * 65535]:
        await socket.send(message)
        expect_equal(await next_event(socket), message, "the echo")
    step("16 MiB come back")
    message = bytes(range(256)) * (16 * MEBIBYTE // 256)
    await socket.send(message)
    back = await next_event(socket)
    expect(back == message, "the same 16 MiB", (type(back), len(back) if isinstance(back, bytes) else back))
    step("one byte more: 1009")
    await socket.send(message + b"!")
    closed = await next_event(socket)
    expect(isinstance(closed, Closed) and closed.code == 1009, "a close with 1009", closed)


async def shutdown(teller):
    step("SIGTERM closes the sockets with 1001")
    sockets = [await teller.open(await teller.create(persona)) for persona in PERSONAS]
    teller.server.signal(signal.SIGTERM)
    for socket in sockets:
        closed = await next_event(socket)
        expect(isinstance(closed, Closed) and closed.code == 1001, "a close with 1001", closed)


async def pace(teller):
    step("the first chunk comes after 0.3 to 0.9 s, the whole answer within 5 s")
    socket = await teller.open(await teller.create())
    start = time.monotonic()
    await socket.send(json.dumps({"type": "message", "content": "What shall I eat before a run?"}))
    expect_equal((await next_frame(socket))["type"], "message_received", "the first frame's type")
    expect_equal((await next_frame(socket))["type"], "stream_chunk", "the second frame's type")
    first = time.monotonic() - start
    await frames_until(socket, "stream_complete")
    whole = time.monotonic() - start
    # The upper bound allows for a busy machine.
    expect(0.29 <= first <= 2.0, "the first chunk after 0.3 to 0.9 s", first)
    expect(first < whole <= 5.0, "the whole answer within 5 s", whole)
    await socket.close()


async def waiting(teller):
    step(f"{MOST_WAITING} messages wait for their answers; one more is refused, and is not stored")
    id = await teller.create("fitness_coach")
    socket = await teller.open(id)
    # One is being answered, and the others wait; the answer takes longer than this.
    for number in range(MOST_WAITING + 2):
        await socket.send(json.dumps({"type": "message", "content": f"Question {number}"}))
    types = []
    while not types or types[-1] != "error":
        frame = await next_frame(socket)
        types.append(frame["type"])
    expect_equal(types.count("message_received"), MOST_WAITING + 1, "how many were received")
    expect_equal(frame["code"], "TOO_MANY_WAITING_MESSAGES", "the code")
    expect(str(MOST_WAITING) in frame["error"], "the limit in the error", frame)
    questions = [message["content"] for message in await teller.messages(id) if message["role"] == "user"]
    expect_equal(questions, [f"Question {number}" for number in range(MOST_WAITING + 1)], "the stored questions")
    await teller.ask(200, "POST", f"/api/v1/consultations/{id}/archive")


async def dropped(teller):
    step("the connection drops mid-stream; the whole answer is in the history later")
    id = await teller.create()
    socket = await teller.open(id)
    await socket.send(json.dumps({"type": "message", "content": "What shall I eat before a run?"}))
    expect_equal((await next_frame(socket))["type"], "message_received", "the first frame's type")
    chunk = await next_frame(socket)
    expect_equal(chunk["type"], "stream_chunk", "the second frame's type")
    await socket.abort()
    expect_equal([m["role"] for m in await teller.messages(id)], ["user"], "the roles while it streams")
    history = []
    for _ in range(100):
        history = await teller.messages(id)
        if len(history) == 2:
            break
        await asyncio.sleep(0.1)
    expect_equal([m["role"] for m in history], ["user", "assistant"], "the roles in the end")
    text = history[1]["content"]
    expect(text.startswith(chunk["content"]) and len(text) > len(chunk["content"]), "more than a chunk", text)

    step("reconnected, the next answer streams again")
    socket = await teller.open(id)
    await socket.send(json.dumps({"type": "message", "content": "And after it?"}))
    check_stream(await frames_until(socket, "stream_complete"))
    await socket.close()
