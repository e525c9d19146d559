import FitIQAPI
import Text

/// Looks for the first entry of a growing journal that matches a query, and keeps the nearest misses.
///
/// It checks each entry once, so that a long wait in a busy world costs no more than its entries. The order and the
/// limit of the query do not count.
public struct JournalLookout: Sendable {
    /// An entry that meets some of the conditions.
    public struct NearMiss: Sendable {
        /// With the first ``bodyLimit`` bytes of its bodies.
        public let entry: JournalEntry
        /// The conditions that it does not meet, such as `status is 409, not 201`.
        public let differences: [String]
        fileprivate let distance: Int
    }

    /// The bytes of a body in a near miss.
    public static let bodyLimit = 4096
    /// How many near misses are kept.
    public static let mostMisses = 3

    private let query: JournalQuery
    /// The handshakes of open sockets, whose facts their frames share.
    private var openings: [UInt64: RecordedOpening] = [:]
    /// The number of the last entry that was checked.
    public private(set) var checked: Int
    /// Those with the fewest differences, and of these the newest, come first.
    public private(set) var nearMisses: [NearMiss] = []

    public init(_ query: JournalQuery) {
        self.query = query
        checked = query.asksForRequestFacts ? 0 : query.since
    }

    /// Checks the next entry; nil at the end of the journal as it is now.
    public mutating func next(in journal: Journal) -> JournalSearch.Step? {
        guard let entry = journal.entries(after: checked).first else {
            checked = max(checked, journal.lastNumber)
            return nil
        }
        checked = entry.number
        defer { query.note(entry, in: &openings) }
        guard entry.number > query.since else { return .passed(cost: 16) }
        let differences = query.differences(of: entry, opening: openings[entry.connection])
        guard !differences.isEmpty else { return .found(entry) }
        let kind = entry.event.kind
        // What moves a clock makes an entry of each step.
        if query.kinds.isEmpty ? kind != .clock : query.kinds.contains(kind) { note(entry, differences) }
        return .passed(cost: 512 + (query.type == nil && query.text == nil ? 0 : 2 * entry.byteCount))
    }

    private mutating func note(_ entry: JournalEntry, _ differences: [JournalQuery.Difference]) {
        // What an entry cannot have at all is farther away than another value.
        let distance = differences.reduce(0) { $0 + ($1.found == nil ? 2 : 1) }
        if nearMisses.count == Self.mostMisses, distance > nearMisses[nearMisses.count - 1].distance { return }
        let place = nearMisses.firstIndex { $0.distance >= distance } ?? nearMisses.count
        let miss = NearMiss(
            entry: entry.excerpt(bodies: Self.bodyLimit), differences: differences.map(\.sentence), distance: distance)
        nearMisses.insert(miss, at: place)
        if nearMisses.count > Self.mostMisses { nearMisses.removeLast() }
    }
}
