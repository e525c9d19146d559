"""The part nesting: byte-order marks and nested brackets, for every reader of external text.

However deep, an input is refused or read in time, with a documented exit code or status; no stack overflows.
"""

import json
import pathlib

from running import Client, run, running

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECONDS, MEMORY = 20, 1_000
MARK = "\ufeff"
DEPTHS = [2, 129, 3_000, 300_000]
SHORT_DEPTHS = [3_000]
# The shape of an input, repeated this many times.
SHAPES = {
    "byte-order marks": lambda n, text: MARK * n + text,
    "byte-order marks within": lambda n, text: text + MARK * n,
    "lists": lambda n, text: "[" * n,
    "closed lists": lambda n, text: "[" * n + "]" * n,
    "objects": lambda n, text: '{"a":' * n + "1" + "}" * n,
    "flow mappings": lambda n, text: "{a: " * n + "1" + "}" * n,
    "block lists": lambda n, text: "- " * n + "a",
    "block mappings": lambda n, text: "".join(" " * d + "a:\n" for d in range(min(n, 1_500))),
    "question marks": lambda n, text: "? " * n + "a",
    "tags": lambda n, text: "!!str " * n + "a",
    "anchors": lambda n, text: "".join(f"- &a{d} [*a{d - 1}]\n" if d else "- &a0 [x]\n" for d in range(min(n, 20_000))),
    "documents": lambda n, text: "---\n" * n + text,
    "quotes": lambda n, text: '"' * n,
    "comments": lambda n, text: "#\n" * n + text,
    "in a known place": lambda n, text: '{"name":"x","users":' + "[" * n + "]" * n + "}",
    "in a HAR": lambda n, text: '{"log":{"version":"1.2","entries":[{"request":' + "[" * n + "]" * n + "}]}}",
    "in a journal": lambda n, text: '{"kind":"note","number":1,"text":' + "[" * n + "]" * n + "}\n",
}
# A scenario's pattern has its own limit in bytes.
PATTERNS = [
    lambda n: "(" * n, lambda n: "(" * n + ")" * n, lambda n: "(?:" * n + "a" + ")*" * n, lambda n: "|" * n, lambda n: "a|" * n + "a",
    lambda n: "[" * n, lambda n: "a" + "*" * n, lambda n: "a" + "?" * n, lambda n: "\\" * n, lambda n: "(a" * n + ")+" * n,
]
FILES = {"check": (["check"], {0, 2}), "show": (["show"], {0, 2}), "judge": (["judge"], {0, 1, 2, 4}),
         "explore --replay": (["explore", "--replay"], {0, 1, 2, 3, 4}), "explore --resume": (["explore", "--resume"], {0, 1, 2, 3, 4}),
         "serve --scenario": (["serve", "--scenario"], {2}), "serve --import": (["serve", "--import"], {2})}
# After the file: the command that these run.
COMMANDS = {"explore --replay": ["--", "true"], "explore --resume": ["--scenario", "/none/scenario.yaml", "--", "true"]}
BODIES = [("POST", "/__admin/worlds"), ("PUT", "/__admin/state"), ("POST", "/__admin/check"), ("POST", "/__admin/faults"),
          ("POST", "/__admin/breakpoints"), ("POST", "/__admin/wait"), ("PUT", "/__admin/network"), ("POST", "/api/v1/goals"),
          ("POST", "/api/v1/meal-logs/natural"), ("POST", "/api/v1/auth/login")]
STATUSES = set(range(200, 205)) | {400, 401, 403, 404, 409, 413, 415, 422}


def attack(part, folder):
    depths = SHORT_DEPTHS if part.settings.short else DEPTHS
    inputs = [(name, depth, shape) for name, shape in SHAPES.items() for depth in depths]
    with running(part.settings, "serve", "--instant", "--log-level", "critical", folder=folder) as server:
        client = Client(server, seconds=SECONDS)
        for number in part.numbers(rounds=len(inputs) + 1, short=len(inputs) + 1):
            if number < len(inputs):
                name, depth, shape = inputs[number]
                problems = examine(part, folder, server, client, depth, shape)
            else:
                name, depth, problems = "patterns", depths[0], patterns(part, client, [50, 600, 990])
            trouble = server.trouble(MEMORY)
            for problem in [*problems, *([trouble] if trouble else [])]:
                part.fail(number, f"{depth} {name}: {problem}")
            if trouble:
                return
            part.progress(f"{part.inputs} inputs")


def examine(part, folder, server, client, depth, shape):
    """Gives one shape to the commands that read files, and to the server in bodies and inside texts."""
    problems = []
    file = folder / "nested"
    for name, (command, statuses) in FILES.items():
        text = shape(depth, '{"log":{"version":"1.2","entries":[]}}' if name in ("show", "judge") else "name: x\n")
        file.write_bytes(text.encode())
        # `serve` reads the file, and then finds that its port is taken.
        port = ["--port", server.port] if command[0] == "serve" else []
        ended = run(part.settings.program, *command, file, *COMMANDS.get(name, []), *port, seconds=SECONDS)
        part.count(f"exit {ended.status}")
        if ended.is_late or ended.status not in statuses:
            problems.append(f"{name} {'is late' if ended.is_late else f'exits with {ended.status}'}: {ended.errors[:200]!r}")
        elif port and file.name.encode() not in ended.errors and b"cannot listen" not in ended.errors:
            problems.append(f"{name} did not read the file: {ended.errors[:200]!r}")
    text = shape(depth, "name: x\n")
    for method, path in BODIES:
        problems += answered(part, client, method, path, text.encode())
    # As a separate text, whether or not it is valid JSON.
    if len(text) < 900_000:
        problems += answered(part, client, "POST", "/__admin/check", json.dumps({"text": text}).encode())
    return problems


def answered(part, client, method, path, body):
    try:
        status, data = client.send(method, path, body)
    except OSError as error:
        part.count("no answer")
        return [f"{method} {path}: {type(error).__name__}: {error}"]
    part.count(f"status {status}")
    return [] if status in STATUSES else [f"{method} {path} is answered with {status}: {data[:200]!r}"]


def patterns(part, client, lengths):
    """Patterns of scenarios, nested as deep as their length allows and deeper."""
    problems = []
    for length in lengths:
        for make in PATTERNS:
            scenario = {"name": "x", "answers": [{"when": {"content": f"/{make(length)}/"}, "text": "y"}]}
            problems += answered(part, client, "POST", "/__admin/worlds", json.dumps({"scenario": scenario}).encode())
    return problems
