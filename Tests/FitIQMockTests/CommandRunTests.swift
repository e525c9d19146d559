import ContractSuite
import Foundation
import JSON
import TestSupport
import Testing

@testable import fitiq_mock

@Suite("Whole command runs", .timeLimit(.minutes(15)))
struct CommandRunTests {
    /// A request that keeps the contract, with an id.
    private static let request = "ask /api/v1/consultations/8f3b2a10-0000-4000-8000-00000000000a/messages > /dev/null\n"

    @Test("check reports on each file and exits with code 2 if a file is bad")
    func check() async throws {
        try await withFolder { folder in
            let (good, bad) = (folder["good.yaml"].path, folder["bad.yaml"].path)
            try Data("name: good\n".utf8).write(to: URL(filePath: good))
            try Data("nam: bad\n".utf8).write(to: URL(filePath: bad))
            let all = try await EndedCommand.run(["check", good, "/dev/stdin"], input: "name: a\n")
            #expect(all.output.contains("\(good): ok\n/dev/stdin: ok\n"), "\(all)")
            #expect(!all.errors.contains("fitiq-mock"), "\(all)")
            let some = try await EndedCommand.run(["check", bad, good], exits: 2)
            #expect(some.output.contains("\(good): ok\n") && some.errors.contains("\(bad):1:"), "\(some)")
        }
    }

    @Test("check reports the path and the line of a document that breaks a rule of its collection")
    func checkDocuments() async throws {
        try await withFolder { folder in
            let file = folder["documents.yaml"].path
            let lines = [
                "name: a", "users:", "  - documents:", "      progress:",
                "        - {type: weight, quantity: 61}", "        - {type: weight_kg, quantity: 61}",
            ]
            try Data(lines.joined(separator: "\n").utf8).write(to: URL(filePath: file))
            let run = try await EndedCommand.run(["check", file], exits: 2)
            #expect(run.errors.contains("\(file):6:11: users[0].documents.progress[1]: "), "\(run)")
            #expect(run.errors.contains("'type'") && run.errors.contains("weight_kg"), "\(run)")
        }
    }

    @Test("judge reads a pipe to its end and uses colours only on a terminal")
    func judge() async throws {
        try await withFolder { folder in
            let entry = #"{"number":1,"time":"2025-01-29T10:30:00Z","world":"w17","kind":"note","text":"x"}"# + "\n"
            let json = folder["report.json"].path
            let run = try await EndedCommand.run(["judge", "/dev/stdin", "--json", json], input: entry, exits: 4)
            let report = try JSON.parse(Array(folder.read("report.json").utf8))
            #expect(report["runs"]?[0]?["scenario"] == "w17")
            #expect(!run.output.isEmpty && !run.output.contains("\u{1B}"), "\(run)")
        }
    }

    @Test("verify judges a command's world and separates the command's output from the report")
    func verify() async throws {
        // The second connection stays silent for more than a second, and progress is then reported.
        let client =
            EndedCommand.ask + "[ -f /dev/stdout ] || echo passed on\n" + Self.request + #"""
                exec 4<>"/dev/tcp/${host%:*}/${host#*:}"; read -r -t 2 line <&4
                exit 7
                """#
        let run = try await EndedCommand.run(["verify", "--", "bash", "-c", client], exits: 1)
        #expect(run.errors.contains("passed on\n") && run.output.contains("✓ ids/lowercase"), "\(run)")
        #expect(run.errors.contains("fitiq-mock: scenario 1 of 1, default: the command runs\n"), "\(run)")
        #expect(run.errors.contains(": the command exited with 7 after "), "\(run)")
        #expect(run.errorLines.last?.hasSuffix(" s, 1 request, 0 frames") == true && !run.errors.contains("\r"))
    }

    @Test("With several jobs, each command's output is shown as a whole")
    func jobs() async throws {
        let run = try await EndedCommand.run(
            [
                "verify", "--quiet", "--jobs", "2", "--scenario", "default", "--scenario", "conflict", "--", "sh", "-c",
                "[ -f /dev/stdout ] && echo kept; echo error >&2",
            ], exits: 4)
        #expect(run.errors.contains("default | kept\ndefault | error\n"), "\(run)")
        #expect(run.errors.contains("conflict | kept\nconflict | error\n"), "\(run)")
    }

    @Test("verify can judge a command by the journal of a world on another server")
    func elsewhere() async throws {
        let client = EndedCommand.ask + "[ -f /dev/stdout ] || echo passed on\n" + Self.request
        let run = try await EndedCommand.run(
            ["verify", "--server", "URL", "--quiet", "--", "bash", "-c", client], beside: "name: beside\n")
        #expect(run.errors.contains("passed on\n") && run.output.contains("✓ ids/lowercase"), "\(run)")
    }

    @Test("If the other server's world fails, verify exits with code 3")
    func lost() async throws {
        let result = try await #require(processExitsWith: .exitCode(3), observing: [\.standardOutputContent]) {
            let server = try ScriptedServer([ScriptedServer.answer("500 Internal Server Error")])
            try await EndedCommand.lead(["verify", "--server", server.url, "--quiet", "--", "true"])
        }
        let output = String(decoding: result.standardOutputContent, as: UTF8.self)
        #expect(output.contains("1 run got no world, or lost it when the server exited"), "\(output)")
    }

    @Test("explore finds a command that fails after an error and explains how to reproduce it")
    func explore() async throws {
        try await withFolder { folder in
            // As the known-broken list says, the command crashes and, in one scenario, hangs.
            try Data("explore/crash\ndefault explore/hang\n".utf8).write(to: folder["known"])
            let client =
                EndedCommand.ask + "echo tried\nask /api/v1/consultations | head -n 1 | grep -q ' 200 ' || exit 1\n"
            let run = try await EndedCommand.run(
                [
                    "explore", "--instant", "--runs", "8", "--only", "failed", "--confirm", "1/1", "--quiet",
                    "--output", folder["found"].path, "--json", folder["json"].path, "--html",
                    folder["html"].path, "--known-broken", folder["known"].path, "--", "bash", "-c", client,
                ], exits: 1)
            #expect(run.errorLines.count { $0 == "tried" } == 1 && !run.output.contains("\ntried"), "\(run)")
            #expect(run.output.contains("fitiq-mock explore --instant --replay "), "\(run)")
            let runs = try JSON.parse(Array(folder.read("json").utf8))["runs"]?.array ?? []
            #expect(runs.count > 1 && runs.first?["scenario"] == "default")
            let checks = (runs.first?["checks"]?.array ?? []).map { $0["address"]?.string }
            #expect(checks.contains("explore/crash") && !checks.contains("explore/hang"), "\(checks)")
            let names = runs.compactMap { $0["scenario"]?.string }
            let name = try #require(names.first { $0.hasPrefix("command-") }, "\(names)")
            #expect(try folder.read("html").contains(name))
        }
    }

    /// A session with a backend that was busy twice.
    private static func busySession() -> String {
        let entries = ["goals", "consultations"].enumerated().map { index, path in
            #"""
            {"startedDateTime":"2025-01-29T10:30:0\#(5 * index).000Z","time":3,"request":{"method":"GET",
            "url":"https://api.example.com/api/v1/\#(path)","headers":[{"name":"Authorization","value":"Bearer t"},
            {"name":"X-API-Key","value":"k"}]},"response":{"status":503,"headers":[],
            "content":{"text":"busy","mimeType":"text/plain"}}}
            """#
        }
        return #"{"log":{"version":"1.2","creator":{"name":"proxy"},"entries":[\#(entries.joined(separator: ","))]}}"#
    }

    @Test("scenario from runs the command the number of times that --confirm requires")
    func confirmed() async throws {
        try await withFolder { folder in
            try Data(Self.busySession().utf8).write(to: folder["session.har"])
            func runs(_ confirm: String) async throws -> Int {
                let counted = folder["runs-\(confirm.first ?? " ")"].path
                let run = try await EndedCommand.run(
                    [
                        "scenario", "from", folder["session.har"].path, "--output", folder["found.yaml"].path,
                        "--confirm", confirm, "--", "sh", "-c", "echo >> '\(counted)'; exit 7",
                    ], exits: 1)
                #expect(run.errors.contains(Messages.needsNoFault(["explore/command"])), "\(run)")
                #expect(run.errors.contains("fitiq-mock: 1 run, 2 faults and answers left, "), "\(run)")
                return contents(counted)?.count ?? 0
            }
            let once = try await runs("1/1")
            #expect(once > 1)
            #expect(try await runs("2/2") == 2 * once)
        }
    }

    @Test("After Ctrl-C, `scenario from` writes the smallest scenario so far")
    func interrupted() async throws {
        try await withFolder { folder in
            try Data(Self.busySession().utf8).write(to: folder["session.har"])
            let counted = folder["runs"].path
            // $0 is the running process. The last run waits to be terminated; otherwise, it would finish before the
            // signal arrives.
            let client =
                "echo >> '\(counted)'; [ $(wc -l < '\(counted)') -lt 3 ] || { kill -INT $0; exec sleep 60; }; exit 7"
            let run = try await EndedCommand.run(
                [
                    "scenario", "from", folder["session.har"].path, "--output", folder["found.yaml"].path, "--confirm",
                    "1/1", "--", "sh", "-c", client, "PID",
                ], exits: 130)
            #expect(run.errors.contains(Messages.notTheEnd) && !run.errors.contains(Messages.interrupted), "\(run)")
            #expect(FileManager.default.fileExists(atPath: folder["found.yaml"].path))
        }
    }

    @Test("If lines cannot be redrawn, each case is printed on its own line")
    func progress() async throws {
        let address = try #require(ContractCase.all.first).address
        let client = try await EndedCommand.run(
            ["test-client", "--case", address, "--", "sh", "-c", EndedCommand.idleAdapter], exits: 4)
        #expect(client.errors.hasPrefix("fitiq-mock: case 1 of 1, \(address): "), "\(client)")
        let server = try await EndedCommand.run(
            ["conform", "--upstream", "URL", "--case", "goal/chat/twice"], beside: "name: upstream\n")
        #expect(server.errors == "fitiq-mock: case 1 of 1, goal/chat/twice: played\n", "\(server)")
    }

    @Test(
        "chat answers each line of standard input in any guide's mode",
        arguments: [("consultation-websocket", "message"), ("enhanced-consultations", "user_message")])
    func chat(guide: String, spoken: String) async throws {
        let run = try await EndedCommand.run(
            ["chat", "--url", "URL", "--protocol", spoken], beside: "name: chat\nguide: \(guide)\n", input: "Hello\n")
        #expect(run.output.count > 1 && run.output.hasSuffix("\n") && !run.errors.contains("fitiq-mock"), "\(run)")
    }
}
