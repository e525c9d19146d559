import FitIQAPI
import HTTP1
import JSON
import Testing
import Traffic
import WebSocket

@testable import Judging

/// The journal of clients and their sockets, built step by step; times are seconds after 10:30:00.
///
/// Entries are numbered from 1 in the order in which they are added; the evidence uses these numbers.
final class SocketStory {
    private(set) var journal = Journal()

    static func time(_ seconds: Double) -> Timestamp { Story.time(seconds) }

    @discardableResult
    private func tell(_ event: JournalEvent, at seconds: Double, on connection: UInt64 = 0) -> SocketStory {
        journal.record(event, at: Self.time(seconds), connection: connection)
        return self
    }

    /// Adds an accepted handshake, without `connected`.
    @discardableResult func open(
        _ connection: UInt64, at seconds: Double, took: Double = 0, on consultation: String = "c1",
        user: ExactString = "ann", token: String = "t1", faults: [String] = []
    ) -> SocketStory {
        let head = Self.head("GET /api/v1/consultations/\(consultation)/ws", token: token)
        let opening = RecordedOpening(
            head: head, requestedAt: Self.time(seconds - took), endpoint: .webSocket, user: user, faults: faults)
        return tell(.opened(opening), at: seconds, on: connection)
    }

    /// Adds an accepted handshake for the meal socket, and `connected`.
    @discardableResult func connectMeals(_ connection: UInt64, at seconds: Double, user: ExactString = "ann")
        -> SocketStory
    {
        let opening = RecordedOpening(
            head: Self.head("GET /w/w1/ws/meal-logs", token: "t1"), requestedAt: Self.time(seconds),
            endpoint: .mealSocket, user: user)
        return tell(.opened(opening), at: seconds, on: connection).hear(connection, "connected", at: seconds)
    }

    /// Adds an accepted handshake, and `connected`.
    @discardableResult func connect(
        _ connection: UInt64, at seconds: Double, on consultation: String = "c1", user: ExactString = "ann",
        token: String = "t1"
    ) -> SocketStory {
        open(connection, at: seconds, on: consultation, user: user, token: token)
            .hear(connection, "connected", at: seconds)
    }

    /// Adds a rejected handshake; a handshake without a status hung.
    @discardableResult func refuse(
        _ status: Int?, at seconds: Double, took: Double = 0, on consultation: String = "c1", token: String? = "t1",
        user: ExactString? = nil
    ) -> SocketStory {
        request(
            "GET /api/v1/consultations/\(consultation)/ws", status, at: seconds, took: took, endpoint: .webSocket,
            user: user, token: token)
    }

    /// Adds a request and its answer; without a status, the request got no answer.
    @discardableResult func request(
        _ line: String, _ status: Int?, at seconds: Double, took: Double = 0, endpoint: Endpoint? = nil,
        user: ExactString? = "ann", token: String? = "t1", upgrades: Bool = true
    ) -> SocketStory {
        let exchange = RecordedExchange(
            head: Self.head(line, token: token, upgrades: upgrades), requestedAt: Self.time(seconds - took),
            endpoint: endpoint, user: user, unmatched: endpoint == nil ? .unknownPath : nil, status: status,
            delivery: status == nil ? .none : .complete)
        return tell(.exchange(exchange), at: seconds)
    }

    /// Adds a request for a consultation's messages.
    @discardableResult func fetch(_ consultation: String = "c1", at seconds: Double, took: Double = 0) -> SocketStory {
        request(
            "GET /api/v1/consultations/\(consultation)/messages", 200, at: seconds, took: took, endpoint: .listMessages,
            upgrades: false)
    }

    /// Adds a server text frame that has only a type.
    @discardableResult func hear(
        _ connection: UInt64, _ type: String, at seconds: Double, _ delivery: Delivery = .complete,
        faults: [String] = []
    ) -> SocketStory { hear(connection, text: #"{"type":"\#(type)"}"#, at: seconds, delivery, faults: faults) }

    @discardableResult func hear(
        _ connection: UInt64, text: String, at seconds: Double, _ delivery: Delivery = .complete, faults: [String] = []
    ) -> SocketStory {
        let frame = RecordedFrame(
            sender: .server, opcode: .text, payload: Array(text.utf8), delivery: delivery, faults: faults)
        return tell(.frame(frame), at: seconds, on: connection)
    }

    /// Adds a client frame.
    @discardableResult func say(
        _ connection: UInt64, _ text: String, at seconds: Double, opcode: Opcode = .text, faults: [String] = []
    ) -> SocketStory {
        let frame = RecordedFrame(sender: .client, opcode: opcode, payload: Array(text.utf8), faults: faults)
        return tell(.frame(frame), at: seconds, on: connection)
    }

    @discardableResult func ping(_ connection: UInt64, at seconds: Double) -> SocketStory {
        say(connection, "", at: seconds, opcode: .ping)
    }

    /// Adds a question to the coach.
    @discardableResult func ask(_ connection: UInt64, at seconds: Double) -> SocketStory {
        say(connection, #"{"type":"message","content":"Hello"}"#, at: seconds)
    }

    /// Adds a socket's end; the codes are the close frames' codes, or 0 for a close frame without a code.
    @discardableResult func close(
        _ connection: UInt64, by party: Party, _ cause: RecordedClosing.Cause = .closeFrame, server: UInt16? = nil,
        client: UInt16? = nil, at seconds: Double, faults: [String] = []
    ) -> SocketStory {
        func frame(_ code: UInt16?) -> CloseSummary.Frame? {
            code.map { CloseSummary.Frame(code: $0 == 0 ? nil : CloseCode(rawValue: $0)) }
        }
        let summary = CloseSummary(sent: frame(server), received: frame(client))
        let closing = RecordedClosing(by: party, cause: cause, summary: summary, faults: faults)
        return tell(.closed(closing), at: seconds, on: connection)
    }

    /// The client closes with a close frame.
    @discardableResult func leave(_ connection: UInt64, at seconds: Double) -> SocketStory {
        close(connection, by: .client, server: 1001, client: 1001, at: seconds)
    }

    /// The fake ends the transport.
    @discardableResult func drop(_ connection: UInt64, at seconds: Double) -> SocketStory {
        close(connection, by: .server, .fault, at: seconds, faults: ["drop"])
    }

    @discardableResult func fault(_ connection: UInt64, _ effect: RecordedFault.Effect, at seconds: Double)
        -> SocketStory
    { tell(.fault(RecordedFault(name: "rule", effect: effect)), at: seconds, on: connection) }

    /// The consultation was archived: the server sends the reason and closes.
    @discardableResult func archive(_ connection: UInt64, at seconds: Double) -> SocketStory {
        hear(connection, text: #"{"type":"error","error":"Consultation is not active"}"#, at: seconds)
            .close(connection, by: .server, server: 1000, client: 1000, at: seconds)
    }

    private static func head(_ line: String, token: String?, upgrades: Bool = true) -> RequestHead {
        var lines = [line + " HTTP/1.1", "Host: a"]
        if let token { lines += ["Authorization: Bearer \(token)"] }
        if upgrades { lines += ["Connection: Upgrade", "Upgrade: websocket"] }
        var connection = HTTP1.Connection(role: .server)
        connection.receive(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8))
        guard case .request(let head)? = try? connection.nextEvent() else {
            preconditionFailure("this is no request: \(line)")
        }
        return head
    }

    /// The socket judges, in the order of the contract's table.
    static let judges = Judge.judges.filter { $0.isOfSockets }

    /// A single judge's verdict at the time of the last entry or later.
    func verdict(of type: any ObligationJudge.Type, at seconds: Double? = nil, in mode: GuideMode = .union) -> Verdict {
        var scene = Scene(mode: mode)
        var judge = type.init()
        var findings = Findings(of: type.obligation)
        var end = Timestamp(nanosecondsSinceEpoch: 0)
        for entry in journal.entries() {
            let fact = Fact(entry)
            scene.observe(fact)
            judge.observe(fact, in: scene, &findings)
            end = max(end, entry.time)
        }
        judge.conclude(at: max(end, seconds.map(Self.time) ?? end), in: scene, &findings)
        return findings.verdict
    }
}

extension ObligationJudge {
    static var isOfSockets: Bool { obligation.id.hasPrefix("ws/") }
}

/// A client's actions, and a judge's verdict.
struct SocketCase: Sendable, CustomTestStringConvertible {
    let name: String
    let expected: Expected
    let end: Double?
    let mode: GuideMode
    let tell: @Sendable (SocketStory) -> Void

    enum Expected: Sendable {
        /// The obligation was exercised this many times and kept.
        case kept(Int = 1)
        case notExercised
        /// A breach with this message and the numbers of the entries that prove it.
        case broken(String, [Int], level: Obligation.Level? = nil, count: Int = 1)
    }

    init(
        _ name: String, _ expected: Expected, until end: Double? = nil, in mode: GuideMode = .union,
        _ tell: @escaping @Sendable (SocketStory) -> Void
    ) { (self.name, self.expected, self.end, self.mode, self.tell) = (name, expected, end, mode, tell) }

    var testDescription: String { name }

    func check(_ judge: any ObligationJudge.Type) {
        let story = SocketStory()
        tell(story)
        let verdict = story.verdict(of: judge, at: end, in: mode)
        switch expected {
        case .kept(let count):
            #expect(verdict.outcome == .kept, "\(verdict.findings.map(\.message))")
            #expect(verdict.exercisedCount == count)
        case .notExercised:
            #expect(verdict.outcome == .notExercised, "\(verdict.exercisedCount): \(verdict.findings.map(\.message))")
        case .broken(let message, let evidence, let level, let count):
            #expect(verdict.outcome == .broken)
            #expect(verdict.findingCount == count, "\(verdict.findings.map(\.message))")
            #expect(verdict.exercisedCount > 0, "what is broken was faced")
            #expect(verdict.findings.first?.message == message)
            #expect(verdict.findings.first?.evidence.map(\.number) == evidence)
            #expect(verdict.findings.first?.level == level ?? judge.obligation.level)
        }
    }
}
