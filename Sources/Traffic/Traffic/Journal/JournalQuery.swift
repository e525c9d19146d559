import FitIQAPI
import HTTPTypes
import JSON

/// Selects entries of a journal, with a limit and an order.
///
/// A condition on something that an entry lacks excludes it: `status` leaves only exchanges and openings. Frames,
/// faults and ends of a socket share the user, endpoint and path of its opening, as long as the opening is in the
/// journal.
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
    /// The maximum number of entries returned, 1 to 1,000.
    public var limit = 100
    public var isNewestFirst = true

    /// Selects all entries, up to the limit, newest first.
    public init() {}

    /// Whether the entry's own facts match; ``Journal/entries(_:)`` checks those of its socket.
    func matches(_ entry: JournalEntry) -> Bool {
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
        case .closed, .fault, .clock, .note:
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
        case .frame, .closed, .fault, .clock, .note: nil
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
