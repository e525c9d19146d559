"""One HTTP request and its answer, over asyncio's streams: the standard library has no HTTP client for asyncio."""

import asyncio
import json
from urllib.parse import urlsplit

LARGEST_BODY = 16 << 20


class Answer:
    """What the backend answered: the status, the header fields in lower case, and the body."""

    def __init__(self, status, fields, body):
        self.status = status
        self.fields = fields
        self.is_damaged = False
        try:
            self.body = json.loads(body)
        except ValueError:  # UnicodeDecodeError is one
            self.body = None
            self.is_damaged = 200 <= status < 300

    @property
    def is_success(self):
        return 200 <= self.status < 300 and not self.is_damaged

    @property
    def error(self):
        error = self.body.get("error") if isinstance(self.body, dict) else None
        return error if isinstance(error, dict) else {}

    @property
    def message(self):
        return str(self.error.get("message") or f"The backend answered with status {self.status}.")

    @property
    def retry_after(self):
        text = self.fields.get("retry-after", "")
        return int(text) if text.isdigit() else None

    @property
    def data(self):
        """The object or list itself, with or without an envelope."""
        inner = self.body.get("data") if isinstance(self.body, dict) else None
        return self.body if inner is None else inner

    def list(self, name):
        """The list of that name, wherever the guide puts it; None where there is none."""
        for place in (self.body, self.data):
            if isinstance(place, dict) and isinstance(place.get(name), list):
                return place[name]
        return self.data if isinstance(self.data, list) else None


async def exchange(method, url, fields, body=None):
    """Sends a request on a connection of its own.

    Raises OSError, EOFError or ValueError where no whole answer comes.
    """
    address = urlsplit(url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port or 80)
    try:
        content = b"" if body is None else json.dumps(body).encode()
        fields = {"Host": address.netloc, "Connection": "close", "Accept": "application/json", **fields}
        if body is not None:
            fields |= {"Content-Type": "application/json", "Content-Length": str(len(content))}
        elif method != "GET":
            fields["Content-Length"] = "0"
        target = (address.path or "/") + ("?" + address.query if address.query else "")
        lines = [f"{method} {target} HTTP/1.1"] + [f"{name}: {value}" for name, value in fields.items()]
        writer.write("\r\n".join(lines + ["", ""]).encode() + content)
        return await _read(reader)
    finally:
        writer.close()


async def _read(reader):
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        status = int(head[0].split(" ")[1])
        fields = {}
        for line in filter(None, head[1:]):
            name, _, value = line.partition(":")
            fields[name.lower()] = value.strip()
        if fields.get("transfer-encoding", "").lower() == "chunked":
            body = await _read_chunks(reader)
        elif "content-length" in fields:
            body = await reader.readexactly(_bounded(int(fields["content-length"])))
        else:
            body = await reader.read(LARGEST_BODY)
    except (asyncio.LimitOverrunError, IndexError) as error:
        raise ValueError(f"This is no HTTP: {error}") from error
    return Answer(status, fields, body)


async def _read_chunks(reader):
    body = b""
    while True:
        size = _bounded(int((await reader.readuntil(b"\r\n")).split(b";")[0], 16))
        chunk = await reader.readexactly(size + 2)
        if chunk[size:] != b"\r\n":
            raise ValueError("A chunk does not end where it says.")
        if size == 0:
            return body
        body += chunk[:size]
        _bounded(len(body))


def _bounded(size):
    if not 0 <= size <= LARGEST_BODY:
        raise ValueError(f"A body of {size} bytes is too large.")
    return size
