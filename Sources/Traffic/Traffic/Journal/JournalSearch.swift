/// A search of a journal that proceeds entry by entry, so that it can be interrupted.
///
/// It takes one or two passes over the entries; frames are parsed only if `type` is requested.
public struct JournalSearch: Sendable {
    public enum Step: Sendable {
        /// The next matching entry.
        case found(JournalEntry)
        /// An entry did not match; checking it took as long as reading this many bytes.
        case passed(cost: Int)
        /// There are no more entries.
        case end
    }

    private let query: JournalQuery
    private let entries: Journal.Entries
    /// The connections whose opening matches.
    private var sockets: Set<UInt64> = []
    /// The next opening to check, while there is one.
    private var nextOpening: Int
    /// The entries that remain to be checked.
    private var rest: Range<Int>
    private var found = 0

    /// Creates a search of these entries, which are those of the whole journal.
    public init(_ query: JournalQuery, in entries: Journal.Entries) {
        self.query = query
        self.entries = entries
        nextOpening = query.asksForRequestFacts ? entries.startIndex : entries.endIndex
        // Numbers increase by one, so the entries that the query excludes at either end are not even checked.
        let first = entries.first?.number ?? 0
        func position(of number: Int) -> Int {
            let (offset, isTooFar) = number.subtractingReportingOverflow(first)
            let places = isTooFar ? (number < 0 ? -1 : .max) : offset
            return entries.startIndex + min(max(places, 0), entries.count)
        }
        let begin = position(of: query.since < .max ? query.since + 1 : .max)
        rest = begin..<max(begin, position(of: query.before))
    }

    /// Checks the next entry.
    public mutating func next() -> Step {
        if nextOpening < entries.endIndex { return noteOpening() }
        guard found < query.limit, !rest.isEmpty else { return .end }
        let entry: JournalEntry
        if query.isNewestFirst {
            entry = entries[rest.upperBound - 1]
            rest = rest.lowerBound..<rest.upperBound - 1
        } else {
            entry = entries[rest.lowerBound]
            rest = rest.lowerBound + 1..<rest.upperBound
        }
        guard matches(entry) else { return .passed(cost: query.cost(of: entry)) }
        found += 1
        return .found(entry)
    }

    /// Finds the sockets whose frames may match.
    private mutating func noteOpening() -> Step {
        let entry = entries[nextOpening]
        nextOpening += 1
        guard case .opened = entry.event else { return .passed(cost: JournalQuery.leastCost) }
        if query.matchesRequestFacts(entry.event) == true { sockets.insert(entry.connection) }
        return .passed(cost: query.cost(of: entry))
    }

    private func matches(_ entry: JournalEntry) -> Bool {
        (!query.asksForRequestFacts || query.matchesRequestFacts(entry.event) ?? sockets.contains(entry.connection))
            && query.matches(entry)
    }
}

extension JournalQuery {
    fileprivate static let leastCost = 16

    /// The cost of checking an entry, in bytes read of its path or its frame.
    fileprivate func cost(of entry: JournalEntry) -> Int {
        switch entry.event {
        case .exchange(let exchange) where path != nil: Self.leastCost + 2 * exchange.head.byteCount
        case .opened(let opening) where path != nil: Self.leastCost + 2 * opening.head.byteCount
        case .frame(let frame) where type != nil: Self.leastCost + 2 * frame.payload.bytes.count
        case .exchange, .opened, .frame, .closed, .fault, .clock, .note: Self.leastCost
        }
    }
}
