"""The part http: hostile HTTP/1.1 over raw sockets, in pieces, on many connections."""

import concurrent.futures
import contextlib
import socket
import struct
import time

from http_answers import STATUSES, Broken, read_answers
from http_inputs import FIRST, Inputs
from mutations import pieces
from running import Client, running

CONNECTIONS = 8
BATCH = 500
# The journal's 32 MiB and the memory for connections are well below this.
MEMORY = 400
SECONDS = 15


class Silent(Exception):
    """A server that neither answered nor closed in time."""


def attack(part, folder):
    with running(part.settings, "serve", "--instant", "--seed", "1", "--log-level", "critical", folder=folder) as server:
        client = Client(server)
        for path, body in FIRST:
            client.ask("POST", path, body, status=201)
        client.close()
        inputs = Inputs(server.credentials, server.port)
        with concurrent.futures.ThreadPoolExecutor(CONNECTIONS) as pool:
            for batch in part.batches(rounds=60_000, short=3_000, size=BATCH):
                futures = [pool.submit(examine, part, server, inputs, number) for number in batch]
                for number, future in zip(batch, futures):
                    outcome, problem = future.result()
                    part.count(outcome)
                    if problem:
                        part.fail(number, problem, inputs.make(part.random(number))[0])
                part.progress(f"{part.inputs} inputs, {server.memory():.0f} MiB")
                trouble = server.trouble(MEMORY)
                if trouble:
                    part.fail(batch, trouble)
                    return
        status = server.stop()
        if status != 0:
            part.fail(None, f"the server exited with {status} after SIGTERM")


def examine(part, server, inputs, number):
    """Sends one input; returns its outcome, and the problem, if any."""
    numbers = part.random(number)
    data, is_plain = inputs.make(numbers)
    try:
        received, is_reset = exchange(server, pieces(data, numbers), is_abrupt=not is_plain and numbers.random() < 0.05)
    except Silent as silence:
        # A stream of events continues as long as its reader.
        is_stream = b"/__admin/" in data and b"event-stream" in silence.args[0]
        return ("stream", None) if is_stream else ("silence", f"no end of the connection within {SECONDS} s")
    try:
        answers, _ = read_answers(received, may_be_head=b"HEAD" in data)
    except Broken as broken:
        return "broken answer", f"the answer is broken: {broken}"
    final = [answer for answer in answers if answer.status != 100]
    odd = [answer.status for answer in final if answer.status not in STATUSES]
    if odd:
        return f"{odd[0]}", f"an answer has the status {odd[0]}: {final[-1].body[:200]!r}"
    cut = [answer for answer in final if not answer.is_whole]
    if cut and not is_reset:
        return "cut answer", f"an answer of {cut[0].fields.get(b'content-length')} bytes has {len(cut[0].body)}"
    if is_plain and len(final) != data.count(b" HTTP/1.1\r\n"):
        return "lost answer", f"{data.count(b' HTTP/1.1')} requests got {len(final)} answers"
    if not final:
        return "reset" if is_reset else "closed", None
    return f"{final[-1].status // 100}xx", None


def exchange(server, pieces, is_abrupt=False):
    """Sends the pieces, closes this side, and reads to the end; returns the bytes, and whether the end was a reset."""
    with contextlib.closing(server.connect(SECONDS)) as connection:
        received = []
        try:
            for piece in pieces:
                connection.sendall(piece)
            if is_abrupt:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return b"", True
            connection.shutdown(socket.SHUT_WR)
        except socket.timeout:
            raise Silent(b"")
        except OSError:
            # The server refused before it had read everything; its answer may still have arrived.
            pass
        deadline = time.monotonic() + SECONDS
        while True:
            try:
                data = connection.recv(1 << 18)
            except socket.timeout:
                raise Silent(b"".join(received))
            except OSError:
                return b"".join(received), True
            if not data:
                return b"".join(received), False
            received.append(data)
            if time.monotonic() > deadline:
                raise Silent(b"".join(received))
