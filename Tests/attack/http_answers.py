"""Reads a server's bytes, strictly, as HTTP/1.1 answers."""

import re

STATUS_LINE = re.compile(rb"HTTP/1\.1 ([1-5][0-9][0-9]) [\x20-\x7e]*\r\n")
FIELD_LINE = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\r\n\0]*?)[ \t]*\r\n")

# The statuses in docs/limits.md and the OpenAPI description, and RFC 9110's for input that is not HTTP.
STATUSES = {
    100, 101, 200, 201, 204, 302, 400, 401, 403, 404, 405, 408, 409, 413, 414, 415, 417, 426, 429, 431, 501, 505,
    507,
}


class Broken(Exception):
    """Bytes that are not an HTTP/1.1 answer."""


class Answer:
    def __init__(self, status, fields, body, is_whole):
        self.status, self.fields, self.body, self.is_whole = status, fields, body, is_whole


def read_answers(data, may_be_head=True):
    """The answers in a connection's bytes up to its end, and the bytes after a 101.

    `may_be_head`: an answer may be to HEAD, with the length of a body but without the body.
    """
    answers, place = [], 0
    while place < len(data):
        answer, place = read_answer(data, place, may_be_head)
        answers.append(answer)
        if answer.status == 101:
            return answers, data[place:]
    return answers, b""


def read_answer(data, place, may_be_head):
    line = STATUS_LINE.match(data, place)
    if not line:
        raise Broken(f"no status line: {data[place:place + 80]!r}")
    status, fields, place = int(line[1]), {}, line.end()
    while data[place:place + 2] != b"\r\n":
        field = FIELD_LINE.match(data, place)
        if not field:
            raise Broken(f"no field line: {data[place:place + 80]!r}")
        name = field[1].lower()
        if name in fields and name in (b"content-length", b"transfer-encoding", b"date", b"content-type"):
            raise Broken(f"{name.decode()} comes twice")
        fields[name] = field[2]
        place = field.end()
    place += 2
    if status < 200 or status == 204:
        if b"content-length" in fields or b"transfer-encoding" in fields:
            raise Broken(f"a {status} with a length")
        return Answer(status, fields, b"", True), place
    if b"transfer-encoding" in fields:
        if may_be_head and (data.startswith(b"HTTP/1.1 ", place) or place == len(data)):
            return Answer(status, fields, b"", True), place
        body, place, is_whole = read_chunks(data, place)
        return Answer(status, fields, body, is_whole), place
    if b"content-length" not in fields and fields.get(b"connection", b"").lower() == b"close":
        # Until the connection ends: HTTP/1.0 gets answers of unknown length like this.
        return Answer(status, fields, data[place:], True), len(data)
    if not re.fullmatch(rb"[0-9]{1,12}", fields.get(b"content-length", b"")):
        raise Broken(f"a {status} whose length is {fields.get(b'content-length')!r}")
    length = int(fields[b"content-length"])
    if length and may_be_head and (data.startswith(b"HTTP/1.1 ", place) or place == len(data)):
        return Answer(status, fields, b"", True), place
    body = data[place:place + length]
    return Answer(status, fields, body, len(body) == length), place + len(body)


def read_chunks(data, place):
    body = b""
    while True:
        line = re.compile(rb"([0-9a-fA-F]{1,15})(;[^\r\n]*)?\r\n").match(data, place)
        if not line:
            if data.find(b"\r\n", place) < 0:
                return body, len(data), False
            raise Broken(f"no size of a chunk: {data[place:place + 40]!r}")
        size, place = int(line[1], 16), line.end()
        body += data[place:place + size]
        place += size
        if place + 2 > len(data):
            return body, len(data), False
        if data[place:place + 2] != b"\r\n":
            raise Broken(f"a chunk of {size} bytes ends with {data[place:place + 20]!r}")
        place += 2
        if size == 0:
            return body, place, True
