"""Accounts, as the apps use them: registration, login, the user, refresh, logout, and refusals."""

import json
import time

from facts import expect, expect_equal, step

AUTH = "/api/v1/auth/"
ADA = {"email": "Ada@Example.com", "password": "correct horse", "name": "Ada", "date_of_birth": "1990-05-17"}
LOGIN = {name: ADA[name] for name in ("email", "password")}
# A hash with another cost than the world's own, as an import may bring it.
COSTLY = "pbkdf2-sha256$100000$bob$a8miQGbK46HeI3mSrMyk-C759hj6ExWYbsW4Q_C4s_I"
SCENARIO = {
    "name": "accounts",
    "accounts": {"access_token": "90s", "refresh_token": "10m", "password_cost": 1},
    "users": [{"id": "bob", "email": "bob@example.com", "password_hash": COSTLY}],
}


class Accounts:
    """A world with accounts and a manual clock."""

    def __init__(self, teller):
        self.teller = teller

    async def send(self, method, url, body=None, headers=None):
        return await self.teller.adapter.request(method, url, body, headers or {})

    async def make(self):
        wish = {"scenario": SCENARIO, "clock": "manual"}
        status, _, self.world = await self.send("POST", f"{self.teller.server.url}/__admin/worlds", wish)
        expect_equal(status, 201, "the status of a new world")

    async def advance(self, span):
        path = f"/__admin/worlds/{self.world['id']}/clock"
        status, _, answer = await self.send("POST", self.teller.server.url + path, {"advance": span})
        expect_equal(status, 200, f"the status of {path}: {answer}")

    async def auth(self, status, name, body, words=()):
        """Sends a request to /auth, with only the key."""
        headers = {"X-API-Key": self.world["api_key"]}
        got, _, answer = await self.send("POST", self.world["url"] + AUTH + name, body, headers)
        expect_equal(got, status, f"the status of {name} {body}: {answer}")
        if status >= 400:
            expect_equal(answer["message"], answer["error"]["message"], "the message at the top level")
            for word in words:
                expect(word in answer["message"], f"{word!r} in the message of {name}", answer)
        return answer

    async def me(self, status, token):
        headers = {"X-API-Key": self.world["api_key"], "Authorization": f"Bearer {token}"}
        got, _, answer = await self.send("GET", f"{self.world['url']}/api/v1/users/me", None, headers)
        expect_equal(got, status, f"the status of /users/me: {answer}")
        return answer


async def accounts(teller):
    world = Accounts(teller)
    await world.make()

    step("register, log in, look at oneself")
    made = (await world.auth(201, "register", ADA))["data"]
    for name in ("user_id", "email", "name", "created_at", "access_token", "refresh_token"):
        expect(isinstance(made[name], str), f"{name} of a registration to be a string", made)
    first = (await world.auth(200, "login", LOGIN))["data"]
    user = (await world.me(200, first["access_token"]))["data"]
    expect_equal((user["id"], user["email"], user["profile"]["name"]), (made["user_id"], ADA["email"], "Ada"), "the user")
    await world.auth(409, "register", {**ADA, "email": "ADA@example.COM"})

    step("an access token expires by the world's clock; a refresh brings the next pair, twice in the answer")
    await world.advance("90s")
    await world.me(401, first["access_token"])
    answer = await world.auth(200, "refresh", {"refresh_token": first["refresh_token"]})
    second = answer["data"]
    expect_equal({name: answer[name] for name in second}, second, "the tokens at the top level")
    expect_equal(answer["success"], True, "success")
    await world.me(200, second["access_token"])

    step("a refresh token works once; its successor is good all the same")
    for _ in range(2):
        await world.auth(401, "refresh", {"refresh_token": first["refresh_token"]}, ["revoked"])
    third = (await world.auth(200, "refresh", {"refresh_token": second["refresh_token"]}))["data"]

    step("logging out revokes it, and the access token lives on")
    await world.auth(204, "logout", {"refresh_token": third["refresh_token"]})
    await world.auth(401, "refresh", {"refresh_token": third["refresh_token"]}, ["revoked"])
    await world.me(200, third["access_token"])
    await world.auth(204, "logout", {})

    step("a refresh token that is none, or another world's, is 400; so is an access token, and neither passes for the other")
    for token in ("", "abc", "a.b.c", third["access_token"], world.world["token"]):
        await world.auth(400, "refresh", {"refresh_token": token})
    other = Accounts(teller)
    await other.make()
    foreign = (await other.auth(201, "register", ADA))["data"]
    await world.auth(400, "refresh", {"refresh_token": foreign["refresh_token"]}, ["not from this server"])
    await other.auth(200, "refresh", {"refresh_token": foreign["refresh_token"]})
    await world.me(401, made["refresh_token"])

    step("a refresh token expires by the world's clock")
    await world.advance("9m")
    await world.auth(401, "refresh", {"refresh_token": made["refresh_token"]}, ["expired"])

    step("nobody learns which addresses have accounts: same answer, same work")
    known, unknown = {**LOGIN, "password": "wrong horse"}, {**LOGIN, "email": "nobody@example.com"}
    answers = [json.dumps(await world.auth(401, "login", body)) for body in (known, unknown)]
    expect_equal(answers[0], answers[1], "the answer to an unknown address")
    bodies = (known, unknown, {**LOGIN, "email": "bob@example.com"})
    # In turn, so that all are late if the machine is busy for a while.
    rounds = [[await seconds(world.auth(401, "login", body)) for body in bodies] for _ in range(5)]
    times = [min(each) for each in zip(*rounds)]
    expect(max(times) < 3 * min(times), "the same time for known, unknown and imported accounts", times)
    expect(min(times) > 0.003, "the work of 100,000 iterations", times)


async def seconds(work):
    begin = time.monotonic()
    await work
    return time.monotonic() - begin
