#!/usr/bin/env python3
"""Shows that the cost of a read does not depend on the size of a world, by the server's processor time for each.

    lists.py BINARY

One server has ten entities of each kind, the other as many as a world can hold: the requesting user has 10,000 meal
logs, 1,000 goals and 10,000 consultations, and up to a million entities together with 600,000 messages and others'
goals and users. All pages have ten items. The rounds of the two alternate, and the best of each counts. Exits with 1 if
a full world takes more than 1.1 times as long.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time

READS = {
    "GET a meal log": "/api/v1/meal-logs/{meal_log}",
    "GET a goal": "/api/v1/goals/{goal}",
    "GET a consultation": "/api/v1/consultations/{consultation}",
    "10 meal logs": "/api/v1/meal-logs?limit=10",
    "10 meal logs, the last page": "/api/v1/meal-logs?limit=10&offset={meal_logs}",
    "10 dinners": "/api/v1/meal-logs?limit=10&meal_type=dinner",
    "10 completed meal logs of a time": "/api/v1/meal-logs?limit=10&status=completed&start_date=2020-01-01",
    "10 goals": "/api/v1/goals?limit=10",
    "10 consultations": "/api/v1/consultations?page_size=10",
    "10 archived consultations": "/api/v1/consultations?page_size=10&is_archived=true",
    "10 messages": "/api/v1/consultations/{consultation}/messages?page_size=10",
}
(ROUNDS, COUNT, BATCH, MOST) = (15, 1000, 20, 1.1)


def scenario(meal_logs, goals, consultations, messages, users):
    asking = {
        "id": "default",
        "goals": [{"title": f"Goal {number}"} for number in range(goals)],
        "meal_logs": [
            {"text": "2 eggs", "meal_type": "dinner", "items": [{"name": "Eggs", "quantity": 2, "unit": "piece"}]} for number in range(meal_logs)
        ],
        "consultations": [
            {"persona": "nutritionist", "status": "archived", "made_up_messages": count}
            for count in [10] * 10 + [0] * (consultations - 10)
        ],
    }
    talker = {"id": "talker", "consultations": [
        {"persona": "nutritionist", "status": "archived", "made_up_messages": 10_000} for _ in range(messages // 10_000)
    ]}
    return {"name": "lists", "users": [asking, talker] + [{"id": f"u{number}"} for number in range(users)]}


class Server:
    def __init__(self, binary, folder, content):
        ready, file = f"{folder}/ready.json", f"{folder}/scenario.json"
        with open(file, "w", encoding="utf-8") as out:
            json.dump(content, out)
        command = [binary, "serve", "--port", "0", "--seed", "1", "--scenario", file, "--ready-file", ready]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        while not (os.path.exists(ready) and os.path.getsize(ready)):
            if self.process.poll() is not None:
                sys.exit("lists: the server ended")
            time.sleep(0.05)
        with open(ready, encoding="utf-8") as text:
            self.facts = json.load(text)
        self.socket = socket.create_connection(("127.0.0.1", int(self.facts["url"].rsplit(":", 1)[1])))
        self.names = {"meal_logs": len(content["users"][0]["meal_logs"]) - 10}
        for kind in ("meal_log", "goal", "consultation"):
            path = "/api/v1/" + kind.replace("_", "-") + "s?limit=10"
            # The first consultation comes from the scenario and has messages.
            data = json.loads(self.read(path + ("&offset=0" if kind != "consultation" else "")))["data"]
            self.names[kind] = data[kind + "s"][-1]["id"]

    def read(self, path, count=1):
        """Returns the bytes of this many answers to concurrent requests."""
        fields = f"Authorization: Bearer {self.facts['token']}\r\nX-API-Key: {self.facts['api_key']}\r\n"
        self.socket.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{fields}\r\n".encode() * count)
        answer, end = b"", None
        while end is None or len(answer) < end * count:
            answer += self.socket.recv(1 << 20)
            if end is None and b"\r\n\r\n" in answer:
                assert answer.startswith(b"HTTP/1.1 200"), (path, answer)
                start = answer.index(b"\r\n\r\n") + 4
                end = start + int(answer.lower().split(b"content-length:")[1].split()[0])
        return answer[start:]

    def nanoseconds(self, path):
        """The server's processor time for one read."""
        start = self.used()
        for _ in range(COUNT // BATCH):
            self.read(path, BATCH)
        return (self.used() - start) / COUNT

    def used(self):
        with open(f"/proc/{self.process.pid}/schedstat", encoding="utf-8") as file:
            return int(file.read().split()[0])


def main():
    binary, exceeded = sys.argv[1], False
    with tempfile.TemporaryDirectory() as few, tempfile.TemporaryDirectory() as many:
        servers = [
            Server(binary, few, scenario(10, 10, 10, 0, 0)),
            Server(binary, many, scenario(10_000, 1000, 10_000, 600_000, 90_000)),
        ]
        try:
            for server in servers:
                # Until the journal is full.
                server.read("/api/v1/goals?limit=1", 100)
                for _ in range(12):
                    server.nanoseconds("/api/v1/goals?limit=1")
            for name, path in READS.items():
                times = [[], []]
                # More rounds if the machine is busy.
                while len(times[0]) < ROUNDS or len(times[0]) < 4 * ROUNDS and min(times[1]) > MOST * min(times[0]):
                    for server, measured in zip(servers, times):
                        measured.append(server.nanoseconds(path.format(**server.names)))
                (empty, full) = map(min, times)
                exceeded |= full / empty > MOST
                print(f"{name:35} {empty:9,.0f} ns with ten  {full:9,.0f} ns full  {full / empty:5.2f} times")
        finally:
            for server in servers:
                server.process.kill()
    sys.exit(exceeded)


main()
