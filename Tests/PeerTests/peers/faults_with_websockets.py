"""Faults as Python's http.client (REST) and websockets (handshakes and sockets) report them."""

import asyncio
import datetime
import gzip
import http.client
import json
import re
import sys
import urllib.parse
import zlib

import websockets
from websockets.asyncio.client import connect

import rest_faults as rest
import socket_faults as sockets
from facts import expect, expect_equal
from fault_worlds import MOMENT, PATIENCE, Sights, expect_nothing, expect_raised

seen = Sights()


# Answers


def fetch_blocking(world, path, timeout):
    parts = urllib.parse.urlsplit(world.url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname, parts.port, timeout=timeout)
    try:
        connection.request("GET", parts.path + path, headers=world.headers)
        response = connection.getresponse()
        return response.status, response.headers, response.read()
    finally:
        connection.close()


async def fetch(world, path=rest.GOALS, timeout=PATIENCE):
    """Status, fields and body of a GET."""
    return await asyncio.to_thread(fetch_blocking, world, path, timeout)


async def fetch_json(world, path=rest.GOALS):
    return json.loads((await fetch(world, path))[2])


@seen.sees(rest.STATUS)
async def status(world):
    status, fields, body = await fetch(world)
    expect_equal((status, fields["Retry-After"]), (503, "2"), "the status")
    expect_equal(json.loads(body)["error"], {"code": "COMING_UP", "message": "Not yet."}, "the error")
    expect_equal((await fetch(world))[0], 200, "the second status")


@seen.sees(rest.STATUS_TEXT)
async def status_with_body(world):
    status, fields, body = await fetch(world)
    expect_equal((status, fields["Content-Type"], body), (502, "text/html", b"<h1>Bad Gateway</h1>"), "the answer")


@seen.sees(rest.QUOTA)
async def quota(world):
    answers = [await fetch(world) for _ in range(3)]
    expect_equal([status for status, _, _ in answers], [200, 200, 429], "the statuses")
    expect_equal(answers[2][1]["Retry-After"], "10", "Retry-After")
    world.advance("10s")
    expect_equal((await fetch(world))[0], 200, "the status in the next window")


@seen.sees(rest.DELAY)
async def delay(world):
    await expect_raised(TimeoutError, fetch(world, timeout=MOMENT))
    world.advance("2s")
    task = asyncio.create_task(fetch(world))
    await world.advance_once_due("2s")
    expect_equal((await task)[0], 200, "the late status")


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
    # The first 64 bytes contain the status line, but not the whole head.
    await expect_raised(TimeoutError, fetch(world, timeout=MOMENT))
    world.advance("1h")
    task = asyncio.create_task(fetch(world))
    await world.advance_once_due("1h")
    status, fields, body = await task
    expect_equal((status, len(body)), (200, int(fields["Content-Length"])), "the whole body")


@seen.sees(rest.TRUNCATE)
async def truncated(world):
    error = await expect_raised(http.client.IncompleteRead, fetch(world))
    expect_equal(len(error.partial), 20, "how much came")


@seen.sees(rest.LONG_LENGTH)
async def length_too_large(world):
    await expect_raised(TimeoutError, fetch(world, timeout=MOMENT))


@seen.sees(rest.SHORT_LENGTH)
async def length_too_small(world):
    await expect_raised(json.JSONDecodeError, fetch_json(world))


@seen.sees(rest.MALFORMED_JSON)
async def malformed_json(world):
    error = await expect_raised(json.JSONDecodeError, fetch_json(world))
    expect_equal(error.pos, len(error.doc), "where the JSON breaks off")


async def fetch_coded(world):
    world.headers["Accept-Encoding"] = "gzip"
    _, fields, body = await fetch(world)
    return fields["Content-Encoding"], body


@seen.sees(rest.CODED_UNDECLARED, compression="on")
async def coded_undeclared(world):
    coding, body = await fetch_coded(world)
    expect(coding is None and json.loads(gzip.decompress(body)), "gzip that no field declares", coding)


@seen.sees(rest.CODED_TRUNCATED, compression="on")
async def coded_truncated(world):
    error = await expect_raised(EOFError, inflate(world))
    expect("ended before the end-of-stream marker" in str(error), "the missing end", error)


@seen.sees(rest.CODED_CORRUPT, compression="on")
async def coded_corrupt(world):
    error = await expect_raised(zlib.error, inflate(world))
    expect("invalid block type" in str(error), "the bad block", error)


@seen.sees(rest.CODED_WRONG_LENGTH, compression="on")
async def coded_wrong_length(world):
    error = await expect_raised(gzip.BadGzipFile, inflate(world))
    expect("Incorrect length of data" in str(error), "the length", error)


async def inflate(world):
    coding, body = await fetch_coded(world)
    expect_equal(coding, "gzip", "the coding")
    return gzip.decompress(body)


@seen.sees(rest.MALFORMED_CHUNKING)
async def malformed_chunking(world):
    error = await expect_raised(http.client.IncompleteRead, fetch(world))
    expect(error.partial.startswith(b'{"success":true'), "the first chunk", error.partial)


@seen.sees(rest.EMPTY_REPLY)
async def empty_reply(world):
    await expect_raised(http.client.RemoteDisconnected, fetch(world))


@seen.sees(rest.RESET)
async def reset(world):
    await expect_raised(ConnectionResetError, fetch(world))


@seen.sees(rest.RESET_IN_HEAD)
async def reset_in_head(world):
    await expect_raised(ConnectionResetError, fetch(world))


@seen.sees(rest.RESET_IN_BODY)
async def reset_in_body(world):
    await expect_raised(ConnectionResetError, fetch(world))


@seen.sees(rest.HANG)
async def hang(world):
    await expect_raised(TimeoutError, fetch(world, timeout=MOMENT))


@seen.sees(rest.NO_CHARSET)
async def no_charset(world):
    _, fields, _ = await fetch(world)
    expect_equal((fields["Content-Type"], fields.get_content_charset()), ("application/json", None), "the type")


@seen.sees(rest.NO_TYPE)
async def no_content_type(world):
    _, fields, _ = await fetch(world)
    expect_equal((fields["Content-Type"], fields.get_content_type()), (None, "text/plain"), "the type")


@seen.sees(rest.NANOSECONDS)
async def nanosecond_timestamps(world):
    answer = await fetch_json(world, f"/api/v1/consultations/{world.consultation()}")
    time = answer["data"]["created_at"]
    expect(re.fullmatch(rest.NANOSECOND_TIME, time), "nine digits", time)
    # Python reads it to the microsecond.
    read = datetime.datetime.fromisoformat(time.replace("Z", "+00:00"))
    expect_equal(read.isoformat(timespec="microseconds"), time[:26] + "+00:00", "the time")


# Handshakes


def open_socket(world, **options):
    return connect(world.socket_url(), **{
        "additional_headers": world.headers, "proxy": None, "compression": None, "ping_interval": None,
        "open_timeout": PATIENCE, "close_timeout": MOMENT, **options})


async def opened(world, **options):
    return await open_socket(world, **options)


@seen.sees(sockets.REFUSED)
async def handshake_refused(world):
    error = await expect_raised(websockets.InvalidStatus, opened(world))
    response = error.response
    expect_equal((response.status_code, response.headers["Retry-After"]), (503, "1"), "the refusal")
    expect_equal(json.loads(response.body)["error"]["message"], "The server is starting.", "the message")


@seen.sees(sockets.LATE)
async def handshake_late(world):
    await expect_raised(TimeoutError, opened(world, open_timeout=10 * MOMENT))
    world.advance("2s")
    task = asyncio.create_task(opened(world))
    await world.advance_once_due("1999ms")
    await expect_nothing(task, "a handshake that is 2 s late")
    world.advance("1ms")
    socket = await task
    expect_equal((await frame(socket))["type"], "connected", "the first frame")
    await socket.close()


@seen.sees(sockets.HANDSHAKE_HOLD)
async def handshake_hold(world):
    task = asyncio.create_task(opened(world))
    await world.advance_once_due("1999ms")
    await expect_nothing(task, "a handshake that is held")
    world.advance("1ms")
    socket = await task
    expect_equal((await frame(socket))["type"], "connected", "the first frame")
    await socket.close()


@seen.sees(sockets.WRONG_ACCEPT)
async def wrong_accept(world):
    error = await expect_raised(websockets.InvalidHeaderValue, opened(world), name="Sec-WebSocket-Accept")
    expect(error.value, "the wrong value", error)


@seen.sees(sockets.DECLINED, compression="required")
async def declined(world):
    socket = await opened(world, compression="deflate")
    expect_equal(socket.protocol.extensions, [], "the extensions")
    expect_equal((await frame(socket))["type"], "connected", "the first frame")
    await socket.close()


@seen.sees(sockets.HANDSHAKE_EMPTY)
async def handshake_empty(world):
    error = await expect_raised(websockets.InvalidMessage, opened(world))
    expect(isinstance(error.__cause__, EOFError), "EOFError as the cause", error.__cause__)


@seen.sees(sockets.HANDSHAKE_RESET)
async def handshake_reset(world):
    error = await expect_raised(websockets.InvalidMessage, opened(world))
    # websockets distinguishes a reset from an end only once the socket is open.
    expect(isinstance(error.__cause__, EOFError), "EOFError as the cause", error.__cause__)


@seen.sees(sockets.HANDSHAKE_HANGS)
async def handshake_hangs(world):
    await expect_raised(TimeoutError, opened(world, open_timeout=10 * MOMENT))


# Sockets


async def frame(socket):
    text = await asyncio.wait_for(socket.recv(), PATIENCE)
    expect(isinstance(text, str), "a text frame", text)
    return json.loads(text)


async def frames_until(socket, last):
    frames = []
    while not frames or frames[-1]["type"] != last:
        frames.append(await frame(socket))
    return frames


async def ask(socket, content="Hello?"):
    await socket.send(json.dumps({"type": "message", "content": content}))


async def asked(world, **options):
    """A socket after a question, so that `message_received` is due."""
    socket = await opened(world, **options)
    await frames_until(socket, "connected")
    await ask(socket)
    return socket


async def chunks(world):
    """The frames of an answer."""
    socket = await asked(world, close_timeout=PATIENCE)
    frames = await frames_until(socket, "stream_complete")
    await socket.close()
    expect_equal(socket.close_code, 1000, "the close code")
    return [frame["content"] for frame in frames if frame["type"] == "stream_chunk"]


async def expect_closed(world, kind, received, sent, **options):
    """The exception of the next frame, and the codes of the close frames in both directions."""
    socket = await asked(world, **options)
    error = await expect_raised(kind, socket.recv())
    codes = [close and (close.code, close.reason) for close in (error.rcvd, error.sent)]
    expect_equal(codes, [received, sent], "what the close frames said")
    return error


@seen.sees(sockets.CLOSE)
async def close(world):
    await expect_closed(world, websockets.ConnectionClosedError, (1011, ""), (1011, ""))


@seen.sees(sockets.CLOSE_REASON)
async def close_with_reason(world):
    wanted = (4000, "Come back tomorrow ☀")
    await expect_closed(world, websockets.ConnectionClosedError, wanted, wanted)


@seen.sees(sockets.CLOSE_NONE)
async def close_without_code(world):
    await expect_closed(world, websockets.ConnectionClosedOK, (1005, ""), (1005, ""))


async def expect_protocol_error(world, code, words, **options):
    """Checks that the library refuses the frame in place of `message_received`, and closes with this code."""
    socket = await asked(world, **options)
    error = await expect_raised(websockets.ConnectionClosedError, socket.recv())
    expect(error.sent is not None and error.sent.code == code, f"a close frame with {code}", error)
    expect(words in str(error.__cause__), repr(words), error.__cause__)


@seen.sees(sockets.CLOSE_FORBIDDEN)
async def close_with_forbidden_code(world):
    await expect_protocol_error(world, 1002, "invalid status code")


async def expect_end(world):
    """Checks that the connection ends in place of `message_received`, without a close frame: 1006."""
    error = await expect_closed(world, websockets.ConnectionClosedError, None, None)
    expect("no close frame received or sent" in str(error), "why", error)
    return error


@seen.sees(sockets.FINISH)
async def finish(world):
    error = await expect_end(world)
    expect(not isinstance(error.__cause__, ConnectionResetError), "no reset", error.__cause__)


@seen.sees(sockets.RESET)
async def socket_reset(world):
    error = await expect_end(world)
    expect(isinstance(error.__cause__, ConnectionResetError), "ConnectionResetError as the cause", error.__cause__)


@seen.sees(sockets.CUT)
async def cut(world):
    error = await expect_end(world)
    expect(isinstance(error.__cause__, EOFError), "EOFError in the middle of a frame", error.__cause__)


@seen.sees(sockets.CUT_RESET)
async def cut_by_reset(world):
    error = await expect_end(world)
    expect(isinstance(error.__cause__, ConnectionResetError), "ConnectionResetError as the cause", error.__cause__)


@seen.sees(sockets.AT_BYTE)
async def cut_at_byte(world):
    error = await expect_end(world)
    expect(isinstance(error.__cause__, EOFError), "EOFError in the middle of a frame", error.__cause__)


async def expect_dead(world):
    """Checks that the keep-alive finds the connection dead."""
    try:
        async with asyncio.timeout(PATIENCE):
            socket = await asked(world, ping_interval=MOMENT, ping_timeout=2 * MOMENT)
            while True:
                await socket.recv()
    except websockets.ConnectionClosedError as error:
        expect_equal((error.rcvd, error.sent.code, error.sent.reason), (None, 1011, "keepalive ping timeout"), "why")


@seen.sees(sockets.SILENCE)
async def silence(world):
    await expect_dead(world)
    socket = await asked(world)
    task = asyncio.create_task(socket.recv())
    await expect_nothing(task, "the silence")
    world.advance("599s")
    await expect_nothing(task, "the silence")
    world.advance("1s")
    error = await expect_raised(websockets.ConnectionClosedError, task)
    expect(isinstance(error.__cause__, ConnectionResetError), "a reset after ten minutes", error.__cause__)


@seen.sees(sockets.END)
async def end(world):
    socket = await asked(world)
    expect_equal((await frame(socket))["type"], "message_received", "the last frame")
    task = asyncio.create_task(socket.recv())
    await expect_nothing(task, "the wait")
    world.advance("2s")
    error = await expect_raised(websockets.ConnectionClosedError, task)
    expect(isinstance(error.__cause__, ConnectionResetError), "ConnectionResetError as the cause", error.__cause__)


@seen.sees(sockets.MASKED)
async def masked(world):
    await expect_protocol_error(world, 1002, "incorrect masking")


@seen.sees(sockets.RESERVED_BITS)
async def reserved_bits(world):
    await expect_protocol_error(world, 1002, "reserved bits must be 0")


@seen.sees(sockets.UNDECLARED)
async def undeclared(world):
    await expect_protocol_error(world, 1002, "reserved bits must be 0")


@seen.sees(sockets.FRAGMENTED, compression="on")
async def fragmented_blocks(world):
    socket = await asked(world, compression="deflate")
    parts = [part async for part in socket.recv_streaming(decode=False)]
    expect_equal(len(parts), 2, "the number of frames")
    expect_equal(json.loads(b"".join(parts))["type"], "message_received", "the message")
    await socket.close()


@seen.sees(sockets.MARKED, compression="on")
async def marked(world):
    await expect_protocol_error(world, 1002, "RSV1 bit set in continuation frame", compression="deflate")


@seen.sees(sockets.FORGOTTEN, compression="on")
async def forgotten(world):
    socket = await asked(world, compression="deflate")
    # The client inflates it with its own context, which gives another message.
    await expect_raised(json.JSONDecodeError, frame(socket))
    await socket.close()


@seen.sees(sockets.TRAILING, compression="on")
async def trailing(world):
    await expect_protocol_error(world, 1002, "decompression failed", compression="deflate")


@seen.sees(sockets.CORRUPT, compression="on")
async def corrupt(world):
    await expect_protocol_error(world, 1002, "decompression failed", compression="deflate")


@seen.sees(sockets.INVALID_UTF8)
async def invalid_utf8(world):
    socket = await asked(world)
    error = await expect_raised(websockets.ConnectionClosedError, socket.recv())
    expect_equal(error.sent.code, 1007, "the close code")
    expect("invalid start byte" in error.sent.reason, "why", error)


@seen.sees(sockets.ESCAPE, answers=sockets.CREAM)
async def escape(world):
    socket = await asked(world)
    expect_equal((await frame(socket))["type"], "message_received", "the first frame")
    text = await socket.recv()
    expect(text.isascii() and "\\u" in text, "escapes", text)
    expect_equal(json.loads(text)["content"], sockets.CREAM_TEXT, "the chunk")


@seen.sees(sockets.FRAGMENTS, answers=sockets.CREAM)
async def fragments(world):
    expect_equal(await chunks(world), [sockets.CREAM_TEXT], "the chunk")
    socket = await asked(world)
    expect_equal((await frame(socket))["type"], "message_received", "the first frame")
    parts = [part async for part in socket.recv_streaming(decode=False)]
    expect_equal({len(part) for part in parts[1:-1]}, {3}, "the lengths of the fragments")
    expect_equal(json.loads(b"".join(parts))["content"], sockets.CREAM_TEXT, "the chunk")
    torn = [part for part in parts if not is_text(part)]
    expect(torn, "a character in two fragments", parts)


def is_text(part):
    try:
        part.decode()
        return True
    except UnicodeDecodeError:
        return False


@seen.sees(sockets.COALESCE, answers=sockets.FIVE)
async def coalesce(world):
    socket = await asked(world)
    expect_equal((await frame(socket))["type"], "message_received", "the first frame")
    texts = [await socket.recv() for _ in range(2)]
    try:
        json.loads(texts[0])
        raise AssertionError("three objects passed for one")
    except json.JSONDecodeError as error:
        expect_equal(error.msg, "Extra data", "the error")
    contents = [[json.loads(line)["content"] for line in text.split("\n")] for text in texts]
    expect_equal(contents, [["1 ", "2 ", "3 "], ["4 ", "5 "]], "the lines of the frames")
    expect_equal((await frame(socket))["type"], "stream_complete", "the last frame")


@seen.sees(sockets.BINARY)
async def binary(world):
    socket = await asked(world)
    message = await socket.recv()
    expect(isinstance(message, bytes) and json.loads(message)["type"] == "message_received", "bytes", message)


@seen.sees(sockets.LOSE, answers=sockets.FIVE)
async def lose(world):
    expect_equal(await chunks(world), ["1 ", "2 ", "4 ", "5 "], "the chunks")
    expect_equal(world.history()[-1], "1 2 3 4 5 ", "the stored answer")


@seen.sees(sockets.DOUBLE, answers=sockets.FIVE)
async def double(world):
    expect_equal(await chunks(world), ["1 ", "2 ", "3 ", "3 ", "4 ", "5 "], "the chunks")


@seen.sees(sockets.SWAP, answers=sockets.FIVE)
async def swap(world):
    expect_equal(await chunks(world), ["1 ", "2 ", "4 ", "3 ", "5 "], "the chunks")


async def expect_late(world, span):
    socket = await asked(world)
    task = asyncio.create_task(frame(socket))
    await world.advance_once_due("500ms")
    await expect_nothing(task, "a frame that is late")
    world.advance(span)
    expect_equal((await task)["type"], "message_received", "the late frame")


@seen.sees(sockets.FRAME_DELAY)
async def frame_delay(world):
    await expect_late(world, "1500ms")


@seen.sees(sockets.FRAME_HOLD)
async def frame_hold(world):
    await expect_late(world, "1500ms")


@seen.sees(sockets.CLIENT_HOLD)
async def client_hold(world):
    await expect_late(world, "1500ms")


@seen.sees(sockets.FRAME_DRIBBLE)
async def frame_dribble(world):
    await expect_late(world, "1m")


@seen.sees(sockets.REPLACE)
async def replace(world):
    socket = await asked(world)
    expect_equal(await socket.recv(), "Not even JSON", "the text")


@seen.sees(sockets.INSERT)
async def insert(world):
    socket = await asked(world)
    expect_equal(await socket.recv(), "Not even JSON", "the text")
    expect_equal((await frame(socket))["type"], "message_received", "the frame behind it")


@seen.sees(sockets.NANOSECONDS)
async def frame_nanoseconds(world):
    socket = await opened(world)
    time = (await frame(socket))["timestamp"]
    expect(re.fullmatch(rest.NANOSECOND_TIME, time), "nine digits", time)


@seen.sees(sockets.WITHHOLD_PONG)
async def withhold_pong(world):
    await expect_dead(world)
    socket = await opened(world)
    await frames_until(socket, "connected")
    await socket.send('{"type":"ping"}')
    await ask(socket)
    expect_equal((await frame(socket))["type"], "message_received", "what comes in place of pong")


@seen.sees(sockets.STALL_READING)
async def stall_reading(world):
    socket = await asked(world)
    task = asyncio.create_task(frame(socket))
    await expect_nothing(task, "the stall")
    world.switch("fault-1", False)
    expect_equal((await task)["type"], "message_received", "what comes once the server reads again")
    world.switch("fault-1", True)
    # The server does not read the close frame either, and the library gives up waiting for the answer.
    await socket.close()
    expect_equal(socket.close_code, 1006, "the close code")


if __name__ == "__main__":
    print(f"websockets {websockets.__version__}, Python {sys.version.split()[0]}")
    seen.main()
