"""Checks the built-in scenarios with scenario.schema.json, as an editor does, and the schema with its meta-schema.

    check_scenarios.py    names the problems, and exits with 1 if there are any
"""

import json
import re
import sys
from pathlib import Path

import jsonschema
import yaml

DIRECTORY = Path(__file__).resolve().parents[3] / "Fixtures" / "scenarios"


class Loader(yaml.SafeLoader):
    """YAML 1.2's core schema, as editors have it: 'on' is a text, and so are dates."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, expression) for tag, expression in resolvers
            if tag not in ("tag:yaml.org,2002:bool", "tag:yaml.org,2002:timestamp")]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()}
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(?:true|false)$"), list("tf"))


def problems(schema, document):
    """The problems of a document, one per line."""
    validator = jsonschema.Draft202012Validator(schema)
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(document)]


def main():
    schema = json.loads((DIRECTORY / "scenario.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    found = 0
    # A check that cannot fail shows nothing.
    for broken in ({}, {"name": "a", "fault": []}, {"name": "a", "faults": [{"on": "sockets"}]}):
        if not problems(schema, broken):
            print(f"scenario.schema.json takes {broken}")
            found += 1
    paths = sorted(DIRECTORY.glob("*.yaml"))
    for path in paths:
        for problem in problems(schema, yaml.load(path.read_text(encoding="utf-8"), Loader)):
            print(f"{path.name}: {problem}")
            found += 1
    if not paths:
        print("There are no scenarios.")
    return 1 if found or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
