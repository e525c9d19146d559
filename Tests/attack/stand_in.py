"""A stand-in for fitiq-mock with a mistake for each part of the attack: a part that finds nothing here is useless.

It serves every path with the same JSON, waits a second for journals, keeps memory for each request to a world, answers
invalid HTTP with a page, echoes masked frames or resets, is busy while many sockets are open, records invalid JSON
(`serve --record`) or nothing (`record`), keeps no state, leaves its files behind at a signal, accepts every file,
deletes no world, has a clock that ignores changes of the system's, and does not check Origin.
"""

import base64
import hashlib
import http.server
import json
import os
import select
import signal
import socket
import sqlite3
import struct
import sys
import threading
import time

LEAK = 1_000_000
# Everything that clients of a consultation wait for; and one masked frame, which a server must not send.
TEXTS = [b'{"type":"%s"}' % kind for kind in (b"connected", b"pong", b"stream_chunk", b"stream_complete")]
FRAMES = b"".join(bytes([0x81, len(text)]) + text for text in TEXTS)
MASKED = bytes([0x81, 0x80 | len(TEXTS[0])]) + b"\0\0\0\0" + TEXTS[0]
MANY_SOCKETS = 100
STARTED = time.time() - time.monotonic()


def now():
    return STARTED + time.monotonic()


def moment():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now()))


def answer():
    claims = base64.urlsafe_b64encode(json.dumps({"exp": int(now()) + 3600}).encode()).decode().rstrip("=")
    return json.dumps({
        "success": True, "data": {"id": "x", "goals": [{"id": "x"}], "consultations": [{"id": "x"}]}, "id": "x",
        "token": f"x.{claims}.x", "api_key": "x", "clock": "real", "now": moment(), "createdAt": moment(), "worlds": [{"id": "x"}],
    }).encode()


def journal():
    return json.dumps({"kind": "note", "time": moment()}).encode() + b"\n"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    one_at_a_time = threading.Lock()
    leaked, sockets, echoes = [], 0, 0

    def handle_any(self):
        length = int(self.headers.get("Content-Length") or 0)
        self.rfile.read(length)
        if "Upgrade" in self.headers:
            return self.speak_frames()
        with Handler.one_at_a_time:
            if self.path.startswith("/w/") or (self.command, self.path) == ("POST", "/__admin/worlds"):
                Handler.leaked.append(b"x" * LEAK)
            self.answer()

    def answer(self):
        status, body = (201 if self.command == "POST" else 200), answer()
        if Handler.sockets > MANY_SOCKETS:
            status = 503
        elif self.path.endswith("/journal"):
            # Longer than the bound of a short attack. libfaketime breaks Python's own sleep.
            select.select([], [], [], 3)
            body = journal() * 20
        elif self.path.endswith("/metrics"):
            body = b"fitiq_mock_stored_bytes %d\n" % (len(Handler.leaked) * LEAK // 10)
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(b"" if self.command == "HEAD" else body)

    def speak_frames(self):
        key = self.headers.get("Sec-WebSocket-Key", "") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        self.send_response(101)
        for name, value in [("Upgrade", "websocket"), ("Connection", "Upgrade"),
                            ("Sec-WebSocket-Accept", base64.b64encode(hashlib.sha1(key.encode()).digest()).decode())]:
            self.send_header(name, value)
        self.end_headers()
        is_echo = self.path.endswith("/echo")
        Handler.echoes += is_echo
        self.close_connection = True
        if is_echo and Handler.echoes % 3:
            # Including the end, so that no unread bytes would explain a reset.
            while self.connection.recv(1 << 18):
                pass
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            return os.close(self.connection.detach())
        frame = MASKED if is_echo else FRAMES
        self.wfile.write(frame)
        Handler.sockets += 1
        # Until a close frame, or bytes that look like one.
        while b"\x88" not in (self.connection.recv(1 << 18) or b"\x88"):
            self.wfile.write(frame)
        Handler.sockets -= 1

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_OPTIONS = handle_any

    def date_time_string(self, timestamp=None):
        return super().date_time_string(now())

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1_024

    def handle_error(self, *_):
        pass


def serve(options):
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    for name, text in [("--record", '{"log":{"entries":['), ("--output", '{"log":{"entries":[]}}')]:
        if name in options:
            with open(options[options.index(name) + 1], "w") as file:
                file.write(text)
    if "--state" in options and not os.path.exists(options[options.index("--state") + 1]):
        sqlite3.connect(options[options.index("--state") + 1]).executescript(
            "CREATE TABLE server (serial); INSERT INTO server VALUES (1); CREATE TABLE world (name); CREATE TABLE entity (id)")
        os.chmod(options[options.index("--state") + 1], 0o600)
    server = Server(("127.0.0.1", 0), Handler)
    ready = options[options.index("--ready-file") + 1]
    with open(ready + ".new", "w") as file:
        json.dump({"url": f"http://127.0.0.1:{server.server_port}", "token": "x", "api_key": "x"}, file)
    os.rename(ready + ".new", ready)
    server.serve_forever()


def main():
    command, options = sys.argv[1], sys.argv[2:]
    if command in ("serve", "record"):
        serve(options)
    elif command == "check":
        print("\n".join(f"{file}: ok" for file in options))
    # show, diff, judge and replay accept any input.


if __name__ == "__main__":
    main()
