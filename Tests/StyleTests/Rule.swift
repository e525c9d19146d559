import Foundation
import Testing

/// A house rule: what is banned, where, and what to write instead.
struct Rule: Sendable, CustomTestStringConvertible {
    /// The files that a rule applies to.
    enum Scope: Sendable {
        /// All of `Sources`.
        case sources
        /// `Sources` without the executable.
        case libraries
        /// Modules that do no I/O: all except ``Rule/shell``.
        case belowTheShell
        /// `Sources` and `Tests`.
        case everywhere
        /// `Tests`.
        case tests
    }

    /// The part of a file that a rule reads.
    enum Subject: Sendable {
        /// Code without comments and string literals.
        case code
        /// The text of string literals.
        case literals
        /// The lines as written.
        case text
    }

    /// The name in messages, with code in back-quotes.
    let banned: String
    /// A regular expression (ICU) that is matched against a line.
    let pattern: String
    /// What to do instead.
    let advice: String
    var scope = Scope.sources
    var subject = Subject.code
    /// The folders of `Sources` that are exempt, such as the module that others should use.
    var spared: [String] = []
    /// Lines that break the rule.
    let bad: [String]
    /// Similar lines that are allowed.
    var good: [String] = []

    var testDescription: String { banned }

    /// The places that are allowed to do I/O, read clocks and ask the system for randomness.
    ///
    /// Everything else, including new modules, is below the shell.
    static let shell = [
        "Sources/Platform/CLibrary/", "Sources/Platform/Sockets/", "Sources/Server/Hosting/",
        "Sources/Server/MockServer/Host/",
        "Sources/Server/Proxy/Host/", "Sources/Clients/", "Sources/App/",
    ]

    func holds(in path: String) -> Bool {
        if spared.contains(where: path.hasPrefix) { return false }
        return switch scope {
        case .sources: path.hasPrefix("Sources/")
        case .libraries: path.hasPrefix("Sources/") && !path.hasPrefix("Sources/App/")
        case .belowTheShell: path.hasPrefix("Sources/") && !Self.shell.contains(where: path.hasPrefix)
        case .everywhere: true
        case .tests: path.hasPrefix("Tests/")
        }
    }

    /// A message for each line that breaks the rule: file, line, what is banned, what to do.
    func violations(in file: SourceText) throws -> [String] {
        guard holds(in: file.path) else { return [] }
        let expression = try NSRegularExpression(pattern: pattern)
        let lines =
            switch subject {
            case .code: file.code
            case .literals: file.literals
            case .text: file.lines
            }
        return lines.enumerated().compactMap { index, line in
            let range = NSRange(location: 0, length: line.utf16.count)
            guard expression.firstMatch(in: line, range: range) != nil else { return nil }
            return "\(file.path):\(index + 1): \(banned) is banned here: \(advice)."
        }
    }
}
