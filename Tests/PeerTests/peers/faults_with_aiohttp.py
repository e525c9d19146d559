"""Faults as aiohttp reports them: REST, handshakes and sockets."""

import asyncio
import datetime
import json
import re
import sys

import aiohttp
from aiohttp import WSMsgType

import rest_faults as rest
import socket_faults as sockets
from facts import expect, expect_equal
from fault_worlds import MOMENT, PATIENCE, Sights, expect_nothing, expect_raised

seen = Sights()
ERRNO_RESET = 104 if sys.platform == "linux" else 54


def session(world, **options):
    return aiohttp.ClientSession(
        headers=world.headers, timeout=aiohttp.ClientTimeout(**{"total": PATIENCE, **options}))


async def fetch(world, path=rest.GOALS, **options):
    """Status, fields and text of a GET."""
    async with session(world, **options) as client, client.get(world.url + path) as response:
        return response.status, response.headers, await response.text()


async def fetch_json(world, path=rest.GOALS):
    async with session(world) as client, client.get(world.url + path) as response:
        return await response.json()


# Answers


@seen.sees(rest.STATUS)
async def status(world):
    async with session(world, total=PATIENCE) as client:
        async with client.get(world.url + rest.GOALS) as response:
            expect_equal((response.status, response.headers["Retry-After"]), (503, "2"), "the status")
            expect_equal((await response.json())["error"]["code"], "COMING_UP", "the code")
            try:
                response.raise_for_status()
                raise AssertionError("503 passed for a success")
            except aiohttp.ClientResponseError as error:
                expect_equal((error.status, error.message), (503, "Service Unavailable"), "the error")
        async with client.get(world.url + rest.GOALS) as response:
            expect_equal(response.status, 200, "the second answer")


@seen.sees(rest.STATUS_TEXT)
async def status_with_body(world):
    error = await expect_raised(aiohttp.ContentTypeError, fetch_json(world), status=502)
    expect("text/html" in error.message, "the Content-Type in the error", error)


@seen.sees(rest.QUOTA)
async def quota(world):
    answers = [await fetch(world) for _ in range(3)]
    expect_equal([status for status, _, _ in answers], [200, 200, 429], "the statuses")
    expect_equal(answers[2][1]["Retry-After"], "10", "Retry-After")
    world.advance("9s")
    expect_equal((await fetch(world))[0], 429, "the status before the window ends")
    world.advance("1s")
    expect_equal((await fetch(world))[0], 200, "the status in the next window")


@seen.sees(rest.DELAY)
async def delay(world):
    task = asyncio.create_task(fetch(world))
    await world.advance_once_due("1999ms")
    await expect_nothing(task, "a response that is 2 s late")
    world.advance("1ms")
    expect_equal((await task)[0], 200, "the late status")
    await expect_raised(aiohttp.SocketTimeoutError, fetch(world, sock_read=MOMENT))


@seen.sees(rest.HOLD)
async def hold(world):
    await expect_held(world)


@seen.sees(rest.HOLD_RESPONSE)
async def hold_response(world):
    await expect_held(world)


async def expect_held(world):
    """Checks that the response comes when the clock has moved by 2 s, and not before."""
    task = asyncio.create_task(fetch(world))
    await world.advance_once_due("1999ms")
    await expect_nothing(task, "a response that is held")
    world.advance("1ms")
    expect_equal((await task)[0], 200, "the late status")


@seen.sees(rest.DRIBBLE)
async def dribble(world):
    task = asyncio.create_task(fetch(world))
    await world.advance_once_due("1s")
    await expect_nothing(task, "a response in drops of 64 bytes")
    steps = 1
    while world.is_due():
        world.advance("1s")
        steps += 1
    status, _, text = await task
    expect_equal(status, 200, "the status")
    expect(json.loads(text)["success"] and steps * 64 >= len(text), "the whole body, as slow as it must be", steps)


@seen.sees(rest.TRUNCATE)
async def truncated(world):
    error = await expect_raised(aiohttp.ClientPayloadError, fetch(world))
    expect("Not enough data to satisfy content length header" in str(error), "what is missing", error)


@seen.sees(rest.LONG_LENGTH)
async def length_too_large(world):
    await expect_raised(aiohttp.SocketTimeoutError, fetch(world, sock_read=MOMENT))


@seen.sees(rest.SHORT_LENGTH)
async def length_too_small(world):
    # aiohttp reads the rest of the body as the next answer.
    error = await expect_raised(aiohttp.ClientResponseError, fetch_json(world), status=400)
    expect("Bad status line" in error.message, "a bad status line", error)


@seen.sees(rest.MALFORMED_JSON)
async def malformed_json(world):
    await expect_raised(json.JSONDecodeError, fetch_json(world))


@seen.sees(rest.CODED_UNDECLARED, compression="on")
async def coded_undeclared(world):
    await expect_raised(UnicodeDecodeError, fetch(world))


@seen.sees(rest.CODED_TRUNCATED, compression="on")
async def coded_truncated(world):
    # aiohttp does not notice that the end is missing.
    await expect_raised(json.JSONDecodeError, fetch_json(world))


@seen.sees(rest.CODED_CORRUPT, compression="on")
async def coded_corrupt(world):
    await expect_raised(aiohttp.ClientPayloadError, fetch(world))


@seen.sees(rest.CODED_WRONG_LENGTH, compression="on")
async def coded_wrong_length(world):
    await expect_raised(aiohttp.ClientPayloadError, fetch(world))


@seen.sees(rest.MALFORMED_CHUNKING)
async def malformed_chunking(world):
    error = await expect_raised(aiohttp.ClientResponseError, fetch(world), status=400)
    expect("Invalid character in chunk size" in error.message, "a bad size of a chunk", error)


@seen.sees(rest.EMPTY_REPLY)
async def empty_reply(world):
    await expect_raised(aiohttp.ServerDisconnectedError, fetch(world), message="Server disconnected")


@seen.sees(rest.RESET)
async def reset(world):
    await expect_raised(aiohttp.ClientOSError, fetch(world), errno=ERRNO_RESET)


@seen.sees(rest.RESET_IN_HEAD)
async def reset_in_head(world):
    await expect_raised(aiohttp.ClientOSError, fetch(world), errno=ERRNO_RESET)


@seen.sees(rest.RESET_IN_BODY)
async def reset_in_body(world):
    await expect_raised(aiohttp.ClientPayloadError, fetch(world))


@seen.sees(rest.HANG)
async def hang(world):
    await expect_raised(aiohttp.SocketTimeoutError, fetch(world, sock_read=MOMENT))
    task = asyncio.create_task(fetch(world))
    await expect_nothing(task, "a request that hangs")
    # The server ends the connection after ten minutes; aiohttp repeats a GET once by itself.
    await world.until_acted("fault-1", 2)
    world.advance("599s")
    await expect_nothing(task, "a request that hangs")
    world.advance("1s")
    await world.until_acted("fault-1", 3)
    world.advance("600s")
    await expect_raised(aiohttp.ClientOSError, task, errno=ERRNO_RESET)


@seen.sees(rest.NO_CHARSET)
async def no_charset(world):
    async with session(world) as client, client.get(world.url + rest.GOALS) as response:
        expect_equal((response.content_type, response.charset), ("application/json", None), "the type")
        expect((await response.json())["success"], "JSON all the same", response)


@seen.sees(rest.NO_TYPE)
async def no_content_type(world):
    error = await expect_raised(aiohttp.ContentTypeError, fetch_json(world), status=200)
    expect(error.message.endswith("unexpected mimetype: "), "no type in the error", error)


@seen.sees(rest.NANOSECONDS)
async def nanosecond_timestamps(world):
    answer = await fetch_json(world, f"/api/v1/consultations/{world.consultation()}")
    time = answer["data"]["created_at"]
    expect(re.fullmatch(rest.NANOSECOND_TIME, time), "nine digits", time)
    for format in ["%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%S.%fZ"]:
        try:
            datetime.datetime.strptime(time, format)
            raise AssertionError(f"{format} took {time}")
        except ValueError:
            pass


# Handshakes


async def connecting(world, client, **options):
    return await client.ws_connect(
        world.socket_url(), headers=world.headers, autoclose=False, autoping=False, **options)


async def connect(world, **options):
    async with session(world, **options) as client:
        return await connecting(world, client)


@seen.sees(sockets.REFUSED)
async def handshake_refused(world):
    error = await expect_raised(aiohttp.WSServerHandshakeError, connect(world), status=503)
    expect_equal(error.headers["Retry-After"], "1", "Retry-After")


@seen.sees(sockets.LATE)
async def handshake_late(world):
    async with session(world) as client:
        task = asyncio.create_task(connecting(world, client))
        await world.advance_once_due("1999ms")
        await expect_nothing(task, "a handshake that is 2 s late")
        world.advance("1ms")
        socket = await task
        expect_equal((await frame(socket))["type"], "connected", "the first frame")
        await socket.close()


@seen.sees(sockets.HANDSHAKE_HOLD)
async def handshake_hold(world):
    async with session(world) as client:
        task = asyncio.create_task(connecting(world, client))
        await world.advance_once_due("1999ms")
        await expect_nothing(task, "a handshake that is held")
        world.advance("1ms")
        socket = await task
        expect_equal((await frame(socket))["type"], "connected", "the first frame")
        await socket.close()


@seen.sees(sockets.WRONG_ACCEPT)
async def wrong_accept(world):
    await expect_raised(
        aiohttp.WSServerHandshakeError, connect(world), status=101, message="Invalid challenge response")


@seen.sees(sockets.DECLINED, compression="required")
async def declined(world):
    async with session(world) as client:
        socket = await connecting(world, client, compress=15)
        expect_equal(socket.compress, 0, "the agreed window")
        await socket.close()


@seen.sees(sockets.HANDSHAKE_EMPTY)
async def handshake_empty(world):
    await expect_raised(aiohttp.ServerDisconnectedError, connect(world), message="Server disconnected")


@seen.sees(sockets.HANDSHAKE_RESET)
async def handshake_reset(world):
    await expect_raised(aiohttp.ClientOSError, connect(world), errno=ERRNO_RESET)


@seen.sees(sockets.HANDSHAKE_HANGS)
async def handshake_hangs(world):
    await expect_raised(TimeoutError, asyncio.wait_for(connect(world), 10 * MOMENT))


# Sockets


class open_socket:
    """A socket in its own session."""

    def __init__(self, world, **options):
        self.world, self.options = world, options

    async def __aenter__(self):
        self.session = session(self.world)
        self.socket = await connecting(self.world, self.session, **self.options)
        return self.socket

    async def __aexit__(self, *_):
        # A broken connection need not be closed cleanly.
        connection = self.socket._response.connection
        if connection is not None and connection.transport is not None:
            connection.transport.abort()
        await self.session.close()


async def frame(socket):
    message = await asyncio.wait_for(socket.receive(), PATIENCE)
    expect_equal(message.type, WSMsgType.TEXT, "the message's type")
    return json.loads(message.data)


async def ask(socket, content="Hello?"):
    await socket.send_json({"type": "message", "content": content})


async def frames_until(socket, last):
    frames = []
    while not frames or frames[-1]["type"] != last:
        frames.append(await frame(socket))
    return frames


async def chunks(socket):
    """The frames of an answer to a question."""
    await frames_until(socket, "connected")
    await ask(socket)
    frames = await frames_until(socket, "stream_complete")
    return [frame["content"] for frame in frames if frame["type"] == "stream_chunk"]


async def close_frame(world):
    """The close frame that comes in place of `message_received`."""
    async with open_socket(world) as socket:
        await frames_until(socket, "connected")
        await ask(socket)
        message = await asyncio.wait_for(socket.receive(), PATIENCE)
        expect_equal(message.type, WSMsgType.CLOSE, "the message's type")
        return message.data, message.extra


@seen.sees(sockets.CLOSE)
async def close(world):
    expect_equal(await close_frame(world), (1011, ""), "code and reason")


@seen.sees(sockets.CLOSE_REASON)
async def close_with_reason(world):
    expect_equal(await close_frame(world), (4000, "Come back tomorrow ☀"), "code and reason")


@seen.sees(sockets.CLOSE_NONE)
async def close_without_code(world):
    expect_equal(await close_frame(world), (0, ""), "code and reason")


@seen.sees(sockets.CLOSE_FORBIDDEN)
async def close_with_forbidden_code(world):
    await expect_failure(world, 1002, "Invalid close code: 1004")


async def expect_end(world, code=1006):
    """Checks that the connection ends in place of `message_received`, without a close frame."""
    async with open_socket(world) as socket:
        await frames_until(socket, "connected")
        try:
            await ask(socket)
        except aiohttp.ClientConnectionResetError:
            pass  # The end came before the question was sent.
        message = await asyncio.wait_for(socket.receive(), PATIENCE)
        expect(
            message.type in (WSMsgType.CLOSED, WSMsgType.ERROR) and socket.close_code == code,
            f"the end with {code}", (message, socket.close_code))
        return message


@seen.sees(sockets.FINISH)
async def finish(world):
    await expect_end(world)


@seen.sees(sockets.RESET)
async def socket_reset(world):
    message = await expect_end(world)
    expect(
        isinstance(message.data, aiohttp.ClientOSError) and message.data.errno == ERRNO_RESET
        if message.type == WSMsgType.ERROR else True, "a reset", message)


@seen.sees(sockets.CUT)
async def cut(world):
    await expect_end(world)


@seen.sees(sockets.CUT_RESET)
async def cut_by_reset(world):
    await expect_end(world)


@seen.sees(sockets.AT_BYTE)
async def cut_at_byte(world):
    await expect_end(world)


async def expect_dead(world):
    """Checks that a heartbeat gets no answer, and the library gives up the connection."""
    async with open_socket(world, heartbeat=10 * MOMENT) as socket:
        await frames_until(socket, "connected")
        message = await asyncio.wait_for(socket.receive(), PATIENCE)
        expect(
            message.type == WSMsgType.ERROR and isinstance(message.data, aiohttp.ServerTimeoutError),
            "ServerTimeoutError", message)
        expect_equal(socket.close_code, 1006, "the close code")


@seen.sees(sockets.SILENCE)
async def silence(world):
    async with open_socket(world) as socket:
        await frames_until(socket, "connected")
        await ask(socket)
        await socket.ping()
        task = asyncio.create_task(socket.receive())
        await expect_nothing(task, "the silence")
        # The other direction is open: the server accepts input, until its time limit.
        await ask(socket)
        world.advance("600s")
        message = await asyncio.wait_for(task, PATIENCE)
        expect(message.type in (WSMsgType.CLOSED, WSMsgType.ERROR), "the end", message)


async def expect_failure(world, code, words):
    """Checks that the library refuses the frame in place of `message_received`, with this code."""
    async with open_socket(world) as socket:
        await frames_until(socket, "connected")
        await ask(socket)
        message = await asyncio.wait_for(socket.receive(), PATIENCE)
        expect_equal(message.type, WSMsgType.ERROR, "the message's type")
        expect(isinstance(message.data, aiohttp.WebSocketError), "a WebSocketError", message)
        expect_equal((message.data.code, socket.close_code), (code, code), "the code")
        expect(words in str(message.data), repr(words), message)


@seen.sees(sockets.END)
async def end(world):
    async with open_socket(world) as socket:
        await frames_until(socket, "connected")
        await ask(socket)
        await frames_until(socket, "message_received")
        task = asyncio.create_task(socket.receive())
        await expect_nothing(task, "the wait")
        world.advance("2s")
        message = await asyncio.wait_for(task, PATIENCE)
        expect(message.type in (WSMsgType.CLOSED, WSMsgType.ERROR), "the end", message)


@seen.sees(sockets.MASKED)
async def masked(world):
    # aiohttp accepts it (RFC 6455 §5.1 requires it to fail), but reads the text correctly.
    async with open_socket(world) as socket:
        await frames_until(socket, "connected")
        await ask(socket)
        expect_equal((await frame(socket))["type"], "message_received", "the masked frame")


@seen.sees(sockets.RESERVED_BITS)
async def reserved_bits(world):
    await expect_failure(world, 1002, "non-zero reserved bits")


@seen.sees(sockets.UNDECLARED)
async def undeclared(world):
    await expect_failure(world, 1002, "non-zero reserved bits")


@seen.sees(sockets.INVALID_UTF8)
async def invalid_utf8(world):
    await expect_failure(world, 1007, "Invalid UTF-8")


@seen.sees(sockets.ESCAPE, answers=sockets.CREAM)
async def escape(world):
    async with open_socket(world) as socket:
        expect_equal("".join(await chunks(socket)), sockets.CREAM_TEXT, "the answer")


@seen.sees(sockets.FRAGMENTS, answers=sockets.CREAM)
async def fragments(world):
    async with open_socket(world) as socket:
        expect_equal("".join(await chunks(socket)), sockets.CREAM_TEXT, "the answer")


@seen.sees(sockets.COALESCE, answers=sockets.FIVE)
async def coalesce(world):
    async with open_socket(world) as socket:
        await frames_until(socket, "connected")
        await ask(socket)
        expect_equal((await frame(socket))["type"], "message_received", "the first frame")
        texts = [(await socket.receive()).data for _ in range(2)]
        try:
            json.loads(texts[0])
            raise AssertionError("three objects passed for one")
        except json.JSONDecodeError as error:
            expect_equal(error.msg, "Extra data", "the error")
        contents = [[json.loads(line).get("content") for line in text.split("\n")] for text in texts]
        expect_equal(contents, [["1 ", "2 ", "3 "], ["4 ", "5 "]], "the lines of the frames")
        expect_equal((await frame(socket))["type"], "stream_complete", "the last frame")


@seen.sees(sockets.BINARY)
async def binary(world):
    async with open_socket(world) as socket:
        await frames_until(socket, "connected")
        await ask(socket)
        await expect_raised(aiohttp.WSMessageTypeError, socket.receive_str())


@seen.sees(sockets.LOSE, answers=sockets.FIVE)
async def lose(world):
    async with open_socket(world) as socket:
        expect_equal(await chunks(socket), ["1 ", "2 ", "4 ", "5 "], "the chunks")
    expect_equal(world.history()[-1], "1 2 3 4 5 ", "the stored answer")


@seen.sees(sockets.DOUBLE, answers=sockets.FIVE)
async def double(world):
    async with open_socket(world) as socket:
        expect_equal(await chunks(socket), ["1 ", "2 ", "3 ", "3 ", "4 ", "5 "], "the chunks")


@seen.sees(sockets.SWAP, answers=sockets.FIVE)
async def swap(world):
    async with open_socket(world) as socket:
        expect_equal(await chunks(socket), ["1 ", "2 ", "4 ", "3 ", "5 "], "the chunks")


@seen.sees(sockets.FRAME_DELAY)
async def frame_delay(world):
    await expect_late(world, "2s")


@seen.sees(sockets.FRAME_HOLD)
async def frame_hold(world):
    await expect_late(world, "1500ms")


@seen.sees(sockets.CLIENT_HOLD)
async def client_hold(world):
    await expect_late(world, "1500ms")


@seen.sees(sockets.FRAME_DRIBBLE)
async def frame_dribble(world):
    await expect_late(world, "1m")


async def expect_late(world, span):
    """Checks that the frame comes when the clock has moved this far, and not before."""
    async with open_socket(world) as socket:
        await frames_until(socket, "connected")
        await ask(socket)
        task = asyncio.create_task(frame(socket))
        await world.advance_once_due("500ms")
        await expect_nothing(task, "a frame that is late")
        world.advance(span)
        expect_equal((await task)["type"], "message_received", "the late frame")


@seen.sees(sockets.REPLACE)
async def replace(world):
    async with open_socket(world) as socket:
        await frames_until(socket, "connected")
        await ask(socket)
        expect_equal((await socket.receive()).data, "Not even JSON", "the text")


@seen.sees(sockets.INSERT)
async def insert(world):
    async with open_socket(world) as socket:
        await frames_until(socket, "connected")
        await ask(socket)
        expect_equal((await socket.receive()).data, "Not even JSON", "the text")
        expect_equal((await frame(socket))["type"], "message_received", "the frame behind it")


@seen.sees(sockets.NANOSECONDS)
async def frame_nanoseconds(world):
    async with open_socket(world) as socket:
        time = (await frame(socket))["timestamp"]
        expect(re.fullmatch(rest.NANOSECOND_TIME, time), "nine digits", time)


@seen.sees(sockets.WITHHOLD_PONG)
async def withhold_pong(world):
    await expect_dead(world)
    async with open_socket(world) as socket:
        await frames_until(socket, "connected")
        await socket.send_json({"type": "ping"})
        await ask(socket)
        expect_equal((await frame(socket))["type"], "message_received", "what comes in place of pong")


@seen.sees(sockets.STALL_READING)
async def stall_reading(world):
    async with open_socket(world) as socket:
        await frames_until(socket, "connected")
        await ask(socket)
        task = asyncio.create_task(frame(socket))
        await expect_nothing(task, "the stall")
        # With the rule disabled, the server reads the waiting input.
        world.switch("fault-1", False)
        expect_equal((await task)["type"], "message_received", "what comes then")


if __name__ == "__main__":
    print(f"aiohttp {aiohttp.__version__}, Python {sys.version.split()[0]}")
    seen.main()
