/// Journals with the most and with the largest entries.
extension Filling {
    static let mealText = String(String(repeating: "2 eggs and toast with butter, ", count: 40).prefix(1000))
    static let meal = Call(
        "POST", "/api/v1/meal-logs/natural", #"{"raw_input":"\#(mealText)","meal_type":"lunch"}"#)

    /// 10,000 meals of 1,000 characters: the most entries that a journal keeps, and 24 MiB of them.
    static let meals = Filling(
        name: "10,000 meals of 1,000 characters", configure: { $0.pace = .instant },
        fill: { try $0.fill(10_000, meal, users: 16) },
        rows: [
            .get("journal"), .get("requests"), .get("requests?limit=1000"), .get("requests?path=/nowhere"),
            .get("requests/unmatched"), .get("frames?type=pong"), .get("verdicts"),
            .get("entries?limit=1000"), .get("entries/5000"), .get("har"),
            .call(
                Call("POST", Row.admin + "mcp", fields: ["MCP-Protocol-Version: 2025-11-25"], label: "traffic") {
                    #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"traffic","arguments":{"limit":20}}}"#
                }),
            .get("events", fields: ["Last-Event-ID: 0"]), .get("state"), .get("worlds/default"), .get("clock"),
            .post("tokens", #"{"user":"somebody"}"#), .delete("journal"), .post("reset", "{}"),
        ])

    /// 10,000 requests that no operation answers; listing them includes the search for near misses.
    static let strangers = Filling(
        name: "10,000 unmatched requests",
        fill: { turns in
            let path = "/api/v1/consultatoins/" + String(repeating: "abcdefghij/", count: 8)
            try turns.fill(10_000, Call("GET", path), expecting: 404)
        },
        rows: [.get("journal"), .get("requests/unmatched?limit=1000"), .get("verdicts"), .get("verdicts")])

    /// A 60 KiB request that the API refuses, which makes it evidence.
    static let badRequest = Call("POST", "/api/v1/goals", label: "60 KiB") {
        #"{"title":"\#(String(repeating: "\\u0001", count: 10_000))"}"#
    }

    /// The largest entries, each of them evidence for a judge.
    static let badRequests = Filling(
        name: "500 bad requests of 60 KiB", fill: { try $0.fill(500, badRequest, expecting: 400) },
        rows: [
            .get("journal"), .get("requests?limit=1000"), .get("verdicts"),
            .get("events", fields: ["Last-Event-ID: 0"]), .post("reset", "{}"),
        ])

    /// The most goals of a user, with the longest texts.
    static let goals = Filling(
        name: "1,000 goals of 16 KB",
        fill: { turns in
            let text = String(repeating: "👨‍👩‍👧‍👦", count: 650)
            let body = #"{"title":"Run","description":"\#(text)","targetDate":"2030-01-01T00:00:00Z"}"#
            try turns.fill(1000, Call("POST", "/api/v1/goals", body), expecting: 201)
        },
        rows: [.call(Call("GET", "/api/v1/goals")), .get("state"), .post("reset", "{}")])

    /// Calls that no limit makes slower, so that each call has a row.
    static let emptyServer = Filling(
        name: "nothing",
        rows: [
            .get(""), .get("health"), .get("openapi.yaml"), .get("scenarios"), .get("scenarios/conflict"),
            .get("script"), .get("clock"), .get("state"),
            .call(Call.handshake(Row.admin + "echo"), status: 101), .post("worlds", "{}"),
            .post("worlds", #"{"scenario":"established-account"}"#),
        ])

    /// Many followers of the journal, and entries of half a megabyte for them.
    static let followers = Filling(
        name: "500 followers of events",
        fill: { turns in
            let follow = Call("GET", Row.admin + "events").bytes()
            for _ in 0..<500 { _ = turns.exchange(follow, on: turns.open()) }
        },
        rows: [
            .get("events"), .call(badRequest, status: 400), .call(Call("GET", "/api/v1/goals")),
            .act("15 s later: each is kept alive") { turns in { turns.fallBehind(nanoseconds: 16_000_000_000) } },
            .post("reset", "{}"), .delete("journal"),
        ])
}
