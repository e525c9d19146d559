"""Sends one user's session, the steps of session_steps.json, to any server, and writes the answers to a file.

    session_client.py URL TOKEN API_KEY TRANSCRIPT [--credentials headers|query]

Answers and the messages of each socket are separate lists, because the order between two connections varies. Ends of
sockets are omitted, because the files of most recorders lack them.
"""

import argparse
import asyncio
import json
import pathlib
import re

import aiohttp

STEPS = pathlib.Path(__file__).parent / "session_steps.json"
SECONDS = 20


def without_origin(text):
    """Answers contain the server's origin; a replay has another one."""
    return re.sub(r"http://127\.0\.0\.1:\d+", "http://server", text)


class Session:
    def __init__(self, http, url, token, api_key, credentials="headers"):
        self.http = http
        self.url = url.rstrip("/")
        self.token = token
        self.headers = {"Authorization": f"Bearer {token}", "X-API-Key": api_key}
        self.credentials = credentials
        self.kept = {}
        self.socket = None
        self.transcript = {"answers": [], "sockets": []}

    async def tell(self):
        for step in json.loads(STEPS.read_text(encoding="utf-8")):
            if "ask" in step:
                await self.ask(step)
            elif "open" in step:
                await self.open(step["open"].format(**self.kept))
            elif "send" in step:
                await self.socket.send_str(step["send"])
            elif "send_bytes" in step:
                await self.socket.send_bytes(bytes(step["send_bytes"]))
            elif "close" in step:
                await self.socket.close(code=step["close"])
            if "until" in step:
                await self.listen(step["until"])

    async def ask(self, step):
        path = step["path"].format(**self.kept)
        async with self.http.request(
                step["ask"], f"{self.url}{path}", json=step.get("body"), headers=self.headers) as answer:
            text = await answer.text()
        self.transcript["answers"].append([f"{step['ask']} {path}", answer.status, without_origin(text)])
        if "keep" in step:
            self.kept[step["keep"]] = json.loads(text)["data"]["id"]

    async def open(self, path):
        query, headers = ("", self.headers) if self.credentials == "headers" else (f"?token={self.token}", {})
        self.socket = await self.http.ws_connect(f"{self.url}{path}{query}", headers=headers)
        self.transcript["sockets"].append([])

    async def listen(self, last):
        while True:
            message = await asyncio.wait_for(self.socket.receive(), SECONDS)
            if message.type != aiohttp.WSMsgType.TEXT:
                raise AssertionError(f"expected messages until {last}; got {message}")
            self.transcript["sockets"][-1].append(without_origin(message.data))
            if json.loads(message.data)["type"] == last:
                return


async def tell(url, token, api_key, transcript, credentials):
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=60)) as http:
        session = Session(http, url, token, api_key, credentials)
        try:
            await session.tell()
        finally:
            with open(transcript, "w", encoding="utf-8") as file:
                json.dump(session.transcript, file, indent=1, ensure_ascii=False)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for name in ["url", "token", "api_key", "transcript"]:
        parser.add_argument(name)
    parser.add_argument("--credentials", choices=["headers", "query"], default="headers")
    asyncio.run(tell(**vars(parser.parse_args())))
