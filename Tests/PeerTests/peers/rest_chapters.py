"""A client without a socket."""

from facts import CONTEXTS, MOST_ACTIVE, PERSONAS, UNKNOWN_ID, expect, expect_equal, step


async def rest(teller):
    path = "/api/v1/consultations"
    step("create, then again: 409 with the existing id")
    first = await teller.create()
    answer = await teller.ask(409, "POST", path, {"persona": "nutritionist"})
    expect_equal(answer["error"]["code"], "CONSULTATION_EXISTS", "the code")
    details = answer["error"]["details"]
    expect_equal(details["existing_consultation_id"], first, "the existing id")
    expect_equal(details["can_continue"], True, "can_continue")

    step("fetch it in upper case (404 and the hint), then in lower case")
    answer = await teller.ask(404, "GET", f"{path}/{first.upper()}")
    expect(first in answer["error"]["message"], "the lower-case id in the message", answer)
    answer = await teller.ask(200, "GET", f"{path}/{first}")
    data = answer["data"]
    expect_equal((data["id"], data["persona"], data["status"]), (first, "nutritionist", "active"), "the consultation")
    expect_equal(data["consultation"]["id"], first, "data.consultation.id")
    expect_equal((answer["id"], answer["persona"]["id"]), (first, "nutritionist"), "the camelCase side")

    step(f"{MOST_ACTIVE} contexts, then 429; 409 still goes before it")
    wishes = [(persona, context) for context in CONTEXTS for persona in PERSONAS]
    ids = [first] + [await teller.create(p, context_type=c) for p, c in wishes[1:MOST_ACTIVE]]
    persona, context = wishes[MOST_ACTIVE]
    wish = {"persona": persona, "context_type": context}
    answer = await teller.ask(429, "POST", path, wish)
    expect_equal(answer["error"]["code"], "TOO_MANY_ACTIVE_CONSULTATIONS", "the code")
    expect(str(MOST_ACTIVE) in answer["error"]["message"], "the limit in the message", answer)
    await teller.ask(409, "POST", path, {"persona": "nutritionist"})

    step("archive one, twice the same, then 201")
    answer = await teller.ask(200, "POST", f"{path}/{first}/archive")
    expect_equal((answer["data"]["status"], answer["data"]["is_archived"]), ("archived", True), "archived")
    again = await teller.ask(200, "POST", f"{path}/{first}/archive")
    expect_equal(again, answer, "archiving again")
    ids.append((await teller.ask(201, "POST", path, wish))["data"]["id"])

    step("list: pages and filters")
    listed, page = [], 1
    while True:
        data = (await teller.ask(200, "GET", f"{path}?page={page}&page_size=4"))["data"]
        listed += [item["id"] for item in data["consultations"]]
        expect_equal(data["pagination"]["total_count"], len(ids), "total_count")
        expect_equal(data["pagination"]["has_prev"], page > 1, "has_prev")
        if not data["pagination"]["has_next"]:
            break
        page += 1
    expect_equal((page, sorted(listed)), (3, sorted(ids)), "the pages' ids")
    for query, wanted in [
        ("is_archived=true", [first]),
        ("persona=fitness_coach&context_type=general", [ids[1]]),
        ("persona=nutritionist&is_archived=false&context_type=general", []),
        ("page=99", []),
    ]:
        data = (await teller.ask(200, "GET", f"{path}?{query}"))["data"]
        expect_equal([item["id"] for item in data["consultations"]], wanted, query)
    for query in ["page=0", "page_size=101", "is_archived=maybe", "persona=astrologer"]:
        answer = await teller.ask(400, "GET", f"{path}?{query}")
        expect(query.split("=")[1] in answer["error"]["message"], "the value in the message", answer)

    step("quick actions")
    for persona in PERSONAS:
        for context in [*CONTEXTS, "goal"]:
            data = (await teller.ask(200, "GET", f"{path}/quick-actions?persona={persona}&context_type={context}"))[
                "data"]
            actions = data["quick_actions"]
            expect(actions and data["count"] == len(actions), f"actions for {persona}, {context}", data)
            for action in actions:
                expect_equal(action["context_type"], context, "context_type")
                expect(action.get("persona", persona) == persona and action["prompt"], "a fitting action", action)


async def refusals(teller):
    path = "/api/v1/consultations"
    step("a body of the wrong shape: 400 that names the field, the value and what is allowed")
    for body, words in [
        ({}, ["persona", "nutritionist"]),
        ({"persona": "astrologer"}, ["persona", "astrologer", "nutritionist"]),
        ({"persona": 7}, ["persona", "7"]),
        ({"persona": "nutritionist", "title": ["x"]}, ["title", "string"]),
        ({"persona": "nutritionist", "context_type": "general", "context_id": "x"}, ["context_id", "x"]),
    ]:
        answer = await teller.ask(400, "POST", path, body)
        for word in words:
            expect(word in answer["error"]["message"], f"{word!r} in the message", answer)
    await teller.ask(404, "POST", path, {"persona": "nutritionist", "goal_id": UNKNOWN_ID})

    step("credentials: none, no key, a wrong key, an expired token, a foreign signature")
    headers = teller.headers
    expired = teller.server.token("expired", "--expires-in=-5m")
    foreign = teller.server.token("foreign", "--jwt-secret", "another")
    for given in [
        {}, {"Authorization": headers["Authorization"]}, {"X-API-Key": headers["X-API-Key"]},
        {**headers, "X-API-Key": "wrong"}, {**headers, "Authorization": "Basic eDp5"},
        {**headers, "Authorization": f"Bearer {expired}"}, {**headers, "Authorization": f"Bearer {foreign}"},
    ]:
        await teller.ask(401, "GET", path, headers=given)
    answer = await teller.ask(401, "GET", path, headers={**headers, "Authorization": f"Bearer {expired}"})
    expect("expired" in answer["error"]["message"], "the reason in the message", answer)

    step("another user's consultation does not exist")
    id = await teller.create()
    stranger = teller.server.headers(teller.server.token("stranger"))
    await teller.ask(404, "GET", f"{path}/{id}", headers=stranger)
    await teller.ask(404, "POST", f"{path}/{id}/archive", headers=stranger)
    await teller.refused(404, f"{path}/{id}/ws", stranger, "no consultation")

    step("paths and methods")
    await teller.ask(404, "GET", "/api/v1/consultation")
    await teller.ask(405, "PATCH", f"{path}/{id}")
