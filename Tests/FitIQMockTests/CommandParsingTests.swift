import ArgumentParser
import Faults
import Scenarios
import TestSupport
import Testing

@testable import fitiq_mock

/// If a command's name comes first, `FitIQMock.parsed` parses the command without the whole command tree, with the same
/// result.
@Suite("Commands that are parsed without the command tree")
struct CommandParsingTests {
    private static func words(_ line: String) -> [String] {
        line.split(whereSeparator: \.isWhitespace).map(String.init)
    }

    private static let hosting = """
        --port 0 --host ::1 --tls --tls-port 0 --certificate c.pem --key k.pem --log-level info --log-format json
        --ready-file r.json --keep-secrets
        """
    private static let serving = """
        \(hosting) --record s.har --seed 7 --guide goal-linking --scenario default --watch --watch-traffic
        --clock manual --ids any-case --network 3g --overlay o.yaml --compression on --import a.json
        --export-on-exit b.json --state d.db --instant --api-key a --jwt-secret b --admin-token c --allow-origin null
        --allow-origin http://localhost:3000 --cors http://localhost:3000 --cors * --strict-headers --node n2
        --public-url https://fake.example --no-default-world --upstream https://api.example.com --upstream-ca ca.pem
        """
    private static let reporting = """
        --guide goal-linking --junit a.xml --json b.json --markdown c.md --known-broken d --annotations github --summary
        """

    /// Each command with all of its options, in one line or in several.
    static let wholeLines: [[String]] =
        [
            "serve \(serving)",
            "record --upstream https://api.example.com --output s.har --overwrite \(hosting) --upstream-ca ca.pem",
            "replay s.har --match strict --speed 2.5 --frames timed --prefix /prod \(serving)",
            "show s.har --bodies --width 100", "diff a.har b.har", "wait --ready-file r.json --timeout 5s",
            "reset conflict --url http://localhost:1 --world w --admin-token t",
            "drain --url http://localhost:1 --admin-token t --idle 5m --timeout 1m",
            "health --url http://localhost:1", "schema", "completions fish",
            """
            verify --html h --may-fail \(reporting) --scenario default --scenario conflict --all --seed 7
            --time-limit 5m --jobs 3 --against old --server http://localhost:1 --admin-token t --allow-origin *
            --cors * --network 3g --compression on --quiet -- make test --port 1
            """,
            """
            explore --html h \(reporting) --adapter --scenario conflict --seed 7 --budget 5m --runs 10 --jobs 3
            --instant --thorough --may-fail --time-limit 5m --confirm 2/5 --only cut --only late --without late
            --output o --replay p --list --allow-origin * --cors * --network 3g --compression on --quiet
            -- ./adapter -v
            """,
            """
            test-client \(reporting) --case chat --case goals --skip goals/x --fail-fast --time-limit 1h --list
            --strict --trace --allow-origin * --cors * --network 3g --compression on --quiet -- ./adapter -v
            """,
            "judge journal.ndjson --world w --prefix /prod --html h \(reporting)",
            """
            conform --upstream https://api.example.com --upstream-ca ca.pem --token t --fresh-token f --api-key k
            --guide union --case chat --list --pause 1s --yes --output s.har --deviations d.md --accept a.yaml
            --overlay o.yaml --prefix /prod --quiet session.har \(reporting)
            """,
            "check a.yaml b.json", "scenarios default",
            "scenario from s.har --output o --guide union --time-limit 5m --confirm 1/1 -- ./run -v",
            """
            chat --persona nutritionist --message Hello --protocol message --url http://localhost:1 --token t
            --email a@b.example --password p --api-key k --admin-token secret
            """,
            "token --user u --expires-in=-5m --jwt-secret s", "certificate --ca", "certificate --pem",
        ].map(words) + [
            words("watch --url http://localhost:1 --world w --bodies --no-pings --admin-token t --filter")
                + ["status=4xx goals"],
            words("mcp --url http://localhost:1 --admin-token t --command") + ["swift test"],
        ]

    /// Incomplete lines, words that have a meaning elsewhere, and mistakes.
    static let otherLines: [[String]] = [
        "", "help", "--help", "--version", "--seed 1 serve", "serve --port=1 --port=2", "serve --seed -1",
        "serve --port x", "serve --port 0 --host ::1 --log-level error --ready-file r --seed 1",
        "serve --guide g --scenario s --clock c --api-key a --jwt-secret b",
        "serve --admin-token t --seed 1 --instant", "serve --instant --instant", "serve --record s.har --state d.db",
        "serve --seed 1 --seed 2", "serve --prot 1", "serve --port",
        "serve serve", "serve -- --port", "check help", "check serve", "check -- -h", "scenarios help", "show help",
        "judge", "judge -", "diff a.har", "verify ./run", "verify -- ls --help", "verify -- help",
        "test-client --list", "certificate --ca help", "token --expires-in soon", "help serve --port",
        // Takes a second: the script covers all commands, so one command is enough.
        "serve --generate-completion-script bash",
    ].map(words)

    static let commands = FitIQMock.configuration.subcommands.compactMap { $0.configuration.commandName }

    /// The meaning of a command line: the command with its values, or the text and exit code of the answer.
    private static func meaning(of parse: () throws -> any ParsableCommand) -> String {
        do {
            var command = try parse()
            // In the library, help is a command that throws its text when it is run.
            if !FitIQMock.configuration.subcommands.contains(where: { $0 == type(of: command) }) { try command.run() }
            var text = ""
            dump(command, to: &text)
            return text
        } catch {
            return "\(FitIQMock.exitCode(for: error)): \(FitIQMock.fullMessage(for: error))"
        }
    }

    private static func check(_ line: [String]) {
        let whole = meaning { try FitIQMock.parseAsRoot(line) }
        #expect(meaning { try FitIQMock.parsed(line) } == whole, "\(line.joined(separator: " "))")
    }

    @Test("Each command option parses exactly as in the command tree", arguments: commands)
    func options(command name: String) throws {
        let lines = Self.wholeLines.filter { $0[0] == name }
        for line in lines {
            Self.check(line)
            #expect(throws: Never.self) { try FitIQMock.parsed(line) }
        }
        let command = try #require(FitIQMock.configuration.subcommands.first { $0.configuration.commandName == name })
        let options = FitIQMock.helpMessage(for: command).matches(of: #/^  (--[a-z-]+)/#.anchorsMatchLineEndings())
        for option in options.map({ String($0.output.1) }) where option != "--version" {
            let isThere = lines.joined().contains { $0 == option || $0.hasPrefix(option + "=") }
            #expect(isThere, "wholeLines has no \(option) of \(name).")
        }
        #expect(!lines.isEmpty)
    }

    @Test("The program accepts every command in the table of tasks, with the names in it")
    func tasks() throws {
        let commands = try textOfPackage("docs/tasks.md").matches(of: #/`fitiq-mock ([^`]+)`/#).map {
            $0.output.1.split(separator: " ").map(String.init)
        }
        #expect(commands.count >= 15)
        for command in commands {
            let line = command.joined(separator: " ")
            #expect(throws: Never.self, "\(line)") { try FitIQMock.parsed(command) }
            for (word, name) in zip(command, command.dropFirst()) {
                switch word {
                case "--scenario", "reset": #expect(Scenario.builtIn(named: name) != nil, "\(line)")
                case "--network": #expect(NetworkProfile.named(name) != nil, "\(line)")
                default: continue
                }
            }
        }
    }

    @Test("A command's help, version and errors have the same text as in the command tree", arguments: commands)
    func help(command: String) throws {
        for words in [
            [command, "--help"], [command, "-h"], ["help", command], [command, "--version"], [command, "--bogus"],
            [command, "--help", "--bogus"], [command, "help"], [command],
        ] { Self.check(words) }
        #expect(Self.meaning { try FitIQMock.parsed([command, "--help"]) }.contains("USAGE: fitiq-mock \(command)"))
    }

    @Test(
        "An option that takes text accepts any text",
        arguments: [["chat", "--message", " "], ["verify", "--html", ""]])
    func empty(line: [String]) {
        let refusal = Self.meaning { try FitIQMock.parsed(line) }
        #expect(refusal.contains("Error: \(Messages.empty(line[1]))"))
    }

    @Test("The help for replay lists only options that apply to sessions")
    func replay() throws {
        let help = FitIQMock.helpMessage(for: ReplayCommand.self)
        for option in [
            "--import", "--export-on-exit", "--state", "--ids", "--watch", "--overlay", "--upstream", "--upstream-ca",
        ] {
            #expect(help.firstMatch(of: try Regex("\n  \(option)[ \n]")) == nil, "\(option)")
            var command = try FitIQMock.parsed(["replay", "s.har", option] + (option == "--watch" ? [] : ["x"]))
            let failure = #expect(throws: Failure.self) { try command.run() }
            #expect(failure?.message == Messages.notWithSession(option))
        }
        #expect(help.contains("\n  --match <mode>") && help.contains("\n  --watch-traffic"))
    }

    @Test("A flag that is absent is false")
    func flags() throws {
        let (explore, client, conform) = (try Explore.parse([]), try TestClient.parse([]), try ConformCommand.parse([]))
        let (host, serve, watch) = (try HostOptions.parse([]), try ServeOptions.parse([]), try WatchCommand.parse([]))
        let flags = [
            explore.adapter, explore.instant, explore.thorough, explore.mayFail, explore.list, explore.quiet,
            client.list, client.strict, client.failFast, client.trace, client.quiet, conform.list, conform.yes,
            conform.quiet, try DataOptions.parse([]).watch, serve.watchTraffic, serve.instant, serve.noDefaultWorld,
            serve.strictHeaders,
            host.tls, host.keepSecrets, watch.bodies, watch.noPings, try Verify.parse([]).all,
            try Verify.parse([]).quiet, try RecordCommand.parse([]).overwrite,
        ]
        #expect(!flags.contains(true), "\(flags)")
    }

    @Test("A wait may be zero but not negative", arguments: [["wait", "--ready-file", "r"], ["drain"]])
    func timeouts(line: [String]) {
        #expect(throws: Never.self) { try FitIQMock.parsed(line + ["--timeout", "0"]) }
        let refusal = Self.meaning { try FitIQMock.parsed(line + ["--timeout", "-1s"]) }
        #expect(refusal.contains(Messages.negativeTimeout))
    }

    @Test("Other command lines parse exactly as in the command tree", arguments: otherLines)
    func others(line: [String]) { Self.check(line) }
}
