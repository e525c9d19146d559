import FitIQAPI
import HTTP1
import JSON
import Testing
import Traffic
import WebSocket

@testable import ContractSuite

@Suite("Faults from a recording")
struct RecordedScheduleTests {
    /// A session that is built entry by entry, with a second between entries.
    struct Recording {
        var entries: [JournalEntry] = []

        mutating func add(_ event: JournalEvent, on connection: UInt64) {
            entries.append(JournalEntry(number: entries.count + 1, time: now, connection: connection, event: event))
        }

        private var now: Timestamp { Timestamp(secondsSinceEpoch: 1000 + Int64(entries.count)) }

        private func exchange(
            _ endpoint: Endpoint, of id: String, _ status: Int?, _ answer: String = "", body: String = "",
            fields: String = "", delivery: Delivery = .complete, late: Int64 = 0
        ) throws -> RecordedExchange {
            let path = endpoint.template.replacing("{id}", with: id)
            let upgrade = endpoint.isSocket ? "Connection: Upgrade\r\nUpgrade: websocket\r\n" : ""
            return RecordedExchange(
                head: try RequestHead("\(endpoint.method.rawValue) \(path)", upgrade), body: Array(body.utf8),
                requestedAt: now.advanced(byNanoseconds: -late * 1_000_000_000),
                endpoint: endpoint, status: status, responseFields: .encoded(Array(fields.utf8)),
                responseBody: Array(answer.utf8), delivery: delivery)
        }

        mutating func asked(
            _ endpoint: Endpoint, _ status: Int?, _ answer: String = "", body: String = "", fields: String = "",
            delivery: Delivery = .complete, late: Int64 = 0
        ) throws {
            let exchange = try exchange(
                endpoint, of: "1", status, answer, body: body, fields: fields, delivery: delivery, late: late)
            add(.exchange(exchange), on: 1)
        }

        /// Opens a chat's socket on a new connection, connected by default.
        mutating func opened(
            _ connection: UInt64 = 100, of consultation: String = "a", late: Int64 = 0, isConnected: Bool = true
        ) throws {
            add(.opened(try exchange(.webSocket, of: consultation, 101, late: late)), on: connection)
            if isConnected { says(#"{"type":"connected"}"#, on: connection) }
        }

        mutating func says(_ text: String, by party: Party = .server, on connection: UInt64 = 100) {
            add(.frame(RecordedFrame(text, by: party)), on: connection)
        }

        /// Adds a question and the part of its answer that was recorded.
        mutating func question(
            _ text: String = "Why?", answer: [String] = [], isComplete: Bool = false, isReceived: Bool = true,
            on connection: UInt64 = 100
        ) {
            says(#"{"type":"message","content":"\#(text)"}"#, by: .client, on: connection)
            if isReceived { says(#"{"type":"message_received"}"#, on: connection) }
            for chunk in answer { says(#"{"type":"stream_chunk","content":"\#(chunk)"}"#, on: connection) }
            if isComplete { says(#"{"type":"stream_complete"}"#, on: connection) }
        }

        mutating func closed(
            by party: Party = .server, _ cause: RecordedClosing.Cause, code: UInt16? = nil, on connection: UInt64 = 100
        ) {
            let sent = CloseSummary.Frame(code: code.flatMap { CloseCode(rawValue: $0) })
            add(.closed(RecordedClosing(by: party, cause: cause, summary: CloseSummary(sent: sent))), on: connection)
        }
    }

    private static let chat = "/api/v1/consultations/{id}/ws"
    private static let meal = #"{"id":"m1","status":"processing"}"#

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let schedule: [String]
        let session: @Sendable (inout Recording) throws -> Void

        init(_ name: String, _ schedule: [String], session: @escaping @Sendable (inout Recording) throws -> Void) {
            (testDescription, self.schedule, self.session) = (name, schedule, session)
        }
    }

    private static let table: [Row] = [
        Row("nothing", []) { try $0.asked(.listGoals, 200) },
        Row(
            "refused and failed requests",
            ["recorded-status-409@POST /api/v1/goals 1", "recorded-status-599@GET /api/v1/goals 2"]
        ) {
            try $0.asked(.listGoals, 200)
            try $0.asked(.createGoal, 409)
            try $0.asked(.listGoals, 599)
        },
        Row("a lost answer", ["lost-answer@GET /api/v1/goals 1"]) { try $0.asked(.listGoals, nil, delivery: .none) },
        Row("a truncated one", ["truncated@GET /api/v1/goals 1"]) {
            try $0.asked(.listGoals, 200, "{", delivery: .partial)
        },
        Row("a late one", ["slow(3s)@GET /api/v1/goals 1"]) { try $0.asked(.listGoals, 200, late: 3) },
        Row("one a second late", ["slow(1s)@GET /api/v1/goals 1"]) { try $0.asked(.listGoals, 200, late: 1) },
        Row(
            "requests whose answers overtook each other",
            ["recorded-status-500@GET /api/v1/goals 2", "slow(5s)@GET /api/v1/goals 1"]
        ) {
            try $0.asked(.listGoals, 500)
            try $0.asked(.listGoals, 200, late: 5)
        },
        Row(
            "handshakes: refused, reset, late, and one that ended before it said anything",
            [
                "shake-late(4s)@handshake \(chat) 1", "recorded-shake-429@handshake \(chat) 2",
                "shake-reset@handshake \(chat) 3", "shake-reset@handshake \(chat) 4",
            ]
        ) {
            try $0.opened(late: 4)
            try $0.asked(.webSocket, 429)
            try $0.asked(.webSocket, nil, delivery: .none)
            try $0.opened(101, isConnected: false)
            $0.closed(.finish, on: 101)
        },
        Row(
            "a close code, none, and one that no kind has",
            [
                "close-1011@frame \(chat) 1 connected 1", "close-none@frame \(chat) 2 connected 1",
                "close-4000@frame \(chat) 3 connected 1",
            ]
        ) {
            for (connection, code) in [(100, 1011), (101, nil), (102, 4321)] as [(UInt64, UInt16?)] {
                try $0.opened(connection)
                $0.closed(.closeFrame, code: code, on: connection)
            }
        },
        Row(
            "a reset in the middle of the second answer",
            ["recorded-answer@question 1", "recorded-answer@question 2", "reset@chunk \(chat) 1 2 2"]
        ) {
            try $0.opened()
            $0.question(answer: ["So.", "And so."], isComplete: true)
            $0.question(answer: ["Then"])
            $0.closed(.reset)
        },
        Row(
            "a question that was not received",
            ["recorded-answer@question 1", "finish@frame \(chat) 1 message_received 1"]
        ) {
            try $0.opened()
            $0.question(isReceived: false)
            $0.closed(.finish)
        },
        Row("an end behind a frame; what the client ends is no fault", ["end-finish@after \(chat) 1 connected 1"]) {
            try $0.opened()
            $0.closed(.finish)
            try $0.opened(101)
            $0.closed(by: .client, .reset, on: 101)
        },
        Row("the coach's error in the middle of an answer", ["recorded-error@question 1"]) {
            try $0.opened()
            $0.question(answer: ["One moment"])
            $0.says(#"{"type":"error","error":"Too busy."}"#)
        },
        Row("an answer that the recording does not see to its end", ["recorded-answer@question 1"]) {
            try $0.opened()
            $0.question(answer: ["One"])
        },
        Row("a question whose answer has not begun when the recording ends", ["recorded-answer@question 1"]) {
            try $0.opened()
            $0.question()
        },
        Row(
            "questions of two consultations are counted apart, and told apart by their words",
            [
                #"recorded-answer@question 1 "Why?""#, #"recorded-answer@question 1 "How?""#,
                #"recorded-answer@question 2 "When?""#,
            ]
        ) {
            try $0.opened()
            try $0.opened(101, of: "b")
            $0.question(answer: ["So."], isComplete: true)
            $0.question("How?", answer: ["Well."], isComplete: true, on: 101)
            $0.question("/When?", answer: ["Now."], isComplete: true)
        },
        Row(
            "a meal that failed, as a request shows it and as a frame does",
            [#"recorded-failure@meal "2 eggs""#, #"recorded-failure@meal "1 pear""#]
        ) {
            try $0.asked(.createMealLog, 201, meal, body: #"{"raw_input":"2 eggs"}"#)
            try $0.asked(.showMealLog, 200, #"{"data":{"id":"m1","status":"failed","error_message":"No."}}"#)
            try $0.asked(.createMealLog, 201, meal.replacing("m1", with: "m2"), body: #"{"raw_input":"1 pear"}"#)
            try $0.opened()
            $0.says(#"{"type":"meal_log.failed","data":{"id":"m2","error":"No."}}"#)
        },
        Row("a meal whose text would be a pattern has no rule", []) {
            try $0.asked(.createMealLog, 201, meal, body: #"{"raw_input":"/1(/"}"#)
            try $0.asked(.showMealLog, 200, #"{"data":{"id":"m1","status":"failed"}}"#)
        },
    ]

    @Test("Each recorded failure becomes a fault at the matching place", arguments: table)
    func translation(_ row: Row) throws {
        var recording = Recording()
        try row.session(&recording)
        let recorded = RecordedSchedule(recording.entries)
        #expect(recorded.schedule.faults.map(\.description) == row.schedule)
        #expect(recorded.omittedCount == 0)
        // The scenario is playable.
        _ = recorded.schedule.scenario(on: Story.all[0].scenario)
    }

    @Test("Translated errors and answers keep their recorded content")
    func contents() throws {
        var recording = Recording()
        try recording.asked(
            .listGoals, 429, "{\"error\":\"slow\"}", fields: "Retry-After: 7\r\nContent-Type: application/json\r\n")
        try recording.asked(.listGoals, 503, "busy", fields: "retry-after: soon\r\ncontent-type: text/plain\r\n")
        try recording.asked(.listGoals, 700, String(repeating: "a", count: ExploreLimits.recordedBody + 1))
        try recording.opened()
        recording.question(answer: ["One", "", "moment"])
        recording.says(#"{"type":"error","message":""}"#)
        recording.question(answer: ["So."], isComplete: true)
        let rules = RecordedSchedule(recording.entries).schedule.faults.flatMap { $0.rules(named: "a") }
        let expected: [[(String, JSONValue)]] = [
            [("status", 429), ("body", "{\"error\":\"slow\"}"), ("retry_after", 7)],
            [("status", 503), ("body", "busy"), ("content_type", "text/plain")],
            [("status", 599)],
        ]
        for (number, members) in expected.enumerated() {
            let place: JSONObject = [
                "name": "a", "on": "GET /api/v1/goals", "requests": .number(JSONNumber(number + 1)),
            ]
            #expect(rules[number] == .object(JSONObject(Array(place) + members.map { ($0.0, $0.1) })))
        }
        #expect(rules[3]["steps"] == [["chunk": "One"], ["chunk": "moment"], ["error": "The coach is not available."]])
        #expect(rules[4]["chunks"] == ["So."])
    }

    @Test("Recorded statuses below 500 are refusals, and the others are server failures")
    func families() throws {
        var recording = Recording()
        for status in [400, 499, 500] { try recording.asked(.listGoals, status) }
        let faults = RecordedSchedule(recording.entries).schedule.faults
        #expect(faults.map(\.kind.family) == [.refused, .refused, .failed])
    }

    @Test("A recorded schedule has at most 200 faults and counts the rest")
    func limit() throws {
        var recording = Recording()
        for _ in 1...ExploreLimits.recordedFaults { try recording.asked(.listGoals, 500) }
        #expect(RecordedSchedule(recording.entries).omittedCount == 0)
        try recording.asked(.listGoals, 500)
        let recorded = RecordedSchedule(recording.entries)
        #expect(recorded.omittedCount == 1 && recorded.schedule.faults.count == ExploreLimits.recordedFaults)
    }
}
