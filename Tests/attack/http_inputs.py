"""Hostile HTTP/1.1: the fixtures and requests of a grammar, some of them mutated."""

import json
import pathlib

from mutations import mutated

FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "Fixtures" / "http1"

# The ids that a server with seed 1 gives to the first consultation, goal and meal log.
ID = "910a2dec-8902-4cc1-beeb-8da1658eec67"
GOAL = "f893a2ee-fb32-455e-b1c1-8690ee42c90b"
MEAL = "71bb54d8-d101-45b9-834d-0bff90150280"
FIRST = [
    ("/api/v1/consultations", {"persona": "nutritionist"}),
    ("/api/v1/goals", {"title": "Run", "description": "Far", "targetDate": "2030-03-01T00:00:00Z"}),
    ("/api/v1/meal-logs/natural", {"raw_input": "2 eggs and toast", "meal_type": "lunch"}),
]
PATHS = [
    "/api/v1/consultations", "/api/v1/consultations?page=1&page_size=20", "/api/v1/consultations/" + ID,
    "/api/v1/consultations/" + ID + "/messages", "/api/v1/consultations/" + ID + "/archive",
    "/api/v1/consultations/" + ID + "/ws", "/api/v1/consultations/quick-actions?context_type=goal",
    "/api/v1/consultations/chat-about-goal", "/api/v1/goals", "/api/v1/goals/" + GOAL, "/api/v1/meal-logs/natural",
    "/api/v1/meal-logs?limit=5&status=completed", "/api/v1/meal-logs/" + MEAL, "/health", "/ready", "/docs", "/openapi.yaml",
    "/asyncapi.yaml", "/avatars/nutritionist.svg", "/__admin/health", "/__admin/worlds", "/__admin/clock",
    "/__admin/requests?limit=3", "/__admin/frames?limit=3", "/__admin/verdicts", "/__admin/state", "/__admin/echo",
    "/__admin/tokens", "/__admin/worlds/none", "/w/none/api/v1/goals", "*", "/", "//", "/%2e%2e/", "/a%00b",
    "http://127.0.0.1/health", "/api/v1/goals?" + "x=1&" * 300,
]
METHODS = ["GET"] * 6 + ["POST"] * 5 + ["HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "BREW", "get"]
BODIES = [
    b"", b"{}", b"[]", b"null", b'{"persona":"nutritionist"}', b'{"persona":"nutritionist","context_type":"mood"}',
    b'{"title":"Run","description":"Build a habit","targetDate":"2030-03-01T00:00:00Z"}',
    b'{"raw_input":"2 eggs and toast","meal_type":"breakfast","logged_at":"2030-01-01T08:00:00Z"}',
    b'{"raw_input":"' + b"egg " * 300 + b'","meal_type":"lunch"}', b'{"goalId":"' + GOAL.encode() + b'"}',
    b'{"user":"eve","expires_in":"1h"}', b'{"advance":"1s"}', b"[" * 500, b'{"a":' * 127 + b"1" + b"}" * 127,
    b'{"persona":1e400}', b'{"persona":"\\ud800"}', b'{"title":"\xff"}', b'{"title":"x","title":"y"}', b"\0" * 50,
    json.dumps({"title": "x" * 201}).encode(), json.dumps([0] * 11_000).encode(), b'{"x":"' + b"y" * 70_000 + b'"}',
]
ODD_FIELDS = [
    b"Expect: 100-continue", b"Expect: x", b"Connection: close", b"Connection: keep-alive", b"Connection: upgrade, \x80",
    b"Upgrade: websocket", b"Upgrade: h2c", b"Transfer-Encoding: gzip", b"Transfer-Encoding: chunked, chunked",
    b"Transfer-Encoding : chunked", b"Content-Length: 5", b"Content-Length: -1", b"Content-Length: 18446744073709551617",
    b"Content-Length: 5, 5", b"X: " + b"v" * 9_000, b"X" * 300 + b": 1", b" folded: yes", b": none", b"NoColon", b"X:\x00",
    b"Origin: http://evil.example", b"Host: a, b", b"Host: [::1", b"Accept-Encoding: gzip;q=1e9", b"Range: bytes=0-1",
    b"Content-Type: text/plain", b"Content-Type: application/json; charset=\"", b"Cookie: " + b"a=b; " * 400,
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", b"Sec-WebSocket-Version: 13", b"Sec-WebSocket-Version: 99",
    b"Sec-WebSocket-Extensions: permessage-deflate; x=\"", b"Authorization: Bearer " + b"e" * 5_000,
]


def fixtures():
    """Clients' input; the fixtures of responses are for the other role."""
    files = sorted(FIXTURES.glob("*/*.http"))
    return [file.read_bytes() for file in files if not file.name.startswith("response-")]


class Inputs:
    """Creates an input from the random numbers of its number: bytes, and the required number of answers (None if
    open)."""

    def __init__(self, credentials, port):
        self.fixtures = fixtures()
        self.credentials = [f"{name}: {value}".encode() for name, value in credentials.items()]
        self.port = port

    def make(self, numbers):
        way = numbers.randrange(10)
        if way == 0:
            return b"".join(self.plain(numbers) for _ in range(numbers.randint(1, 20))), True
        if way == 1:
            return bytes(numbers.randrange(256) for _ in range(numbers.randrange(1, 400))), False
        if way < 5:
            return mutated(numbers.choice(self.fixtures), numbers), False
        data = b"".join(self.request(numbers) for _ in range(numbers.choice([1, 1, 1, 2, 5])))
        return (mutated(data, numbers) if way < 9 else data), False

    def plain(self, numbers):
        """A valid request that keeps the connection."""
        path = numbers.choice([path for path in PATHS[:14] if not path.endswith("/ws")])
        head = [f"GET {path} HTTP/1.1".encode(), f"Host: 127.0.0.1:{self.port}".encode(), *self.credentials]
        return b"\r\n".join(head) + b"\r\n\r\n"

    def request(self, numbers):
        """A request, usually with something odd."""
        body = numbers.choice(BODIES)
        version = numbers.choice(["HTTP/1.1"] * 8 + ["HTTP/1.0", "HTTP/2.0", "http/1.1", "HTTP/1.12", ""])
        head = [f"{numbers.choice(METHODS)} {numbers.choice(PATHS)} {version}".encode()]
        head += [f"Host: 127.0.0.1:{self.port}".encode()] * numbers.choice([1] * 12 + [0, 2])
        head += self.credentials * numbers.choice([1, 1, 1, 0])
        head += [numbers.choice(ODD_FIELDS) for _ in range(numbers.choice([0, 0, 1, 1, 2, 5]))]
        head += [b"N%d: 1" % n for n in range(numbers.choice([0] * 15 + [90, 99, 100, 400]))]
        if body:
            head += [b"Content-Type: application/json"] * numbers.choice([1] * 5 + [0])
            if numbers.random() < 0.4:
                head.append(b"Transfer-Encoding: chunked")
                body = chunked(body, numbers)
            else:
                head.append(b"Content-Length: %d" % (len(body) + numbers.choice([0] * 12 + [-1, 1, 4_000_000])))
        fields = head[1:]
        numbers.shuffle(fields)
        head[1:] = fields
        end = numbers.choice([b"\r\n"] * 12 + [b"\n", b"\r", b"\n\r", b"\r\r\n"])
        return end.join(head) + end + end + body


def chunked(body, numbers):
    """The body in chunks, sometimes with odd sizes, extensions and trailers."""
    out, place = b"", 0
    while place < len(body):
        size = min(len(body) - place, numbers.choice([1, 3, 16, 255, 4_096, 100_000]))
        extension = numbers.choice([b""] * 6 + [b";a=b", b";a=\"\\\"\"", b";" + b"x" * 5_000, b" ;", b";\r"])
        said = numbers.choice([b"%x" % size] * 20 + [b"%X" % size, b"0%x" % size, b"+%x" % size, b"ffffffffffffffff", b"-1"])
        out += said + extension + b"\r\n" + body[place:place + size] + numbers.choice([b"\r\n"] * 30 + [b"", b"\n", b"xx"])
        place += size
    trailers = numbers.choice([b""] * 6 + [b"T: 1\r\n", b"Content-Length: 5\r\n", b"T: " + b"x" * 20_000 + b"\r\n", b" x\r\n"])
    return out + numbers.choice([b"0"] * 12 + [b"", b"00000", b"0;x"]) + b"\r\n" + trailers + b"\r\n"
