"""The part numbers: boundary numbers in every place for a number in the admin API, the API and scenarios, by their
schemas.

No number crashes or stalls the server, whatever happens later: each new world is used, moved in time, exported, copied
and deleted. `check` and the server agree about every scenario.
"""

import collections
import http.client
import json
import pathlib
import re

import journal
import yaml
from boundaries import DURATIONS, INTEGERS, TIMES, WORLDS, Schemas
from report import table
from running import Client, run, running

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCENARIO = json.loads((ROOT / "Fixtures" / "scenarios" / "scenario.schema.json").read_text())
SESSION = ROOT / "Fixtures" / "sessions" / "chat.har"
TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}(\.[0-9]+)?Z")
MARK = "the-boundary-number"
UUID = re.compile("[0-9a-f]{8}-[0-9a-f-]{27}")
MEMORY = 1_000
# The statuses that any request may get, as both descriptions say at their beginning.
ANY_STATUS = {400, 401, 404, 408, 413, 414, 429, 431, 501, 503, 507}
METHODS = ["get", "post", "put", "patch", "delete"]
# These end the server, or do not end by themselves.
SKIPPED = {("post", "/drain"), ("get", "/events"), ("get", "/echo")}
SHORT_INPUTS, SECONDS, FAULT_SECONDS, FAULT_SECONDS_IN_ALL = 250, 20, 0.3, 2
# Replacements for the smallest value, if it does not give a valid body.
BASES = {
    ("post", "/wait"): {"for": {"kind": "exchange"}, "within": "1ms"}, ("post", "/clock"): {},
    ("post", "/held/{held}"): {"action": "answer"}, ("post", "/sockets/{connection}/send"): {"text": "x"},
}


# Further members that a scenario needs for a place to count.
BESIDE = {
    "faults[].at": ("faults", {"on": "socket", "finish": True}), "faults[].connections": ("faults", {"on": "socket"}),
    "users[].consultations[].completed_at": ("consultations", {"status": "completed"}),
    "users[].password_hash": ("users", {"email": "a@b.c"}), "users[].refresh_tokens[]": ("users", {"email": "a@b.c", "password": "12345678"}),
}


class Input:
    """One input: its subject, and how to send it."""

    def __init__(self, group, kind, name, value, send):
        self.group, self.kind, self.name, self.value, self.send = group, kind, name, value, send


def attack(part, folder):
    inputs = (
        # Before the admin API's own inputs, which leave faults and a network behind.
        scenario_inputs() + description_inputs("API", description("openapi.yaml"), "")
        + description_inputs("admin API", description("admin.yaml"), "/__admin")
        + world_id_inputs() + file_inputs(part.settings, folder))
    # A short attack takes every n-th input, so that it has some of each place.
    stride = max(1, len(inputs) // SHORT_INPUTS) if part.settings.short else 1
    chosen = range(part.settings.seed % stride, len(inputs), stride)
    rows = collections.defaultdict(collections.Counter)
    server, never, taken = None, set(), set()
    for number in part.numbers(rounds=len(chosen), short=len(chosen)):
        place = number if part.settings.only is not None else chosen[number] if number < len(chosen) else None
        if place is None or place >= len(inputs):
            break
        one = inputs[place]
        server = server or Running(part.settings, folder)
        try:
            outcome, problem = one.send(server)
        except (OSError, http.client.HTTPException, KeyError, ValueError) as error:
            outcome, problem = "trouble", f"{type(error).__name__}: {error}"
        trouble = server.trouble()
        if trouble:
            outcome, problem, server = "trouble", f"{trouble} ({problem})", server.close()
        part.count(outcome)
        rows[(one.group, one.kind)][outcome] += 1
        never.add(f"{one.group}, {one.name}")
        if outcome in ("taken", "world"):
            taken.add(f"{one.group}, {one.name}")
        if problem:
            part.fail(place, f"{one.group}, {one.name} = {one.value[:80]}: {problem}")
        if number % 200 == 0:
            part.progress(f"{part.inputs} inputs")
    if server:
        status = server.stop()
        if status != 0:
            part.fail(None, f"the server exited with {status} after SIGTERM")
        server.close()
    if not part.settings.short and part.settings.only is None:
        untaken = sorted(never - taken)
        part.tables.append(table(["no value is taken at", "places"], [*[[name, 1] for name in untaken], ["all", len(untaken)]]))
    if part.settings.only is None:
        options(part, rows)
    outcomes = sorted({outcome for row in rows.values() for outcome in row})
    part.tables.append(table(
        ["where", "kind of number", *outcomes], [[*key, *(row[outcome] for outcome in outcomes)] for key, row in sorted(rows.items())]))


def description(name):
    # The loader in Python takes seconds, ten times as long as the one in C.
    return yaml.load((ROOT / "openapi" / name).read_text(), getattr(yaml, "CSafeLoader", yaml.SafeLoader))


class Running:
    """A server with a state file, a socket, a world on a manual clock, and an entry in each journal."""

    def __init__(self, settings, folder):
        self.state = folder / "state.db"
        self.manager = running(
            settings, "serve", "--instant", "--seed", "1", "--log-level", "critical", "--state", self.state, folder=folder)
        self.server = self.manager.__enter__()
        self.client = Client(self.server, seconds=SECONDS)
        self.checked, self.ids = 0, {}
        for kind, body in [("goals", {"title": "Run", "description": "5 km", "targetDate": "2030-01-01T00:00:00Z"}),
                           ("consultations", {"persona": "nutritionist"}), ("meal-logs/natural", {"raw_input": "2 eggs", "meal_type": "lunch"})]:
            answer = json.dumps(self.client.ask("POST", f"/api/v1/{kind}", body))
            self.ids[kind.split("/")[0]] = next(iter(UUID.findall(answer)), "none")

    def filled(self, path):
        """A path with existing ids in place of its parameters."""
        kind = next((kind for kind in self.ids if f"/{kind}/" in path), None)
        return re.sub(r"\{[^}]*\}", self.ids.get(kind, "1"), path)

    def trouble(self):
        """The server's problem, if any; checks memory and a second connection now and then."""
        self.checked += 1
        if self.server.is_alive() and self.checked % 50:
            return None
        return self.server.trouble(MEMORY)

    def stop(self):
        return self.server.stop()

    def close(self):
        self.client.close()
        self.manager.__exit__(None, None, None)
        for file in self.state.parent.glob(self.state.name + "*"):
            file.unlink()


def raw(value, number):
    """A value as JSON with a boundary number at its mark, which JSON libraries may be unable to write."""
    return json.dumps(value).replace(f'"{MARK}"', number).encode()


def scenario_inputs():
    schemas = Schemas(SCENARIO)
    inputs = []
    for place in schemas.places(SCENARIO):
        # A session has its own part.
        if place.name.startswith("replay.session"):
            continue
        scenario = schemas.least(SCENARIO, place.way, MARK)
        for beginning, (name, members) in BESIDE.items():
            if place.name.startswith(beginning):
                parent = scenario["users"][0] if name == "consultations" else scenario
                parent[name][0].update({key: value for key, value in members.items() if parent[name][0].get(key) != MARK})
        for value in place.values:
            body = raw({"scenario": scenario}, value)
            inputs.append(Input("scenarios", place.kind, place.name, value, lambda server, body=body: use_scenario(server, body)))
    return inputs


def file_inputs(settings, folder):
    """Recordings and journals in which one number or time of each name is changed everywhere."""
    inputs = []
    saved = {"HAR": (SESSION.read_bytes(), ["show", "judge", "diff"]), "journal": (journal.saved(settings, folder), ["judge"])}
    for group, (data, commands) in saved.items():
        lines = [json.loads(line) for line in data.splitlines()] if group == "journal" else [json.loads(data)]
        for name, kind in sorted(numbered(lines)):
            values = INTEGERS if kind == "number" else [f'"{time}"' for time in TIMES]
            for value in values:
                text = "\n".join(json.dumps(marked(line, name)).replace(f'"{MARK}"', value) for line in lines)
                for command in commands:
                    send = lambda _, text=text, command=command: read_file(settings, folder, command, text)
                    inputs.append(Input(group, kind, f"{command} {name}", value, send))
    return inputs


def numbered(value, name=None):
    """The names of members that are numbers or times, each with its kind."""
    if isinstance(value, dict):
        return {found for key, member in value.items() for found in numbered(member, key)}
    if isinstance(value, list):
        return {found for member in value for found in numbered(member, name)}
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return {(name, "number")}
    return {(name, "time")} if isinstance(value, str) and TIME.fullmatch(value) else set()


def marked(value, name):
    """The value with a mark at each number, or time, of a name."""
    if isinstance(value, dict):
        return {key: MARK if key == name and numbered(member, key) == {(key, kind_of(member))} else marked(member, name)
                for key, member in value.items()}
    return [marked(member, name) for member in value] if isinstance(value, list) else value


def kind_of(value):
    return "time" if isinstance(value, str) else "number"


def read_file(settings, folder, command, text):
    file = folder / "numbers.file"
    file.write_text(text)
    ended = run(settings.program, command, file, *([SESSION] if command == "diff" else []), seconds=SECONDS)
    if ended.is_late or ended.status not in (0, 1, 2, 4):
        return "trouble", f"exits with {ended.status}: {ended.errors[-300:]!r}"
    return ("refused" if ended.status == 2 else "taken"), None


def use_scenario(server, body):
    """Creates a world if its scenario is valid; `check` must agree."""
    client = server.client
    status, data = client.send("POST", "/__admin/worlds", body)
    text = body[len(b'{"scenario": '):-1].decode()
    checked, answer = client.send("POST", "/__admin/check", {"text": text})
    if checked != 200:
        return "trouble", f"check answered {checked}: {answer[:200]!r}"
    if status == 400 and (b"not JSON" in data or b"JSON" in data[:80]):
        return "no JSON", None
    is_good = json.loads(answer)["ok"]
        # It parses the text without creating a world, so it may accept more.
    if status == 201 and not is_good:
        return "disagreement", f"the server takes what check refuses: {answer[:300]!r}"
    if status != 201:
        return ("refused", None) if status == 400 else ("trouble", f"the server answers {status}: {data[:200]!r}")
    return "world", use_world(server, json.loads(data))


def use_world(server, world):
    """Uses a world's numbers; returns the problem in the answers."""
    admin, api = f"/__admin/worlds/{world['id']}", f"/w/{world['id']}/api/v1"
    credentials = {"Authorization": f"Bearer {world['token']}", "X-API-Key": world["api_key"]}
    goal = {"title": "Swim", "description": "Often", "targetDate": "2030-01-01T00:00:00Z"}
    steps = [
        ("GET", f"{api}/goals", None), ("POST", f"{api}/goals", goal), ("POST", f"{api}/consultations", {"persona": "fitness_coach"}),
        ("POST", f"{api}/meal-logs/natural", {"raw_input": "2 eggs", "meal_type": "lunch"}), ("GET", f"{admin}/clock", None),
        ("POST", f"{admin}/marks", {}), ("POST", f"{admin}/fork", {}),
    ]
    if world["clock"] == "manual":
        steps += [("POST", f"{admin}/clock", {"advance": "366d"}), ("GET", f"{api}/consultations", None)]
    steps += [("GET", f"{api}/meal-logs", None), ("GET", f"{admin}/state", None), ("GET", f"{admin}/requests", None),
              ("POST", f"{admin}/rewind", {"to": "mark-1"}), ("DELETE", admin, None)]
    # Its clients may meet faults and a network, which end their connections, or never answer. A dribbled answer would
    # let the admin API's connection idle until the server closes it.
    client, forked = Client(server.server, seconds=FAULT_SECONDS, headers=credentials, in_all=FAULT_SECONDS_IN_ALL), None
    for method, path, body in steps:
        if "/__admin" not in path:
            try:
                client.send(method, path, body)
            except (OSError, http.client.HTTPException):
                client.close()
            continue
        status, data = server.client.send(method, path, body)
        if status >= 500 and status != 507 or path.endswith("/fork") and status != 201 or method == "DELETE" and status != 204:
            return f"{method} {path} was answered with {status}: {data[:200]!r}"
        if path.endswith("/fork"):
            forked = json.loads(data)["id"]
    client.close()
    server.client.send("DELETE", f"/__admin/worlds/{forked}")
    return None


def description_inputs(group, document, prefix):
    """A request for each boundary of each place in a description's parameters and bodies."""
    schemas, inputs = Schemas(document), []
    for path, item in document["paths"].items():
        for method in METHODS:
            operation = item.get(method)
            if not operation or (method, path) in SKIPPED:
                continue
            parameters = [schemas.resolved(one) for one in item.get("parameters", []) + operation.get("parameters", [])]
            statuses = {int(status) for status in operation["responses"] if status.isdigit()}
            content = schemas.resolved(operation.get("requestBody", {})).get("content", {})
            body = content.get("application/json", {}).get("schema")
            usual = None if body is None else {**schemas.usual(body), **BASES.get((method, path), {})}
            request = (method.upper(), prefix + path, statuses, parameters)
            for parameter in parameters:
                for place in schemas.places(parameter["schema"]) if "schema" in parameter else []:
                    for value in place.values:
                        text = value.strip('"')
                        inputs.append(of_request(group, place.kind, request, {parameter["name"]: text}, usual, value, parameter["name"]))
            for place in [] if body is None or path == "/state" else schemas.places(body):
                made = schemas.least(body, place.way, MARK)
                if isinstance(made, dict):
                    made = {**BASES.get((method, path), {}), **made}
                for value in place.values:
                    inputs.append(of_request(group, place.kind, request, {}, made, value, place.name))
    return inputs


def of_request(group, kind, request, given, body, value, name):
    method, path, statuses, parameters = request
    headers, query, template = {}, [], path
    for parameter in parameters:
        text = given.get(parameter["name"])
        if parameter["in"] == "path":
            path = path.replace("{" + parameter["name"] + "}", text or "{" + parameter["name"] + "}")
        elif text is not None and parameter["in"] == "query":
            query.append(f"{parameter['name']}={text.replace('+', '%2B')}")
        elif text is not None:
            headers[parameter["name"]] = text
    query = "?" + "&".join(query) if query else ""
    data = None if body is None else raw(body, value)

    def send(server):
        target = server.filled(path) + query
        status, answer = server.client.send(method, target, data, headers)
        if status in (301, 302) or status not in statuses | ANY_STATUS:
            return "trouble", f"{method} {target} {data} was answered with {status}: {answer[:200]!r}"
        if status == 201 and path == "/__admin/worlds":
            return "taken", use_world(server, json.loads(answer))
        return ("taken" if status < 300 else "refused"), None

    return Input(group, kind, f"{method} {template} {name}", value, send)


def world_id_inputs():
    """Worlds with ids of the client's choice, and then every way of creating another one."""
    return [Input("admin API", "world id, then more worlds", "POST /worlds id", text, lambda server, text=text: use_id(server, text))
            for text in WORLDS]


def use_id(server, text):
    client = server.client
    status, data = client.send("POST", "/__admin/worlds", {"id": text})
    if status not in (201, 400, 409):
        return "trouble", f"the server answers {status}: {data[:200]!r}"
    for path in ["/__admin/worlds", "/__admin/fork"]:
        more, answer = client.send("POST", path, {})
        if more != 201:
            return "trouble", f"then POST {path} is answered with {more}: {answer[:200]!r}"
        problem = use_world(server, json.loads(answer))
        if problem:
            return "trouble", problem
    if status == 201:
        client.send("DELETE", f"/__admin/worlds/{text}")
    return ("taken" if status == 201 else "refused"), None


# Input that makes each command end by itself after it has read its options.
COMMANDS = {
    "serve": ["--import", "/none/state.json"], "record": ["--upstream", "http://127.0.0.1:1", "--output", "/none/session.har"],
    "replay": ["/none/session.har"], "verify": ["--scenario", "/none/scenario.yaml", "--", "true"],
    "explore": ["--scenario", "/none/scenario.yaml", "--", "true"], "judge": ["/none/session.har"], "show": [ROOT / "Fixtures/sessions/meals.har"],
    "test-client": ["--case", "none", "--", "true"], "token": [], "drain": ["--url", "x"], "health": ["--url", "x"],
}
OPTION = re.compile(r"^ +(--[a-z-]+) <(number|duration|columns|k/n|number\|instant)>", re.MULTILINE)
OPTION_VALUES = {
    "duration": DURATIONS, "k/n": [f"{one}/{other}" for one in INTEGERS[4:] for other in ["1", "20", one]], "number|instant": INTEGERS,
}


def options(part, rows):
    """Numbers as options: no command ends by a signal, and none has the time to begin."""
    counts = collections.Counter()
    for command, arguments in COMMANDS.items():
        page = run(part.settings.program, command, "--help").output.decode()
        for option, kind in OPTION.findall(page):
            values = OPTION_VALUES.get(kind, INTEGERS)
            if part.settings.short:
                # Options of one kind get different values, and each option gets the largest two.
                counts[kind] += 1
                values = values[counts[kind] % 14:-2:14] + values[-2:]
            for value in values:
                ended = run(part.settings.program, command, f"{option}={value}", *arguments, seconds=SECONDS)
                is_good = not ended.is_late and ended.status in (0, 1, 2, 3)
                outcome = "trouble" if not is_good else "refused" if ended.status == 2 else "taken"
                part.count(outcome)
                rows[("command line", kind.replace("|", " or "))][outcome] += 1
                if not is_good:
                    part.fail(None, f"{command} {option}={value} exits with {ended.status}: {ended.errors[-300:]!r}")
