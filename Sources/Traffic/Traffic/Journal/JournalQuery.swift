import FitIQAPI
import JSON
import Text

/// Selects journal entries, with a limit and an order.
///
/// A condition excludes entries that lack the property, so `status` selects only exchanges and openings. A socket's
/// frames, faults, holds and end inherit the user, endpoint, path and trace of the socket's opening, if the journal
/// contains the opening.
public struct JournalQuery: Sendable {
    public var method: ExactString?
    public var path: PathPattern?
    public var status: ClosedRange<Int>?
    public var endpoint: Endpoint?
    public var user: ExactString?
    /// The ID of the request's trace.
    public var trace: ExactString?
    public var connection: UInt64?
    /// The kinds of entries to include; empty means all.
    public var kinds: Set<JournalEvent.Kind> = []
    /// Whether the request must match no operation.
    public var isUnmatched: Bool?
    /// Only entries with higher numbers.
    public var since = 0
    /// Only entries with lower numbers.
    public var before = Int.max
    public var sender: Party?
    /// The `type` of a frame.
    public var type: ExactString?
    /// A string that a body, payload or message must contain, byte for byte.
    public var text: ExactString?
    /// The required values of JSON members.
    ///
    /// A URL query cannot express these conditions.
    public var members: [MemberCondition] = []
    /// The maximum number of entries returned, 1 to 1,000.
    public var limit = 100
    public var isNewestFirst = true

    /// Selects all entries, up to the limit, newest first.
    public init() {}

    /// Whether any condition on a frame depends on the opening of its socket.
    var asksForRequestFacts: Bool { path != nil || endpoint != nil || user != nil || trace != nil }

    /// Stores the handshakes of open sockets if the query needs them for frames.
    func note(_ entry: JournalEntry, in openings: inout [UInt64: RecordedOpening]) {
        guard asksForRequestFacts else { return }
        switch entry.event {
        case .opened(let opening): openings[entry.connection] = opening
        case .closed: openings[entry.connection] = nil
        default: break
        }
    }

    /// Whether an entry matches.
    ///
    /// - Parameter opening: The handshake of the entry's socket.
    func matches(_ entry: JournalEntry, opening: RecordedOpening?) -> Bool {
        differences(of: entry, opening: opening, in: .none).isEmpty
    }

    /// The conditions that an entry does not meet; empty if it matches.
    ///
    /// - Parameters:
    ///   - opening: The handshake of the entry's socket.
    ///   - detail: The level of detail; more detail takes more time.
    func differences(of entry: JournalEntry, opening: RecordedOpening?, in detail: Detail = .full) -> [Difference] {
        let (event, kind) = (entry.event, entry.event.kind)
        var differences: [Difference] = []
        func expect(
            _ name: @autoclosure () -> String, _ isMet: Bool?, _ wanted: @autoclosure () -> String,
            _ found: @autoclosure () -> String?
        ) {
            guard isMet == false else { return }
            switch detail {
            case .none: differences.append(Difference(name: "", wanted: "", found: nil))
            case .found: differences.append(Difference(name: "", wanted: "", found: found()))
            case .full: differences.append(Difference(name: name(), wanted: wanted(), found: found()))
            }
        }
        expect(
            "kind", kinds.isEmpty ? nil : kinds.contains(kind),
            Words.list(JournalEvent.Kind.allCases.filter(kinds.contains).map(\.rawValue), last: "or"), kind.rawValue)
        expect(
            "connection", connection.map { $0 == entry.connection }, "\(connection ?? 0)",
            entry.connection == 0 ? nil : "\(entry.connection)")
        // A frame inherits the path, endpoint and user of its socket.
        let own = event.request
        let shared = own ?? opening
        expect(
            "method", method.map { $0 == own.map { ExactString($0.head.method.rawValue) } }, method?.text ?? "",
            own?.head.method.rawValue)
        expect(
            "path", path.map { path in shared.map { path.matches($0.head.target) } ?? false }, path?.text ?? "",
            shared?.head.target.path)
        expect("endpoint", endpoint.map { $0 == shared?.endpoint }, endpoint?.name ?? "", shared?.endpoint?.name)
        expect("user", user.map { $0 == shared?.user }, user?.text ?? "", shared?.user?.text)
        expect(
            "trace", trace.map { trace in shared.map { TraceID.of($0.head) == trace.text } ?? false },
            trace?.text ?? "", shared.flatMap { TraceID.of($0.head) })
        expect(
            "status", status.map { status in own?.status.map(status.contains) ?? false },
            status.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound / 100)xx" } ?? "",
            own?.status.map { "\($0)" })
        expect(
            "unmatched", isUnmatched.map { $0 == own.map { $0.unmatched != nil } }, "\(isUnmatched ?? false)",
            own.map { "\($0.unmatched != nil)" })
        expect("direction", sender.map { $0 == event.sender }, sender?.direction ?? "", event.sender?.direction)
        expect("type", type.map { $0 == event.type.map(ExactString.init(_:)) }, type?.text ?? "", event.type)
        expect(
            "text \(text?.text.quoted(limit: 60) ?? "")",
            text.map { text in
                let bytes = Array(text.text.utf8)
                return event.contents.contains { $0.contains(bytes) }
            }, "", nil)
        for member in members {
            let found = member.value(in: event)
            let isMet = found.map(member.matches) ?? false
            expect(member.name, isMet, member.wanted, found.map(MemberCondition.shown))
        }
        return differences
    }

    /// How much detail to give about differences.
    enum Detail { case none, found, full }

    /// A condition that an entry does not meet.
    struct Difference {
        let name, wanted: String
        /// The entry's value, or nil if the entry has no such value.
        let found: String?

        var sentence: String {
            found.map { "\(name) is \($0.onOneLine(limit: 80)), not \(wanted.onOneLine(limit: 80))" }
                ?? "it has no \(name)"
        }
    }
}

extension JournalEvent {
    /// The side that sent a frame or a held message.
    fileprivate var sender: Party? {
        switch self {
        case .frame(let frame): frame.sender
        case .held(let hold): hold.sender
        default: nil
        }
    }

    fileprivate var type: String? {
        guard case .frame(let frame) = self else { return nil }
        return frame.type
    }

    /// The bodies, the payload or the message in an event.
    var contents: [[UInt8]] {
        switch self {
        case .exchange(let exchange): [exchange.body.bytes, exchange.responseBody.bytes]
        case .frame(let frame): [frame.payload.bytes]
        case .closed(let closing): closing.message.map { [Array($0.utf8)] } ?? []
        case .note(let note): [Array(note.utf8)]
        case .held(let hold): [Array(hold.subject.utf8)]
        case .released(let release): release.payload.map { [$0.bytes] } ?? []
        case .opened, .fault, .clock: []
        }
    }
}

extension JournalQuery {
    public static let parameters = [
        "method", "path", "status", "endpoint", "user", "trace", "connection", "kind", "unmatched", "since", "before",
        "direction", "type", "text", "limit", "order",
    ]

    /// Parses the query of a URL.
    ///
    /// - Throws: A 400 that lists the allowed values if a parameter is unknown, repeated or invalid.
    public init(query items: [(name: String, value: String)]) throws(APIError) {
        self.init()
        var seen: Set<ExactString> = []
        for (name, value) in items {
            guard Self.parameters.contains(name) else {
                throw Self.refusal(Messages.unknownParameter(name, allowed: Self.parameters))
            }
            guard seen.insert(ExactString(name)).inserted else {
                throw Self.refusal("The parameter '\(name)' occurs in the query more than once; send it only once.")
            }
            guard !value.isEmpty else { throw Self.refusal(Messages.empty(name)) }
            try set(name, to: value)
        }
    }

    private mutating func set(_ name: String, to value: String) throws(APIError) {
        let query = QueryReader([(name, value)])
        switch name {
        case "method": method = ExactString(value.uppercased())
        case "path":
            guard let pattern = PathPattern(value) else { throw Self.refusal(Messages.badPath(value)) }
            path = pattern
        case "status": status = try Self.statuses(value)
        case "endpoint": endpoint = try query.choice(name)
        case "user": user = ExactString(value)
        case "trace":
            guard TraceID.isValid(value) else { throw Self.refusal(Messages.badTrace(value)) }
            trace = ExactString(value)
        case "connection": connection = try query.number(name, in: 1...Int.max).map(UInt64.init)
        case "kind": if let kind = try query.choice(name, among: JournalEvent.Kind.allCases) { kinds = [kind] }
        case "unmatched": isUnmatched = try query.flag(name)
        case "since": since = try query.number(name, in: 0...Int.max) ?? since
        case "before": before = try query.number(name, in: 1...Int.max) ?? before
        case "direction":
            sender = Party.allCases.first { $0.direction == value }
            guard sender != nil else {
                throw .unknownChoice(name, got: value, allowed: Party.allCases.map(\.direction))
            }
        case "type": type = ExactString(value)
        case "text": text = ExactString(value)
        case "limit": limit = try query.number(name, in: 1...1000) ?? limit
        default: isNewestFirst = try query.choice(name, among: Order.allCases) == .desc
        }
    }

    private enum Order: String, CaseIterable { case asc, desc }

    private static func refusal(_ message: String) -> APIError { APIError(.badRequest, .validationFailed, message) }

    /// Parses a status such as `404`, or `4xx` for every status from 400 to 499.
    private static func statuses(_ value: String) throws(APIError) -> ClosedRange<Int> {
        let digits = Array(value.utf8)
        if digits.count == 3, (UInt8(ascii: "1")...UInt8(ascii: "5")).contains(digits[0]) {
            if value.lowercased().hasSuffix("xx") {
                let first = Int(digits[0] - UInt8(ascii: "0")) * 100
                return first...(first + 99)
            }
            if digits.allSatisfy(\.isDigit), let status = Int(value) { return status...status }
        }
        throw refusal(Messages.badStatus(value))
    }
}

/// A condition on a JSON member in a frame's payload, a response's body or a request's body.
public struct MemberCondition: Sendable {
    /// The names and indices that lead to the member.
    private let steps: [Step]
    private let path: String
    private let value: JSONValue
    private let isOfRequest: Bool

    private enum Step: Sendable {
        case name(String)
        case index(Int)
    }

    /// Returns nil if the path is malformed or the value is an object or array.
    ///
    /// - Parameter path: Names separated by dots, and indices from 0 in brackets: `data.items[0].name`.
    public init?(_ path: String, equals value: JSONValue, isOfRequest: Bool) {
        switch value {
        case .object, .array: return nil
        default: break
        }
        var steps: [Step] = []
        for part in path.split(separator: ".", omittingEmptySubsequences: false) {
            let pieces = part.split(separator: "[", omittingEmptySubsequences: false)
            if !pieces[0].isEmpty {
                steps.append(.name(String(pieces[0])))
            } else if pieces.count == 1 || !steps.isEmpty {
                return nil
            }
            for piece in pieces.dropFirst() {
                guard piece.last == "]", let index = Int(piece.dropLast()), index >= 0 else { return nil }
                steps.append(.index(index))
            }
        }
        guard steps.count <= Self.mostSteps else { return nil }
        (self.steps, self.path, self.value, self.isOfRequest) = (steps, path, value, isOfRequest)
    }

    /// The maximum number of steps, which is the maximum nesting depth of JSON.
    private static let mostSteps = JSON.Limits().depth

    /// The name used in sentences about differences.
    var name: String { "\(path)\(isOfRequest ? " in the request" : "")" }
    var wanted: String { Self.shown(value) }

    /// Formats a string without quotes, and any other value as JSON.
    static func shown(_ value: JSONValue) -> String { value.string ?? String(decoding: value.encoded(), as: UTF8.self) }

    /// The value in an event, or nil if the event has no such JSON or no such member.
    func value(in event: JournalEvent) -> JSONValue? {
        let bytes: [UInt8]
        switch event {
        case .exchange(let exchange): bytes = isOfRequest ? exchange.body.bytes : exchange.responseBody.bytes
        case .frame(let frame) where !isOfRequest: bytes = frame.payload.bytes
        default: return nil
        }
        guard let json = try? JSON.parse(bytes) else { return nil }
        return steps.reduce(json) { value, step in
            switch step {
            case .name(let name): value?[name]
            case .index(let index): value?[index]
            }
        }
    }

    /// Compares values; different spellings of a number count as equal.
    func matches(_ found: JSONValue) -> Bool {
        if let wanted = value.number, let found = found.number {
            return wanted == found || wanted.double != nil && wanted.double == found.double
        }
        return found == value
    }
}
