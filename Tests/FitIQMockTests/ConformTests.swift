import ArgumentParser
import ContractSuite
import FitIQAPI
import FitIQClient
import Foundation
import JSON
import MockServer
import Proxy
import Scenarios
import Sockets
import TestSupport
import Testing

@testable import fitiq_mock

@Suite("conform: a real server compared with the fake", .timeLimit(.minutes(10)))
struct ConformTests {
    /// Compares a fake with a scenario in a mode, as a real server, with what the fake says in another.
    private static func report(
        _ scenario: String = "name: upstream\n", serves mode: GuideMode = .union, expecting guide: GuideMode? = nil,
        cases: [String] = [], after: (LocalServer) throws -> Void = { _ in }
    ) async throws -> ConformReport {
        var configuration = Engine.Configuration(pace: .instant, mode: mode)
        configuration.scenario = try Scenario.read(scenario)
        let server = try LocalServer(configuration)
        let run = ConformRun(
            server: try UpstreamURL(server.url), trust: .system,
            credentials: Credentials(
                token: DevelopmentCredentials.token(secret: DevelopmentCredentials.jwtSecret),
                apiKey: DevelopmentCredentials.apiKey),
            freshToken: nil, mode: guide ?? mode, cases: try ConformCommand.selected(cases), pause: .zero,
            output: FileManager.default.temporaryDirectory.appending(path: "conform-\(UUID().uuidString).har").path,
            progress: nil)
        defer { run.output.map { try? FileManager.default.removeItem(atPath: $0) } }
        let report = try await Self.report(of: run)
        try after(server)
        server.stop()
        return report
    }

    /// Runs it on a thread of its own: it blocks, and waits for tasks.
    private static func report(of run: ConformRun) async throws -> ConformReport {
        try await withCheckedThrowingContinuation { continuation in
            do {
                try SystemThread.start {
                    continuation.resume(with: Result { try run.run(MainWait(signals: [])).report })
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }

    @Test("The fake is alike to itself in every guide", arguments: GuideMode.allCases)
    func itself(mode: GuideMode) async throws {
        let report = try await Self.report(serves: mode)
        #expect(report.conformance.deviations.isEmpty, "\(report.text)")
        #expect(report.conformance.fidelity == 100 && report.exitCode == 0, "\(report.text)")
        #expect(report.conformance.endpoints.map(\.answers).reduce(0, +) > 20, "\(report.text)")
        #expect(report.conformance.unknownCount == 0 && report.incomplete == nil)
    }

    /// A deviation on purpose, where it has to be found, and what is said of it; nothing else may be.
    struct Plant: Sendable, CustomTestStringConvertible {
        let fault: String
        let endpoint: Endpoint
        let cases: [String]
        let count: Int
        let saying: String
        var testDescription: String { fault }
    }

    static let plants = [
        Plant(
            fault: "{name: p, on: GET /api/v1/goals, nanosecond_timestamps: true}", endpoint: .listGoals,
            cases: ["goal"], count: 6, saying: "a time with 9 digits of a second's fraction"),
        Plant(
            fault: "{name: p, on: 'GET /api/v1/consultations/{id}/messages', content_type: text/html}",
            endpoint: .listMessages, cases: ["chat"], count: 1, saying: "text/html"),
        Plant(
            fault: #"{name: p, on: GET /api/v1/goals, status: 200, body: '{"success":true}'}"#, endpoint: .listGoals,
            cases: ["goal/chat/twice"], count: 3, saying: "no such member"),
        Plant(
            fault: "{name: p, on: POST /api/v1/meal-logs/natural, requests: 1, status: 503}", endpoint: .createMealLog,
            cases: ["meal"], count: 1, saying: "503"),
        Plant(
            fault: "{name: p, on: GET /api/v1/goals, requests: 1, truncate: {after: 10}}", endpoint: .listGoals,
            cases: ["goal/chat/twice"], count: 0, saying: ""),
        Plant(
            fault: "{name: p, on: GET /api/v1/goals, requests: 1, malformed: json}", endpoint: .listGoals,
            cases: ["goal/chat/twice"], count: 1, saying: "not JSON"),
        Plant(
            fault: "{name: p, on: socket, at: {type: connected}, binary: true}", endpoint: .webSocket,
            cases: ["consultation/create"], count: 1, saying: "not JSON"),
    ]

    @Test("What was planted is found, and nothing else", arguments: plants)
    func planted(_ plant: Plant) async throws {
        let report = try await Self.report("name: planted\nfaults:\n  - \(plant.fault)\n", cases: plant.cases)
        let deviations = report.conformance.deviations
        #expect(deviations.count == plant.count, "\(deviations)")
        #expect(deviations.allSatisfy { $0.endpoint == plant.endpoint }, "\(report.text)")
        #expect(deviations.allSatisfy { $0.upstream.contains(plant.saying) }, "\(report.text)")
        #expect(report.exitCode == (plant.count == 0 ? 0 : 1))
        for result in report.conformance.endpoints where result.endpoint != plant.endpoint {
            #expect(result.alike == result.answers)
        }
    }

    @Test("Another guide's answers differ by members and statuses")
    func otherGuide() async throws {
        let report = try await Self.report(serves: .goalLinking, expecting: .union)
        let rows = report.conformance.deviations.map { "\($0.endpoint.name) \($0.place): \($0.fake), \($0.upstream)" }
        #expect(rows.contains("createConsultation the status: 201, 409 or 429, 404"), "\(report.text)")
        #expect(rows.contains("listGoals 200, data: an object, no such member"), "\(report.text)")
        #expect(report.exitCode == 1 && report.conformance.fidelity ?? 100 < 100)
    }

    @Test("A consultation that was there before is neither spoken in nor archived")
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
        let report = try await Self.report(world, cases: ["chat/answer", "consultation/archive"]) { server in
            let (messages, entries) = try server.performAndWait { engine, _ in
                (
                    engine.storedMessages(ofConsultation: id, inWorld: "default"),
                    engine.journalEntries(ofWorld: "default")
                )
            }
            #expect(messages.count == 2)
            #expect(!entries.isEmpty)
            for entry in entries {
                if case .exchange(let exchange) = entry.event {
                    #expect(exchange.endpoint != .archiveConsultation && exchange.head.method != .delete)
                }
            }
        }
        #expect(report.cases.allSatisfy { $0.trouble?.contains("there before") == true }, "\(report.text)")
        #expect(report.conformance.fidelity == 100)
    }

    @Test("A server that does not answer is exit code 4")
    func silent() async throws {
        let run = ConformRun(
            server: try UpstreamURL("http://127.0.0.1:1"), trust: .system, credentials: Credentials(apiKey: "k"),
            freshToken: nil, mode: .union, cases: Array(ConformPlay.cases.prefix(1)), pause: .zero, output: nil,
            progress: nil)
        let report = try await Self.report(of: run)
        #expect(report.exitCode == 4 && report.cases.count == 1)
        #expect(report.text.hasSuffix("There was no answer to compare in 1 case.\n"))
        #expect(try JSON.parse(report.json)["fidelity"] == .null)
    }

    @Test("The report is text, Markdown and JSON, and what a server says is no markup")
    func formats() async throws {
        let fault = #"{name: p, on: GET /api/v1/goals, status: 200, body: '{"goals":[],"<b>|*[x](y)":1}'}"#
        let report = try await Self.report("name: planted\nfaults:\n  - \(fault)\n", cases: ["goal/chat/twice"])
        #expect(report.text.contains("| endpoint | the fake | upstream | first seen |"))
        #expect(report.text.contains(#"200, <b>\|*[x](y) | no such member | a number | goal/chat/twice, entry "#))
        #expect(report.markdown.contains("&#60;b&#62;&#124;&#42;&#91;x&#93;(y)") && !report.markdown.contains("<b>"))
        let value = try JSON.parse(report.json)
        #expect(value["format"] == 1 && value["guide"] == "union" && value["exit_code"] == 1)
        #expect(value["deviations"]?.array?.count == report.conformance.deviations.count)
        #expect(value["deviations"]?[0]?["count"]?.int ?? 0 > 0)
        let rows = value["endpoints"]?.array ?? []
        #expect(rows.contains { $0["endpoint"] == "GET /api/v1/goals" && $0["alike"] == 0 })
        #expect(value["cases"]?[0]?["address"] == "goal/chat/twice")
    }

    static let refusals: [(arguments: [String], saying: String)] = [
        ([], "conform needs the server"),
        (["--upstream", "ftp://a"], "ftp"),
        (["--upstream", "https://192.0.2.1"], "--token"),
        (["--upstream", "https://192.0.2.1", "--token", "t"], "--yes"),
        (["--upstream", "https://192.0.2.1", "--token", "a b"], "visible ASCII"),
        (["--upstream", "http://127.0.0.1:1", "--pause", "61s"], "--pause"),
        (["--upstream", "https://192.0.2.1", "--token", "t", "--pause", "99ms"], "--pause"),
        (["--upstream", "http://127.0.0.1:1", "--case", "nothing"], "conform --list"),
        (["--upstream", "http://127.0.0.1:1", "--guide", "none"], "--guide"),
    ]

    @Test("What cannot be compared is refused before anything is sent", arguments: refusals.indices)
    func refusal(_ index: Int) throws {
        let row = Self.refusals[index]
        do {
            try ConformCommand.parse(row.arguments + ["--quiet"]).run()
            Issue.record("\(row.arguments) is not refused.")
        } catch let failure as Failure {
            #expect(failure.exitCode == 2 && failure.message.contains(row.saying), "\(failure.message)")
        }
    }

    @Test("A pause is at most a minute, and at least 100 ms off this machine")
    func pauses() throws {
        func pause(_ text: String?, isLocal: Bool) throws -> Duration {
            try ConformCommand.parse(text.map { ["--pause", $0] } ?? []).pause(isLocal: isLocal)
        }
        #expect(try pause(nil, isLocal: true) == .zero && pause(nil, isLocal: false) == .milliseconds(100))
        #expect(try pause("1m", isLocal: true) == .seconds(60) && pause("100ms", isLocal: false) == .milliseconds(100))
        #expect(throws: Failure.self) { try pause("60001ms", isLocal: true) }
        #expect(throws: Failure.self) { try pause("99ms", isLocal: false) }
    }
}
