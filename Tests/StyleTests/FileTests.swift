import Testing

@Suite("Files")
struct FileTests {
    static let longest = 500

    static func violation(_ file: SourceText) -> String? {
        // A text that ends with a newline has an empty last line.
        let count = file.lines.count - (file.lines.last == "" ? 1 : 0)
        guard count > longest else { return nil }
        return "\(file.path): \(count) lines are too many: one subject each, at most \(longest); split it."
    }

    @Test("No file exceeds the line limit")
    func areShort() throws {
        for message in try (Package.sources.get() + Package.tests.get()).compactMap(Self.violation) {
            Issue.record("\(message)")
        }
    }

    @Test("The check reports a long file")
    func catchesLongFiles() {
        let lines = String(repeating: "\n", count: Self.longest)
        #expect(Self.violation(SourceText(path: "Sources/A/B.swift", text: lines)) == nil)
        #expect(
            Self.violation(SourceText(path: "Sources/A/B.swift", text: lines + "\n"))
                == "Sources/A/B.swift: 501 lines are too many: one subject each, at most 500; split it.")
    }

    /// A force unwrap needs a comment on the same line that names the invariant.
    static func unwraps(in file: SourceText) throws -> [String] {
        let expression = try Regex(#"[\w)\]]!(?!=)"#)
        return file.code.enumerated().compactMap { index, line in
            guard line.contains(expression), !file.lines[index].contains("  // ") else { return nil }
            return "\(file.path):\(index + 1): unwrapping by force takes a comment on the invariant, on the same line."
        }
    }

    @Test("Every force unwrap in Sources has a reason")
    func unwrapsAreExplained() throws {
        for message in try Package.sources.get().flatMap(Self.unwraps) { Issue.record("\(message)") }
    }

    @Test("The check reports a force unwrap without a reason")
    func catchesUnwraps() throws {
        let text = "let a = b!\nlet a = b!.c  // Checked above.\nif a != b, !c { f(\"d!\") }\nlet a = b(c)![0]\n"
        #expect(
            try Self.unwraps(in: SourceText(path: "Sources/A/B.swift", text: text))
                == [1, 4].map {
                    "Sources/A/B.swift:\($0): unwrapping by force takes a comment on the invariant, on the same line."
                })
    }
}
