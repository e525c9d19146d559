import FitIQAPI
import JSON
import Judging
import MockServer
import Scenarios
import Testing
import WebSocket

@testable import ContractSuite
@testable import Traffic

@Suite("Comparing a server's answers with the fake's", .timeLimit(.minutes(15)))
struct ConformanceTests {
    private static let start = Timestamp(secondsSinceEpoch: 1_738_146_600)
    /// The fake's traffic, recorded once for all tests.
    private static let fake = Task { try await Conformance(mode: .union) }

    /// The fake's traffic while a case is played in memory.
    private static func session(_ address: String) async throws -> Session {
        let contractCase = try #require(ContractCase.all.first { $0.address == address })
        let network = try VirtualWorld.emptyNetwork()
        let world = try await StageWorld(
            on: network, contractCase.setting.scenario(), guide: .union, clock: .manual, judged: false)
        let client = try ReferenceClient(world.surroundings, network: network)
        var play = CasePlay(
            world: world, client: client, result: CaseResult(contractCase, mode: .union), stepLimit: 5_000,
            grace: .seconds(5))
        try await play.run()
        return Session(try await world.entries(), origin: "http://fake")
    }

    /// The value in the fake's answer to `GET /api/v1/goals`.
    private static func goals() async throws -> JSONObject {
        let bodies = try await session("goal/chat/twice").entries.compactMap { entry -> [UInt8]? in
            guard entry.request.method == "GET", entry.request.url.hasSuffix("/api/v1/goals") else { return nil }
            return entry.response?.body.bytes
        }
        let body = try #require(bodies.first)
        return try #require(try JSON.parse(body).object)
    }

    /// The fake's answer to `GET /api/v1/goals` with additional members.
    private static func goals(with members: [(String, JSONValue)]) async throws -> [UInt8] {
        var object = try await goals()
        for (name, value) in members { object[name] = value }
        return JSONValue.object(object).encoded()
    }

    /// A server's answer to a GET.
    private static func answer(
        _ body: [UInt8], status: Int = 200, type: String? = "application/json", path: String = "/api/v1/goals",
        change: (inout SessionResponse) -> Void = { _ in }
    ) -> SessionExchange {
        let fields = type.map { [SessionField("Content-Type", $0)] } ?? []
        var response = SessionResponse(status: status, fields: fields, body: RecordedBody(body))
        change(&response)
        let request = SessionRequest(method: "GET", url: "http://upstream\(path)")
        return SessionExchange(started: start, request: request, response: response)
    }

    private static func compared(
        _ entries: [SessionExchange], playedIn cases: [ConformPlay.Outcome] = []
    ) async throws -> Conformance {
        var conformance = try await fake.value
        conformance.compare(Session(entries: entries), playedIn: cases)
        return conformance
    }

    /// An endpoint's deviations, one per line.
    private static func told(_ result: Conformance.EndpointResult?) -> [String] {
        (result?.deviations ?? []).map { "\($0.place): \($0.fake) ≠ \($0.upstream)" }
    }

    private static func report(_ conformance: Conformance, _ cases: [ConformPlay.Outcome] = []) -> Report {
        conformance.report(title: "a server", cases: cases)
    }

    @Test("The fake conforms to itself in responses, handshakes and server messages")
    func itself() async throws {
        let session = try await Self.session("goal/chat/twice")
        let conformance = try await Self.compared(session.entries)
        for result in conformance.endpoints {
            #expect(result.alike == result.answers && result.deviations.isEmpty, "\(Self.told(result))")
        }
        let answers: Int = session.entries.reduce(0) { sum, entry in
            sum + 1 + entry.frames.count { $0.sender == .server && $0.opcode == .text }
        }
        #expect(answers > 10 && conformance.endpoints.map(\.answers).reduce(0, +) == answers)
        #expect(conformance.fidelity == 100 && conformance.unknownCount == 0)
        let report = Self.report(conformance)
        #expect(report.outcome().exitCode == 0)
        #expect(report.runs[0].notes == [ConformMessages.sum(conformance, cases: 0)])
        #expect(conformance.rows == ConformMessages.rowsHeading.joined(separator: "\n") + "\n")
    }

    @Test("A repeated deviation is reported once with its count and first occurrence")
    func counts() async throws {
        let odd = Self.answer(try await Self.goals(with: [("zebra", 1), ("ape", true)]))
        let late = Self.answer(try await Self.goals(with: [("bee", 1)]))
        let cases = [
            ConformPlay.Outcome(address: "goal/one", firstEntry: 0),
            ConformPlay.Outcome(address: "goal/two", firstEntry: 4, trouble: "It stops."),
        ]
        let conformance = try await Self.compared(
            [Self.answer(try await Self.goals(with: [])), odd, odd, odd, late], playedIn: cases)
        let result = try #require(conformance.endpoints.first)
        #expect(conformance.endpoints.count == 1 && result.endpoint == .listGoals)
        #expect(result.answers == 5 && result.alike == 1 && conformance.fidelity == 20)
        #expect(
            Self.told(result) == [
                "200, ape: no such member ≠ true or false", "200, zebra: no such member ≠ a number",
                "200, bee: no such member ≠ a number",
            ])
        #expect(result.deviations.map(\.count) == [3, 3, 1])
        #expect(result.deviations.map(\.firstSeen) == ["goal/one, entry 2", "goal/one, entry 2", "goal/two, entry 5"])
        let report = Self.report(conformance, cases)
        let check = try #require(report.runs[0].checks.first)
        #expect(check.clause == "GET /api/v1/goals: 1 of 5 answers matched, 20 %")
        #expect(
            check.failures.first
                == "200, ape: the fake has no such member, and upstream has true or false; first seen in goal/one, "
                + "entry 2, and in 2 more answers.")
        #expect(report.runs[0].notes == ["5 answers in 2 cases: 20 % matched.", "goal/two: It stops."])
        #expect(report.outcome().exitCode == 1)
    }

    @Test("Answers from endpoints that the fake does not have are counted but not compared")
    func unknown() async throws {
        let unknown = [Self.answer([], path: "/api/v1/nothing"), Self.answer([], path: "/nothing/at/all")]
        var conformance = try await Self.compared(unknown + [Self.answer(try await Self.goals(with: []))])
        #expect(conformance.unknownCount == 2 && conformance.endpoints.map(\.endpoint) == [.listGoals])
        #expect(conformance.fidelity == 100 && Self.report(conformance).outcome().exitCode == 0)
        #expect(Self.report(conformance).runs[0].notes.last == ConformMessages.notCompared(2))
        // Nothing is compared if there is no answer.
        conformance = try await Self.compared(unknown)
        #expect(conformance.fidelity == nil && Self.report(conformance).outcome().exitCode == 4)
    }

    @Test("Only completely recorded responses can deviate in status, media type or body")
    func responses() async throws {
        let body = try await Self.goals(with: [])
        let rows: [(SessionExchange, [String])] = [
            (Self.answer(body, type: "Application/JSON ; charset=utf-8"), []),
            (
                Self.answer(body, type: "text/html; charset=utf-8"),
                ["200, the media type: application/json ≠ `text/html`"]
            ),
            (Self.answer(body, type: nil), ["200, the media type: application/json ≠ no media type"]),
            (
                Self.answer(Array("<p>".utf8), type: "text/html"),
                ["200, the body: JSON ≠ not JSON", "200, the media type: application/json ≠ `text/html`"]
            ),
        ]
        for (entry, deviations) in rows {
            let result = try #require(try await Self.compared([entry]).endpoints.first)
            #expect(Self.told(result) == deviations)
            #expect(result.answers == 1 && (result.alike == 1) == deviations.isEmpty)
        }
        let teapot = try await Self.compared([Self.answer(body, status: 418)]).endpoints.first?.deviations ?? []
        #expect(teapot.map(\.place) == ["the status"] && teapot.map(\.upstream) == ["418"])
        #expect(teapot.first?.fake.hasPrefix("200") == true)
        let parts = [
            Self.answer(body) { $0.isComplete = false },
            Self.answer(body) { $0.body = RecordedBody($0.body.bytes, of: $0.body.byteCount + 1) },
            Self.answer(body) { $0.fields.append(SessionField("Content-Encoding", "gzip")) },
        ]
        #expect(try await Self.compared(parts).endpoints.isEmpty)
    }

    @Test("The API description adds statuses, codes and formats that the cases do not show")
    func described() async throws {
        func refusal(_ code: String, _ more: String = "") -> [UInt8] {
            Array(#"{"success":false,"error":{"code":"\#(code)","message":"No."\#(more)},"message":"No."}"#.utf8)
        }
        let mood = #""valence":0.4,"labels":[],"associations":[],"source":"manual","is_healthkit":false"#
        func moods(_ time: String) -> [UInt8] {
            Array(#"{"success":true,"data":{"entries":[{"logged_at":"\#(time)",\#(mood)}]}}"#.utf8)
        }
        let path = "/api/v1/wellness/mood-entries"
        let rows: [(SessionExchange, String, Bool)] = [
            (Self.answer(refusal("UNAUTHORIZED"), status: 401), "", true),
            (Self.answer(refusal("NO_TOKEN"), status: 401), "`UNAUTHORIZED`, `UNSUPPORTED_MEDIA_TYPE`", false),
            (Self.answer(refusal("UNAUTHORIZED", #","hint":"x""#), status: 401), "401, error.hint: no such", false),
            (Self.answer(moods("2025-01-29"), path: path), "logged_at: a time in whole seconds ≠ a date", false),
            (Self.answer(refusal("X"), status: 599, path: path), "the status: ", false),
        ]
        for (entry, words, isAlike) in rows {
            let conformance = try await Self.compared([entry])
            let result = try #require(conformance.endpoints.first)
            #expect(conformance.unknownCount == 0 && (result.alike == 1) == isAlike, "\(Self.told(result))")
            #expect(isAlike || Self.told(result).contains { $0.contains(words) }, "\(words): \(Self.told(result))")
        }
    }

    @Test("Unanswered requests in a recording are counted but not reported as deviations")
    func unanswered() async throws {
        var entry = Self.answer([])
        entry.response = nil
        var conformance = try await Self.fake.value
        conformance.compare(Session(entries: [entry, Self.answer([], status: 0)]), playedIn: nil)
        #expect(conformance.endpoints.isEmpty && conformance.unansweredCount == 2)
        let report = conformance.report(title: "a session", cases: nil)
        #expect(report.runs[0].notes == ["0 answers.", ConformMessages.unanswered(2)])
        conformance.compare(Session(entries: [entry]), playedIn: [])
        #expect(
            conformance.unansweredCount == 0 && conformance.endpoints.first?.deviations.map(\.upstream) == ["no answer"]
        )
    }

    @Test("A change counts as a deviation unless the overlay declares it")
    func permitted() async throws {
        let overlay = Overlay([
            Overlay.Change(.listGoals, .status(200), at: [.name("plan")], .value(1, insteadOf: nil)),
            Overlay.Change(.listGoals, .status(200), at: [.name("success")], .remove),
            Overlay.Change(.listGoals, .status(200), at: [.name("totalCount")], .rename("total_count")),
            Overlay.Change(.listGoals, .status(200), .becomes(.status(203))),
            Overlay.Change(.listGoals, .status(418), .known),
            Overlay.Change(.listGoals, .status(203), .contentType("text/json; charset=utf-8")),
        ])
        let conformance = try await Conformance(mode: .union, overlay: overlay)
        func told(_ body: [UInt8], _ status: Int = 200, _ type: String = "application/json") -> [String] {
            var conformance = conformance
            conformance.compare(Session(entries: [Self.answer(body, status: status, type: type)]), playedIn: nil)
            return Self.told(conformance.endpoints.first)
        }
        let plain = try await Self.goals()
        var changed = plain
        (changed["plan"], changed["success"], changed["totalCount"], changed["total_count"]) = (7, nil, nil, 0)
        for object in [plain, changed] {
            #expect(told(JSONValue.object(object).encoded()).isEmpty)
            #expect(told(JSONValue.object(object).encoded(), 203, "text/json").isEmpty)
        }
        #expect(told(Array("<p>".utf8), 418, "text/html").isEmpty)
        changed["plan"] = "pro"
        #expect(told(JSONValue.object(changed).encoded()) == ["200, plan: a number ≠ a string"])
    }

    @Test("Accepting a session leaves out deviations that cannot be expressed in an overlay")
    func rest() async throws {
        let entries = [
            Self.answer(Array("<p>".utf8)), Self.answer(Array("<p>".utf8), status: 418, type: "text/html"),
            Self.answer(try await Self.goals(with: [("a.b", 1), ("c[]", 1), ("d", nil)]), type: nil),
        ]
        let acceptance = try await Self.fake.value.accepting(Session(entries: entries))
        #expect(
            acceptance.overlay.changes == [
                Overlay.Change(.listGoals, .status(418), .known),
                Overlay.Change(.listGoals, .status(200), at: [.name("d")], .value(nil, insteadOf: nil)),
            ])
        #expect(acceptance.newCount == 2)
        let left = ["200, the body", "200, a.b", "200, c[]", "200, the media type"]
        #expect(acceptance.rest == left.map { "GET /api/v1/goals: \($0)" })
    }

    @Test("Accepting a session keeps values that look like words and generalizes other codes")
    func codes() async throws {
        let long = String(repeating: "x", count: 41)
        let names = ["review_status", "verification_code", "x_code", "y_code"]
        var entries: [SessionExchange] = []
        for texts in [["in_review", "a8391", "abc", long], ["in_review", "b1177", "c2288", "abc"]] {
            let members = zip(names, texts).map { ($0, JSONValue.string($1)) }
            entries.append(Self.answer(try await Self.goals(with: members)))
        }
        let acceptance = try await Self.fake.value.accepting(Session(entries: entries))
        func change(_ name: String, _ value: JSONValue, insteadOf words: [String]? = nil) -> Overlay.Change {
            Overlay.Change(.listGoals, .status(200), at: [.name(name)], .value(value, insteadOf: words))
        }
        #expect(
            acceptance.overlay.changes == [
                change("review_status", "in_review"), change("verification_code", .string(ValueKind.anyText)),
                change("x_code", "abc"), change("y_code", .string(ValueKind.anyText)),
                change("x_code", .string(ValueKind.anyText), insteadOf: []),
            ])
        #expect(acceptance.rest.isEmpty)
    }

    @Test("Accepting a session replaces a word, name, status or type only if the match is unambiguous")
    func replaced() async throws {
        var goal = try #require(try await Self.goals()["goals"]?[0]?.object)
        func accepted(_ goals: [JSONObject], _ more: [SessionExchange] = []) async throws -> [Overlay.Change] {
            let body = try await Self.goals(with: [("goals", .array(goals.map { .object($0) }))])
            return try await Self.fake.value.accepting(Session(entries: [Self.answer(body)] + more)).overlay.changes
        }
        let place: [Overlay.Step] = [.name("goals"), .elements]
        func change(_ name: String, _ action: Overlay.Action) -> Overlay.Change {
            Overlay.Change(.listGoals, .status(200), at: place + [.name(name)], action)
        }
        // Use the fake's word in a different spelling, and a new word.
        var (spelled, other) = (goal, goal)
        (spelled["status"], other["status"]) = ("Not-Started", "done")
        #expect(try await accepted([spelled]) == [change("status", .value("Not-Started", insteadOf: ["not_started"]))])
        #expect(try await accepted([goal, other]).first?.action == .value("done", insteadOf: []))
        // Change the spelling of one member's name, and give another member a different name of the same kind.
        goal["created_on"] = goal["createdAt"]
        goal["createdAt"] = nil
        #expect(try await accepted([goal]) == [change("createdAt", .rename("created_on"))])
        goal["updated_at"] = goal["updatedAt"]
        goal["updatedAt"] = nil
        let changes = try await accepted([goal])
        #expect(changes.contains(change("updatedAt", .rename("updated_at"))))
        #expect(changes.contains(change("createdAt", .remove)), "two are missing, so that none alone can be meant")
    }

    @Test("Socket handshakes and complete server messages are compared by type")
    func messages() async throws {
        let session = try await Self.session("consultation/create/201-opens-chat")
        let sockets = session.entries.filter(\.isSocket)
        var socket = try #require(sockets.first)
        let known = try #require(socket.frames.first { $0.sender == .server && $0.opcode == .text })
        let odd = RecordedBody(Array(#"{"type":"nonsense"}"#.utf8))
        socket.frames = [
            known, SessionFrame(sender: .client, time: Self.start, opcode: .text, payload: odd),
            SessionFrame(sender: .server, time: Self.start, opcode: .ping, payload: RecordedBody()),
            SessionFrame(
                sender: .server, time: Self.start, opcode: .text,
                payload: RecordedBody(odd.bytes, of: odd.byteCount + 1)),
            SessionFrame(sender: .server, time: Self.start, opcode: .text, payload: odd),
            SessionFrame(sender: .server, time: Self.start, opcode: .binary, payload: known.payload),
        ]
        let result = try #require(try await Self.compared([socket]).endpoints.first)
        #expect(result.endpoint == .webSocket && result.answers == 4 && result.alike == 2)
        #expect(result.deviations.map(\.upstream) == ["`nonsense`", "not JSON"])
        for deviation in result.deviations {
            #expect(deviation.place == "the message type" && deviation.count == 1)
            // The status of the handshake does not count as a type.
            #expect(deviation.fake.contains("`connected`") && !deviation.fake.contains("101"))
        }
    }

    @Test("A report lists at most 100 deviations per endpoint and counts the rest")
    func limit() async throws {
        for (count, notes) in [(100, []), (101, ["and 1 more deviation."])] as [(Int, [String])] {
            let members = (0..<count).map { ("member\($0)", JSONValue.bool(true)) }
            let conformance = try await Self.compared([Self.answer(try await Self.goals(with: members))])
            #expect(conformance.endpoints.first?.deviations.count == count)
            let check = try #require(Self.report(conformance).runs[0].checks.first)
            #expect(check.failures.count == 100 && check.notes == notes)
        }
    }
}
