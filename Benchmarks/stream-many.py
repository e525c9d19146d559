"""Many chats at once over ws or wss, so that both can be compared by the server's processor time.

    stream-many.py --url ws://127.0.0.1:PORT | wss://… --pid PID --secret SECRET --api-key KEY
                   [--ca FILE] [--connections 1000] [--seconds 15]

Each connection asks, and asks again after each complete answer, until the time is over. In the end every answer must
equal the stored message. Prints chunks per second, and the server's processor time as percent of a core; exits with 1
if a connection failed or an answer differs. It does not measure lateness, because Python itself is late with this many
chunks.
"""

import argparse
import asyncio
import base64
import hashlib
import hmac
import http.client
import json
import os
import ssl
import sys
import time
import urllib.parse


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def token(secret, user):
    parts = [encoded(json.dumps(part).encode()) for part in ({"alg": "HS256"}, {"sub": user, "exp": int(time.time()) + 3600})]
    signed = ".".join(parts)
    return f"{signed}.{encoded(hmac.new(secret.encode(), signed.encode(), hashlib.sha256).digest())}"


def processor_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def client_frame(opcode, payload):
    assert len(payload) < 126
    return bytes([0x80 | opcode, 0x80 | len(payload), 0, 0, 0, 0]) + payload  # a mask of zeros changes nothing


class Chat:
    """A chat of one user, in one consultation, on one socket."""

    MESSAGE = client_frame(1, b'{"type":"message","content":"What should I eat for breakfast?"}')

    def __init__(self, options, context, place):
        self.options, self.context = options, context
        self.url = urllib.parse.urlsplit(options.url)
        secret, user = options.secret, f"bench-{place}"
        self.headers = {"Authorization": f"Bearer {token(secret, user)}", "X-API-Key": options.api_key}
        self.id, self.answers, self.chunks = None, [], 0

    def create(self, rest):
        rest.request(
            "POST", "/api/v1/consultations", '{"persona":"nutritionist"}',
            {**self.headers, "Content-Type": "application/json"})
        self.id = json.loads(rest.getresponse().read())["data"]["id"]

    async def open(self):
        self.reader, self.writer = await asyncio.open_connection(
            self.url.hostname, self.url.port, ssl=self.context, server_hostname="localhost" if self.context else None)
        fields = {
            "Host": self.url.netloc, "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", **self.headers}
        head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        self.writer.write(f"GET /api/v1/consultations/{self.id}/ws HTTP/1.1\r\n{head}\r\n".encode())
        answer = await self.reader.readuntil(b"\r\n\r\n")
        if not answer.startswith(b"HTTP/1.1 101 "):
            raise ConnectionError(f"the handshake was answered with {answer[:200]}")
        await self.frame()

    async def frame(self):
        while True:
            first, length = await self.reader.readexactly(2)
            if length == 126:
                length = int.from_bytes(await self.reader.readexactly(2))
            elif length == 127:
                length = int.from_bytes(await self.reader.readexactly(8))
            payload = await self.reader.readexactly(length)
            if first == 0x81:
                return payload
            if first == 0x89:
                self.writer.write(client_frame(10, payload))
            else:
                raise ConnectionError(f"a frame that begins with {first:#x}: {payload[:200]}")

    async def talk(self, end):
        while time.monotonic() < end:
            self.writer.write(self.MESSAGE)
            answer = []
            while b'"stream_complete"' not in (frame := await self.frame()):
                if b'"stream_chunk"' in frame:
                    answer.append(frame)
            self.answers.append(answer)
            self.chunks += len(answer)
        self.writer.close()

    def compare(self, rest):
        rest.request("GET", f"/api/v1/consultations/{self.id}/messages", headers=self.headers)
        messages = json.loads(rest.getresponse().read())["data"]["messages"]
        stored = [message["content"] for message in messages if message["role"] == "assistant"]
        heard = ["".join(json.loads(chunk)["content"] for chunk in answer) for answer in self.answers]
        if heard != stored:
            raise AssertionError(f"consultation {self.id}: {len(heard)} answers were heard, {len(stored)} others are stored")


async def talk_all(chats, seconds, pid):
    for chat in chats:
        await chat.open()
    before, start = processor_seconds(pid), time.monotonic()
    await asyncio.gather(*(chat.talk(start + seconds) for chat in chats))
    return processor_seconds(pid) - before, time.monotonic() - start


def main():
    parser = argparse.ArgumentParser()
    for name in ["--url", "--secret", "--api-key"]:
        parser.add_argument(name, required=True)
    parser.add_argument("--pid", type=int, required=True)
    parser.add_argument("--ca")
    parser.add_argument("--connections", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=15)
    options = parser.parse_args()
    url = urllib.parse.urlsplit(options.url)
    context = ssl.create_default_context(cafile=options.ca) if url.scheme == "wss" else None
    rest = (
        http.client.HTTPSConnection("localhost", url.port, context=context, timeout=20) if context
        else http.client.HTTPConnection(url.hostname, url.port, timeout=20))
    chats = [Chat(options, context, place) for place in range(options.connections)]
    for chat in chats:
        chat.create(rest)
    processor, elapsed = asyncio.run(talk_all(chats, options.seconds, options.pid))
    for chat in chats:
        chat.compare(rest)
    chunks = sum(chat.chunks for chat in chats)
    print(f"{chunks / elapsed:.0f} {100 * processor / elapsed:.1f} {1e6 * processor / chunks:.2f}")


try:
    main()
except (AssertionError, OSError, EOFError, KeyError) as trouble:
    sys.exit(f"stream-many: {type(trouble).__name__}: {trouble}")
