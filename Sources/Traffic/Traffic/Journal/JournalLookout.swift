import FitIQAPI
import HTTP1
import JSON
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

    /// Checks the next entry; the end is that of the journal as it is now.
    public mutating func next(in journal: Journal) -> JournalSearch.Step {
        guard let entry = journal.entries(after: checked).first else {
            checked = max(checked, journal.lastNumber)
            return .end
        }
        checked = entry.number
        defer { noteSocket(entry) }
        guard entry.number > query.since else { return .passed(cost: 16) }
        let differences = query.differences(of: entry, opening: openings[entry.connection])
        guard !differences.isEmpty else { return .found(entry) }
        if query.kinds.isEmpty || query.kinds.contains(entry.event.kind) { note(entry, differences) }
        return .passed(cost: 512 + (query.type == nil && query.text == nil ? 0 : 2 * entry.byteCount))
    }

    private mutating func noteSocket(_ entry: JournalEntry) {
        guard query.asksForRequestFacts else { return }
        switch entry.event {
        case .opened(let opening): openings[entry.connection] = opening
        case .closed: openings[entry.connection] = nil
        default: break
        }
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

extension JournalQuery {
    /// A condition that an entry does not meet.
    struct Difference {
        let name, wanted: String
        /// The entry's value; nil if it has none.
        let found: String?

        var sentence: String {
            found.map { "\(name) is \($0.onOneLine(limit: 80)), not \(wanted.onOneLine(limit: 80))" }
                ?? "it has no \(name)"
        }
    }

    /// The conditions that an entry does not meet; none if it matches.
    ///
    /// - Parameter opening: The handshake of the entry's socket.
    func differences(of entry: JournalEntry, opening: RecordedOpening?) -> [Difference] {
        var differences: [Difference] = []
        func expect(_ name: String, _ wanted: String?, _ found: @autoclosure () -> String?, isMet: Bool? = nil) {
            guard let wanted, isMet != true else { return }
            let found = found()
            if isMet == nil, let found, found.isExactly(wanted) { return }
            differences.append(Difference(name: name, wanted: wanted, found: found))
        }
        let kind = entry.event.kind
        if !kinds.isEmpty {
            let names = Kind.allCases.filter(kinds.contains).map(\.rawValue)
            expect("kind", Words.list(names, last: "or"), kind.rawValue, isMet: kinds.contains(kind))
        }
        let facts = RequestFacts(entry.event, opening: opening)
        expect("connection", connection.map { "\($0)" }, entry.connection == 0 ? nil : "\(entry.connection)")
        expect("method", method?.text, facts.method)
        expect("path", path?.text, facts.target?.path, isMet: path.flatMap { path in facts.target.map(path.matches) })
        expect("endpoint", endpoint?.name, facts.endpoint?.name)
        expect("user", user?.text, facts.user?.text)
        expect(
            "status", status.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound / 100)xx" },
            facts.status.map { "\($0)" }, isMet: status.flatMap { status in facts.status.map(status.contains) })
        expect("unmatched", isUnmatched.map { "\($0)" }, facts.isUnmatched.map { "\($0)" })
        expect("direction", sender?.direction, entry.event.sender?.direction)
        if let type {
            var found: String?
            if case .frame(let frame) = entry.event { found = frame.type }
            expect("type", type.text, found)
        }
        if let text, !entry.event.contains(Array(text.text.utf8)) {
            differences.append(Difference(name: "text \(text.text.quoted(limit: 60))", wanted: "", found: nil))
        }
        return differences
    }

    private typealias Kind = JournalEvent.Kind

    /// What an entry says about a request, or shares with the handshake of its socket.
    private struct RequestFacts {
        var method: String?
        var status: Int?
        var isUnmatched: Bool?
        var target: RequestTarget?
        var endpoint: Endpoint?
        var user: ExactString?

        init(_ event: JournalEvent, opening: RecordedOpening?) {
            switch event {
            case .exchange(let exchange):
                (method, status) = (exchange.head.method.rawValue, exchange.status)
                (target, endpoint, user) = (exchange.head.target, exchange.endpoint, exchange.user)
                isUnmatched = exchange.unmatched != nil
            case .opened(let opening):
                (method, status, isUnmatched) = (opening.head.method.rawValue, 101, false)
                (target, endpoint, user) = (opening.head.target, opening.endpoint, opening.user)
            default: (target, endpoint, user) = (opening?.head.target, opening?.endpoint, opening?.user)
            }
        }
    }
}

extension JournalEvent {
    /// Which side sent a frame, or what is held.
    fileprivate var sender: Party? {
        switch self {
        case .frame(let frame): frame.sender
        case .held(let hold): hold.sender
        default: nil
        }
    }

    /// Whether a body, a payload or a message contains these bytes.
    func contains(_ text: [UInt8]) -> Bool {
        switch self {
        case .exchange(let exchange): exchange.body.bytes.contains(text) || exchange.responseBody.bytes.contains(text)
        case .frame(let frame): frame.payload.bytes.contains(text)
        case .closed(let closing): closing.message.map { Array($0.utf8).contains(text) } ?? false
        case .note(let note): Array(note.utf8).contains(text)
        case .held(let hold): Array(hold.subject.utf8).contains(text)
        case .released(let release): release.payload?.bytes.contains(text) ?? false
        case .opened, .fault, .clock: false
        }
    }
}
