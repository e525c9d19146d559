"""An app's user on one device, an outbox of the app, and times in the apps' notation."""

from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime

from app_chapters import check
from app_models import ME, REGISTRATION, decoded
from app_shapes import API, REFUSAL, TOKENS
from facts import expect, expect_equal

PASSWORD = "correct horse"
# The account of the scenario `app-returning-user`.
RETURNING = {"email": "sam@example.com", "password": "correct horse battery"}


def whole(time):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ")


def fractional(time):
    """As `.withFractionalSeconds` writes it."""
    return time.strftime("%Y-%m-%dT%H:%M:%S.") + f"{time.microsecond // 1000:03}Z"


def day(time):
    return time.strftime("%Y-%m-%d")


def read(text):
    """Reads a time in an answer."""
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


class Device:
    """One start of an app: its tokens, and its decoders, which throw if an answer does not fit."""

    def __init__(self, teller, name="ada", credentials=None):
        self.teller = teller
        self.credentials = credentials or {"email": f"{teller.user}-{name}@example.com", "password": PASSWORD}
        self.key = {"X-API-Key": teller.server.api_key}
        self.tokens = {}

    @property
    def bearer(self):
        return {"Authorization": f"Bearer {self.tokens['access_token']}"}

    async def exchange(self, method, path, body=None, headers=None):
        headers = {**self.key, **self.bearer} if headers is None else headers
        return await self.teller.adapter.request(method, f"{self.teller.server.url}{API}{path}", body, headers)

    async def send(self, status, method, path, body, shape, headers=None):
        """Sends a request, and returns what the app reads of the answer."""
        got, _, answer = await self.exchange(method, path, body, headers)
        expect(got == status, f"{status} for {method} {path} {body}", (got, answer))
        if status == 204:
            return None
        expect_equal(answer["success"], True, f"success of {method} {path}")
        return decoded(answer, shape, f"{method} {path}")

    async def get(self, path, shape, **options):
        return await self.send(200, "GET", path, None, shape, **options)

    async def post(self, path, body, shape, status=201, **options):
        return await self.send(status, "POST", path, body, shape, **options)

    async def put(self, path, body, shape):
        return await self.send(200, "PUT", path, body, shape)

    async def delete(self, path):
        """Deletes an existing resource, once."""
        await self.send(204, "DELETE", path, None, None)
        await self.refused(404, "DELETE", path)

    async def refused(self, status, method, path, body=None, word="", headers=None):
        got, _, answer = await self.exchange(method, path, body, headers)
        expect(got == status, f"{status} for {method} {path} {body}", (got, answer))
        check(answer, REFUSAL, f"{method} {path}")
        expect(word in answer["message"], f"{word!r} in the message of {method} {path} {body}", answer)

    async def sign_up(self):
        self.tokens = await self.post("/auth/register", {
            **self.credentials, "name": "Ada", "date_of_birth": "1990-05-17"}, REGISTRATION, headers=self.key)
        return self

    async def log_in(self):
        self.tokens = await self.post("/auth/login", self.credentials, TOKENS, status=200, headers=self.key)
        return self

    async def another(self):
        """The same user on another device."""
        return await Device(self.teller, credentials=self.credentials).log_in()

    async def stranger(self, name="bob"):
        """Another user, with an account."""
        return await Device(self.teller, name).sign_up()

    async def user_id(self):
        return (await self.get("/users/me", ME))["id"]

    async def now(self):
        """The server's time, with a millisecond that makes the apps' fractions visible."""
        _, fields, _ = await self.teller.adapter.request("GET", f"{self.teller.server.url}/health", None, {})
        return parsedate_to_datetime(fields["date"]) + timedelta(milliseconds=-1)

    async def leave(self):
        """Deletes the account, and checks that its data is gone and the address is free."""
        await self.send(204, "DELETE", "/users/me", None, None)
        await self.refused(401, "GET", "/users/me")
        await self.refused(401, "POST", "/auth/login", self.credentials, headers=self.key)
        return await self.sign_up()


class Outbox:
    """Entries that wait for the network; the app posts each until it can decode an answer."""

    def __init__(self, path, shape):
        self.path, self.shape = path, shape
        self.waiting, self.synced, self.posts = [], [], 0

    def add(self, body):
        self.waiting.append(body)

    async def sync(self, device):
        """Posts entries as the app does at each start or activation; three times here."""
        trouble = None
        for _ in range(3):
            waiting, self.waiting = self.waiting, []
            for body in waiting:
                self.posts += 1
                try:
                    self.synced.append(await device.post(self.path, body, self.shape))
                except AssertionError as thrown:
                    trouble = thrown
                    self.waiting.append(body)
        if trouble:
            count = len(self.synced) + len(self.waiting)
            raise AssertionError(f"{self.posts} posts of {count} entries to {self.path}") from trouble
        return self.synced

    def expect_in(self, entries):
        """Checks that a list has each entry once, as in the answers, latest first."""
        expect_equal([each["id"] for each in entries], [each["id"] for each in reversed(self.synced)],
                     f"the entries of {self.path}, latest first")
        expect_equal(entries, self.synced[::-1], f"the list of {self.path}")
