"""Requests that no library sends: pipelined, in single bytes, with bytes after the end; http.client reads the
answers."""

import http.client
import json
import socket
import sys

import facts
from facts import PERSONAS, expect, expect_equal, step

SECONDS = 20


class Peer:
    """A connection whose responses http.client reads, one after another."""

    def __init__(self, server, user):
        self.server = server
        self.headers = server.headers(server.token(user))
        self.socket = socket.create_connection(("127.0.0.1", server.port), timeout=SECONDS)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.reader = self.socket.makefile("rb")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.reader.close()
        self.socket.close()

    def request(self, method, path, body=None, **more):
        payload = b"" if body is None else json.dumps(body).encode()
        fields = {"Host": f"127.0.0.1:{self.server.port}", **self.headers, **more}
        if payload:
            fields |= {"Content-Type": "application/json", "Content-Length": str(len(payload))}
        lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items()), "", ""]
        return "\r\n".join(lines).encode() + payload

    def response(self, method="GET"):
        answer = http.client.HTTPResponse(Shared(self.reader), method=method)
        answer.begin()
        body = answer.read()
        return answer.status, answer.headers, json.loads(body) if body else None

    def expect_end(self):
        expect_equal(self.reader.read(), b"", "what follows the last response")


class Shared:
    """Passes the connection's reader to an HTTPResponse, which would otherwise close it with the buffered bytes."""

    def __init__(self, reader):
        self.reader = reader

    def makefile(self, _mode):
        return self

    def readline(self, limit=-1):
        return self.reader.readline(limit)

    def read(self, count=-1):
        return self.reader.read(count)

    def readinto(self, buffer):
        return self.reader.readinto(buffer)

    def flush(self):
        pass

    def close(self):
        pass


def pipelining(server):
    step("fourteen requests in one segment are answered in their order")
    with Peer(server, "pipelining") as peer:
        path = "/api/v1/consultations"
        wishes = [(persona, context) for persona in PERSONAS for context in ("general", "mood", "journal")][:10]
        requests = [peer.request("POST", path, {"persona": p, "context_type": c}) for p, c in wishes]
        requests += [peer.request("HEAD", path), peer.request("OPTIONS", path), peer.request("GET", f"{path}?page=0")]
        peer.socket.sendall(b"".join(requests + [peer.request("GET", path, Connection="close")]))
        for persona, context in wishes:
            status, _, answer = peer.response()
            got = (status, answer["data"]["persona"], answer["data"]["context_type"])
            expect_equal(got, (201, persona, context), "the response in this place")
        status, fields, answer = peer.response("HEAD")
        expect(status == 200 and int(fields["Content-Length"]) > 1000 and answer is None, "a bare head", fields.items())
        status, fields, _ = peer.response("OPTIONS")
        expect_equal((status, fields["Allow"]), (204, "GET, HEAD, POST, OPTIONS"), "OPTIONS")
        expect_equal(peer.response()[0], 400, "the status of page=0")
        status, fields, answer = peer.response()
        expect_equal((status, answer["data"]["pagination"]["total_count"]), (200, 10), "the list")
        expect_equal(fields["Connection"], "close", "Connection")
        peer.expect_end()


def single_bytes(server):
    step("a request that arrives in single bytes, its body chunked, with a trailer")
    with Peer(server, "single_bytes") as peer:
        head = peer.request(
            "POST", "/api/v1/consultations", **{"Transfer-Encoding": "chunked", "Content-Type": "application/json"})
        body = b'5;x=y\r\n{"per\r\n13\r\nsona":"nutritionist\r\n2\r\n"}\r\n0\r\nChecked: no\r\n\r\n'
        for byte in head + body:
            peer.socket.sendall(bytes([byte]))
        status, _, answer = peer.response()
        expect_equal((status, answer["data"]["persona"]), (201, "nutritionist"), "the response")


def half_closed(server):
    step("a client that has sent its last byte still gets its answers")
    with Peer(server, "half_closed") as peer:
        peer.socket.sendall(peer.request("GET", "/api/v1/consultations") * 3)
        peer.socket.shutdown(socket.SHUT_WR)
        for _ in range(3):
            expect_equal(peer.response()[0], 200, "the status")
        peer.expect_end()


def broken(server):
    step("what is no HTTP is refused with 4xx and a reason, and the connection ends")
    for text, wanted in [
        (b"GARBAGE\r\n\r\n", 400), (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\n\r\n", 400), (b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"x" * 100_000 + b"\r\n\r\n", 431),
    ]:
        with Peer(server, "broken") as peer:
            peer.socket.sendall(text)
            status, fields, answer = peer.response()
            expect_equal((status, fields["Connection"]), (wanted, "close"), f"the response to {text[:40]!r}")
            expect(len(answer["error"]["message"]) > 20, "a reason", answer)
            peer.expect_end()


CHAPTERS = {function.__name__: function for function in [pipelining, single_bytes, half_closed, broken]}


def tell_all(server, chapters):
    for chapter in chapters:
        print(f"{chapter.__name__}, with sockets", flush=True)
        chapter(server)


if __name__ == "__main__":
    print(f"http.client of Python {sys.version.split()[0]}")
    facts.main(tell_all, CHAPTERS)
