import FitIQAPI
import HTTP1
import HTTPTypes
import JSON
import Testing
import Traffic
import WebSocket

@testable import Judging

/// A client's journal, built from its actions: `story.request(.createConsultation, status: 409, at: 1.2)`.
///
/// Times are seconds after 2025-01-29T10:30:00Z. Entries are numbered from 1 in the order in which they are added. This
/// must be the order in which they end, so add a request at the point where its answer was sent.
struct Story {
    private(set) var journal = Journal(limits: Self.limits)
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

    /// The id with a number: `00000000-0000-4000-8000-00000000000a` is 10.
    static func id(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
    }

    /// A point in time.
    static func time(_ seconds: Double) -> Timestamp {
        Timestamp(secondsSinceEpoch: 1_738_146_600).advanced(byNanoseconds: Int64((seconds * 1e9).rounded()))
    }

    /// Attributes the steps that follow to another user.
    mutating func becomes(_ user: String) {
        self.user = user
        token = Self.token(of: user)
    }

    /// Adds an API request that was answered or abandoned after this many seconds, or a rejected handshake.
    ///
    /// - Parameters:
    ///   - user: nil if the credentials were not accepted; a 401 has none.
    ///   - status: nil if no answer was sent.
    /// - Returns: the entry's number.
    @discardableResult mutating func request(
        _ endpoint: Endpoint, _ id: String = "", query: String = "", body: JSONValue? = nil, status: Int? = 200,
        answer: JSONValue? = nil, at seconds: Double, took: Double = 0, delivery: Delivery? = nil,
        faults: [String] = [], created: String? = nil, fields: [String]? = nil, responseFields: String = "",
        unmatched: RecordedExchange.Unmatched? = nil, connection: UInt64 = 1
    ) -> Int {
        let path = endpoint.template.split(separator: "/").map { $0.hasPrefix("{") ? id : String($0) }
        return request(
            "\(endpoint.method.rawValue) /\(path.joined(separator: "/"))\(query.isEmpty ? "" : "?" + query)",
            endpoint: endpoint, body: body?.encoded() ?? [], status: status, answer: answer?.encoded() ?? [],
            at: seconds, took: took, delivery: delivery, faults: faults, created: created, fields: fields,
            responseFields: responseFields, unmatched: unmatched, connection: connection)
    }

    /// Adds any request, given by method and target.
    @discardableResult mutating func request(
        _ line: String, endpoint: Endpoint?, body: [UInt8] = [], status: Int? = 200, answer: [UInt8] = [],
        at seconds: Double, took: Double = 0, delivery: Delivery? = nil, faults: [String] = [], created: String? = nil,
        fields: [String]? = nil, responseFields: String = "", unmatched: RecordedExchange.Unmatched? = nil,
        connection: UInt64 = 1
    ) -> Int {
        let type = body.isEmpty ? [] : ["Content-Type: application/json"]
        var exchange = RecordedExchange(
            head: Self.head(line, fields ?? credentials + type), body: body, requestedAt: Self.time(seconds),
            endpoint: endpoint, user: status == 401 ? nil : ExactString(user), unmatched: unmatched, status: status,
            responseFields: .encoded(Array(responseFields.utf8)), responseBody: answer,
            delivery: delivery ?? (status == nil ? .none : .complete), faults: faults)
        exchange.created = created.map { ExactString($0) }
        journal.record(.exchange(exchange), at: Self.time(seconds + took), connection: connection)
        return journal.lastNumber
    }

    /// Adds any event, at the beginning of the story.
    mutating func journal(_ event: JournalEvent) { journal.record(event, at: Self.time(0), connection: 1) }

    /// Adds a WebSocket that was opened on a separate connection.
    @discardableResult mutating func opened(
        _ consultation: String, on connection: UInt64 = 100, at seconds: Double, took: Double = 0, query: String = "",
        fields: [String]? = nil, faults: [String] = []
    ) -> Int {
        let target = "/api/v1/consultations/\(consultation)/ws\(query.isEmpty ? "" : "?" + query)"
        let opening = RecordedOpening(
            head: Self.head("GET \(target)", fields ?? credentials), requestedAt: Self.time(seconds),
            endpoint: .webSocket, user: ExactString(user), faults: faults)
        journal.record(.opened(opening), at: Self.time(seconds + took), connection: connection)
        return journal.lastNumber
    }

    /// Adds a WebSocket that was opened, and the server's `connected`.
    @discardableResult mutating func connected(
        _ consultation: String, on connection: UInt64 = 100, at seconds: Double
    ) -> Int {
        let number = opened(consultation, on: connection, at: seconds)
        received(["type": "connected"], on: connection, at: seconds)
        return number
    }

    /// Adds a text frame that the client sent.
    @discardableResult mutating func sent(
        _ frame: JSONValue, on connection: UInt64 = 100, at seconds: Double
    ) -> Int { self.frame(.client, .text, frame.encoded(), on: connection, at: seconds) }

    /// Adds a text frame that the server sent.
    @discardableResult mutating func received(
        _ frame: JSONValue, on connection: UInt64 = 100, at seconds: Double, delivery: Delivery = .complete,
        faults: [String] = []
    ) -> Int {
        self.frame(.server, .text, frame.encoded(), on: connection, at: seconds, delivery: delivery, faults: faults)
    }

    /// Any frame.
    @discardableResult mutating func frame(
        _ sender: Party, _ opcode: Opcode, _ payload: [UInt8] = [], on connection: UInt64 = 100, at seconds: Double,
        delivery: Delivery = .complete, faults: [String] = []
    ) -> Int {
        let frame = RecordedFrame(sender: sender, opcode: opcode, payload: payload, delivery: delivery, faults: faults)
        journal.record(.frame(frame), at: Self.time(seconds), connection: connection)
        return journal.lastNumber
    }

    /// Adds the end of a WebSocket.
    @discardableResult mutating func closed(
        on connection: UInt64 = 100, by party: Party = .client, _ cause: RecordedClosing.Cause = .closeFrame,
        summary: CloseSummary = CloseSummary(), at seconds: Double, faults: [String] = []
    ) -> Int {
        journal.record(
            .closed(RecordedClosing(by: party, cause: cause, summary: summary, faults: faults)),
            at: Self.time(seconds), connection: connection)
        return journal.lastNumber
    }

    /// Adds the start of a lasting fault.
    @discardableResult mutating func fault(
        _ effect: RecordedFault.Effect, on connection: UInt64 = 100, at seconds: Double
    ) -> Int {
        journal.record(
            .fault(RecordedFault(name: effect.rawValue, effect: effect)), at: Self.time(seconds),
            connection: connection)
        return journal.lastNumber
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
    let story: Story
    let mode: GuideMode
    /// The end of the judged time in seconds; nil for the last entry's time.
    let end: Double?

    /// Builds the story.
    init(
        _ name: String, _ told: Told, in mode: GuideMode = .union, end: Double? = nil,
        tell: (inout Story) -> Void
    ) {
        self.name = name
        self.told = told
        self.mode = mode
        self.end = end
        story = Story(tell)
    }

    var testDescription: String { name }

    /// Whether the verdict on an obligation is as expected.
    func check(_ id: String, _ location: SourceLocation = #_sourceLocation) {
        #expect(story.verdict(id, in: mode, end: end) == told, sourceLocation: location)
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

extension Story {
    /// The judge, after it has observed the whole story.
    func judge(in mode: GuideMode = .union) -> Judge {
        var judge = Judge(mode: mode)
        for entry in journal.entries() { judge.observe(entry) }
        return judge
    }

    /// The verdict on one obligation after this many seconds; nil if the obligation does not apply to clients in this
    /// mode.
    func verdict(_ id: String, in mode: GuideMode = .union, end seconds: Double? = nil) -> Told? {
        judge(in: mode).verdicts(at: seconds.map(Self.time)).first { $0.obligation.id == id }.map(Told.init)
    }

    /// How many times the client encountered each error path; paths that it never encountered are omitted.
    func exposures(end seconds: Double? = nil) -> [Exposure.Path: Int] {
        var counts: [Exposure.Path: Int] = [:]
        for exposure in judge().exposures(at: seconds.map(Self.time)) where exposure.count > 0 {
            counts[exposure.path] = exposure.count
        }
        return counts
    }
}

extension Story {
    /// A story written inline: `Story { $0.request(…) }`.
    init(_ tell: (inout Story) -> Void) {
        self.init()
        tell(&self)
    }
}
