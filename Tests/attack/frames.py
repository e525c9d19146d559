"""WebSocket frames: built, read strictly, and RFC 6455's verdict on a client's bytes."""

import base64
import codecs
import os
import struct

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
# Larger messages may or may not exceed the server's limit; the limits of its sockets differ.
SMALLEST_LIMIT = 1 << 20


def frame(opcode, payload=b"", final=True, reserved=0, mask=b"\0\0\0\0", is_masked=True, width=None, length=None):
    """A frame; `width` (0, 2 or 8 bytes) and `length` can be false."""
    size = len(payload) if length is None else length
    if width is None:
        width = 0 if size < 126 else 2 if size < 65536 else 8
    bit = 0x80 if is_masked else 0
    head = bytes([(0x80 if final else 0) | reserved << 4 | opcode])
    if width == 0:
        head += bytes([bit | min(size, 127)])
    elif width == 2:
        head += bytes([bit | 126]) + struct.pack(">H", size & 0xFFFF)
    else:
        head += bytes([bit | 127]) + struct.pack(">Q", size & 0xFFFFFFFFFFFFFFFF)
    return head + (mask + masked(payload, mask) if is_masked else payload)


def masked(payload, mask):
    if mask == b"\0\0\0\0" or not payload:
        return payload
    key = (mask * (len(payload) // 4 + 1))[:len(payload)]
    return (int.from_bytes(payload, "big") ^ int.from_bytes(key, "big")).to_bytes(len(payload), "big")


def handshake(path, port, fields=()):
    key = base64.b64encode(os.urandom(16)).decode()
    lines = [
        f"GET {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", "Upgrade: websocket", "Connection: Upgrade",
        f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13", *fields, "", ""]
    return "\r\n".join(lines).encode()


class BadFrame(Exception):
    """A frame that a server must not send."""


def read_server_frames(data):
    """The whole frames in a server's bytes as (opcode, final, payload), without a partial one at the end."""
    frames, place = [], 0
    while place + 2 <= len(data):
        first, second = data[place], data[place + 1]
        if first & 0x70 or second & 0x80:
            raise BadFrame(f"a frame of a server begins with {data[place:place + 2].hex()}")
        size, start = second & 0x7F, place + 2
        if size >= 126:
            width = 2 if size == 126 else 8
            if start + width > len(data):
                break
            size, start = int.from_bytes(data[start:start + width], "big"), start + width
        opcode = first & 0x0F
        if opcode not in (0, TEXT, BINARY, CLOSE, PING, PONG) or opcode >= 8 and (size > 125 or not first & 0x80):
            raise BadFrame(f"a frame of a server begins with {data[place:place + 2].hex()}")
        if start + size > len(data):
            break
        frames.append((opcode, bool(first & 0x80), data[start:start + size]))
        place = start + size
    return frames


class Expected:
    """The output of an echoing server, and its end: a set of close codes, or None if it may wait for more."""

    def __init__(self, data):
        self.sent, self.codes, self.is_open_question = [], None, False
        self.message, self.opcode, self.text = b"", None, None
        place = 0
        while place is not None and place < len(data):
            place = self.read(data, place)

    def fail(self, *codes):
        self.codes = set(codes)

    def read(self, data, place):
        """Reads one frame; returns the start of the next, or None at the end."""
        first = data[place]
        final, opcode = bool(first & 0x80), first & 0x0F
        if first & 0x70 or opcode not in (0, TEXT, BINARY, CLOSE, PING, PONG) or opcode >= 8 and not final:
            return self.fail(1002)
        if opcode == 0 and self.opcode is None or opcode in (TEXT, BINARY) and self.opcode is not None:
            return self.fail(1002)
        if place + 1 >= len(data):
            return None
        second = data[place + 1]
        size, start = second & 0x7F, place + 2
        if not second & 0x80 or opcode >= 8 and size > 125:
            return self.fail(1002)
        if size >= 126:
            width = 2 if size == 126 else 8
            if start + width > len(data):
                return None
            size, start = int.from_bytes(data[start:start + width], "big"), start + width
            if size < (126 if width == 2 else 65536) or size >> 63:
                return self.fail(1002)
        if opcode < 8 and size + len(self.message) > SMALLEST_LIMIT:
            if size + len(self.message) > 16 << 20:
                return self.fail(1009)
            self.is_open_question = True
            return None
        if opcode == CLOSE and size == 1:
            return self.fail(1002)
        mask, start = data[start:start + 4], start + 4
        if start > len(data):
            return None
        payload = masked(data[start:start + size], mask)
        is_whole = len(payload) == size
        if opcode >= 8:
            return self.control(opcode, payload, start + size) if is_whole else None
        if opcode:
            self.opcode, self.text = opcode, codecs.getincrementaldecoder("utf-8")()
        self.message += payload
        if self.opcode == TEXT and not self.is_text(payload, final and is_whole):
            return self.fail(1007)
        if not is_whole:
            return None
        if final:
            self.sent.append((self.opcode, self.message))
            self.message, self.opcode = b"", None
        return start + size

    def is_text(self, payload, is_end):
        """Whether the text continues as valid UTF-8."""
        try:
            self.text.decode(payload, is_end)
        except UnicodeDecodeError:
            return False
        # Python's decoder waits for a surrogate's third byte, before it refuses the second.
        pending = self.text.getstate()[0]
        return not (pending[:1] == b"\xed" and pending[1:2] >= b"\xa0")

    def control(self, opcode, payload, next_place):
        if opcode == PING:
            self.sent.append((PONG, payload))
        if opcode != CLOSE:
            return next_place
        code = int.from_bytes(payload[:2], "big") if payload else 1000
        is_known = 1000 <= code <= 1014 and code not in (1004, 1005, 1006) or 3000 <= code < 5000
        try:
            payload[2:].decode()
        except UnicodeDecodeError:
            return self.fail(1007 if is_known else 1002)
        return self.fail(code if is_known else 1002)
