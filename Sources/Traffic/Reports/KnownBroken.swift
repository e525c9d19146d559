import JSON
import Obligations

/// What a client is known to break: listed and broken does not fail a run, listed and kept does.
///
/// A file of lines, each `obligation-id`, `scenario obligation-id`, or the address of a check with or without a scenario
/// before it; `#` begins a comment. So a list can only shrink: what is mended has to be taken out.
public struct KnownBroken: Sendable {
    /// One line of the list.
    public struct Line: Sendable, Hashable {
        /// The number of the line in the file, from 1.
        public let number: Int
        /// The scenario that it holds for; nil for all.
        public let scenario: ExactString?
        /// The obligation's id or the check's address.
        public let subject: ExactString
    }

    /// The lines that say something, in order.
    public let lines: [Line]
    private let subjects: [ExactString: [Line]]

    /// Nothing is known to be broken.
    public static let none = KnownBroken(lines: [])

    private init(lines: [Line]) {
        self.lines = lines
        subjects = Dictionary(grouping: lines, by: \.subject)
    }

    /// Reads a list.
    ///
    /// Throws all lines that are none: too many words, no such obligation or check, said twice.
    ///
    /// - Parameter checks: the addresses of the checks that there are.
    public init(reading bytes: [UInt8], checks: [String] = []) throws(KnownBrokenErrors) {
        let subjects = Set((Judge.obligations.map(\.id) + checks).map(ExactString.init(_:)))
        var lines: [Line] = []
        var places: [[ExactString]: Int] = [:]
        var mistakes: [KnownBrokenErrors.Mistake] = []
        for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            // A comment begins a word: a check's address may have the sign inside.
            let words = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace)
                .prefix { !$0.hasPrefix("#") }.map { ExactString($0) }
            func mistake(_ message: String) {
                mistakes.append(KnownBrokenErrors.Mistake(line: index + 1, message: message))
            }
            guard let subject = words.last else { continue }
            if words.count > 2 {
                mistake(Sentences.tooManyWords(words.map(\.text).joined(separator: " ")))
            } else if !subjects.contains(subject) {
                mistake(Sentences.unknownSubject(subject.text, known: subjects.sorted().map(\.text)))
            } else if let earlier = places[words] {
                mistake(Sentences.repeatedLine(words.map(\.text).joined(separator: " "), earlier: earlier))
            } else {
                places[words] = index + 1
                lines.append(
                    Line(number: index + 1, scenario: words.count == 2 ? words[0] : nil, subject: subject))
            }
        }
        guard mistakes.isEmpty else { throw KnownBrokenErrors(mistakes: mistakes) }
        self.init(lines: lines)
    }

    /// Whether an obligation or a check is known to be broken in a scenario.
    public func lists(_ subject: String, in scenario: String) -> Bool {
        subjects[ExactString(subject)]?.contains { $0.scenario == nil || $0.scenario == ExactString(scenario) } ?? false
    }
}

/// What is wrong with a list of what is known to be broken.
public struct KnownBrokenErrors: Error, Sendable, Equatable {
    /// One line that is wrong.
    public struct Mistake: Sendable, Equatable {
        /// The number of the line, from 1.
        public let line: Int
        /// What is wrong with it.
        public let message: String
    }

    /// The mistakes in the order of their lines.
    public let mistakes: [Mistake]
}
