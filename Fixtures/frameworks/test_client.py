"""Tests of a client that is a function here; yours takes its place."""

import json
import urllib.error
import urllib.request

import pytest


def call(world, method, path, body=None):
    request = urllib.request.Request(
        f"{world.url}/api/v1/{path}", method=method, data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {world.token}", "X-API-Key": world.api_key,
                 "Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as refusal:
        return refusal.code, json.load(refusal)


@pytest.mark.scenario("meal-completes")
def test_a_meal_is_worked_out_after_three_seconds(world):
    _, answer = call(world, "POST", "meal-logs/natural", {"raw_input": "2 eggs", "meal_type": "breakfast"})
    meal = answer["data"]["id"]
    assert call(world, "GET", f"meal-logs/{meal}")[1]["data"]["status"] == "processing"
    world.advance("3s")
    assert call(world, "GET", f"meal-logs/{meal}")[1]["data"]["status"] == "completed"


@pytest.mark.scenario("conflict")
def test_a_conflict_continues_the_chat_that_exists(world):
    status, answer = call(world, "POST", "consultations", {"persona": "nutritionist"})
    assert status == 409
    existing = answer["error"]["details"]["existing_consultation_id"]
    assert call(world, "GET", f"consultations/{existing}/messages")[0] == 200
