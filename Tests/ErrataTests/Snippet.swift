import Foundation
import GuideModels
import Testing

/// Code from a guide, reduced to its mistake; the file is in `Fixtures/guides/errata`, next to the file with the fix.
///
/// A comment `// error: …` or `// warning: …` contains the compiler message for its line; on a line of its own, it
/// applies to the next line.
struct Snippet: Sendable, CustomTestStringConvertible {
    let name: String
    var testDescription: String { name }

    init(_ name: String) { self.name = name }

    static let directory = GuideFixture.directory.appending(path: "errata")

    /// The snippets that the compiler rejects.
    static let all = names { !$0.hasSuffix(".fixed") }.map(Snippet.init)

    /// Fixes for mistakes that appear only when the code runs.
    static let fixesAlone: [Snippet] = {
        let faults = Set(all.map { "\($0.name).fixed" })
        return names { $0.hasSuffix(".fixed") && !faults.contains($0) }.map(Snippet.init)
    }()

    private static func names(_ isWanted: (String) -> Bool) -> [String] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        return files.filter { $0.hasSuffix(".swift.txt") }.map { String($0.dropLast(10)) }.filter(isWanted).sorted()
    }

    /// The text of the file with this name.
    var text: String { get throws { try read("swift.txt") } }
    var fixed: String { get throws { try read("fixed.swift.txt") } }

    private func read(_ suffix: String) throws -> String {
        try String(contentsOf: Self.directory.appending(path: "\(name).\(suffix)"), encoding: .utf8)
    }

    /// The expected compiler messages, from the comments.
    static func announced(in text: String) -> [Compiler.Diagnostic] {
        var found: [Compiler.Diagnostic] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            for comment in line.components(separatedBy: "// ").dropFirst()
            where comment.hasPrefix("error: ") || comment.hasPrefix("warning: ") {
                let message = comment.trimmingCharacters(in: .whitespaces)
                found.append(Compiler.Diagnostic(line: index + (line.hasPrefix("//") ? 2 : 1), message: message))
            }
        }
        return found.sorted()
    }

    /// Expects the announced messages, and no messages for the fix.
    func check(at location: SourceLocation = #_sourceLocation) async throws {
        let broken = try text
        let announced = Self.announced(in: broken)
        #expect(!announced.isEmpty, sourceLocation: location)
        #expect(try await Compiler.diagnostics(of: broken) == announced, sourceLocation: location)
        #expect(try await Compiler.diagnostics(of: fixed) == [], sourceLocation: location)
    }
}

extension Errata {
    @Suite("Snippets that do not compile")
    struct SnippetTests {
        @Test("Exactly one erratum suite uses each snippet")
        func allAreUsed() {
            let used = Erratum3Tests.snippets + Erratum4Tests.snippets + Erratum5Tests.snippets + Erratum6Tests.snippets
            #expect(used.map(\.name).sorted() == Snippet.all.map(\.name))
        }

        @Test(
            "If a mistake compiles, its fix also compiles", .timeLimit(.minutes(15)),
            arguments: Snippet.fixesAlone)
        func fixesCompile(snippet: Snippet) async throws {
            #expect(try await Compiler.diagnostics(of: snippet.text) == [])
        }

        @Test("A marker applies to its own line or to the next line")
        func announcements() {
            let text = "let a = 1  // error: one // warning: two\n// A comment.\n// error: three\n"
            #expect(
                Snippet.announced(in: text).map { "\($0.line) \($0.message)" }
                    == ["1 error: one", "1 warning: two", "4 error: three"])
        }
    }
}
