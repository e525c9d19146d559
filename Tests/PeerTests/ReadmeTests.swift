import Foundation
import Testing

extension Peers {
    /// Every command in README's console blocks is run, and what it prints is compared with what README says it prints.
    ///
    /// Ports, times and tokens that depend on the clock differ from run to run; nothing else does.
    @Suite("README")
    struct ReadmeTests {
        @Test("commands print what README says")
        func commands() async throws {
            let blocks = try ConsoleBlock.all(in: readme)
            #expect(blocks.count >= 5, "README's console blocks are found.")
            #expect(
                blocks.flatMap(\.files).map(\.name) == ["mine.yaml", "client.sh"], "README's files are found.")
            var ports: [String] = []
            // Side by side, or the system gave the same one again.
            try await RunningServer.serve { first in
                try await RunningServer.serve { second in
                    try await RunningServer.serve { third in
                        ports = [first, second, third].map { String($0.ready.url.split(separator: ":")[2]) }
                    }
                }
            }
            try await RunningServer.serve("--instant") { server in
                let adapter = try Adapter(server, freePorts: ports)
                for block in blocks {
                    let expected = block.commands.map { adapter.timeless("$ \($0.text)\n\($0.output)") }.joined()
                    let printed = try await adapter.run(block).map(adapter.timeless).joined()
                    #expect(printed == expected)
                }
            }
        }

        @Test(
            "limits in README are those of the code",
            arguments: [
                ("request line | 8 KiB", "public var requestLine = 8 * 1024"),
                ("16 KiB, 100 fields", "public var headerBlock = 16 * 1024"),
                ("16 KiB, 100 fields", "public var fieldCount = 100"),
                ("request body | 1 MiB", "public var body = 1024 * 1024"),
                ("TLS to be agreed on | 10 s", "public var handshakeTime = Duration.seconds(10)"),
                ("again for its body | 10 s", "public var readTime = Duration.seconds(10)"),
                ("takes nothing | 75 s", "public var idleTime = Duration.seconds(75)"),
                ("connections | 12,000, or", "public var connections = 12_000"),
                ("WebSocket message | 1 MiB (echo: 16 MiB)", "public var webSocketMessage = 1024 * 1024"),
                ("WebSocket message | 1 MiB (echo: 16 MiB)", "public var echoMessage = 16 * 1024 * 1024"),
                ("leaves unread | 4 MiB", "public var unsentBytes = 4 * 1024 * 1024"),
                ("answer our close frame | 2 s", "public var closingTime = Duration.seconds(2)"),
                ("chat message | 2,000 characters", "public static let maximumContentLength = 2000"),
                ("each consultation | 16", "public var waitingMessages = 16"),
                ("messages of a consultation | 10,000", "public var messages = 10_000"),
                ("active consultations of a user | 10", "public var activeConsultations = 10"),
                ("users | 100,000", "public var users = 100_000"),
                ("goals of a user | 1,000", "public var goals = 1000"),
                ("meal logs of a user | 10,000", "public var mealLogs = 10_000"),
                ("goals and meal logs | 256 MiB", "public var storedBytes = 256 * 1024 * 1024"),
                ("that they were sent | 640 MiB", "public var storedBytes = 640 * 1024 * 1024"),
                ("`PUT /__admin/state` | 320 MiB", "public var stateBody = 320 * 1024 * 1024"),
                ("the default one included | 12,000", "public var worlds = 12_000"),
                ("an idle one for 30 minutes", "public var worldIdleTime = Duration.seconds(1800)"),
                ("included | 256 MiB", "public var journalBytes = 256 * 1024 * 1024"),
                ("a goal's description | 2,000 characters", "static let description = 0...2000"),
                ("a goal's category | 100 characters", "static let category = 1...100"),
                ("`raw_input` of a meal log | 1,000 characters", "public static let maximumInputLength = 1000"),
                ("foods of a meal log | 50", "public static let maximumItems = 50"),
                ("title, goal id, context id | 200 characters", #""title", characters: 1...200"#),
                ("JSON | 128 levels, 10,000 values", "public init(depth: Int = 128"),
                ("JSON | 128 levels, 10,000 values", "JSON.Limits(values: 10_000)"),
                ("of what is arriving | 512 MiB", "public var heldBytes = 512 * 1024 * 1024"),
                ("the same for all echo sockets | 64 MiB", "public var echoBytes = 64 * 1024 * 1024"),
                ("no more is read from a connection | 256 KiB", "unsentBytesBeforeReadingPauses = 256 * 1024"),
                ("beyond 256 of those", "public var refusedConnections = 256"),
                ("and 128 KiB of UTF-8", "public static let maximumContentByteCount = 128 * 1024"),
                ("and 16 KiB of UTF-8", "maximumTextByteCount = 16 * 1024"),
                ("`context` beside `coach_type` | 1,000", #""context", characters: 0...1000"#),
                ("token | 4,096 bytes, a user id of 200", "text.utf8.count <= 4096"),
                ("SIGTERM or SIGINT | 4 s", "public var shutdownTime = Duration.seconds(4)"),
                ("file | 16 MiB, 200,000 values, 64", "public static let fileBytes = 16 * 1024 * 1024"),
                ("file | 16 MiB, 200,000 values, 64", "public static let nodes = 200_000"),
                ("file | 16 MiB, 200,000 values, 64", "public static let depth = 64"),
                ("as exports are | 2,097,152 values", "public static let valuesOfJSON = fileBytes / 8"),
                ("state file of `--import` | 640 MiB", "largestState = 640 * 1024 * 1024"),
                ("MiB, 15,500,000 values | exit 2", "largestStateValues = 15_500_000"),
                ("mistakes told of a scenario | 50", "public static let mistakes = 50"),
                ("rules for answers, and for meals | 1,000", "public static let rules = 1000"),
                (
                    "regular expressions of a scenario together | 20,000",
                    "public static let patternInstructions = 20_000"
                ),
                ("steps of an answer | 10,000, 256 KiB", "public static let steps = 10_000"),
                (
                    "regular expressions of a scenario together | 20,000",
                    "public static let patternInstructions = 20_000"
                ),
                ("steps of an answer | 10,000, 256 KiB", "public static let answerBytes = 256 * 1024"),
                ("faults | 1,000", "public static let rules = 1_000"),
                ("faults | 1,000", "public static let rules = 1_000"),
                (
                    "hold a connection's output back | 2 h",
                    "static let longestHold: Int64 = 2 * FaultLimits.longestWait"
                ),
                ("wait of a fault | 1 h", "public static let longestWait: Int64 = 3_600 * 1_000_000_000"),
                ("hangs or is silent | 10 min", "public static let hang: Int64 = 600 * 1_000_000_000"),
                ("hangs or is silent | 10 min", "static let longestSilence: Int64 = 600_000_000_000"),
                ("a quota | 1,000,000 in 24 h", "public static let quotaRequests = 1_000_000"),
                ("a quota | 1,000,000 in 24 h", "longestWindow: Int64 = 24 * 3_600 * 1_000_000_000"),
                ("in place of another | 1 MiB", "public static let replacementBody = 1_024 * 1_024"),
                ("journal of a world | 10,000 entries, 32", "public var entries = 10_000"),
                ("journal of a world | 10,000 entries, 32", "public var bytes = 32 * 1024 * 1024"),
                ("in the journal | 64 KiB", "public var body = 64 * 1024"),
                ("a saved journal that is judged | 4 MiB, 64", "public static let lineLimit = 4 << 20"),
                ("a saved journal that is judged | 4 MiB, 64", "static let depthLimit = 64"),
                ("of a saved journal that are judged at once | 1,000", "static let worldLimit = 1000"),
                ("known to be broken | 1 MiB", "static let knownBrokenLimit = 1 << 20"),
                ("that are told | 5", "public static let keptCount = 5"),
                ("a judge remembers | 10,000 of most", "init(capacity: Int = 10_000)"),
                ("line to or from an adapter | 1 MiB", "public static let lineBytes = 1 << 20"),
                ("an adapter's answer | 10 s", "public var answerTime = Duration.seconds(10)"),
                ("again after SIGTERM | 2 s", "public var endTime = Duration.seconds(2)"),
                ("system's clock only waits | 30 s", "public var patience = Duration.seconds(30)"),
                ("world in a case | 200,000", "public var stepLimit = 200_000"),
                ("to end after SIGTERM | 2 s", "private static let grace = Duration.seconds(2)"),
                ("keeps | 1,000 lines of a chat, 1,000 goals, 100 meals, 100", "public var transcriptLines = 1000"),
                ("keeps | 1,000 lines of a chat, 1,000 goals, 100 meals, 100", "public var goals = 1000"),
                ("keeps | 1,000 lines of a chat, 1,000 goals, 100 meals, 100", "public var meals = 100"),
                ("keeps | 1,000 lines of a chat, 1,000 goals, 100 meals, 100", "public var problems = 100"),
                ("waits in `FitIQClient` | 32 messages, 64 requests, 1,024", "public var waitingMessages = 32"),
                ("waits in `FitIQClient` | 32 messages, 64 requests, 1,024", "public var requests = 64"),
                ("waits in `FitIQClient` | 32 messages, 64 requests, 1,024", "static let capacity = 1024"),
                ("60s; from 1s to 1d for each scenario", "var timeLimit = Lifetime(seconds: 60)"),
                (
                    "a session file | 256 MiB, 100,000 entries, 10,000,000",
                    "public init(bytes: Int = 256 << 20, values: Int = 10_000_000, entries: Int = 100_000)"
                ),
                ("body in a recording | 16 MiB", "public var body = 16 * 1024 * 1024"),
                ("WebSocket message in a recording | 64 MiB", "public var message = 64 * 1024 * 1024"),
                ("recorded message | 1 MiB, 2,000 fields", "public var headerBlock = 1024 * 1024"),
                ("recorded message | 1 MiB, 2,000 fields", "public var fieldCount = 2000"),
                ("of what is under way | 512 MiB", "public var heldBytes = 512 * 1024 * 1024"),
                ("told apart | 100,000", "static let mostSecrets = 100_000"),
                ("replayed | 100,000 entries, 1,000,000 frames, 512", "public static let entries = 100_000"),
                ("replayed | 100,000 entries, 1,000,000 frames, 512", "public static let frames = 1_000_000"),
                ("replayed | 100,000 entries, 1,000,000 frames, 512", "let bytes = 512 * 1_024 * 1_024"),
                ("that are followed | 10,000 at once", "public static let bindings = 10_000"),
                ("from a recording | 1,000,000", "public static let recordedValues = 1_000_000"),
                ("that a report keeps | 100", "public static let misses = 100"),
                ("that are named | 8", "public static let differences = 8"),
                ("between two things | 24 h", "static let longestWait: Int64 = 24 * 3_600 * 1_000_000_000"),
                ("through `record` | 4,096", "public var connections = 4_096"),
                ("wait for one side | 1 MiB", "public var unsentBytes = 1024 * 1024"),
                ("through `record` | 64 KiB, 256 fields", "public var headBytes = 64 * 1024"),
                ("through `record` | 64 KiB, 256 fields", "public var fieldCount = 256"),
                ("through `record` | 16 |", "public var interimAnswers = 16"),
                ("again for TLS | 10 s", "public var connectTime = Duration.seconds(10)"),
                ("next byte | 300 s", "public var answerTime = Duration.seconds(300)"),
                ("without a byte | 120 s", "public var idleTime = Duration.seconds(120)"),
                ("60s; from 1s to 1d for each scenario", "(1...86_400).contains(timeLimit.seconds)"),
            ])
        func limits(row: String, declaration: String) throws {
            #expect(try (readme + sessions).contains(row), "Neither README nor SESSIONS.md has a row '\(row)'.")
            let sources = Self.root.appendingPathComponent("Sources")
            let files =
                FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)?
                .compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" } ?? []
            #expect(
                files.contains { (try? String(contentsOf: $0, encoding: .utf8))?.contains(declaration) ?? false },
                "No source says '\(declaration)': change README's row '\(row)' and this table with the limit.")
        }

        @Test(
            "code in README is that of a file which is run",
            arguments: [
                ("yaml", "Fixtures/ci/github-actions.yml"), ("swift", "Tests/ContractTests/ReadmeExample.swift"),
                ("python", "Fixtures/adapters/minimal/adapter.py"),
            ])
        func quotations(language: String, path: String) throws {
            var text = try String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
            // What a file says of itself, README says in its own words.
            if language == "yaml", let start = text.range(of: "\nname: ") {
                text = String(text[start.lowerBound...].dropFirst())
            }
            #expect(try readme.contains("```\(language)\n\(text)```\n"), "README quotes \(path) as it is.")
        }

        @Test(
            "README has a row for each option",
            arguments: [
                ("serve", 20), ("verify", 5), ("test-client", 5), ("judge", 5), ("record", 14), ("replay", 20),
                ("show", 2), ("certificate", 2),
            ])
        func options(command: String, fewest: Int) async throws {
            let help = try await Command(try Programs.fitiqMock(), [command, "--help"])
            let options = help.output.matches(of: #/^  (--[a-z-]+)/#.anchorsMatchLineEndings()).map {
                String($0.output.1)
            }
            #expect(options.count >= fewest, "\(help.transcript)")
            let rows = try readme.components(separatedBy: "\n## ").filter { chapter in
                // 'replay' takes the options of 'serve' too.
                let isServed = command == "replay" && chapter.hasPrefix("Options of `serve`")
                let heading = chapter.prefix { $0 != "\n" }
                return heading.hasPrefix("Options of ") && (isServed || heading.contains("`\(command)`"))
            }.flatMap { $0.split(separator: "\n") }.filter { $0.hasPrefix("| `--") }
            for option in options where option != "--version" {
                let row = rows.first { row in
                    // That of 'serve' has a column for the environment in place of the commands.
                    let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
                    return cells[0].contains("`\(option)`")
                        && (cells[1].contains("`FITIQ_MOCK_") || cells[1] == "all"
                            || cells[1].components(separatedBy: ", ").contains(command))
                }
                #expect(row != nil, "README has no row for \(option) of \(command).")
            }
        }

        private var readme: String { get throws { try text("README.md") } }
        private var sessions: String { get throws { try text("SESSIONS.md") } }

        private func text(_ name: String) throws -> String {
            try String(contentsOf: Self.root.appendingPathComponent(name), encoding: .utf8)
        }

        private static let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    }
}

/// A fenced block of README in which lines that begin with `$ ` are typed and the others are printed.
///
/// Blocks of one chapter are typed into one shell, save for those that start the server and the tests, which run already.
struct ConsoleBlock {
    struct Command {
        var text: String
        var output = ""
    }

    /// What is saved as a file: the block under a line that names it.
    struct File {
        var name: String
        var text = ""
    }

    var commands: [Command] = []
    var files: [File] = []

    static func all(in markdown: String) throws -> [ConsoleBlock] {
        var blocks: [ConsoleBlock] = []
        var fence = ""
        var isNewChapter = true
        var isFirst = false
        var isFile = false
        var name = ""
        for line in markdown.split(separator: "\n", omittingEmptySubsequences: false) {
            switch (fence, line) {
            case ("", _) where line.hasPrefix("```"):
                fence = String(line)
                isFile = line != "```console" && !name.isEmpty
                guard line == "```console" || isFile else { continue }
                if isNewChapter { blocks.append(ConsoleBlock()) }
                if isFile { blocks[blocks.count - 1].files.append(File(name: name)) }
                name = ""
                isNewChapter = false
                isFirst = true
            case ("", _):
                if line.hasPrefix("## ") { isNewChapter = true }
                if let match = line.firstMatch(of: #/Save this as `([\w.-]+)`/#) { name = String(match.output.1) }
            case (_, "```"):
                fence = ""
                isFile = false
            case ("```console", _) where line.hasPrefix("$ "):
                blocks[blocks.count - 1].commands.append(Command(text: String(line.dropFirst(2))))
                // The two commands of a newcomer stand for themselves.
                if line.hasPrefix("$ ./scripts/") { isNewChapter = true }
                isFirst = false
            case ("```console", _):
                try #require(!isFirst, "A console block of README begins with output.")
                let last = blocks[blocks.count - 1].commands.count - 1
                blocks[blocks.count - 1].commands[last].output += line + "\n"
            case (_, _) where isFile:
                blocks[blocks.count - 1].files[blocks[blocks.count - 1].files.count - 1].text += line + "\n"
            default: break
            }
        }
        return blocks
    }
}

/// Runs README's commands against a server on another port, and tells their output as if it were README's.
private struct Adapter {
    let server: RunningServer
    let program: String
    let address: String

    static let readmeProgram = ".build/release/fitiq-mock"
    static let readmeAddress = "127.0.0.1:8080"
    /// The ports of servers that README starts beside the one that runs.
    static let readmePorts = ["8081", "8082", "8443"]
    private let ports: [String]
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// - Parameter ports: as many as README names, on which nobody listens.
    init(_ server: RunningServer, freePorts ports: [String]) throws {
        self.server = server
        program = try Programs.fitiqMock().path
        address = String(server.ready.url.dropFirst("http://".count))
        self.ports = ports
    }

    /// What README should show for each command: the command after its prompt, and the output.
    func run(_ block: ConsoleBlock) async throws -> [String] {
        // The two commands of a newcomer: the server runs already, and so do the tests.
        switch block.commands.map(\.text) {
        case ["./scripts/serve"]: return ["$ ./scripts/serve\n" + asInReadme(server.banner)]
        case ["./scripts/test"]: return ["$ ./scripts/test\n"]
        default: break
        }
        // A server that README starts ends with the shell, whatever becomes of the commands.
        let trap = "trap 'kill $(jobs -p) 2>/dev/null' EXIT\n"
        let script = trap + block.commands.map { toRun($0.text) + "\nprintf '\\0'\n" }.joined()
        let files = try ScratchDirectory()
        defer { files.remove() }
        for file in block.files { try Data(file.text.utf8).write(to: files[file.name]) }
        let shell = try await Command(
            URL(fileURLWithPath: "/bin/bash"), ["-c", "cd \"$0\" && source /dev/stdin", files.url.path],
            environment: ["FITIQ_MOCK_URL": server.ready.url], input: script)
        #expect(shell.status == 0, "\(shell.transcript)")
        let outputs = shell.output.split(separator: "\0", omittingEmptySubsequences: false).dropLast()
        try #require(outputs.count == block.commands.count, "\(shell.transcript)")
        return zip(block.commands, outputs).map { "$ \($0.text)\n" + asInReadme(String($1)) }
    }

    private func toRun(_ command: String) -> String {
        zip(Self.readmePorts, ports).reduce(command) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
            .replacingOccurrences(of: Self.readmeProgram, with: program)
            .replacingOccurrences(of: Self.readmeAddress, with: address)
            .replacingOccurrences(of: "Fixtures/", with: Self.root.appendingPathComponent("Fixtures").path + "/")
    }

    private func asInReadme(_ output: String) -> String {
        // The banner leaves out the folder that the server was started in.
        let folder = FileManager.default.currentDirectoryPath + "/"
        let short = program.hasPrefix(folder) ? String(program.dropFirst(folder.count)) : program
        let ported = zip(Self.readmePorts, ports).reduce(output) {
            $0.replacingOccurrences(of: "127.0.0.1:\($1.1)", with: "127.0.0.1:\($1.0)")
        }
        return ported.replacingOccurrences(of: program, with: Self.readmeProgram)
            .replacingOccurrences(of: short, with: Self.readmeProgram)
            // The banner names the port in the chat command only where it is not the default one.
            .replacingOccurrences(of: " --url \(server.ready.url)", with: "")
            .replacingOccurrences(of: address, with: Self.readmeAddress)
    }

    /// The text without times, and without the tokens that depend on them.
    func timeless(_ text: String) -> String {
        // Those of a manual clock are the same in each run.
        let time = #/202[6-9]-\d\d-\d\dT\d\d:\d\d:\d\dZ/#
        let withoutTimes = text.replacing(time, with: "TIME")
            // Of a report: how long a run took, and when in it something happened.
            .replacing(#/, \d+(\.\d+)? s\n/#, with: ", DURATION\n")
            .replacing(#/#(\d+) \+\d+\.\d{3} s/#) { "#\($0.output.1) +OFFSET" }
            // Of a session: when something happened, and how long an answer took.
            .replacing(#/ +\+\d+\.\d{3} s/#, with: " +OFFSET").replacing(#/ +\d+\.\d ms/#, with: " TIME")
            // Answers name the port, which may have a digit more.
            .replacing(#/ +\d+ B /#, with: " SIZE ")
        guard text.hasPrefix("$ \(Self.readmeProgram) token") else { return withoutTimes }
        return withoutTimes.replacing(#/eyJ[\w-]+\.[\w-]+\.[\w-]+/#, with: "TOKEN")
    }
}
