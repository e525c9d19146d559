import FitIQAPI
import HTTP1
import Judging
import Testing
import Traffic
import WebSocket

@testable import ContractSuite

@Suite("Oracle: excused history failures")
struct ExcusedHistoryTests {
    private static let path = "/api/v1/consultations/\(KnownID.consultation)"
    private static let connected = #"{"type":"connected"}"#

    private static func exchange(
        _ line: String, _ endpoint: Endpoint, _ status: Int, answer: String = "", at seconds: Double
    ) throws -> RecordedExchange {
        RecordedExchange(
            head: try RequestHead(line, "Authorization: Bearer t\r\n"), requestedAt: .after(seconds),
            endpoint: endpoint, user: "ada", status: status, responseBody: Array(answer.utf8))
    }

    /// A request on a separate connection, with its time and its answer's duration.
    private static func request(
        _ line: String, _ endpoint: Endpoint, _ status: Int, answer: String = "", at seconds: Double, took: Double = 0
    ) throws -> Moment {
        (seconds + took, 9, .exchange(try exchange(line, endpoint, status, answer: answer, at: seconds)))
    }

    private static func history(_ status: Int, at seconds: Double, took: Double = 0) throws -> Moment {
        try request("GET \(path)/messages", .listMessages, status, at: seconds, took: took)
    }

    private static func opened(at seconds: Double, on connection: UInt64) throws -> Moment {
        (seconds, connection, .opened(try exchange("GET \(path)/ws", .webSocket, 101, at: seconds)))
    }

    private static func says(
        _ text: String, by party: Party = .server, at seconds: Double, on connection: UInt64,
        delivery: Delivery = .complete, faults: [String] = []
    ) -> Moment {
        let frame = RecordedFrame(
            sender: party, opcode: .text, payload: Array(text.utf8), delivery: delivery, faults: faults)
        return (seconds, connection, .frame(frame))
    }

    private static func cut(at seconds: Double, on connection: UInt64) -> Moment {
        (seconds, connection, .closed(RecordedClosing(by: .server, cause: .reset)))
    }

    /// Whether a client with these events shows the symptom, given that its user made requests at these seconds.
    private static func isBlamed(
        _ id: String, for moments: [Moment], asked: [Double] = [], failures: [CaseFailure] = []
    ) -> Bool {
        var outcome = TrialOutcome(moments)
        (outcome.asked, outcome.failures) = (asked.map(Timestamp.after), failures)
        return outcome.symptoms().contains { $0.id == id }
    }

    @Test("The oracle reports a missing history fetch unless the server withheld an earlier fetch")
    func histories() throws {
        // The chat is cut off at 3 s, and reconnected from 5 s to 20 s.
        let chat: [Moment] = [
            try Self.opened(at: 0, on: 1), Self.says(Self.connected, at: 0, on: 1),
            Self.says(#"{"type":"message","content":"Why?"}"#, by: .client, at: 1, on: 1),
            Self.says(#"{"type":"stream_chunk","content":"So"}"#, at: 2, on: 1), Self.cut(at: 3, on: 1),
            try Self.opened(at: 5, on: 2), Self.says(Self.connected, at: 5, on: 2), Self.cut(at: 20, on: 2),
        ]
        let rows: [(before: [Moment], after: [Moment], isBlamed: Bool)] = [
            ([], [], true), ([try Self.history(200, at: -1)], [], true), ([try Self.history(503, at: -1)], [], false),
            // The client pauses for a minute after a failure.
            ([try Self.history(503, at: -58)], [], true), ([try Self.history(503, at: -57)], [], false),
            // A request was in progress when the chat was reconnected.
            ([], [try Self.history(503, at: 5, took: 25)], false), ([], [try Self.history(503, at: 6, took: 24)], true),
        ]
        for (index, row) in rows.enumerated() {
            let isBlamed = Self.isBlamed("ws/recovers-history", for: row.before + chat + row.after)
            #expect(isBlamed == row.isBlamed, "row \(index)")
        }
    }

    @Test("The oracle reports polling on an open socket unless a meal's outcome is unknown")
    func polls() throws {
        func create(_ status: Int, _ id: String = "m2", at seconds: Double, took: Double = 0) throws -> Moment {
            let log = #"{"data":{"id":"\#(id)","status":"processing"}}"#
            return try Self.request(
                "POST /api/v1/meal-logs/natural", .createMealLog, status, answer: status == 201 ? log : "{}",
                at: seconds, took: took)
        }
        func poll(at seconds: Double) throws -> Moment {
            try Self.request(
                "GET /api/v1/meal-logs/m1", .showMealLog, 200, answer: #"{"data":{"id":"m1","status":"processing"}}"#,
                at: seconds)
        }
        let begin: [Moment] = [
            try Self.opened(at: 0, on: 1), Self.says(Self.connected, at: 0, on: 1), try create(201, "m1", at: 1),
        ]
        let rows: [(moments: [Moment], isBlamed: Bool)] = [
            ([try poll(at: 10)], true), ([try create(503, at: 5), try poll(at: 10)], false),
            // The client knows about an answer that has arrived by the time of the poll, but not about a later one.
            ([try create(201, at: 5, took: 5), try poll(at: 10)], true),
            ([try poll(at: 10), try create(201, at: 5, took: 10)], false),
            ([try poll(at: 10), try create(503, at: 10, took: 1)], false),
            ([try poll(at: 10), try create(503, at: 11)], true),
            // A minute later, the outcome is certain.
            ([try create(503, at: 9), try poll(at: 70)], false), ([try create(503, at: 8), try poll(at: 70)], true),
        ]
        for (index, row) in rows.enumerated() {
            let isBlamed = Self.isBlamed("meal/no-poll-while-connected", for: begin + row.moments)
            #expect(isBlamed == row.isBlamed, "row \(index)")
        }
    }

    @Test("The oracle reports a reconnect with a shorter delay unless the user cut the previous wait short")
    func reconnects() throws {
        func tried(at seconds: Double) throws -> Moment {
            try Self.request("GET \(Self.path)/ws", .webSocket, 503, at: seconds)
        }
        // The first attempt is made at 100 s.
        let rows: [(again: Double, asked: [Double], isBlamed: Bool)] = [
            (101.5, [], true), (101.5, [99], false), (101.5, [100], false), (101.5, [101], false),
            // The user made a request when the chat was opened, or after the attempt.
            (101.5, [0], true), (101.5, [102], true),
            // An attempt that comes too soon is reported, even if the user caused the previous attempt.
            (100.95, [99], false), (100.5, [99], true),
        ]
        for row in rows {
            let moments = [
                try Self.opened(at: 0, on: 1), Self.says(Self.connected, at: 0, on: 1), Self.cut(at: 1, on: 1),
                try tried(at: 100), try tried(at: row.again),
            ]
            let isBlamed = Self.isBlamed("ws/reconnect-backoff", for: moments, asked: row.asked)
            #expect(isBlamed == row.isBlamed, "\(row)")
        }
    }

    @Test("The oracle reports a wrong transcript unless a fault took effect and the server withheld the history")
    func transcripts() throws {
        func goals(_ status: Int, at seconds: Double) throws -> Moment {
            try Self.request("GET /api/v1/goals", .listGoals, status, at: seconds)
        }
        func pong(_ delivery: Delivery = .complete, _ faults: [String] = []) -> Moment {
            Self.says(#"{"type":"pong"}"#, at: 1.5, on: 1, delivery: delivery, faults: faults)
        }
        let fault: Moment = (0.5, 1, .fault(RecordedFault(name: "f", effect: .silence)))
        let failed = try Self.history(503, at: 1)
        // The symptom appears at 2 s.
        let rows: [(moments: [Moment], isBlamed: Bool)] = [
            ([], true), ([fault], true), ([failed], true), ([fault, failed], false),
            ([fault, try Self.history(200, at: 1)], true),
            // The client is still waiting for the answer.
            ([fault, try Self.history(200, at: 1.9, took: 1.1)], false),
            ([fault, try Self.history(200, at: 2.1, took: 0.9)], true),
            // A client without a valid token cannot ask until an answer shows that its token is valid.
            ([fault, try goals(401, at: 1)], false), ([fault, try goals(503, at: 1)], true),
            ([fault, try goals(401, at: 1), try goals(200, at: 1.5)], true),
            ([fault, try goals(401, at: 1), try goals(503, at: 1.5)], false),
            ([failed, pong()], true), ([failed, pong(.partial)], false), ([failed, pong(.complete, ["f"])], false),
            ([failed, Self.cut(at: 2, on: 1)], false), ([failed, Self.cut(at: 3, on: 1)], true),
        ]
        let failure = CaseFailure(message: "It is not the server's.", check: .transcript, at: .seconds(2), step: 1)
        for (index, row) in rows.enumerated() {
            let isBlamed = Self.isBlamed("inside/transcript-equals-chunks", for: row.moments, failures: [failure])
            #expect(isBlamed == row.isBlamed, "row \(index)")
        }
    }
}
