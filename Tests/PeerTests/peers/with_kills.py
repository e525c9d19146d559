"""Kills a server with a state file at random moments, and checks the state of the next one.

Usage: with_kills.py BINARY [--kills N] [--seed N]

One process serves, and clients record their answers. After each kill -9 the next server must start and be consistent:
it has everything that was answered a second before the kill, and of later writes a prefix for each client.
"""

import argparse
import http.client
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time

# Answered writes are saved within 0.2 s. While other tests run, the server's threads and the measuring clients may wait
# for a processor. Alone, the oldest loss is about 0.1 s old; the last line shows it.
GRACE = 1.0


class Server:
    def __init__(self, binary, folder):
        self.ready = folder / "ready.json"
        self.ready.unlink(missing_ok=True)
        scenario = folder / "scenario.yaml"
        scenario.write_text("name: kills\naccounts: {password_cost: 1}\n")
        environment = {"PATH": os.environ["PATH"], "HOME": str(folder)}
        self.process = subprocess.Popen(
            [binary, "serve", "--port", "0", "--state", str(folder / "state.db"), "--ready-file", str(self.ready),
             "--scenario", str(scenario), "--instant"],
            env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 20
        while not self.ready.exists():
            assert self.process.poll() is None, f"the server did not start: {self.process.stderr.read()}"
            assert time.monotonic() < deadline, "the server is not ready"
            time.sleep(0.002)
        self.facts = json.loads(self.ready.read_text())
        self.port = int(self.facts["url"].rsplit(":", 1)[1])

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stderr.close()

    def stop(self):
        self.process.terminate()
        assert self.process.wait(timeout=20) == 0, self.process.stderr.read()
        self.process.stderr.close()


class Client:
    """One user: creates goals, journals and consultations, and deletes some."""

    # The most seconds between the answer about a lost entity and the kill.
    oldest_lost = 0.0

    def __init__(self, number):
        self.number = number
        # The answers in order: (time, kind, id); and the ids that were deleted with their times.
        self.made, self.deleted = [], {}
        self.email = f"user{number}@example.com"
        self.token = None
        self.round = 0

    def connect(self, server):
        self.server = server
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)

    def call(self, method, path, body=None):
        fields = {"X-API-Key": self.server.facts["api_key"], "Content-Type": "application/json"}
        if self.token:
            fields["Authorization"] = f"Bearer {self.token}"
        self.connection.request(method, path, None if body is None else json.dumps(body), fields)
        answer = self.connection.getresponse()
        text = answer.read()
        return answer.status, json.loads(text) if text else None

    def sign_in(self):
        """Registers, and again if a kill lost the account."""
        self.token = None
        words = {"email": self.email, "password": "correct horse"}
        status, body = self.call("POST", "/api/v1/auth/login", words)
        if status == 401:
            # Then no data of this user may exist, and none of it may have been safe.
            self.made, self.deleted = [], {}
            status, body = self.call(
                "POST", "/api/v1/auth/register", {**words, "name": "N", "date_of_birth": "1990-01-01"})
            assert status == 201, (status, body)
        self.token = body["data"]["access_token"]

    def work(self, stop, draw):
        try:
            self.sign_in()
            self.registered_at = time.monotonic()
            while not stop.is_set():
                self.step(draw)
        except (OSError, http.client.HTTPException, json.JSONDecodeError):
            # The server is gone.
            pass

    def step(self, draw):
        self.round += 1
        kind = draw.choice(["goal", "journal", "consultation", "delete", "delete"])
        if kind == "goal":
            body = {"title": f"g{self.round}", "description": "d", "target_date": "2040-01-01T00:00:00Z"}
            status, answer = self.call("POST", "/api/v1/goals", body)
        elif kind == "journal":
            now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            body = {"title": f"j{self.round}", "content": "é" * 200, "logged_at": now}
            status, answer = self.call("POST", "/api/v1/journal", body)
        elif kind == "consultation":
            body = {"persona": "nutritionist", "context_type": "journal", "context_id": f"c{self.round}"}
            status, answer = self.call("POST", "/api/v1/consultations", body)
            if status == 201:
                path = f"/api/v1/consultations/{answer['data']['id']}"
                # Most are deleted, because a start takes longer with more data.
                if draw.random() < 0.5:
                    self.call("POST", path + "/archive")
                if draw.random() < 0.95:
                    self.call("DELETE", path)
            return
        else:
            living = [(kind, name) for _, kind, name in self.made if name not in self.deleted]
            if not living:
                return
            kind, name = draw.choice(living)
            path = "goals" if kind == "goal" else "journal"
            status, _ = self.call("DELETE", f"/api/v1/{path}/{name}")
            if status == 204:
                self.deleted[name] = time.monotonic()
            return
        if status == 201:
            self.made.append((time.monotonic(), kind, answer["data"]["id"]))

    def present(self):
        """The ids of this user's entities on the server."""
        found = {}
        for kind, path, key in [("goal", "goals", "goals"), ("journal", "journal", "entries")]:
            found[kind] = []
            while True:
                status, body = self.call("GET", f"/api/v1/{path}?limit=100&offset={len(found[kind])}")
                assert status == 200, (status, body)
                page = [entry["id"] for entry in body["data"][key]]
                found[kind] += page
                if len(page) < 100:
                    break
        return found

    def check(self, killed_at):
        """Compares the server's entities with the answers, and continues with the former."""
        safe = killed_at - GRACE
        had_safe = any(made <= safe for made, _, _ in self.made)
        before = list(self.made)
        self.sign_in()
        assert self.made or not had_safe, f"user {self.number}: the account is lost, and was there {GRACE} s before"
        if not before or not self.made:
            return len(before)
        present = self.present()
        lost = 0
        for kind in ("goal", "journal"):
            there = set(present[kind])
            mine = [(made, name) for made, a_kind, name in before if a_kind == kind]
            for made, name in mine:
                deleted = self.deleted.get(name)
                if made <= safe and deleted is None:
                    assert name in there, f"user {self.number}: {kind} {name} is lost, answered {killed_at - made:.3f} s before"
                if deleted is not None and deleted <= safe:
                    assert name not in there, f"user {self.number}: {kind} {name} is back"
            # Of newer entities only a prefix may exist: none whose predecessor is lost.
            kept = [name in there for made, name in mine if name not in self.deleted]
            assert kept == sorted(kept, reverse=True), f"user {self.number}: a hole in {kind}: {kept}"
            lost += kept.count(False)
            ages = [killed_at - made for made, name in mine if name not in there and name not in self.deleted]
            Client.oldest_lost = max([Client.oldest_lost, *ages])
            unknown = there - {name for _, name in mine}
            # At most one answer was in transit.
            assert len(unknown) <= 1, f"user {self.number}: {kind} {unknown} was never answered"
            self.made = [entry for entry in self.made if entry[1] != kind or entry[2] in there]
            self.made += [(killed_at, kind, name) for name in unknown]
        self.deleted = {}
        return lost


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    binary = str(pathlib.Path(arguments.binary).resolve())
    draw = random.Random(arguments.seed)
    clients = [Client(number) for number in range(3)]
    lost, began = 0, time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        server = Server(binary, folder)
        try:
            for number in range(arguments.kills):
                stop = threading.Event()
                threads = []
                for client in clients:
                    client.connect(server)
                    thread = threading.Thread(target=client.work, args=(stop, random.Random(draw.random())))
                    thread.start()
                    threads.append(thread)
                # Usually during a write, and sometimes after a pause.
                time.sleep(draw.random() * (0.2 if number % 10 else 0.8))
                # Sometimes it gets a stop in the middle of the same work, and then nothing may be lost.
                is_stopped = number % 20 == 10
                server.stop() if is_stopped else server.kill()
                killed_at = time.monotonic()
                stop.set()
                for thread in threads:
                    thread.join(timeout=20)
                    assert not thread.is_alive(), "a client hangs"
                server = Server(binary, folder)
                for client in clients:
                    client.connect(server)
                    newer = client.check(killed_at)
                    assert not (is_stopped and newer), f"user {client.number}: {newer} lost by a server that was stopped"
                    lost += newer
                if number % 20 == 19:
                    check_whole(server)
            server.stop()
            server = Server(binary, folder)
            for client in clients:
                client.connect(server)
                assert client.check(time.monotonic() + GRACE) == 0, "a proper end lost something"
            server.stop()
        finally:
            if server.process.poll() is None:
                server.kill()
    made = sum(len(client.made) for client in clients)
    print(f"{arguments.kills} kills in {time.monotonic() - began:.0f} s: {made} entities are there, {lost} were lost, "
          f"the oldest of them {1000 * Client.oldest_lost:.0f} ms before a kill")


def check_whole(server):
    """Checks that a server accepts the state: an import has no gap, no unknown reference, no duplicate id."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    connection.request("GET", "/__admin/state")
    state = connection.getresponse().read()
    connection.request("POST", "/__admin/worlds", "{}", {"Content-Type": "application/json"})
    world = json.loads(connection.getresponse().read())["id"]
    connection.request("PUT", f"/__admin/worlds/{world}/state", state, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    text = answer.read()
    assert answer.status == 200, text
    connection.request("DELETE", f"/__admin/worlds/{world}")
    assert connection.getresponse().read() == b""


if __name__ == "__main__":
    main()
