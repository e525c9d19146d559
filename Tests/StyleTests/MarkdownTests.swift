import Foundation
import TestSupport
import Testing

/// A page of Markdown: its prose, headings and links.
struct Markdown: Sendable, CustomStringConvertible {
    /// The path relative to the package's root.
    let path: String
    /// The lines with their numbers, without fenced blocks and comments.
    let prose: [(number: Int, text: Substring)]

    var description: String { path }

    init(path: String, text: String) {
        self.path = path
        var fence: Substring?
        var prose: [(number: Int, text: Substring)] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let marks = line.drop { $0 == " " }.prefix { $0 == "`" }
            if let open = fence {
                if line.drop(while: { $0 == " " }) == open { fence = nil }
            } else if marks.count >= 3 {
                fence = marks
            } else if !line.hasPrefix("<!--") {
                prose.append((index + 1, line))
            }
        }
        self.prose = prose
    }

    /// The names that GitHub gives to the headings in links.
    var anchors: Set<String> {
        Set(
            prose.filter { $0.text.hasPrefix("#") }.map { line in
                let heading = line.text.drop { $0 == "#" }.dropFirst().lowercased()
                return String(
                    heading.compactMap { character in
                        character == " "
                            ? "-"
                            : character.isLetter || character.isNumber || "-_".contains(character) ? character : nil
                    })
            })
    }

    /// The targets of links that are not web addresses: file and anchor; either may be empty.
    var links: [(file: String, anchor: String)] {
        prose.map(\.text).joined(separator: "\n").matches(of: #/\]\(([^)\s]*)\)/#).map(\.output.1)
            .filter { !$0.contains("://") }.map { target in
                let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
                return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
            }
    }

    static let width = 120

    /// Lines of prose that are too long and could be broken at a space outside code.
    var longLines: [String] {
        prose.compactMap { number, text in
            guard text.count > Self.width, !text.hasPrefix("|"), !text.hasPrefix("#"),
                String(text).replacing(#/`[^`]*`/#, with: "`").drop(while: { $0 == " " }).contains(" ")
            else { return nil }
            return "\(path):\(number): \(text.count) characters; wrap prose at \(Self.width)."
        }
    }
}

@Suite("Pages")
struct MarkdownTests {
    /// The pages with wrapped prose and checked links.
    static let pages = Result {
        let docs = try FileManager.default.contentsOfDirectory(
            atPath: URL.packageRoot.appendingPathComponent("docs").path)
        return try read(
            [
                "README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "openapi/DEVIATIONS.md", "AGENTS.md", "llms.txt",
                "skills/fitiq-mock/SKILL.md",
            ]
                + docs.filter { $0.hasSuffix(".md") }.sorted().map { "docs/\($0)" })
    }

    /// Other pages, with checked links.
    static let others = Result {
        try read([
            "Benchmarks/README.md", "Fixtures/adapters/README.md", "Fixtures/guides/README.md",
            "Fixtures/har/README.md", "Fixtures/sessions/README.md", "Fixtures/websocket/README.md",
        ])
    }

    static func read(_ paths: [String]) throws -> [Markdown] {
        try paths.map { path in
            Markdown(
                path: path,
                text: try textOfPackage(path))
        }
    }

    @Test(
        "Each page that is meant to be read from start to end is within its size limit",
        arguments: [
            ("README.md", 14_336), ("ARCHITECTURE.md", 20_000), ("llms.txt", 8_000), ("AGENTS.md", 4_000),
            ("skills/fitiq-mock/SKILL.md", 6_000),
        ])
    func sizes(path: String, limit: Int) throws { #expect(try textOfPackage(path).utf8.count <= limit) }

    @Test("llms.txt links to every docs page once, in the llmstxt.org format")
    func forAgents() throws {
        let pages = try Self.pages.get()
        let contents = try #require(pages.first { $0.path == "llms.txt" })
        #expect(contents.links.map(\.file).sorted() == pages.map(\.path).filter { $0.hasPrefix("docs/") }.sorted())
        // The format is defined by https://llmstxt.org: a title, a summary, and lists of links below headings.
        let lines = contents.prose.map(\.text).filter { !$0.isEmpty }
        #expect(lines[0].hasPrefix("# ") && lines[1].hasPrefix("> "))
    }

    @Test("Prose wraps at 120 columns", arguments: try pages.get())
    func isWrapped(_ page: Markdown) {
        for message in page.longLines { Issue.record("\(message)") }
    }

    @Test("Every relative link leads to an existing file and heading", arguments: try pages.get() + others.get())
    func links(_ page: Markdown) throws {
        for message in try Self.brokenLinks(of: page) { Issue.record("\(message)") }
    }

    static func brokenLinks(of page: Markdown) throws -> [String] {
        let folder = URL.packageRoot.appendingPathComponent(page.path).deletingLastPathComponent()
        return try page.links.compactMap { file, anchor in
            let target = file.isEmpty ? page.path : file
            let url =
                file.isEmpty
                ? URL.packageRoot.appendingPathComponent(page.path)
                : folder.appendingPathComponent(file).standardizedFileURL
            guard file.isEmpty || FileManager.default.fileExists(atPath: url.path) else {
                return "\(page.path): there is no \(target)."
            }
            guard !anchor.isEmpty else { return nil }
            let linked =
                file.isEmpty ? page : Markdown(path: target, text: try String(contentsOf: url, encoding: .utf8))
            return linked.anchors.contains(anchor) ? nil : "\(page.path): \(target) has no heading #\(anchor)."
        }
    }

    @Test("The table of contents lists every docs page once, and every page has a title")
    func contents() throws {
        let pages = try Self.pages.get().filter { $0.path.hasPrefix("docs/") }
        let contents = try #require(pages.first { $0.path == "docs/README.md" })
        let listed = contents.links.map(\.file).filter { !$0.hasPrefix("../") }
        let others: [String] = pages.map { String($0.path.dropFirst(5)) }.filter { $0 != "README.md" }
        #expect(listed.sorted() == others.sorted())
        for page in pages {
            let titles = page.prose.filter { $0.text.hasPrefix("# ") }
            #expect(titles.count == 1 && titles.first?.number == 1, "\(page) has one title, on its first line.")
        }
    }

    @Test("No page repeats a long line from another page")
    func duplicates() throws {
        var places: [Substring: String] = [:]
        for page in try Self.pages.get() {
            for line in page.prose where line.text.count >= 80 {
                if let place = places[line.text] {
                    Issue.record("\(page.path):\(line.number) says what \(place) says: link to it instead.")
                }
                places[line.text] = "\(page.path):\(line.number)"
            }
        }
    }

    @Test("The check reports errors in a page")
    func catches() throws {
        let long = String(repeating: "word ", count: 24) + "end"
        let text = """
            # A `b`, c

            [a](../README.md#no-such) [b](#a-b-c) [c](none.md) [d](https://example.com/x)
            \(long)
            | \(long)
            `\(long)`

            ```text
            \(long) [e](none.md)
            ```
            """
        let page = Markdown(path: "docs/a.md", text: text)
        #expect(page.anchors == ["a-b-c"])
        #expect(page.longLines == ["docs/a.md:4: 123 characters; wrap prose at 120."])
        let broken = try Self.brokenLinks(of: page)
        #expect(broken == ["docs/a.md: ../README.md has no heading #no-such.", "docs/a.md: there is no none.md."])
    }
}
