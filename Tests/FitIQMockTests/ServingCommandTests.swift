import FitIQClient
import Foundation
import HTTPTypes
import JSON
import Judging
import Sockets
import TestSupport
import Testing
import Traffic

@testable import MockServer
@testable import fitiq_mock

@Suite("Serving commands and their clients", .timeLimit(.minutes(15)))
struct ServingCommandTests {
    @Test(
        "serve saves its state, export and recording and exits with code 0 after any stop signal",
        arguments: [SIGINT, SIGTERM, SIGHUP])
    func serve(signal: Int32) async throws {
        try await withFolder { folder in
            let (ready, export) = (folder["ready.json"].path, folder["export.json"].path)
            let (state, record) = (folder["state.db"].path, folder["session.har"].path)
            let run = try await EndedCommand.run(
                [
                    "serve", "--port", "0", "--ready-file", ready, "--export-on-exit", export, "--state", state,
                    "--record", record,
                ], until: ready, by: signal)
            #expect(run.output.contains("\n  State       \(state)\n"), "\(run)")
            for file in [export, state, record] { #expect(FileManager.default.fileExists(atPath: file), "\(file)") }
            for file in [ready, record + ".part", state + "-wal"] {
                #expect(!FileManager.default.fileExists(atPath: file), "\(file)")
            }
        }
    }

    @Test("serve --watch reloads its scenario's file")
    func watched() async throws {
        let folder = try ScratchFolder()
        defer { folder.remove() }
        let path = folder.url.path
        try Data("name: first\n".utf8).write(to: folder["a.yaml"])
        await #expect(processExitsWith: .success) { [path = path as String] in
            let (scenario, ready, log) = (path + "/a.yaml", path + "/ready.json", path + "/log")
            #expect(dup2(open(log, O_CREAT | O_WRONLY, 0o600), STDERR_FILENO) == STDERR_FILENO)
            let never = try Gate()
            try SystemThread.start {
                func wait(for isSo: () -> Bool) {
                    for _ in 0..<1000 where !isSo() { never.wait(until: .now().advanced(by: .milliseconds(20))) }
                }
                wait { FileManager.default.fileExists(atPath: ready) }
                try? Data("name: second and longer\n".utf8).write(to: URL(filePath: scenario))
                wait { contents(log)?.contains("reloaded '") == true }
                kill(CurrentProcess.identifier, SIGINT)
            }
            try await EndedCommand.lead([
                "serve", "--port", "0", "--scenario", scenario, "--watch", "--ready-file", ready,
            ])
        }
        #expect(contents(path + "/log")?.contains("reloaded '\(path)/a.yaml'") == true)
    }

    static let session = #"""
        {"log":{"version":"1.2","creator":{"name":"Firefox","version":"1"},"entries":[{"startedDateTime":
        "2025-01-29T10:30:00.000Z","time":3,"request":{"method":"GET","url":"https://api.example.com/api/v1/goals",
        "headers":[]},"response":{"status":200,"headers":[],"content":{"text":"{}","mimeType":"application/json"}}}]}}
        """#

    @Test("replay serves a session from a pipe")
    func replay() async throws {
        try await withFolder { folder in
            let ready = folder["ready.json"].path
            let line = ["replay", "/dev/stdin", "--port", "0", "--ready-file", ready]
            let run = try await EndedCommand.run(line, input: Self.session, until: ready)
            #expect(run.output.contains("a recorded session with 1 request and 0 WebSockets"), "\(run)")
            _ = try await EndedCommand.run(line + ["--match", "strict"], input: Self.session, until: ready, exits: 1)
        }
    }

    @Test("A replay's summary counts the WebSockets")
    func summary() throws {
        let path = URL.fixtures.appending(path: "sessions/dropped.har").path
        let plan = try SessionFile.recording(path).plan
        #expect(Messages.replaySummary(plan).hasSuffix(" and 2 WebSockets"), "\(Messages.replaySummary(plan))")
    }

    // MARK: Requests to a server

    @Test("watch reconnects after a dropped connection and fails on an endless event")
    func watch() async throws {
        let result = try await #require(
            processExitsWith: .exitCode(3), observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            typealias Events = WatchStreamTests
            let long = "data:" + String(repeating: "a", count: EventStreamReader.eventLimit)
            // After the third and the fourth answer, the client must close the connection, because only then does the
            // server accept the next one.
            let server = try ScriptedServer(
                [
                    Events.world("one", last: 0) + Events.note(1), Events.world("one", last: 1) + Events.note(2),
                    Events.world("two", last: 1), Events.world("two", last: 1) + Events.note(1) + long,
                ].map { "HTTP/1.1 200 OK\r\n\r\n\($0)" }, holding: [2, 3])
            try await EndedCommand.lead(["watch", "--url", server.url])
        }
        let line = "10:30:00.000    · a\n"
        #expect(String(decoding: result.standardOutputContent, as: UTF8.self).hasSuffix(line + line + line))
        let lines = String(decoding: result.standardErrorContent, as: UTF8.self).split(separator: "\n").dropFirst()
        let lost = "fitiq-mock: " + Messages.connectionLost(.truncatedResponse)
        #expect(
            lines.prefix(4) == [
                lost[...], "fitiq-mock: reconnected", lost[...], "fitiq-mock: \(Messages.restarted)",
            ], "\(lines)")
        #expect(lines.count == 5 && lines.last?.contains("the server sent an event larger than") == true, "\(lines)")
    }

    @Test("watch fails immediately if there is no server")
    func watchNothing() async throws {
        let run = try await EndedCommand.run(["watch", "--url", "http://127.0.0.1:1"], exits: 2)
        #expect(run.errors.contains("Start the server with 'fitiq-mock serve'"), "\(run)")
    }

    @Test("An answer must be complete and within its byte limit")
    func answers() async throws {
        let server = try ScriptedServer([
            ScriptedServer.answer("200 OK", "{}"), ScriptedServer.answer("200 OK", "{}"),
            ScriptedServer.answer("200 OK", "{}", of: 5), ScriptedServer.answer("200 OK", "{}", of: 5),
        ])
        let base = try BaseURL(server.url)
        let remote = RemoteServer(base: base, adminToken: nil)
        #expect(try await offPool { try remote.ask(.get, "worlds", limit: 2) } == Array("{}".utf8))
        for limit in [1, 2] {
            await #expect(throws: ClientError.self) {
                try await offPool { try remote.ask(.get, "worlds", limit: limit) }
            }
        }
        await #expect(throws: ClientError.self) { try await offPool { try Health.get("/health", of: base) } }
    }

    @Test("A run on a server that fails loses its world")
    func worlds() async throws {
        let server = try ScriptedServer([
            ScriptedServer.answer("500 Internal Server Error"), ScriptedServer.answer("499 No"),
        ])
        let child = CommandChild(command: ["true"], limit: .seconds(10), stop: try Gate(), showsOutputAtEnd: false)
        let run = RemoteRun(
            server: RemoteServer(base: try BaseURL(server.url), adminToken: nil), child: child, journal: nil,
            progress: nil)
        let lost = try await offPool { try run.run([:], named: "first", index: 0)?.lost?.scenario }
        #expect(lost == "first")
        let failure = await #expect(throws: Failure.self) {
            try await offPool { try run.run([:], named: "second", index: 1) }
        }
        #expect(failure?.exitCode == 2 && failure?.message.contains("499") == true)
    }

    @Test("With a timeout of zero, wait checks exactly once")
    func timeouts() async throws {
        try ScratchFolder.lend { folder in
            let path = folder + "/ready.json"
            let wait = try WaitCommand.parse(["--ready-file", path, "--timeout", "0"])
            let failure = #expect(throws: Failure.self) { try wait.run() }
            #expect(failure?.exitCode == 1 && failure?.message == Messages.noReadyFile(path))
        }
        let server = try ScriptedServer([
            ScriptedServer.answer("200 OK", "{}"), ScriptedServer.answer("200 OK", #"{"worlds":2}"#),
        ])
        await #expect(throws: Never.self) {
            try await offPool { try DrainCommand.parse(["--url", server.url, "--timeout", "0"]).run() }
        }
    }

    @Test("An older command with a truncated journal fails the comparison but keeps its known breaches")
    func gaps() async throws {
        var configuration = Engine.Configuration(pace: .instant)
        configuration.limits.journalBytes = 4000
        let server = try LocalServer(configuration)
        defer { server.stop() }
        try await withFolder { folder in
            // The first request breaks an obligation, which is reported even though the request's entry is lost.
            let script =
                EndedCommand.ask + "ask /api/v1/consultations/ABCDEF00-0000-4000-8000-000000000000 > /dev/null\n"
                + "for each in {1..20}; do ask /api/v1/goals > /dev/null; done\n"
            try Data(script.utf8).write(to: folder["old.sh"])
            let newer = CommandRun(command: ["true"], limit: .seconds(30), server: server, stop: try Gate())
            let against = VerifyAgainst("bash '\(folder["old.sh"].path)'", beside: newer, nil)
            let old = try #require(try await offPool { try against.run(.init(), named: "default", index: 0) })
            #expect(old.check(of: "default", []).failures.contains(Messages.tooMuchToCompare))
            #expect(old.broken.contains("ids/lowercase"), "\(old.broken)")
        }
    }

    @Test("A comparison requires traffic from the older command")
    func older() async throws {
        let server = try Harness.startServer()
        defer { server.stop() }
        let idleTime = try await server.perform { engine, _ in engine.limits.worldIdleTime }
        #expect(idleTime == .seconds(86_400), "A command may be silent for as long as it may run.")
        let newer = CommandRun(command: ["true"], limit: .seconds(30), server: server, stop: try Gate())
        #expect(!newer.child.showsOutputAtEnd && !CommandTrial(newer).isRepeatable)
        let against = VerifyAgainst("true", beside: newer, nil)
        let old = try #require(try await offPool { try against.run(.init(), named: "default", index: 0) })
        #expect(old.check(of: "default", []).failures == [Messages.oldIsSilent])
        let cut = JournalEntry(
            number: 7, time: FitIQMock.now, connection: 0, event: .note("The entries before it were dropped."))
        #expect(old.check(of: "default", [cut]).failures == [Messages.oldIsSilent, Messages.tooMuchToCompare])
    }
}
