"""A user of the server with an adapter, so that each library plays the whole story.

An adapter has:
    request(method, url, body, headers) -> (status, headers, json), with lower-case header names
    connect(url, headers, compress=False) -> socket, or raises Refused(status, headers, json)
and its sockets:
    send(text or bytes), receive() -> str | bytes | Closed(code, reason), ping() which returns once the pong came,
    abort() which drops the transport, close() with the closing handshake, `extensions`: what was negotiated.
"""

import asyncio
import json
from dataclasses import dataclass

from facts import expect, expect_equal
from frames import CheckedSocket, frames_of

# Bounds far above the needs of a busy machine; a hanging story ends here.
FRAME_SECONDS = 20
CHAPTER_SECONDS = 60

# The guides whose sockets read their credentials only from the URL.
QUERY_TOKEN_GUIDES = ["enhanced-consultations", "websocket-architecture"]


@dataclass
class Closed:
    code: int
    reason: str


class Refused(Exception):
    def __init__(self, status, headers, body):
        super().__init__(f"refused with {status}: {body}")
        self.status, self.headers, self.body = status, headers, body


class Storyteller:
    """A user of the server, with one adapter."""

    def __init__(self, server, adapter, user):
        self.server = server
        self.adapter = adapter
        self.user = user
        self.token = server.token(user)
        self.headers = server.headers(self.token)

    def as_user(self, user):
        """Another user, over the same adapter."""
        return Storyteller(self.server, self.adapter, f"{self.user}-{user}")

    async def ask(self, status, method, path, body=None, headers=None):
        """A request with an expected status; returns its JSON."""
        headers = self.headers if headers is None else headers
        got, fields, answer = await self.adapter.request(method, f"{self.server.url}{path}", body, headers)
        expect(got == status, f"{status} for {method} {path} {body}", (got, answer))
        if self.server.guide == "union" or "success" in answer:
            expect_equal(answer["success"], status < 400, "success")
        return answer

    async def refusal(self, status, method, path, body=None, *, code, words=(), headers=None):
        """A refused request: its code, and words of its message."""
        error = (await self.ask(status, method, path, body, headers))["error"]
        expect_equal(error["code"], code, f"the code of {method} {path} {body}")
        for word in words:
            expect(word in error["message"], f"{word!r} in the message for {method} {path} {body}", error)
        return error

    async def create(self, persona="nutritionist", **fields):
        """A new consultation's id, at its place in the server's mode."""
        wish = {"coach_type" if self.server.guide == "websocket-architecture" else "persona": persona, **fields}
        answer = await self.ask(201, "POST", "/api/v1/consultations", wish)
        if self.server.guide == "websocket-architecture":
            return answer["consultation_id"]
        if self.server.guide == "consultation-websocket":
            return answer["data"]["consultation"]["id"]
        return answer["data"]["id"]

    async def messages(self, id):
        return (await self.ask(200, "GET", f"/api/v1/consultations/{id}/messages"))["data"]["messages"]

    async def open(self, id, **options):
        """A socket after `connected`."""
        path, headers = f"/api/v1/consultations/{id}/ws", self.headers
        if self.server.guide in QUERY_TOKEN_GUIDES:
            path, headers = f"{path}?token={self.token}", {}
        socket = await self.connect(path, headers, **options)
        frame = await next_frame(socket)
        expect((frame["type"], frame.get("consultation_id", id)) == ("connected", id), "connected", frame)
        return socket

    async def connect(self, path, headers, **options):
        socket = await self.adapter.connect(f"{self.server.ws_url}{path}", headers, **options)
        is_consultation = path.split("?")[0].endswith("/ws")
        return CheckedSocket(socket, frames_of(self.server)) if is_consultation else socket

    async def refused(self, status, path, headers, *words):
        """A handshake that must fail, with these words in the message."""
        try:
            await self.connect(path, headers)
        except Refused as refusal:
            expect_equal(refusal.status, status, f"the status of the handshake {path}")
            if refusal.body is not None:  # aiohttp shows no body of a refused handshake
                message = refusal.body["error"]["message"]
                for word in words:
                    expect(word in message, f"{word!r} in the message", message)
            return refusal
        raise AssertionError(f"expected {status} for the handshake {path}; it was accepted")


async def next_event(socket):
    return await asyncio.wait_for(socket.receive(), FRAME_SECONDS)


async def next_frame(socket):
    event = await next_event(socket)
    expect(isinstance(event, str), "a text frame", event)
    frame = json.loads(event)
    expect("type" in frame, "a frame with type", frame)
    return frame


async def frames_until(socket, last):
    """The frames up to the first of type `last`, which is the last one returned."""
    frames = []
    while not frames or frames[-1]["type"] != last:
        frames.append(await next_frame(socket))
        expect(frames[-1]["type"] != "error" or last == "error", f"frames until {last}", frames)
    return frames


async def expect_silence(socket):
    """Checks that nothing is pending: the next frame answers a ping sent now."""
    await socket.send(json.dumps({"type": "ping"}))
    frame = await next_frame(socket)
    expect_equal(frame["type"], "pong", "the next frame's type")


def check_stream(frames):
    """The answer in the frames of `message`."""
    types = [frame["type"] for frame in frames]
    expect(
        types[0] == "message_received" and set(types[1:-1]) == {"stream_chunk"} and types[-1] == "stream_complete",
        "message_received, chunks, stream_complete", types)
    expect(len(types) > 4, "several chunks", types)
    return "".join(frame["content"] for frame in frames[1:-1])


def check_assistant_message(frames):
    """The answer in the frames of `user_message`, and its id."""
    types = [frame["type"] for frame in frames]
    expect(
        types[:2] == ["user_message", "assistant_message_start"]
        and set(types[2:-1]) == {"assistant_message_chunk"} and types[-1] == "assistant_message_end",
        "user_message, assistant_message_start, chunks, assistant_message_end", types)
    ids = {frame["message_id"] for frame in frames[1:]}
    expect(len(ids) == 1, "one message_id in the frames of the answer", ids)
    return "".join(frame["content"] for frame in frames[2:-1]), ids.pop()
