"""Cases of the admin API's live control: invalid bodies and paths, and missing resources."""

import contextlib
import json

from edge_requests import GOAL, fields, statuses
from frames import handshake
from http_answers import read_answers
from http_part import exchange
from running import Client, running

HELD = {"on": "request", "match": {"endpoint": "POST /api/v1/goals"}}
DEEP = "[" * 100_000
# For every place with a body.
NO_OBJECTS = [
    b"", b"null", b"[]", b"5", b'"x"', b"{", b'{"a":}', b"\xff\xfe", b'{"a":1,"a":2}', b'{"unknown":1}', DEEP.encode(),
    b'{"a":' + DEEP.encode(), b'{"\\ud800":1}', b'{"to":"' + b"x" * 70_000 + b'"}']
WRONG = {
    "breakpoints": [
        {}, {"on": "all"}, {"on": 5}, {"on": "request", "timeout": "-1s"}, {"on": "request", "timeout": "1000000h"},
        {"on": "request", "timeout": 5}, {"on": "request", "match": []}, {"on": "request", "match": {"endpoint": "GET /none"}},
        {"on": "request", "match": {"connection": 1}}, {"on": "request", "direction": "server_to_client"},
        {"on": "handshake", "direction": "server_to_client"}, {"on": "frame", "match": {"connection": 99_999}},
        {"on": "frame", "match": {"connection": -1}}, {"on": "frame", "match": {"type": "pong", "at": {"type": "pong"}}},
        {"on": "frame", "controller": "nobody"}, {"on": "frame", "controller": ""}, {"on": "request", "name": "x" * 10_000},
        {"on": "request", "name": ""}, {"on": "request", "enabled": "yes"}, {"on": "request", "match": {"requests": "0"}},
        {"on": "request", "match": {"text": "x" * 100_000}}, {"hold": "request"}, {"on": "any", "hold": 1},
        {"on": "any", "hold": "client"}, {"on": "any", "hold": {"what": "request", "for": "-1s"}},
        {"on": "any", "hold": "request", "connection": 1}, {"on": "socket", "hold": "both", "connection": -1},
        {"on": "socket", "hold": "both", "connection": 1, "connections": 1}, {"on": "any", "hold": "request", "match": {}}],
    "held": [{"action": "step"}, {"action": "change"}, {"action": None}, {"action": ["continue"]}],
    "held/{held}": [
        {"action": "x"}, {"action": 1}, {"action": "continue", "status": 200}, {"action": "answer"},
        {"action": "answer", "status": 99}, {"action": "answer", "status": 1e300}, {"action": "answer", "status": 200.5},
        {"action": "answer", "status": 200, "text": "a", "json": 1}, {"action": "answer", "status": 200, "base64": "%"},
        {"action": "answer", "status": 200, "fields": [{"name": "A\r\nB", "value": "x"}]},
        {"action": "answer", "status": 200, "fields": [{"name": "A", "value": "x\r\nY: z"}]},
        {"action": "answer", "status": 200, "fields": {"A": "b"}}, {"action": "change"}, {"action": "change", "status": 200},
        {"action": "change", "method": "GET /x"}, {"action": "change", "method": ""}, {"action": "change", "target": ""},
        {"action": "change", "target": "http://[::1"}, {"action": "change", "target": "/a b"},
        {"action": "change", "target": "/\r\nX: y"}, {"action": "change", "target": "/__admin/state"},
        {"action": "change", "target": "/w/none/api/v1/goals"}, {"action": "change", "step": 1},
        {"action": "drop", "how": "burn"}, {"action": "drop", "text": "x"}],
    "sockets/{socket}/send": [
        {}, {"text": 1}, {"text": "a", "json": 1}, {"base64": "a"}, {"base64": 5}, {"template": "none"}, {"template": 5},
        {"template": "pong", "text": "x"}, {"template": "pong", "fields": []}, {"template": "pong", "fields": {"none": 1}},
        {"fields": {}}, {"text": "x", "opcode": "close"}, {"text": "x" * 126, "opcode": "ping"},
        {"template": "pong", "opcode": "ping"}],
    "sockets/{socket}/close": [
        {"code": -1}, {"code": 65_536}, {"code": "1000"}, {"code": 1000.5}, {"reason": 5}, {"reason": "x" * 124}],
    "sockets/{socket}/resume": [{}],
    "wait": [
        {}, {"for": []}, {"for": {"none": 1}}, {"for": {"status": "x"}}, {"for": {"kind": "x"}}, {"for": {"text": [5]}},
        {"for": {"status": 404}, "within": "601s"}, {"for": {"status": 404}, "within": 5}, {"for": {}, "within": "-1s"},
        {"for": {"status": 404}, "since": -1}, {"for": {"status": 404}, "since": 1e300}, {"for": {"status": 404}, "since": "x"}],
    "clock": [
        {"advance_until": []}, {"advance_until": {"none": 1}}, {"advance_until": {"status": 404}, "within": "9000h"},
        {"advance": "1s", "advance_until": {"status": 404}}, {"advance": "1000000h"}, {"advance_to": "soon"}],
    "marks": [{"name": ""}, {"name": 5}, {"name": "x" * 101}, {"name": "taken"}],
    "rewind": [
        {}, {"to": "none"}, {"to": 99_999_999}, {"to": -1}, {"to": 1e300}, {"to": 1.5}, {"to": None}, {"to": []},
        {"to": "taken", "sockets": "burn"}, {"to": "taken", "sockets": 5}],
    "fork": [{"judged": "yes"}, {"judged": 1}],
    "check": [
        {}, {"text": 5}, {"text": "x", "more": 1}],
}
PATHS = [
    "held/0", "held/-1", "held/99999", "held/1e3", "held/18446744073709551616", "held/%00", "held/x",
    "sockets/0/send", "sockets/-1/send", "sockets/99999999999999999999/send", "sockets/%2e%2e/send", "sockets/x/close",
    "sockets//send", "breakpoints/none", "breakpoints/%ff", "marks/none", "held/1/continue"]
# YAML that is parsed, with or without reported mistakes; none of it is refused.
TEXTS = ["", "a: &a [*a]", "&" * 5_000, "[" * 50_000, "a: !!python/object:os.system x", "\u0000", "\ud7ff\t- x: {", "- " * 30_000,
         "name: a\nusers: [" + "{id: u}, " * 5_000 + "]", "a: |\n" + " x\n" * 20_000, "? ? ? ?", "%YAML 9.9\n---\n...\n---"]


def live_control_refuses(settings, folder):
    """Each refusal is a 4xx with a reason, the server lives, and held items stay held."""
    with running(settings, "serve", "--clock", "manual", folder=folder) as server:
        with contextlib.closing(Client(server)) as client, contextlib.closing(server.connect()) as held, \
                contextlib.closing(server.connect()) as socket:
            names = open_live(server, client, held, socket)
            for path, bodies in WRONG.items():
                target = f"/__admin/{path.format(**names)}"
                for body in [*NO_OBJECTS, *(json.dumps(body).encode() for body in bodies)]:
                    if may_be_good(path, body):
                        continue
                    status = statuses(server, (f"POST {target} HTTP/1.1", fields(server), body))[0]
                    if status is None or not 400 <= status < 500:
                        return f"POST {target} {body[:100]!r} was answered with {status}"
            for path in PATHS:
                status = statuses(server, (f"POST /__admin/{path} HTTP/1.1", fields(server), b'{"action":"continue"}'))[0]
                if status not in (400, 404, 405):
                    return f"POST /__admin/{path} was answered with {status}"
            for text in TEXTS:
                status, data = client.send("POST", "/__admin/check", {"text": text})
                if status not in (200, 400, 413):
                    return f"check of {text[:40]!r} was answered with {status}: {data[:200]!r}"
            things = client.ask("GET", "/__admin/held")["held"]
            if [thing["held"] for thing in things] != [names["held"]]:
                return f"{names['held']} was held, {things} are after what was refused"
            client.ask("POST", f"/__admin/held/{names['held']}", {"action": "continue"})
            answers, _ = read_answers(held.recv(1 << 16))
            if [answer.status for answer in answers] != [201]:
                return f"what was held got {[answer.status for answer in answers]}"
        return None if server.is_alive() else f"the server ended: {server.log()[-300:]}"


def may_be_good(path, body):
    """Whether a body that is invalid elsewhere is valid here: without a body these use their defaults."""
    return body in (b"",) and (path in ("marks", "fork") or path.startswith("sockets/"))


def open_live(server, client, held, socket):
    """A held request, an open socket and a mark; returns the numbers of the first two."""
    consultation = client.ask("POST", "/api/v1/consultations", {"persona": "nutritionist"})["data"]["id"]
    path = f"/api/v1/consultations/{consultation}/ws?token={server.ready['token']}"
    socket.sendall(handshake(path, server.port, [f"X-API-Key: {server.ready['api_key']}"]))
    if b" 101 " not in socket.recv(1 << 16):
        raise AssertionError("no socket opened")
    client.ask("POST", "/__admin/marks", {"name": "taken"})
    client.ask("POST", "/__admin/breakpoints", {**HELD, "timeout": "10m"})
    body = json.dumps(GOAL).encode()
    lines = ["POST /api/v1/goals HTTP/1.1", *fields(server), f"Content-Length: {len(body)}", "", ""]
    held.sendall("\r\n".join(lines).encode() + body)
    entry = client.ask("POST", "/__admin/wait", {"for": {"kind": "held"}, "within": "10s"})
    sockets = client.ask("GET", "/__admin/sockets")["sockets"]
    return {"held": entry["entry"]["number"], "socket": sockets[0]["connection"]}


CASES = [live_control_refuses]
