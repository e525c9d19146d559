import Testing

@testable import fitiq_mock

@Suite("Scenarios on the command line")
struct ScenarioTests {
    @Test(
        "--scenario accepts a built-in scenario's name or a file's path",
        arguments: [
            ("default", .builtIn("default")), ("conflict", .builtIn("conflict")), ("./conflict", .file("./conflict")),
            ("conflict.yaml", .file("conflict.yaml")), ("mine.yml", .file("mine.yml")),
            ("state.json", .file("state.json")), ("a/b", .file("a/b")), ("there", .file("there")),
        ] as [(String, ScenarioSource)])
    func source(argument: String, source: ScenarioSource) throws {
        #expect(try ScenarioSource(argument, exists: { ["there", "conflict"].contains($0) }) == source)
    }

    @Test("The error for an unknown scenario suggests the nearest name")
    func unknown() {
        let failure = #expect(throws: Failure.self) { try ScenarioSource("conflit", exists: { _ in false }) }
        let beginning = #"There is no built-in scenario "conflit". Did you mean 'conflict'?"#
        #expect(failure?.message.hasPrefix(beginning) == true && failure?.exitCode == 2)
    }

    static let stamp = FileStamp(seconds: 1, nanoseconds: 2, size: 3, inode: 4)

    /// Checks a file, loads it if it has changed, and returns the log lines.
    private func look(_ file: inout WatchedFile, _ stamp: FileStamp?, take: () -> [String]) -> [String] {
        switch file.look(stamp) {
        case .tell(let lines): return lines
        case .take:
            file.took(take())
            return []
        }
    }

    @Test(
        "A file is loaded again only after it has changed",
        arguments: [
            FileStamp(seconds: 9, nanoseconds: 2, size: 3, inode: 4),
            FileStamp(seconds: 1, nanoseconds: 9, size: 3, inode: 4),
            FileStamp(seconds: 1, nanoseconds: 2, size: 9, inode: 4),
            FileStamp(seconds: 1, nanoseconds: 2, size: 3, inode: 9),
        ])
    func changes(stamp: FileStamp) {
        var file = WatchedFile(path: "a.yaml", seen: Self.stamp)
        var taken = 0
        for seen in [Self.stamp, stamp, stamp, Self.stamp, Self.stamp] {
            let told = look(&file, seen) {
                taken += 1
                return []
            }
            #expect(told.isEmpty)
        }
        #expect(taken == 2)
    }

    @Test("Mistakes are reported once and only after the file is completely written")
    func mistakes() {
        var file = WatchedFile(path: "a.yaml", seen: Self.stamp)
        var stamp = Self.stamp
        let rows: [(mistakes: [String]?, told: [String])] = [
            // The file is half written and then complete, so there is nothing to report.
            (["half"], []), ([], []), (nil, []),
            // The file is invalid, and still invalid at the next check.
            (["broken"], []), (nil, ["broken"]), (nil, []),
            // Another mistake is reported.
            (["broken again"], []), (nil, ["broken again"]),
        ]
        for (index, row) in rows.enumerated() {
            if row.mistakes != nil { stamp.nanoseconds += 1 }
            #expect(look(&file, stamp) { row.mistakes ?? ["never read"] } == row.told, "row \(index)")
        }
    }

    @Test("A missing file is reported once and loaded again when it reappears")
    func vanished() {
        var file = WatchedFile(path: "a.yaml", seen: Self.stamp)
        #expect(look(&file, nil) { ["never read"] } == [])
        #expect(look(&file, nil) { ["never read"] } == [Messages.vanished("a.yaml")])
        #expect(look(&file, nil) { ["never read"] } == [])
        var isTaken = false
        let told = look(&file, Self.stamp) {
            isTaken = true
            return []
        }
        #expect(told == [] && isTaken)
        // An editor replaces the file between two checks.
        #expect(look(&file, nil) { ["never read"] } == [])
        #expect(look(&file, Self.stamp) { [] } == [])
        #expect(look(&file, Self.stamp) { ["never read"] } == [])
    }

    @Test("The list of scenarios has a column of names and a column of summaries")
    func table() {
        let rows = [(name: "a", summary: "One."), (name: "long-name", summary: "Two.")]
        #expect(ListScenarios.table(rows) == "a          One.\nlong-name  Two.")
        #expect(ListScenarios.table([]) == "")
    }

    @Test(
        "check reports inconsistent data even if each value is valid",
        arguments: [
            ("name: a\n", nil),
            (
                "name: a\nusers:\n  - id: default\n    goals:\n      - {title: Run, created_at: 1d ago, updated_at: 2d ago}\n",
                "x.yaml:5:"
            ),
            (
                #"{"name": "a", "clock": {"manual": "2025-01-29T10:30:00Z"}, "users": [{"id": "default", "goals": [{"title": "Run", "#
                    + #""created_at": "2025-01-29T10:30:01Z"}]}]}"#, "x.yaml:1:"
            ),
            ("name: a\nfaults:\n  - {on: any, status: 503, cod: 1}\n", "x.yaml:3:28: faults[0].cod is not a key of"),
            ("", "x.yaml:1:1: The file is empty"),
        ] as [(String, String?)])
    func check(text: String, beginning: String?) {
        let mistakes = Check.mistakes(in: Array(text.utf8), file: "x.yaml")
        #expect(
            mistakes.map { $0.hasPrefix(beginning ?? "nothing") } == beginning.map { _ in true }, "\(mistakes ?? "")")
    }

    @Test(
        "The messages about scenarios and files match the expected text",
        arguments: [
            (
                Messages.unknownChoice("--clock", "manul", allowed: ["real", "manual"]),
                "--clock must be one of real, manual; got 'manul'. Did you mean 'manual'?"
            ),
            (Messages.mistakes(in: "a.yaml", "a.yaml:1:1: No."), "cannot use 'a.yaml':\na.yaml:1:1: No."),
            (Messages.watchWithoutFile, "--watch requires a scenario file: --scenario FILE."),
            (Messages.reloaded("a.yaml", isEntire: true), "reloaded 'a.yaml'"),
            (
                Messages.reloaded("a.yaml", isEntire: false),
                "reloaded 'a.yaml': answers, meals and faults apply from now on; data, guide, seed, clock and "
                    + "token lifetime apply at the next reset (POST /__admin/reset) and in new worlds"
            ),
            (
                Messages.lastGoodStays("a.yaml"),
                "'a.yaml' has errors; until you fix them, the server uses the last version loaded:"
            ),
            (
                Messages.vanished("a.yaml"),
                "'a.yaml' is missing; the server still uses the last version loaded, and will reload the file when it "
                    + "reappears"
            ),
            (Messages.inFile("a.yaml", "cannot read."), "a.yaml: cannot read."),
            (
                Messages.tooLarge("a.yaml", limit: 16 * 1024 * 1024),
                "'a.yaml' is larger than 16 MiB, the largest size that can be read."
            ),
        ])
    func sentences(sentence: String, expected: String) { #expect(sentence == expected) }
}
