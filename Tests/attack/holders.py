"""Peers that send most of a message and hold it back, together more than the process may hold. Others are still
served."""

import contextlib
import threading
import time

from frames import TEXT, frame, handshake
from running import Client, running

MIB = 1 << 20
# docs/limits.md: all connections together may hold 512 MiB, and resident memory may be twice that.
MEMORY = 1_300
ASKED = 8
SMALL = 24 << 10
CHUNK = b"x" * (1 << 16)


def attack(part, folder):
    """Each kind of holder against its own server."""
    kinds = {
        # name: how many, how many bytes each
        "echo": (133, 4 * MIB),
        "chat": (560, MIB - 64),
        "body": (560, MIB - 64),
    }
    for name, (count, size) in kinds.items():
        # A consultation's sockets and request bodies take long in a debug build.
        if part.settings.short and name != "echo":
            continue
        with running(part.settings, "serve", "--instant", "--log-level", "critical", folder=folder) as server:
            problem = hold(server, name, count, size)
            part.count(f"{name} holders", count)
            if problem:
                part.fail(None, f"{count} {name} holders of {size} bytes each: {problem}")


def hold(server, name, count, size):
    """Opens the holders while others send requests; returns the others' failure, if any."""
    openings = [(first_bytes(server, name, size), size)] * count
    # In addition to what the large ones fill: each new one displaces one of the largest.
    openings += [(first_bytes(server, name, SMALL), SMALL)] * 400
    refused = []
    done = threading.Event()
    asking = threading.Thread(target=ask, args=(server, refused, done))
    with contextlib.ExitStack() as stack:
        asking.start()
        stack.callback(asking.join)
        stack.callback(done.set)
        for opening, size in openings:
            # The server resets dropped connections meanwhile.
            with contextlib.suppress(OSError):
                connection = stack.enter_context(contextlib.closing(server.connect(5)))
                connection.sendall(opening)
                for start in range(0, size, len(CHUNK)):
                    connection.sendall(CHUNK[:size - start])
        memory = settled_memory(server)
        for _ in range(ASKED):
            ask_once(server, refused)
    if not server.is_alive():
        return f"the server ended: {server.log()[-500:]}"
    if refused:
        return f"{len(refused)} requests of others failed, the first with: {refused[0]}"
    if memory > MEMORY:
        return f"the server holds {memory:.0f} MiB, of {MEMORY} allowed"
    return None if server.health() is not None else "/health has no 200 after the holders have gone"


def settled_memory(server):
    """Resident memory once the server has read the bytes in the system's buffers; it reads while others send
    requests."""
    memory = -1
    for _ in range(30):
        before, memory = memory, server.memory()
        if abs(memory - before) < 1:
            break
        time.sleep(0.3)
    return memory


def first_bytes(server, name, size):
    fields = [f"{field}: {value}" for field, value in server.credentials.items()]
    if name == "echo":
        return handshake("/__admin/echo", server.port) + frame(TEXT, length=size + 1)
    if name == "chat":
        client = Client(server)
        with contextlib.closing(client):
            client.send("POST", "/api/v1/consultations", {"persona": "nutritionist"})
            id = client.ask("GET", "/api/v1/consultations")["data"]["consultations"][0]["id"]
        return handshake(f"/api/v1/consultations/{id}/ws", server.port, fields) + frame(TEXT, length=size + 1)
    head = ["POST /api/v1/goals HTTP/1.1", f"Host: 127.0.0.1:{server.port}", *fields, "Content-Type: application/json"]
    return "\r\n".join([*head, f"Content-Length: {size + 1}", "", ""]).encode()


def ask(server, refused, done):
    while not done.wait(0.02):
        ask_once(server, refused)


def ask_once(server, refused):
    """The answers to others: /health, and a request with credentials."""
    for path in ["/health", "/api/v1/goals"]:
        client = Client(server, seconds=5)
        try:
            status, body = client.send("GET", path)
            if status != 200:
                refused.append(f"{path} {status} {body[:200]!r}")
        except Exception as error:
            refused.append(f"{path} {type(error).__name__}: {error}")
        finally:
            client.close()
