"""A client that logs meals and polls until they are worked out, on a thread for each. It repeats nothing that fails."""

import json
import threading
import time
import urllib.error
import urllib.request


class MealClient:
    def __init__(self, url, token, api_key):
        self.url = url + "/api/v1/meal-logs/"
        self.fields = {"Authorization": f"Bearer {token}", "X-API-Key": api_key, "Content-Type": "application/json"}
        self.meals, self.problems = [], []

    def log(self, text, kind):
        """Logs a meal; what comes of it shows in `meals` and `problems`."""
        meal = {"id": None, "text": text, "status": "processing", "calories": None, "error": None}
        self.meals.append(meal)
        threading.Thread(target=self._follow, args=(meal, kind), daemon=True).start()

    def _follow(self, meal, kind):
        try:
            log = self._ask("natural", {"raw_input": meal["text"], "meal_type": kind})
            for _ in range(12):
                if log["status"] != "processing":
                    break
                time.sleep(5)
                log = self._ask(log["id"])
        except (OSError, KeyError, ValueError) as error:
            meal["status"], meal["error"] = "failed", str(error)
            return self.problems.append({"kind": "unavailable", "message": str(error)})
        if log["status"] == "failed":
            meal["error"] = log.get("error_message") or log.get("error")
            self.problems.append({"kind": "meal", "message": meal["error"]})
        meal["calories"] = round(log["total_calories"]) if log["status"] == "completed" else None
        meal["id"], meal["status"] = log.get("id") or log.get("meal_log_id"), log["status"]

    def _ask(self, path, body=None):
        content = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, content, self.fields)
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.load(response)["data"]
