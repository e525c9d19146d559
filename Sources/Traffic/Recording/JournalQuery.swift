import FitIQAPI
import HTTPTypes
import JSON

/// Which entries of a journal are wanted, how many, and in what order.
///
/// A condition on what an entry does not have excludes it: `status` leaves only exchanges and openings. Frames, faults and
/// ends of a socket have the user, the endpoint and the path of its opening, as long as that is in the journal.
public struct JournalQuery: Sendable {
    /// The method of the request.
    public var method: ExactString?
    /// What the path has to be like.
    public var path: PathPattern?
    /// The statuses wanted.
    public var status: ClosedRange<Int>?
    /// The operation.
    public var endpoint: Endpoint?
    /// The user's id.
    public var user: ExactString?
    /// The connection's number.
    public var connection: UInt64?
    /// The kinds of entries; none for all.
    public var kinds: Set<JournalEvent.Kind> = []
    /// Whether the request belongs to no operation.
    public var isUnmatched: Bool?
    /// Only entries with higher numbers.
    public var since = 0
    /// Only entries with lower numbers.
    public var before = Int.max
    /// Who sent the frame.
    public var sender: Party?
    /// The `type` of the frame.
    public var type: ExactString?
    /// The most entries that are given, 1 to 1,000.
    public var limit = 100
    /// Whether the newest entry comes first.
    public var isNewestFirst = true

    /// All entries, up to the limit, newest first.
    public init() {}

    /// Whether an entry's own facts fit; those of its socket are looked at by ``Journal/entries(_:)``.
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

    /// Whether there is a condition that a frame meets through the opening of its socket.
    var asksForRequestFacts: Bool { path != nil || endpoint != nil || user != nil }

    /// Whether the facts of a request fit that frames share with the opening of their socket; nil where it is no request.
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
    /// The entries that a query asks for, in its order.
    ///
    /// Takes one or two passes over the journal; frames are parsed only where `type` is asked for.
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
