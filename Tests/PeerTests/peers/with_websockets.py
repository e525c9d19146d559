"""The story with `websockets`, and REST with Python's own http.client over a persistent connection."""

import asyncio
import http.client
import json
import sys
import urllib.parse

import websockets
from websockets.asyncio.client import connect

import facts
import story
import teller


class Socket:
    def __init__(self, connection):
        self.connection = connection

    @property
    def extensions(self):
        return [extension.name for extension in self.connection.protocol.extensions]

    async def send(self, message):
        await self.connection.send(message)

    async def receive(self):
        try:
            return await self.connection.recv()
        except websockets.ConnectionClosed as closed:
            if closed.rcvd is None:
                raise AssertionError(f"the connection ended without a close frame: {closed}") from closed
            return teller.Closed(closed.rcvd.code, closed.rcvd.reason)

    async def ping(self):
        await (await self.connection.ping())

    async def abort(self):
        self.connection.transport.abort()

    async def close(self):
        await self.connection.close()
        facts.expect_equal(self.connection.close_code, 1000, "the close code")


class Adapter:
    name = "websockets"

    async def __aenter__(self):
        self.connection = None
        return self

    async def __aexit__(self, *_):
        if self.connection is not None:
            self.connection.close()

    async def request(self, method, url, body, headers):
        return await asyncio.to_thread(self.blocking_request, method, url, body, headers)

    def blocking_request(self, method, url, body, headers):
        parts = urllib.parse.urlsplit(url)
        if self.connection is None:
            kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
            self.connection = kind(parts.hostname, parts.port, timeout=teller.FRAME_SECONDS)
        payload = None if body is None else json.dumps(body)
        if payload is not None:
            headers = {**headers, "Content-Type": "application/json"}
        self.connection.request(method, urllib.parse.urlunsplit(("", "", *parts[2:])), payload, headers)
        response = self.connection.getresponse()
        fields = {name.lower(): value for name, value in response.getheaders()}
        return response.status, fields, json.loads(response.read())

    async def connect(self, url, headers, compress=False):
        try:
            return Socket(await connect(
                url, additional_headers=headers, compression="deflate" if compress else None,
                max_size=2 * 16 * facts.MEBIBYTE, proxy=None, open_timeout=teller.FRAME_SECONDS))
        except websockets.InvalidStatus as refused:
            response = refused.response
            fields = {name.lower(): value for name, value in response.headers.raw_items()}
            raise teller.Refused(response.status_code, fields, json.loads(response.body)) from refused


if __name__ == "__main__":
    print(f"websockets {websockets.__version__}, Python {sys.version.split()[0]}")
    story.tell(Adapter)
