import FitIQAPI
import JSON
import Testing
import Traffic
import WebSocket

@testable import Judging

@Suite("Facts from entries")
struct FactTests {
    /// The first entry of a story, as a request.
    static func request(_ tell: (Story) -> Void) throws -> RequestFact {
        let entry = try #require(Story(tell).journal.entries().first)
        guard case .request(let request) = Fact(entry).kind else { throw RequestError.isNone }
        return request
    }

    enum RequestError: Error { case isNone }

    @Test("Holding or releasing an item does not record a fact about the client")
    func holds() {
        let hold = RecordedHold(
            breakpoint: "b", place: .frame, sender: .client, until: Story.time(30), subject: "text ping")
        let release = RecordedRelease(held: 1, breakpoint: "b", action: .dropped, due: Story.time(0))
        var journal = Journal()
        for event in [.held(hold), .released(release)] as [JournalEvent] {
            journal.record(event, at: Story.time(0), connection: 1)
        }
        for entry in journal.entries() {
            guard case .other = Fact(entry).kind else {
                Issue.record("\(entry.event.kind)")
                continue
            }
        }
        #expect(journal.count == 2)
    }

    @Test("A fact identifies the client by its user, its token's claim or its token")
    func clients() throws {
        #expect(try Self.request { $0.request(.listGoals, at: 0) }.client == "sarah")
        #expect(try Self.request { $0.request(.listGoals, status: 401, at: 0) }.client == "sarah")
        #expect(
            try Self.request { $0.request(.listGoals, status: 401, at: 0, fields: ["Authorization: Bearer x"]) }.client
                == "x")
        #expect(try Self.request { $0.request(.listGoals, status: 401, at: 0, fields: []) }.client == nil)
    }

    @Test("A path that is too short for an id yields no id")
    func shortPaths() throws {
        #expect(try Self.request { $0.request(line: "GET /api/v1/goals", endpoint: .showGoal, at: 0) }.sentID == nil)
        let paths: [(String, ExactString?)] = [
            ("/a", nil), ("/api/v1/consultations", nil), ("/api/v1/consultations/c", "c"),
            ("/api/v1/consultations/c/ws", "c"),
        ]
        for (path, id) in paths {
            let head = try Self.request { $0.request(line: "GET \(path)", endpoint: nil, at: 0) }.exchange.head
            let opening = RecordedOpening(
                head: head, requestedAt: Story.time(0), endpoint: .webSocket, user: "sarah", faults: [])
            let entry = JournalEntry(number: 1, time: Story.time(0), connection: 1, event: .opened(opening))
            #expect(RequestFact(opening, entry, isOpening: true).sentID == id, "\(path)")
        }
    }

    @Test(
        "Facts skip the parsing of long answers that no judge needs",
        arguments: [Endpoint.listMessages, .listQuickActions])
    func unread(_ endpoint: Endpoint) throws {
        #expect(try Self.request { $0.request(endpoint, "c", answer: ["a": 1], at: 0) }.answer == nil)
        #expect(try Self.request { $0.request(.listGoals, answer: ["a": 1], at: 0) }.answer == ["a": 1])
    }

    /// Frames that begin like a server's frame but are not JSON, each with the type that it counts as.
    static let beginnings: [(Party, Opcode, Delivery, [String], String?)] = [
        (.server, .text, .complete, [], "pong"), (.client, .text, .complete, [], nil),
        (.server, .binary, .complete, [], nil), (.server, .text, .complete, ["break"], nil),
        (.server, .text, .partial, [], nil),
    ]

    @Test("A truncated payload reveals its frame's type only if the server sent the whole frame", arguments: beginnings)
    func beginning(_ sender: Party, _ opcode: Opcode, _ delivery: Delivery, _ faults: [String], _ type: String?) {
        let frame = RecordedFrame(
            sender: sender, opcode: opcode, payload: Array(#"{"type":"pong""#.utf8), delivery: delivery, faults: faults)
        #expect(FrameFact(frame).type == type)
    }

    @Test("A token's scheme is case-insensitive", arguments: ["Bearer", "bearer", "BEARER"])
    func bearers(_ scheme: String) throws {
        let request = try Self.request {
            $0.request(.listGoals, at: 0, fields: ["Authorization: \(scheme) abc", "x-api-key: k"])
        }
        #expect((request.credentials.token, request.credentials.apiKey) == ("abc", "k"))
    }

    @Test(
        "Messages truncate durations to milliseconds",
        arguments: [
            (0, "0 s"), (999_999, "0 s"), (1_000_000, "0.001 s"), (200_000_000, "0.2 s"), (949_999_999, "0.949 s"),
            (1_000_000_000, "1 s"), (1_050_000_000, "1.05 s"), (61_500_000_000, "61.5 s"), (-500_000_000, "-0.5 s"),
        ] as [(Int64, String)])
    func durations(_ nanoseconds: Int64, _ text: String) { #expect(Messages.seconds(nanoseconds) == text) }

    @Test("Messages print a time as the time of day")
    func times() { #expect(Messages.clock(Story.time(4.9)) == "10:30:04") }

    @Test("Facts find meal logs, goals and consultations in every form of answer")
    func shown() throws {
        let goal: JSONValue = ["id": "g", "conversation_id": "c"]
        #expect(
            try Self.request { $0.request(.showGoal, "g", answer: ["data": goal], at: 0) }.shownGoals.map(
                \.conversation)
                == ["c"])
        #expect(try Self.request { $0.request(.showGoal, "g", answer: goal, at: 0) }.shownGoals.map(\.id) == ["g"])
        let nested: JSONValue = ["data": ["consultation": ["id": "c", "goal_id": "g"]]]
        #expect(
            try Self.request { $0.request(.createConsultation, status: 201, answer: nested, at: 0) }
                .shownConsultations.map(\.goal) == ["g"])
        let camelCase: JSONValue = ["id": "c", "goalId": "g"]
        #expect(
            try Self.request { $0.request(.showConsultation, "c", answer: camelCase, at: 0) }.shownConsultations
                .map(\.goal) == ["g"])
        #expect(
            try Self.request { $0.request(.createConsultation, status: 201, answer: ["consultation_id": "c"], at: 0) }
                .shownConsultations.map(\.id) == ["c"])
        let link: JSONValue = ["data": ["conversation_id": "c", "goal_id": "g"]]
        #expect(
            try Self.request { $0.request(.chatAboutGoal, status: 201, answer: link, at: 0) }.shownLink?.goal == "g")
        let log: JSONValue = ["data": ["meal_log_id": "m", "status": "failed"]]
        #expect(
            try Self.request { $0.request(.showMealLog, "m", answer: log, at: 0) }.shownMealLogs.map(\.isFinal) == [
                true
            ])
    }
}
