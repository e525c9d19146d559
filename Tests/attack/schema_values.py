"""Random values that a JSON schema allows, more often at the schema's limits than between them."""

import string

# How to create a text for each pattern of the scenario schema; a new pattern needs a new line here.
PATTERNS = {
    "^[0-9]+(\\.\\.([0-9]+)?)?$": lambda n: n.choice(["1", "2..4", "3..", "0", "7..7", "1000000000", "5..2"]),
    "^(0|[0-9]+(\\.[0-9]+)?(ns|us|ms|s|m|h|d))$": lambda n: n.choice(
        ["0", "250ms", "1.5s", "10s", "1ns", "1h", "366d", "367d", "0.0001ns", "3600s", "61m", "1d", "99999999999999999999d"]),
    # Where ids are free, they may be text, too.
    "^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[a-z0-9_-]{1,22})$": lambda n: n.choice(
        3 * [f"{n.getrandbits(32):08x}-{n.getrandbits(16):04x}-{n.getrandbits(16):04x}-{n.getrandbits(16):04x}-{n.getrandbits(48):012x}"]
        + ["backend-123"]),
    "^[A-Za-z0-9._~+/=-]{1,200}$": lambda n: n.choice(["test-token", "x" * 200, "a.b.c", "0"]),
    "^(0|[0-9]+(\\.[0-9]+)?(ns|us|ms|s|m|h|d)) ago$": lambda n: n.choice(["0 ago", "3d ago", "12d ago", "1.5h ago", "366d ago"]),
    "^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})$": lambda n: n.choice(
        ["2025-03-01T00:00:00Z", "1970-01-01T00:00:00Z", "2199-12-31T23:59:59.999999999Z", "2030-01-01T12:00:00+05:30",
         "2024-02-29T00:00:00Z", "2025-01-20t08:00:00z", "2025-02-30T00:00:00Z", "0000-00-00T00:00:00Z", "9999-12-31T23:59:60Z"]),
    "^[0-9]{4}-[0-9]{2}-[0-9]{2}$": lambda n: n.choice(["2025-03-01", "1970-01-01", "2024-02-29", "2025-02-30", "0000-00-00"]),
    "^[^@\\s]{1,64}@[^@\\s.]+(\\.[^@\\s.]+)+$": lambda n: n.choice(
        ["a@b.c", "Ada@Example.com", "ada@example.com", "é@x.example", "a" * 64 + "@b.c", "a@" + "b" * 300 + ".c"]),
    "^pbkdf2-sha256\\$[0-9]+\\$[!-~]{1,64}\\$[A-Za-z0-9_-]{43}$": lambda n: "$".join(
        ["pbkdf2-sha256", n.choice(["1", "0", "100000", "100001", "9" * 30]), "salt", "A" * 43]),
    "^/[^?#]*$": lambda n: n.choice(
        ["/", "/v2/hello", "/a/{id}/b", "/{a}/{a}", "//", "/a%20b", "/" + "x" * 5000, "/é", "/api/v1/goals", "/__admin/ui"]),
    # Nothing listens there, and only this machine is contacted.
    "^(https?|wss?)://": lambda n: n.choice(
        ["http://127.0.0.1:1", "https://127.0.0.1:1", "ws://localhost:1", "http://", "http://[::1", "http://127.0.0.1:1/path"]),
}
# Schemas need at most this depth; below it only required members are created.
DEPTH = 9
# What scenarios use: names of goals and of pauses, durations, regular expressions.
WORDS = ["run", "short", "default", "protein", "1s", "/a+b/", "/(a|b)*c/", "/(/", "none", "x", "true", "5"]
ALPHABET = string.ascii_letters + string.digits + " .,:;!?-_/\\\"'#&*%@[]{}<>|~^$ éκ€𝄞\u0301\u202e\t"


class Generator:
    """Draws values for a schema; a validator finds those that contradict one of its rarer rules."""

    def __init__(self, schema, without=()):
        self.schema, self.without = schema, set(without)

    def make(self, numbers):
        return self.value(self.schema, numbers, 0)

    def value(self, schema, numbers, depth):
        if "$ref" in schema:
            return self.value(self.schema["$defs"][schema["$ref"].rsplit("/", 1)[1]], numbers, depth)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return numbers.choice(schema["enum"])
        if "properties" not in schema:
            for way in ("anyOf", "oneOf"):
                if way in schema:
                    return self.value(numbers.choice(schema[way]), numbers, depth)
        types = schema.get("type", "object")
        kind = types if isinstance(types, str) else numbers.choice(types)
        return getattr(self, kind)(schema, numbers, depth)

    def object(self, schema, numbers, depth):
        properties = {name: value for name, value in schema.get("properties", {}).items() if name not in self.without}
        names = set(schema.get("required", []))
        # Of alternative members, exactly one.
        choice = [option["required"] for option in schema.get("oneOf", []) if "required" in option]
        excluded = {name for option in choice for name in option}
        names.update(numbers.choice(choice) if choice else [])
        optional = sorted(set(properties) - names - excluded)
        if depth < DEPTH and optional:
            names.update(numbers.sample(optional, min(len(optional), numbers.choice([0, 1, 1, 2, 2, 3, 5]))))
        for name in sorted(names):
            names.update(schema.get("dependentRequired", {}).get(name, []))
        made = {name: self.value(properties[name], numbers, depth + 1) for name in sorted(names) if name in properties}
        others = schema.get("additionalProperties")
        if isinstance(others, dict):
            for _ in range(numbers.randint(0, 3)):
                made[numbers.choice(["short", "long", "a", "é", "x" * 100])] = self.value(others, numbers, depth + 1)
        return made

    def array(self, schema, numbers, depth):
        least, most = schema.get("minItems", 0), schema.get("maxItems", 5)
        count = max(least, 0 if depth >= DEPTH else min(most, numbers.choice([0, 1, 1, 1, 2, 2, 3, 11])))
        return [self.value(schema["items"], numbers, depth + 1) for _ in range(count)]

    def string(self, schema, numbers, _depth):
        if "pattern" in schema:
            return PATTERNS[schema["pattern"]](numbers)
        least, most = schema.get("minLength", 0), schema.get("maxLength", 60)
        length = numbers.choice([least, most, min(most, max(least, 12)), numbers.randint(least, most)])
        if numbers.random() < 0.6:
            word = numbers.choice(WORDS)
            if least <= len(word) <= most:
                return word
        return "".join(numbers.choice(ALPHABET) for _ in range(length))

    def integer(self, schema, numbers, _depth):
        least, most = schema.get("minimum", -(2**63)), schema.get("maximum", 2**63 - 1)
        edges = [least, most, least + 1, most - 1, 0, 1, 2, 2**31, 2**48, 2**53]
        return numbers.choice([edge for edge in edges if least <= edge <= most] + [min(most, least + 10)] * 4)

    def number(self, schema, numbers, _depth):
        least, most = schema.get("minimum", schema.get("exclusiveMinimum", -1e12 - 1e-9) + 1e-9), schema.get("maximum", 1e12)
        return numbers.choice([least, most, max(least, min(most, 0.5)), max(least, min(most, 1)), numbers.uniform(least, most)])

    def boolean(self, _schema, numbers, _depth):
        return numbers.random() < 0.5

    def null(self, _schema, _numbers, _depth):
        return None
