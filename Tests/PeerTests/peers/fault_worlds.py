"""Worlds with faults, and the list of what client libraries report there."""

import asyncio
import functools
import json
import os
import re
import urllib.error
import urllib.request

import facts
from facts import expect, expect_equal, step

# Long enough for expected events on a busy machine.
PATIENCE = 20
# How long to wait for events that must not come.
MOMENT = 0.1
CASE_SECONDS = 60

# The keys of a rule that say when, where and with what, but not which fault.
MODIFIERS = {
    "name", "enabled", "on", "requests", "connections", "at", "body", "code", "message", "retry_after", "processed"}
PLACES = {"handshake": "handshake", "socket": "socket"}
SCHEMA = os.path.join(os.path.dirname(__file__), *[".."] * 3, "Fixtures", "scenarios", "scenario.schema.json")


class World:
    """A separate world with a manual clock."""

    def __init__(self, server, scenario):
        self.server = server
        made = self.admin("POST", "/__admin/worlds", {"scenario": scenario, "clock": "manual"})
        self.id, self.url, self.ws_url = made["id"], made["url"], made["ws_url"]
        self.token = made["token"]
        self.headers = {"Authorization": f"Bearer {self.token}", "X-API-Key": made["api_key"]}
        self.path = f"/__admin/worlds/{self.id}"

    def admin(self, method, path, body=None):
        payload = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.server.url + path, payload, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            text = answer.read()
            return json.loads(text) if text else None

    def advance(self, span):
        """Moves the clock; everything due by then has happened when this returns."""
        self.admin("POST", f"{self.path}/clock", {"advance": span})

    def is_due(self):
        return self.admin("GET", f"{self.path}/clock")["next_step"] is not None

    async def advance_once_due(self, span):
        """Moves the clock once something waits for it."""
        async with asyncio.timeout(PATIENCE):
            while not await asyncio.to_thread(self.is_due):
                pass
        await asyncio.to_thread(self.advance, span)

    def switch(self, fault, enabled):
        self.admin("PATCH", f"{self.path}/faults/{fault}", {"enabled": enabled})

    def acted(self):
        """How often each rule acted."""
        return {rule["name"]: rule["acted"] for rule in self.admin("GET", f"{self.path}/faults")["faults"]}

    async def until_acted(self, rule, count):
        """Waits until a rule has acted this often."""
        async with asyncio.timeout(PATIENCE):
            while (await asyncio.to_thread(self.acted))[rule] < count:
                pass

    def get(self, path):
        """The server's answer to a client that no rule affects."""
        request = urllib.request.Request(self.url + path, headers=self.headers)
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.loads(answer.read())

    def create(self, path, wish):
        """A POST with the world's credentials."""
        request = urllib.request.Request(
            self.url + path, json.dumps(wish).encode(), {**self.headers, "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.loads(answer.read())

    def consultation(self):
        """The consultation for the sockets."""
        return self.get("/api/v1/consultations")["data"]["consultations"][0]["id"]

    def history(self):
        data = self.get(f"/api/v1/consultations/{self.consultation()}/messages")["data"]
        return [message["content"] for message in data["messages"]]

    def socket_url(self):
        return f"{self.ws_url}/api/v1/consultations/{self.consultation()}/ws"

    def delete(self):
        self.admin("DELETE", self.path)


async def expect_nothing(task, what):
    """Checks that a task is not done yet, after a moment."""
    done, _ = await asyncio.wait({task}, timeout=MOMENT)
    expect(not done, f"{what} not to be over yet", task)


async def expect_raised(kind, awaitable, **members):
    """The exception of exactly this kind that an awaitable raises, with these members."""
    try:
        got = await asyncio.wait_for(awaitable, PATIENCE)
    except Exception as error:
        expect(type(error) is kind, f"a {kind.__qualname__}", error)
        for name, value in members.items():
            expect_equal(getattr(error, name), value, f"{name} of {error!r}")
        return error
    raise AssertionError(f"expected a {kind.__qualname__}; got {got!r}")


class Sights:
    """One library's reports: for each fault, written as in a scenario file, the error that the library reports."""

    def __init__(self):
        self.cases = {}

    def sees(self, *rules, **others):
        """Registers a function as the case for these faults, with other keys of the scenario; its name is the
        case's."""
        def add(function):
            expect(function.__name__ not in self.cases, "cases with names of their own", function.__name__)
            self.cases[function.__name__] = (function, rules, others)
            return function
        return add

    def covered(self):
        """The actions in the cases, each with its place."""
        return {
            (PLACES.get(rule["on"], "response"), key)
            for _, rules, _ in self.cases.values() for rule in rules
            for key in rule.keys() - MODIFIERS if key != "content_type" or "status" not in rule}

    async def tell(self, server, place):
        """Runs all cases of one place."""
        for name, (function, rules, others) in self.cases.items():
            if PLACES.get(rules[0]["on"], "response") != place:
                continue
            step(f"{place}: {name}")
            scenario = {
                "name": name, "faults": list(rules),
                "users": [{"id": "anna", "consultations": [{"persona": "nutritionist"}]}], **others}
            world = World(server, scenario)
            async with asyncio.timeout(CASE_SECONDS):
                await function(world)
            for rule, count in world.acted().items():
                expect(count > 0, f"the rule {rule} of {name} to have acted", world.acted())
            world.delete()

    def main(self):
        """Runs the chapters that the command line names: a place, or `complete`."""
        chapters = {place: functools.partial(self.tell, place=place) for place in ("response", "handshake", "socket")}
        chapters["complete"] = self.expect_complete

        async def tell_all(server, chosen):
            for chapter in chosen:
                await chapter(server)

        facts.main(lambda server, chosen: asyncio.run(tell_all(server, chosen)), chapters)

    async def expect_complete(self, server):
        """Checks that there is a case for each action of the schema, at each of its places."""
        possible = actions(server)
        with open(SCHEMA, encoding="utf-8") as file:
            keys = json.load(file)["$defs"]["fault"]["properties"].keys() - MODIFIERS
        expect_equal({action for _, action in possible}, keys, "the actions that the server knows")
        missing = possible - self.covered()
        expect(not missing, "a case for each fault", sorted(missing))
        expect(self.covered() <= possible, "no case without a fault", sorted(self.covered() - possible))


def actions(server):
    """The faults and their places: the server lists them when a rule names none."""
    found = set()
    for place, target in [("response", "any"), ("handshake", "handshake"), ("socket", "socket")]:
        try:
            World(server, {"name": "empty", "faults": [{"on": target}]})
            raise AssertionError(f"a rule without an action was taken, on: {target}")
        except urllib.error.HTTPError as refused:
            message = json.loads(refused.read())["error"]["message"]
            listed = re.search(r"has no action; with .+? the action can be (.+?)\.", message)
            expect(listed, "a list of actions", message)
            found |= {(place, action) for action in re.findall(r"[a-z_0-9]{3,}", listed[1])}
    return found
