"""The story with `aiohttp`, for REST and for the socket."""

import sys

import aiohttp
from aiohttp import WSMsgType

import facts
import story
import teller


class Socket:
    def __init__(self, response):
        self.response = response

    @property
    def extensions(self):
        return ["permessage-deflate"] if self.response.compress else []

    async def send(self, message):
        if isinstance(message, str):
            await self.response.send_str(message)
        else:
            await self.response.send_bytes(message)

    async def receive(self):
        message = await self.next_message()
        if message.type in (WSMsgType.TEXT, WSMsgType.BINARY):
            return message.data
        facts.expect(message.type == WSMsgType.CLOSE, "text, binary or a close frame", message)
        # `autoclose` is off, so that the frame is seen.
        await self.response.close()
        return teller.Closed(message.data, message.extra)

    async def next_message(self):
        return await self.response.receive()

    async def ping(self):
        await self.response.ping(b"are you there")
        message = await self.next_message()
        facts.expect(message.type == WSMsgType.PONG and bytes(message.data) == b"are you there", "a pong", message)

    async def abort(self):
        # aiohttp cannot drop a connection without a close frame.
        self.response._response.connection.transport.abort()

    async def close(self):
        await self.response.close()
        facts.expect_equal(self.response.close_code, 1000, "the close code")


class Adapter:
    name = "aiohttp"

    async def __aenter__(self):
        self.session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=teller.CHAPTER_SECONDS))
        return self

    async def __aexit__(self, *_):
        await self.session.close()

    async def request(self, method, url, body, headers):
        sent = {"data": body} if isinstance(body, bytes) else {"json": body}
        async with self.session.request(method, url, **sent, headers=headers) as response:
            fields = {name.lower(): value for name, value in response.headers.items()}
            return response.status, fields, None if response.status == 204 else await response.json()

    async def connect(self, url, headers, compress=False):
        try:
            return Socket(await self.session.ws_connect(
                url, headers=headers, autoclose=False, autoping=False, compress=15 if compress else 0,
                max_msg_size=2 * 16 * facts.MEBIBYTE))
        except aiohttp.WSServerHandshakeError as refused:
            # aiohttp does not show the body of a refusal.
            raise teller.Refused(refused.status, {}, None) from refused


if __name__ == "__main__":
    print(f"aiohttp {aiohttp.__version__}, Python {sys.version.split()[0]}")
    story.tell(Adapter)
