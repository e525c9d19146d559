"""What the apps sync in the background: for each operation the members that its answer has, and their types."""

from facts import UNKNOWN_ID, expect, expect_equal, step

API = "/api/v1"
DOCUMENT = {"id": str, "user_id": str, "created_at": str, "updated_at": str}
TOTALS = {"total": int, "total_count": int, "limit": int, "offset": int, "has_more": bool}

# The path, the name of its list, what is sent.
COLLECTIONS = [
    ("/wellness/mood-entries", "mood_entries", {"valence": 0.6, "labels": ["calm"]}),
    ("/journal", "journal", {"title": "Tuesday", "content": "Slept well"}),
    ("/progress", "progress", {"type": "weight_kg", "value": 72.5}),
    ("/sleep", "sleep", {"stages": [{"stage": "deep", "minutes": 80}], "quality": None}),
    ("/workouts", "workouts", {"activity_type": "running"}),
    ("/profile/metrics", "profile_metrics", {"height_cm": 178}),
    ("/workout-templates", "workout_templates", {"name": "Legs", "is_public": True}),
]
# The method, the path with the document's id, the body, the status, the members of `data` (none for 204).
OPERATIONS = [
    ("PUT", "/wellness/mood-entries/{mood_entries}", {"valence": -0.2}, 200, {**DOCUMENT, "valence": float}),
    ("GET", "/wellness/mood-entries/analytics", None, 200, {"total_entries": int, "members": dict}),
    ("PUT", "/journal/{journal}", {"title": "Wednesday"}, 200, {**DOCUMENT, "title": str}),
    ("GET", "/journal/search?q=WEDNESDAY&limit=1", None, 200, {"journal": list, **TOTALS}),
    ("GET", "/insights", None, 200, {"insights": list, **TOTALS}),
    ("GET", "/insights/unread/count", None, 200, {"count": int, "unread_count": int}),
    ("POST", "/insights/{insights}/read", None, 200, {**DOCUMENT, "is_read": bool}),
    ("POST", "/insights/{insights}/favorite", None, 200, {**DOCUMENT, "is_favorite": bool}),
    ("POST", "/insights/{insights}/archive", None, 200, {**DOCUMENT, "is_archived": bool}),
    ("POST", "/insights/{insights}/unarchive", None, 200, {**DOCUMENT, "is_archived": bool}),
    ("GET", "/workout-templates/public", None, 200, {"workout_templates": list, **TOTALS}),
    ("GET", "/workout-templates/shared-with-me", None, 200, {"workout_templates": list, **TOTALS}),
    ("GET", "/workout-templates/{workout_templates}", None, 200, {**DOCUMENT, "name": str}),
    ("PUT", "/workout-templates/{workout_templates}", {"name": "Arms"}, 200, {**DOCUMENT, "name": str}),
    ("POST", "/workout-templates/{workout_templates}/share", {"user_ids": ["somebody"]}, 200,
     {"template_id": str, "shared_with": list, "count": int}),
    ("DELETE", "/workout-templates/{workout_templates}/share/somebody", None, 204, None),
    ("POST", "/workout-templates/{workout_templates}/copy", {}, 201, {**DOCUMENT, "name": str}),
    ("DELETE", "/wellness/mood-entries/{mood_entries}", None, 204, None),
    ("DELETE", "/journal/{journal}", None, 204, None),
    ("DELETE", "/insights/{insights}", None, 204, None),
    ("DELETE", "/workout-templates/{workout_templates}", None, 204, None),
]


def check_shape(data, shape, what):
    for name, kind in shape.items():
        expect(name in data, f"{name} in {what}", data)
        kinds = (int, float) if kind is float else kind
        expect(isinstance(data[name], kinds) and (kind is bool or not isinstance(data[name], bool)),
               f"{name} of {what} to be a {kind.__name__}", data[name])


async def documents(teller):
    ids = {}
    for path, name, sent in COLLECTIONS:
        step(f"{name}: what is posted can be read back, by page, and what the world sets is its own")
        forged = {**sent, "id": "mine", "user_id": "another", "created_at": "1970-01-01T00:00:00Z", "updated_at": 7}
        for _ in range(2):
            document = (await teller.ask(201, "POST", API + path, forged))["data"]
            check_shape(document, DOCUMENT, name)
            expect_equal({key: document[key] for key in sent}, sent, f"what was sent to {path}")
            expect_equal(document["user_id"], teller.user, "user_id")
            expect(document["id"] != "mine" and document["created_at"] > "1970-01-02", "the world's id and time", document)
            ids[name] = document["id"]
        page = (await teller.ask(200, "GET", f"{API}{path}?limit=1"))["data"]
        check_shape(page, {name: list, **TOTALS}, path)
        expect_equal((page[name], page["total"], page["has_more"]), ([document], 2, True), f"the page of {path}")
        page = (await teller.ask(200, "GET", f"{API}{path}?limit=1&offset=1"))["data"]
        expect_equal((len(page[name]), page["offset"], page["has_more"]), (1, 1, False), f"the second page of {path}")
        page = (await teller.as_user("stranger").ask(200, "GET", API + path))["data"]
        expect_equal((page[name], page["total"]), ([], 0), f"what another user has at {path}")
        await teller.refusal(400, "GET", f"{API}{path}?limit=0", code="VALIDATION_FAILED", words=["limit", "1 to 100"])
        await teller.refusal(400, "POST", API + path, [], code="VALIDATION_FAILED", words=["object"])

    step("insights come from the server")
    made = (await teller.ask(201, "POST", f"{API}/insights/generate/wellness"))["data"]
    check_shape(made, {"insights": list, "count": int}, "the new insights")
    check_shape(made["insights"][0], {**DOCUMENT, "title": str, "is_read": bool}, "the new insight")
    ids["insights"] = made["insights"][0]["id"]

    for method, path, body, status, shape in OPERATIONS:
        step(f"{method} {path}: {status}")
        target = API + path.format(**ids)
        if "{" in path:
            for other, hint in ((UNKNOWN_ID, "has no"), (ids[path.split("{")[1].split("}")[0]].upper(), "lower-case")):
                missing = API + path.format(**dict.fromkeys(ids, other))
                await teller.refusal(404, method, missing, body, code="NOT_FOUND", words=[hint])
            if method != "GET" and not path.endswith("/copy"):
                await teller.as_user("stranger").refusal(404, method, target, body, code="NOT_FOUND")
        if status == 204:
            got, _, _ = await teller.adapter.request(method, teller.server.url + target, body, teller.headers)
            expect_equal(got, 204, f"the status of {method} {path}")
            await teller.refusal(404, method, target, body, code="NOT_FOUND")
        else:
            answer = await teller.ask(status, method, target, body)
            check_shape(answer["data"], shape, f"{method} {path}")
