"""Breakpoints over the admin API: they hold a library's requests and frames, and an operator acts on them."""

import asyncio
import http.client
import json
import sys
import urllib.error
import urllib.parse

import websockets
from websockets.asyncio.client import connect

from facts import expect, expect_equal, main, step
from fault_worlds import PATIENCE, World, expect_nothing

GOAL = {"title": "Run", "description": "d", "targetDate": "2030-01-01T00:00:00Z"}


class Operator:
    """Sets breakpoints in its own world, and acts on held items."""

    def __init__(self, server):
        scenario = {"name": "held", "users": [{"id": "anna", "consultations": [{"persona": "nutritionist"}]}]}
        self.world = World(server, scenario)

    async def ask(self, method, path, body=None):
        return await asyncio.to_thread(self.world.admin, method, f"{self.world.path}/{path}", body)

    async def refusal(self, method, path, body=None):
        try:
            await self.ask(method, path, body)
        except urllib.error.HTTPError as error:
            return error.code
        raise AssertionError(f"{method} {path} {body} was not refused")

    async def held(self):
        """The oldest held item, once there is one."""
        async with asyncio.timeout(PATIENCE):
            while not (things := (await self.ask("GET", "held"))["held"]):
                pass
        return things[0]

    async def act(self, **action):
        number = (await self.held())["held"]
        answer = await self.ask("POST", f"held/{number}", action)
        expect_equal(answer["released"], number, "what was released")
        return answer

    async def kinds(self):
        return [entry["kind"] for entry in (await self.ask("GET", "requests?order=asc"))["entries"]]

    def post_blocking(self):
        parts = urllib.parse.urlsplit(self.world.url)
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=PATIENCE)
        try:
            headers = {**self.world.headers, "Content-Type": "application/json"}
            connection.request("POST", parts.path + "/api/v1/goals", json.dumps(GOAL), headers)
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def post(self):
        return asyncio.create_task(asyncio.to_thread(self.post_blocking))

    def open(self):
        return connect(self.world.socket_url(), additional_headers=self.world.headers)

    def goals(self):
        return [goal["title"] for goal in self.world.get("/api/v1/goals")["data"]["goals"]]


async def requests(server):
    operator = Operator(server)
    made = await operator.ask("POST", "breakpoints", {"on": "request", "match": {"endpoint": "POST /api/v1/goals"}})
    step("continue, change, answer, drop")
    task = operator.post()
    expect_equal(json.loads((await operator.held())["request"]["body"]), GOAL, "the body that is held")
    await expect_nothing(task, "a request that is held")
    expect_equal(operator.goals(), [], "the goals before it continues")
    await operator.act(action="continue")
    expect_equal((await task)[0], 201, "the status")
    task = operator.post()
    await operator.act(action="change", json={**GOAL, "title": "Swim"})
    status, body = await task
    expect_equal((status, json.loads(body)["data"]["title"]), (201, "Swim"), "the answer to a changed request")
    task = operator.post()
    await operator.act(action="answer", status=503, text="later")
    expect_equal(await task, (503, b"later"), "the answer in its place")
    for how, error in [("finish", http.client.RemoteDisconnected), ("reset", ConnectionResetError)]:
        task = operator.post()
        await operator.act(action="drop", how=how)
        try:
            raise AssertionError(f"a dropped request was answered: {await task}")
        except error:
            pass
    expect_equal(sorted(operator.goals()), ["Run", "Swim"], "the goals")
    step("step, and change of the response")
    task = operator.post()
    answer = await operator.act(action="step")
    held = await operator.held()
    expect_equal((held["held"], held["place"], held["response"]["status"]), (answer["next"], "response", 201), "the next")
    await operator.act(action="change", status=500, json={"success": False})
    expect_equal(await task, (500, b'{"success":false}'), "the changed response")
    step("a breakpoint that is removed lets it continue")
    task = operator.post()
    await operator.held()
    await operator.ask("DELETE", f"breakpoints/{made['name']}")
    expect_equal((await task)[0], 201, "the status")
    step("refusals")
    expect_equal(await operator.refusal("POST", "breakpoints", {"on": "nothing"}), 400, "a bad place")
    expect_equal(await operator.refusal("POST", "held/1", {"action": "continue"}), 404, "a bad number")
    expect_equal(
        await operator.refusal("POST", "breakpoints", {"on": "request", "controller": "me"}), 409, "no such stream")


async def frames(server):
    operator = Operator(server)
    step("a frame of the server: continue, change, drop")
    async with operator.open() as socket:
        expect_equal(json.loads(await socket.recv())["type"], "connected", "the first frame")
        pong = {"on": "frame", "name": "pong", "direction": "server_to_client", "match": {"type": "pong"}}
        await operator.ask("POST", "breakpoints", pong)
        await socket.send('{"type":"ping"}')
        task = asyncio.create_task(socket.recv())
        await operator.held()
        await expect_nothing(task, "a frame that is held")
        await operator.act(action="continue")
        expect_equal(json.loads(await task)["type"], "pong", "the frame")
        await socket.send('{"type":"ping"}')
        await operator.act(action="change", text="Grüße")
        expect_equal(await socket.recv(), "Grüße", "the changed frame")
        await socket.send('{"type":"ping"}')
        await operator.act(action="drop")
        await operator.ask("PATCH", "breakpoints/pong", {"enabled": False})
        await socket.send('{"type":"nonsense"}')
        expect_equal(json.loads(await socket.recv())["type"], "error", "what follows the lost frame")
        step("a frame of the client, and what is behind it")
        await operator.ask("POST", "breakpoints", {"on": "frame", "name": "ping", "direction": "client_to_server"})
        await socket.send('{"type":"ping"}')
        waiter = await socket.ping()
        await operator.held()
        await expect_nothing(asyncio.ensure_future(waiter), "a ping behind a held frame")
        await operator.act(action="change", json={"type": "nonsense"})
        expect_equal(json.loads(await socket.recv())["type"], "error", "the answer to the changed frame")
        await asyncio.wait_for(waiter, PATIENCE)
        await operator.ask("DELETE", "breakpoints/ping")
    step("a handshake, and a step to the first frame")
    await operator.ask("POST", "breakpoints", {"on": "handshake"})
    task = asyncio.create_task(operator.open().__aenter__())
    await operator.held()
    await expect_nothing(task, "a handshake that is held")
    await operator.act(action="step")
    socket = await task
    expect_equal((await operator.held())["place"], "frame", "what is held next")
    await operator.act(action="continue")
    expect_equal(json.loads(await socket.recv())["type"], "connected", "the first frame")
    await socket.close()
    task = asyncio.create_task(operator.open().__aenter__())
    await operator.act(action="answer", status=503)
    try:
        raise AssertionError(f"a refused handshake opened a socket: {await task}")
    except websockets.InvalidStatus as error:
        expect_equal(error.response.status_code, 503, "the status of the handshake")
    verdicts = await operator.ask("GET", "verdicts")
    broken = [row for row in verdicts["verdicts"] if row["verdict"] == "broken"]
    expect(not any("ping" in row["id"] for row in broken), "no blame for what an operator did", broken)


if __name__ == "__main__":
    print(f"websockets {websockets.__version__}, Python {sys.version.split()[0]}")

    async def tell_all(server, chapters):
        for chapter in chapters:
            await chapter(server)

    main(lambda server, chapters: asyncio.run(tell_all(server, chapters)), {"requests": requests, "frames": frames})
