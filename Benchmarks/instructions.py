#!/usr/bin/env python3
"""Counts the instructions of a start and of single operations of a release binary, with valgrind's callgrind.

  instructions.py BINARY TABLE            compares them with a table: exits with 1 if one differs by more than 3 %
  instructions.py BINARY TABLE --write    writes the table

Unlike times, instruction counts repeat. One server does an operation many times, and another server twice as often; the
difference is the operation's cost. These servers' clocks stand still, so that nothing else happens.
"""

import base64
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time

TOLERANCE = 0.03
COUNT = 200


class Server:
    def __init__(self, binary, folder, *options):
        self.is_manual = "manual" in options
        self.log, ready = f"{folder}/log", f"{folder}/ready.json"
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", f"--log-file={self.log}"]
        command += [binary, "serve", "--port", "0", "--seed", "1", "--ready-file", ready, *options]
        environment = {"PATH": os.environ["PATH"], "HOME": folder, "SWIFT_DETERMINISTIC_HASHING": "1"}
        self.process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
        while not (os.path.exists(ready) and os.path.getsize(ready)):
            if self.process.poll() is not None:
                sys.exit(open(self.log).read())
            time.sleep(0.05)
        self.facts = json.load(open(ready))
        self.port = int(self.facts["url"].rsplit(":", 1)[1])
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port)
        self.credentials = {"Authorization": "Bearer " + self.facts["token"], "X-API-Key": self.facts["api_key"]}

    def ask(self, method, path, body=None):
        fields = dict(self.credentials, **({} if body is None else {"Content-Type": "application/json"}))
        self.connection.request(method, path, None if body is None else json.dumps(body), fields)
        answer = self.connection.getresponse()
        text = answer.read()
        assert answer.status < 300, (method, path, answer.status, text)
        return json.loads(text)

    def consultation(self):
        return self.ask("POST", "/api/v1/consultations", {"persona": "nutritionist"})["data"]["id"]

    def stop(self):
        """Ends the server, and returns the number of its instructions."""
        self.connection.close()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
        return int(next(line for line in open(self.log) if "Collected" in line).split()[-1])


def read_consultation(server, count):
    path = "/api/v1/consultations/" + server.consultation()
    for _ in range(count):
        server.ask("GET", path)


def list_goals(server, count):
    for number in range(20):
        goal = {"title": f"Goal {number}", "description": "", "targetDate": "2030-03-01T00:00:00Z"}
        server.ask("POST", "/api/v1/goals", goal)
    for _ in range(count):
        server.ask("GET", "/api/v1/goals")


def log_meals(server, count):
    for _ in range(count):
        server.ask("POST", "/api/v1/meal-logs/natural", {"raw_input": "2 eggs and toast", "meal_type": "breakfast"})


def chat(server, count):
    path = f"/api/v1/consultations/{server.consultation()}/ws"
    handshake = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13", "Host": "localhost"}
    handshake["Sec-WebSocket-Key"] = base64.b64encode(b"0123456789abcdef").decode()
    lines = [f"GET {path} HTTP/1.1"] + [f"{k}: {v}" for k, v in {**handshake, **server.credentials}.items()]
    client = socket.create_connection(("127.0.0.1", server.port))
    client.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
    text = json.dumps({"type": "message", "content": "What should I eat for breakfast?"}).encode()

    def wait(word):
        seen = b""
        while word not in seen:
            seen += client.recv(1 << 16)

    wait(b'"connected"')
    for _ in range(count // 10):
        client.sendall(bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text)
        wait(b'"message_received"')
        if server.is_manual:
            server.ask("POST", "/__admin/clock", {"advance": "10s"})
        wait(b'"stream_complete"')
    client.close()


OPERATIONS = {
    "GET a consultation": (read_consultation, COUNT), "GET 20 goals": (list_goals, COUNT),
    "POST a meal": (log_meals, COUNT), "a question with its answer in chunks": (chat, COUNT // 10),
}


def measure(binary):
    def run(operation, count):
        with tempfile.TemporaryDirectory() as folder:
            server = Server(binary, folder, "--clock", "manual")
            try:
                operation(server, count)
                return server.stop()
            finally:
                server.process.kill()

    yield "a start and a stop", run(lambda server, count: None, 0)
    for name, (operation, divisor) in OPERATIONS.items():
        yield name, (run(operation, 2 * COUNT) - run(operation, COUNT)) // divisor


def main():
    binary, table = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["strip", "-g", "-o", f"{folder}/server", binary], check=True)
        counted = dict(measure(f"{folder}/server"))
    if sys.argv[3:] == ["--write"]:
        open(table, "w").write("".join(f"{name}\t{count}\n" for name, count in counted.items()))
    expected = {name: int(count) for name, count in (line.rstrip("\n").split("\t") for line in open(table))}
    differs = False
    for name, count in counted.items():
        ratio = count / expected[name] - 1
        differs |= abs(ratio) > TOLERANCE
        print(f"{name:45} {count:12,} instructions  {expected[name]:12,} expected  {ratio:+.1%}")
    sys.exit(differs)


if __name__ == "__main__":
    main()
