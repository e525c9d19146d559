import ArgumentParser
import ContractSuite
import FitIQAPI
import FitIQClient
import Foundation
import JSON
import Judging
import MockServer
import Scenarios
import Sockets
import Testing
import Text
import Traffic

@testable import fitiq_mock

@Suite("conform with a real server", .timeLimit(.minutes(15)))
struct ConformTests {
    private static let union = Task { try await Conformance(mode: .union) }

    /// The fake's traffic in a mode, recorded once; most tests share a mode.
    private static func fake(_ mode: GuideMode) async throws -> Conformance {
        mode == .union ? try await union.value : try await Conformance(mode: mode)
    }

    typealias Done = (conformance: Conformance, report: Report, session: Session)

    /// Compares the traffic of two fakes.
    ///
    /// One plays the real server, in a scenario and a mode; the other may be in a different mode.
    private static func compare(
        _ scenario: String = "name: upstream\n", serves mode: GuideMode = .union, expecting guide: GuideMode? = nil,
        cases: [String] = [], pause: Duration = .zero, after: (LocalServer) throws -> Void = { _ in },
        isStopped: @escaping @Sendable () -> Bool = { false }
    ) async throws -> Done {
        var configuration = Engine.Configuration(pace: .instant, mode: mode)
        configuration.scenario = try Scenario.read(scenario)
        let server = try LocalServer(configuration)
        defer { server.stop() }
        let run = try run(server.url, cases: cases, pause: pause)
        defer { run.output.map { try? FileManager.default.removeItem(atPath: $0) } }
        let done = try await run.done(Self.fake(guide ?? mode), isStopped: isStopped)
        try after(server)
        return done
    }

    private static func run(_ url: String, cases: [String], pause: Duration = .zero) throws -> ConformRun {
        ConformRun(
            server: try UpstreamURL(url), trust: .system, pause: pause,
            credentials: Credentials(
                token: DevelopmentCredentials.token(secret: DevelopmentCredentials.jwtSecret),
                apiKey: DevelopmentCredentials.apiKey),
            freshToken: nil, cases: try CaseSelection.cases(of: ConformPlay.cases, prefixes: cases),
            output: FileManager.default.temporaryDirectory.appending(path: "conform-\(UUID().uuidString).har").path,
            progress: nil)
    }

    /// The text on the terminal.
    private static func text(_ done: Done) -> String { TerminalReport(done.report).text }

    @Test("The fake conforms to itself in every guide's mode", arguments: GuideMode.allCases)
    func itself(mode: GuideMode) async throws {
        let done = try await Self.compare(serves: mode)
        #expect(done.conformance.endpoints.allSatisfy { $0.deviations.isEmpty }, "\(Self.text(done))")
        #expect(done.conformance.fidelity == 100 && done.report.outcome().exitCode == 0, "\(Self.text(done))")
        #expect(done.conformance.endpoints.map(\.answers).reduce(0, +) > 20, "\(Self.text(done))")
        #expect(done.conformance.unknownCount == 0 && done.report.incomplete == nil)
    }

    /// A planted deviation with its place and message; the comparison must not find others.
    struct Plant: Sendable, CustomTestStringConvertible {
        let fault: String
        let endpoint: Endpoint
        let cases: String
        let count: Int
        let saying: String
        var testDescription: String { fault }

        init(_ fault: String, _ endpoint: Endpoint, cases: String, _ count: Int, _ saying: String) {
            (self.fault, self.endpoint, self.cases) = ("{name: p, on: \(fault)}", endpoint, cases)
            (self.count, self.saying) = (count, saying)
        }
    }

    static let plants = [
        Plant(
            "GET /api/v1/goals, nanosecond_timestamps: true", .listGoals, cases: "goal", 6,
            "a time with 9 fractional digits"),
        Plant(
            "'GET /api/v1/consultations/{id}/messages', content_type: text/html", .listMessages, cases: "chat", 1,
            "text/html"),
        Plant(
            #"GET /api/v1/goals, status: 200, body: '{"success":true}'"#, .listGoals, cases: "goal/chat/twice", 3,
            "no such member"),
        Plant(
            "POST /api/v1/meal-logs/natural, requests: 1, status: 503", .createMealLog, cases: "meal", 1, "503"),
        Plant(
            "GET /api/v1/goals, requests: 1, truncate: {after: 10}", .listGoals, cases: "goal/chat/twice", 0, ""),
        Plant(
            "GET /api/v1/goals, requests: 1, malformed: json", .listGoals, cases: "goal/chat/twice", 1, "not JSON"),
        Plant(
            "socket, at: {type: connected}, binary: true", .webSocket, cases: "consultation/create", 1, "not JSON"),
    ]

    @Test("conform finds exactly the planted deviations", arguments: plants)
    func planted(_ plant: Plant) async throws {
        let done = try await Self.compare("name: planted\nfaults:\n  - \(plant.fault)\n", cases: [plant.cases])
        for result in done.conformance.endpoints {
            let isPlanted = result.endpoint == plant.endpoint
            #expect(result.deviations.count == (isPlanted ? plant.count : 0), "\(Self.text(done))")
            #expect(result.deviations.allSatisfy { $0.upstream.contains(plant.saying) }, "\(Self.text(done))")
            #expect((result.alike == result.answers) == result.deviations.isEmpty)
        }
        #expect(done.conformance.endpoints.contains { $0.endpoint == plant.endpoint })
        #expect(done.report.outcome().exitCode == (plant.count == 0 ? 0 : 1))
    }

    @Test("Another guide's answers deviate in members and statuses")
    func otherGuide() async throws {
        let done = try await Self.compare(
            serves: .goalLinking, expecting: .union, cases: ["consultation/create", "goal/chat/twice"])
        let rows = done.conformance.rows
        #expect(
            rows.contains("| `POST /api/v1/consultations`: `404, message` | a string | no such member | "), "\(rows)")
        #expect(rows.contains("| `GET /api/v1/goals`: `200, data` | an object | no such member | "), "\(rows)")
        #expect(done.report.outcome().exitCode == 1 && done.conformance.fidelity ?? 100 < 100)
    }

    @Test("conform neither writes to an existing consultation nor archives it")
    func guest() async throws {
        let id = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
        let world = """
            name: upstream
            users:
              - id: default
                consultations:
                  - id: \(id)
                    persona: nutritionist
                    messages: [{user: Hello?}, {assistant: Hello!}]

            """
        let done = try await Self.compare(world, cases: ["chat/answer", "consultation/archive"]) { server in
            let (messages, entries) = try server.performAndWait { engine, _ in
                let messages = engine.storedMessages(ofConsultation: id, inWorld: "default")
                return (messages, engine.journalEntries(ofWorld: "default"))
            }
            #expect(messages.count == 2 && !entries.isEmpty)
            for entry in entries {
                if case .exchange(let exchange) = entry.event {
                    #expect(exchange.endpoint != .archiveConsultation && exchange.head.method != .delete)
                }
            }
        }
        let notes = done.report.runs[0].notes.dropFirst()
        #expect(notes.count > 1 && notes.allSatisfy { $0.contains("already existed") }, "\(notes)")
        #expect(done.conformance.fidelity == 100)
    }

    @Test("conform waits for the pause between requests")
    func pace() async throws {
        // Recording the fake's own traffic also takes time, but only once.
        _ = try await Self.fake(.union)
        let begin = WallClock.nanosecondsSinceEpoch()
        let done = try await Self.compare(cases: ["goal/chat/twice"], pause: .milliseconds(150)) { server in
            let entries = try server.performAndWait { engine, _ in engine.journalEntries(ofWorld: "default") }
            let times = entries.compactMap { entry in
                switch entry.event {
                case .exchange(let exchange): exchange.requestedAt
                case .opened(let opening): opening.requestedAt
                default: nil
                }
            }.map(\.nanosecondsSinceEpoch).sorted()
            #expect(times.count > 5)
            // Measure from the start, because on a busy machine one request may be late and the next on time. The wall
            // clock may be adjusted slightly in the meantime.
            for (number, time) in times.enumerated() {
                #expect(time - begin > Int64(number) * 150_000_000 - 20_000_000)
            }
        }
        #expect(done.conformance.fidelity == 100, "\(Self.text(done))")
    }

    @Test("If the server never answers, conform exits with code 4")
    func silent() async throws {
        let address = ConformPlay.cases[0].address
        let done = try await Self.run("http://127.0.0.1:1", cases: [address]).done(Self.fake(.union))
        #expect(done.report.outcome().exitCode == 4)
        #expect(
            Self.text(done).hasSuffix("0 endpoints, 0 with deviations. The run fails: there was no answer.\n"),
            "\(Self.text(done))")
        let stopped = try await Self.compare(cases: ["goal"], isStopped: { true })
        #expect(stopped.report.incomplete?.hasPrefix("Interrupted: 0 of ") == true)
        #expect(stopped.report.outcome().exitCode == 1)
    }

    @Test("The conform report has the usual report format and escapes text from the server")
    func formats() async throws {
        let fault = #"{name: p, on: GET /api/v1/goals, status: 200, body: '{"goals":[],"<b>|*[x](y)`":1}'}"#
        let done = try await Self.compare("name: planted\nfaults:\n  - \(fault)\n", cases: ["goal/chat/twice"])
        let text = Self.text(done)
        #expect(text.contains("\n  ✗ GET /api/v1/goals: 0 of "), "\(text)")
        #expect(text.contains("\n  ✓ POST /api/v1/goals: 1 of 1 answer matched, 100 %\n"), "\(text)")
        #expect(
            text.contains(
                "200, <b>|*[x](y)`: the fake has no such member, and upstream has a number; first seen in "
                    + "goal/chat/twice"))
        #expect(text.contains("The run fails: answers deviate.\n") && !text.contains("situation"), "\(text)")
        let row = done.conformance.rows.split(separator: "\n").first { $0.contains("<b>") }
        #expect(
            row?.hasPrefix(#"| `GET /api/v1/goals`: `200, <b>\|*[x](y)'` | no such member | a number | goal/"#) == true)
        let markdown = String(decoding: MarkdownReport(done.report).bytes, as: UTF8.self)
        #expect(markdown.contains("- ✗ GET /api/v1/goals: 0 of ") && !markdown.contains("<b>"), "\(markdown)")
        let value = try JSON.parse(JSONReport(done.report).bytes)
        let checks = value["runs"]?[0]?["checks"]?.array ?? []
        let failed = checks.filter { $0["failures"]?[0] != nil }
        #expect(value["exit_code"] == 1 && failed.map { $0["address"]?.string } == ["conform/listGoals"])
        #expect(value["runs"]?[0]?["notes"]?[0]?.string?.hasSuffix(" % matched.") == true)
        let known = try KnownBroken(reading: Array("conform/listGoals".utf8), checks: Conformance.addresses)
        #expect(done.report.outcome(knownBroken: known).exitCode == 0)
    }

    static let refusals: [(arguments: [String], saying: String)] = [
        ([], "conform requires a recorded session, such as session.har, or a server"),
        (["--upstream", "ftp://a"], "ftp"),
        (["--upstream", "https://192.0.2.1"], "--token"),
        // No system can look up this name, because one of its labels is too long.
        (["--upstream", "https://\(String(repeating: "a", count: 64)).example"], "--token"),
        (["--upstream", "https://192.0.2.1", "--token", "t"], "--yes"),
        (["--upstream", "https://192.0.2.1", "--token", "a b"], "visible ASCII"),
        (["--upstream", "http://127.0.0.1:1", "--pause", "6s"], "--pause"),
        (["--upstream", "https://192.0.2.1", "--token", "t", "--pause", "99ms"], "--pause"),
        (["--upstream", "http://127.0.0.1:1", "--case", "nothing"], "--list shows the cases"),
        (["--upstream", "http://127.0.0.1:1", "--guide", "none"], "--guide"),
    ]

    @Test("conform rejects invalid input before the first request", arguments: refusals.indices)
    func refusal(_ index: Int) throws {
        let row = Self.refusals[index]
        let failure = #expect(throws: Failure.self) { try ConformCommand.parse(row.arguments + ["--quiet"]).run() }
        #expect(failure?.exitCode == 2 && failure?.message.contains(row.saying) == true, "\(failure as Any)")
    }

    @Test("A pause is at most 5 s and at least 100 ms for a server on another machine")
    func pauses() throws {
        func pause(_ text: String?, isLocal: Bool) throws -> Duration {
            try ConformCommand.parse(text.map { ["--pause", $0] } ?? []).pause(isLocal: isLocal)
        }
        #expect(try pause(nil, isLocal: true) == .zero && pause(nil, isLocal: false) == .milliseconds(100))
        #expect(try pause("5s", isLocal: true) == .seconds(5) && pause("100ms", isLocal: false) == .milliseconds(100))
        #expect(throws: Failure.self) { try pause("5001ms", isLocal: true) }
        #expect(throws: Failure.self) { try pause("99ms", isLocal: false) }
    }
}
