"""Clients that meet built-in scenarios as their files describe, with websockets, and http.client for REST."""

import asyncio
import sys

import websockets

import facts
from facts import expect, expect_equal, step
from fault_worlds import MOMENT, PATIENCE, World, expect_nothing, expect_raised
from faults_with_websockets import ask, fetch, fetch_json, frame, frames_until, opened

CONSULTATIONS = "/api/v1/consultations"


class Story:
    """A world with a built-in scenario and a consultation in it."""

    def __init__(self, server, name):
        self.world = World(server, name)
        answer = self.world.create(CONSULTATIONS, {"persona": "nutritionist"})
        self.id = answer["data"]["id"]

    async def messages(self):
        answer = await fetch_json(self.world, f"{CONSULTATIONS}/{self.id}/messages")
        return [(message["role"], message["content"]) for message in answer["data"]["messages"]]

    async def expect_well(self):
        """Checks that a new connection answers a question completely."""
        socket = await opened(self.world, close_timeout=PATIENCE)
        await frames_until(socket, "connected")
        await ask(socket, "Once more?")
        frames = await frames_until(socket, "stream_complete")
        await socket.close()
        expect_equal(socket.close_code, 1000, "the close code")
        return frames


async def chunks_until_end(socket):
    """The chunks of the first answer, and the error that ends it."""
    await frames_until(socket, "connected")
    await ask(socket)
    chunks = []
    try:
        while True:
            message = await frame(socket)
            if message["type"] == "stream_chunk":
                chunks.append(message["content"])
    except websockets.ConnectionClosed as error:
        return chunks, error


async def expect_answer_stored(story, chunks):
    """Checks that nothing is lost: the history has the answer, which begins with the received chunks."""
    roles, contents = zip(*await story.messages())
    expect_equal(roles, ("user", "assistant"), "the roles")
    heard = "".join(chunks)
    expect(contents[1].startswith(heard) and len(contents[1]) > len(heard), f"more than {heard!r}", contents[1])


async def drop_mid_stream(server):
    story = Story(server, "drop-mid-stream")
    chunks, error = await chunks_until_end(await opened(story.world))
    expect_equal((len(chunks), error.rcvd, error.sent), (3, None, None), "chunks, and no close frame")
    await expect_answer_stored(story, chunks)
    await story.expect_well()


async def reset_mid_frame(server):
    story = Story(server, "reset-mid-frame")
    chunks, error = await chunks_until_end(await opened(story.world))
    expect_equal((len(chunks), error.rcvd), (3, None), "chunks, and no close frame")
    expect(isinstance(error.__cause__, ConnectionResetError), "a reset", error.__cause__)
    await expect_answer_stored(story, chunks)
    await story.expect_well()


async def server_restarts(server):
    story = Story(server, "server-restarts")
    chunks, error = await chunks_until_end(await opened(story.world))
    expect_equal((len(chunks), error.rcvd.code, error.rcvd.reason), (2, 1001, "The server is restarting"), "the end")
    refused = await expect_raised(websockets.InvalidStatus, opened(story.world))
    expect_equal((refused.response.status_code, refused.response.headers["Retry-After"]), (503, "1"), "the refusal")
    await expect_answer_stored(story, chunks)
    await story.expect_well()


async def half_open(server):
    story = Story(server, "half-open")
    socket = await opened(story.world, ping_interval=5 * MOMENT, ping_timeout=10 * MOMENT)
    chunks, error = await chunks_until_end(socket)
    expect_equal(len(chunks), 2, "how many chunks came")
    expect_equal((error.rcvd, error.sent.reason), (None, "keepalive ping timeout"), "what the library noticed")
    await expect_answer_stored(story, chunks)
    await story.expect_well()


async def token_expires_mid_session(server):
    story = Story(server, "token-expires-mid-session")
    socket = await opened(story.world)
    await frames_until(socket, "connected")
    await ask(socket)
    expect_equal((await frame(socket))["type"], "message_received", "the first frame")
    task = asyncio.create_task(frames_until(socket, "stream_complete"))
    story.world.advance("59s")
    await expect_nothing(task, "a slow answer")
    expect_equal((await fetch(story.world, CONSULTATIONS))[0], 200, "the status before the minute is over")
    story.world.advance("1s")
    expect_equal((await fetch(story.world, CONSULTATIONS))[0], 401, "the status after it")
    refused = await expect_raised(websockets.InvalidStatus, opened_with(story, socket_url(story)))
    expect_equal(refused.response.status_code, 401, "the status of a handshake")
    # A refreshed token works, and the open socket receives the rest of the answer.
    token = story.world.admin("POST", f"{story.world.path}/tokens", {"expires_in": "1h"})["token"]
    story.world.headers["Authorization"] = f"Bearer {token}"
    expect_equal((await fetch(story.world, CONSULTATIONS))[0], 200, "the status with a new token")
    story.world.advance("10m")
    await asyncio.wait_for(task, PATIENCE)
    await socket.close()


def socket_url(story):
    return f"{story.world.ws_url}{CONSULTATIONS}/{story.id}/ws"


async def opened_with(story, url):
    return await websockets.connect(url, additional_headers=story.world.headers, proxy=None, open_timeout=PATIENCE)


CHAPTERS = {
    function.__name__: function
    for function in [drop_mid_stream, reset_mid_frame, server_restarts, half_open, token_expires_mid_session]
}


async def tell_all(server, chapters):
    for chapter in chapters:
        step(chapter.__name__)
        async with asyncio.timeout(60):
            await chapter(server)


if __name__ == "__main__":
    print(f"websockets {websockets.__version__}, Python {sys.version.split()[0]}")
    facts.main(lambda server, chapters: asyncio.run(tell_all(server, chapters)), CHAPTERS)
