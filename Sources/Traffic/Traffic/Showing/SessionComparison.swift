import JSON
import Text

/// Compares two sessions by meaning: order, statuses, JSON by values, messages.
///
/// Differences between two equal runs do not count: IDs, times, tokens and redacted secrets, the server's host, header
/// fields except the response's media type, pings and pongs, and durations.
public struct SessionComparison: Sendable {
    /// The differences, in the order of the first session, followed by what only the second has.
    public private(set) var differences: [SessionDifference] = []
    private let first: SessionSummary
    private let second: SessionSummary

    /// The maximum number of values listed per request, response or message; more are only counted.
    static let changeLimit = 20

    /// Takes time linear in the bytes, and quadratic in up to a few thousand entries that are not in the same order.
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
        // Entries without a partner in their place may have one elsewhere.
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
        // The sort is stable, so a move precedes its changes.
        differences = found.sorted { $0.place < $1.place }.map(\.difference)
        for index in alignment.onlySecond where !moved.contains(index) {
            differences.append(.onlyInSecond(name: right[index].name.text, place: index))
        }
    }
}

/// The differences as text for a terminal.
extension SessionComparison {
    public var isEqual: Bool { differences.isEmpty }

    /// Returns the text, one line per difference, with recorded content escaped.
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
}

/// A difference between two sessions; places count from 0 in starting order.
public enum SessionDifference: Sendable, Equatable {
    case onlyInFirst(name: String, place: Int)
    case onlyInSecond(name: String, place: Int)
    /// Both have it, but at another place among the others.
    case moved(name: String, first: Int, second: Int)
    /// Both have it, with other content.
    case changed(name: String, first: Int, second: Int, [SessionChange])
}

/// A changed value, with its path and both sides; a side is nil if the value is absent.
public struct SessionChange: Sendable, Equatable {
    /// The path: `status`, `response.body.data.status`, `message 3 ←.content`.
    public var path: String
    /// The values as short texts.
    public var first: String?
    public var second: String?
}

/// Identifies entries by what they request, regardless of its ID.
struct EntryKey: Hashable {
    /// `GET /api/v1/goals/{id}`, `WS /api/v1/consultations/{id}/ws`.
    let name: ExactString

    init(_ entry: SessionExchange, _ url: RequestURL) {
        let method = entry.isSocket ? "WS" : entry.request.method
        let route = url.route.map { $0.map { VolatileText.normalised($0).text } ?? "{id}" }
        name = "\(method) /\(route.joined(separator: "/"))"
    }
}
