"""Shared parts of the stories: the server, its tokens, and checks that show the received value."""

import json
import os
import subprocess
import sys
import time
import urllib.request

MEBIBYTE = 1024 * 1024
PERSONAS = ["nutritionist", "fitness_coach", "wellness_specialist", "general_wellness"]
CONTEXTS = ["general", "insight", "mood", "journal"]
MOST_ACTIVE = 10
MOST_WAITING = 16
UNKNOWN_ID = "00000000-0000-4000-8000-000000000000"


class Server:
    """A running fitiq-mock, as its ready file describes it."""

    def __init__(self, ready_file, program):
        with open(ready_file, encoding="utf-8") as file:
            ready = json.load(file)
        self.url = ready["url"]
        # Clients reach the server through a recording proxy, and tests bypass it.
        self.admin_url = ready.get("admin_url", self.url) + "/__admin"
        self.ws_url = ready["ws_url"]
        self.api_key = ready["api_key"]
        self.default_token = ready["token"]
        self.pid = ready["pid"]
        self.program = program
        self.guide = json.loads(self.fetch(f"{self.admin_url}/health")[1])["guide"]

    @property
    def port(self):
        return int(self.url.rsplit(":", 1)[1])

    def token(self, user, *options):
        """A token from the command with which users create theirs."""
        command = [self.program, "token", "--user", user, *options]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=10).stdout.strip()

    @staticmethod
    def fetch(url):
        """A public resource: its media type and its bytes."""
        with urllib.request.urlopen(url, timeout=10) as answer:
            return answer.headers["Content-Type"], answer.read()

    def headers(self, token):
        return {"Authorization": f"Bearer {token}", "X-API-Key": self.api_key}

    def signal(self, number):
        os.kill(self.pid, number)


def step(text):
    print(f"- {text}", flush=True)


def expect(condition, what, got):
    """An assertion that shows the expected and the received value."""
    if not condition:
        raise AssertionError(f"expected {what}; got {shortened(got)}")


def expect_equal(got, wanted, what):
    expect(got == wanted, f"{what} to be {shortened(wanted)}", got)


def expect_keys(value, names, what):
    """Checks that an object has exactly these members; `names` is one string, separated by white space."""
    expect(isinstance(value, dict), f"{what} to be an object", value)
    expect_equal(sorted(value), sorted(names.split()), f"the members of {what}")


def shortened(value):
    text = repr(value)
    return text if len(text) <= 1500 else f"{text[:1500]}… ({len(text)} characters)"


def main(tell_all, chapters):
    """Runs the chapters that the command line names: STORY READY_FILE PROGRAM CHAPTER…"""
    server = Server(sys.argv[1], sys.argv[2])
    names = sys.argv[3:]
    unknown = [name for name in names if name not in chapters]
    if unknown or not names:
        sys.exit(f"the chapters are {', '.join(chapters)}; got {names}")
    start = time.monotonic()
    tell_all(server, [chapters[name] for name in names])
    print(f"told {', '.join(names)} in {time.monotonic() - start:.2f} s", flush=True)
