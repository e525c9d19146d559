"""curl and websockets behind networks, in real time."""

import asyncio
import json
import subprocess
import time

from websockets.asyncio.client import connect

import facts
from facts import expect, expect_equal, step

# A tunnel takes ten seconds, and lost packets are sent again.
PATIENCE = 40
ROUND_TRIP = 0.15


BYTES_PER_SECOND = 50_000


def curl(server, path, body=None, method=None):
    """The JSON of an answer, and the seconds that it took."""
    command = ["curl", "-sS", "--max-time", str(PATIENCE), "-w", "\\n%{time_total}"]
    for name, value in server.headers(server.default_token).items():
        command += ["-H", f"{name}: {value}"]
    if body is not None:
        command += ["-X", method or "POST", "-H", "Content-Type: application/json", "--data-binary", "@-"]
    answer = subprocess.run(command + [server.url + path], input=body, capture_output=True, text=True, check=True)
    text, _, seconds = answer.stdout.rpartition("\n")
    return json.loads(text), float(seconds)


def train(server):
    step("curl's first answer makes up for connecting: two round trips")
    made, seconds = curl(server, "/api/v1/consultations", '{"persona":"nutritionist"}')
    expect(seconds >= 2 * ROUND_TRIP, "two round trips at least", seconds)
    step("what belongs to the server itself passes no network")
    answers = [curl(server, "/health") for _ in range(3)]
    expect_equal(answers[0][0], {"status": "ok"}, "the answer")
    # The machine may be busy, but not every time.
    seconds = min(seconds for _, seconds in answers)
    expect(seconds < ROUND_TRIP, "less than a round trip", seconds)
    asyncio.run(chat(server, made["data"]["id"], server.headers(server.default_token)))


def slow(server):
    step("100 kB at 50 kB a second take two seconds")
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    for _ in range(10):
        curl(server, "/api/v1/journal", json.dumps({"content": "a" * 10_000, "logged_at": now}))
    answer, _ = curl(server, "/__admin/network", json.dumps({"network": {"down": BYTES_PER_SECOND}}), method="PUT")
    expect_equal(answer["network"]["down"], BYTES_PER_SECOND, "the rate")
    entries, seconds = curl(server, "/api/v1/journal")
    wanted = len(json.dumps(entries)) / BYTES_PER_SECOND
    print(f"  {seconds:.3f} s, by the formula {wanted:.3f} s")
    # The upper bound depends on the machine.
    expect(0.98 * wanted <= seconds < 3 * wanted, f"{wanted} s", seconds)


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
    facts.main(lambda server, chapters: [chapter(server) for chapter in chapters], {"train": train, "slow": slow})
