"""The endpoints of a server in a guide's mode, the required credentials, and the refusals."""

from facts import UNKNOWN_ID, expect, expect_equal, expect_keys, step
from frames import frames_of, read_yaml
from teller import QUERY_TOKEN_GUIDES, next_frame

ALL = ["consultation-websocket", "enhanced-consultations", "goal-linking", "websocket-architecture",
       "meal-log-websocket"]
KEYLESS_GUIDES = ["goal-linking", "websocket-architecture"]

# The endpoints of each guide, in the order of ALL: D documents it, S presupposes it, - lacks it.
ENDPOINTS = {
    ("POST", "/api/v1/consultations"): "DD-DS",
    ("GET", "/api/v1/consultations"): "-D---",
    ("GET", "/api/v1/consultations/{id}"): "DDDS-",
    ("DELETE", "/api/v1/consultations/{id}"): "--S--",
    ("GET", "/api/v1/consultations/{id}/messages"): "DDSS-",
    ("POST", "/api/v1/consultations/{id}/archive"): "SDS--",
    ("GET", "/api/v1/consultations/quick-actions"): "-D---",
    ("GET", "/api/v1/consultations/{id}/ws"): "DDSDD",
    ("POST", "/api/v1/goals"): "SSD--",
    ("GET", "/api/v1/goals"): "SSD--",
    ("GET", "/api/v1/goals/{id}"): "SSD--",
    ("PATCH", "/api/v1/goals/{id}"): "SSD--",
    ("DELETE", "/api/v1/goals/{id}"): "--S--",
    ("POST", "/api/v1/consultations/chat-about-goal"): "--D--",
    ("POST", "/api/v1/meal-logs/natural"): "---SD",
    ("GET", "/api/v1/meal-logs/{id}"): "---SD",
    ("GET", "/api/v1/meal-logs"): "---SS",
}


def provision(guide, endpoint):
    return ENDPOINTS[endpoint][ALL.index(guide)]


def guides_of(endpoint):
    """The guides that document an endpoint, or otherwise those that presuppose it."""
    columns = ENDPOINTS[endpoint]
    wanted = "D" if "D" in columns else "S"
    return [guide for guide, column in zip(ALL, columns) if column == wanted]


def check_refusal(teller, endpoint, answer, code):
    """Checks the form of a refusal: meal-log-websocket has its own, except for presupposed endpoints."""
    own = teller.server.guide == "meal-log-websocket" and (
        endpoint is None or provision(teller.server.guide, endpoint) != "S")
    expect_keys(answer, "error" if own else "success error", f"the refusal of {endpoint}")
    expect_keys(answer["error"], "code message", f"the error of {endpoint}")
    expect_equal(answer["error"]["code"], code, f"the code of {endpoint}")


async def endpoints(teller):
    guide = teller.server.guide
    paths = {path for _, path in ENDPOINTS}
    step("what the guide knows asks for credentials; the rest is 404, with or without them, and names the guides")
    for endpoint in ENDPOINTS:
        method, path = endpoint[0], endpoint[1].replace("{id}", UNKNOWN_ID)
        body = {} if method not in ("GET", "DELETE") else None
        if provision(guide, endpoint) != "-":
            # A plain GET on the socket's path is not a handshake, but credentials are checked first.
            check_refusal(teller, endpoint, await teller.ask(401, method, path, body, headers={}), "UNAUTHORIZED")
            continue
        if method == "DELETE":  # another guide presupposes it; here the path merely lacks this method
            continue
        for headers in ({}, teller.headers):
            answer = await teller.ask(404, method, path, body, headers=headers)
            check_refusal(teller, endpoint, answer, "NOT_FOUND")
            for name in [guide, *guides_of(endpoint)]:
                expect(name in answer["error"]["message"], f"{name} in the message for {endpoint}", answer)

    step("methods that nobody documents: 405 with those that this guide has, or 404 where it has none")
    for path in sorted(paths):
        served = [method for method, other in ENDPOINTS if other == path and provision(guide, (method, other)) != "-"]
        if "DELETE" in served:
            continue
        url = f"{teller.server.url}{path.replace('{id}', UNKNOWN_ID)}"
        status, fields, answer = await teller.adapter.request("DELETE", url, None, teller.headers)
        expect_equal(status, 405 if served else 404, f"the status of DELETE {path}")
        check_refusal(teller, None, answer, "METHOD_NOT_ALLOWED" if served else "NOT_FOUND")
        allowed = {method for method in fields.get("allow", "").split(", ") if method}
        expect_equal(allowed - {"HEAD", "OPTIONS"}, set(served), f"Allow of {path}")

    step("what has no guide is there for everybody")
    for path in ["/health", "/ready"]:
        await teller.ask(200, "GET", path, headers={})
    for persona in ["nutritionist", "general_wellness"]:
        media_type, _ = teller.server.fetch(f"{teller.server.url}/avatars/{persona}.svg")
        expect(media_type.startswith("image/svg+xml"), "an image", media_type)
    check_refusal(teller, None, await teller.ask(404, "GET", "/api/v1/nothing"), "NOT_FOUND")


async def descriptions(teller):
    guide, server = teller.server.guide, teller.server
    step("the descriptions are there for everybody, and are this mode's")
    for path, media_type in [
        ("/openapi.yaml", "application/yaml"), ("/asyncapi.yaml", "application/yaml"),
        ("/docs", "text/html; charset=utf-8"),
    ]:
        got, text = server.fetch(f"{server.url}{path}")
        expect_equal(got, media_type, f"the media type of {path}")
        expect(guide.encode() in text[:4000], f"{guide} at the beginning of {path}", text[:200])

    step("the operations that are described are those that the mode has")
    document = read_yaml(server.fetch(f"{server.url}/openapi.yaml")[1])
    described = {
        # Ignores the name of the parameter.
        (method.upper(), path.replace("{goalId}", "{id}").replace("{mealLogId}", "{id}"))
        for path, item in document["paths"].items() if path.startswith("/api/v1/")
        # A method that the guide lacks, on a path that it has, has only its 404 described.
        for method in item if method != "parameters" and set(item[method]["responses"]) != {"404"}
        # The apps' own operations have other tests.
        if guide != "union" or "From the guides" in item[method]["tags"]
    }
    served = {endpoint for endpoint in ENDPOINTS if guide == "union" or provision(guide, endpoint) != "-"}
    expect_equal(described, served, "the operations")


async def credentials(teller):
    guide, headers = teller.server.guide, teller.headers
    bearer = {"Authorization": headers["Authorization"]}
    endpoint = next(
        e for e in ENDPOINTS if e[0] == "GET" and e[1].endswith("{id}") and provision(guide, e) != "-")
    path = endpoint[1].replace("{id}", UNKNOWN_ID)
    step("the API key: wrong is refused everywhere, absent where the guide's client sends one")
    await teller.ask(404, "GET", path)
    await teller.ask(404 if guide in KEYLESS_GUIDES else 401, "GET", path, headers=bearer)
    for given in [{**bearer, "X-API-Key": "wrong"}, {"X-API-Key": headers["X-API-Key"]}, {}]:
        check_refusal(teller, endpoint, await teller.ask(401, "GET", path, headers=given), "UNAUTHORIZED")

    step("the socket takes its credentials where the guide's client puts them")
    if guide == "goal-linking":
        goal = await teller.ask(
            201, "POST", "/api/v1/goals", {"title": "t", "description": "d", "targetDate": "2025-06-30T00:00:00Z"})
        answer = await teller.ask(201, "POST", "/api/v1/consultations/chat-about-goal", {"goalId": goal["id"]})
        path = f"/api/v1/consultations/{answer['conversationId']}/ws"
    else:
        path = f"/api/v1/consultations/{await teller.create()}/ws"
    query = f"{path}?token={teller.token}"
    takes_headers, takes_query = guide not in QUERY_TOKEN_GUIDES, guide not in (
        "consultation-websocket", "meal-log-websocket")
    await expect_handshake(teller, takes_headers, path, headers, "?token=")
    await expect_handshake(teller, takes_query, query, {}, "Authorization")
    await expect_handshake(teller, True, query, headers)
    await expect_handshake(teller, guide == "goal-linking", path, bearer)
    await expect_handshake(teller, False, path, {})
    await expect_handshake(teller, False, query, {**bearer, "X-API-Key": "wrong"}, "X-API-Key")


async def judged(teller):
    """Checks that frames are compared with the description: a planted mistake is found."""
    step("a frame that is not as described is noticed: a member too many, too few, or wrong; an unknown type")
    frames = frames_of(teller.server)
    frame = {"type": "error", "error": "No.", "timestamp": "2025-01-29T10:30:00Z"}
    needed = {**frame, "consultation_id": UNKNOWN_ID, "code": "INVALID_JSON"}
    good = {name: value for name, value in needed.items() if name in frames.members("error")}
    frames.check(good)
    for bad in [
        {**good, "x": 1}, {**good, "error": 7}, {**good, "type": "eror"}, {**good, "type": "message"}, [good],
        *({**good, "timestamp": time} for time in ("2025-01-29T10:30:00.5Z", "now") if "timestamp" in good),
        *({key: value for key, value in good.items() if key != name} for name in good),
    ]:
        try:
            frames.check(bad)
        except AssertionError:
            continue
        raise AssertionError(f"the description lets this pass as a frame: {bad}")


async def expect_handshake(teller, is_accepted, path, headers, *words):
    if not is_accepted:
        await teller.refused(401, path, headers, *words)
        return
    socket = await teller.connect(path, headers)
    expect_equal((await next_frame(socket))["type"], "connected", "the first frame's type")
    await socket.close()
