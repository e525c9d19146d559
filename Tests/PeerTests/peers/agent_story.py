"""A scripted agent: it finds a planted bug, reproduces it under a fault, and verifies the fix.

Usage: agent_story.py URL PAGE. Plays the story with the tools and with the admin API, prints the cost of each, and
compares the figures with the table of PAGE. Bytes are the size of the answers that a model reads.
"""

import asyncio
import json
import sys
import urllib.error
import urllib.request

from mcp import Client

URL, PAGE = sys.argv[1], sys.argv[2]


def run_client(world, has_bug):
    """The client: reads its consultation by an id in the bug's spelling, and its goals until they come."""
    def ask(method, path, body=None):
        headers = {"Authorization": "Bearer " + world["token"], "X-API-Key": world["api_key"],
                   "Content-Type": "application/json"}
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(world["url"] + path, data=data, headers=headers, method=method)
        try:
            with urllib.request.urlopen(request) as response:
                return json.loads(response.read() or b"{}")
        except urllib.error.HTTPError as error:
            return {"status": error.code}

    made = ask("POST", "/api/v1/consultations", {"persona": "nutritionist"})
    identifier = made.get("data", made).get("consultation", made.get("data", made))["id"]
    spelled = identifier.upper() if has_bug else identifier
    ask("GET", f"/api/v1/consultations/{spelled}/messages")
    ask("GET", "/api/v1/goals")


class Tools:
    """The agent's tools on the server."""

    def __init__(self, session):
        self.session, self.calls, self.bytes = session, 0, 0

    async def call(self, name, arguments):
        result = await self.session.call_tool(name, arguments)
        assert not result.is_error, result
        self.calls += 1
        self.bytes += len(result.content[0].text.encode())
        return result.structured_content

    async def make(self):
        return await self.call("world", {"action": "make"})

    async def broken(self, world):
        verdicts = await self.call("verdicts", {"world": world["id"]})
        return [(each["id"], each["entries"]) for each in verdicts["broken"]]

    async def evidence(self, world, number):
        return (await self.call("explain", {"number": number, "world": world["id"]}))["because"]

    async def fail(self, world):
        rule = {"name": "down", "on": "GET /api/v1/goals", "status": 503, "requests": "1"}
        await self.call("fault", {"action": "set", "fault": rule, "world": world["id"]})

    async def traffic(self, world):
        entries = (await self.call("traffic", {"world": world["id"]}))["entries"]
        return [entry["response"]["status"] for entry in entries]


class Curl:
    """The same steps by hand, with the admin API as described."""

    def __init__(self):
        self.calls, self.bytes = 0, 0

    def ask(self, path, body=None):
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(
            f"{URL}/__admin/{path}", data=data, headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as response:
            answer = response.read()
        self.calls += 1
        self.bytes += len(answer)
        return json.loads(answer)

    async def make(self):
        return self.ask("worlds", {})

    async def broken(self, world):
        verdicts = self.ask(f"worlds/{world['id']}/verdicts")["verdicts"]
        return [
            (each["id"], [entry["number"] for entry in each["findings"][0]["evidence"]])
            for each in verdicts if each["verdict"] == "broken"]

    async def evidence(self, world, number):
        answer = self.ask(f"worlds/{world['id']}/requests?since={number - 1}&before={number + 1}")
        return [answer["entries"][0]["request"]["target"], answer["entries"][0]["response"]["body"]]

    async def fail(self, world):
        rule = {"name": "down", "on": "GET /api/v1/goals", "status": 503, "requests": "1"}
        self.ask(f"worlds/{world['id']}/faults", rule)

    async def traffic(self, world):
        return [entry["response"]["status"] for entry in self.ask(f"worlds/{world['id']}/requests")["entries"]]


async def play(hands):
    world = await hands.make()
    await asyncio.to_thread(run_client, world, True)
    broken = dict(await hands.broken(world))
    assert list(broken) == ["ids/lowercase"], broken
    reasons = " ".join(await hands.evidence(world, broken["ids/lowercase"][0]))
    assert "consultation" in reasons.lower(), reasons
    again = await hands.make()
    await hands.fail(again)
    await asyncio.to_thread(run_client, again, False)
    statuses = await hands.traffic(again)
    assert statuses[0] == 503 and 404 not in statuses, statuses
    assert await hands.broken(again) == [], "the fix is verified"
    return hands.calls, hands.bytes


async def main():
    async with Client(URL + "/__admin/mcp") as session:
        tools = await play(Tools(session))
    curl = await play(Curl())
    print(f"tools: {tools[0]} calls, {tools[1]} bytes; curl: {curl[0]} calls, {curl[1]} bytes")
    assert tools[0] == curl[0] and curl[1] > 4 * tools[1]
    rows = [line.split(" | ") for line in open(PAGE) if line.startswith(("| tools |", "| curl and"))]
    for (_, calls, told), (measured, size) in zip(rows, [tools, curl]):
        told = int(told.strip(" |\n").replace(",", ""))
        # Ids, tokens and ports vary slightly from run to run.
        assert int(calls) == measured and abs(told - size) < size / 20, (calls, told, measured, size)


asyncio.run(main())
