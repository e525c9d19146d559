import FitIQAPI
import HTTP1
import HTTPTypes
import JSON
import Testing
import Traffic
import WebSocket

@testable import Judging

/// The id with a number: `00000000-0000-4000-8000-00000000000a` is 10.
func uuid(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
}

/// A client's journal, built from its actions: `story.connected(uuid(1), at: 0).request(.listGoals, at: 1.2)`.
///
/// Times are seconds after 2025-01-29T10:30:00Z. Entries are numbered from 1 in the order in which they are added. This
/// must be the order in which they end, so add a request at the point where its answer was sent.
final class Story {
    private(set) var journal = Journal(limits: Story.limits)
    /// The user for the following steps; "sarah" at first.
    var user = "sarah"
    /// The token for the following steps.
    var token = Story.token(of: "sarah")
    /// The key for the following steps.
    var apiKey: String? = "key-1"

    private static let limits: Journal.Limits = {
        var limits = Journal.Limits()
        limits.entries = 1_000_000
        limits.bytes = 1 << 30
        return limits
    }()

    /// A user's token; each number gives a different token.
    static func token(of user: String, _ number: Int = 1) -> String {
        AccessToken(subject: ExactString(user), expiresAt: 1_800_000_000 + Int64(number)).signed(
            with: Array("secret".utf8))
    }

    /// A point in time.
    static func time(_ seconds: Double) -> Timestamp {
        Timestamp(secondsSinceEpoch: 1_738_146_600).advanced(byNanoseconds: Int64((seconds * 1e9).rounded()))
    }

    init() {}

    /// A story written inline: `Story { $0.request(…) }`.
    init(_ tell: (Story) -> Void) { tell(self) }

    @discardableResult private func record(_ event: JournalEvent, at seconds: Double, connection: UInt64 = 1) -> Story {
        journal.record(event, at: Self.time(seconds), connection: connection)
        return self
    }

    /// Attributes the steps that follow to another user.
    @discardableResult func becomes(_ user: String) -> Story {
        self.user = user
        token = Self.token(of: user)
        return self
    }

    /// Adds an API request that was answered or abandoned after this many seconds, or a rejected handshake.
    ///
    /// - Parameters:
    ///   - user: nil if the credentials were not accepted; a 401 has none.
    ///   - status: nil if no answer was sent.
    @discardableResult func request(
        _ endpoint: Endpoint, _ id: String = "", query: String = "", body: JSONValue? = nil, status: Int? = 200,
        answer: JSONValue? = nil, at seconds: Double, took: Double = 0, delivery: Delivery? = nil,
        faults: [String] = [], created: String? = nil, fields: [String]? = nil, responseFields: String = "",
        unmatched: RecordedExchange.Unmatched? = nil, connection: UInt64 = 1
    ) -> Story {
        request(
            line: Self.line(endpoint, id, query: query),
            endpoint: endpoint, body: body?.encoded() ?? [], status: status, answer: answer?.encoded() ?? [],
            at: seconds, took: took, delivery: delivery, faults: faults, created: created, fields: fields,
            responseFields: responseFields, unmatched: unmatched, connection: connection)
    }

    /// An endpoint's method and target.
    static func line(_ endpoint: Endpoint, _ id: String = "", query: String = "") -> String {
        let path = endpoint.template.split(separator: "/").map { $0.hasPrefix("{") ? id : String($0) }
        return "\(endpoint.method.rawValue) /\(path.joined(separator: "/"))\(query.isEmpty ? "" : "?" + query)"
    }

    /// Adds any request, given by method and target.
    @discardableResult func request(
        line: String, endpoint: Endpoint?, body: [UInt8] = [], status: Int? = 200, answer: [UInt8] = [],
        at seconds: Double, took: Double = 0, delivery: Delivery? = nil, faults: [String] = [], created: String? = nil,
        fields: [String]? = nil, responseFields: String = "", unmatched: RecordedExchange.Unmatched? = nil,
        connection: UInt64 = 1
    ) -> Story {
        let type = body.isEmpty ? [] : ["Content-Type: application/json"]
        var exchange = RecordedExchange(
            head: Self.head(line, fields ?? credentials + type), body: body, requestedAt: Self.time(seconds),
            endpoint: endpoint, user: status == 401 ? nil : ExactString(user), unmatched: unmatched, status: status,
            responseFields: .encoded(Array(responseFields.utf8)), responseBody: answer,
            delivery: delivery ?? (status == nil ? .none : .complete), faults: faults)
        exchange.created = created.map { ExactString($0) }
        return record(.exchange(exchange), at: seconds + took, connection: connection)
    }

    /// Adds any event, at the beginning of the story.
    @discardableResult func journal(_ event: JournalEvent) -> Story { record(event, at: 0) }

    /// Adds a WebSocket that was opened on a separate connection.
    @discardableResult func opened(
        _ consultation: String, on connection: UInt64 = 100, at seconds: Double, took: Double = 0, query: String = "",
        fields: [String]? = nil, faults: [String] = []
    ) -> Story {
        let target = "/api/v1/consultations/\(consultation)/ws\(query.isEmpty ? "" : "?" + query)"
        let opening = RecordedOpening(
            head: Self.head("GET \(target)", fields ?? credentials), requestedAt: Self.time(seconds),
            endpoint: .webSocket, user: ExactString(user), faults: faults)
        return record(.opened(opening), at: seconds + took, connection: connection)
    }

    /// Adds a WebSocket that was opened, and the server's `connected`.
    @discardableResult func connected(
        _ consultation: String, on connection: UInt64 = 100, at seconds: Double
    ) -> Story {
        opened(consultation, on: connection, at: seconds).received(["type": "connected"], on: connection, at: seconds)
    }

    /// Adds a text frame that the client sent.
    @discardableResult func sent(
        _ frame: JSONValue, on connection: UInt64 = 100, at seconds: Double
    ) -> Story { self.frame(.client, .text, frame.encoded(), on: connection, at: seconds) }

    /// Adds a text frame that the server sent.
    @discardableResult func received(
        _ frame: JSONValue, on connection: UInt64 = 100, at seconds: Double, delivery: Delivery = .complete,
        faults: [String] = []
    ) -> Story {
        self.frame(.server, .text, frame.encoded(), on: connection, at: seconds, delivery: delivery, faults: faults)
    }

    /// Any frame.
    @discardableResult func frame(
        _ sender: Party, _ opcode: Opcode, _ payload: [UInt8] = [], on connection: UInt64 = 100, at seconds: Double,
        delivery: Delivery = .complete, faults: [String] = []
    ) -> Story {
        let frame = RecordedFrame(sender: sender, opcode: opcode, payload: payload, delivery: delivery, faults: faults)
        return record(.frame(frame), at: seconds, connection: connection)
    }

    /// Adds the end of a WebSocket.
    @discardableResult func closed(
        on connection: UInt64 = 100, by party: Party = .client, _ cause: RecordedClosing.Cause = .closeFrame,
        summary: CloseSummary = CloseSummary(), at seconds: Double, faults: [String] = []
    ) -> Story {
        let closing = RecordedClosing(by: party, cause: cause, summary: summary, faults: faults)
        return record(.closed(closing), at: seconds, connection: connection)
    }

    /// Adds the start of a lasting fault.
    @discardableResult func fault(
        _ effect: RecordedFault.Effect, on connection: UInt64 = 100, at seconds: Double
    ) -> Story {
        record(.fault(RecordedFault(name: effect.rawValue, effect: effect)), at: seconds, connection: connection)
    }

    private var credentials: [String] {
        ["Authorization: Bearer \(token)"] + (apiKey.map { ["X-API-Key: \($0)"] } ?? [])
    }

    private static func head(_ line: String, _ fields: [String]) -> RequestHead {
        var connection = HTTP1.Connection(role: .server)
        let lines = [line + " HTTP/1.1", "Host: a"] + fields
        connection.receive(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8))
        guard case .request(let head)? = try? connection.nextEvent() else { preconditionFailure("no request: \(line)") }
        return head
    }
}

/// A story, and the verdicts that are expected of it.
struct Chapter: Sendable, CustomTestStringConvertible {
    let name: String
    let told: Told
    let journal: Journal
    let mode: GuideMode
    /// The end of the judged time in seconds; nil for the last entry's time.
    let end: Double?

    init(_ name: String, _ told: Told, in mode: GuideMode = .union, end: Double? = nil, tell: (Story) -> Void) {
        (self.name, self.told, self.mode, self.end) = (name, told, mode, end)
        journal = Story(tell).journal
    }

    var testDescription: String { name }

    /// Whether the verdict on an obligation is as expected.
    func check(_ id: String, _ location: SourceLocation = #_sourceLocation) {
        #expect(journal.verdict(id, in: mode, end: end) == told, sourceLocation: location)
    }
}

/// A verdict's report: the outcome, the messages, and the numbers of the entries that are the evidence.
struct Told: Equatable, CustomStringConvertible {
    var outcome: Verdict.Outcome
    var exercisedCount: Int
    var breaches: [Breach] = []

    /// A finding.
    struct Breach: Equatable {
        var message: String
        var evidence: [Int]
        var level = Obligation.Level.must
    }

    /// Kept this many times.
    static func kept(_ count: Int = 1) -> Told { Told(outcome: .kept, exercisedCount: count) }
    /// Broken, with these findings.
    static func broken(_ count: Int = 1, _ breaches: Breach...) -> Told {
        Told(outcome: .broken, exercisedCount: count, breaches: breaches)
    }
    /// Broken, with one finding.
    static func broken(
        _ message: String, _ evidence: [Int], level: Obligation.Level = .must, faced count: Int = 1
    ) -> Told { broken(count, Breach(message: message, evidence: evidence, level: level)) }
    /// Not exercised.
    static let notExercised = Told(outcome: .notExercised, exercisedCount: 0)

    var description: String {
        (["\(outcome.rawValue), \(exercisedCount) faced"]
            + breaches.map { "\($0.level) \($0.evidence): \($0.message)" }).joined(separator: "\n")
    }
}

extension Told {
    init(_ verdict: Verdict) {
        self.init(
            outcome: verdict.outcome, exercisedCount: verdict.exercisedCount,
            breaches: verdict.findings.map {
                Breach(message: $0.message, evidence: $0.evidence.map(\.number), level: $0.level)
            })
    }
}

extension Judge {
    func verdict(_ id: String) -> Verdict? { verdicts().first { $0.obligation.id == id } }
}

extension Journal {
    /// The judge, after it has observed the whole journal.
    func judge(in mode: GuideMode = .union) -> Judge {
        var judge = Judge(mode: mode)
        for entry in entries() { judge.observe(entry) }
        return judge
    }

    /// The verdict on one obligation after this many seconds; nil if the obligation does not apply to clients in this
    /// mode.
    func verdict(_ id: String, in mode: GuideMode = .union, end seconds: Double? = nil) -> Told? {
        judge(in: mode).verdicts(at: seconds.map(Story.time)).first { $0.obligation.id == id }.map(Told.init)
    }

    /// How many times the client encountered each error path; paths that it never encountered are omitted.
    func exposures(end seconds: Double? = nil) -> [Exposure.Path: Int] {
        var counts: [Exposure.Path: Int] = [:]
        for exposure in judge().exposures(at: seconds.map(Story.time)) where exposure.count > 0 {
            counts[exposure.path] = exposure.count
        }
        return counts
    }
}
