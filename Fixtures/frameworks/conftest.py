"""A world of fitiq-mock for each test: copy this file beside your tests, and start 'fitiq-mock serve' before them."""

import json
import os
import urllib.request

import pytest

SERVER = os.environ.get("FITIQ_MOCK_URL", "http://127.0.0.1:8080")


def admin(method, path, body=None):
    request = urllib.request.Request(
        f"{SERVER}/__admin/{path}", method=method, headers={"Content-Type": "application/json"},
        data=None if body is None else json.dumps(body).encode())
    with urllib.request.urlopen(request) as response:
        return json.loads(response.read() or "null")


class World:
    """Where the client under test is to go: `url`, `ws_url`, `token` and `api_key`."""

    def __init__(self, scenario):
        made = admin("POST", "worlds", {"scenario": scenario, "clock": "manual", "judged": True})
        self.id, self.url, self.ws_url = made["id"], made["url"], made["ws_url"]
        self.token, self.api_key = made["token"], made["api_key"]

    def advance(self, duration):
        """Moves the world's clock: `advance("3s")`."""
        admin("POST", f"worlds/{self.id}/clock", {"advance": duration})

    def broken(self):
        """What the client broke: the id of each obligation, and what happened."""
        verdicts = admin("GET", f"worlds/{self.id}/verdicts")["verdicts"]
        return [f"{verdict['id']}: {finding['message']}" for verdict in verdicts
                if verdict["verdict"] == "broken" and verdict["level"] == "must" for finding in verdict["findings"]]


def pytest_configure(config):
    config.addinivalue_line("markers", "scenario(name): the scenario of the test's world; default without")


@pytest.fixture
def world(request):
    marker = request.node.get_closest_marker("scenario")
    world = World(marker.args[0] if marker else "default")
    try:
        yield world
        broken = world.broken()
    finally:
        admin("DELETE", f"worlds/{world.id}")
    assert not broken, "\n".join(broken)
