import JSON

/// The list of known breaches: a listed breach does not fail a run, but a listed obligation that is kept does.
///
/// Each line of the file is `obligation-id`, `scenario obligation-id`, or the address of a check with or without a
/// scenario before it; `#` begins a comment. The list can only shrink: fixed breaches must be removed.
public struct KnownBroken: Sendable {
    public struct Line: Sendable, Hashable {
        /// The line number in the file, from 1.
        public let number: Int
        /// The scenario that the line applies to, or nil for all.
        public let scenario: ExactString?
        /// The obligation's ID or the check's address.
        public let subject: ExactString
    }

    /// The lines with content, in order.
    public let lines: [Line]
    private let subjects: [ExactString: [Line]]

    public static let none = KnownBroken(lines: [])

    private init(lines: [Line]) { self.init(lines: lines, subjects: Dictionary(grouping: lines, by: \.subject)) }

    private init(lines: [Line], subjects: [ExactString: [Line]]) {
        self.lines = lines
        self.subjects = subjects
    }

    /// Parses a list.
    ///
    /// Throws every invalid line: too many words, an unknown obligation or check, or a duplicate.
    ///
    /// - Parameter checks: the addresses of the existing checks.
    public init(reading bytes: [UInt8], checks: [String] = []) throws(KnownBrokenErrors) {
        let subjects = Set((Judge.obligations.map(\.id) + checks).map(ExactString.init(_:)))
        var lines: [Line] = []
        var places: [[ExactString]: Int] = [:]
        var mistakes: [KnownBrokenErrors.Mistake] = []
        for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            // A comment starts at the beginning of a word, because a check's address may contain `#`.
            let words = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace).prefix {
                !$0.hasPrefix("#")
            }.map { ExactString($0) }
            func mistake(_ message: String) {
                mistakes.append(KnownBrokenErrors.Mistake(line: index + 1, message: message))
            }
            guard let subject = words.last else { continue }
            if words.count > 2 {
                mistake(Messages.tooManyWords(words.map(\.text).joined(separator: " ")))
            } else if !subjects.contains(subject) {
                mistake(Messages.unknownSubject(subject.text, known: subjects.sorted().map(\.text)))
            } else if let earlier = places[words] {
                mistake(Messages.repeatedLine(words.map(\.text).joined(separator: " "), earlier: earlier))
            } else {
                places[words] = index + 1
                lines.append(Line(number: index + 1, scenario: words.count == 2 ? words[0] : nil, subject: subject))
            }
        }
        guard mistakes.isEmpty else { throw KnownBrokenErrors(mistakes: mistakes) }
        self.init(lines: lines)
    }

    /// Adds breaches that are known from elsewhere, as by another run; the list says nothing when they are kept.
    public func adding(_ breaches: some Sequence<(scenario: String, subject: String)>) -> KnownBroken {
        var subjects = subjects
        for (scenario, subject) in breaches {
            let line = Line(number: 0, scenario: ExactString(scenario), subject: ExactString(subject))
            subjects[line.subject, default: []].append(line)
        }
        return KnownBroken(lines: lines, subjects: subjects)
    }

    /// Returns whether an obligation or a check is known to be broken in a scenario.
    public func lists(_ subject: String, in scenario: String) -> Bool {
        subjects[ExactString(subject)]?.contains { $0.scenario == nil || $0.scenario == ExactString(scenario) } ?? false
    }
}

public struct KnownBrokenErrors: Error, Sendable, Equatable {
    public struct Mistake: Sendable, Equatable {
        /// The line number, from 1.
        public let line: Int
        public let message: String
    }

    public let mistakes: [Mistake]
}
