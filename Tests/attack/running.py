"""Starts fitiq-mock as a process, sends requests, measures and ends it."""

import contextlib
import http.client
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

START_SECONDS = 30
STOP_SECONDS = 20
# The time limit for any single answer.
ANSWER_SECONDS = 20

ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("FITIQ_MOCK_")}


class NotReady(Exception):
    """A server that ended, or stayed silent, before it was ready; with its exit status and its log."""

    def __init__(self, status, log, is_late):
        super().__init__(f"exit {status}: {log[-1000:]}")
        self.status, self.log, self.is_late = status, log, is_late


class Server:
    """A fitiq-mock that serves, records or replays on a port that the system chooses."""

    def __init__(self, program, command, *options, folder, before=None):
        self.ready_file = pathlib.Path(tempfile.mktemp(prefix="ready-", suffix=".json", dir=str(folder)))
        self.log_file = pathlib.Path(f"{self.ready_file}.log")
        environment = {**ENVIRONMENT, "FITIQ_MOCK_DATA_DIR": str(pathlib.Path(folder) / "data")}
        with open(self.log_file, "wb") as log:
            self.process = subprocess.Popen(
                [*program, command, *map(str, options), "--port", "0", "--ready-file", str(self.ready_file)],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log, env=environment, preexec_fn=before)
        deadline = time.monotonic() + START_SECONDS
        while not (self.ready_file.exists() and self.ready_file.stat().st_size):
            if self.process.poll() is not None or time.monotonic() > deadline:
                is_late = self.process.returncode is None
                self.kill()
                raise NotReady(self.process.returncode, self.log(), is_late)
            time.sleep(0.004)
        self.ready = json.loads(self.ready_file.read_text())
        self.url = self.ready["url"]
        self.port = int(self.url.rsplit(":", 1)[1])

    @property
    def credentials(self):
        return {"Authorization": f"Bearer {self.ready['token']}", "X-API-Key": self.ready["api_key"]}

    def log(self):
        return self.log_file.read_text(errors="replace")

    def is_alive(self):
        return self.process.poll() is None

    def memory(self):
        """Resident memory in MiB."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status")
        if status.exists():
            for line in status.read_text().splitlines():
                if line.startswith("VmRSS:"):
                    return int(line.split()[1]) / 1024
            return 0.0
        text = subprocess.run(["ps", "-o", "rss=", "-p", str(self.process.pid)], capture_output=True, text=True).stdout
        return int(text or 0) / 1024

    def connect(self, seconds=ANSWER_SECONDS):
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=seconds)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def health(self, seconds=5.0):
        """The duration of GET /health over a new connection, in seconds; None without a 200 in time."""
        start = time.monotonic()
        try:
            client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=seconds)
            with contextlib.closing(client):
                client.request("GET", "/health")
                status = client.getresponse().status
        except (OSError, http.client.HTTPException):
            return None
        return time.monotonic() - start if status == 200 else None

    def trouble(self, memory_limit, seconds=5.0):
        """The server's problem after an attack; None if there is none."""
        if not self.is_alive():
            return f"the server ended with {self.process.returncode}: {self.log()[-1000:]}"
        if self.health(seconds) is None:
            return f"/health had no 200 within {seconds:g} s"
        if self.memory() > memory_limit:
            return f"the server holds {self.memory():.0f} MiB, of {memory_limit} allowed"
        return None

    def stop(self):
        """Asks it to end; returns its exit status, negative for a signal."""
        if self.is_alive():
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            return None

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


def cut(connection):
    """Ends a socket that another thread may be reading, or may have closed."""
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


class Client:
    """A client with one persistent connection, and limits for each answer: between two bytes, and in total."""

    def __init__(self, server, seconds=ANSWER_SECONDS, headers=None, in_all=None):
        self.headers = {**server.credentials, "Content-Type": "application/json"} if headers is None else headers
        self.in_all = in_all
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=seconds)

    def send(self, method, path, body=None, headers=None):
        """A request's status and the bytes of its answer; `body` is JSON, or bytes."""
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        timer = None
        try:
            if not self.connection.sock:
                self.connection.connect()
            if self.in_all:
                timer = threading.Timer(self.in_all, cut, [self.connection.sock])
                timer.start()
            self.connection.request(method, path, data, {**self.headers, **(headers or {})})
            answer = self.connection.getresponse()
            return answer.status, answer.read()
        except BaseException:
            self.connection.close()
            raise
        finally:
            if timer:
                timer.cancel()

    def ask(self, method, path, body=None, status=None):
        """The JSON of an answer, whose status must be `status`, or a success."""
        got, data = self.send(method, path, body)
        if got != status if status else got >= 300:
            raise AssertionError(f"{method} {path} was answered with {got}: {data[:500]!r}")
        return json.loads(data) if data else None

    def close(self):
        self.connection.close()


@contextlib.contextmanager
def running(settings, command, *options, folder, before=None):
    """A server for the duration of a block; killed if the block ends before it is stopped."""
    server = Server(settings.program, command, *options, folder=folder, before=before)
    try:
        yield server
    finally:
        server.kill()


class Ended:
    """A command that ran to its end: exit status, output, errors, seconds, peak memory in MiB."""

    def __init__(self, status, output, errors, seconds, memory, is_late):
        self.status, self.output, self.errors = status, output, errors
        self.seconds, self.memory, self.is_late = seconds, memory, is_late


def run(program, *arguments, seconds=30.0, data=None, before=None, output=None):
    """Runs a command with a time limit; beyond it, the command is killed and reported as late."""
    start = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors, tempfile.TemporaryFile() as given:
        given.write(data or b"")
        given.seek(0)
        process = subprocess.Popen(
            [*program, *map(str, arguments)], stdin=given, stdout=output or out, stderr=errors, env=ENVIRONMENT,
            preexec_fn=before)
        late = threading.Event()

        def end():
            late.set()
            process.kill()

        timer = threading.Timer(seconds, end)
        timer.start()
        try:
            # Unlike Popen.wait, this reports the memory of this one child.
            _, status, usage = os.wait4(process.pid, 0)
        finally:
            timer.cancel()
        process.returncode = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
        out.seek(0)
        errors.seek(0)
        scale = 1024 * 1024 if sys.platform == "darwin" else 1024
        return Ended(
            process.returncode, out.read(), errors.read(), time.monotonic() - start, usage.ru_maxrss / scale,
            late.is_set())
