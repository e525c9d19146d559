import FitIQAPI
import Foundation
import Sockets
import TestSupport
import Testing

@testable import fitiq_mock

@Suite("The command line")
struct CommandLineTests {
    @Test(
        "Valid durations are parsed",
        arguments: [
            ("0", 0), ("90s", 90), ("5m", 300), ("1h", 3600), ("30d", 2_592_000), ("-5m", -300), ("-1h", -3600),
            ("91250d", 7_884_000_000), ("-91250d", -7_884_000_000),
        ] as [(String, Int64)])
    func lifetime(text: String, seconds: Int64) { #expect(Lifetime(argument: text)?.seconds == seconds) }

    @Test(
        "Invalid durations are rejected",
        arguments: [
            "", "h", "x", "90", "-5", "1x", "1.5h", "1 h", "91251d", "-91251d", "9223372036854775807d",
            "99999999999999999999s", "٣h",
        ])
    func noLifetime(text: String) { #expect(Lifetime(argument: text) == nil) }

    @Test(
        "The program's name is as short as possible and can be pasted into a shell",
        arguments: [
            ("fitiq-mock", "/work", "fitiq-mock"),
            ("/src/app/.build/release/fitiq-mock", "/src/app", ".build/release/fitiq-mock"),
            ("/src/app/.build/release/fitiq-mock", "/src/ap", "/src/app/.build/release/fitiq-mock"),
            ("/my apps/fitiq-mock", "/src", "'/my apps/fitiq-mock'"),
            ("/it's/fitiq-mock", "/src", "'/it'\\''s/fitiq-mock'"),
        ])
    func programName(path: String, folder: String, shown: String) {
        #expect(ProgramName.shortened(path, in: folder) == shown)
    }

    @Test("The warning about a variable that no option reads suggests the nearest variable")
    func strays() {
        let environment = [
            "PATH=/bin", "FITIQ_MOCK_PORT=1", "FITIQ_MOCK_TEST_PYTHON=p", "FITIQ_MOCK_PROT=1", "FITIQ_MOCK_=",
        ]
        #expect(
            Settings.strays(in: environment) == [
                "no option reads FITIQ_MOCK_PROT. Did you mean 'FITIQ_MOCK_PORT'?", "no option reads FITIQ_MOCK_.",
            ])
    }

    @Test("Every variable on the options page exists")
    func documented() throws {
        let page = try String(contentsOf: URL.packageRoot.appending(path: "docs/options.md"), encoding: .utf8)
        let named = Set(page.matches(of: /FITIQ_MOCK_([A-Z_]+)/).map { String($0.1) })
        #expect(named.count > 30 && named.subtracting(Setting.allCases.map(\.name)) == [])
    }

    @Test(
        "The error for a number out of range states the range",
        arguments: [
            (["serve", "--port", "65536"], "it must be a port from 0 to 65535."),
            (["record", "--tls-port", "-1"], "it must be a port from 0 to 65535."),
            (["verify", "--seed", "1e3", "--", "true"], "it must be a whole number from 0 to 18446744073709551615."),
        ])
    func ranges(arguments: [String], expectation: String) {
        let error = #expect(throws: (any Error).self) { _ = try FitIQMock.parsed(arguments) }
        #expect(error.map { FitIQMock.message(for: $0) }?.hasSuffix(expectation) == true)
    }

    @Test(
        "A usage error is one line that points to the help",
        arguments: [
            ("Unknown option '--bogus'", "Unknown option '--bogus'. See 'fitiq-mock --help'."),
            ("Two words.\nUsage: …", "Two words. See 'fitiq-mock --help'."),
            ("Did you mean x?", "Did you mean x? See 'fitiq-mock --help'."),
        ])
    func usage(message: String, line: String) { #expect(Messages.usage(message) == line) }

    @Test(
        "A usage error points to the help for the intended command",
        arguments: [
            ("judge", "Missing expected argument '<journal>'. See 'fitiq-mock judge --help'."),
            (nil, "Missing expected argument '<journal>'. See 'fitiq-mock --help'."),
        ])
    func command(word: String?, line: String) {
        #expect(FitIQMock.usage("Missing expected argument '<journal>'", of: word) == line)
    }

    @Test(
        "A command without a preceding `--` gets a hint",
        arguments: ["Unexpected argument './run'", "2 unexpected arguments: './run', 'x'"])
    func dashes(message: String) {
        #expect(
            FitIQMock.usage(message, of: "verify")
                == "\(message). Put the command to run after '--': fitiq-mock verify [<options>] -- COMMAND. See "
                + "'fitiq-mock verify --help'.")
        #expect(FitIQMock.usage(message, of: "judge") == "\(message). See 'fitiq-mock judge --help'.")
    }

    @Test(
        "The error for an unknown command suggests the nearest command",
        arguments: [
            (["help", "vrify"], "there is no command 'vrify'. Did you mean 'verify'?"),
            (["help", "nonsense"], "there is no command 'nonsense'. The commands are serve,"),
            (["help", "serve", "nonsense"], "there is no command 'serve nonsense'. The commands are serve,"),
            (["nonsense", "--help"], "there is no command 'nonsense'. The commands are serve,"),
            (["verfy"], "there is no command 'verfy'. Did you mean 'verify'? The commands are serve,"),
            (["scenario", "form"], "there is no command 'scenario form', only 'scenario from'. See"),
            (["scenario", "list"], "there is no command 'scenario list': 'fitiq-mock scenarios' lists"),
        ])
    func unknown(arguments: [String], beginning: String) {
        let failure = #expect(throws: Failure.self) { _ = try FitIQMock.parsed(arguments) }
        #expect(failure?.message.hasPrefix(beginning) == true && failure?.exitCode == 2)
    }

    @Test(
        "`help` accepts the name of an existing command",
        arguments: [
            ["help"], ["help", "verify"], ["help", "--help"], ["help", "help"], ["help", "scenario", "from"],
            ["scenario"],
        ])
    func help(arguments: [String]) {
        do { _ = try FitIQMock.parsed(arguments) } catch { #expect(FitIQMock.exitCode(for: error) == .success) }
    }

    @Test("Every command's help ends with two examples")
    func examples() {
        let names = FitIQMock.configuration.subcommands.compactMap { $0.configuration.commandName }
        #expect(Set(Examples.all.keys) == Set(names + ["", "scenario from"]))
        for (name, examples) in Examples.all {
            #expect(examples.count == 2 && examples.allSatisfy { $0.contains("fitiq-mock \(name)") }, "\(name)")
        }
        #expect(Examples.text(for: ["help", "scenario", "from"]).hasSuffix("./run-my-tests\n"))
        #expect(Examples.text(for: ["show", "s.har", "--help"]) == Examples.text(for: ["show", "-h"]))
    }

    private static let duration = "A duration is a number followed by s, m, h or d, such as 30s,"

    @Test(
        "The error for an invalid value shows the valid form",
        arguments: [
            ("--expires-in <duration>", "\(duration) and at most 91250d."),
            ("--time-limit <duration>", "\(duration) and from 1s to 1d."),
            ("--budget <duration>", "\(duration) and from 1s to 7d."),
            ("--confirm <k/n>", "2/3 means two of three runs; the maximum is 20 runs."),
        ])
    func forms(option: String, form: String) {
        let message = "The value '5' is invalid for '\(option)'"
        let told = FitIQMock.usage(message, of: "scenario from")
        #expect(told == "\(message). \(form) See 'fitiq-mock scenario from --help'.")
    }

    @Test(
        "A command's name consists of the leading words that identify the command",
        arguments: [
            (["scenario", "from", "x", "--y"], "scenario from"), (["verify", "from"], "verify"),
            (["scenario", "x"], "scenario"), (["--x", "verify"], nil), ([], nil),
        ])
    func name(arguments: [String], name: String?) { #expect(FitIQMock.commandName(in: arguments) == name) }

    @Test(
        "The error for an unknown case suggests the nearest prefix",
        arguments: [
            ("consultatoin", "consultation"), ("consultation/creat", "consultation/create"),
            ("chat/answer/as-scriptd", "chat/answer/as-scripted"),
        ])
    func cases(word: String, near: String) {
        let failure = #expect(throws: Failure.self) { try CaseSelection.cases(prefixes: [word], guide: nil) }
        #expect(failure?.message.contains("Did you mean '\(near)'?") == true)
    }

    @Test(
        "Shell words are quoted if a shell would interpret them",
        arguments: [
            ("plain-1.0", "plain-1.0"), ("", "''"), ("a b", "'a b'"), ("k'y", "'k'\\''y'"), ("$HOME", "'$HOME'"),
            ("http://[::1]:8080", "'http://[::1]:8080'"), ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ])
    func shellQuoted(text: String, word: String) { #expect(text.shellQuoted == word) }

    @Test("The command-line messages match the expected text")
    func messages() {
        #expect(
            Messages.badEnvironment(.port, value: "x", expected: "a port from 0 to 65535")
                == "FITIQ_MOCK_PORT is 'x', which is not a port from 0 to 65535.")
        #expect(
            Messages.unknownChoice("--log-level", "inf", allowed: ["info", "debug"])
                == "--log-level must be one of info, debug; got 'inf'. Did you mean 'info'?")
        #expect(Messages.unwritable("/x", reason: "no") == "cannot write to '/x': no.")
        #expect(
            Messages.notReadyFile("/x", "a pipe")
                == "'/x' is a pipe and was not changed: set --ready-file to a path where no file exists.")
        #expect(
            Messages.notReadyFile("/x", nil).hasPrefix(
                "'/x' is not a fitiq-mock ready file, or belongs to another user, and was not changed: "))
        #expect(
            Messages.staleReadyFile("/x", .init(id: 7, startedAt: Timestamp(secondsSinceEpoch: 1_738_146_600)))
                == "'/x' is stale: process 7, started at 2025-01-29T10:30:00Z, is no longer running.")
        #expect(
            Messages.staleReadyFile("/x", .init(id: 7, startedAt: nil))
                == "'/x' is stale: process 7 is no longer running.")
        #expect(
            Messages.readyFileInUse("/x", 7)
                == "'/x' is the ready file of process 7, which is still running: stop it, or choose another file. "
                + "If another program now has that process ID, remove the file.")
        #expect(
            Messages.standardOutput(FileError(.write, path: "", code: 28))
                == "cannot write to standard output: the disk is full.")
        #expect(
            Messages.notAFieldValue("--api-key")
                == "--api-key must be printable ASCII without leading or trailing spaces: clients "
                + "send it as a header field.")
        #expect(
            Messages.fewDescriptors(1024, connections: 896)
                == "the system allows 1024 open files, so the server accepts at most 896 connections at once (see ulimit "
                + "-n)")
        #expect(
            Messages.unknownChoice("--guide", "goal_linking", allowed: GuideMode.allCases.map(\.rawValue))
                == "--guide must be one of union, consultation-websocket, enhanced-consultations, goal-linking, "
                + "websocket-architecture, meal-log-websocket; got 'goal_linking'. Did you mean 'goal-linking'?")
        let refusal = "The frame's 'type' is \"message\", which belongs to the guide consultation-websocket."
        let advice = ["message", "user_message"].map { Messages.otherProtocol(after: refusal, spoken: $0) }
        #expect(advice == [" Use --protocol user_message.", " Use --protocol message."])
        #expect(Messages.otherProtocol(after: "The frame's 'content' is blank.", spoken: "message") == "")
        #expect(Messages.empty("--host") == "--host must not be empty.")
    }
}
