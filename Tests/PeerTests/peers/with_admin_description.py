"""Sends each example of openapi/admin.yaml, and checks each answer with its schema.

    with_admin_description.py URL     of a separate server: it creates, resets and deletes worlds
"""

import base64
import json
import os
import socket
import sys
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "descriptions"))
import check  # noqa: E402

# Not a request with one answer: a handshake, and an endless stream.
LEFT_OUT = {"openEcho", "followEvents"}


class Examples:
    def __init__(self, url):
        self.url = url
        status, _, body = self.send("GET", "/__admin/openapi.yaml")
        assert status == 200, status
        self.document = check.read_yaml(body)
        self.description = check.AdminAPI()
        assert self.description.document == self.document, "the server hands out another description than the repository's"
        self.problems = []
        self.connections = []
        self.count = 0

    def send(self, method, path, value=None, fields=None):
        data = None if value is None else json.dumps(value).encode()
        request = urllib.request.Request(self.url + path, data=data, method=method, headers=fields or {})
        if data is not None:
            request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=10) as response:
                return response.status, response.headers, response.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read()

    def world(self):
        status, _, body = self.send("POST", "/__admin/worlds", {"clock": "manual"})
        assert status == 201, body
        world = json.loads(body)["id"]
        rule = {"name": "flaky", "on": "GET /api/v1/goals", "status": 503}
        status, _, body = self.send("POST", f"/__admin/worlds/{world}/faults", rule)
        assert status == 201, body
        return world

    def holding_world(self):
        """A world with a breakpoint that holds a request, and the number of the held item."""
        world = self.world()
        look = {"name": "look", "on": "GET /api/v1/goals", "hold": "request"}
        status, _, body = self.send("POST", f"/__admin/worlds/{world}/breakpoints", look)
        assert status == 201, body
        address = urllib.parse.urlsplit(self.url)
        connection = socket.create_connection((address.hostname, address.port), timeout=10)
        # It stays open while the examples are sent.
        self.connections.append(connection)
        connection.sendall(f"GET /w/{world}/api/v1/goals HTTP/1.1\r\nHost: {address.netloc}\r\n\r\n".encode())
        while not (held := json.loads(self.send("GET", f"/__admin/worlds/{world}/held")[2])["held"]):
            pass
        return world, held[0]["held"]

    def replaying_world(self):
        """A world that replays a session, with differences from the recording."""
        request = {"method": "GET", "url": "https://api.fitiq.example/api/v1/goals?limit=2", "headers": []}
        response = {"status": 200, "headers": [], "content": {"mimeType": "application/json", "text": "[]"}}
        entry = {"startedDateTime": "2025-01-29T10:30:00Z", "time": 0, "request": request, "response": response,
                 "timings": {"send": 0, "wait": 0, "receive": 0}}
        session = {"log": {"version": "1.2", "entries": [entry]}}
        scenario = {"name": "take", "replay": {"session": session}}
        status, _, body = self.send("POST", "/__admin/worlds", {"scenario": scenario})
        assert status == 201, body
        world = json.loads(body)["id"]
        status, _, body = self.send("GET", f"/w/{world}/api/v1/goals?limit=3")
        assert status == 404, body
        return world

    def client(self, world):
        """A client of a world that requests its goals, opens the socket of a consultation and asks a question."""
        _, _, body = self.send("GET", f"/__admin/worlds/{world}")
        facts = json.loads(body)
        fields = {"Authorization": "Bearer " + facts["token"], "X-API-Key": facts["api_key"],
                  "Content-Type": "application/json"}
        path = urllib.parse.urlsplit(facts["url"]).path + "/api/v1/"
        self.send("GET", path + "goals", fields=fields)
        status, _, body = self.send("POST", path + "consultations", {"persona": "nutritionist"}, fields)
        assert status == 201, body
        address = urllib.parse.urlsplit(self.url)
        connection = socket.create_connection((address.hostname, address.port), timeout=10)
        handshake = {"Host": address.netloc, "Upgrade": "websocket", "Connection": "Upgrade",
                     "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(), **fields}
        lines = "".join(f"{name}: {value}\r\n" for name, value in handshake.items())
        target = f"{path}consultations/{json.loads(body)['data']['id']}/ws"
        connection.sendall(f"GET {target} HTTP/1.1\r\n{lines}\r\n".encode())
        answer = connection.recv(4096)
        assert answer.startswith(b"HTTP/1.1 101 "), answer
        question = b'{"type":"message","content":"Hello"}'
        # Masked with zeros, which change nothing.
        connection.sendall(bytes([0x81, 0x80 | len(question), 0, 0, 0, 0]) + question)
        status, _, body = self.send("POST", f"/__admin/worlds/{world}/wait", {"for": {"type": "message_received"}})
        assert status == 200, body
        _, _, body = self.send("GET", f"/__admin/worlds/{world}/sockets")
        return connection, str(json.loads(body)["sockets"][0]["connection"])

    def run(self):
        # A draining server creates no worlds, so this comes last.
        for path, item in sorted(self.document["paths"].items(), key=lambda entry: entry[0] == "/drain"):
            for method in sorted(check.METHODS & item.keys()):
                operation = item[method]
                if operation["operationId"] in LEFT_OUT:
                    continue
                for body in self.bodies(operation):
                    for query in self.queries(item, operation):
                        self.check(path, method.upper(), operation, body, query)

    def bodies(self, operation):
        content = operation.get("requestBody", {}).get("content", {}).get("application/json")
        if content is None:
            return [None]
        return [self.description.follow(example)["value"] for example in content["examples"].values()]

    def queries(self, item, operation):
        yield {}
        for parameter in map(self.description.follow, operation.get("parameters", [])):
            for example in parameter["examples"].values():
                value = example["value"]
                yield {parameter["name"]: str(value).lower() if isinstance(value, bool) else value}

    def check(self, path, method, operation, body, query):
        # A separate world for each, so that none sees another's data.
        number = 0
        if path.startswith(("/breakpoints/", "/held")):
            world, number = self.holding_world()
        elif path != "/drain":
            world = self.replaying_world() if path == "/replay" else self.world()
        else:
            world = "default"
        if path == "/faults" and method == "POST":
            self.send("DELETE", f"/__admin/worlds/{world}/faults/flaky")
        connection = None
        if path.startswith(("/sockets", "/wait")) or body and "advance_until" in body:
            connection, number = self.client(world)
        if path.endswith("/resume"):
            self.send("POST", f"/__admin/worlds/{world}/sockets/{number}/silence", {})
        if path.startswith(("/marks/", "/rewind", "/entries/")):
            self.send("POST", f"/__admin/worlds/{world}/marks", {"name": "before"})
        prefix = "/__admin" if self.is_of_server(path) else f"/__admin/worlds/{world}"
        name = {"breakpoints": "look", "scenarios": "conflict"}.get(path.split("/")[1], "flaky")
        target = prefix + path.replace("{id}", world).replace("{name}", name)
        target = target.replace("{connection}", str(number)).replace("{held}", str(number))
        target = target.replace("{mark}", "before").replace("{number}", "1")
        if query:
            target += "?" + urllib.parse.urlencode(query)
        status, headers, answer = self.send(method, target, body)
        if connection is not None:
            connection.close()
        place = f"{method} {target} {body}"
        self.count += 1
        if not 200 <= status < 300 or str(status) not in operation["responses"]:
            self.problems.append(f"{place}: {status} {answer.decode()}")
            return
        response = self.description.follow(operation["responses"][str(status)])
        media_type = headers.get_content_type()
        if "content" not in response:
            if answer:
                self.problems.append(f"{place}: a body where none is described")
            return
        if media_type not in response["content"]:
            self.problems.append(f"{place}: {media_type} is not described")
        elif media_type == "application/json":
            schema = response["content"][media_type]["schema"]
            for error in self.description.validator(schema).iter_errors(json.loads(answer)):
                self.problems.append(f"{place}: {'/'.join(map(str, error.path))}: {error.message}")

    def is_of_server(self, path):
        return self.document["paths"][path].get("servers") == [{"url": "/__admin"}]


def main(url):
    examples = Examples(url)
    examples.run()
    for problem in examples.problems:
        print(problem, file=sys.stderr)
    print(f"{examples.count} examples")
    return 1 if examples.problems or examples.count < 60 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
