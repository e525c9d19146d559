"""Boundary numbers for every number, duration, time, range and id in a JSON schema, each in the smallest value that
contains it."""

# Written literally, because no JSON library writes all of them.
INTEGERS = [
    "-1e400", "-1" + "0" * 30, "-18446744073709551616", "-9223372036854775809", "-9223372036854775808", "-9223372036854775807",
    "-9007199254740993", "-4294967297", "-2147483649", "-65537", "-1", "-0", "0", "1", "2", "0.5", "1e0", "1e-400", "255", "256",
    "65535", "65536", "2147483647", "2147483648", "4294967295", "4294967296", "281474976710655", "281474976710656", "9007199254740993",
    "999999999999999999", "1000000000000000000", "4611686018427387902", "4611686018427387904", "9223372036854775806", "9223372036854775807",
    "9223372036854775808", "1e18", "9.3e18", "18446744073709551615", "18446744073709551616", "1" + "0" * 30, "1e308", "1e400",
]
_AMOUNTS = [
    "0", "0.0000000001s", "1ns", "1.5ns", "249us", "250ms", "1s", "1.5m", "60m", "365d", "366d", "366.0000000001d", "367d",
    "9223372036.854775807s", "9223372036854775807ns", "9223372036854775808ns", "106751d", "106752d", "2562047h", "2562048h",
    "99999999999999999999d", "0." + "0" * 400 + "1s", "9" * 400 + "ns", "-1s", "1e5s", "1", "s", ".5s", "1.s",
]
DURATIONS = _AMOUNTS
AGO = [f"{amount} ago" for amount in _AMOUNTS]
TIMES = [
    "0000-01-01T00:00:00Z", "0000-01-01T00:00:00+23:59", "0000-02-29T12:00:00Z", "0001-01-01T00:00:00Z", "1677-09-21T00:12:43Z",
    "1677-09-21T00:12:44Z", "1901-12-13T20:45:51Z", "1969-12-31T23:59:59.999999999Z", "1970-01-01T00:00:00Z", "1970-01-01T00:00:00+14:00",
    "2016-12-31T23:59:60Z", "2025-01-29T10:30:00.0000000001Z", "2025-02-30T00:00:00Z", "2038-01-19T03:14:08Z", "2199-12-31T23:59:59Z",
    "2199-12-31T23:59:59.999999999-23:59", "2200-01-01T00:00:00Z", "2262-04-11T23:47:16.854775807Z", "2262-04-11T23:47:17Z",
    "9999-12-31T23:59:59.999999999Z", "9999-12-31T23:59:60-23:59", "10000-01-01T00:00:00Z", "-0001-01-01T00:00:00Z",
]
DATES = ["0000-00-00", "0000-01-01", "1582-10-15", "1969-12-31", "1970-01-01", "2024-02-29", "2025-02-30", "2262-04-12", "9999-12-31",
         "10000-01-01"]
RANGES = [
    "0", "1", "1..", "0..", "1..1", "2..1", "-1..2", "..", "..5", "1..2..3", "1000000000", "1000000001", "1..1000000000", "1000000000..",
    "1..1000000001", "9223372036854775807", "9223372036854775807..", "1..9223372036854775807", "9223372036854775808..", "0000000001",
    "1.." + "9" * 400,
]
WORLDS = [f"{node}w{number}" for node in ["", "n2-"] for number in INTEGERS if number.isdigit()] + ["w", "w01", "w1.5", "w+1"]
STATUSES = ["000", "099", "100", "199", "200", "599", "600", "999", "1xx", "0xx", "6xx", "2147483848", "-200", "9223372036854775807"]
HASHES = [f"pbkdf2-sha256${number}$salt${'A' * 43}" for number in INTEGERS if number.isdigit()]

# The kind of a text by its schema's pattern or format; other patterns contain no number.
_NAMED = {
    "^(0|[0-9]+(\\.[0-9]+)?(ns|us|ms|s|m|h|d))$": ("duration", DURATIONS),
    "^(0|[0-9]+(\\.[0-9]+)?(ns|us|ms|s|m|h|d)) ago$": ("duration ago", AGO),
    "^[0-9]+(\\.\\.([0-9]+)?)?$": ("range", RANGES),
    "^[0-9]{1,20}$": ("seed", [number for number in INTEGERS]),
    "^([a-z]([a-z0-9-]{0,61}[a-z0-9])?-)?w[1-9][0-9]{0,17}$": ("world id", WORLDS),
    "^[1-5]([0-9]{2}|[xX]{2})$": ("status", STATUSES),
    "^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})$": ("time", TIMES),
    "^[0-9]{4}-[0-9]{2}-[0-9]{2}$": ("date", DATES),
    "^pbkdf2-sha256\\$[0-9]+\\$[!-~]{1,64}\\$[A-Za-z0-9_-]{43}$": ("password hash", HASHES),
}
_FORMATS = {"date-time": ("time", TIMES), "date": ("date", DATES)}
# A place this deep is also reached by a shorter way.
_DEEPEST = 16


class Place:
    """A place of a schema: the schemas on the way to it, the kind of its number, and its values, as JSON."""

    def __init__(self, name, way, kind, values):
        self.name, self.way, self.kind, self.values = name, way, kind, values


class Schemas:
    """The schemas of one document, with `$ref` inside it."""

    def __init__(self, document):
        self.document = document

    def resolved(self, schema):
        """A schema without `$ref`; members next to it are merged."""
        while isinstance(schema, dict) and "$ref" in schema:
            target = self.document
            for name in schema["$ref"].removeprefix("#/").split("/"):
                target = target[name.replace("~1", "/").replace("~0", "~")]
            schema = {**target, **{name: value for name, value in schema.items() if name != "$ref"}}
        return schema

    def places(self, schema):
        """All places of numbers below a schema; for a recursive schema, those of the first round."""
        found = []
        self._collect(schema, [], "", [], found)
        return found

    def _collect(self, schema, way, name, within, found):
        reference = schema.get("$ref") if isinstance(schema, dict) else None
        if len(way) > _DEEPEST or reference in within:
            return
        within = within + [reference] if reference else within
        schema = self.resolved(schema)
        kind, values = boundaries(schema)
        if kind:
            found.append(Place(name or "$", way, kind, values))
        for member, below in schema.get("properties", {}).items():
            self._collect(below, [*way, ("member", schema, member)], f"{name}.{member}".lstrip("."), within, found)
        if isinstance(schema.get("additionalProperties"), dict):
            self._collect(schema["additionalProperties"], [*way, ("member", schema, "any")], f"{name}.*".lstrip("."), within, found)
        if "items" in schema:
            self._collect(schema["items"], [*way, ("item", schema, None)], f"{name}[]", within, found)
        for choice in ("anyOf", "oneOf", "allOf"):
            for option in schema.get(choice, []):
                if set(option) - {"required", "$comment"}:
                    self._collect(option, way, name, within, found)

    def least(self, schema, way, value):
        """The smallest value with `value` at the end of a way."""
        if not way:
            return value
        (step, parent, member), rest = way[0], way[1:]
        if step == "item":
            below = self.least(parent["items"], rest, value)
            return [below] * max(1, parent.get("minItems", 1))
        made = {}
        names = [member, *parent.get("required", [])]
        for name in names:
            names.extend(one for one in parent.get("dependentRequired", {}).get(name, []) if one not in names)
        choice = [option["required"] for way in ("oneOf", "anyOf") for option in parent.get(way, []) if "required" in option]
        if choice and not any(set(option) <= set(names) for option in choice):
            # A member that is one of several alternatives excludes the others.
            names.extend(choice[0])
        for name in names:
            if name not in made and name != member and name in parent.get("properties", {}):
                made[name] = self.usual(parent["properties"][name])
        below = parent.get("properties", {}).get(member, parent.get("additionalProperties"))
        made[member] = self.least(below, rest, value)
        return made

    def usual(self, schema):
        """A valid value for a schema."""
        schema = self.resolved(schema)
        if "const" in schema or "enum" in schema:
            return schema.get("const", schema.get("enum", [None])[0])
        for choice in ("anyOf", "oneOf"):
            options = [option for option in schema.get(choice, []) if set(option) - {"required", "$comment"}]
            if options and "properties" not in schema:
                return self.usual(options[0])
        kind = schema.get("type", "object")
        kind = kind if isinstance(kind, str) else kind[0]
        if kind == "string":
            named, _ = boundaries(schema)
            good = {"integer": "1", "duration": "1s", "duration ago": "1s ago", "range": "1", "time": "2025-01-29T10:30:00Z", "date": "2025-01-29",
                    "seed": "1", "world id": "w7000", "status": "200", "password hash": HASHES[3]}
            if named:
                return good[named]
            text = schema.get("examples", ["x"])[0] if "pattern" in schema else "x"
            return {"^/[^?#]*$": "/x", "^[^@\\s]{1,64}@[^@\\s.]+(\\.[^@\\s.]+)+$": "a@b.c"}.get(schema.get("pattern"), text)
        if kind == "object":
            option = next((one["required"] for one in schema.get("oneOf", []) + schema.get("anyOf", []) if "required" in one), [])
            return {name: self.usual(schema["properties"][name]) for name in [*schema.get("required", []), *option]
                    if name in schema.get("properties", {})}
        if kind == "array":
            return [self.usual(schema["items"])] * schema.get("minItems", 0)
        return {"integer": schema.get("minimum", 1), "number": schema.get("minimum", 1), "boolean": True, "null": None}[kind]


def boundaries(schema):
    """The kind of number in a schema, with its boundaries as JSON; None for other kinds of values."""
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if "integer" in kinds or "number" in kinds and "boolean" not in kinds:
        own = []
        for limit in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "default"):
            value = schema.get(limit)
            if isinstance(value, int) and not isinstance(value, bool):
                own += [str(value - 1), str(value), str(value + 1)]
        texts = [f'"{text}"' for text in RANGES] if "string" in kinds else []
        return "integer" if "integer" in kinds else "number", list(dict.fromkeys(own + INTEGERS)) + texts
    name, values = _NAMED.get(schema.get("pattern")) or _FORMATS.get(schema.get("format")) or (None, [])
    return name, [f'"{value}"' for value in values]
