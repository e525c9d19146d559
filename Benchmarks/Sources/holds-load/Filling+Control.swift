/// Operators' actions, and the end of a server.
extension Filling {
    private static func admin(_ method: String, _ path: String, _ body: String) -> Row {
        .call(Call(method, Row.admin + path, body))
    }

    private static let breakpoint = #"{"name":"stop","on":"request","match":{"endpoint":"GET /api/v1/goals"}}"#

    /// The maximum number of held requests, next to open sockets.
    static let operators = Filling(
        name: "256 held requests, 200 sockets",
        fill: { turns in
            _ = turns.ask(Call("POST", Row.admin + "breakpoints", breakpoint).bytes())
            func hold() { _ = turns.exchange(Call("GET", "/api/v1/goals").bytes(), on: turns.open()) }
            // The first held request is the journal's first entry, on the first connection.
            hold()
            try turns.openSockets(200)
            for _ in 0..<255 { hold() }
        },
        settles: false,
        rows: [
            .get("ui"), .get("metrics"), .get("echo", status: 426), .get("drain"), .get("network"), .get("breakpoints"),
            .get("breakpoints/stop"), .get("held"), .get("held/1"), admin("PATCH", "held/1", #"{"for":"5m"}"#),
            .post("held/1", #"{"action":"continue"}"#),
            .post("held", #"{"action":"continue"}"#), admin("PATCH", "breakpoints/stop", #"{"enabled":false}"#),
            admin("PATCH", "breakpoints", #"{"enabled":true}"#),
            .delete("breakpoints/stop"), .post("breakpoints", breakpoint), .get("sockets"), .get("sockets/2"),
            .post("sockets/2/send", #"{"template":"stream_chunk"}"#), .post("sockets/2/silence", "{}"),
            .post("sockets/2/resume", "{}"), .post("sockets/2/close", "{}"), .post("sockets/3/finish", "{}"),
            .post("sockets/4/reset", "{}"), admin("PUT", "network", #"{"network":"train"}"#),
            .post("check", "{\"text\":\"name: mine\\nseed: many\\n\"}"), .delete("breakpoints"),
        ])

    /// A world that is forked and rewound.
    static let marked = Filling(
        name: "10,000 meals and a mark", configure: { $0.pace = .instant },
        fill: { try $0.fill(10_000, meal, users: 16) },
        rows: [
            .post("marks", #"{"name":"here"}"#), .get("marks"), .post("fork", "{}"), .post("rewind", #"{"to":"here"}"#),
            .delete("marks/here"), .post("drain", "{}"),
        ])
}
