import Foundation
import TestSupport
import Testing

extension CommandPeers {
    /// Runs every command in README and `docs/`, and compares the output with the page.
    ///
    /// Only ports, times, and time-dependent tokens may differ between runs.
    @Suite("Documents")
    struct DocumentTests {
        @Test("A page's commands print what the page says", arguments: try Document.all.get())
        func commands(_ document: Document) async throws {
            let sessions = try ShellSession.all(in: document)
            guard !sessions.isEmpty else { return }
            try await RunningServer.serve("--instant") { server in
                var runner = try DocumentRunner(server)
                for session in sessions {
                    let expected = session.commands.map { runner.timeless("$ \($0.text)\n\($0.output)") }.joined()
                    let outputs = try await runner.run(session)
                    let printed = outputs.map { runner.timeless($0) }.joined()
                    #expect(printed == expected)
                }
            }
        }

        @Test("On README's server, its commands work after the banner's, and a first session works after both")
        func afterOneAnother() async throws {
            let documents = try Document.all.get()
            let readme = try #require(documents.first { $0.path == "README.md" })
            let start = try #require(documents.first { $0.path == "docs/start.md" })
            let banner = try #require(readme.text.firstMatch(of: #/(?s)\n  (curl .+?)\n\n/#)).output.1
            let chapter = try #require(
                readme.text.components(separatedBy: "\n## ").first { $0.hasPrefix("Point an app at it\n") })
            let pages = [Document(path: readme.path, text: "## \(chapter)"), start]
            let sessions = try pages.flatMap { try ShellSession.all(in: $0) }
            #expect(sessions.count >= 4)
            try await RunningServer.serve { server in
                var runner = try DocumentRunner(server)
                let first = try await runner.run(ShellSession(commands: [ShellSession.Command(text: String(banner))]))
                #expect(first[0].contains("\n{\"success\":true,"))
                for session in sessions {
                    let expected = session.commands.map { runner.timeless("$ \($0.text)\n\($0.output)") }
                    let printed = try await runner.run(session).map {
                        // Only this server takes time for an answer.
                        runner.timeless($0).replacing(#/"processing_time_ms": \d+/#, with: "\"processing_time_ms\": 0")
                    }
                    #expect(printed == expected)
                }
            }
        }

        @Test("The reader finds each page's commands and files")
        func found() throws {
            let documents = try Document.all.get()
            let readme = try #require(documents.first)
            #expect(try ShellSession.all(in: readme).flatMap(\.files).map(\.name) == ["mine.yaml", "client.sh"])
            #expect(try ShellSession.all(in: readme).count >= 5)
            let files = try documents.flatMap { try ShellSession.all(in: $0) }.flatMap(\.files).map(\.name)
            #expect(Set(files) == ["mine.yaml", "client.sh", "down.yaml", "tunnel.yaml", "bad-day.yaml", "test.sh"])
            #expect(try documents.flatMap { try ShellSession.all(in: $0) }.flatMap(\.commands).count >= 120)
        }

        static func violations(in document: Document) -> [String] {
            document.blocks.compactMap { block in
                let place = "\(document.path):\(block.line): "
                switch block.treatment {
                case nil:
                    return place + "this \(block.language) block is not run, checked or compared: see Document."
                case .example(let reason) where reason.count < 10: return place + "the marker has no reason."
                default: return nil
                }
            }
        }

        @Test(
            "Every fenced block is run, checked or compared, or states why it is not", arguments: try Document.all.get()
        )
        func treatments(_ document: Document) {
            for message in Self.violations(in: document) { Issue.record("\(message)") }
        }

        @Test("The reader reports a block that does not state how it is tested")
        func catchesBlocks() {
            let text = """
                ## One

                ```swift
                f()
                ```

                <!-- not run: it takes a device -->
                ```sh
                adb shell
                ```

                <!-- not run: no -->
                ```sh
                adb shell
                ```

                <!-- quotes LICENSE -->

                ```text
                MIT
                ```

                Text, and then save it. Save this
                as `a.sh`:

                ```sh
                true
                ```

                ```yaml
                name: a
                ```
                """
            let document = Document(path: "docs/a.md", text: text)
            #expect(
                document.blocks.map(\.treatment) == [
                    nil, .example(reason: "it takes a device"), .example(reason: "no"), .quotation(path: "LICENSE"),
                    .file(name: "a.sh"), .scenario,
                ])
            #expect(
                Self.violations(in: document) == [
                    "docs/a.md:4: this swift block is not run, checked or compared: see Document.",
                    "docs/a.md:14: the marker has no reason.",
                ])
        }

        @Test("A reference page starts with an index of its chapters", arguments: ["options", "limits", "scenarios"])
        func index(_ name: String) throws {
            let text = try textOfPackage("docs/\(name).md")
            let chapters = text.split(separator: "\n").filter { $0.hasPrefix("## ") }.map { $0.dropFirst(3) }
            let top = text.components(separatedBy: "\n## ")[0].replacing("\n", with: " ")
            #expect(chapters.count > 5)
            for chapter in chapters { #expect(top.contains("[\(chapter)](#"), "\(chapter)") }
        }

        @Test("Every scenario on a page is valid", arguments: try Document.all.get())
        func scenarios(_ document: Document) async throws {
            let scenarios = document.blocks.filter { $0.treatment == .scenario }
            guard !scenarios.isEmpty else { return }
            let files = try ScratchFolder()
            defer { files.remove() }
            let names = scenarios.map { "line-\($0.line).yaml" }
            for (name, block) in zip(names, scenarios) {
                try Data(DocumentRunner.absolute(block.text).utf8).write(to: files[name])
            }
            let check = try await Command(try Programs.fitiqMock(), ["check"] + names, directory: files.url)
            #expect(check.status == 0, "\(document.path): \(check.transcript)")
        }

        @Test("Every quotation matches the quoted file", arguments: try Document.all.get())
        func quotations(_ document: Document) throws {
            for block in document.blocks {
                guard case .quotation(let path) = block.treatment else { continue }
                let file = try textOfPackage(path)
                #expect(("\n" + file).contains("\n" + block.text), "\(document.path):\(block.line): \(path) differs.")
            }
        }

        @Test(
            "Pages quote executed files in full, except for the comment at the top",
            arguments: [
                "Fixtures/ci/github-actions.yml", "Fixtures/ci/conform.yml", "Tests/ContractTests/ReadmeExample.swift",
                "Fixtures/adapters/minimal/adapter.py",
            ])
        func wholeQuotations(path: String) throws {
            let text = try textOfPackage(path)
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            let body = lines.drop { $0.hasPrefix("#") }.joined(separator: "\n")
            let quotations = try Document.all.get().flatMap(\.blocks).filter { $0.treatment == .quotation(path: path) }
            #expect(quotations.map(\.text) == [body])
        }

        @Test(
            "The options page has a row for each option",
            arguments: [
                ("serve", 20), ("verify", 5), ("test-client", 5), ("judge", 5), ("record", 14), ("replay", 20),
                ("show", 2), ("certificate", 2), ("token", 3), ("chat", 6), ("conform", 16),
            ])
        func options(command: String, fewest: Int) async throws {
            let help = try await Command(try Programs.fitiqMock(), [command, "--help"])
            let options = help.output.matches(of: #/^  (--[a-z-]+)/#.anchorsMatchLineEndings()).map {
                String($0.output.1)
            }
            #expect(options.count >= fewest, "\(help.transcript)")
            let page = try #require(try Document.all.get().first { $0.path == "docs/options.md" }).text
            let rows = page.components(separatedBy: "\n## ").filter { chapter in
                // 'replay' also accepts the options of 'serve'.
                let isServed = command == "replay" && chapter.hasPrefix("`serve`")
                let heading = chapter.prefix { $0 != "\n" }
                return heading.hasPrefix("`") && (isServed || heading.contains("`\(command)`"))
            }.flatMap { $0.split(separator: "\n") }.filter { $0.hasPrefix("| `--") }
            for option in options where option != "--version" {
                let row = rows.first { row in
                    // The table for 'serve' has a column for the environment instead of the commands.
                    let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
                    return cells[0].contains("`\(option)`")
                        && (cells[1].contains("`FITIQ_MOCK_") || cells[1] == "all"
                            || cells[1].components(separatedBy: ", ").contains(command))
                }
                #expect(row != nil, "docs/options.md has no row for \(option) of \(command).")
            }
        }
    }
}
