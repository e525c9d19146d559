"""The faults of handshakes and sockets, as rules of a scenario file; each library has its own expectations."""

HANDSHAKE = {"on": "handshake"}
REFUSED = {**HANDSHAKE, "status": 503, "retry_after": 1, "message": "The server is starting."}
LATE = {**HANDSHAKE, "delay": "2s"}
HANDSHAKE_HOLD = {**HANDSHAKE, "hold": {"what": "request", "for": "2s"}}
WRONG_ACCEPT = {**HANDSHAKE, "wrong_accept": True}
DECLINED = {**HANDSHAKE, "compression": "declined"}
HANDSHAKE_EMPTY = {**HANDSHAKE, "empty_reply": True}
HANDSHAKE_RESET = {**HANDSHAKE, "reset": True}
HANDSHAKE_HANGS = {**HANDSHAKE, "hang": True}

# The second frame is `message_received`, the answer to the first question.
SECOND = {"on": "socket", "at": {"frame": 2}}
CLOSE = {**SECOND, "close": 1011}
CLOSE_REASON = {**SECOND, "close": {"code": 4000, "reason": "Come back tomorrow ☀"}}
CLOSE_NONE = {**SECOND, "close": "none"}
CLOSE_FORBIDDEN = {**SECOND, "close": 1004}
FINISH = {**SECOND, "finish": True}
RESET = {**SECOND, "reset": True}
SILENCE = {**SECOND, "silence": True}
CUT = {**SECOND, "cut": {"after": 5}}
CUT_RESET = {**SECOND, "cut": {"after": 5, "reset": True}}
AT_BYTE = {"on": "socket", "at": {"byte": 200}, "finish": True}
END = {**SECOND, "end": {"how": "reset", "after": "2s"}}
MASKED = {**SECOND, "masked": True}
RESERVED_BITS = {**SECOND, "reserved_bits": 4}
UNDECLARED, FRAGMENTED, MARKED, FORGOTTEN, TRAILING, CORRUPT = (
    {**SECOND, "compression": how}
    for how in ("undeclared", "fragmented", "marked", "forgotten", "trailing", "corrupt"))
INVALID_UTF8 = {**SECOND, "invalid_utf8": True}
BINARY = {**SECOND, "binary": True}
REPLACE = {**SECOND, "replace": "Not even JSON"}
INSERT = {**SECOND, "insert": "Not even JSON"}
FRAME_DELAY = {**SECOND, "delay": "2s"}
FRAME_HOLD = {**SECOND, "hold": {"what": "server_to_client", "for": "2s"}}
CLIENT_HOLD = {"on": "socket", "at": {"type": "message"}, "hold": {"what": "client_to_server", "for": "2s"}}
FRAME_DRIBBLE = {**SECOND, "dribble": {"bytes": 30, "every": "1s"}}
NANOSECONDS = {"on": "socket", "nanosecond_timestamps": True}
WITHHOLD_PONG = {"on": "socket", "withhold_pong": True}
STALL_READING = {"on": "socket", "at": {"frame": 1}, "stall_reading": True}

THIRD_CHUNK = {"on": "socket", "at": {"chunk": 3}}
LOSE = {**THIRD_CHUNK, "lose": True}
DOUBLE = {**THIRD_CHUNK, "double": True}
SWAP = {**THIRD_CHUNK, "swap": True}
COALESCE = {"on": "socket", "at": {"chunk": "1.."}, "coalesce": 3}

# Five chunks.
FIVE = [{"chunks": ["1 ", "2 ", "3 ", "4 ", "5 "], "timing": "instant"}]

# A fragment begins at the second byte of a character, wherever that is.
CREAM_TEXT = "ééééé"
CREAM = [{"chunks": [CREAM_TEXT], "timing": "instant"}]
ESCAPE = {"on": "socket", "escape": True}
FRAGMENTS = {"on": "socket", "at": {"chunk": 1}, "fragments": list(range(1, 100, 3))}
