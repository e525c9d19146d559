"""A harness starts the server with a pipe for its log and never reads it: the server continues, and stops cleanly."""

import json
import os
import socket
import subprocess
import sys
import tempfile
import urllib.request

program = sys.argv[2]
with tempfile.TemporaryDirectory() as folder:
    ready = os.path.join(folder, "ready.json")
    # The remains of a killed server.
    ended = subprocess.Popen(["true"])
    ended.wait()
    with open(ready, "w") as stale:
        json.dump({"url": "http://127.0.0.1:9", "ws_url": "ws://127.0.0.1:9", "pid": ended.pid}, stale)
    server = subprocess.Popen(
        [program, "serve", "--port", "0", "--instant", "--ready-file", ready],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        while not server.stdout.readline().startswith("Stop with Ctrl-C."):
            assert server.poll() is None, "the server ended before it was ready"
        with open(ready) as file:
            facts = json.load(file)
        assert facts["pid"] == server.pid, "the ready file is an earlier server's"
        host, port = facts["url"].removeprefix("http://").split(":")
        # Each request is refused, and so logged; together they are many times the size of a pipe.
        for _ in range(3000):
            with socket.create_connection((host, int(port)), timeout=5) as connection:
                connection.sendall(b"G\r\n\r\n")
                assert connection.recv(4096).startswith(b"HTTP/1.1 400 "), "a refusal did not come"
        with urllib.request.urlopen(facts["url"] + "/health", timeout=5) as answer:
            assert answer.status == 200
        server.terminate()
        assert server.wait(timeout=5) == 0, "the server did not stop in order"
        assert not os.path.exists(ready), "the ready file outlives the server"
        lines = server.stderr.read().splitlines()
        assert 100 < len(lines) < 3000 and "refused with 400" in lines[0], lines[:1]
    finally:
        server.kill()
        server.wait()
