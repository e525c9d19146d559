"""Checks that the descriptions in openapi/ are valid, and that their examples match them.

    check.py [MODE...]      all modes if none is named; the mode `admin` is openapi/admin.yaml
"""

import sys
from pathlib import Path

import yaml
from jsonschema import Draft202012Validator, FormatChecker
from openapi_spec_validator import OpenAPIV31SpecValidator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

OPENAPI = Path(__file__).resolve().parents[3] / "openapi"
# The parts of AsyncAPI 3.0 that the descriptions use; its own schema exists only as an npm package.
SHAPE = yaml.safe_load((Path(__file__).parent / "asyncapi-shape.yaml").read_text(encoding="utf-8"))
UNION = "union"
ADMIN = "admin"
METHODS = {"get", "put", "post", "delete", "options", "head", "patch", "trace"}
# The description's text has the transport's refusals; /ready answers with 503 itself.
KNOWN_STATUSES = {
    "101", "200", "201", "202", "204", "302", "400", "401", "403", "404", "409", "413", "415", "426", "429", "503",
    "507"}
ADMIN_STATUSES = KNOWN_STATUSES | {"405", "408"}
# The tags of union that say where an operation comes from; each operation has one other tag, its section of the page.
ORIGINS = {"From the guides", "From the apps"}


def modes():
    return [UNION] + sorted(path.name for path in (OPENAPI / "guides").iterdir() if path.name != UNION)


def load(mode, kind):
    if mode == ADMIN:
        path = OPENAPI / "admin.yaml"
    else:
        path = (OPENAPI if mode == UNION else OPENAPI / "guides" / mode) / f"{kind}.yaml"
    return read_yaml(path.read_text(encoding="utf-8"))


def read_yaml(text):
    # The loader in Python takes seconds for a description, ten times as long as the one in C.
    return yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))


class Description:
    """One document, and the problems found in it."""

    def __init__(self, mode, kind):
        self.name = f"{mode}/{kind}.yaml"
        self.document = load(mode, kind)
        self.problems = []
        self.checked_examples = 0

    def fail(self, place, message):
        self.problems.append(f"{self.name}: {place}: {message}")

    def follow(self, node):
        while isinstance(node, dict) and "$ref" in node:
            node = self.target(node["$ref"])
        return node

    def target(self, reference):
        node = self.document
        for key in reference.removeprefix("#/").split("/"):
            node = node[key.replace("~1", "/").replace("~0", "~")]
        return node

    def check_references(self, node, place="#"):
        if isinstance(node, dict):
            reference = node.get("$ref")
            if isinstance(reference, str):
                try:
                    self.target(reference)
                except (KeyError, TypeError):
                    self.fail(place, f"nothing is at {reference}")
            for key, value in node.items():
                self.check_references(value, f"{place}/{key}")
        elif isinstance(node, list):
            for index, value in enumerate(node):
                self.check_references(value, f"{place}/{index}")
        elif not isinstance(node, (str, int, float, bool, type(None))):
            self.fail(place, f"{node!r} is no JSON; quote it")

    def check_schemas(self):
        for name, schema in self.document["components"]["schemas"].items():
            for error in Draft202012Validator(Draft202012Validator.META_SCHEMA).iter_errors(schema):
                self.fail(f"schemas/{name}", error.message)

    def validator(self, schema):
        # References start at the document's root, so the schema is checked as a part of it.
        absolute = absolute_references(schema)
        registry = Registry().with_resource("urn:description", Resource(self.document, DRAFT202012))
        return Draft202012Validator(absolute, registry=registry, format_checker=FormatChecker())

    def check_value(self, place, schema, value):
        self.checked_examples += 1
        for error in self.validator(schema).iter_errors(value):
            self.fail(place, f"an example does not fit its schema: {'/'.join(map(str, error.path))}: {error.message}")


def absolute_references(node):
    if isinstance(node, dict):
        return {key: f"urn:description{value}" if key == "$ref" else absolute_references(value)
                for key, value in node.items()}
    if isinstance(node, list):
        return [absolute_references(value) for value in node]
    return node


class OpenAPI_(Description):
    statuses = KNOWN_STATUSES

    def __init__(self, mode):
        super().__init__(mode, "openapi")
        self.has_origins = mode == UNION

    def check(self):
        self.check_references(self.document)
        self.check_schemas()
        # An inconsistent document cannot be checked any further.
        if self.problems:
            return
        for error in OpenAPIV31SpecValidator(self.document).iter_errors():
            self.fail("OpenAPI 3.1", error.message)
        if self.problems:
            return
        for place, operation in self.operations():
            self.check_operation(place, operation)
        used = {tag for _, operation in self.operations() for tag in operation["tags"]}
        if used != {tag["name"] for tag in self.document["tags"]}:
            self.fail("tags", f"the operations have {sorted(used)}")

    def operations(self):
        for path, item in self.document["paths"].items():
            for method in METHODS & item.keys():
                yield f"{method.upper()} {path}", item[method]

    def identifiers(self):
        return {operation["operationId"] for _, operation in self.operations()}

    def check_operation(self, place, operation):
        if not operation.get("summary"):
            self.fail(place, "has no summary")
        tags = operation["tags"]
        if len([tag for tag in tags if tag not in ORIGINS]) != 1 or len(tags) != len(set(tags)):
            self.fail(place, f"has to have one tag that is a section of the page, and none twice: {tags}")
        if self.has_origins == ORIGINS.isdisjoint(tags):
            self.fail(place, f"union alone says by a tag where an operation comes from: {tags}")
        for parameter in map(self.follow, operation.get("parameters", [])):
            for value in parameter.get("examples", {}).values():
                self.check_value(f"{place} {parameter['name']}", parameter["schema"], value["value"])
        if "requestBody" in operation:
            self.check_content(f"{place} body", operation["requestBody"]["content"])
        for status, response in operation["responses"].items():
            if status not in self.statuses:
                self.fail(place, f"the status {status} is not among those that the server gives")
            self.check_content(f"{place} {status}", self.follow(response).get("content", {}))
            for link in response.get("links", {}).values():
                if link["operationId"] not in self.identifiers():
                    self.fail(place, f"links to {link['operationId']}, which is no operation")
        # Without security, 401 can be about credentials in the body: a password, a refresh token.
        secured = operation.get("security", self.document["security"]) != []
        refuses = "401" in operation["responses"]
        if secured != refuses and (secured or "requestBody" not in operation):
            self.fail(place, "401 and credentials go together")

    def check_content(self, place, content):
        for media_type, media in content.items():
            values = [self.follow(example)["value"] for example in media.get("examples", {}).values()]
            values += [media["example"]] if "example" in media else []
            if media_type == "application/json" and not values:
                self.fail(place, "has no example")
            for value in values:
                self.check_value(place, media["schema"], value)


class AdminAPI(OpenAPI_):
    """The admin API; its servers include the paths of worlds, so that no path occurs twice."""

    statuses = ADMIN_STATUSES

    def __init__(self):
        super().__init__(ADMIN)


class AsyncAPI_(Description):
    def __init__(self, mode):
        super().__init__(mode, "asyncapi")

    def check(self):
        document = self.document
        for error in Draft202012Validator(SHAPE).iter_errors(document):
            self.fail("/".join(map(str, error.path)) or "AsyncAPI 3.0", error.message)
        self.check_references(self.document)
        self.check_schemas()
        # An inconsistent document cannot be checked any further.
        if self.problems:
            return
        for key, channel in document["channels"].items():
            self.check_collection(f"channels/{key}/messages", channel["messages"], {
                message["$ref"] for operation in document["operations"].values()
                if operation["channel"]["$ref"] == f"#/channels/{key}" for message in operation["messages"]})
        self.check_collection("components/messages", document["components"]["messages"], {
            message["$ref"] for channel in document["channels"].values() for message in channel["messages"].values()})
        for operation in document["operations"].values():
            self.check_directions(operation)
        for key, message in document["components"]["messages"].items():
            self.check_message(key, message)

    def check_collection(self, place, messages, listed):
        """Checks that the messages are exactly those that references name."""
        own = {f"#/{place}/{name}" for name in messages}
        if own != listed:
            self.fail(place, f"{sorted(own)} are not those of the operations, {sorted(listed)}")

    def check_directions(self, operation):
        names = [self.follow(self.follow(message))["name"] for message in operation["messages"]]
        if len(names) != len(set(names)):
            self.fail("operations", f"two frames of one direction have the same type: {names}")

    def check_message(self, key, message):
        schema = self.follow(message["payload"])
        if schema["properties"]["type"] != {"const": message["name"]}:
            self.fail(key, "the message's name is not its frame's type")
        if not message.get("examples"):
            self.fail(key, "has no example")
        for example in message.get("examples", []):
            self.check_value(key, message["payload"], example["payload"])


def check_common_schemas(openapi, asyncapi):
    """Checks that a schema in both documents is the same."""
    schemas = asyncapi.document["components"]["schemas"]
    for name in openapi.document["components"]["schemas"].keys() & schemas.keys():
        if openapi.document["components"]["schemas"][name] != schemas[name]:
            asyncapi.fail(f"schemas/{name}", "differs from the schema of the same name in openapi.yaml")


def main(names):
    problems = []
    for mode in names or [ADMIN] + modes():
        if mode == ADMIN:
            admin = AdminAPI()
            admin.check()
            problems += admin.problems
            print(f"{mode}: {len(list(admin.operations()))} operations, {admin.checked_examples} examples")
            continue
        openapi, asyncapi = OpenAPI_(mode), AsyncAPI_(mode)
        openapi.check()
        asyncapi.check()
        check_common_schemas(openapi, asyncapi)
        problems += openapi.problems + asyncapi.problems
        print(f"{mode}: {len(list(openapi.operations()))} operations, "
              f"{len(asyncapi.document['components']['messages'])} frames, "
              f"{openapi.checked_examples + asyncapi.checked_examples} examples")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
