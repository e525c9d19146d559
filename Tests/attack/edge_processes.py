"""Cases of other processes: upstreams that do not speak HTTP, and commands that leave processes behind."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

from edge_files import Skipped
from running import ENVIRONMENT, run, running

SECONDS = 20


class Upstream(threading.Thread):
    """Answers each connection with the same bytes, a given number of times or as long as they are accepted."""

    def __init__(self, data, is_endless=False):
        super().__init__(daemon=True)
        self.data, self.is_endless = data, is_endless
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.sent = 0

    def run(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with contextlib.closing(connection), contextlib.suppress(OSError):
                connection.settimeout(SECONDS)
                connection.recv(65_536)
                connection.sendall(self.data)
                self.sent += 1
                while self.is_endless:
                    connection.sendall(self.data * 100)
                    self.sent += 100
                # The answer does not end by closing.
                connection.recv(1)


def relayed(settings, folder, data, is_endless=False):
    """The status that a client of `record` gets for an upstream's bytes; None if none came in time."""
    upstream = Upstream(data, is_endless)
    upstream.start()
    try:
        with running(settings, "record", "--upstream", upstream.url, "--output", folder / "session.har", folder=folder) as proxy:
            with contextlib.closing(socket.create_connection(("127.0.0.1", proxy.port), timeout=SECONDS)) as connection:
                connection.sendall(b"GET /api/v1/goals HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                received, deadline = b"", time.monotonic() + SECONDS
                while time.monotonic() < deadline:
                    data = connection.recv(1 << 18)
                    received = (received + data)[-1_000_000:]
                    for line in received.split(b"\r\n"):
                        if line.startswith(b"HTTP/1.1 ") and not line.startswith(b"HTTP/1.1 1"):
                            return int(line.split()[1])
                    if not data:
                        return None
            return "no end of 1xx"
    except socket.timeout:
        return None
    finally:
        upstream.listener.close()


def impossible_length(settings, folder):
    for length in [b"18446744073709551616", b"9223372036854775808", b"-1", b"1, 2", b"1e3"]:
        data = b"HTTP/1.1 200 OK\r\nContent-Length: " + length + b"\r\n\r\nx"
        (folder / length.decode()).mkdir()
        status = relayed(settings, folder / length.decode(), data)
        if status != 502:
            return f"a client got {status} for an answer whose Content-Length is {length.decode()}, 502 was due"
    return None


def endless_informational_answers(settings, folder):
    status = relayed(settings, folder, b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", is_endless=True)
    return None if status == 502 else f"a client got {status} for 1xx answers without end, 502 was due"


def grandchild(settings, folder, *options):
    """The problem with verify and a child of its command that has left the session."""
    if sys.platform != "linux":
        raise Skipped
    place = folder / "pid"
    command = f"setsid sh -c 'echo $$ > {place}; exec sleep 300' & while [ ! -s {place} ]; do sleep 0.05; done; "
    command += "sleep 300" if options else "true"
    run(settings.program, "verify", "--quiet", *options, "--", "sh", "-c", command, seconds=60)
    if has_ended(int(place.read_text()), seconds=2):
        return None
    return "a process that the command left behind in a session of its own still runs"


def has_ended(pid, seconds):
    """Whether a process ends in time; if not, it is killed."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not is_running(pid):
            return True
        time.sleep(0.05)
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    return False


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def verify_leaves_nothing(settings, folder):
    return grandchild(settings, folder)


def verify_leaves_nothing_at_its_time_limit(settings, folder):
    return grandchild(settings, folder, "--time-limit", "2s")


def killed_verify_leaves_nothing(settings, folder):
    """The command and its child end, although no process is left to end them."""
    if sys.platform != "linux":
        raise Skipped
    places = [folder / "command", folder / "child"]
    command = f"sh -c 'echo $$ > {places[1]}; exec sleep 300' & echo $$ > {places[0]}; wait"
    verify = subprocess.Popen(
        [*settings.program, "verify", "--quiet", "--", "sh", "-c", command], stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ENVIRONMENT)
    try:
        deadline = time.monotonic() + SECONDS
        while not all(place.exists() and place.read_text().strip() for place in places):
            if verify.poll() is not None or time.monotonic() > deadline:
                return f"the command did not begin, verify exited with {verify.poll()}"
            time.sleep(0.02)
    finally:
        verify.kill()
        verify.wait()
    left = [place.name for place in places if not has_ended(int(place.read_text()), seconds=5)]
    return f"of a verify that was killed there still runs after 5 s: {', '.join(left)}" if left else None


def interrupted_verify_of_a_stalled_server(settings, folder):
    """A server that accepts connections and never answers: Ctrl-C ends the commands that wait for it."""
    with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        verify = subprocess.Popen(
            [*settings.program, "verify", "--quiet", "--server", url, "--", "true"], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ENVIRONMENT)
        try:
            listener.settimeout(SECONDS)
            connection, _ = listener.accept()
            with contextlib.closing(connection):
                connection.recv(1)
                verify.send_signal(signal.SIGINT)
                start = time.monotonic()
                status = verify.wait(SECONDS)
                seconds = time.monotonic() - start
        finally:
            verify.kill()
            verify.wait()
    if status != 130 or seconds > 3:
        return f"verify exited with {status} {seconds:.1f} s after Ctrl-C; 130 within a second was due"
    return None


def arguments_without_proc(settings, folder):
    """A bare chroot lacks /proc, where Swift looks for the arguments, and a library may have moved the environment."""
    hidden = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
    hide = 'mount -t tmpfs none /proc && exec "$@"'
    if not shutil.which("unshare") or run([*hidden, "sh", "-c", hide, "sh", "true"]).status != 0:
        raise Skipped
    for preload in ["", library_that_sets_a_variable(folder)]:
        if preload is None:
            continue
        before = ["env", f"LD_PRELOAD={preload}"] if preload else []
        ended = run([*hidden, "sh", "-c", hide, "sh", *before, *settings.program], "check", "/none.yaml", seconds=60)
        if ended.status != 2:
            return f"check of no file exited with {ended.status} and {ended.output[:80]!r} without /proc; 2 was due"
    return None


def library_that_sets_a_variable(folder):
    """None without a compiler."""
    compiler = shutil.which("cc") or shutil.which("clang")
    if not compiler:
        return None
    source, library = folder / "set.c", folder / "set.so"
    source.write_text('#include <stdlib.h>\n__attribute__((constructor)) static void set(void) { setenv("A", "b", 1); }\n')
    return library if run([compiler], "-shared", "-fPIC", "-o", library, source).status == 0 else None


def ignored_hang_up(settings, folder):
    """nohup: a server outlives its terminal, and a SIGTERM still ends it."""
    def ignore():
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    for options in [[], ["--state", folder / "state.db"]]:
        with running(settings, "serve", *options, folder=folder, before=ignore) as server:
            server.process.send_signal(signal.SIGHUP)
            # Each is at least one turn of the server's loop, and one would be enough for the signal.
            if any(server.health() is None for _ in range(20)):
                return "a server that was started by nohup ended after SIGHUP"
            status = server.stop()
            if status != 0:
                return f"a server that was started by nohup exited with {status} after SIGTERM"
    return None


CASES = [
    interrupted_verify_of_a_stalled_server,
    arguments_without_proc,
    ignored_hang_up,
    impossible_length,
    endless_informational_answers,
    verify_leaves_nothing,
    verify_leaves_nothing_at_its_time_limit,
    killed_verify_leaves_nothing,
]
