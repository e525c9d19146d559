"""FitIQ's days, as the app sends them: meals and photos, tracking, HealthKit, workout templates."""

import base64
from datetime import timedelta

from app_device import RETURNING, Device, Outbox, day, fractional, read, whole
from app_models import (
    COPY, EATEN, KEPT_PREFERENCES, LOGGED, MEAL_LIST, ME, METRICS, PHOTO, PROGRESS, PROGRESS_LIST, PUBLIC_TEMPLATES,
    REVOKED, SEEN_PHOTO, SHARE, SHARED_LIST, SLEEP, SLEEP_LIST, TEMPLATE, TEMPLATE_LIST, WORKOUT, WORKOUT_LIST)
from app_shapes import TOKENS
from facts import UNKNOWN_ID, expect, expect_equal, step

MEALS, PHOTOS = "/meal-logs", "/meal-logs/photo"
PROGRESSES, NIGHTS, WORKOUTS, BODY = "/progress", "/sleep", "/workouts", "/profile/metrics"
TEMPLATES = "/workout-templates"


def amount(kind, quantity, time):
    return {"type": kind, "quantity": quantity, "logged_at": whole(time)}


def night(end, source_id=None, hours=8):
    """Eight hours in bed with seven of sleep, and stages in no order, as HealthKit has them."""
    start = end - timedelta(hours=hours)
    minutes = [("awake", 0, 60), ("core", 60, 300), ("rem", 380, 480), ("deep", 300, 380), ("in_bed", 0, 480)]
    return {
        "start_time": whole(start), "end_time": whole(end), "source": "healthkit", "source_id": source_id,
        "stages": [{
            "stage": stage, "start_time": whole(start + timedelta(minutes=begin)),
            "end_time": whole(start + timedelta(minutes=stop))} for stage, begin, stop in minutes]}


def workout(start, minutes=30):
    return {
        "activity_type": "Running", "title": "Around the lake", "started_at": whole(start),
        "ended_at": whole(start + timedelta(minutes=minutes)), "duration_minutes": minutes, "calories_burned": 300,
        "distance_meters": 5012.5, "intensity": 6}


def measured(time, kilograms):
    return {"recorded_at": whole(time), "metrics": [
        {"metric_type": "weight", "quantity": kilograms, "unit": "kg"},
        {"metric_type": "height", "quantity": 171, "unit": "cm"},
        {"metric_type": "bmi", "quantity": 22.1, "unit": "%"}]}


async def fitiq_first_run(teller):
    app = await Device(teller).sign_up()
    step("the app registers, fills the profile, and refreshes its tokens")
    await app.put("/users/me", {
        "name": "Ada", "preferred_unit_system": "metric", "language_code": "en", "date_of_birth": "1990-05-17"}, ME)
    await app.send(200, "PATCH", "/users/me/physical", {"biological_sex": "female", "height_cm": 171}, ME)
    await app.send(200, "PATCH", "/users/me/preferences", {"allergies": ["nuts"]}, KEPT_PREFERENCES)
    app.tokens = await app.post(
        "/auth/refresh", {"refresh_token": app.tokens["refresh_token"]}, TOKENS, status=200, headers=app.key)
    now = await app.now()

    step("every screen is empty")
    nights = await app.get(NIGHTS, SLEEP_LIST)
    expect_equal((nights["sessions"], nights.get("averages"), nights["total"]), ([], None, 0), "the nights")
    for path, shape, name in ((PROGRESSES, PROGRESS_LIST, "entries"), (WORKOUTS, WORKOUT_LIST, "workouts"),
                              (MEALS, MEAL_LIST, "meal_logs"),
                              (f"{TEMPLATES}?source=owned", TEMPLATE_LIST, "templates"),
                              (f"{TEMPLATES}/shared-with-me", SHARED_LIST, "templates")):
        expect_equal((await app.get(path, shape))[name], [], f"an empty {path}")
    span = f"start_date={fractional(now - timedelta(30))}&end_date={fractional(now)}"
    expect_equal(await app.get(f"{BODY}?{span}&limit=50", [METRICS], headers=app.bearer), [], "the metrics")

    step("public templates are there before the login, for the key alone")
    await app.get(f"{TEMPLATES}/public", PUBLIC_TEMPLATES, headers=app.key)
    for headers in ({}, {"X-API-Key": "wrong"}):
        await app.refused(401, "GET", f"{TEMPLATES}/public", headers=headers)

    step("the first of everything")
    made = await app.post(PROGRESSES, {"type": "weight", "quantity": 64.5}, PROGRESS)
    expect(abs(read(made["date"]) - now) < timedelta(minutes=5), "now where nothing is said", made)
    expect("notes" not in made, "no notes where there are none", made)
    for wrong, word in (({"type": "weight_kg"}, "type"), ({"quantity": -1}, "quantity"),
                        ({"quantity": "64"}, "quantity"), ({"logged_at": "today"}, "logged_at"),
                        ({"notes": "x" * 501}, "notes")):
        await app.refused(400, "POST", PROGRESSES, amount("weight", 64.5, now) | wrong, word)
    made = await app.post(NIGHTS, {"start_time": whole(now - timedelta(hours=8)), "end_time": whole(now)}, SLEEP)
    expect_equal((made["time_in_bed_minutes"], made["total_sleep_minutes"], made["source"]), (480, 480, "manual"),
                 "a night without stages")
    for wrong, word in (({"end_time": whole(now - timedelta(1))}, "end_time"), ({"start_time": None}, "start_time"),
                        ({"stages": [{"stage": "nap"}]}, "stage")):
        await app.refused(400, "POST", NIGHTS, night(now) | wrong, word)
    await app.post(WORKOUTS, workout(now - timedelta(hours=1)), WORKOUT)
    for wrong, word in (({"started_at": None}, "started_at"), ({"intensity": 11}, "intensity"),
                        ({"activity_type": ""}, "activity_type"), ({"calories_burned": -1}, "calories_burned")):
        await app.refused(400, "POST", WORKOUTS, workout(now) | wrong, word)
    made = await app.post(BODY, measured(now, 64.5), METRICS, headers=app.bearer)
    expect_equal(made["metrics"][2], {"metric_type": "bmi", "quantity": 22.1, "unit": "%"}, "the third metric")
    await app.refused(401, "POST", BODY, measured(now, 64.5), headers={**app.bearer, "X-API-Key": "wrong"})
    wrong = {"metric_type": "mass", "quantity": 1, "unit": "kg"}
    await app.refused(400, "POST", BODY, {"recorded_at": whole(now), "metrics": [wrong]}, "metric_type")


async def fitiq_offline(teller):
    app = await Device(teller).sign_up()
    now = await app.now()
    step("a day without a network is posted once")
    steps, nights, runs = Outbox(PROGRESSES, PROGRESS), Outbox(NIGHTS, SLEEP), Outbox(WORKOUTS, WORKOUT)
    for hours in range(12, 0, -2):
        steps.add(amount("steps", 500 + hours, now - timedelta(hours=hours)))
    nights.add(night(now - timedelta(hours=12)))
    nights.add(night(now - timedelta(hours=1)) | {"source": "manual", "notes": "Afternoon"})
    runs.add(workout(now - timedelta(hours=3)))
    for outbox, count in ((steps, 6), (nights, 2), (runs, 1)):
        expect_equal((len(await outbox.sync(app)), outbox.posts), (count, count), f"the posts to {outbox.path}")

    step("the lists give it back, latest first and without duplicates")
    steps.expect_in((await app.get(f"{PROGRESSES}?type=steps&limit=100&offset=0", PROGRESS_LIST))["entries"])
    nights.expect_in((await app.get(f"{NIGHTS}?limit=30&offset=0", SLEEP_LIST))["sessions"])
    runs.expect_in((await app.get(WORKOUTS, WORKOUT_LIST))["workouts"])
    expect_equal([each["date"] for each in steps.synced], [
        whole(now - timedelta(hours=hours)) for hours in range(12, 0, -2)], "the times logged")


async def fitiq_second_device(teller):
    app = await Device(teller).sign_up()
    now = await app.now()
    # Logged out of order: lists are sorted by the time of logging, not of the request.
    for days, kilograms in ((1, 64.1), (20, 65.2), (0, 64.0), (7, 64.5)):
        await app.post(PROGRESSES, amount("weight", kilograms, now - timedelta(days)), PROGRESS)
    await app.post(PROGRESSES, amount("height", 171, now), PROGRESS)
    other = await app.another()

    async def listed(query, *quantities):
        answer = await other.get(f"{PROGRESSES}?{query}", PROGRESS_LIST)
        expect_equal([each["quantity"] for each in answer["entries"]], list(quantities), f"the entries with {query}")
        return answer

    step("another device of the same user sees it: the latest weight, and those of some days")
    expect_equal((await listed("type=weight&limit=1", 64.0))["total"], 4, "the total")
    await listed("type=weight&limit=2&offset=2", 64.5, 65.2)
    await listed(f"type=weight&from={day(now - timedelta(7))}&to={day(now - timedelta(1))}", 64.1, 64.5)
    await listed("type=bmi")
    await other.refused(400, "GET", f"{PROGRESSES}?type=weight_kg", word="type")
    await other.refused(400, "GET", f"{PROGRESSES}?from=monday", word="from")

    step("another user sees none of it")
    stranger = await app.stranger()
    expect_equal((await stranger.get(PROGRESSES, PROGRESS_LIST))["total"], 0, "a stranger's entries")

    step("a meal of one device is edited and deleted on the other")
    meal = await app.post(f"{MEALS}/natural", {"raw_input": "2 eggs", "meal_type": "lunch"}, LOGGED)
    changed = await other.put(f"{MEALS}/{meal['id']}", {"meal_type": "dinner", "notes": "Late"}, EATEN)
    expect_equal((changed["meal_type"], changed["raw_input"]), ("dinner", "2 eggs"), "the meal")
    await other.delete(f"{MEALS}/{meal['id']}")
    expect_equal((await app.get(MEALS, MEAL_LIST))["meal_logs"], [], "the meals")


async def fitiq_backfill(teller):
    app = await Device(teller).sign_up()
    now = await app.now()
    days = [now - timedelta(each) for each in range(29, -1, -1)]
    step("30 days of HealthKit: nights, steps, weight, workouts and metrics")
    nights, progress = Outbox(NIGHTS, SLEEP), Outbox(PROGRESSES, PROGRESS)
    runs = Outbox(WORKOUTS, WORKOUT)
    for index, time in enumerate(days):
        nights.add(night(time, f"healthkit-{index}"))
        progress.add(amount("steps", 8000 + index, time))
        runs.add(workout(time - timedelta(hours=1)))
        await app.post(BODY, measured(time, 65 - index / 10), METRICS, headers=app.bearer)
    for outbox in (nights, progress, runs):
        await outbox.sync(app)
        expect_equal(outbox.posts, 30, f"the posts to {outbox.path}")
    first = nights.synced[0]
    expect_equal(
        [first[f"{name}_minutes"] for name in ("time_in_bed", "total_sleep", "awake", "rem", "core", "deep")]
        + [first["sleep_efficiency_percentage"]], [480, 420, 60, 100, 240, 80, 87.5], "what was computed of a night")

    step("the next start sends all nights again: each is the one that is there, unchanged")
    for index, time in enumerate(days):
        again = night(time + timedelta(minutes=5), f"healthkit-{index}") | {"notes": "again"}
        expect_equal(await app.post(NIGHTS, again, SLEEP, status=200), nights.synced[index], "the night that is there")
    # A night belongs to the day on which it began, which may be the day before its end.
    answer = await app.get(f"{NIGHTS}?from={day(days[0] - timedelta(1))}&to={day(now)}&limit=100", SLEEP_LIST)
    nights.expect_in(answer["sessions"])
    expect_equal(answer["averages"], {
        "avg_time_in_bed_minutes": 480, "avg_total_sleep_minutes": 420, "avg_sleep_efficiency_percentage": 87.5},
        "the averages")
    stranger = await app.stranger()
    await stranger.post(NIGHTS, night(now, "healthkit-29"), SLEEP)

    step("what is read back is what was sent")
    progress.expect_in((await app.get(f"{PROGRESSES}?type=steps&limit=100", PROGRESS_LIST))["entries"])
    runs.expect_in((await app.get(f"{WORKOUTS}?limit=100", WORKOUT_LIST))["workouts"])
    span = f"start_date={fractional(days[20] - timedelta(seconds=1))}&end_date={fractional(now)}"
    metrics = await app.get(f"{BODY}?{span}&limit=100", [METRICS], headers=app.bearer)
    expect_equal({each["recorded_at"] for each in metrics}, {whole(time) for time in days[20:]}, "the metrics of ten days")
    expect_equal(len(await app.get(f"{BODY}?{span}&limit=3", [METRICS], headers=app.bearer)), 3, "three of them")

    step("nights overlap as they like; their stages do not")
    overlapping = night(now, "overlap")
    overlapping["stages"][1]["end_time"] = whole(now)
    await app.refused(400, "POST", NIGHTS, overlapping, "stages")
    outside = night(now, "outside")
    outside["stages"][0]["start_time"] = whole(now - timedelta(1))
    await app.refused(400, "POST", NIGHTS, outside, "stages")
    for _ in range(2):
        await app.post(NIGHTS, night(now), SLEEP)


async def fitiq_templates(teller):
    owner = await Device(teller).sign_up()
    friend = await owner.stranger("bob")
    friend_id = await friend.user_id()
    step("a template with its exercises, in their order")
    made = await owner.post(TEMPLATES, {
        "name": "Legs", "description": "Heavy", "category": "strength", "difficulty_level": "expert",
        "estimated_duration_minutes": 45, "exercises": [
            {"exercise_id": UNKNOWN_ID, "order_index": 1, "sets": 3, "reps": 8, "rir": 2, "weight_kg": 42.5},
            {"user_exercise_id": UNKNOWN_ID, "order_index": 0, "duration_seconds": 60}]}, TEMPLATE)
    expect_equal((made["is_public"], made["is_system"], made["status"], made["exercise_count"]),
                 (False, False, "published", 2), "a new template")
    path = f"{TEMPLATES}/{made['id'].upper()}"
    shown = await owner.get(path, TEMPLATE)
    expect_equal([each["order_index"] for each in shown["exercises"]], [0, 1], "the order of the exercises")
    expect({each["template_id"] for each in shown["exercises"]} == {made["id"]}, "exercises of the template", shown)
    for wrong, word in (({"name": ""}, "name"), ({"estimated_duration_minutes": 0}, "estimated_duration_minutes"),
                        ({"difficulty_level": "deadly"}, "difficulty_level"),
                        ({"exercises": [{"order_index": 0}]}, "exercise_id"),
                        ({"exercises": [{"exercise_id": UNKNOWN_ID, "order_index": 0, "rir": 11}]}, "rir")):
        await owner.refused(400, "POST", TEMPLATES, {"name": "x"} | wrong, word)
    changed = await owner.put(path, {"name": "Leg day"}, TEMPLATE)
    expect_equal((changed["name"], changed["category"], changed["exercise_count"]), ("Leg day", "strength", 2),
                 "what was changed, and the rest")
    for query, count in (("source=owned", 1), ("source=shared", 0), ("category=strength", 1), ("category=cardio", 0),
                         ("difficulty=expert", 1), ("", 1)):
        found = await owner.get(f"{TEMPLATES}?{query}", TEMPLATE_LIST)
        expect_equal(found["total"], count, f"the templates with {query}")
    found = await owner.get(f"{TEMPLATES}/public", PUBLIC_TEMPLATES, headers=owner.key)
    expect(made["id"] not in [each["id"] for each in found["templates"]], "a template that is private", found)

    step("it is not there for another, until the owner shares it")
    for method, tail, body in (("GET", "", None), ("PUT", "", {"name": "Mine"}), ("POST", "/copy", {})):
        await friend.refused(404, method, path + tail, body)
    share = {"shared_with_user_ids": [friend_id.upper()], "professional_type": "personal_trainer", "notes": None}
    await friend.refused(404, "POST", f"{path}/share", share)
    for wrong, word in (({"shared_with_user_ids": "bob"}, "shared_with_user_ids"),
                        ({"professional_type": "friend"}, "professional_type")):
        await owner.refused(400, "POST", f"{path}/share", share | wrong, word)
    shared = await owner.post(f"{path}/share", share, SHARE)
    expect_equal((shared["template_id"], shared["template_name"], shared["total_shared"],
                  [each["user_id"] for each in shared["shared_with"]]), (made["id"], "Leg day", 1, [friend_id]),
                 "the share")
    listed = await friend.get(f"{TEMPLATES}/shared-with-me?professional_type=personal_trainer", SHARED_LIST)
    expect_equal([(each["template_id"], each["name"], each["exercise_count"], each["professional_name"])
                  for each in listed["templates"]], [(made["id"], "Leg day", 2, "Ada")], "what is shared")
    listed = await friend.get(f"{TEMPLATES}/shared-with-me?professional_type=nutritionist", SHARED_LIST)
    expect_equal(listed["total"], 0, "what nutritionists shared")
    expect_equal((await friend.get(f"{TEMPLATES}?source=shared", TEMPLATE_LIST))["total"], 1, "the shared templates")
    expect_equal((await friend.get(path, TEMPLATE))["id"], made["id"], "the shared template")
    await friend.refused(403, "PUT", path, {"name": "Mine"})

    step("a copy is the friend's own, and outlives what it was made of")
    copy = await friend.post(f"{path}/copy", {"new_name": "My legs"}, COPY)
    own = copy["new_template"]
    expect_equal((copy["original_template_id"], own["name"], own["user_id"], len(own["exercises"])),
                 (made["id"], "My legs", friend_id, 2), "the copy")
    ids = {each["id"] for each in shown["exercises"]} & {each["id"] for each in own["exercises"]}
    expect(own["id"] != made["id"] and not ids, "ids of its own", own)
    await friend.post(f"{path}/copy", {}, COPY)
    revoke = f"{path}/share/{friend_id.upper()}"
    revoked = await owner.send(200, "DELETE", revoke, None, REVOKED)
    expect_equal((revoked["template_id"], revoked["revoked_from_user_id"]), (made["id"], friend_id), "what was revoked")
    await owner.refused(404, "DELETE", revoke)
    expect_equal((await friend.get(f"{TEMPLATES}/shared-with-me", SHARED_LIST))["total"], 0, "what is still shared")
    await friend.refused(404, "GET", path)
    await owner.delete(path)
    expect_equal((await friend.get(f"{TEMPLATES}?source=owned", TEMPLATE_LIST))["total"], 2, "the copies")


PICTURE = b"\xff\xd8\xff\xe0picture\xff\xd9"


def form(fields):
    """A form as the app writes it, with the picture last."""
    parts = [f'--lunch\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
             for name, value in fields.items()]
    head = (b'--lunch\r\nContent-Disposition: form-data; name="photo"; filename="meal.jpg"\r\n'
            b"Content-Type: image/jpeg\r\n\r\n")
    return b"".join(parts) + head + PICTURE + b"\r\n--lunch--\r\n"


async def fitiq_meals(teller):
    app = await Device(teller).sign_up()
    now = whole(await app.now())
    step("a photo is recognized; the app shows it again, and takes all of it as recognized")
    headers = {**app.key, **app.bearer, "Content-Type": "multipart/form-data; boundary=lunch"}
    picture = form({"meal_type": "lunch", "logged_at": now, "notes": "Lake"})
    photo = await app.post(PHOTOS, picture, PHOTO, headers=headers)
    path = f"{PHOTOS}/{photo['session_id']}"
    seen = await app.get(path, SEEN_PHOTO)
    expect_equal((seen["id"], seen["meal_type"], seen["logged_at"], seen["notes"], seen["status"]),
                 (photo["session_id"], "lunch", now, "Lake", "completed"), "the photo")
    names, shown = ([each["name"] for each in answer["recognized_items"]] for answer in (photo, seen))
    expect_equal(shown, names, "what was recognized")
    for one, other in zip(photo["recognized_items"], seen["recognized_items"]):
        expect(abs(one["confidence"] - 100 * other["confidence_score"]) <= 1, "the same confidence", (one, other))
    meal = await app.send(200, "PATCH", f"{path}/confirm", {"confirmed_items": [], "notes": "All of it"}, EATEN)
    expect_equal((len(meal["items"]), meal["total_calories"]),
                 (len(photo["recognized_items"]), photo["total_macros"]["total_calories"]), "the meal of the photo")
    await app.refused(400, "PATCH", f"{path}/confirm", {"confirmed_items": []})

    step("as the description has it: the picture in JSON; and what the user corrected")
    photo = await app.post(PHOTOS, {
        "image_data": base64.b64encode(PICTURE).decode(), "meal_type": "dinner", "logged_at": now}, PHOTO)
    soup = {"name": "Soup", "quantity": 1, "unit": "bowl", "calories": 120, "protein_g": 4, "carbs_g": 15, "fat_g": 3}
    meal = await app.send(200, "PATCH", f"{PHOTOS}/{photo['session_id']}/confirm", {
        "confirmed_items": [soup | {"fiber_g": None, "sugar_g": None}]}, EATEN)
    expect_equal((meal["items"][0]["food_name"], meal["total_calories"], meal["meal_type"]), ("Soup", 120, "dinner"),
                 "the meal that was corrected")
    photo = await app.post(PHOTOS, form({"meal_type": "lunch"}), PHOTO, headers=headers)
    await app.delete(f"{PHOTOS}/{photo['session_id']}")
    await app.refused(400, "POST", PHOTOS, {"image_data": "no base64!", "meal_type": "lunch"}, "image_data")

    step("a meal's items are replaced, and its totals with them")
    food = {"food_name": "Soup", **{name: value for name, value in soup.items() if name != "name"}}
    bread = {**food, "food_name": "Bread", "calories": 80}
    changed = await app.put(f"{MEALS}/{meal['id']}", {"items": [food, bread]}, EATEN)
    expect_equal([each["food_name"] for each in changed["items"]], ["Soup", "Bread"], "the items")
    expect_equal((changed["total_calories"], changed["total_protein_g"]), (200, 8), "the totals")
    for wrong, word in (({"calories": -1}, "calories"), ({"food_name": None}, "food_name"), ({"fat_g": "3"}, "fat_g")):
        await app.refused(400, "PUT", f"{MEALS}/{meal['id']}", {"items": [food | wrong]}, word)
    expect_equal((await app.get(f"{MEALS}/{meal['id']}", EATEN))["total_calories"], 200, "the calories after refusals")

    step("many at once, in two forms: texts that are worked out, and the items of one meal")
    many = await app.post(f"{MEALS}/batch", {"meal_logs": [
        {"raw_input": "2 eggs", "meal_type": "breakfast"}, {"raw_input": "toast", "meal_type": "snack"}]},
        {"meal_logs": [LOGGED], "count": {2}})
    expect_equal([each["raw_input"] for each in many["meal_logs"]], ["2 eggs", "toast"], "the meals")
    one = await app.post(f"{MEALS}/batch", {"meal_type": "dinner", "items": [food, food]}, EATEN)
    expect_equal((one["status"], one["total_calories"], len(one["items"])), ("manual", 240, 2), "the meal of items")
    expect_equal((await app.get(f"{MEALS}?limit=100", MEAL_LIST))["total_count"], 5, "the meals in all")


async def fitiq_deletion(teller):
    app = await Device(teller).sign_up()
    now = await app.now()
    friend = await app.stranger("bob")
    await app.post(PROGRESSES, amount("weight", 64.5, now), PROGRESS)
    await app.post(NIGHTS, night(now, "healthkit-1"), SLEEP)
    await app.post(WORKOUTS, workout(now - timedelta(hours=1)), WORKOUT)
    await app.post(BODY, measured(now, 64.5), METRICS, headers=app.bearer)
    template = await app.post(TEMPLATES, {"name": "Legs"}, TEMPLATE)
    await app.post(f"{TEMPLATES}/{template['id']}/share", {
        "shared_with_user_ids": [await friend.user_id()], "professional_type": "sports_coach"}, SHARE)
    step("the account goes with everything in it, what was shared included, and the address begins anew")
    await app.leave()
    for path, name in ((PROGRESSES, "entries"), (NIGHTS, "sessions"), (WORKOUTS, "workouts"), (TEMPLATES, "templates")):
        expect_equal((await app.get(path, {name: []}))[name], [], f"{path} of the new account")
    expect_equal(await app.get(BODY, [METRICS], headers=app.bearer), [], "the metrics")
    expect_equal((await friend.get(f"{TEMPLATES}/shared-with-me", SHARED_LIST))["total"], 0, "what is shared")
    await app.post(NIGHTS, night(now, "healthkit-1"), SLEEP)


async def fitiq_returning_user(teller):
    """With the scenario `app-returning-user`."""
    app = await Device(teller, credentials=RETURNING).log_in()
    now = await app.now()
    step("the charts of a month have no gap")
    for kind in ("weight", "steps", "active_minutes", "resting_heart_rate"):
        answer = await app.get(f"{PROGRESSES}?type={kind}&limit=100", PROGRESS_LIST)
        expect_equal((answer["total"], len({day(read(each["date"])) for each in answer["entries"]})), (30, 30),
                     f"the days with {kind}")
    kinds = {each["type"] for offset in (0, 100, 200)
             for each in (await app.get(f"{PROGRESSES}?limit=100&offset={offset}", PROGRESS_LIST))["entries"]}
    expect_equal(kinds, PROGRESS["type"], "the types")
    nights = await app.get(f"{NIGHTS}?limit=100", SLEEP_LIST)
    expect_equal(nights["total"], 30, "the nights")
    expect(all(each["rem_minutes"] and each["deep_minutes"] for each in nights["sessions"]), "stages", nights)
    expect(390 < nights["averages"]["avg_total_sleep_minutes"] < 450, "hours of sleep", nights["averages"])
    runs = await app.get(f"{WORKOUTS}?limit=100", WORKOUT_LIST)
    expect({each["activity_type"] for each in runs["workouts"]} > {"Running", "Yoga"}, "workouts", runs)
    span = f"start_date={fractional(now - timedelta(30))}&end_date={fractional(now)}"
    expect_equal(len(await app.get(f"{BODY}?{span}&limit=100", [METRICS], headers=app.bearer)), 5, "the metrics")
    meals = (await app.get(f"{MEALS}?status=completed&limit=100", MEAL_LIST))["meal_logs"]
    expect(len({day(read(each["logged_at"])) for each in meals}) >= 29, "meals of each day", meals)

    step("templates: one that is public, one of the system, and one that the trainer shares")
    found = await app.get(f"{TEMPLATES}/public", PUBLIC_TEMPLATES, headers=app.key)
    expect([each["name"] for each in found["templates"]] == ["Legs", "Without equipment"], "public templates", found)
    found = (await app.get(f"{TEMPLATES}/shared-with-me", SHARED_LIST))["templates"]
    expect_equal([(each["professional_name"], each["professional_type"]) for each in found],
                 [("Nina Berg", "personal_trainer")], "who shares a template")
    shown = await app.get(f"{TEMPLATES}/{found[0]['template_id'].upper()}", TEMPLATE)
    expect_equal(len(shown["exercises"]), found[0]["exercise_count"], "its exercises")
    stranger = await app.stranger()
    for query, names in (("", []), ("include_public=true", ["Legs", "Without equipment"]),
                         ("source=system", ["Without equipment"])):
        listed = await stranger.get(f"{TEMPLATES}?{query}", TEMPLATE_LIST)
        expect_equal([each["name"] for each in listed["templates"]], names, f"a stranger's templates with {query}")
    found = await stranger.get(f"{TEMPLATES}/public?category=strength", PUBLIC_TEMPLATES)
    public = found["templates"][0]["id"].upper()
    copy = await stranger.post(f"{TEMPLATES}/{public}/copy", {}, COPY)
    expect_equal((copy["new_template"]["name"], copy["new_template"]["is_public"]), ("Legs", False), "a copy of it")
    await stranger.refused(403, "PUT", f"{TEMPLATES}/{public}", {"name": "Mine"})
