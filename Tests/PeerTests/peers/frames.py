"""Checks the frames on a socket with the server's own description."""

import functools
import json

import yaml
from facts import expect
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

DOCUMENT = "urn:asyncapi"


def read_yaml(text):
    # The loader in C is ten times as fast as the one in Python.
    return yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))


class Frames:
    """The frames that a server's description lists for a socket, by their `type`."""

    def __init__(self, text, channel="consultation"):
        document = read_yaml(text)
        self.document = document
        registry = Registry().with_resource(DOCUMENT, Resource.from_contents(document, DRAFT202012))
        self.validators = {}
        for name, pointer in sent_messages(document, channel):
            expect(name not in self.validators, "one message for each type", name)
            self.validators[name] = Draft202012Validator(
                {"$ref": f"{DOCUMENT}#{pointer}/payload"}, registry=registry,
                format_checker=Draft202012Validator.FORMAT_CHECKER)

    def members(self, type):
        """The possible members of frames of a type."""
        pointer = self.validators[type].schema["$ref"].removeprefix(f"{DOCUMENT}#")
        return value_at(self.document, resolved(self.document, pointer))["properties"]

    def check(self, frame):
        expect(isinstance(frame, dict) and frame.get("type") in self.validators,
               f"a frame of the types {', '.join(self.validators)}", frame)
        errors = self.validators[frame["type"]].iter_errors(frame)
        problems = [f"{error.json_path}: {error.message}" for error in errors]
        expect(not problems, f"a {frame['type']} as /asyncapi.yaml describes it ({'; '.join(problems)[:1000]})", frame)


@functools.cache
def frames_of(server, channel="consultation"):
    """The described frames of a server for a socket."""
    return Frames(server.fetch(f"{server.url}/asyncapi.yaml")[1], channel)


def sent_messages(document, channel):
    """The names of the messages that the server sends, with their places in the document."""
    for operation in document["operations"].values():
        if operation["action"] == "send" and operation["channel"]["$ref"] == f"#/channels/{channel}":
            for message in operation["messages"]:
                pointer = resolved(document, message["$ref"])
                yield value_at(document, pointer)["name"], pointer


def resolved(document, reference):
    """The end of a chain of references, as a JSON pointer."""
    pointer = reference.removeprefix("#")
    while "$ref" in (value := value_at(document, pointer)):
        pointer = value["$ref"].removeprefix("#")
    return pointer


def value_at(document, pointer):
    for name in pointer.split("/")[1:]:
        document = document[name.replace("~1", "/").replace("~0", "~")]
    return document


class CheckedSocket:
    """A socket whose text frames must all match the description."""

    def __init__(self, socket, frames):
        self.socket, self.frames = socket, frames

    def __getattr__(self, name):
        return getattr(self.socket, name)

    async def receive(self):
        event = await self.socket.receive()
        if isinstance(event, str):
            self.frames.check(json.loads(event))
        return event
