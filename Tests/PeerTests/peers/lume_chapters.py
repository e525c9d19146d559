"""Lume's days, as the app sends them: moods, journal, insights and the coach."""

from collections import Counter
from datetime import timedelta

from app_device import RETURNING, Device, Outbox, day, fractional, read, whole
from app_models import (
    ANALYTICS, CHAT, CHAT_LIST, DONE, FAVORITE, GOAL_LIST, INSIGHT, INSIGHT_LIST, INSIGHT_TYPES, JOURNAL,
    JOURNAL_FOUND, JOURNAL_LIST, ME, MOOD, MOOD_LIST, SENT, SUGGESTED, UNREAD)
from app_shapes import GOAL
from facts import UNKNOWN_ID, expect, expect_equal, step

MOODS, DIARY, INSIGHTS = "/wellness/mood-entries", "/journal", "/insights"
CHATS = "/consultations"


def mood(time, valence, labels=("calm",), associations=("family",), **more):
    return {
        "valence": valence, "labels": list(labels), "associations": list(associations), "logged_at": fractional(time),
        "source": "manual", **more}


def entry(time, content, **more):
    return {
        "title": "Today", "content": content, "content_format": "plain", "entry_type": "freeform", "tags": [],
        "privacy_level": "private", "is_favorite": False, "logged_at": fractional(time), **more}


async def lume_first_run(teller):
    app = Device(teller)
    step("the app registers, cannot decode the answer, and logs in all the same")
    await app.sign_up()
    await app.log_in()
    await app.refused(409, "POST", "/auth/register", {
        **app.credentials, "name": "Ada", "date_of_birth": "1990-05-17"}, headers=app.key)
    me = await app.get("/users/me", ME)
    expect_equal(me["email"], app.credentials["email"], "the address")
    now = await app.now()

    step("every screen is empty")
    for path, shape, name in ((MOODS, MOOD_LIST, "entries"), (DIARY, JOURNAL_LIST, "entries"),
                              (INSIGHTS, INSIGHT_LIST, "insights"), ("/goals", GOAL_LIST, "goals"),
                              (CHATS, CHAT_LIST, "consultations")):
        answer = await app.get(path, shape)
        expect_equal((answer[name], answer.get("total", 0)), ([], 0), f"an empty {path}")
    expect_equal((await app.get(f"{INSIGHTS}/unread/count", UNREAD))["count"], 0, "the unread insights")
    found = await app.get(f"{MOODS}/analytics?from={day(now - timedelta(6))}&to={day(now)}", ANALYTICS)
    expect_equal(found["summary"], {
        "total_entries": 0, "average_valence": 0, "days_with_entries": 0, "logging_consistency": 0}, "the summary")
    expect_equal((found["trends"]["trend_direction"], found["period"]["total_days"], found["top_labels"]),
                 ("insufficient_data", 7, []), "an analysis of nothing")

    step("the first mood, and what is added to it")
    made = await app.post(MOODS, {"valence": 0.5, "logged_at": fractional(now)}, MOOD)
    expect_equal((made["labels"], made["associations"], made["source"], made["is_healthkit"], made["logged_at"]),
                 ([], [], "manual", False, whole(now)), "a mood that says little")
    expect_equal(made["user_id"], me["id"], "the user of a mood")
    for wrong, word in (({"valence": 1.5}, "valence"), ({"valence": "good"}, "valence"), ({"labels": [1]}, "labels"),
                        ({"logged_at": "yesterday"}, "logged_at"), ({"source": "watch"}, "source"),
                        ({"logged_at": fractional(now + timedelta(1))}, "logged_at"), ({"notes": "x" * 1001}, "notes")):
        await app.refused(400, "POST", MOODS, {**mood(now, 0.1), **wrong}, word)
    expect_equal((await app.get(MOODS, MOOD_LIST))["total"], 1, "the moods after refusals")

    step("the first entry of the journal, about a mood that the server need not know")
    made = await app.post(DIARY, entry(
        now, "Slept well.", entry_type="reflection", tags=["sleep"], linked_mood_id=UNKNOWN_ID.upper(),
        is_favorite=True), JOURNAL)
    expect_equal((made["entry_type"], made["tags"], made["linked_mood_id"], made["is_favorite"], made["logged_at"]),
                 ("reflection", ["sleep"], UNKNOWN_ID.upper(), True, whole(now)), "the entry")
    made = await app.post(DIARY, {"content": "Short.", "logged_at": fractional(now)}, JOURNAL)
    expect_equal([made[name] for name in ("content_format", "entry_type", "tags", "privacy_level", "is_favorite")],
                 ["plain", "freeform", [], "private", False], "the defaults of an entry")
    for wrong, word in (({"content": ""}, "content"), ({"content": "x" * 10001}, "content"),
                        ({"tags": ["a"] * 21}, "tags"), ({"entry_type": "rant"}, "entry_type"),
                        ({"title": "x" * 201}, "title")):
        await app.refused(400, "POST", DIARY, entry(now, "x") | wrong, word)


async def lume_coach(teller):
    app = await Device(teller).sign_up()
    now = await app.now()

    step("a chat about a goal that there is none of yet: no button for suggestions")
    chat = await app.post(CHATS, {
        "persona": "wellness_specialist", "context_type": "goal", "quick_action": "set_goal"}, CHAT)
    expect_equal((chat["context_type"], chat.get("context_id"), chat["quick_action"]), ("goal", None, "set_goal"),
                 "the chat")
    path = f"{CHATS}/{chat['id'].upper()}"
    for answer in (chat, await app.get(path, CHAT)):
        expect_equal(answer["has_context_for_goal_suggestions"], False, "the button")

    step("a question is answered: there is a button, and what it suggests becomes a goal")
    sent = await app.post(f"{path}/messages", {"content": "How can I sleep better?"}, SENT)
    expect(sent["assistant_message"]["content"], "an answer", sent)
    listed = (await app.get(CHATS, CHAT_LIST))["consultations"][0]
    for answer in (listed, await app.get(path, CHAT)):
        expect_equal((answer["id"], answer["has_context_for_goal_suggestions"]), (chat["id"], True), "the button")
    suggested = await app.post(f"{path}/suggest-goals", {"max_suggestions": 2}, SUGGESTED, status=200)
    expect_equal((suggested["count"], suggested["consultation_id"]), (2, chat["id"]), "the suggestions")
    wish = suggested["suggestions"][0]
    goal = await app.post("/goals", {
        "title": wish["title"], "description": wish["description"], "goal_type": wish["goal_type"],
        "start_date": day(now), "target_date": day(now + timedelta(30)), "target_value": wish.get("target_value") or 1,
        "target_unit": wish.get("target_unit") or "times"}, GOAL)
    expect_equal([each["id"] for each in (await app.get("/goals", GOAL_LIST))["goals"]], [goal["id"]], "the goals")

    step("a chat about this goal has the button at once; one about a mood has none")
    about = await app.post(CHATS, {
        "persona": "general_wellness", "context_type": "goal", "context_id": goal["id"].upper()}, CHAT)
    expect_equal((about["context_id"], about["has_context_for_goal_suggestions"]), (goal["id"], True), "the button")
    felt = await app.post(MOODS, mood(now, -0.4, ["tired"]), MOOD)
    about = await app.post(CHATS, {
        "persona": "nutritionist", "context_type": "mood", "context_id": felt["id"]}, CHAT)
    expect_equal(about["has_context_for_goal_suggestions"], False, "the button")


async def lume_offline(teller):
    app = await Device(teller).sign_up()
    now = await app.now()
    step("five moods and three entries of a day without a network are each posted once")
    moods, diary = Outbox(MOODS, MOOD), Outbox(DIARY, JOURNAL)
    for hours in range(9, -1, -2):
        moods.add(mood(now - timedelta(hours=hours), hours / 10, notes=f"{hours} hours ago"))
    for hours, content in ((8, "Up early."), (4, "Lunch by the lake."), (1, "Ran around the lake.")):
        diary.add(entry(now - timedelta(hours=hours), content, tags=["day"]))
    expect_equal((len(await moods.sync(app)), moods.posts), (5, 5), "the moods and their posts")
    expect_equal((len(await diary.sync(app)), diary.posts), (3, 3), "the entries and their posts")

    step("the lists give them back, latest first and without duplicates")
    everything = "limit=100&offset=0"
    answer = await app.get(f"{MOODS}?{everything}", MOOD_LIST)
    moods.expect_in(answer["entries"])
    expect_equal((answer["total"], answer["has_more"]), (5, False), "the totals")
    expect_equal(answer["entries"][0]["logged_at"], whole(now - timedelta(hours=1)), "the latest time")
    diary.expect_in((await app.get(f"{DIARY}?{everything}", JOURNAL_LIST))["entries"])
    for offset in range(5):
        page = await app.get(f"{MOODS}?limit=1&offset={offset}", MOOD_LIST)
        expect_equal((page["entries"], page["has_more"]), ([answer["entries"][offset]], offset < 4), "a page")
    start, end = whole(now - timedelta(hours=5)), whole(now - timedelta(hours=3))
    found = await app.get(f"{MOODS}?from={start}&to={end}", MOOD_LIST)
    expect_equal([each["notes"] for each in found["entries"]], ["3 hours ago", "5 hours ago"],
                 "a range, its ends included")
    await app.refused(400, "GET", f"{MOODS}?from=yesterday", word="from")

    step("the journal is searched, and listed by tag and kind")
    for query, count in (("LAKE", 2), ("lake+ran", 1), ("lake+early", 0), ("%22the+lake%22", 2), ("%22lake+the%22", 0),
                         ("day", 3)):
        found = await app.get(f"{DIARY}/search?q={query}&limit=20&offset=0", JOURNAL_FOUND)
        expect_equal((len(found["results"]), found["total"]), (count, count), f"what {query} finds")
    for query, count in (("tags=day,night", 3), ("tags=night", 0), ("entry_type=freeform", 3), ("entry_type=meal", 0),
                         ("favorites_only=true", 0)):
        found = await app.get(f"{DIARY}?{query}", JOURNAL_LIST)
        expect_equal(found["total"], count, f"the entries with {query}")
    for query in ("", "?q=", "?q=%20", "?q=%22", "?q=%22%22"):
        await app.refused(400, "GET", f"{DIARY}/search{query}", word="q")


async def lume_second_device(teller):
    app = await Device(teller).sign_up()
    now = await app.now()
    felt = await app.post(MOODS, mood(now, 0.5, notes="Long"), MOOD)
    written = await app.post(DIARY, entry(now, "First."), JOURNAL)
    other = await app.another()

    step("another device of the same user sees all of it, edits it, and the first one sees that")
    expect_equal((await other.get(MOODS, MOOD_LIST))["entries"], [felt], "the moods")
    expect_equal((await other.get(DIARY, JOURNAL_LIST))["entries"], [written], "the journal")
    changed = await other.put(f"{MOODS}/{felt['id']}", mood(now, -0.25, ["sad", "tired"], []), MOOD)
    expect_equal((changed["valence"], changed["labels"], changed.get("notes"), changed["created_at"]),
                 (-0.25, ["sad", "tired"], None, felt["created_at"]), "a mood that was replaced")
    expect_equal((await app.get(MOODS, MOOD_LIST))["entries"], [changed], "the moods")
    changed = await other.put(f"{DIARY}/{written['id']}", entry(now, "Second.", is_favorite=True), JOURNAL)
    expect_equal((await app.get(f"{DIARY}?favorites_only=true", JOURNAL_LIST))["entries"], [changed], "the favourites")
    await other.refused(400, "PUT", f"{DIARY}/{written['id']}", entry(now, ""), "content")

    step("another user sees none of it")
    stranger = await app.stranger()
    for path in (MOODS, DIARY):
        expect_equal((await stranger.get(path, {"total": int}))["total"], 0, f"a stranger's {path}")
    for path, body in ((f"{MOODS}/{felt['id']}", mood(now, 1)), (f"{DIARY}/{written['id']}", entry(now, "Mine."))):
        await stranger.refused(404, "PUT", path, body)
        await stranger.refused(404, "DELETE", path)

    step("what is deleted there is gone here")
    await other.delete(f"{MOODS}/{felt['id']}")
    await other.delete(f"{DIARY}/{written['id']}")
    expect_equal((await app.get(MOODS, MOOD_LIST))["total"], 0, "the moods")
    expect_equal((await app.get(DIARY, JOURNAL_LIST))["total"], 0, "the journal")


async def lume_insights(teller):
    app = await Device(teller).sign_up()
    now = await app.now()
    for days in range(3):
        await app.post(MOODS, mood(now - timedelta(days), 0.2), MOOD)
    await app.post(DIARY, entry(now - timedelta(1), "Well."), JOURNAL)

    step("an insight of each kind, as asked for, over the days that were asked for")
    start, end = now - timedelta(2), now
    made = {}
    for kind in INSIGHT_TYPES:
        made[kind] = await app.post(f"{INSIGHTS}/generate/wellness", {
            "insight_type": kind, "period_start": whole(start), "period_end": whole(end)}, INSIGHT)
        expect_equal((made[kind]["insight_type"], made[kind]["is_read"], made[kind]["is_archived"]),
                     (kind, False, False), "the insight")
        expect_equal((whole(read(made[kind]["period_start"])), whole(read(made[kind]["period_end"]))),
                     (whole(start), whole(end)), "the period")
        expect_equal((made[kind]["metrics"]["mood_entries_count"], made[kind]["metrics"]["journal_entries_count"]),
                     (3, 1), "what it is made of")
    for wrong in ({}, {"insight_type": "wellness"}, {"insight_type": "daily", "period_start": "monday"}):
        await app.refused(400, "POST", f"{INSIGHTS}/generate/wellness", wrong)
    today = await app.post(f"{INSIGHTS}/generate/wellness", {"insight_type": "daily"}, INSIGHT)
    expect_equal((today["period_start"][10:], today["period_end"][10:19]), ("T00:00:00.000Z", "T23:59:59"), "today")

    async def listed(query, count):
        answer = await app.get(f"{INSIGHTS}?{query}", INSIGHT_LIST)
        expect_equal(answer["total"], count, f"the insights with {query}")
        return answer

    async def unread(count):
        expect_equal((await app.get(f"{INSIGHTS}/unread/count", UNREAD))["count"], count, "the unread insights")

    step("lists: pages, kinds, periods and order")
    answer = await listed("limit=4&offset=0", 6)
    expect_equal((len(answer["insights"]), answer["has_more"], answer["total_pages"]), (4, True, 2), "the first page")
    expect_equal((await listed("limit=4&offset=4", 6))["has_more"], False, "has_more of the last page")
    await listed("insight_type=daily", 2)
    await listed("insight_type=monthly", 1)
    await listed(f"period_from={whole(start)}&period_to={whole(end)}", 5)
    await listed(f"period_from={day(start)}", 6)
    await listed(f"period_from={whole(end + timedelta(2))}", 0)
    for order in ("asc", "desc"):
        answer = await listed(f"sort_by=period_start&sort_order={order}", 6)
        times = [each["period_start"] for each in answer["insights"]]
        expect_equal(times, sorted(times, reverse=order == "desc"), f"the order {order}")
    for wrong in ("sort_by=title", "sort_order=up", "insight_type=wellness", "archived_status=maybe"):
        await app.refused(400, "GET", f"{INSIGHTS}?{wrong}", word=wrong.split("=")[0])

    step("read, favourite, archive: with ids in upper case, each as often as one likes")
    await unread(6)
    path = f"{INSIGHTS}/{made['weekly']['id'].upper()}"
    for _ in range(2):
        await app.post(f"{path}/read", None, DONE, status=200)
    await unread(5)
    await listed("read_status=false", 5)
    await listed("read_status=true", 1)
    for wanted in (True, False, True):
        turned = await app.post(f"{path}/favorite", None, FAVORITE, status=200)
        expect_equal(turned["is_favorite"], wanted, "the favourite")
    answer = await listed("favorites_only=true", 1)
    expect_equal(answer["insights"][0]["id"], made["weekly"]["id"], "the favourite")
    await listed("favorites_only=false", 6)
    for _ in range(2):
        await app.post(f"{path}/archive", None, DONE, status=200)
    for query, count in (("", 5), ("archived_status=false", 5), ("archived_status=true", 1)):
        await listed(query, count)
    for _ in range(2):
        await app.post(f"{path}/unarchive", None, DONE, status=200)
    await listed("", 6)
    for action in ("read", "favorite", "archive", "unarchive"):
        await app.refused(404, "POST", f"{INSIGHTS}/{UNKNOWN_ID}/{action}")
    await app.delete(path)
    await listed("", 5)


async def lume_backfill(teller):
    app = await Device(teller).sign_up()
    now = await app.now()
    step("30 days of moods from HealthKit")
    moods = Outbox(MOODS, MOOD)
    for days in range(29, -1, -1):
        moods.add(mood(
            now - timedelta(days), round(0.9 - days * 0.06, 2), ["calm", "happy"] if days % 2 else ["tired"],
            ["work"] if days % 3 else ["work", "fitness"], source="healthkit", source_id=f"sample-{days}"))
    await moods.sync(app)
    expect_equal(moods.posts, 30, "the posts")
    expect(all(each["is_healthkit"] for each in moods.synced), "moods from HealthKit", moods.synced)
    await app.post(MOODS, mood(now - timedelta(40), -1), MOOD)

    step("the app reads all of it: the last 30 days unless it says otherwise")
    answer = await app.get(f"{MOODS}?limit=100", MOOD_LIST)
    moods.expect_in(answer["entries"])
    expect_equal(len((await app.get(MOODS, MOOD_LIST))["entries"]), 30, "the moods of a page of 50")
    older = await app.get(f"{MOODS}?from={day(now - timedelta(41))}&to={day(now)}&limit=100", MOOD_LIST)
    expect_equal((older["total"], older["entries"][-1]["valence"]), (31, -1), "the moods of 42 days")
    expect_equal((await app.get(f"{MOODS}?source=healthkit", MOOD_LIST))["total"], 30, "the moods from HealthKit")
    await app.refused(400, "PUT", f"{MOODS}/{moods.synced[0]['id']}", mood(now, 1))

    step("what the charts show is what the moods say")
    span = f"from={day(now - timedelta(29))}&to={day(now)}"
    found = await app.get(f"{MOODS}/analytics?{span}&include_daily_breakdown=true&top_labels_limit=2", ANALYTICS)
    valences = [each["valence"] for each in moods.synced]
    near(found["summary"], {"total_entries": 30, "average_valence": sum(valences) / 30, "days_with_entries": 30,
                            "logging_consistency": 1})
    expect_equal(found["period"], {
        "start_date": day(now - timedelta(29)), "end_date": day(now), "total_days": 30}, "the period")
    expect_equal(found["trends"]["trend_direction"], "improving", "the trend")
    weeks = {}
    for each in moods.synced:
        time = read(each["logged_at"])
        weeks.setdefault(day(time - timedelta(time.weekday())), []).append(each["valence"])
    near(found["trends"]["weekly_averages"], [
        {"week_start": week, "average_valence": sum(values) / len(values)} for week, values in weeks.items()])
    labels = Counter(label for each in moods.synced for label in each["labels"])
    expect_equal(labels["calm"], 15, "the days that were calm")
    expect_equal(len(found["top_labels"]), 2, "the labels")
    for each in found["top_labels"]:
        near(each, {"label": each["label"], "count": 15, "percentage": 0.5})
    near(found["top_associations"], [
        {"association": name, "count": len(values), "percentage": len(values) / 30,
         "average_valence": sum(values) / len(values)}
        for name in ("work", "fitness")
        for values in [[each["valence"] for each in moods.synced if name in each["associations"]]]])
    expect_equal([each["date"] for each in found["daily_aggregates"]],
                 [day(now - timedelta(days)) for days in range(29, -1, -1)], "the days")
    near(found["daily_aggregates"][-1], {
        "date": day(now), "entry_count": 1, "average_valence": 0.9, "min_valence": 0.9, "max_valence": 0.9,
        "most_common_labels": [{"label": "tired", "count": 1}]})
    found = await app.get(f"{MOODS}/analytics?{span}", ANALYTICS)
    expect(found.get("daily_aggregates") is None, "days only if they are asked for", found)
    for wrong, word in ((f"to={day(now)}", "from"), (f"from={day(now)}", "to"),
                        (f"from={day(now)}&to={day(now - timedelta(1))}", "from"),
                        (f"{span}&top_labels_limit=21", "top_labels_limit")):
        await app.refused(400, "GET", f"{MOODS}/analytics?{wrong}", word=word)


def near(value, wanted, what="the analysis"):
    """Checks that a value is as expected, with numbers to the sixth digit."""
    if isinstance(wanted, dict):
        for name, each in wanted.items():
            near(value[name], each, f"{what}.{name}")
    elif isinstance(wanted, list):
        expect_equal(len(value), len(wanted), f"the number of {what}")
        for got, each in zip(value, wanted):
            near(got, each, what)
    elif isinstance(wanted, str):
        expect_equal(value, wanted, what)
    else:
        expect(abs(value - wanted) < 1e-6, f"{what} to be {wanted}", value)


async def lume_deletion(teller):
    app = await Device(teller).sign_up()
    now = await app.now()
    felt = await app.post(MOODS, mood(now, 0.5), MOOD)
    await app.post(DIARY, entry(now, "Last."), JOURNAL)
    made = await app.post(f"{INSIGHTS}/generate/wellness", {"insight_type": "weekly"}, INSIGHT)
    await app.post(CHATS, {"persona": "nutritionist"}, CHAT)
    step("the account goes with everything in it, and the address begins anew")
    await app.leave()
    for path, shape, name in ((MOODS, MOOD_LIST, "entries"), (DIARY, JOURNAL_LIST, "entries"),
                              (INSIGHTS, INSIGHT_LIST, "insights"), (CHATS, CHAT_LIST, "consultations")):
        expect_equal((await app.get(path, shape))[name], [], f"{path} of the new account")
    expect_equal((await app.get(f"{INSIGHTS}/unread/count", UNREAD))["count"], 0, "the unread insights")
    await app.refused(404, "PUT", f"{MOODS}/{felt['id']}", mood(now, 1))
    await app.refused(404, "POST", f"{INSIGHTS}/{made['id']}/read")


async def lume_returning_user(teller):
    """With the scenario `app-returning-user`."""
    app = await Device(teller, credentials=RETURNING).log_in()
    now = await app.now()
    step("the charts of a month have no gap, and runs make calm")
    moods = (await app.get(f"{MOODS}?limit=100", MOOD_LIST))["entries"]
    expect_equal(len({day(read(each["logged_at"])) for each in moods}), 30, "the days with a mood")
    expect({each["source"] for each in moods} == {"manual", "healthkit"}, "moods of both sources", moods)
    span = f"from={day(now - timedelta(29))}&to={day(now)}"
    found = await app.get(f"{MOODS}/analytics?{span}&include_daily_breakdown=true", ANALYTICS)
    expect(found["summary"]["logging_consistency"] > 0.9, "a streak", found["summary"])
    expect_equal(found["trends"]["trend_direction"], "improving", "the trend")
    averages = {each["association"]: each["average_valence"] for each in found["top_associations"]}
    expect(averages["fitness"] > averages["work"] + 0.3, "more joy in fitness than in work", averages)

    step("the journal, and insights of each kind, some of them unread")
    diary = await app.get(f"{DIARY}?limit=100", JOURNAL_LIST)
    favorites = await app.get(f"{DIARY}?favorites_only=true", JOURNAL_LIST)
    expect(0 < favorites["total"] < diary["total"], "favourites among other entries", diary)
    expect((await app.get(f"{DIARY}/search?q=lake", JOURNAL_FOUND))["total"], "something to find", diary)
    insights = (await app.get(f"{INSIGHTS}?limit=100", INSIGHT_LIST))["insights"]
    expect_equal({each["insight_type"] for each in insights}, set(INSIGHT_TYPES), "the kinds of insights")
    unread = [each for each in insights if not each["is_read"]]
    expect_equal((await app.get(f"{INSIGHTS}/unread/count", UNREAD))["count"], len(unread), "the unread insights")
    expect(0 < len(unread) < len(insights), "read and unread insights", insights)
    for query in ("favorites_only=true", "archived_status=true"):
        expect((await app.get(f"{INSIGHTS}?{query}", INSIGHT_LIST))["total"], f"insights with {query}", insights)
    for each in insights:
        start, end = (read(each[name]) for name in ("period_start", "period_end"))
        count = sum(start <= read(one["logged_at"]) <= end for one in moods)
        expect_equal(each["metrics"]["mood_entries_count"], count, f"the moods of {each['title']}")
        count = sum(start <= read(one["logged_at"]) <= end for one in diary["entries"])
        expect_equal(each["metrics"]["journal_entries_count"], count, f"the entries of {each['title']}")

    step("the coach suggests goals in a chat that goes on")
    chats = (await app.get(f"{CHATS}?status=active", CHAT_LIST))["consultations"]
    able = [each for each in chats if each["has_context_for_goal_suggestions"]]
    expect(able, "a chat with the button", chats)
    suggested = await app.post(f"{CHATS}/{able[0]['id'].upper()}/suggest-goals", {}, SUGGESTED, status=200)
    expect(suggested["suggestions"], "suggestions", suggested)
