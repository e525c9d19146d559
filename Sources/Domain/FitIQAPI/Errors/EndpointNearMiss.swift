import HTTPTypes
import JSON
import Text

/// An endpoint that an unmatched request probably meant, and the differences.
public struct EndpointNearMiss: Equatable, Sendable {
    public var endpoint: Endpoint
    /// The differences in path order; the method comes last.
    public var differences: [Difference]
    /// The similarity: 100 if there is no difference; a hint requires more than 40.
    public var score: Int

    /// A difference between a request and an endpoint.
    public enum Difference: Equatable, Sendable {
        /// The path lacks `/api/v1` or a part of it, as in the guides' diagrams.
        case missingPrefix
        /// `/api/v1` occurs twice: in the base URL and in the path.
        case repeatedPrefix
        /// The path contains two slashes in a row.
        case emptySegment
        case trailingSlash
        case segment(got: String, expected: String)
        /// A segment differs only in letter case.
        case segmentCase(got: String, expected: String)
        /// An id has upper-case letters, but the backend compares ids as strings.
        case idCase(got: String)
        /// The path contains text that is not a UUID where an id belongs.
        case malformedID(got: String)
        /// A segment of the endpoint is missing: a word, or the name of an id in braces.
        case missingSegment(expected: String)
        case extraSegment(got: String)
        case method(got: String, expected: String)
    }

    /// The maximum number of near misses to report.
    public static let limit = 3
    /// The longest path to compare, in bytes; longer paths have no near misses.
    public static let longestPath = 256
    /// The maximum number of segments to compare; longer paths have no near misses.
    public static let mostSegments = 12

    /// Returns up to three endpoints of a mode, nearest to the request first.
    ///
    /// - Parameter segments: The percent-decoded segments of the path, without a world's prefix.
    public static func nearest(to method: HTTPRequest.Method, segments: [String], in mode: GuideMode) -> [Self] {
        guard segments.count <= mostSegments, segments.reduce(segments.count, { $0 + $1.utf8.count }) <= longestPath
        else { return [] }
        guard let known = KnownPaths.all[mode] else { return [] }
        let words = known.words
        var (path, atRoot) = (PathRepair(segments, words: words), PathRepair(segments, words: words, isAtRoot: true))
        let candidates = known.paths.compactMap { known -> EndpointNearMiss? in
            let (endpoint, template, isBelowPrefix) = (known.endpoint, known.segments, known.isBelowPrefix)
            let cost = isBelowPrefix ? path.cost(of: template) : atRoot.cost(of: template)
            // Most endpoints differ too much for their differences to be worth describing.
            guard 100 - cost > 40 else { return nil }
            var alignment = (isBelowPrefix ? path : atRoot).aligned(with: template.map(\.text))
            if method != endpoint.method, !(method == .head && endpoint.answersHead) {
                alignment.cost += Cost.method
                alignment.differences.append(.method(got: method.rawValue, expected: endpoint.method.rawValue))
            }
            let score = 100 - alignment.cost
            guard alignment.meetsWord, score > 40 else { return nil }
            // A guide says "NOT /ws" and warns against a meal-only socket, so `/ws` means a consultation's socket.
            if endpoint == .mealSocket, alignment.differences.contains(.missingSegment(expected: "meal-logs")) {
                return nil
            }
            return EndpointNearMiss(endpoint: endpoint, differences: alignment.differences, score: score)
        }
        // Swift's sort is stable, so equally near endpoints keep the API's order.
        return Array(candidates.sorted { $0.score > $1.score }.prefix(limit))
    }
}

/// The paths that a search compares, split once for each mode, because splitting takes longer than the search.
private struct KnownPaths {
    struct Segment {
        let text: String
        /// Identical words have the same number, and so do all parameters.
        let number: Int
        let isParameter: Bool
    }

    /// The words of all paths that the mode recognizes, even if it does not serve them.
    var words: Set<ExactString> = []
    var paths: [(endpoint: Endpoint, segments: [Segment], isBelowPrefix: Bool)] = []

    static let all = Dictionary(uniqueKeysWithValues: GuideMode.allCases.map { ($0, KnownPaths(in: $0)) })

    private init(in mode: GuideMode) {
        var numbers: [String: Int] = [:]  // Constants of the API.
        for endpoint in Endpoint.allCases where mode.servesApps || endpoint.isOfGuides {
            words.formUnion(endpoint.words)
            guard mode.serves(endpoint) else { continue }
            let segments = endpoint.template.split(separator: "/").map { text in
                let isParameter = text.hasPrefix("{")
                let number = numbers[isParameter ? "{" : String(text), default: numbers.count]
                numbers[isParameter ? "{" : String(text)] = number
                return Segment(text: String(text), number: number, isParameter: isParameter)
            }
            paths.append((endpoint, segments, endpoint.template.hasPrefix("/api/v1/")))
        }
    }
}

/// The cost of each difference, subtracted from a score of 100.
///
/// A different word costs as much as an extra segment plus a missing one, and prevents a near miss.
private enum Cost {
    static let slash = 5
    static let letterCase = 5
    static let prefix = 10
    static let malformedID = 10
    static let method = 15
    static let missingID = 15
    static let missingWord = 20
    static let extraSegment = 40
    static let otherWord = 60
}

/// A path with repaired slashes and prefix, and the list of repairs.
private struct PathRepair {
    typealias Difference = EndpointNearMiss.Difference

    private var segments: [String]
    private var start = Alignment()
    private let words: Set<ExactString>
    /// The costs from ``costs(of:)``, indexed by the number of the template's segment.
    private var knownCosts: [Int: [Int]] = [:]

    /// - Parameter isAtRoot: Whether the path is probably for an endpoint outside `/api/v1`.
    init(_ arrived: [String], words: Set<ExactString>, isAtRoot: Bool = false) {
        (segments, self.words) = (arrived, words)
        if segments.last == "" {
            segments.removeLast()
            start = start.adding(Cost.slash, .trailingSlash)
        }
        if isAtRoot {
            guard segments.starts(with: ["api", "v1"]) else { return }
            segments.removeFirst(2)
            start = start.adding(Cost.prefix, .extraSegment(got: "api/v1"))
        } else if segments.starts(with: ["api", "v1", "api", "v1"]) {
            segments.removeFirst(2)
            start = start.adding(Cost.prefix, .repeatedPrefix)
        } else if segments.first == "v1" {
            addPrefix(["api"], at: 0)
        } else if segments.first?.lowercased() != "api" {
            addPrefix(["api", "v1"], at: 0)
        } else if segments.count > 1, !segments[1].lowercased().hasPrefix("v") {
            addPrefix(["v1"], at: 1)
        }
    }

    private mutating func addPrefix(_ prefix: [String], at index: Int) {
        segments.insert(contentsOf: prefix, at: index)
        start = start.adding(Cost.prefix, .missingPrefix)
    }

    struct Alignment {
        var cost = 0
        var differences: [Difference] = []
        /// Whether the path contains one of the endpoint's words, at least approximately, apart from the prefix.
        var meetsWord = false

        func adding(_ cost: Int, _ difference: Difference?) -> Alignment {
            let differences = differences + (difference.map { [$0] } ?? [])
            return Alignment(cost: self.cost + cost, differences: differences, meetsWord: meetsWord)
        }

        func adding(extra segment: String) -> Alignment {
            segment.isEmpty ? adding(Cost.slash, .emptySegment) : adding(Cost.extraSegment, .extraSegment(got: segment))
        }

        func adding(missing segment: String) -> Alignment {
            adding(segment.hasPrefix("{") ? Cost.missingID : Cost.missingWord, .missingSegment(expected: segment))
        }

        func adding(_ comparison: (cost: Int, difference: Difference?), for expected: String) -> Alignment {
            let (cost, difference) = comparison
            var alignment = adding(cost, difference)
            let isWord = !expected.hasPrefix("{") && expected != "api" && expected != "v1"
            alignment.meetsWord = meetsWord || (isWord && cost < Cost.otherWord)
            return alignment
        }
    }

    /// The cost of the cheapest alignment, without the alignment itself.
    mutating func cost(of wanted: [KnownPaths.Segment]) -> Int {
        let missing = wanted.map { $0.isParameter ? Cost.missingID : Cost.missingWord }
        var row = [start.cost]
        for cost in missing { row.append(row[row.count - 1] + cost) }
        let columns = wanted.map { costs(of: $0) }
        for (place, got) in segments.enumerated() {
            let extra = got.isEmpty ? Cost.slash : Cost.extraSegment
            var diagonal = row[0]
            row[0] += extra
            for index in wanted.indices {
                let cost = min(diagonal + columns[index][place], row[index + 1] + extra, row[index] + missing[index])
                diagonal = row[index + 1]
                row[index + 1] = cost
            }
        }
        return row[row.count - 1]
    }

    /// The cost of each segment against one segment of a template; many templates share segments.
    private mutating func costs(of expected: KnownPaths.Segment) -> [Int] {
        if let known = knownCosts[expected.number] { return known }
        let costs = segments.map { compare($0, expected.text).cost }
        knownCosts[expected.number] = costs
        return costs
    }

    /// Finds the cheapest alignment with a template's segments, using a Levenshtein table, one row at a time.
    func aligned(with wanted: [String]) -> Alignment {
        var row = [start]
        for expected in wanted { row.append(row[row.count - 1].adding(missing: expected)) }
        for got in segments {
            var next = [row[0].adding(extra: got)]
            for (index, expected) in wanted.enumerated() {
                var best = row[index].adding(compare(got, expected), for: expected)
                let extra = row[index + 1].adding(extra: got)
                let missing = next[index].adding(missing: expected)
                if extra.cost < best.cost { best = extra }
                if missing.cost < best.cost { best = missing }
                next.append(best)
            }
            row = next
        }
        return row[row.count - 1]
    }

    private func compare(_ got: String, _ expected: String) -> (cost: Int, difference: Difference?) {
        if expected.hasPrefix("{") {
            switch ResourceID.read(got) {
            case .id: return (0, nil)
            case .wrongCase: return (Cost.letterCase, .idCase(got: got))
            case .malformed where got.isEmpty: return (Cost.missingID, .missingSegment(expected: expected))
            // An API word in place of an id means that the id is missing, not malformed.
            case .malformed:
                return (words.contains(ExactString(got)) ? Cost.otherWord : Cost.malformedID, .malformedID(got: got))
            }
        }
        if got == expected { return (0, nil) }
        let (left, right) = (Array(got.lowercased().utf8), Array(expected.utf8))
        if left == right { return (Cost.letterCase, .segmentCase(got: got, expected: expected)) }
        let edits = NearestWord.editDistance(left, right)
        let longest = max(left.count, right.count)
        let cost = edits <= longest / 2 ? 10 + 30 * edits / longest : Cost.otherWord
        return (cost, .segment(got: got, expected: expected))
    }
}
