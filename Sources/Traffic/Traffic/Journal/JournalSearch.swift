import FitIQAPI
import HTTP1
import JSON
import Text

/// A search of a journal that proceeds entry by entry and can be interrupted.
///
/// The search takes one or two passes over the entries. Frames are parsed only for `type`.
public struct JournalSearch: Sequence, IteratorProtocol, Sendable {
    public enum Step: Sendable {
        case found(JournalEntry)
        /// The entry did not match; the check cost as much as reading this many bytes.
        case passed(cost: Int)
    }

    private let query: JournalQuery
    private let entries: Journal.Entries
    /// The handshakes of open sockets, which provide a frame's user, endpoint, path and trace.
    private var openings: [UInt64: RecordedOpening] = [:]
    private var nextOpening: Int
    /// The entries that remain to be checked.
    private var rest: Range<Int>
    private var found = 0

    /// Creates a search of the whole journal's entries.
    public init(_ query: JournalQuery, in entries: Journal.Entries) {
        (self.query, self.entries) = (query, entries)
        nextOpening = query.asksForRequestFacts ? entries.startIndex : entries.endIndex
        // Numbers increase by one, so the entries that `since` and `before` exclude can be skipped.
        let first = entries.first?.number ?? 0
        func position(of number: Int) -> Int {
            entries.startIndex + Swift.min(Swift.max(number, first) - first, entries.count)
        }
        let begin = position(of: query.since < .max ? query.since + 1 : .max)
        rest = begin..<Swift.max(begin, position(of: query.before))
    }

    /// Checks the next entry, or returns nil after the last one.
    public mutating func next() -> Step? {
        if nextOpening < entries.endIndex { return noteOpening() }
        guard found < query.limit, !rest.isEmpty else { return nil }
        let entry: JournalEntry
        if query.isNewestFirst {
            entry = entries[rest.upperBound - 1]
            rest = rest.lowerBound..<rest.upperBound - 1
        } else {
            entry = entries[rest.lowerBound]
            rest = rest.lowerBound + 1..<rest.upperBound
        }
        guard query.matches(entry, opening: openings[entry.connection]) else {
            return .passed(cost: query.cost(of: entry))
        }
        found += 1
        return .found(entry)
    }

    private mutating func noteOpening() -> Step {
        let entry = entries[nextOpening]
        nextOpening += 1
        if case .opened(let opening) = entry.event { openings[entry.connection] = opening }
        return .passed(cost: JournalQuery.leastCost)
    }
}

extension JournalQuery {
    fileprivate static let leastCost = 16

    /// The cost of checking an entry, as a number of bytes to read.
    fileprivate func cost(of entry: JournalEntry) -> Int {
        if text != nil { return Self.leastCost + 2 * entry.byteCount }
        return switch entry.event {
        case .exchange(let exchange) where path != nil || trace != nil,
            .opened(let exchange) where path != nil || trace != nil:
            Self.leastCost + 2 * exchange.head.byteCount
        case .frame(let frame) where type != nil: Self.leastCost + 2 * frame.payload.bytes.count
        case .exchange, .opened, .frame, .closed, .fault, .clock, .note, .held, .released: Self.leastCost
        }
    }
}

/// A condition on a path: the path contains a string or matches a template.
public enum PathPattern: Sendable, Equatable {
    /// The path as received, percent-encoded, contains the string.
    case containing(String)
    /// The path has these segments, where nil matches any segment; a world's `/w/{world}` does not count.
    case template([ExactString?])

    /// Parses `/messages` or `/api/v1/goals/{goalId}`.
    ///
    /// A string with a brace is a template and must begin with a slash.
    ///
    /// Returns nil for an empty string or a malformed template.
    public init?(_ text: String) {
        guard !text.isEmpty else { return nil }
        guard text.utf8.contains(where: Self.isBrace) else {
            self = .containing(text)
            return
        }
        // Compare bytes, because a slash and a combining mark after it form one character.
        guard text.utf8.first == UInt8(ascii: "/") else { return nil }
        var segments: [ExactString?] = []
        for segment in text.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            if segment.first == UInt8(ascii: "{"), segment.last == UInt8(ascii: "}"), segment.count > 2 {
                segments.append(nil)
            } else if segment.contains(where: Self.isBrace) {
                return nil
            } else {
                segments.append(ExactString(Substring(segment)))
            }
        }
        self = .template(segments)
    }

    private static func isBrace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "{") || byte == UInt8(ascii: "}") }

    func matches(_ target: RequestTarget) -> Bool {
        switch self {
        case .containing(let text): return Array(target.path.utf8).contains(Array(text.utf8))
        case .template(let wanted):
            let segments = target.segmentsInWorld
            return segments.count == wanted.count
                && zip(segments, wanted).allSatisfy { $1 == nil || ExactString($0) == $1 }
        }
    }

    /// The pattern as written.
    var text: String {
        switch self {
        case .containing(let text): text
        case .template(let segments): "/" + segments.map { $0?.text ?? "{…}" }.joined(separator: "/")
        }
    }
}

/// Waits for the first entry of a growing journal that matches a query, and stores the nearest misses.
///
/// Each entry is checked only once, and the query's order and limit are ignored.
public struct JournalLookout: Sendable {
    /// An entry that meets only some of the conditions.
    public struct NearMiss: Sendable {
        /// The entry, with the first ``bodyLimit`` bytes of its bodies.
        public fileprivate(set) var entry: JournalEntry
        /// The conditions that it does not meet, such as `status is 409, not 201`.
        public fileprivate(set) var differences: [String] = []
        fileprivate let distance: Int
        fileprivate let opening: RecordedOpening?
        fileprivate var isDescribed = false
    }

    /// The number of bytes of each body that are stored in a near miss.
    public static let bodyLimit = 4096
    /// The maximum number of near misses to store.
    public static let mostMisses = 3

    private let query: JournalQuery
    /// The number after which the search starts.
    public var since: Int { query.since }
    /// The handshakes of open sockets, which provide a frame's user, endpoint, path and trace.
    private var openings: [UInt64: RecordedOpening] = [:]
    /// The number of the last entry checked.
    public private(set) var checked: Int
    /// The near misses, ordered by number of differences and then from newest to oldest.
    ///
    /// The differences are filled in when ``next(in:)`` reaches the end, because most near misses are soon replaced.
    public private(set) var nearMisses: [NearMiss] = []

    public init(_ query: JournalQuery) {
        self.query = query
        checked = query.asksForRequestFacts ? 0 : query.since
    }

    /// Checks the next entry, or returns nil at the journal's current end.
    public mutating func next(in journal: Journal) -> JournalSearch.Step? {
        guard let entry = journal.entries(after: checked).first else {
            checked = max(checked, journal.lastNumber)
            for index in nearMisses.indices where !nearMisses[index].isDescribed { describe(index) }
            return nil
        }
        checked = entry.number
        defer { query.note(entry, in: &openings) }
        guard entry.number > query.since else { return .passed(cost: 16) }
        let opening = openings[entry.connection]
        let kind = entry.event.kind
        // Entries about clock advances are near misses only if asked for, because advancing a clock records many
        // entries.
        let isNoted = query.kinds.isEmpty ? kind != .clock : query.kinds.contains(kind)
        let differences = query.differences(of: entry, opening: opening, in: isNoted ? .found : .none)
        guard !differences.isEmpty else { return .found(entry) }
        // A missing value counts as a larger difference than a wrong one.
        if isNoted { note(entry, differences.reduce(0) { $0 + ($1.found == nil ? 2 : 1) }, opening) }
        let readsBytes = query.text != nil || query.type != nil || !query.members.isEmpty
        return .passed(cost: 128 + (readsBytes ? (2 + 8 * query.members.count) * entry.byteCount : 0))
    }

    private mutating func note(_ entry: JournalEntry, _ distance: Int, _ opening: RecordedOpening?) {
        if nearMisses.count == Self.mostMisses, distance > nearMisses[nearMisses.count - 1].distance { return }
        let place = nearMisses.firstIndex { $0.distance >= distance } ?? nearMisses.count
        nearMisses.insert(NearMiss(entry: entry, distance: distance, opening: opening), at: place)
        if nearMisses.count > Self.mostMisses { nearMisses.removeLast() }
    }

    private mutating func describe(_ index: Int) {
        let miss = nearMisses[index]
        nearMisses[index].differences = query.differences(of: miss.entry, opening: miss.opening).map(\.sentence)
        nearMisses[index].entry = miss.entry.excerpt(bodies: Self.bodyLimit)
        nearMisses[index].isDescribed = true
    }
}

/// Selects entries by words that must all match.
///
///     status=4xx path=/goals CONSULTATION_EXISTS
///
/// A word `key=value` is a condition from ``JournalQuery`` or from the admin page (`fault`, `verdict`, `pings`,
/// `chunks`). Any other word must occur in the entry's line or bodies, ignoring case. Frames inherit the path, endpoint
/// and user of their socket's opening if the filter has seen the opening.
public struct TrafficFilter: Sendable {
    private enum Shown: String, CaseIterable { case show, hide }

    /// The keys of ``JournalQuery`` that concern a single entry, and the page's keys.
    public static let keys =
        JournalQuery.parameters.filter { !["since", "before", "limit", "order"].contains($0) }
        + ["fault", "verdict", "pings", "chunks"]
    /// The keys that apply both to a socket's chunks and to its close.
    private static let socketKeys = [
        "pings", "method", "path", "endpoint", "user", "trace", "connection",
    ]

    private let query: JournalQuery
    private let words: [String]
    private let hasConditions: Bool
    /// The name of a fault that must have been applied, or `any`.
    private let fault: String?
    /// The ID of an obligation whose breaches are shown instead of entries, or `broken` for all obligations.
    private let verdict: String?
    private let pings, chunks: Shown?
    /// Whether to show the chunks of an answer as one line.
    public let foldsChunks: Bool
    /// The handshakes of open sockets, which provide a frame's user, endpoint, path and trace.
    private var openings: [UInt64: RecordedOpening] = [:]
    private static let whole = TrafficLines(width: 10_000)

    /// Parses a filter.
    ///
    /// An empty string selects everything.
    ///
    /// - Parameter obligations: The IDs that `verdict` may name, or empty to accept any ID.
    /// - Throws: A 400 for an unknown or repeated key, or an invalid value.
    public init(_ text: String, obligations: [String] = []) throws(APIError) {
        var conditions: [(name: String, value: String)] = []
        var words: [String] = []
        for word in text.split(whereSeparator: \.isWhitespace) {
            // A word that is a query string or JSON is not a condition.
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, parts[0].utf8.allSatisfy(\.isLetter) else {
                words.append(word.lowercased())
                continue
            }
            let key = String(parts[0])
            guard Self.keys.contains(key) else {
                let message = Messages.unknownParameter(key, allowed: Self.keys)
                throw APIError(.badRequest, .validationFailed, message)
            }
            conditions.append((key, String(parts[1])))
        }
        func own(_ key: String) -> String? { conditions.first { $0.name == key }?.value }
        (fault, verdict) = (own("fault"), own("verdict"))
        if let verdict, !obligations.isEmpty, verdict != "broken", !obligations.contains(verdict) {
            let message = Messages.unknownVerdict(verdict, known: obligations + ["broken"])
            throw APIError(.badRequest, .validationFailed, message)
        }
        pings = try own("pings").flatMap { (text) throws(APIError) in try Self.shown("pings", text, [.show]) }
        chunks = try own("chunks").flatMap { (text) throws(APIError) in try Self.shown("chunks", text, Shown.allCases) }
        foldsChunks = words.isEmpty && conditions.allSatisfy { Self.socketKeys.contains($0.name) }
        query = try JournalQuery(query: conditions.filter { JournalQuery.parameters.contains($0.name) })
        hasConditions = conditions.contains { !["verdict", "pings", "chunks"].contains($0.name) }
        self.words = words
    }

    private static func shown(_ key: String, _ text: String, _ allowed: [Shown]) throws(APIError) -> Shown {
        guard let shown = allowed.first(where: { $0.rawValue == text }) else {
            throw .unknownChoice(key, got: text, allowed: allowed.map(\.rawValue))
        }
        return shown
    }

    /// Whether to show matching entries.
    ///
    /// With `verdict`, only breaches are shown, each after the entries that prove it.
    public var showsEntries: Bool { verdict == nil }
    public var showsPings: Bool { pings == .show }

    /// Whether to show breaches of the obligation.
    public func selects(breachOf obligation: String) -> Bool {
        verdict == nil || verdict == "broken" || verdict == obligation
    }

    /// Whether the entry matches.
    ///
    /// Call this function for every entry, in order.
    public mutating func matches(_ entry: JournalEntry) -> Bool {
        defer { query.note(entry, in: &openings) }
        guard query.matches(entry, opening: openings[entry.connection]), chunks != .hide || !entry.event.isChunk,
            fault.map({ fault in entry.event.faultNames.contains { fault == "any" || fault == $0 } }) ?? true
        else { return false }
        guard !words.isEmpty else { return true }
        var text = Self.whole.lines(of: entry).joined()
        for content in entry.event.contents { text += "\n" + String(decoding: content, as: UTF8.self) }
        return hasWords(text)
    }

    /// Whether a string that is not a journal entry contains all words.
    ///
    /// The result is false if there are any conditions, because only entries can meet conditions.
    public func matches(text: String) -> Bool { !hasConditions && hasWords(text) }

    private func hasWords(_ text: String) -> Bool {
        let text = text.lowercased()
        return words.allSatisfy { text.contains($0) }
    }

    /// Removes all sockets because the world or its server has restarted.
    public mutating func forgetSockets() { openings.removeAll() }
}

extension JournalEvent {
    /// Whether the event is a chunk of the coach's answer.
    var isChunk: Bool {
        guard case .frame(let frame) = self, frame.sender == .server, frame.opcode == .text else { return false }
        return ["stream_chunk", "assistant_message_chunk"].contains(frame.type)
    }

    /// The names of the applied faults.
    public var faultNames: [String] {
        switch self {
        case .exchange(let exchange), .opened(let exchange): exchange.faults
        case .frame(let frame): frame.faults
        case .closed(let closing): closing.faults
        case .fault(let fault): [fault.name]
        case .held, .released, .clock, .note: []
        }
    }

    /// Whether the event only keeps a connection alive: a ping or pong, as a control frame or as JSON.
    public var isPing: Bool {
        guard case .frame(let frame) = self else { return false }
        switch frame.opcode {
        case .ping, .pong: return true
        // A longer message contains more than just its type.
        case .text where frame.payload.byteCount < 200: return frame.type == "ping" || frame.type == "pong"
        case .text, .binary, .close, .continuation: return false
        }
    }
}
