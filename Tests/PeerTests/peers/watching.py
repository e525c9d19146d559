"""The output of `fitiq-mock watch`, of `serve --watch-traffic` and of the log, for a person at a terminal or a
script."""

import contextlib
import fcntl
import json
import os
import pty
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
import urllib.error
import urllib.request

LIMIT = 20
ID = "abcdef00-0000-4000-8000-000000000000"


class Output:
    """A program's output to a descriptor, as it arrives."""

    def __init__(self, descriptor):
        self.descriptor = descriptor
        self.text = ""

    def read(self, until):
        end = time.monotonic() + LIMIT
        while not re.search(until, self.text):
            ready, _, _ = select.select([self.descriptor], [], [], max(0, end - time.monotonic()))
            assert ready, f"{until!r} did not come: {self.text!r}"
            piece = os.read(self.descriptor, 65536)
            assert piece, f"the output ended before {until!r}: {self.text!r}"
            self.text += piece.decode()
        return self.text

    def take(self, until):
        text = self.read(until)
        self.text = ""
        return text


class Watch:
    """A `watch` whose output goes to pipes."""

    def __init__(self, url, *options, environment=None):
        self.process = subprocess.Popen(
            [program, "watch", "--url", url, *options], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env={**os.environ, **(environment or {})})
        self.output = Output(self.process.stdout.fileno())
        self.errors = Output(self.process.stderr.fileno())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def begun(self, url):
        """Waits until it shows traffic: requests an unknown path until that is shown."""
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            status(url + "/begin")
            ready, _, _ = select.select([self.output.descriptor], [], [], 0.2)
            if ready:
                # A request after it, so that no answer to /begin is left.
                status(url + "/begun")
                self.output.take("GET  /begun .*\n")
                return
        raise AssertionError("nothing is shown")

    def end(self, how=signal.SIGINT):
        self.process.send_signal(how)
        assert self.process.wait(LIMIT) == 0, "it did not end in order"


def status(url, fields={}, body=None):
    request = urllib.request.Request(url, headers=fields, data=body)
    try:
        with urllib.request.urlopen(request, timeout=LIMIT) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        error.read()
        return error.code


@contextlib.contextmanager
def served(*options, **keywords):
    """A separate server: its process and its address."""
    with tempfile.TemporaryDirectory() as folder:
        ready = os.path.join(folder, "ready.json")
        port = [] if "--port" in options else ["--port", "0"]
        process = subprocess.Popen(
            [program, "serve", "--instant", "--ready-file", ready, *port, *options],
            **{"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **keywords})
        try:
            end = time.monotonic() + LIMIT
            while not os.path.exists(ready) or not os.path.getsize(ready):
                assert process.poll() is None and time.monotonic() < end, "the server did not start"
                time.sleep(0.02)
            with open(ready) as file:
                yield process, json.load(file)["url"]
        finally:
            process.kill()
            process.wait()


def piped():
    with Watch(url) as watch:
        watch.begun(url)
        assert status(url + "/api/v1/consultations", credentials, b'{"persona":"nutritionist"}') == 201
        assert status(f"{url}/api/v1/consultations/{ID.upper()}", credentials) == 404
        text = watch.output.read("NOT_FOUND")
        lines = text.splitlines()
        assert re.fullmatch(r"\d\d:\d\d:\d\d\.\d{3}  201 +0 ms +\d+ B  POST /api/v1/consultations", lines[0]), lines
        assert lines[1].endswith("  NOT_FOUND") and "\x1b" not in text, lines
        assert watch.errors.read("\n") == f"fitiq-mock: watching {url}\n", watch.errors.text
        watch.end()
    # A reader that has seen enough ends it.
    with Watch(url) as watch:
        watch.begun(url)
        watch.process.stdout.close()
        end = time.monotonic() + LIMIT
        while watch.process.poll() is None and time.monotonic() < end:
            status(url + "/more")
        assert watch.process.wait(LIMIT) == 0, "it did not end with its reader"
    # Without a server, with https, and with a world that is not there.
    for address, words in [("http://127.0.0.1:1", "Start the server"), ("https://127.0.0.1:1", "plain port")]:
        refused = subprocess.run([program, "watch", "--url", address], capture_output=True, text=True, timeout=LIMIT)
        assert refused.returncode == 2 and words in refused.stderr and refused.stdout == "", refused
    refused = subprocess.run(
        [program, "watch", "--url", url, "--world", "nowhere"], capture_output=True, text=True, timeout=LIMIT)
    assert refused.returncode == 2 and "answered 404" in refused.stderr, refused


def filter():
    with Watch(url, "--filter", "status=4xx Wanted", "--bodies") as watch:
        # Nothing is shown before this.
        end = time.monotonic() + LIMIT
        while not select.select([watch.output.descriptor], [], [], 0.2)[0]:
            assert time.monotonic() < end, "nothing is shown"
            status(url + "/other")
            status(url + "/docs?wanted")
            status(url + "/wanted")
        status(url + "/last/wanted/" + "a" * 200)
        text = watch.output.read("/last.*\n(.*\n)*? +}\n")
        shown = [line for line in text.splitlines() if re.match(r"\d\d:", line)]
        assert all("  404 " in line and "/wanted" in line for line in shown), shown
        assert len(shown[-1]) == 120 and shown[-1].endswith("…"), shown[-1]
        assert '                  "success": false,' in text, text
        watch.end(signal.SIGTERM)


def restart():
    with served() as (first, address):
        with Watch(address) as watch:
            watch.begun(address)
            first.terminate()
            watch.errors.take("the connection was lost .*trying again\n")
            first.wait(LIMIT)
            with served("--port", address.split(":")[-1]) as (second, again):
                assert again == address
                watch.errors.take("reconnected: .*\n")
                assert status(address + "/after") == 404
                watch.output.take("GET  /after .*\n")
                # Killed, not stopped, so the connection has no proper end.
                second.kill()
                watch.errors.take("the connection was lost .*trying again\n")
            watch.end()


@contextlib.contextmanager
def terminal(*options, environment={}):
    """A `watch` on a terminal of 70 columns."""
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 70, 0, 0))
    before = termios.tcgetattr(side)
    variables = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    process = subprocess.Popen(
        [program, "watch", "--url", url, *options], stdin=side, stdout=side, stderr=side, start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0), env={**variables, **environment})
    try:
        yield process, Output(main), side, before
    finally:
        process.kill()
        process.wait()
        os.close(main)
        os.close(side)


def keys():
    def press(text):
        os.write(output.descriptor, text.encode())

    def begin():
        output.read("q quits")
        end = time.monotonic() + LIMIT
        while "/begin" not in output.text:
            assert time.monotonic() < end, output.text
            status(url + "/begin")
            if select.select([output.descriptor], [], [], 0.2)[0]:
                output.read("(?s).*")
                output.text += os.read(output.descriptor, 65536).decode()
        status(url + "/begun")
        return output.take("GET  /begun .*\n")

    with terminal() as (process, output, side, before):
        text = begin()
        assert "\x1b[33m404\x1b[0m" in text, text
        plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
        assert all(len(line) <= 70 for line in plain.splitlines() if re.match(r"\d\d:", line)), plain
        assert not termios.tcgetattr(side)[3] & (termios.ICANON | termios.ECHO)
        press(" ")
        output.take("paused")
        status(url + "/while-paused")
        press("p")
        assert "/while-paused" not in output.take("pings: hidden")
        press(" ")
        output.take("/while-paused .*\n")
        press("/only-this\n")
        output.take("filter: only-this")
        status(url + "/not-that")
        status(url + "/only-this")
        assert "/not-that" not in output.take("/only-this .*\n")
        # The shell gets its terminal back while the program is stopped, and after its end.
        press("\x1a")
        assert os.WIFSTOPPED(os.waitpid(process.pid, os.WUNTRACED)[1])
        assert termios.tcgetattr(side) == before
        os.kill(process.pid, signal.SIGCONT)
        status(url + "/only-this/again")
        output.take("/only-this/again .*\n")
        press("c")
        output.take(re.escape("\x1b[2J"))
        press("q")
        assert process.wait(LIMIT) == 0
        assert termios.tcgetattr(side) == before
    with terminal(environment={"NO_COLOR": ""}) as (process, output, side, before):
        assert "\x1b[" not in begin()
        press("\x03")
        assert process.wait(LIMIT) == 0
        assert termios.tcgetattr(side) == before


def events():
    """A server that reports its world and verdicts, and then is another server."""

    def world(instance, last):
        return f'event: world\ndata: {{"id":"default","instance":"{instance}","last_number":{last}}}\n\n'

    def note(number, text):
        entry = {"number": number, "time": "2025-01-29T10:30:00Z", "kind": "note", "text": text}
        return f"id: {number}\nevent: note\ndata: {json.dumps(entry)}\n\n"

    finding = {"level": "must", "message": "It was \x1b[31mred.", "entries": [2]}
    row = {"id": "ids/lowercase", "level": "must", "verdict": "broken", "finding_count": 1, "finding": finding}
    verdicts = f"event: verdicts\ndata: {json.dumps({'verdicts': [row]})}\n\n"
    answers = [
        world("a", 1) + note(2, "first") + verdicts,
        # The same server again: its verdicts are known.
        world("a", 2) + verdicts + note(3, "second"),
        # Another server: a continuation is not shown.
        world("b", 9) + note(9, "wrong"),
        world("b", 9) + note(1, "third") + verdicts,
    ]
    requests = []

    def answer(listener):
        for text in answers:
            connection, _ = listener.accept()
            with connection:
                request = b""
                while not request.endswith(b"\r\n\r\n"):
                    request += connection.recv(4096)
                requests.append(request.decode())
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + text.encode())

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=answer, args=[listener])
        thread.start()
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        with Watch(address) as watch:
            text = watch.output.read("third\n(.*\n)*.*red.*\n")
            thread.join(LIMIT)
            breach = "                ✗ must ids/lowercase: It was \\x1B[31mred. (#2)"
            expected = ["first", breach, "second", "third", breach]
            assert [line.split(" · ")[-1] for line in text.splitlines()] == expected, text
            watch.errors.read("has restarted")
            watch.end()
    seen = [re.search(r"Last-Event-ID: (\d+)", request) for request in requests]
    assert [match and match[1] for match in seen] == [None, "2", "3", "0"], requests


def token():
    with served("--admin-token", "secret") as (_, address):
        refused = subprocess.run([program, "watch", "--url", address], capture_output=True, text=True, timeout=LIMIT)
        assert refused.returncode == 2 and "answered 401" in refused.stderr, refused
        assert "--admin-token" in refused.stderr, refused
        with Watch(address, environment={"FITIQ_MOCK_ADMIN_TOKEN": "secret"}) as watch:
            watch.begun(address)
            watch.end()


def traffic():
    with served("--watch-traffic", stdout=subprocess.PIPE) as (server, address):
        output = Output(server.stdout.fileno())
        output.take("Stop with Ctrl-C.\n")
        assert status(f"{address}/api/v1/consultations/{ID.upper()}", credentials) == 404
        text = output.take(r"✗ must ids/lowercase: .* \(#1\)\n")
        assert re.match(r"\d\d:\d\d:\d\d\.\d{3}  404 ", text) and "\x1b" not in text, text
        # Nothing reads any more: the server continues, and later reports the lost lines.
        for _ in range(2000):
            assert status(address + "/unread") == 404
        assert status(address + "/health") == 200
        output.take("/unread")
        end = time.monotonic() + LIMIT
        while "lines dropped" not in output.text:
            assert time.monotonic() < end, "lost lines are not counted"
            status(address + "/late")
            if select.select([output.descriptor], [], [], 0.1)[0]:
                output.text += os.read(output.descriptor, 1 << 20).decode()
        server.terminate()
        assert server.wait(LIMIT) == 0


def log():
    with served("--log-level", "info", "--log-format", "json", stderr=subprocess.PIPE) as (server, address):
        assert status(address + "/api/v1/goals?token=secret") == 401
        assert status(address + "/health") == 200
        with socket.create_connection(("127.0.0.1", int(address.split(":")[-1]))) as connection:
            connection.sendall(b"G\r\n\r\n")
            assert connection.recv(4096).startswith(b"HTTP/1.1 400 ")
        errors = Output(server.stderr.fileno())
        lines = [json.loads(line) for line in errors.read('"refused".*\n').splitlines()]
        assert [line["event"] for line in lines] == ["exchange", "answered", "refused"], lines
        first = lines[0]
        assert first["status"] == 401 and first["duration_ms"] == 0 and first["code"] == "UNAUTHORIZED", first
        assert first["target"] == "/api/v1/goals?token=…" and first["level"] == "info", first
        assert "secret" not in errors.text and lines[2]["level"] == "warning"
        server.terminate()
        assert server.wait(LIMIT) == 0


with open(sys.argv[1]) as file:
    facts = json.load(file)
program, url = sys.argv[2], facts["url"]
credentials = {
    "Authorization": f"Bearer {facts['token']}", "X-API-Key": facts["api_key"], "Content-Type": "application/json"}
for chapter in sys.argv[3:]:
    globals()[chapter]()
