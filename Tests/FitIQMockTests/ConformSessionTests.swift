import ContractSuite
import FitIQAPI
import FitIQClient
import Foundation
import JSON
import MockServer
import Proxy
import Scenarios
import TestSupport
import Testing
import Text
import Traffic

@testable import fitiq_mock

/// Finds drift in a recording, without the server: `conform session.har`, `--accept`, `serve --overlay`.
@Suite("conform with a recorded session", .timeLimit(.minutes(15)))
struct ConformSessionTests {
    private static let fake = Task { try await Conformance(mode: .union) }

    /// A difference between a server and the fake, in all answers from an endpoint, by status or by type.
    struct Plant: Sendable {
        typealias Change = @Sendable (JSONValue?) -> JSONValue?

        let endpoint: Endpoint
        let kind: String
        /// The path, with dots between names and `[]` for elements; empty for the status.
        let path: String
        /// The change to the value; nil if the value is absent.
        let change: Change
        /// The rows of the comparison: `place: fake ≠ upstream`.
        let rows: [String]

        init(_ endpoint: Endpoint, _ kind: String, _ path: String, rows: [String], _ change: @escaping Change) {
            (self.endpoint, self.kind, self.path, self.change, self.rows) = (endpoint, kind, path, change, rows)
        }

        /// A change whose row is about its own place.
        init(_ endpoint: Endpoint, _ kind: String, _ path: String, _ row: String, _ change: @escaping Change) {
            let place = Int(kind) == nil ? "`\(kind)`" : kind
            self.init(endpoint, kind, path, rows: ["\(place), \(path): \(row)"], change)
        }

        /// Another value; nil removes the member.
        init(_ endpoint: Endpoint, _ kind: String, _ path: String, _ value: JSONValue?, _ row: String) {
            self.init(endpoint, kind, path, row) { _ in value }
        }
    }

    private static func time(_ fraction: String) -> Plant.Change {
        { $0?.string.map { .string($0.replacing("Z", with: fraction + "Z")) } }
    }
    private static let whole = "a time in whole seconds"
    private static let goalStates = ["active", "archived", "completed", "in_progress", "not_started"]

    static let plants: [Plant] = [
        Plant(
            .createConsultation, "201", "data.created_at", "\(whole) ≠ a time with 3 fractional digits", time(".125")),
        Plant(
            .createConsultation, "201", "data.plan", ["name": "pro", "seats": [1, 2]], "no such member ≠ an object"),
        Plant(.createConsultation, "201", "data.started_at", nil, "\(whole) ≠ no such member"),
        Plant(.createConsultation, "201", "data.user_id", "an id in lower case ≠ an id in upper case") {
            $0?.string.map { .string($0.uppercased()) }
        },
        Plant(.listMessages, "200", "data.pagination.page", "1", "a number ≠ a string"),
        Plant(.listMessages, "200", "data.total", .null, "a number ≠ null"),
        Plant(.webSocket, "connected", "region", "eu-1", "no such member ≠ a string"),
        Plant(.webSocket, "connected", "user_id", nil, "an id in lower case ≠ no such member"),
        Plant(.webSocket, "message_received", "timestamp", 1_790_000_000_123, "\(whole) ≠ a number"),
        Plant(.webSocket, "stream_complete", "metadata.tokens_used", "15", "a number ≠ a string"),
        Plant(.archiveConsultation, "200", "", rows: ["the status: 200, 401, 404, 415 or 507 ≠ 202"]) { _ in 202 },
        Plant(.createGoal, "201", "data.target_date", "\(whole) ≠ a date") {
            $0?.string.map { .string(String($0.prefix(10))) }
        },
        Plant(
            .createGoal, "201", "data.status", "planned",
            goalStates.map { "`\($0)`" }.joined(separator: ", ") + " or `paused` ≠ `planned`"),
        Plant(.listGoals, "200", "data.has_more", 0, "true or false ≠ a number"),
        Plant(.listGoals, "200", "data.total_count", nil, "a number ≠ no such member"),
        Plant(.listGoals, "200", "data.goals[].tags", ["sport"], "no such member ≠ an array"),
        Plant(
            .chatAboutGoal, "201", "data.persona",
            rows: [
                "201, data.persona.avatarURL: no such member ≠ a string",
                "201, data.persona.avatar: a string ≠ no such member",
            ]
        ) { value in
            value?.object.map { .object(JSONObject($0.map { ($0.key == "avatar" ? "avatarURL" : $0.key, $0.value) })) }
        },
        Plant(
            .createMealLog, "201", "data.logged_at", "\(whole) ≠ a time with 9 fractional digits", time(".123456789")),
        Plant(.createMealLog, "201", "data.is_draft", false, "no such member ≠ true or false"),
        Plant(.mealSocket, "connected", "timestamp", .null, "\(whole) ≠ null"),
    ]

    /// Plants deviations in a HAR.
    private static func plant(in har: JSONValue) throws -> JSONValue {
        let entries = try #require(har["log"]?["entries"]?.array).map { entry -> JSONValue in
            guard let url = entry["request"]?["url"]?.string, let method = entry["request"]?["method"]?.string
            else { return entry }
            let path = url.prefix { $0 != "?" }.split(separator: "/").dropFirst(2)
            let plants = plants.filter { plant in
                let parts = plant.endpoint.template.split(separator: "/")
                return plant.endpoint.method.rawValue == method && parts.count == path.count
                    && zip(parts, path).allSatisfy { $0.hasPrefix("{") && $1.count == 36 || $0 == $1 }
            }
            return plants.reduce(entry) { entry, plant in
                if plant.endpoint.isSocket {
                    return edited(entry, "_webSocketMessages[]") { planted(plant, inMessage: $0) }
                }
                guard entry["response"]?["status"]?.int.map(String.init) == plant.kind else { return entry }
                if plant.path.isEmpty { return edited(entry, "response.status", plant.change) }
                return edited(entry, "response.content") { content in
                    guard let text = content?["text"]?.string, let body = try? JSON.parse(Array(text.utf8))
                    else { return content }
                    let bytes = edited(body, plant.path, plant.change).encoded()
                    let sized = edited(content ?? .null, "size") { _ in .number(JSONNumber(bytes.count)) }
                    return edited(sized, "text") { _ in .string(String(decoding: bytes, as: UTF8.self)) }
                }
            }
        }
        return edited(har, "log.entries") { _ in .array(entries) }
    }

    private static func planted(_ plant: Plant, inMessage message: JSONValue?) -> JSONValue? {
        guard message?["type"] == "receive", let text = message?["data"]?.string,
            let body = try? JSON.parse(Array(text.utf8)), body["type"]?.string == plant.kind
        else { return message }
        let bytes = edited(body, plant.path, plant.change).encoded()
        return edited(message ?? .null, "data") { _ in .string(String(decoding: bytes, as: UTF8.self)) }
    }

    /// A JSON value with a change at a path.
    private static func edited(_ value: JSONValue, _ path: String, _ change: (JSONValue?) -> JSONValue?) -> JSONValue {
        var parts = path.split(separator: ".", maxSplits: 1).map(String.init)
        let isList = parts[0].hasSuffix("[]")
        let name = isList ? String(parts[0].dropLast(2)) : parts[0]
        parts.removeFirst()
        guard var object = value.object else { return value }
        func deeper(_ inner: JSONValue?) -> JSONValue? {
            parts.isEmpty ? change(inner) : inner.map { edited($0, parts[0], change) }
        }
        object[name] = isList ? object[name]?.array.map { .array($0.compactMap(deeper)) } : deeper(object[name])
        return .object(object)
    }

    private static func rows(_ conformance: Conformance) -> Set<String> {
        Set(
            conformance.endpoints.flatMap { result in
                result.deviations.map { "\(result.endpoint.name) \($0.place): \($0.fake) ≠ \($0.upstream)" }
            })
    }

    /// Plays the cases with the fake, and returns the recording.
    private static func record(_ overlay: Overlay? = nil, to file: URL) async throws -> Conformance {
        var configuration = Engine.Configuration(pace: .instant)
        configuration.scenario.overlay = overlay
        let server = try LocalServer(configuration)
        defer { server.stop() }
        let run = ConformRun(
            server: try UpstreamURL(server.url), trust: .system, pause: .zero,
            credentials: Credentials(
                token: DevelopmentCredentials.token(secret: DevelopmentCredentials.jwtSecret),
                apiKey: DevelopmentCredentials.apiKey),
            freshToken: nil, cases: ConformPlay.cases, output: file.path, progress: nil)
        return try await run.done(fake.value).conformance
    }

    @Test("conform finds twenty planted deviations and none after they are accepted")
    func roundTrip() async throws {
        try await withFolder { folder in
            let (har, planted, overlay) = (folder["own.har"], folder["real.har"], folder["overlay.yaml"])
            let own = try await Self.record(to: har)
            #expect(Self.rows(own).isEmpty)
            let tree = try JSON.parse(Array(Data(contentsOf: har)))
            try Data(Self.plant(in: tree).encoded()).write(to: planted)
            // The comparison finds all planted deviations, and nothing else.
            #expect(Self.plants.count == 20)
            var expected: Set<String> = []
            for plant in Self.plants { expected.formUnion(plant.rows.map { "\(plant.endpoint.name) \($0)" }) }
            var found = try await Self.fake.value
            let session = try SessionFile.read(planted.path).session
            found.compare(session, playedIn: nil)
            #expect(Self.rows(found) == expected, "\(Self.rows(found).symmetricDifference(expected).sorted())")

            let accepted = try await EndedCommand.run(["conform", planted.path, "--accept", overlay.path], exits: 1)
            #expect(accepted.output.contains("\(overlay.path) has "), "\(accepted)")
            #expect(!accepted.output.contains("No overlay can express"), "\(accepted)")
            // The overlay contains no text from a user.
            let text = try folder.read("overlay.yaml")
            #expect(!text.contains("eu-1") && !text.contains("sport") && text.contains("planned"), "\(text)")
            let again = try await EndedCommand.run(["conform", planted.path, "--overlay", overlay.path])
            #expect(again.output.contains("100 % matched."), "\(again)")

            // The fake now answers like the server, so its earlier recording deviates from its new answers in the same
            // way.
            let read = try OverlayFile.read(overlay.path)
            let second = folder["second.har"]
            let alike = try await Self.record(read, to: second)
            let lost = expected.subtracting(Self.rows(alike))
            #expect(lost.isEmpty, "\(lost.sorted())")
            #expect(
                Self.rows(alike).subtracting(expected).allSatisfy { $0.hasPrefix("createConsultation 201, data.plan") })
            let last = try await EndedCommand.run(["conform", second.path, "--overlay", overlay.path])
            #expect(last.output.contains("100 % matched."), "\(last)")
        }
    }

    static let refusals: [(arguments: [String], saying: String)] = [
        (["none.har"], "none.har"), (["text.har"], "text.har: "),
        (["page.har"], "none to the API: the first is GET /index"),
        (["page.har", "--prefix", "x"], "--prefix"),
        (["page.har", "--upstream", "http://a"], "--upstream applies only to a server"),
        (["page.har", "--yes"], "--yes applies only to a server"),
        (["page.har", "--overlay", "none.yaml"], "none.yaml"),
        (["page.har", "--overlay", "bad.yaml"], "bad.yaml:1:16: overlay[0].on must be one endpoint"),
        (["page.har", "--overlay", "odd.yaml"], "odd.yaml:1:1: changes is not a key of an overlay."),
        (["page.har", "--accept", "none/overlay.yaml"], "none/overlay.yaml"),
        (["--upstream", "http://127.0.0.1:1", "--prefix", "/prod"], "--prefix applies only to a recorded session"),
    ]

    @Test("The error for unusable input states the location, the content and what was expected")
    func refused() throws {
        try ScratchFolder.lend { folder in
            let page = """
                {"log":{"version":"1.2","creator":{"name":"a","version":"1"},"entries":[{"startedDateTime":
                "2025-01-29T10:30:00Z","time":1,"request":{"method":"GET","url":"http://a/index.html","httpVersion":
                "HTTP/1.1","headers":[],"cookies":[],"queryString":[],"headersSize":-1,"bodySize":-1},"response":
                {"status":200,"statusText":"","httpVersion":"HTTP/1.1","headers":[],"cookies":[],"content":{"size":0,
                "mimeType":""},"redirectURL":"","headersSize":-1,"bodySize":-1},"cache":{},"timings":{}}]}}
                """
            for (name, text) in [
                ("text.har", "hello"), ("page.har", page), ("bad.yaml", "overlay: [{on: any, status: 200}]"),
                ("odd.yaml", "changes: []"),
            ] { try Data(text.utf8).write(to: URL(filePath: folder + "/" + name)) }
            for row in Self.refusals {
                let arguments = row.arguments.map {
                    $0.contains(".har") || $0.contains(".yaml") ? "\(folder)/\($0)" : $0
                }
                let failure = #expect(throws: Failure.self, "\(row)") { try ConformCommand.parse(arguments).run() }
                #expect(failure?.message.contains(row.saying) == true, "\(failure as Any)")
                #expect(failure?.exitCode == (row.arguments.contains("none/overlay.yaml") ? 3 : 2), "\(row)")
            }
        }
    }

    private static func scenario(_ arguments: [String]) throws -> Scenario {
        let serve = try Serve.parse(arguments)
        return try serve.options.plan(serve.data).load()
    }

    @Test("serve finds a scenario's overlay relative to the scenario's folder")
    func serve() throws {
        try ScratchFolder.lend { folder in
            let change = "{on: GET /api/v1/goals, status: 200, member: x, value: 1}"
            for (name, text) in [
                ("overlay.yaml", "overlay: [\(change)]"), ("named.yaml", "{name: a, overlay: overlay.yaml}"),
                ("lost.yaml", "{name: a, overlay: none.yaml}"),
                ("replay.yaml", "{name: a, replay: s.har, overlay: [\(change)]}"),
            ] { try Data(text.utf8).write(to: URL(filePath: folder + "/" + name)) }
            let overlay = try Overlay.read(Array("overlay: [\(change)]".utf8))
            for arguments in [["--overlay", "\(folder)/overlay.yaml"], ["--scenario", "\(folder)/named.yaml"]] {
                let scenario = try Self.scenario(arguments)
                #expect(scenario.overlay == overlay && scenario.unreadOverlay == nil)
            }
            for (name, words) in [
                ("lost.yaml", "none.yaml"), ("replay.yaml", "overlay cannot be combined with 'replay'"),
            ] {
                let path = "\(folder)/\(name)"
                let failure = #expect(throws: Failure.self, "\(name)") { try Self.scenario(["--scenario", path]) }
                #expect(failure?.exitCode == 2 && failure?.message.contains(words) == true, "\(failure as Any)")
                #expect(failure?.message.contains("\(path):1:") == true, "\(failure as Any)")
            }
        }
    }
}
