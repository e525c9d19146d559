"""The faults of REST answers, as rules of a scenario file; each library has its own expectations."""

GOALS = "/api/v1/goals"
ON = {"on": f"GET {GOALS}"}

STATUS = {**ON, "requests": 1, "status": 503, "retry_after": 2, "code": "COMING_UP", "message": "Not yet."}
STATUS_TEXT = {**ON, "status": 502, "body": "<h1>Bad Gateway</h1>", "content_type": "text/html"}
QUOTA = {**ON, "quota": {"requests": 2, "per": "10s"}}
DELAY = {**ON, "delay": "2s"}
HOLD = {**ON, "hold": {"what": "request", "for": "2s"}}
HOLD_RESPONSE = {**ON, "hold": {"what": "response", "for": "2s"}}
DRIBBLE = {**ON, "dribble": {"bytes": 64, "every": "1s"}}
TRUNCATE = {**ON, "truncate": {"after": 20}}
LONG_LENGTH = {**ON, "content_length": 10}
SHORT_LENGTH = {**ON, "content_length": -1}
MALFORMED_JSON = {**ON, "malformed": "json"}
MALFORMED_CHUNKING = {**ON, "malformed": "chunking"}
EMPTY_REPLY = {**ON, "empty_reply": True}
RESET = {**ON, "reset": True}
RESET_IN_HEAD = {**ON, "reset": {"after": 30}}
RESET_IN_BODY = {**ON, "reset": {"after": 160}}
HANG = {**ON, "hang": True}
NO_CHARSET = {**ON, "content_type": "application/json"}
NO_TYPE = {**ON, "content_type": None}
CODED_UNDECLARED, CODED_TRUNCATED, CODED_CORRUPT, CODED_WRONG_LENGTH = (
    {**ON, "compression": how} for how in ("undeclared", "truncated", "corrupt", "wrong-length"))
NANOSECONDS = {"on": "GET /api/v1/consultations/{id}", "nanosecond_timestamps": True}

NANOSECOND_TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z"
