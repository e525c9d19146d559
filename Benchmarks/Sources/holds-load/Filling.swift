import FitIQAPI
import MockServer

/// A server that is filled with something up to a limit, and the calls that are made of it then.
struct Filling: Sendable {
    /// What it is full of.
    let name: String
    /// How it is made.
    var configure: @Sendable (inout Engine.Configuration) -> Void = { _ in }
    /// Fills it.
    let fill: @Sendable (Turns) throws -> Void
    /// What is asked, in this order.
    let calls: [Call]
}

/// A call whose longest turn is measured: a row of the table.
struct Call: Sendable {
    let method: String
    let target: String
    var body = ""
    /// Lines for the head, without credentials.
    var fields: [String] = []

    init(_ method: String, _ target: String, _ body: String = "", fields: [String] = []) {
        (self.method, self.target, self.body, self.fields) = (method, target, body, fields)
    }

    func bytes(as user: String = DevelopmentCredentials.userID) -> [UInt8] {
        let token = AccessToken(subject: "\(user)", expiresAt: DevelopmentCredentials.expiresAt)
            .signed(with: Array(DevelopmentCredentials.jwtSecret.utf8))
        var lines = ["\(method) \(target) HTTP/1.1", "Host: localhost"] + fields
        lines += ["Authorization: Bearer \(token)", "X-API-Key: \(DevelopmentCredentials.apiKey)"]
        if !body.isEmpty { lines += ["Content-Type: application/json", "Content-Length: \(body.utf8.count)"] }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
    }
}

extension Filling {
    /// All of them.
    ///
    /// State, its import and what works beside the loop belong here too: a row is a `Call`.
    static let all = [meals, strangers, chats, goals, worlds, faults, manualClock]

    private static let admin = "/__admin/"

    /// 10,000 meals of 1,000 characters: the most entries that a journal keeps, and 24 MiB of them.
    private static let meals = Filling(
        name: "10,000 meals of 1,000 characters", configure: { $0.pace = .instant },
        fill: { turns in
            let text = String(String(repeating: "2 eggs and toast with butter, ", count: 40).prefix(1000))
            let body = #"{"raw_input":"\#(text)","meal_type":"lunch"}"#
            try turns.fill(10_000, Call("POST", "/api/v1/meal-logs/natural", body), users: 16)
        },
        calls: [
            Call("GET", admin + "journal"), Call("GET", admin + "requests?limit=1000"),
            Call("GET", admin + "requests?path=/nowhere"), Call("GET", admin + "requests/unmatched"),
            Call("GET", admin + "frames?type=pong"), Call("GET", admin + "verdicts"),
            Call("GET", admin + "events", fields: ["Last-Event-ID: 0"]), Call("GET", admin + "state"),
            Call("DELETE", admin + "journal"), Call("POST", admin + "reset", "{}"),
        ])

    /// 10,000 requests that no operation answers: near misses are looked for when they are written.
    private static let strangers = Filling(
        name: "10,000 unmatched requests",
        fill: { turns in
            let path = "/api/v1/consultatoins/" + String(repeating: "abcdefghij/", count: 8)
            try turns.fill(10_000, Call("GET", path), expecting: 404)
        },
        calls: [
            Call("GET", admin + "journal"), Call("GET", admin + "requests/unmatched?limit=1000"),
            Call("GET", admin + "verdicts"),
        ])

    /// 500 refused requests of 60 KiB: the largest entries, all of them evidence for somebody.
    private static let chats = Filling(
        name: "500 bad requests of 60 KiB",
        fill: { turns in
            let text = String(repeating: "\\u0001", count: 10_000)
            try turns.fill(500, Call("POST", "/api/v1/goals", #"{"title":"\#(text)"}"#), expecting: 400)
        },
        calls: [
            Call("GET", admin + "journal"), Call("GET", admin + "requests?limit=1000"), Call("GET", admin + "verdicts"),
        ])

    /// The most goals of a user, with long texts.
    private static let goals = Filling(
        name: "1,000 goals of 50 KB",
        fill: { turns in
            let text = String(repeating: "👨‍👩‍👧‍👦", count: 2000)
            let body = #"{"title":"Run","description":"\#(text)","targetDate":"2030-01-01T00:00:00Z"}"#
            try turns.fill(1000, Call("POST", "/api/v1/goals", body), expecting: 201)
        },
        calls: [Call("GET", "/api/v1/goals"), Call("GET", admin + "state"), Call("POST", admin + "reset", "{}")])

    /// As many worlds as there may be.
    private static let worlds = Filling(
        name: "12,000 worlds",
        fill: { turns in try turns.fill(11_999, Call("POST", admin + "worlds", "{}"), expecting: 201) },
        calls: [
            Call("GET", admin + "worlds"), Call("GET", admin + "worlds/w7"), Call("DELETE", admin + "worlds/w7"),
            Call("GET", admin + "health"),
        ])

    /// As many fault rules as there may be.
    private static let faults = Filling(
        name: "1,000 fault rules",
        fill: { turns in
            let rule = #"{"on":"GET /api/v1/goals","requests":"1..2","status":503}"#
            try turns.fill(1000, Call("POST", admin + "faults", rule), expecting: 201)
        },
        calls: [Call("GET", admin + "faults"), Call("DELETE", admin + "faults/live-500")])

    /// A clock that is moved by hand as far as one call may, while sockets are open that are pinged.
    private static let manualClock = Filling(
        name: "200 sockets, clock by hand", configure: { $0.clock = .manual },
        fill: { turns in
            for number in 0..<200 {
                let user = "user-\(number)"
                let id = turns.open()
                let created = turns.exchange(
                    Call("POST", "/api/v1/consultations", #"{"persona":"nutritionist"}"#).bytes(as: user), on: id)
                let text = created.text
                guard let start = text.firstRange(of: "\"data\":{\"id\":\"") else { throw Unexpected(text) }
                let consultation = text[start.upperBound...].prefix(36)
                let handshake = Call(
                    "GET", "/api/v1/consultations/\(consultation)/ws",
                    fields: [
                        "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
                        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                    ])
                let opened = turns.exchange(handshake.bytes(as: user), on: id)
                guard opened.status == 101 else { throw Unexpected(opened.text) }
            }
        },
        calls: [
            Call("POST", admin + "clock", #"{"advance":"1h"}"#), Call("POST", admin + "clock", #"{"advance":"8784h"}"#),
        ])
}

struct Unexpected: Error, CustomStringConvertible {
    let description: String
    init(_ text: String) { description = "holds-load: an unexpected answer: \(text.prefix(400))" }
}

extension Turns {
    /// Makes a call many times, in the name of so many users by turns.
    func fill(_ count: Int, _ call: Call, users: Int = 1, expecting status: Int = 201) throws {
        let requests = (0..<users).map { call.bytes(as: users == 1 ? DevelopmentCredentials.userID : "user-\($0)") }
        let id = open()
        for number in 0..<count {
            let answer = exchange(requests[number % users], on: id)
            guard answer.status == status else { throw Unexpected(answer.text) }
        }
    }
}
