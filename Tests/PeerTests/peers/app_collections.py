"""Checks that apply to every collection that the apps synchronize."""

from datetime import timedelta

from app_device import Device
from app_models import (
    INSIGHT, INSIGHT_LIST, JOURNAL, JOURNAL_LIST, METRICS, MOOD, MOOD_LIST, PROGRESS, PROGRESS_LIST, SLEEP, SLEEP_LIST,
    TEMPLATE, TEMPLATE_LIST, WORKOUT, WORKOUT_LIST)
from facts import UNKNOWN_ID, expect_equal, step
from fitiq_chapters import measured, night, workout
from lume_chapters import entry, mood

# Members that no client sets.
FORGED = {"id": UNKNOWN_ID, "user_id": UNKNOWN_ID, "created_at": "1970-01-01T00:00:00Z", "updated_at": 7}
SHARE = {"shared_with_user_ids": [UNKNOWN_ID], "professional_type": "nutritionist"}


def rows(now):
    """Path, the name of the list, models, the body to send, and the operations on one entry: method, end of path,
    body."""
    changed_mood, changed_entry = mood(now, 0), entry(now, "Changed.")
    return [
        ("/wellness/mood-entries", "entries", MOOD, MOOD_LIST, mood(now, 0.6),
         [("PUT", "", changed_mood), ("DELETE", "", None)]),
        ("/journal", "entries", JOURNAL, JOURNAL_LIST, entry(now, "Slept well."),
         [("PUT", "", changed_entry), ("DELETE", "", None)]),
        ("/insights", "insights", INSIGHT, INSIGHT_LIST, {"insight_type": "daily"},
         [("POST", "/read", None), ("POST", "/favorite", None), ("POST", "/archive", None),
          ("POST", "/unarchive", None), ("DELETE", "", None)]),
        ("/progress", "entries", PROGRESS, PROGRESS_LIST, {"type": "weight", "quantity": 64.5}, []),
        ("/sleep", "sessions", SLEEP, SLEEP_LIST, night(now), []),
        ("/workouts", "workouts", WORKOUT, WORKOUT_LIST, workout(now - timedelta(hours=1)), []),
        ("/profile/metrics", None, METRICS, [METRICS], measured(now, 64.5), []),
        ("/workout-templates", "templates", TEMPLATE, TEMPLATE_LIST, {"name": "Legs"},
         [("GET", "", None), ("PUT", "", {"name": "Arms"}), ("POST", "/share", SHARE), ("POST", "/copy", {}),
          ("DELETE", f"/share/{UNKNOWN_ID}", None), ("DELETE", "", None)])]


async def app_collections(teller):
    app = await Device(teller).sign_up()
    stranger = await app.stranger()
    for path, name, model, models, sent, operations in rows(await app.now()):
        step(f"{path}: what the world sets cannot be forged")
        place = f"{path}/generate/wellness" if path == "/insights" else path
        made = [await app.post(place, {**sent, **FORGED}, model) for _ in range(3)]
        expect_equal(len({each["id"] for each in made} - {UNKNOWN_ID}), 3, "the ids of three")
        forged = FORGED.items() & {name: made[0].get(name) for name in FORGED}.items()
        expect_equal(forged, set(), "what was forged")
        await app.refused(400, "POST", place, [])
        step(f"{path}: lists have pages, and only what is the user's own")
        whole_list = await app.get(path, models)
        entries = whole_list[name] if name else whole_list
        expect_equal({each["id"] for each in entries}, {each["id"] for each in made}, f"the list of {path}")
        for offset in range(3 if name else 0):
            page = await app.get(f"{path}?limit=1&offset={offset}", models)
            expect_equal((page[name], page["offset"], page["limit"], page["total"]), ([entries[offset]], offset, 1, 3),
                         f"a page of {path}")
        await app.refused(400, "GET", f"{path}?limit=0")
        theirs = await stranger.get(path, models)
        expect_equal(theirs[name] if name else theirs, [], f"a stranger's {path}")
        for method, end, body in operations:
            step(f"{method} {path}/{{id}}{end}: nothing for an unknown id, one in upper case, or another user")
            id = made[0]["id"]
            await app.refused(404, method, f"{path}/{UNKNOWN_ID}{end}", body)
            await app.refused(404, method, f"{path}/{id.upper()}{end}", body, "lower-case")
            await stranger.refused(404, method, f"{path}/{id}{end}", body)
        expect_equal(await app.get(path, models), whole_list, f"{path} after what was refused")


# For each collection the required and the optional members, each with invalid values.
TEXT, NUMBER, LIST, FLAG, TIMES = [{}, 7], [{}, "7", True], [{}, "a", [7]], [{}, "yes", 1], [{}, 7, "yesterday"]
BAD = {
    "/wellness/mood-entries": ({"valence": [*NUMBER, 1.1, -1.1], "logged_at": TIMES}, {
        "labels": LIST, "associations": LIST, "notes": [*TEXT, "x" * 1001], "source": [*TEXT, "watch"],
        "source_id": TEXT}),
    "/journal": ({"content": [*TEXT, "", "x" * 10001], "logged_at": TIMES}, {
        "title": [*TEXT, "x" * 201], "content_format": [*TEXT, "html"], "entry_type": [*TEXT, "rant"],
        "tags": [*LIST, ["a"] * 21], "privacy_level": [*TEXT, "secret"], "linked_mood_id": TEXT, "is_favorite": FLAG}),
    "/insights": ({"insight_type": [*TEXT, "wellness"]}, {"period_start": TIMES, "period_end": TIMES}),
    "/progress": ({"type": [*TEXT, "weight_kg"], "quantity": [*NUMBER, -1]}, {
        "logged_at": TIMES, "notes": [*TEXT, "x" * 501]}),
    "/sleep": ({"start_time": TIMES, "end_time": TIMES}, {
        "stages": [{}, "a", [7]], "source": TEXT, "source_id": TEXT, "notes": TEXT}),
    "/workouts": ({"activity_type": [*TEXT, "", "x" * 101], "started_at": TIMES}, {
        "title": [*TEXT, "x" * 256], "notes": [*TEXT, "x" * 2001], "ended_at": TIMES,
        "duration_minutes": [*NUMBER, -1, 1.5], "calories_burned": [*NUMBER, -1, 1.5], "distance_meters": [*NUMBER, -1],
        "intensity": [*NUMBER, 0, 11, 1.5]}),
    "/profile/metrics": ({"recorded_at": TIMES, "metrics": [{}, "a", [7], [{"metric_type": "mass"}]]}, {}),
    "/workout-templates": ({"name": [*TEXT, ""]}, {
        "description": TEXT, "category": TEXT, "difficulty_level": [*TEXT, "deadly"],
        "estimated_duration_minutes": [*NUMBER, 0, 1.5], "exercises": [{}, "a", [7], [{"order_index": 0}]]}),
}


async def app_bad_input(teller):
    app = await Device(teller).sign_up()
    for path, _, model, models, sent, _ in rows(await app.now()):
        place = f"{path}/generate/wellness" if path == "/insights" else path
        required, optional = BAD[path]
        step(f"POST {place}: a member that is missing, of another type or out of range is named, and nothing is kept")
        for name in required:
            for body in ({each: sent[each] for each in sent if each != name}, {**sent, name: None}):
                await app.refused(400, "POST", place, body, name)
        for name, values in {**required, **optional}.items():
            for value in values:
                await app.refused(400, "POST", place, {**sent, name: value}, name)
        await app.post(place, {**sent, **{name: None for name in optional}}, model)
        kept = await app.get(path, models)
        expect_equal(len(kept) if isinstance(kept, list) else kept["total"], 1, f"what is kept of {path}")
