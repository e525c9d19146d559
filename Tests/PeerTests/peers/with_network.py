"""curl and websockets in a train, in real time: what they see of a network."""

import asyncio
import json
import subprocess

from websockets.asyncio.client import connect

import facts
from facts import expect, expect_equal, step

# A tunnel takes ten seconds, and what was lost comes again.
PATIENCE = 40
ROUND_TRIP = 0.15


def train(server):
    credentials = server.headers(server.default_token)
    fields = [part for name, value in credentials.items() for part in ("-H", f"{name}: {value}")]

    def curl(path, *options):
        answer = subprocess.run(
            ["curl", "-sS", "--max-time", str(PATIENCE), "-w", "\\n%{time_total}", *fields, *options, server.url + path],
            capture_output=True, text=True, check=True)
        body, _, seconds = answer.stdout.rpartition("\n")
        return json.loads(body), float(seconds)

    step("curl's first answer makes up for connecting: two round trips")
    made, seconds = curl(
        "/api/v1/consultations", "-H", "Content-Type: application/json", "-d", '{"persona":"nutritionist"}')
    expect(seconds >= 2 * ROUND_TRIP, "two round trips at least", seconds)
    step("what belongs to the server itself passes no network")
    answer, seconds = curl("/health")
    expect_equal(answer, {"status": "ok"}, "the answer")
    expect(seconds < ROUND_TRIP, "less than a round trip", seconds)
    asyncio.run(chat(server, made["data"]["id"], credentials))


async def chat(server, consultation, credentials):
    step("a ping of websockets takes a round trip, and a chat goes on")
    url = f"{server.ws_url}/api/v1/consultations/{consultation}/ws"
    async with asyncio.timeout(PATIENCE), connect(
            url, additional_headers=credentials, proxy=None, ping_interval=None, open_timeout=PATIENCE) as socket:
        expect_equal(json.loads(await socket.recv())["type"], "connected", "the first frame")
        latency = await (await socket.ping())
        expect(latency >= ROUND_TRIP, "a round trip at least", latency)
        await socket.send(json.dumps({"type": "message", "content": "Hello?"}))
        while json.loads(await socket.recv())["type"] != "stream_complete":
            pass


if __name__ == "__main__":
    facts.main(lambda server, chapters: [chapter(server) for chapter in chapters], {"train": train})
