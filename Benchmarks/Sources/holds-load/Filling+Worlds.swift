/// Many worlds, and worlds at their limits.
extension Filling {
    /// The maximum number of worlds.
    static let worlds = Filling(
        name: "12,000 worlds",
        fill: { turns in try turns.fill(11_999, Call("POST", Row.admin + "worlds", "{}"), expecting: 201) },
        rows: [
            .get("worlds"), .get("worlds/w7"), .call(Call("POST", Row.admin + "worlds", "{}"), status: 507),
            .delete("worlds/w7"), .get("health"), .post("worlds", "{}"),
            .act("the system's clock is set an hour forward") { turns in
                { turns.act { engine, now in engine.clockStepped(by: 3_600_000_000_000, at: now) } }
            },
        ])

    /// The server forgets all of them after half an hour.
    static let idleWorlds = Filling(
        name: "8,000 worlds with data",
        fill: { turns in
            try turns.fill(8_000, Call("POST", Row.admin + "worlds", #"{"scenario":"established-account"}"#))
        },
        rows: [
            .act("31 min later: all lay idle, and are forgotten") { turns in
                { turns.pass(nanoseconds: 1_920_000_000_000) }
            }
        ])

    /// The maximum number of fault rules.
    static let faults = Filling(
        name: "1,000 fault rules, 200 sockets",
        fill: { turns in
            try turns.openSockets(200)
            let rule = #"{"on":"GET /api/v1/goals","requests":"1..2","status":503}"#
            try turns.fill(999, Call("POST", Row.admin + "faults", rule), expecting: 201)
        },
        rows: [
            .get("faults"), .post("faults", #"{"on":"socket","at":{"chunk":3},"cut":{"after":5,"reset":true}}"#),
            .get("faults/live-500"), .call(Call("PATCH", Row.admin + "faults/live-1000", #"{"enabled":false}"#)),
            .delete("faults/live-500"), .call(Call("PATCH", Row.admin + "faults", #"{"enabled":false}"#)),
            .call(
                Call("PATCH", Row.admin + "faults", label: "999 names") {
                    let names = (1...1000).filter { $0 != 500 }.map { "\"live-\($0)\"" }
                    return #"{"enabled":true,"names":[\#(names.joined(separator: ","))]}"#
                }),
            .delete("faults"),
            .call(
                Call("POST", Row.admin + "faults", label: "1,000 rules") {
                    let rules = repeatElement(#"{"on":"socket","cut":{"after":5}}"#, count: 1000)
                    return #"{"faults":[\#(rules.joined(separator: ","))]}"#
                }),
            .delete("faults"),
            .call(
                Call("POST", Row.admin + "faults", label: "1,000 breakpoints") {
                    let rules = repeatElement(#"{"on":"socket","hold":"server_to_client"}"#, count: 1000)
                    return #"{"faults":[\#(rules.joined(separator: ","))]}"#
                }),
            .call(Call("PATCH", Row.admin + "breakpoints", #"{"enabled":true}"#)), .delete("breakpoints"),
        ])

    /// A state of goals, a thousand for each user.
    private static func put(_ path: String, users: Int) -> Call {
        Call("PUT", Row.admin + path, label: "\(users) × 1,000 goals") {
            let goals = String(repeating: #"{"title":"a"},"#, count: 1000).dropLast()
            let texts = (0..<users).map { #"{"id":"u\#($0)","goals":[\#(goals)]}"# }
            return #"{"name":"full","users":[\#(texts.joined(separator: ","))]}"#
        }
    }

    /// The maximum number of goals of a world, in thousands.
    private static let room = 190

    /// Creates, exports, replaces, resets and deletes a full world.
    static let fullWorld = Filling(
        name: "190,000 goals, a full world",
        rows: [
            .call(put("state", users: 1200), status: 507), .call(put("state", users: room)), .get("state"),
            .call(put("state", users: room)), .post("reset", "{}"), .get("verdicts"), .get("worlds"),
            .call(put("state", users: 1200), status: 507), .post("worlds", "{}"), .delete("worlds/w1"),
            .post("reset", #"{"scenario":"default"}"#), .post("worlds", #"{"scenario":"default"}"#),
            .call(put("worlds/w2/state", users: room)), .get("worlds/w2/state"), .delete("worlds/w2"),
        ])

    /// As many messages as fit into a world, in consultations of the greatest length.
    private static let manyMessages: String = {
        let consultation = #"{"persona":"nutritionist","status":"archived","made_up_messages":10000}"#
        let consultations = Array(repeating: consultation, count: 7).joined(separator: ",")
        let users = (0..<5).map { #"{"id":"u\#($0)","consultations":[\#(consultations)]}"# }
        return #"{"scenario":{"name":"talk","users":[\#(users.joined(separator: ","))]}}"#
    }()

    private static let manyMessagesLabel = "a scenario of 350,000 messages"

    static let madeUpMessages = Filling(
        name: "350,000 messages, a full world",
        rows: [
            .call(Call("POST", Row.admin + "worlds", label: manyMessagesLabel) { manyMessages }),
            .get("worlds/w1"), .get("worlds/w1/state"), .post("worlds/w1/reset", "{}"),
            .delete("worlds/w1"), .call(Call("POST", Row.admin + "reset", label: manyMessagesLabel) { manyMessages }),
            .post("reset", #"{"scenario":"default"}"#),
        ])
}
