"""JSON Schema as rows of a table: what people want to know of a member."""


def target(reference, root):
    """What a reference names."""
    node = root
    for key in reference.removeprefix("#/").split("/"):
        node = node[key]
    return node


def follow(node, root):
    """What a reference leads to, whatever it is; the node itself where it is none."""
    return follow(target(node["$ref"], root), root) if "$ref" in node else node


def resolve(schema, root):
    """The schema with its reference followed; what stands beside the reference adds to what is found there."""
    if "$ref" not in schema:
        return schema
    base = resolve(target(schema["$ref"], root), root)
    beside = {key: value for key, value in schema.items() if key != "$ref"}
    result = {**base, **beside}
    if "properties" in base and "properties" in beside:
        result["properties"] = merged_properties(base, beside)
    if "required" in base and "required" in beside:
        result["required"] = base["required"] + beside["required"]
    return result


def merged_properties(base, beside):
    """The properties of both; one that only narrows a property of the base keeps what the base says of it."""
    properties = dict(base["properties"])
    for name, schema in beside["properties"].items():
        properties[name] = {**properties.get(name, {}), **schema}
    return properties


def type_text(schema, root):
    """The values that a schema allows, in a few words."""
    schema = resolve(schema, root)
    for keyword in ("oneOf", "anyOf"):
        if keyword in schema and "properties" not in schema:
            return " or ".join(dict.fromkeys(type_text(choice, root) for choice in schema[keyword]))
    if "const" in schema:
        return value_text(schema["const"])
    if "enum" in schema:
        return " or ".join(value_text(value) for value in schema["enum"])
    types = schema.get("type", "any value")
    types = types if isinstance(types, list) else [types]
    words = [f"{name}{limits_text(schema)}" if name != "null" else "null" for name in types]
    if types[0] == "array":
        words[0] = "array of " + type_text(schema["items"], root) + "s"
    return " or ".join(words)


def value_text(value):
    return {None: "null", True: "true", False: "false"}.get(value, f'"{value}"') if not isinstance(value, (int, float)) \
        or isinstance(value, bool) else str(value)


def limits_text(schema):
    """What a string or a number is limited to."""
    if "format" in schema:
        return f" ({schema['format']})"
    if "minLength" in schema or "maxLength" in schema:
        return range_text(schema.get("minLength"), schema.get("maxLength"), " characters")
    if "exclusiveMinimum" in schema:
        return f", above {schema['exclusiveMinimum']}" + (f", at most {schema['maximum']}" if "maximum" in schema else "")
    if "minimum" in schema or "maximum" in schema:
        return range_text(schema.get("minimum"), schema.get("maximum"), "")
    return ""


def range_text(low, high, unit):
    if high is None:
        return "" if low in (None, 0) or (low, unit) == (1, " characters") else f", at least {low}{unit}"
    # The largest number that a 64-bit integer holds is no limit that anybody meets.
    if high == 2**63 - 1:
        return f", at least {low}"
    return f", {low} to {high}{unit}" if low is not None else f", at most {high}{unit}"


class Row:
    """One member: how deep it lies, its name, whether it must be there, its values, and what it means."""

    def __init__(self, depth, name, required, type, description, default=None):
        self.depth, self.name, self.required, self.type = depth, name, required, type
        self.description, self.default = description, default


def rows(schema, root, depth=0):
    """The members of an object, those of objects in it below their own; alternatives are headed by their title."""
    schema = resolve(schema, root)
    required = schema.get("required", [])
    for name, member in schema.get("properties", {}).items():
        member = resolve(member, root)
        yield Row(depth, name, name in required, type_text(member, root), member.get("description", ""),
                  member.get("default"))
        yield from rows(nested(member, root), root, depth + 1)
    for group in [schema] + schema.get("allOf", []):
        for keyword in ("oneOf", "anyOf"):
            for index, choice in enumerate(alternatives(group, keyword, root)):
                head = ("Or: " if index else "Either: ") + choice.get("title", "")
                yield Row(depth, None, False, head, choice.get("description", ""))
                yield from rows(choice, root, depth)


def alternatives(group, keyword, root):
    """The choices of a schema that are objects; simple values are told by their type."""
    choices = [resolve(choice, root) for choice in group.get(keyword, [])]
    return [choice for choice in choices if "properties" in choice]


def nested(member, root):
    """The schema whose members stand below a member: its own, or its items'."""
    return resolve(member["items"], root) if "items" in member else member
