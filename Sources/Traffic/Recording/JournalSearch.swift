/// A search of a journal that goes an entry at a time, so that it can be interrupted.
///
/// Takes one or two passes over the entries; frames are parsed only where `type` is asked for.
public struct JournalSearch: Sendable {
    /// What a step of the search came to.
    public enum Step: Sendable {
        /// The next entry that is asked for.
        case found(JournalEntry)
        /// An entry was looked at that is not asked for; it took as long as it takes to read so many bytes.
        case passed(cost: Int)
        /// There is no other.
        case end
    }

    private let query: JournalQuery
    private let entries: Journal.Entries
    /// The connections whose opening has the facts that are asked for.
    private var sockets: Set<UInt64> = []
    /// The next opening to look at, as long as there is one.
    private var nextOpening: Int
    /// The entries that are still to be looked at.
    private var rest: Range<Int>
    private var found = 0

    /// Begins to search among these entries, the whole journal's.
    public init(_ query: JournalQuery, in entries: Journal.Entries) {
        self.query = query
        self.entries = entries
        nextOpening = query.asksForRequestFacts ? entries.startIndex : entries.endIndex
        // Numbers go up by one, so what the query leaves out at either end is not even looked at.
        let first = entries.first?.number ?? 0
        func position(of number: Int) -> Int {
            let (offset, isTooFar) = number.subtractingReportingOverflow(first)
            let places = isTooFar ? (number < 0 ? -1 : .max) : offset
            return entries.startIndex + min(max(places, 0), entries.count)
        }
        let begin = position(of: query.since < .max ? query.since + 1 : .max)
        rest = begin..<max(begin, position(of: query.before))
    }

    /// Looks at the next entry.
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

    /// Looks for the sockets whose frames may be asked for.
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

    /// What it takes to look at an entry, in bytes that are read: of its path, or of its frame.
    fileprivate func cost(of entry: JournalEntry) -> Int {
        switch entry.event {
        case .exchange(let exchange) where path != nil: Self.leastCost + 2 * exchange.head.byteCount
        case .opened(let opening) where path != nil: Self.leastCost + 2 * opening.head.byteCount
        case .frame(let frame) where type != nil: Self.leastCost + 2 * frame.payload.bytes.count
        case .exchange, .opened, .frame, .closed, .fault, .clock, .note: Self.leastCost
        }
    }
}
