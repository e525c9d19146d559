import Text
import Texts

/// A situation that clients are known to reach, and what makes a client face it.
public struct ReachableSituation: Sendable, Hashable {
    public let situation: Situation
    /// The built-in scenario in which a client gets there soonest, or `explore --only FAMILY` for the faults that bring a
    /// client there; nil if only random clients got there.
    public let way: String?

    public init(_ situation: Situation, way: String?) { (self.situation, self.way) = (situation, way) }

    /// The built-in scenario that is the way there; nil for other ways.
    var scenario: String? { way.flatMap { $0.contains(" ") ? nil : $0 } }

    /// The way as a part of a command line.
    var arguments: String? { scenario.map { "--\(Self.option) \($0)" } ?? way }
    /// The option of the executable that takes a scenario.
    private static let option = "scenario"

    /// The situations of `Fixtures/data/coverage.tsv`, the ones that need least first.
    ///
    /// `scripts/explore coverage --write` computes them with random clients, stories and faults. The list is a floor: a
    /// client may face a situation that it lacks.
    public static let all: [ReachableSituation] = {
        let text = EmbeddedText(path: path)
        guard let rows = read(UnsafeBufferPointer(start: text.start, count: text.count)) else {
            preconditionFailure("\(path) has a row that cannot be read.")
        }
        return rows
    }()

    private static let path = "Fixtures/data/coverage.tsv"

    /// Reads a table: a heading, then a row for each situation with the names of its members and the way, or `-`,
    /// separated by tabs; nil if a row has other parts or repeats a situation.
    package static func read(_ bytes: some Collection<UInt8>) -> [ReachableSituation]? {
        var rows: [ReachableSituation] = []
        var seen = Coverage()
        for line in bytes.split(separator: .lineFeed).dropFirst() {
            let parts = line.split(separator: .tab, omittingEmptySubsequences: false).map {
                String(decoding: $0, as: UTF8.self)
            }
            guard parts.count == 5, let situation = Situation(names: Array(parts[..<4])), !seen.contains(situation),
                !parts[4].isEmpty
            else { return nil }
            seen.insert(situation)
            rows.append(ReachableSituation(situation, way: parts[4] == "-" ? nil : parts[4]))
        }
        return rows
    }
}

extension Situation {
    /// The names of its members: socket, token, meal and trouble.
    public var names: [String] { ["\(socket)", "\(token)", "\(meal)", "\(trouble)"] }

    /// Finds the situation with these names; nil if there is none.
    init?(names: [String]) {
        guard let index = Self.indices[names] else { return nil }
        self.init(index: index)
    }

    private static let indices = Dictionary(
        uniqueKeysWithValues: (0..<count).map { (Situation(index: $0).names, $0) })
}
