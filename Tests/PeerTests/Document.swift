import Foundation
import TestSupport

/// README, a page in `docs/`, or a skill, with its fenced blocks.
///
/// A block's kind determines how the tests use it:
/// - ` ```console `: lines that begin with `$ ` are typed, and the others are what the command prints. The blocks of a
///   chapter (`## `) are typed into one shell.
/// - Below a line with "Save this as `NAME`": a file in the chapter's shell.
/// - Below `<!-- quotes PATH -->`: the file at that path in the package, or lines from that file.
/// - ` ```yaml ` otherwise: a whole scenario, which `fitiq-mock check` accepts.
/// - Below `<!-- not run: REASON -->`: an example.
struct Document: Sendable, CustomStringConvertible {
    struct Block: Sendable {
        enum Treatment: Sendable, Equatable {
            case run, scenario
            case file(name: String)
            case quotation(path: String)
            case example(reason: String)
        }

        let language: String
        /// The line number of its first line in the page.
        let line: Int
        /// The text of the last second-level heading.
        let chapter: String
        let treatment: Treatment?
        var text = ""
    }

    /// The path relative to the package's root.
    let path: String
    let text: String
    let blocks: [Block]

    var description: String { path }

    static let all = Result {
        let pages = try FileManager.default.contentsOfDirectory(
            atPath: URL.packageRoot.appendingPathComponent("docs").path)
        let others = ["README.md", "skills/fitiq-mock/SKILL.md", "AGENTS.md", "llms.txt"]
        return try (others + pages.filter { $0.hasSuffix(".md") }.sorted().map { "docs/\($0)" }).map { path in
            Document(path: path, text: try textOfPackage(path))
        }
    }

    init(path: String, text: String) {
        self.path = path
        self.text = text
        var blocks: [Block] = []
        var chapter = ""
        /// The text between the previous block or heading and this line.
        var prose = ""
        /// The open fence.
        var fence: Substring?
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if let open = fence {
                if line == open {
                    fence = nil
                } else {
                    blocks[blocks.count - 1].text += line + "\n"
                }
            } else if line.hasPrefix("```") {
                fence = line.prefix { $0 == "`" }
                let language = String(line.drop { $0 == "`" })
                blocks.append(
                    Block(
                        language: language, line: number + 2, chapter: chapter,
                        treatment: Self.treatment(of: language, below: prose)))
                prose = ""
            } else {
                if line.hasPrefix("## ") { chapter = String(line.dropFirst(3)) }
                prose = line.hasPrefix("#") ? "" : prose + line + "\n"
            }
        }
        self.blocks = blocks
    }

    private static func treatment(of language: String, below prose: String) -> Block.Treatment? {
        if let marker = prose.matches(of: #/<!-- (quotes|not run:) (.+) -->\s*$/#).last {
            let text = String(marker.output.2)
            return marker.output.1 == "quotes" ? .quotation(path: text) : .example(reason: text)
        }
        if language == "console" { return .run }
        if let name = prose.matches(of: #/Save\s+this\s+as\s+`([\w.-]+)`/#).last?.output.1 {
            return .file(name: String(name))
        }
        return language == "yaml" ? .scenario : nil
    }
}

/// The input for one shell: the blocks of a chapter, with the files that they name.
///
/// The two commands for newcomers, which start the server and the tests, are kept separate.
struct ShellSession: Sendable {
    struct Command: Sendable {
        var text: String
        var output = ""
    }

    var commands: [Command] = []
    var files: [(name: String, text: String)] = []

    struct BeginsWithOutput: Error {
        let line: Int
    }

    static func all(in document: Document) throws -> [ShellSession] {
        var sessions: [ShellSession] = []
        var chapter: String?
        for block in document.blocks {
            if chapter != block.chapter {
                sessions.append(ShellSession())
                chapter = block.chapter
            }
            switch block.treatment {
            case .file(let name): sessions[sessions.count - 1].files.append((name, block.text))
            case .run:
                var commands: [Command] = []
                for line in block.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
                    if line.hasPrefix("$ ") {
                        commands.append(Command(text: String(line.dropFirst(2))))
                    } else if commands.isEmpty {
                        throw BeginsWithOutput(line: block.line)
                    } else {
                        commands[commands.count - 1].output += line + "\n"
                    }
                }
                sessions[sessions.count - 1].commands += commands
                if commands.contains(where: { $0.text.hasPrefix("./scripts/") }) { chapter = nil }
            default: break
            }
        }
        return sessions.filter { !$0.commands.isEmpty }
    }
}
