"""The part scenarios: random scenarios from the schema and from the built-in ones. `check`, the admin API and the
schema must agree, and a world's export can be imported and gives the same export again."""

import collections
import json
import pathlib
import re

import jsonschema
import yaml
from json_inputs import changed
from running import Client, run, running
from schema_values import Generator

SCENARIOS = pathlib.Path(__file__).resolve().parents[2] / "Fixtures" / "scenarios"
BATCH = 25
MEMORY = 1_000

# Handwritten: earlier failures, and scenarios at a limit.
BY_HAND = [
    {"name": True}, {"name": 5}, {"name": 1.5}, {"name": "x", "summary": False},
    {"name": "x", "users": [{"id": True, "goals": [{"title": False, "description": 5, "category": True}]}]},
    {"name": "x", "faults": [{"on": "any", "status": 503, "body": True, "message": 5, "code": False}]},
    {"name": "x", "issued_ids": 2**48}, {"name": "x", "issued_ids": 2**48 - 1}, {"name": "x", "issued_ids": 2**48 + 1},
    {"name": "x" * 100}, {"name": "x" * 101}, {"name": "𝄞" * 100}, {"name": "é"}, {"name": "e\u0301"},
    {"name": "x", "users": [{"id": "é"}, {"id": "e\u0301"}]}, {"name": "x", "users": [{"id": "K"}, {"id": "\u212a"}]},
    {"name": "x", "users": [{"goals": [{"title": "t" * 200, "description": "d" * 2000} for _ in range(40)]}]},
    {"name": "x", "users": [{"fill_active_consultations": 10}]},
    {"name": "x", "users": [{"consultations": [{"persona": "nutritionist", "made_up_messages": 300, "status": "archived"}]}]},
]


def attack(part, folder):
    schema = json.loads((SCENARIOS / "scenario.schema.json").read_text())
    validator = jsonschema.Draft202012Validator(schema)
    # The admin API accepts a session, the command a path.
    generator = Generator(schema, without=["replay"])
    built_in = [yaml.safe_load(file.read_text()) for file in sorted(SCENARIOS.glob("*.yaml"))]
    with running(part.settings, "serve", "--instant", "--log-level", "critical", folder=folder) as server:
        client = Client(server)
        if part.settings.only is None:
            examine(part, folder, validator, client, [(f"by hand {n}", one) for n, one in enumerate(BY_HAND)])
        for batch in part.batches(rounds=4_000, short=25, size=BATCH):
            drawn = [(number, make(part.random(number), generator, built_in)) for number in batch]
            examine(part, folder, validator, client, drawn)
            part.progress(f"{part.inputs} scenarios, {server.memory():.0f} MiB")
            trouble = server.trouble(MEMORY)
            if trouble:
                part.fail(batch, trouble)
                return
        client.close()
        status = server.stop()
        if status != 0:
            part.fail(None, f"the server exited with {status} after SIGTERM")


def make(numbers, generator, built_in):
    """A scenario: random, or a built-in one with random members; sometimes with random changes of values."""
    scenario = generator.make(numbers)
    if numbers.random() < 0.4:
        base = dict(numbers.choice(built_in))
        taken = [name for name in scenario if name != "name"]
        for name in numbers.sample(taken, min(len(taken), 2)):
            base[name] = scenario[name]
        scenario = base
    if numbers.random() < 0.3:
        scenario = json.loads(changed(scenario, numbers, most=2, is_json=True))
    return scenario


def examine(part, folder, validator, client, drawn):
    """Gets the verdicts of the command, the server and the schema on scenarios."""
    files = []
    for place, (_, scenario) in enumerate(drawn):
        file = folder / f"scenario-{place}.json"
        file.write_text(json.dumps(scenario))
        files.append(file)
    checked = run(part.settings.program, "check", *files, seconds=60)
    good = set(re.findall(r"scenario-(\d+)\.json: ok", checked.output.decode()))
    said = collections.defaultdict(str)
    for place, text in re.findall(r"scenario-(\d+)\.json:(.*)", checked.errors.decode()):
        said[place] += text + "\n"
    if checked.is_late or checked.status not in (0, 2):
        part.fail([number for number, _ in drawn], f"check exited with {checked.status}: {checked.errors[-500:]!r}")
        return
    for place, (number, scenario) in enumerate(drawn):
        is_good, sentence = str(place) in good, said[str(place)]
        try:
            outcome, problem = compare(validator, client, scenario, is_good, sentence)
        except (OSError, AssertionError, ValueError, KeyError) as error:
            outcome, problem = "trouble", f"{type(error).__name__}: {error}"
        part.count(outcome)
        if problem:
            shown = scenario if isinstance(number, str) else ""
            part.fail(number if isinstance(number, int) else None, f"{problem} {json.dumps(shown)[:300]}".strip(' "'),
                      json.dumps(scenario, indent=1).encode(), "json")


def compare(validator, client, scenario, is_good, sentence):
    """The three verdicts on one scenario, and a contradiction between them."""
    is_valid = validator.is_valid(scenario)
    # The reader treats a null member as omitted, as YAML's `answers:` without a value is.
    error = None if is_valid else next(validator.iter_errors(without_nulls(scenario)), None)
    if is_good and error:
        return "disagreement", f"check takes what the schema refuses: {error.json_path}: {error.message[:300]}"
    if not is_good and len(sentence) < 20:
        return "disagreement", f"check refuses it without a sentence: {sentence!r}"
    text = yaml.safe_dump(scenario, allow_unicode=True)
    if len(json.dumps(text)) < 1_000_000:
        # It parses the text without creating a world, so it may accept more.
        status, data = client.send("POST", "/__admin/check", {"text": text})
        if status != 200 or is_good and not json.loads(data)["ok"]:
            return "disagreement", f"check takes it, POST /check answers {status}: {data[:300]!r}"
    status, data = client.send("POST", "/__admin/worlds", {"scenario": scenario, "clock": "manual"})
    if is_good and status == 400 and b"when the world begins" in data:
        # A manual clock starts in the past; check uses the system's, because the file does not say otherwise.
        status, data = client.send("POST", "/__admin/worlds", {"scenario": scenario})
    if (status == 201) != is_good:
        told = sentence if status == 201 else data[:300].decode()
        return "disagreement", f"check {'takes' if is_good else 'refuses'} it, the server answers {status}: {told}"
    if status != 201:
        if status != 400 or len(json.loads(data)["error"]["message"]) < 20:
            return "disagreement", f"the server answers {status}: {data[:300]!r}"
        return "refused" if is_valid else "refused, as by the schema", None
    world = json.loads(data)
    try:
        # Output that a fault or a network holds back needs a clock move, and nothing moves the clock here.
        waits = "faults" in scenario or "network" in scenario
        return "world", again(validator, client, world, waits)
    finally:
        client.send("DELETE", f"/__admin/worlds/{world['id']}")


def without_nulls(value):
    """A JSON value without the members that are null."""
    if isinstance(value, dict):
        return {name: without_nulls(member) for name, member in value.items() if member is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value


def again(validator, client, world, waits):
    """Uses a world, exports it, imports that and exports it again; returns the problem, if any."""
    credentials = {"Authorization": f"Bearer {world['token']}", "X-API-Key": world["api_key"]}
    api = f"/w/{world['id']}/api/v1"
    if not waits:
        goal = {"title": "Swim", "description": "Often", "targetDate": "2030-01-01T00:00:00Z"}
        meal = {"raw_input": "2 eggs", "meal_type": "lunch"}
        for method, path, body in [
            ("GET", "/consultations", None), ("POST", "/consultations", {"persona": "fitness_coach"}),
            ("POST", "/goals", goal), ("POST", "/meal-logs/natural", meal), ("GET", "/goals", None),
        ]:
            status, data = client.send(method, api + path, body, headers=credentials)
            if status >= 500 and status != 507:
                return f"{method} {path} was answered with {status}: {data[:200]!r}"
    state = f"/__admin/worlds/{world['id']}/state"
    first = client.ask("GET", state)
    error = next(validator.iter_errors(first), None)
    if error:
        return f"the schema refuses the export: {error.json_path}: {error.message[:300]}"
    status, data = client.send("PUT", state, first)
    if status != 200:
        return f"the import of an export was answered with {status}: {data[:300]!r}"
    second = client.ask("GET", state)
    if first != second:
        return f"the export of an import differs: {difference(first, second)}"
    return None


def difference(first, second, path="$"):
    """The first difference between two JSON values."""
    if isinstance(first, dict) and isinstance(second, dict):
        for name in sorted(set(first) | set(second)):
            if first.get(name) != second.get(name):
                return difference(first.get(name), second.get(name), f"{path}.{name}")
    if isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        for place, (one, other) in enumerate(zip(first, second)):
            if one != other:
                return difference(one, other, f"{path}[{place}]")
    return f"{path}: {first!r:.150} and {second!r:.150}"
