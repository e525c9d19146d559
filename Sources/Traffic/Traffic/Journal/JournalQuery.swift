import FitIQAPI
import HTTPTypes
import JSON
import Text

/// Selects entries of a journal, with a limit and an order.
///
/// A condition on something that an entry lacks excludes it: `status` leaves only exchanges and openings. Frames,
/// faults, holds and ends of a socket share the user, endpoint and path of its opening, as long as the opening is in
/// the journal.
public struct JournalQuery: Sendable {
    public var method: ExactString?
    public var path: PathPattern?
    public var status: ClosedRange<Int>?
    public var endpoint: Endpoint?
    /// The user's ID.
    public var user: ExactString?
    public var connection: UInt64?
    /// The kinds of entries; empty for all.
    public var kinds: Set<JournalEvent.Kind> = []
    /// Whether the request matches no operation.
    public var isUnmatched: Bool?
    /// Only entries with higher numbers.
    public var since = 0
    /// Only entries with lower numbers.
    public var before = Int.max
    public var sender: Party?
    /// The `type` of the frame.
    public var type: ExactString?
    /// What a body, a payload or a message contains, byte for byte.
    public var text: ExactString?
    /// The maximum number of entries returned, 1 to 1,000.
    public var limit = 100
    public var isNewestFirst = true

    /// Selects all entries, up to the limit, newest first.
    public init() {}

    /// Whether the entry's own facts match; ``Journal/entries(_:)`` checks those of its socket.
    func matches(_ entry: JournalEntry) -> Bool {
        if let text, !entry.event.contains(Array(text.text.utf8)) { return false }
        guard kinds.isEmpty || kinds.contains(entry.event.kind), connection == nil || connection == entry.connection
        else {
            return false
        }
        switch entry.event {
        case .exchange(let exchange):
            return sender == nil && type == nil && matches(method: exchange.head.method)
                && (status.map { exchange.status.map($0.contains) ?? false } ?? true)
                && (isUnmatched ?? (exchange.unmatched != nil)) == (exchange.unmatched != nil)
        case .opened(let opening):
            return sender == nil && type == nil && matches(method: opening.head.method)
                && status?.contains(101) ?? true && isUnmatched != true
        case .frame(let frame):
            return method == nil && status == nil && isUnmatched == nil && (sender ?? frame.sender) == frame.sender
                && (type == nil || frame.type.map(ExactString.init(_:)) == type)
        case .held(let hold):
            return method == nil && status == nil && isUnmatched == nil && type == nil
                && (sender ?? hold.sender) == hold.sender
        case .closed, .fault, .clock, .note, .released:
            return method == nil && status == nil && isUnmatched == nil && sender == nil && type == nil
        }
    }

    private func matches(method arrived: HTTPRequest.Method) -> Bool {
        method == nil || method == ExactString(arrived.rawValue)
    }

    /// Whether any condition applies to a frame through the opening of its socket.
    var asksForRequestFacts: Bool { path != nil || endpoint != nil || user != nil }

    /// Whether the request facts that frames share with their opening match, or nil if the event is not a request.
    func matchesRequestFacts(_ event: JournalEvent) -> Bool? {
        switch event {
        case .exchange(let exchange):
            (endpoint == nil || endpoint == exchange.endpoint) && (user == nil || user == exchange.user)
                && path?.matches(exchange.head.target) ?? true
        case .opened(let opening):
            (endpoint == nil || endpoint == opening.endpoint) && (user == nil || user == opening.user)
                && path?.matches(opening.head.target) ?? true
        case .frame, .closed, .fault, .clock, .note, .held, .released: nil
        }
    }
}

extension Journal {
    /// Returns the entries that match a query, in its order.
    ///
    /// This takes one or two passes over the journal; frames are parsed only if `type` is requested.
    public func entries(_ query: JournalQuery) -> [JournalEntry] {
        var search = JournalSearch(query, in: entries())
        var found: [JournalEntry] = []
        while true {
            switch search.next() {
            case .found(let entry): found.append(entry)
            case .passed: continue
            case .end: return found
            }
        }
    }
}

extension JournalQuery {
    public static let parameters = [
        "method", "path", "status", "endpoint", "user", "connection", "kind", "unmatched", "since", "before",
        "direction", "type", "text", "limit", "order",
    ]

    /// Parses the query of a URL.
    ///
    /// - Throws: 400 for a parameter that is unknown, repeated, or has an invalid value; the error names what is
    ///   allowed.
    public init(query items: [(name: String, value: String)]) throws(APIError) {
        self.init()
        var seen: Set<ExactString> = []
        for (name, value) in items {
            guard Self.parameters.contains(name) else {
                throw Self.refusal(JournalMessages.unknownParameter(name, allowed: Self.parameters))
            }
            guard seen.insert(ExactString(name)).inserted else {
                throw Self.refusal(JournalMessages.repeatedParameter(name))
            }
            guard !value.isEmpty else { throw Self.refusal(JournalMessages.empty(name)) }
            try set(name, to: value)
        }
    }

    private mutating func set(_ name: String, to value: String) throws(APIError) {
        let query = QueryReader([(name, value)])
        switch name {
        case "method": method = ExactString(value.uppercased())
        case "path":
            guard let pattern = PathPattern(value) else { throw Self.refusal(JournalMessages.badPath(value)) }
            path = pattern
        case "status": status = try Self.statuses(value)
        case "endpoint": endpoint = try query.choice(name)
        case "user": user = ExactString(value)
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

    /// Parses `404`, or `4xx` for all statuses that begin with a 4.
    private static func statuses(_ value: String) throws(APIError) -> ClosedRange<Int> {
        let digits = Array(value.utf8)
        if digits.count == 3, (UInt8(ascii: "1")...UInt8(ascii: "5")).contains(digits[0]) {
            if value.lowercased().hasSuffix("xx") {
                let first = Int(digits[0] - UInt8(ascii: "0")) * 100
                return first...(first + 99)
            }
            if digits.allSatisfy(\.isDigit), let status = Int(value) { return status...status }
        }
        throw refusal(JournalMessages.badStatus(value))
    }
}
