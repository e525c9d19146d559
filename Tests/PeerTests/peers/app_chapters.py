"""The chapters about the two apps: rows of `app_shapes` sent one after the other, with ids from earlier answers."""

import re

from app_shapes import (
    ACCOUNTS, API, CHAT, FORM, FRAMES, GOALS, MEAL, MEALS, MESSAGE, REFUSAL, REGISTER, TOKENS, UUID, Row, data, meal)
from facts import UNKNOWN_ID, expect, expect_equal, step
from teller import frames_until, next_event, next_frame


def check(value, shape, what):
    """Checks that a value has a shape."""
    if isinstance(shape, dict):
        expect(isinstance(value, dict), f"{what} to be an object", value)
        for name, kind in shape.items():
            optional, name = name.endswith("?"), name.rstrip("?")
            expect(optional or name in value, f"{name} in {what}", value)
            if not optional or value.get(name) is not None:
                check(value[name], kind, f"{what}.{name}")
    elif isinstance(shape, list):
        expect(isinstance(value, list) and (shape or not value), f"{what} to be such a list", value)
        for each in value:
            check(each, shape[0], f"{what}[]")
    elif isinstance(shape, re.Pattern):
        expect(isinstance(value, str) and shape.fullmatch(value), f"{what} to match {shape.pattern}", value)
    elif isinstance(shape, (set, frozenset)):
        expect(value in sorted(shape), f"{what} to be one of {sorted(shape)}", value)
    elif isinstance(shape, type):
        expect(isinstance(value, (int, float) if shape is float else shape) and (
            shape is bool or not isinstance(value, bool)), f"{what} to be of type {shape.__name__}", value)
    else:
        expect(shape(value), f"{what} to be what was sent", value)


def filled(value, kept):
    """A path or a body with the values that earlier rows kept."""
    if isinstance(value, str):
        return re.sub(r"\{(\w+)\}", lambda match: kept[match[1]], value)
    if isinstance(value, dict):
        return {name: filled(each, kept) for name, each in value.items()}
    return value


class App:
    """An app's user with an account, who keeps ids and tokens of answers by name."""

    def __init__(self, teller):
        self.teller = teller
        self.kept = {"user": teller.user}

    @property
    def headers(self):
        return self.teller.server.headers(self.kept["access_token"])

    async def send(self, row, path=None, headers=None):
        """Sends a row, and checks its answer."""
        path = path or API + filled(row.path, self.kept)
        if headers is None:
            headers = {"X-API-Key": self.teller.server.api_key} if row.path.startswith("/auth/") else self.headers
        if isinstance(row.body, bytes):
            headers = {**headers, "Content-Type": FORM}
        status, _, answer = await self.teller.adapter.request(
            row.method, self.teller.server.url + path, filled(row.body, self.kept), headers)
        what = f"{row.method} {path}"
        expect(status == row.status, f"{row.status} for {what} {row.body}", (status, answer))
        if row.shape is None:
            expect(answer is None, f"no body for {what}", answer)
            return None
        check(answer, row.shape, what)
        expect_equal(answer["success"], status < 400, f"success of {what}")
        return answer

    async def keep(self, row):
        """Sends a row, and keeps the values of its answer."""
        answer = await self.send(row)
        found = (answer or {}).get("data") or {}
        self.kept.update({name: found[name] for name in TOKENS if name in found})
        if row.keeps:
            found = {"id": found["session_id"]} if row.keeps == "photo" else found
            expect(found["id"] != UNKNOWN_ID and found.get("user_id") != UNKNOWN_ID, "the world's own ids", found)
            self.kept[row.keeps] = found["id"]
        return answer

    async def refused(self, row, stranger):
        """Checks that the row's path is unknown with an unknown id, one in upper case, or another user's."""
        name = re.search(r"\{(\w+)\}", row.path)[1]
        refusal = row._replace(status=404, shape=REFUSAL)
        for id in (UNKNOWN_ID, self.kept[name].upper()):
            answer = await self.send(refusal, API + filled(row.path, {**self.kept, name: id}))
            code = answer["error"]["code"]
            expect(code.endswith("NOT_FOUND"), f"a code for {row.path} that says what is missing", code)
        expect("lower-case" in answer["message"], "a hint about upper case", answer)
        await self.send(refusal, headers=stranger)


async def tell(teller, rows):
    app = App(teller)
    await app.keep(REGISTER)
    stranger = teller.as_user("stranger").headers
    for row in rows:
        step(f"{row.method} {row.path}: {row.status}")
        if "{" in row.path:
            await app.refused(row, stranger)
        await app.keep(row)
        if row.method == "DELETE" and "{" in row.path:
            await app.send(row._replace(status=404, shape=REFUSAL))
    return app


async def app_accounts(teller):
    await tell(teller, ACCOUNTS)


async def app_chat(teller):
    await tell(teller, CHAT)


async def app_goals(teller):
    await tell(teller, GOALS)


async def app_meals(teller):
    await tell(teller, MEALS)


async def app_meal_socket(teller):
    app = await tell(teller, [])
    step("the meal socket greets, answers pings, and tells of all the user's meals")
    path = f"/ws/meal-logs?token={app.kept['access_token']}"
    socket = await teller.connect(path, {})
    await socket.send('{"type": "ping"}')
    for text in ("2 eggs", "qwertyuiop"):
        await app.send(Row("POST", "/meal-logs/natural", 201, data(MEAL), meal(text, "lunch")))
    for kind, shape in FRAMES:
        frame = await next_frame(socket)
        check(frame, {"type": {kind}, **shape}, kind)
    step("a newer one closes the older")
    newer = await teller.connect(path, app.headers)
    check(await next_frame(newer), {"type": {"connected"}}, "the greeting")
    check(await next_frame(socket), {"type": {"error"}, "error": str, "error_code": {
        "AUTH_FAILED", "CONNECTION_LIMIT", "SERVER_ERROR", "RATE_LIMIT"}}, "the error")
    expect_equal((await next_event(socket)).code, 1008, "the close code")
    await newer.close()


async def app_chat_socket(teller):
    app = await tell(teller, CHAT[:1])
    step("frames of the chat have what the apps read")
    path = "/api/v1/consultations/{consultation}/ws?token={access_token}".format(**app.kept)
    socket = await teller.connect(path, {})
    check(await next_frame(socket), {"type": {"connected"}, "user_id": UUID}, "the greeting")
    await socket.send('{"type": "message", "content": "What is a good breakfast?", "conversationId": "x"}')
    last = (await frames_until(socket, "stream_complete"))[-1]
    check(last, {"metadata": {"tokens_used": int, "processing_time_ms": int}}, "the end of the answer")
    step("a message over REST streams over an open socket")
    await app.send(Row("POST", "/consultations/{consultation}/messages", 201, data({
        "user_message": MESSAGE, "assistant_message?": MESSAGE}), {"content": "And for lunch?"}))
    await frames_until(socket, "stream_complete")
    await socket.close()
