"""Runs a fleet of three nodes behind HAProxy or nginx, with the configurations of deploy/, and counts failures.

    with_fleet.py PROGRAM haproxy|nginx [--worlds N] [--restarts N] [--workers N]

It creates worlds through the proxy, uses each over REST and a socket, drains and restarts every node in turn under
load, moves a world, and kills a node. It fails if anything is lost, cut or answered by the wrong node.
"""

import argparse
import asyncio
import atexit
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import aiohttp

DEPLOY = Path(__file__).resolve().parents[3] / "deploy"
NAMES = ("n1", "n2", "n3")
ADMIN = {"X-Admin-Token": "let-me-in"}
PATIENCE = 60


def free_ports(count):
    """Free ports: restarted nodes and a proxy need theirs in advance."""
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class Node:
    def __init__(self, fleet, name, port):
        self.fleet, self.name, self.port = fleet, name, port
        self.url = f"http://127.0.0.1:{port}"
        self.process = None
        # Even if the proxy does not start.
        atexit.register(self.kill)

    async def start(self):
        ready = self.fleet.folder / f"{self.name}.json"
        self.process = subprocess.Popen(
            [self.fleet.program, "serve", "--port", str(self.port), "--node", self.name, "--no-default-world",
             "--public-url", self.fleet.url, "--admin-token", ADMIN["X-Admin-Token"], "--ready-file", str(ready)],
            stdout=subprocess.DEVNULL, stderr=(self.fleet.folder / f"{self.name}.log").open("a"))
        command = await asyncio.create_subprocess_exec(
            self.fleet.program, "wait", "--ready-file", str(ready), stdout=subprocess.DEVNULL)
        assert await command.wait() == 0, f"{self.name} does not start"

    async def drain(self):
        """Drains it with the command that orchestrators run, and waits until it ends by itself."""
        command = await asyncio.create_subprocess_exec(
            self.fleet.program, "drain", "--url", self.url, "--idle", "2s", "--timeout", "60s",
            env={**os.environ, "FITIQ_MOCK_ADMIN_TOKEN": ADMIN["X-Admin-Token"]})
        assert await command.wait() == 0, f"{self.name} does not drain"
        status = await asyncio.to_thread(self.process.wait, 20)
        assert status == 0, f"{self.name} ended with {status}"

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()


class Fleet:
    def __init__(self, program, proxy, folder):
        self.program, self.kind, self.folder = program, proxy, folder
        port, *ports = free_ports(1 + len(NAMES))
        self.port, self.url = port, f"http://127.0.0.1:{port}"
        self.nodes = {name: Node(self, name, each) for name, each in zip(NAMES, ports)}
        self.proxy, self.session = None, None

    async def __aenter__(self):
        for node in self.nodes.values():
            await node.start()
        self.session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))
        await self.start_proxy()
        return self

    async def start_proxy(self, moved=None):
        """Starts or restarts the proxy, with the line that sends a moved world's paths to its new node."""
        if self.proxy:
            self.proxy.kill()
            self.proxy.wait()
        path = shutil.which(self.kind, path=os.environ["PATH"] + ":/usr/sbin:/usr/local/sbin")
        if self.kind == "haproxy":
            text = self.configuration("haproxy.cfg", moved)
            (self.folder / "haproxy.cfg").write_text(text)
            command = [path, "-f", str(self.folder / "haproxy.cfg")]
            variables = {f"N{number}": f"127.0.0.1:{node.port}" for number, node in enumerate(self.nodes.values(), 1)}
            variables["FLEET_ADDRESS"] = f"127.0.0.1:{self.port}"
        else:
            text = self.configuration("nginx.conf", moved)
            for number, node in enumerate(self.nodes.values(), 1):
                text = text.replace(f"127.0.0.1:808{number}", f"127.0.0.1:{node.port}")
            text = text.replace("listen 8080;", f"listen 127.0.0.1:{self.port};")
            # nginx must be able to write its files, and the machine's own configuration does not matter.
            folder = self.folder / "nginx"
            folder.mkdir(exist_ok=True)
            paths = "".join(f"    {kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
            text = f"daemon off; master_process off; pid {folder}/pid; error_log {folder}/errors;\n" + text.replace("http {\n", "http {\n" + paths, 1)
            (folder / "nginx.conf").write_text(text)
            command, variables = [path, "-p", str(folder), "-c", str(folder / "nginx.conf")], {}
        self.proxy = subprocess.Popen(
            command, env={**os.environ, **variables}, stdout=subprocess.DEVNULL,
            stderr=(self.folder / "proxy.log").open("w"))
        deadline = time.monotonic() + 20
        while True:
            try:
                async with self.session.get(self.url + "/ready") as answer:
                    if answer.status == 200:
                        return
            except aiohttp.ClientConnectionError:
                pass
            assert time.monotonic() < deadline, (self.folder / "proxy.log").read_text()
            await asyncio.sleep(0.05)

    @staticmethod
    def configuration(name, moved):
        """A file of deploy/ whose line for a moved world names this one."""
        text = (DEPLOY / name).read_text()
        if not moved:
            return text
        line = re.search(r"^ +# (.*n1-w17.*)$", text, re.MULTILINE)
        world, node = moved
        return text.replace(line[0], line[1].replace("n3", node.name).replace("n1-w17", world["id"]), 1)

    async def __aexit__(self, *error):
        await self.session.close()
        if self.proxy:
            self.proxy.kill()
            self.proxy.wait()
        for node in self.nodes.values():
            node.kill()

    async def ask(self, method, url, body=None, world=None, status=200):
        """The JSON of an answer, which must have this status."""
        fields = dict(ADMIN) if "/__admin" in url else {}
        if world:
            fields |= self.credentials(world)
        async with self.session.request(
            method, url if url.startswith("http") else self.url + url, json=body, headers=fields,
            timeout=aiohttp.ClientTimeout(PATIENCE)) as answer:
            text = await answer.text()
            assert answer.status == status, f"{method} {url}: {answer.status}, not {status}: {text[:300]}"
            return json.loads(text) if text else None

    @staticmethod
    def credentials(world):
        return {"Authorization": "Bearer " + world["token"], "X-API-Key": world["api_key"]}

    async def make_world(self):
        world = await self.ask("POST", "/__admin/worlds", {"scenario": "default"}, status=201)
        assert world["url"] == f"{self.url}/w/{world['id']}", world
        assert re.fullmatch(r"n[123]-w[0-9]+", world["id"]), world
        return world

    async def use(self, world):
        """A client's work in a world: REST, and a socket that only the client may end."""
        created = await self.ask(
            "POST", world["url"] + "/api/v1/consultations", {"persona": "nutritionist"}, world, status=201)
        identifier = created["data"]["consultation"]["id"]
        async with self.session.ws_connect(
            f"{world['ws_url']}/api/v1/consultations/{identifier}/ws",
            headers=self.credentials(world), timeout=aiohttp.ClientWSTimeout(ws_close=20)) as channel:
            await self.expect(channel, "connected")
            await channel.send_json({"type": "ping"})
            await self.expect(channel, "pong")
            await channel.close()
            assert channel.close_code == 1000, f"{world['id']}: its socket ended with {channel.close_code}"

    @staticmethod
    async def expect(channel, kind):
        while True:
            message = await channel.receive(timeout=PATIENCE)
            assert message.type == aiohttp.WSMsgType.TEXT, f"a socket was cut: {message}"
            if json.loads(message.data)["type"] == kind:
                return

    def owner(self, world):
        return self.nodes[world["id"].split("-")[0]]


async def at_once(count, work, items):
    """Runs work for many items with limited concurrency; the first failure ends it."""
    items = iter(items)

    async def worker():
        return [await work(item) for item in items]

    return [done for some in await asyncio.gather(*(worker() for _ in range(count))) for done in some]


async def many_worlds(fleet, count):
    begin = time.monotonic()
    worlds = await at_once(64, lambda _: fleet.make_world(), range(count))
    made = time.monotonic() - begin
    assert len({world["id"] for world in worlds}) == count
    shares = Counter(world["id"].split("-")[0] for world in worlds)
    assert set(shares) == set(NAMES) and min(shares.values()) > count // 6, shares
    begin = time.monotonic()
    await at_once(64, lambda world: fleet.use(world), worlds)
    print(f"{count} worlds made in {made:.1f} s, a request and a socket for each in {time.monotonic() - begin:.1f} s: {dict(shares)}")
    return worlds


async def owners(fleet, worlds):
    """Checks that the owner answers every id by name, and no other node claims to know it."""
    for world in worlds[:30]:
        for node in fleet.nodes.values():
            own = node is fleet.owner(world)
            for path in (f"/w/{world['id']}/api/v1/goals", f"/__admin/worlds/{world['id']}"):
                answer = await fleet.ask("GET", node.url + path, world=world, status=200 if own else 421)
                assert own or answer["error"]["details"]["node"] == fleet.owner(world).name, answer
    await fleet.ask("GET", "/w/n9-w1/api/v1/goals", status=421)
    await fleet.ask("GET", "/w/n1-w1/api/v1/goals", status=404)
    await fleet.ask("GET", "/api/v1/goals", status=404)
    text = await fleet.ask("GET", "/w/w1/api/v1/goals", status=404)
    assert "There is no world" in text["error"]["message"], text


class Load:
    """Clients that repeatedly create, use and delete a world; they keep a failure."""

    def __init__(self, fleet, workers):
        self.fleet, self.done, self.failures, self.isOver = fleet, 0, [], False
        self.tasks = [asyncio.create_task(self.work()) for _ in range(workers)]

    async def work(self):
        while not self.isOver:
            try:
                world = await self.fleet.make_world()
                await self.fleet.use(world)
                await self.fleet.ask("GET", world["url"] + "/api/v1/goals", world=world)
                # Some clients pause, but not as long as an idle world lives.
                await asyncio.sleep(0.5)
                await self.fleet.ask("GET", world["url"] + "/api/v1/goals", world=world)
                await self.fleet.ask("DELETE", f"/__admin/worlds/{world['id']}", status=204)
                self.done += 1
            except Exception as error:  # Any error fails the run.
                self.failures.append(f"{type(error).__name__}: {error}")
                return

    async def end(self):
        self.isOver = True
        await asyncio.gather(*self.tasks)
        assert not self.failures, f"{len(self.failures)} of {self.done} runs failed: {self.failures[:3]}"
        return self.done


async def rolling_restarts(fleet, rounds, workers):
    load = Load(fleet, workers)
    begin = time.monotonic()
    for _ in range(rounds):
        for node in fleet.nodes.values():
            await node.drain()
            assert not load.failures, load.failures[:3]
            await node.start()
            # The proxy's checks see it again.
            await asyncio.sleep(1.2)
    done = await load.end()
    print(f"{rounds} rolling restarts in {time.monotonic() - begin:.0f} s, {done} runs beside them, none lost")
    assert done > 0


async def moving(fleet):
    """A world continues on a restarted node, under the same id, for the same client."""
    world = await fleet.make_world()
    node = fleet.owner(world)
    goal = {"title": "Walk", "description": "Every day", "target_date": "2030-03-01T00:00:00Z"}
    await fleet.ask("POST", world["url"] + "/api/v1/goals", goal, world, status=201)
    before = await fleet.ask("GET", world["url"] + "/api/v1/goals", world=world)
    state = await fleet.ask("GET", f"/__admin/worlds/{world['id']}/state")
    await node.drain()
    await node.start()
    await fleet.ask("GET", world["url"] + "/api/v1/goals", world=world, status=404)
    await fleet.ask("POST", node.url + "/__admin/worlds", {"id": world["id"]}, status=201)
    await fleet.ask("POST", node.url + "/__admin/worlds", {"id": world["id"]}, status=409)
    await fleet.ask("PUT", f"/__admin/worlds/{world['id']}/state", state)
    assert await fleet.ask("GET", world["url"] + "/api/v1/goals", world=world) == before
    # On another node, which the proxy must be told.
    state = await fleet.ask("GET", f"/__admin/worlds/{world['id']}/state")
    other = next(each for each in fleet.nodes.values() if each is not node)
    await fleet.ask("POST", other.url + "/__admin/worlds", {"id": world["id"]}, status=201)
    await fleet.start_proxy(moved=(world, other))
    await fleet.ask("PUT", f"/__admin/worlds/{world['id']}/state", state)
    await fleet.ask("DELETE", f"{node.url}/__admin/worlds/{world['id']}", status=204)
    assert await fleet.ask("GET", world["url"] + "/api/v1/goals", world=world) == before
    await fleet.use(world)
    print("a world moved under its id, to a node that was started again and to another")


async def killing(fleet, worlds, workers):
    """The worlds of a killed node answer 503 with a sentence; the others notice nothing."""
    lost = [world for world in worlds if world["id"].startswith("n2-")][:50]
    others = [world for world in worlds if not world["id"].startswith("n2-")][:50]
    fleet.nodes["n2"].kill()
    for world in lost:
        answer = await fleet.ask("GET", world["url"] + "/api/v1/goals", world=world, status=503)
        assert answer["error"]["code"] == "NODE_DOWN" and "does not answer" in answer["error"]["message"], answer
    await at_once(16, lambda world: fleet.ask("GET", world["url"] + "/api/v1/goals", world=world), others * 4)
    # The others take all new worlds, at once or when the proxy has noticed.
    await asyncio.sleep(1.2)
    load = Load(fleet, workers)
    await asyncio.sleep(2)
    done = await load.end()
    await fleet.nodes["n2"].start()
    for world in lost:
        # The world is lost, and has not become another's.
        await fleet.ask("GET", world["url"] + "/api/v1/goals", world=world, status=404)
    print(f"n2 was killed: {len(lost)} worlds answered 503, {len(others)} went on, {done} runs beside them")


CLIENT = """
import json, os, sys, time, urllib.request
fields = {"Authorization": "Bearer " + os.environ["FITIQ_MOCK_TOKEN"], "X-API-Key": os.environ["FITIQ_MOCK_API_KEY"]}
url = os.environ["FITIQ_MOCK_URL"]
urllib.request.urlopen(urllib.request.Request(url + "/api/v1/goals", headers=fields)).read()
if url.rsplit("/", 1)[1].startswith("n3-"):
    open(sys.argv[1], "w").close()
    while os.path.exists(sys.argv[1]):
        time.sleep(0.01)
"""


async def verifying(fleet):
    """A run of `verify` in worlds of the fleet says which of its runs to repeat when a node is lost."""
    waits = fleet.folder / "waits"
    scenarios = ["default", "conflict", "limit-reached"]
    command = await asyncio.create_subprocess_exec(
        fleet.program, "verify", "--server", fleet.url, "--admin-token", ADMIN["X-Admin-Token"], "--quiet",
        *(word for name in scenarios for word in ("--scenario", name)), "--json", str(fleet.folder / "report.json"),
        "--", sys.executable, "-c", CLIENT, str(waits), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT)
    while not waits.exists():
        assert command.returncode is None, (await command.stdout.read()).decode()
        await asyncio.sleep(0.01)
    fleet.nodes["n3"].kill()
    waits.unlink()
    text = (await command.stdout.read()).decode()
    assert await command.wait() == 3, text
    report = json.loads((fleet.folder / "report.json").read_text())
    judged = [run["scenario"] for run in report["runs"]]
    lost = [name for name in scenarios if name not in judged]
    assert len(judged) == 2 and len(lost) == 1, text
    assert f"run verify again with --scenario {lost[0]}." in report["incomplete"] and "503" in report["incomplete"], text
    await fleet.nodes["n3"].start()
    print(f"verify judged {len(judged)} runs and said which one to repeat")


async def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("program")
    options.add_argument("proxy", choices=["haproxy", "nginx"])
    options.add_argument("--worlds", type=int, default=300)
    options.add_argument("--restarts", type=int, default=1)
    options.add_argument("--workers", type=int, default=8)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        async with Fleet(given.program, given.proxy, Path(folder)) as fleet:
            worlds = await many_worlds(fleet, given.worlds)
            await owners(fleet, worlds)
            await killing(fleet, worlds, given.workers)
            await verifying(fleet)
            await moving(fleet)
            await rolling_restarts(fleet, given.restarts, given.workers)


if __name__ == "__main__":
    asyncio.run(main())
