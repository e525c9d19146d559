import Testing

/// Swift compares strings by canonical equivalence, so string keys would merge two users, tokens or names.
@Suite("Dictionary and set keys")
struct TextKeyTests {
    /// Modules whose only external input is the words of a language, and the kit, which passes JSON to tests.
    static let exempt: Set<String> = [
        "Nutrition", "FitIQMockTesting", "FitIQMockSwiftTesting", "FitIQMockXCTest",
    ]

    /// A dictionary or a set of strings needs a comment on the same line that says why it is allowed.
    static func violations(in file: SourceText) throws -> [String] {
        guard !exempt.contains(file.module) else { return [] }
        let expression = try Regex(#"\[String\??\s*:|\b(Set|Dictionary)<String\b"#)
        return file.code.enumerated().compactMap { index, line in
            guard line.contains(expression), !file.lines[index].contains("  // ") else { return nil }
            return "\(file.path):\(index + 1): text from outside is identified by its bytes: make the key an "
                + "`ExactString` (JSON), or say on the same line why it is a constant or natural text."
        }
    }

    @Test("Keys in Sources are exact strings unless the line says why not")
    func holds() throws {
        for message in try Package.sources.get().flatMap(Self.violations) { Issue.record("\(message)") }
    }

    @Test("The check reports a string key")
    func catches() throws {
        let text = """
            var a: [String: Int] = [:]
            let b: Set<String> = []  // Constants.
            let c: Set<String> = []
            let d: [String?: Int], e: [ExactString: Int], f: [String], g = ["a": 1]
            let h = Dictionary<String, Int>()

            """
        let file = SourceText(path: "Sources/Traffic/Replay/B.swift", text: text)
        #expect(
            try Self.violations(in: file)
                == [1, 3, 4, 5].map {
                    "Sources/Traffic/Replay/B.swift:\($0): text from outside is identified by its bytes: make the key an "
                        + "`ExactString` (JSON), or say on the same line why it is a constant or natural text."
                })
        #expect(try Self.violations(in: SourceText(path: "Sources/Domain/Nutrition/B.swift", text: text)) == [])
    }

    @Test("The modules listed as exempt exist")
    func exemptExist() throws {
        #expect(Self.exempt.isSubset(of: Set(try Package.sources.get().map(\.module))))
    }
}
