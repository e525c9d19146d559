import Foundation
import GuideModels
import Testing

/// The contents of `openapi/DEVIATIONS.md`: tables, headings, code, and test names.
struct Deviations {
    /// The path relative to the package's root.
    static let path = "openapi/DEVIATIONS.md"
    static let root = GuideFixture.directory.deletingLastPathComponent().deletingLastPathComponent()

    let text: String

    init() throws { text = try Self.read(Self.path) }

    static func read(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// The lines below a heading, up to the next heading of the same or a higher level.
    func section(_ heading: String) -> [String] {
        let rank = heading.prefix { $0 == "#" }.count
        let lines = text.components(separatedBy: "\n")
        guard let start = lines.firstIndex(where: { $0.hasPrefix(heading) }) else { return [] }
        return lines[(start + 1)...].prefix { line in
            let marks = line.prefix { $0 == "#" }.count
            return marks == 0 || marks > rank || !line.dropFirst(marks).hasPrefix(" ")
        }.map { $0 }
    }

    /// The rows of the only table in a section, without the header row.
    func rows(_ heading: String) -> [[String]] {
        section(heading).filter { $0.hasPrefix("|") }.dropFirst(2).map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    /// The tests that a text names: `Tests/…/File.swift#function`.
    static func tests(in text: String) -> [String] {
        text.components(separatedBy: "`").filter { $0.hasPrefix("Tests/") }
    }

    /// The lines of Swift code in a section.
    static func code(in lines: [String]) -> [String] {
        var isCode = false
        return lines.filter { line in
            if line.hasPrefix("```") {
                isCode = line == "```swift"
                return false
            }
            return isCode && !line.trimmingCharacters(in: .whitespaces).isEmpty
        }
    }
}

@Suite("The deviations page")
struct DeviationsTests {
    static let errata = 1...7

    @Test("Every disagreement states both sides and names a test")
    func rows() throws {
        let rows = try Deviations().rows("## Where the guides disagree")
        // The contract's twelve rows, the members of frames, and goals.
        #expect(rows.count == 14)
        for row in rows {
            #expect(row.count == 5, "\(row)")
            #expect(row.allSatisfy { !$0.isEmpty })
            #expect(!Deviations.tests(in: row.last ?? "").isEmpty, "\(row)")
        }
    }

    @Test("Every app mistake states its effect and names a client that makes the mistake")
    func mistakesOfApps() throws {
        let rows = try Deviations().rows("## Mistakes of the apps")
        #expect(rows.count == 15)
        for row in rows {
            #expect(row.count == 5 && row.allSatisfy { !$0.isEmpty }, "\(row)")
            let tests = Deviations.tests(in: row.last ?? "")
            let place = #/Tests\/ErrataTests\/App(Sync)?MistakeTests\.swift#.+/#
            #expect(tests.count == 1 && tests[0].wholeMatch(of: place) != nil, "\(row)")
        }
        #expect(Set(rows.compactMap(\.last)).count == rows.count)
    }

    @Test(
        "Every difference between the apps and every choice that this project makes states both sides and names a test",
        arguments: ["## Where the guides and the apps differ", "## What the guides leave open, and what we chose"])
    func rowsOfApps(heading: String) throws {
        let rows = try Deviations().rows(heading)
        #expect(!rows.isEmpty)
        for row in rows {
            #expect((4...5).contains(row.count) && row.allSatisfy { !$0.isEmpty }, "\(row)")
            #expect(!Deviations.tests(in: row.last ?? "").isEmpty, "\(row)")
        }
    }

    @Test("Every erratum contains its fix as code and names the suite that proves it", arguments: errata)
    func erratum(number: Int) throws {
        let section = try Deviations().section("### \(number). ")
        let tests = Deviations.tests(in: section.joined(separator: "\n"))
        #expect(tests.contains { $0.hasPrefix("Tests/ErrataTests/Erratum\(number)Tests.swift#") })
        #expect(!Deviations.code(in: section).isEmpty)
    }

    @Test("openapi/DEVIATIONS.md lists every erratum")
    func count() throws {
        let headings = try Deviations().section("## Errata").filter { $0.hasPrefix("### ") }
        #expect(headings.count == Self.errata.count)
    }

    @Test("Every named test exists")
    func testsExist() throws {
        let deviations = try Deviations()
        let tests = Deviations.tests(in: deviations.text)
        #expect(tests.count > 20)
        for test in tests {
            let parts = test.components(separatedBy: "#")
            try #require(parts.count == 2, "\(test)")
            let source = try? Deviations.read(parts[0])
            #expect(source?.contains("func \(parts[1])(") == true, "\(test) does not exist.")
        }
    }

    @Test("Every line of a fix occurs in a snippet that compiles", arguments: errata)
    func fixesAreTheProvenOnes(number: Int) throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Snippet.directory.path)
            .filter { $0.hasSuffix(".fixed.swift.txt") }
        let proven = try Set(
            files.flatMap { file in
                try String(contentsOf: Snippet.directory.appending(path: file), encoding: .utf8)
                    .components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            })
        for line in Deviations.code(in: try Deviations().section("### \(number). ")) {
            let isProven = proven.contains(line.trimmingCharacters(in: .whitespaces))
            #expect(isProven, "\(line)")
        }
    }

    @Test("The compiler emits every quoted message")
    func messagesAreReal() throws {
        let real = try Set(Snippet.all.flatMap { Snippet.announced(in: try $0.text).map(\.message) })
        // A message may contain a line break, which counts as a space.
        let quoted = try Deviations().text.components(separatedBy: "`")
            .map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
            .filter { $0.hasPrefix("error: ") || $0.hasPrefix("warning: ") }
        #expect(quoted.count > 10)
        for message in quoted {
            let isReal = real.contains(message)
            #expect(isReal, "\(message)")
        }
    }
}
