"""The part websocket: hostile frames on the echo socket and on consultations, and peers that hold back unfinished
messages."""

import concurrent.futures
import json
import pathlib
import re

import holders
from frames import BINARY, CLOSE, PING, PONG, TEXT, BadFrame, Expected, frame, handshake, read_server_frames
from http_answers import Broken, read_answers
from http_part import Silent, exchange
from mutations import mutated, pieces
from running import Client, running

FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "Fixtures" / "websocket"
CONNECTIONS = 8
BATCH = 500
MEMORY = 400
PONGS_WAIT = 64_000
CHATS = [
    {"type": "ping"}, {"type": "message", "content": "Hello?"}, {"type": "user_message", "content": "Hello?"},
    {"type": "message", "content": "x" * 2001}, {"type": "message"}, {"type": 5}, [], None, {"type": "message", "content": {}},
]
TEXTS = [b"", b"Hello", "κόσμε €𝄞".encode(), b"\xf0\x9d\x84", b"\xed\xa0\x80", b"\xc0\xaf", b"a" * 126, b"a" * 70_000, b"\xff"]


def attack(part, folder):
    with running(part.settings, "serve", "--instant", "--seed", "1", "--log-level", "critical", folder=folder) as server:
        client = Client(server)
        id = client.ask("POST", "/api/v1/consultations", {"persona": "nutritionist"}, status=201)["data"]["id"]
        client.close()
        fields = [f"{name}: {value}" for name, value in server.credentials.items()]
        # The path of each kind of socket, and the fields of its handshake.
        sockets = {"echo": ("/__admin/echo", []), "chat": (f"/api/v1/consultations/{id}/ws", fields)}
        fixtures = read_fixtures()
        with concurrent.futures.ThreadPoolExecutor(CONNECTIONS) as pool:
            for batch in part.batches(rounds=40_000, short=2_000, size=BATCH):
                futures = [pool.submit(examine, part, server, sockets, fixtures, number) for number in batch]
                for number, future in zip(batch, futures):
                    outcome, problem = future.result()
                    part.count(outcome)
                    if problem:
                        part.fail(number, problem, make(part.random(number), fixtures)[1])
                part.progress(f"{part.inputs} inputs, {server.memory():.0f} MiB")
                trouble = server.trouble(MEMORY)
                if trouble:
                    part.fail(batch, trouble)
                    return
        status = server.stop()
        if status != 0:
            part.fail(None, f"the server exited with {status} after SIGTERM")
    if part.settings.only is None:
        holders.attack(part, folder)


def read_fixtures():
    """The bytes of Fixtures/websocket, whose README describes the notation."""
    inputs = []
    for file in sorted(FIXTURES.glob("*/*.txt")):
        for line in file.read_text().splitlines():
            if line and not line.startswith("#"):
                data = b""
                for text, digits, count in re.findall(r'(?:"([^"]*)"|([0-9a-f]+))(?:\*([0-9]+))?', line.split(" | ")[1]):
                    data += (bytes.fromhex(digits) if digits else text.encode()) * int(count or 1)
                inputs.append(data)
    return inputs


def make(numbers, fixtures):
    """The socket, and the bytes to send."""
    kind = "echo" if numbers.random() < 0.6 else "chat"
    if numbers.random() < 0.3:
        data = numbers.choice(fixtures)
    else:
        data = b"".join(step(kind, numbers) for _ in range(numbers.choice([1, 2, 3, 8, 30])))
    if numbers.random() < 0.4:
        data = mutated(data, numbers)
    if kind == "echo" and numbers.random() < 0.5:
        data += frame(CLOSE, b"\x03\xe8")
    return kind, data


def step(kind, numbers):
    """One message, control frame or mistake."""
    mask = bytes(numbers.randrange(256) for _ in range(4))
    way = numbers.randrange(20)
    payload = json.dumps(numbers.choice(CHATS)).encode() if kind == "chat" else numbers.choice(TEXTS[:3] * 4 + TEXTS)
    if way < 8:
        return frame(numbers.choice([TEXT, TEXT, BINARY]) if kind == "echo" else TEXT, payload, mask=mask)
    if way < 12:
        parts = pieces(payload, numbers) or [b""]
        out = b""
        for index, piece in enumerate(parts):
            out += frame(0 if index else TEXT, piece, final=index == len(parts) - 1, mask=mask)
            out += numbers.choice([b"", b"", frame(PING, b"between"), frame(PONG)])
        return out
    if way < 15:
        return frame(numbers.choice([PING, PONG]), bytes(numbers.randrange(256) for _ in range(numbers.choice([0, 4, 125]))))
    code = numbers.choice([0, 999, 1000, 1001, 1004, 1005, 1006, 1011, 1014, 1015, 2000, 3000, 4999, 5000, 65535])
    return numbers.choice([
        frame(TEXT, payload, reserved=numbers.randrange(1, 8)), frame(numbers.choice([3, 7, 11, 15]), payload),
        frame(TEXT, payload, is_masked=False), frame(TEXT, payload, width=numbers.choice([2, 8])), frame(0, payload),
        frame(TEXT, payload, final=False), frame(PING, b"x" * 126), frame(PING, b"", final=False),
        frame(TEXT, b"", length=numbers.choice([1 << 63, (1 << 64) - 1, 1 << 40, 1 << 25, 1 << 22, 70_000])),
        frame(CLOSE, code.to_bytes(2, "big") + numbers.choice([b"", b"bye", b"\xff", b"x" * 123])), frame(CLOSE, b"\x03"),
    ])


def examine(part, server, sockets, fixtures, number):
    """Sends one input; returns its outcome, and the problem, if any."""
    numbers = part.random(number)
    kind, data = make(numbers, fixtures)
    path, fields = sockets[kind]
    try:
        received, is_reset = exchange(server, [handshake(path, server.port, fields)] + pieces(data, numbers))
    except Silent:
        return "silence", "neither an answer nor an end of the connection"
    try:
        answers, rest = read_answers(received)
        if [answer.status for answer in answers] != [101]:
            return "refused", f"the handshake got {[answer.status for answer in answers]}"
        frames = read_server_frames(rest)
    except (Broken, BadFrame) as broken:
        return "broken frame", str(broken)
    codes = [int.from_bytes(payload[:2], "big") if payload else 1000 for opcode, _, payload in frames if opcode == CLOSE]
    if len(codes) > 1 or codes and frames[-1][0] != CLOSE:
        return "frame after close", f"frames follow the close frame {codes}"
    problem = echo_problem(data, frames, codes, is_reset) if kind == "echo" else chat_problem(data, frames, codes)
    return f"close {codes[0]}" if codes and codes[0] < 1016 else "other close" if codes else "end", problem


def echo_problem(data, frames, codes, is_reset):
    """The problem of an echo that differs from RFC 6455."""
    expected = Expected(data)
    sent, message = [], None
    for opcode, final, payload in frames:
        if opcode in (PING, PONG):
            sent.append((opcode, payload))
        elif opcode != CLOSE:
            message = (opcode, payload) if opcode else (message[0], message[1] + payload)
            if final:
                sent.append(message)
    if len(data) > PONGS_WAIT:
        # Behind much unsent output pongs wait, and then only the latest ping gets one (RFC 6455 §5.5.3).
        sent, expected.sent = [[one for one in frames if one[0] != PONG] for frames in (sent, expected.sent)]
    if is_reset:
        # If the server is done before it has read everything, a reset may overtake its last output.
        if not expected.codes and not expected.is_open_question:
            return "the connection was reset, though nothing was wrong with what was sent"
        expected.sent = expected.sent[:len(sent)]
    if sent != expected.sent:
        return f"{len(expected.sent)} frames were due, {len(sent)} came: {sent[-1:]!r:.200}"
    if expected.codes and not is_reset and not expected.is_open_question and not set(codes) & expected.codes:
        return f"the close code {sorted(expected.codes)} was due, {codes} came"
    return None


def chat_problem(data, frames, codes):
    """Output that a consultation's socket must not send."""
    for opcode, _, payload in frames:
        if opcode == TEXT:
            try:
                if not isinstance(json.loads(payload)["type"], str):
                    raise ValueError
            except (ValueError, KeyError, TypeError):
                return f"a frame without a type: {payload[:200]!r}"
    expected = Expected(data).codes
    if codes and codes[0] not in {1000, 1001, 1003, 1008, 1009} | (expected or set()):
        return f"the close code {codes[0]} came, RFC 6455 has {expected}"
    if expected and not codes:
        return f"the close code {sorted(expected)} was due, none came"
    return None
