import JSON
import Text
import WebSocket

/// Compares two sessions by meaning: order, statuses, JSON values and messages.
///
/// The comparison ignores data that may differ between identical runs: IDs, times, tokens and redacted secrets, the
/// server's host, header fields except the response's media type, pings and pongs, and durations.
public struct SessionComparison: Sendable {
    /// The differences in the first session's order, followed by entries that only the second session contains.
    public private(set) var differences: [SessionDifference] = []
    private let first: SessionSummary
    private let second: SessionSummary

    /// The maximum number of values to list per request, response or message; additional values are only counted.
    static let changeLimit = 20

    /// The comparison takes linear time in the number of bytes.
    ///
    /// Aligning up to a few thousand entries that are in different orders takes quadratic time.
    public init(_ first: Session, _ second: Session) {
        self.first = SessionSummary(first)
        self.second = SessionSummary(second)
        let urls = first.entries.map { RequestURL($0.request.url) }
        let others = second.entries.map { RequestURL($0.request.url) }
        let comparison = ValueComparison(urls, others)
        let left = zip(first.entries, urls).map(EntryKey.init)
        let right = zip(second.entries, others).map(EntryKey.init)
        let alignment = Alignment(left, right)
        var found: [(place: Int, difference: SessionDifference)] = []
        func compare(_ i: Int, _ j: Int) {
            let changes = comparison.changes((first.entries[i], urls[i]), (second.entries[j], others[j]))
            if !changes.isEmpty { found.append((i, .changed(name: left[i].name.text, first: i, second: j, changes))) }
        }
        for pair in alignment.pairs { compare(pair.first, pair.second) }
        // An entry without a partner at this position may have a partner elsewhere.
        var elsewhere: [EntryKey: ArraySlice<Int>] = [:]
        for index in alignment.onlySecond { elsewhere[right[index], default: []].append(index) }
        var moved: Set<Int> = []
        for index in alignment.onlyFirst {
            guard let other = elsewhere[left[index]]?.popFirst() else {
                found.append((index, .onlyInFirst(name: left[index].name.text, place: index)))
                continue
            }
            moved.insert(other)
            found.append((index, .moved(name: left[index].name.text, first: index, second: other)))
            compare(index, other)
        }
        // The sort is stable, so a move comes before its changes.
        differences = found.sorted { $0.place < $1.place }.map(\.difference)
        for index in alignment.onlySecond where !moved.contains(index) {
            differences.append(.onlyInSecond(name: right[index].name.text, place: index))
        }
    }

    public var isEqual: Bool { differences.isEmpty }

    /// Formats one line per difference, with recorded content escaped.
    public func text(names first: String, _ second: String) -> String {
        var lines = [
            Messages.summary(self.first, name: "- " + TerminalText.escaped(first)),
            Messages.summary(self.second, name: "+ " + TerminalText.escaped(second)), "",
        ]
        for difference in differences {
            switch difference {
            case .onlyInFirst(let name, let place): lines.append("- \(Self.shown(name)) (\(Messages.place(place)))")
            case .onlyInSecond(let name, let place): lines.append("+ \(Self.shown(name)) (\(Messages.place(place)))")
            case .moved(let name, let first, let second):
                lines.append("~ \(Self.shown(name)): \(Messages.moved(from: first, to: second))")
            case .changed(let name, let place, _, let changes):
                lines.append("! \(Self.shown(name)) (\(Messages.place(place)))")
                lines += changes.map { "    " + Messages.describe($0) }
            }
        }
        if !isEqual { lines.append("") }
        lines.append(Messages.verdict(differences.count))
        return lines.joined(separator: "\n") + "\n"
    }

    static func shown(_ name: String) -> String { TerminalText.excerpt(name.utf8, width: 100) }

    /// Returns sentences about what a newer version does differently, compared with two runs of the older version.
    ///
    /// Differences between the two older runs do not count, and neither do values at the same path in a different
    /// message or element.
    ///
    /// - Parameter session: A run of the newer version.
    public static func news(in session: Session, since first: Session, _ second: Session) -> [String] {
        let noise = Set(SessionComparison(first, second).aspects.map(\.key))
        let again = Set(SessionComparison(second, session).aspects.map(\.key))
        return SessionComparison(first, session).aspects.filter { !noise.contains($0.key) && again.contains($0.key) }
            .map(\.sentence)
    }

    /// The individual differences, each with a key that identifies it in other comparisons.
    private var aspects: [(key: ExactString, sentence: String)] {
        differences.flatMap { difference -> [(key: ExactString, sentence: String)] in
            switch difference {
            case .onlyInFirst(let name, let place):
                [(Self.key(name, "presence"), Messages.noLonger(Self.shown(name), place))]
            case .onlyInSecond(let name, let place):
                [(Self.key(name, "presence"), Messages.isNew(Self.shown(name), place))]
            case .moved(let name, let place, let other):
                [(Self.key(name, "place"), Messages.isElsewhere(Self.shown(name), from: place, to: other))]
            case .changed(let name, _, let place, let changes):
                changes.map { change in
                    // Message 5 may correspond to message 4.
                    let path = String(change.path.map { $0.isNumber ? "#" : $0 })
                    return (Self.key(name, path), Messages.isChanged(Self.shown(name), place, change))
                }
            }
        }
    }

    private static func key(_ name: String, _ aspect: String) -> ExactString { ExactString(name + "\n" + aspect) }
}

/// A difference between two sessions.
///
/// Places are numbered from 0, in the order in which the entries started.
public enum SessionDifference: Sendable, Equatable {
    case onlyInFirst(name: String, place: Int)
    case onlyInSecond(name: String, place: Int)
    /// Both sessions contain the entry, but at different positions.
    case moved(name: String, first: Int, second: Int)
    /// Both sessions contain the entry, but with different content.
    case changed(name: String, first: Int, second: Int, [SessionChange])
}

/// A changed value with its path.
///
/// A value is nil if that side lacks it.
public struct SessionChange: Sendable, Equatable {
    /// The path, such as `status`, `response.body.data.status` or `message 3 ←.content`.
    public var path: String
    public var first: String?
    public var second: String?
}

/// Identifies entries by their request, ignoring IDs.
struct EntryKey: Hashable {
    /// The name, such as `GET /api/v1/goals/{id}` or `WS /api/v1/consultations/{id}/ws`.
    let name: ExactString

    init(_ entry: SessionExchange, _ url: RequestURL) {
        let method = entry.isSocket ? "WS" : entry.request.method
        let route = url.route.map { $0.map { VolatileText.normalised($0).text } ?? "{id}" }
        name = "\(method) /\(route.joined(separator: "/"))"
    }
}

extension ValueComparison {
    /// The differences between two aligned entries.
    func changes(
        _ first: (entry: SessionExchange, url: RequestURL), _ second: (entry: SessionExchange, url: RequestURL)
    ) -> [SessionChange] {
        var comparison = self
        if !isSamePath(first.url, second.url) {
            comparison.note("path", quoted(first.url.path), quoted(second.url.path))
        }
        comparison.compareQueries(first.url, second.url)
        let (first, second) = (first.entry, second.entry)
        precondition(first.isSocket == second.isSocket, "a pair must be two WebSockets or two requests")
        if first.isSocket {
            comparison.compareSockets(first, second)
        } else {
            if !first.request.hasUnknownBody, !second.request.hasUnknownBody {
                comparison.compare(first.request, second.request)
            }
            comparison.compare(first.response, second.response)
        }
        return comparison.changes
    }

    fileprivate mutating func compare(_ first: SessionResponse?, _ second: SessionResponse?) {
        let (status, other) = (first.map { String($0.status) }, second.map { String($0.status) })
        if status != other { note("status", status ?? Messages.silence, other ?? Messages.silence) }
        guard let first, let second else { return }
        let (type, otherType) = (Self.mediaType(first), Self.mediaType(second))
        if type != otherType { note("response.content-type", type, otherType) }
        compare(first.body, second.body, at: "response.body")
        if first.isComplete != second.isComplete {
            note("response", Messages.completeness(first.isComplete), Messages.completeness(second.isComplete))
        }
    }

    /// The media type without parameters, which tools omit.
    private static func mediaType(_ response: SessionResponse) -> String? {
        guard let value = response.fields.value(of: "content-type") else { return nil }
        return String(value.prefix { $0 != ";" }.filter { $0 != " " }).lowercased()
    }

    fileprivate mutating func compareSockets(_ first: SessionExchange, _ second: SessionExchange) {
        let left = first.frames.filter { !$0.opcode.isControl }
        let right = second.frames.filter { !$0.opcode.isControl }
        let alignment = Alignment(left.map(FrameKey.init), right.map(FrameKey.init))
        for pair in alignment.pairs {
            let frame = left[pair.first]
            compare(frame.payload, right[pair.second].payload, at: Self.place(frame, pair.first))
        }
        for index in alignment.onlyFirst {
            note(Self.place(left[index], index), Self.excerpt(left[index].payload), nil)
        }
        for index in alignment.onlySecond {
            note(Self.place(right[index], index), nil, Self.excerpt(right[index].payload))
        }
        // Browsers and proxies do not record how WebSockets end, so an unknown end is not a difference.
        guard let end = first.endingText, let otherEnd = second.endingText, !end.isExactly(otherEnd) else { return }
        note("end", end, otherEnd)
    }

    private static func place(_ frame: SessionFrame, _ index: Int) -> String {
        "message \(index + 1) \(frame.sender == .client ? "→" : "←")"
    }
}

extension SessionExchange {
    /// The first close frame, or how the transport ended if there is no close frame; nil if neither is recorded.
    fileprivate var endingText: String? {
        if let close = frames.first(where: { $0.opcode == .close }) {
            return Messages.sent(Messages.close(close.payload.bytes), by: close.sender)
        }
        return ending.map(Messages.describe)
    }
}

/// Identifies messages by sender and, for JSON objects, by `type`.
private struct FrameKey: Hashable {
    let sender: Party
    let opcode: Opcode
    let type: ExactString?

    init(_ frame: SessionFrame) {
        sender = frame.sender
        opcode = frame.opcode
        type = frame.opcode == .text ? (try? JSON.parse(frame.payload.bytes))?["type"]?.exactString : nil
    }
}

/// Aligns two lists by their longest common subsequence if that is cheap enough.
struct Alignment {
    /// The aligned positions, ascending in both lists.
    private(set) var pairs: [(first: Int, second: Int)] = []
    /// The positions without a partner.
    private(set) var onlyFirst: [Int] = []
    private(set) var onlySecond: [Int] = []

    /// The maximum size of the table, not counting the lists' common start and end.
    ///
    /// Above this size, identical keys are paired in turn, which may not find the longest subsequence. Two sessions of
    /// 100,000 entries would take 10 billion steps.
    static let largestTable = 4_000_000

    init<Key: Hashable>(_ first: [Key], _ second: [Key]) {
        var start = 0
        while start < min(first.count, second.count), first[start] == second[start] { start += 1 }
        // Trim the front, so that repeated keys get early partners. Trim the back only if the table would be too large.
        var tail = 0
        let isLarge = (first.count - start) * (second.count - start) > Self.largestTable
        while isLarge, tail < min(first.count, second.count) - start,
            first[first.count - 1 - tail] == second[second.count - 1 - tail]
        {
            tail += 1
        }
        pairs = (0..<start).map { ($0, $0) }
        let (left, right) = (first[start..<(first.count - tail)], second[start..<(second.count - tail)])
        if left.count * right.count <= Self.largestTable { alignByTable(left, right) } else { alignInTurn(left, right) }
        for offset in 0..<tail { pairs.append((left.endIndex + offset, right.endIndex + offset)) }
        var (next, other) = (0, 0)
        for pair in pairs + [(first.count, second.count)] {
            onlyFirst += next..<pair.first
            onlySecond += other..<pair.second
            (next, other) = (pair.first + 1, pair.second + 1)
        }
    }

    /// Dynamic programming: `length[place(i, j)]` is the longest length for the lists that start at i and j.
    private mutating func alignByTable<Key: Hashable>(_ first: ArraySlice<Key>, _ second: ArraySlice<Key>) {
        let width = second.count + 1
        func place(_ i: Int, _ j: Int) -> Int { (i - first.startIndex) * width + j - second.startIndex }
        // A subsequence is no longer than the square root of the largest table.
        var length = [UInt16](repeating: 0, count: (first.count + 1) * width)
        for i in first.indices.reversed() {
            for j in second.indices.reversed() {
                length[place(i, j)] =
                    first[i] == second[j]
                    ? length[place(i + 1, j + 1)] + 1 : max(length[place(i + 1, j)], length[place(i, j + 1)])
            }
        }
        var (i, j) = (first.startIndex, second.startIndex)
        while i < first.endIndex, j < second.endIndex {
            if first[i] == second[j] {
                pairs.append((i, j))
                (i, j) = (i + 1, j + 1)
            } else if length[place(i + 1, j)] >= length[place(i, j + 1)] {
                i += 1
            } else {
                j += 1
            }
        }
    }

    /// Pairs the n-th occurrences of a key in both lists, and keeps the longest run that ascends in both.
    private mutating func alignInTurn<Key: Hashable>(_ first: ArraySlice<Key>, _ second: ArraySlice<Key>) {
        var places: [Key: ArraySlice<Int>] = [:]
        for index in second.indices { places[second[index], default: []].append(index) }
        var candidates: [(first: Int, second: Int)] = []
        for index in first.indices {
            if let place = places[first[index]]?.popFirst() { candidates.append((index, place)) }
        }
        // Patience sorting: `ends[n]` is the candidate with the smallest second position that ends a run of n + 1.
        var ends: [Int] = []
        var previous = [Int?](repeating: nil, count: candidates.count)
        for index in candidates.indices {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                let isBefore = candidates[ends[middle]].second < candidates[index].second
                if isBefore { low = middle + 1 } else { high = middle }
            }
            previous[index] = low > 0 ? ends[low - 1] : nil
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        var run: [(first: Int, second: Int)] = []
        var next = ends.last
        while let index = next {
            run.append(candidates[index])
            next = previous[index]
        }
        pairs += run.reversed()
    }
}
