"""An adapter in twenty lines, for a client that can only log meals. It uses the system clock, so the suite waits."""

import json
import sys

from meal_client import MealClient

client = None
for line in sys.stdin:
    command = json.loads(line)
    name, answer = command["command"], {"ok": True}
    if name == "begin":
        client = MealClient(command["url"], command["token"], command["api_key"])
        answer["clock"] = "system"
    elif name == "log_meal":
        client.log(command["text"], command["type"])
    elif name == "report":
        meals, problems = client.meals, client.problems
        busy = any(meal["status"] == "processing" for meal in meals)
        answer["report"] = {"connection": "disconnected", "meals": meals, "problems": problems, "is_busy": busy}
    elif name != "end":
        answer = {"unsupported": True}
    print(json.dumps(answer), flush=True)
