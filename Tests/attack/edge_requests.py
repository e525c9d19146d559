"""Cases of requests: pages of other sites, tokens, similar names."""

import base64
import contextlib
import hashlib
import hmac
import json

from frames import handshake
from http_answers import read_answers
from http_part import exchange
from running import Client, running

SECRET = b"fitiq-mock-secret"
GOAL = {"title": "Run", "description": "", "targetDate": "2030-01-01T00:00:00Z"}
FOREIGN = [
    "http://evil.example", "https://127.0.0.1.evil.example", "http://evil.localhost", "chrome-extension://127.0.0.1", "null",
]


def token(claims, header=None, secret=SECRET):
    """A signed token with any claims."""
    parts = [json.dumps(part, ensure_ascii=False).encode() for part in ({"alg": "HS256", "typ": "JWT", **(header or {})}, claims)]
    text = b".".join(base64.urlsafe_b64encode(part).rstrip(b"=") for part in parts)
    return (text + b"." + base64.urlsafe_b64encode(hmac.new(secret, text, hashlib.sha256).digest()).rstrip(b"=")).decode()


def statuses(server, *requests):
    """The statuses of requests, each on its own connection; a request is its head's lines after the first."""
    found = []
    for first, fields, body in requests:
        lines = [first, *fields, *([f"Content-Length: {len(body)}"] if body else []), "", ""]
        answers, _ = read_answers(exchange(server, ["\r\n".join(lines).encode() + body])[0])
        found.append(answers[-1].status if answers else None)
    return found


def fields(server, **more):
    """A head's lines; given fields replace the default ones, so that no field occurs twice."""
    named = {"Host": f"127.0.0.1:{server.port}", **server.credentials, "Content-Type": "application/json"}
    named.update((name.replace("_", "-"), value) for name, value in more.items())
    return [f"{name}: {value}" for name, value in named.items()]


def foreign_page_opens_a_socket(settings, folder):
    with running(settings, "serve", "--instant", folder=folder) as server:
        with contextlib.closing(Client(server)) as client:
            id = client.ask("POST", "/api/v1/consultations", {"persona": "nutritionist"})["data"]["id"]
        for origin in [None, *FOREIGN]:
            path = f"/api/v1/consultations/{id}/ws?token={server.ready['token']}"
            more = [f"X-API-Key: {server.ready['api_key']}"] + ([f"Origin: {origin}"] if origin else [])
            answers, _ = read_answers(exchange(server, [handshake(path, server.port, more)])[0])
            if (answers[0].status == 101) != (origin is None):
                return f"a page of {origin} got {answers[0].status} for a consultation's socket"
    return None


def foreign_page_writes(settings, folder):
    with running(settings, "serve", "--instant", folder=folder) as server:
        body = json.dumps(GOAL).encode()
        for origin in FOREIGN:
            status = statuses(server, ("POST /api/v1/goals HTTP/1.1", fields(server, Origin=origin), body))[0]
            if status < 400:
                return f"a page of {origin} got {status} for POST /api/v1/goals"
        status = statuses(server, ("POST /api/v1/goals HTTP/1.1", fields(server), body))[0]
        return None if status == 201 else f"an app, which sends no Origin, got {status}"


def foreign_page_administers(settings, folder):
    with running(settings, "serve", folder=folder) as server:
        for path in ["/__admin/state", "/__admin/worlds"]:
            for origin in FOREIGN:
                status = statuses(server, (f"GET {path} HTTP/1.1", fields(server, Origin=origin), b""))[0]
                if status != 403:
                    return f"a page of {origin} got {status} for {path}"
            for origin in [f"http://127.0.0.1:{server.port}", f"http://localhost:{server.port}"]:
                status = statuses(server, (f"GET {path} HTTP/1.1", fields(server, Origin=origin), b""))[0]
                if status != 200:
                    return f"the server's own page, {origin}, got {status} for {path}"
    return None


def foreign_page_opens_echo(settings, folder):
    with running(settings, "serve", folder=folder) as server:
        for more in [["Origin: http://evil.example"], []]:
            answers, _ = read_answers(exchange(server, [handshake("/__admin/echo", server.port, more)])[0])
            if (answers[0].status == 101) == bool(more):
                return f"{more} got {answers[0].status} for the echo socket"
    return None


def tokens_with_claims(settings, folder):
    future, past = 4_000_000_000, 1_000_000_000
    cases = [
        (token({"sub": "x", "exp": future}), 200), (token({"sub": "x", "exp": future, "nbf": past}), 200),
        (token({"sub": "x", "exp": future, "nbf": future - 1}), 401), (token({"sub": "x", "exp": past}), 401),
        (token({"sub": "x", "exp": future}, {"crit": ["b64"], "b64": False}), 401),
        (token({"sub": "x", "exp": future}, {"crit": ["exp"]}), 401), (token({"sub": "x", "exp": future}, {"alg": "none"}), 401),
        (token({"sub": "x", "exp": future}, secret=b"other"), 401), (token({"exp": future}), 401), (token({"sub": 5}), 401),
    ]
    with running(settings, "serve", folder=folder) as server:
        for text, due in cases:
            status = statuses(server, ("GET /api/v1/goals HTTP/1.1", fields(server, Authorization=f"Bearer {text}"), b""))[0]
            if status != due:
                return f"{due} was due, {status} came for the token {base64.urlsafe_b64decode(text.split('.')[0] + '===')} {text}"
    return None


def users_that_look_alike(settings, folder):
    pairs = [("é", "e\u0301"), ("K", "\u212a"), ("Å", "\u212b"), ("한", "\u1112\u1161\u11ab"), ("a", "A")]
    with running(settings, "serve", folder=folder) as server:
        for first, second in pairs:
            with contextlib.closing(Client(server)) as client:
                for user, due in [(first, 1), (second, 1), (first, 2)]:
                    credentials = {"Authorization": "Bearer " + token({"sub": user, "exp": 4_000_000_000})}
                    client.send("POST", "/api/v1/goals", GOAL, headers=credentials)
                    status, data = client.send("GET", "/api/v1/goals", headers=credentials)
                    count = len(json.loads(data)["data"]["goals"]) if status == 200 else f"status {status}"
                    if count != due:
                        return f"of {ascii(first)} and {ascii(second)}, {ascii(user)} has {count} goals, {due} were due"
    return None


def credentials_that_look_alike(settings, folder):
    with running(settings, "serve", "--api-key", "KEY", folder=folder) as server:
        number, right = 0, ""
        while "K" not in right.split(".")[-1]:
            number += 1
            right = token({"sub": f"user-{number}", "exp": 4_000_000_000})
        bearer = "Bearer " + right
        wrong_bearer = bearer[:bearer.rindex("K")] + "\u212a" + bearer[bearer.rindex("K") + 1:]
        get = "GET /api/v1/goals HTTP/1.1"
        for authorization, key, due in [
            (wrong_bearer, "KEY", 401), (bearer, "KEY", 200), (wrong_bearer, "KEY", 401), (bearer, "\u212aEY", 401),
        ]:
            status = statuses(server, (get, fields(server, Authorization=authorization, X_API_Key=key), b""))[0]
            if status != due:
                return f"{due} was due, {status} came for {ascii(authorization[-20:])} and the key {ascii(key)}"
        # On one connection, which remembers the last credentials.
        request = "\r\n".join([get, *fields(server, Authorization=bearer, X_API_Key="KEY"), "", ""])
        answers, _ = read_answers(exchange(server, [(request + request.replace(bearer, wrong_bearer)).encode()])[0])
        found = [answer.status for answer in answers]
        return None if found == [200, 401] else f"over one connection the right token and the other got {found}"


CASES = [
    foreign_page_opens_a_socket, foreign_page_writes, foreign_page_administers, foreign_page_opens_echo, tokens_with_claims,
    users_that_look_alike, credentials_that_look_alike,
]
