import FitIQAPI
import JSON
import Replay
import Testing
import Text

@testable import Scenarios
@testable import Traffic

@Suite("Sessions in scenarios")
struct ReplayTests {
    static let session = Session(entries: [
        SessionExchange(
            started: Timestamp(secondsSinceEpoch: 1_700_000_000),
            request: SessionRequest(method: "GET", url: "http://recorded.example/a"),
            response: SessionResponse(status: 200, body: RecordedBody(Array("yes no 1.0".utf8))))
    ])
    static let har = String(decoding: HAREncoder.file(session, creatorVersion: "test"), as: UTF8.self)

    @Test(
        "The reader reads replay settings and applies the documented defaults",
        arguments: [
            "a.har": ReplaySettings(), "{session: a.har}": ReplaySettings(),
            "{session: a.har, match: strict}": ReplaySettings(match: .strict),
            "{session: a.har, match: ordered, speed: 1}": ReplaySettings(),
            "{session: a.har, match: route, speed: instant}": ReplaySettings(match: .route, speed: .instant),
            "{session: a.har, speed: 2.5, frames: timed}": ReplaySettings(speed: .factor(2.5), frames: .timed),
            "{session: a.har, speed: 0.001, frames: lock-step}": ReplaySettings(speed: .factor(0.001)),
            "{session: a.har, speed: 1000, frames: triggered}":
                ReplaySettings(speed: .factor(1000), frames: .triggered),
        ] as KeyValuePairs<String, ReplaySettings>)
    func settings(_ text: String, _ settings: ReplaySettings) throws {
        let replay = try #require(try Scenario.read("{name: a, replay: \(text)}").replay)
        #expect((replay, replay.unreadFile) == (SessionReplay(.file("a.har"), settings: settings), "a.har"))
    }

    @Test("A session can be combined with a guide, seed, clock and faults")
    func companions() throws {
        let scenario = try Scenario.read(
            "{name: a, summary: b, guide: union, seed: 7, clock: manual, faults: [{on: any, status: 500}], replay: a.har}"
        )
        #expect(scenario.replay != nil && scenario.faults.count == 1 && scenario.seed == 7)
        #expect(!scenario.canReplay)
        #expect(try Scenario.read("{name: a, faults: [{on: any, status: 500}]}").canReplay)
        for key in [
            "users: [{id: u}]", "answers: [{text: b}]", "token_lifetime: 1h", "ids: any-case", "stubs: [{path: /x}]",
        ] { #expect(try !Scenario.read("{name: a, \(key)}").canReplay, "\(key)") }
    }

    @Test("A scenario can contain a HAR")
    func inside() throws {
        let text = #"{"name": "a", "replay": {"session": \#(Self.har), "match": "route"}}"#
        let plan = try ReplayPlan(Self.session)
        let expected = SessionReplay(.plan(plan), settings: ReplaySettings(match: .route))
        #expect(try Scenario.read(text).replay == expected)
        #expect(try Scenario.read(json: JSON.parse(text)).replay == expected)
        #expect(try Scenario.read("# not JSON\n" + text).replay == expected)
        #expect(expected.unreadFile == nil)
    }

    @Test("The reader reports an error in a HAR with the HAR's message and at the error's location")
    func badSessions() throws {
        let errors = #expect(throws: ScenarioErrors.self) {
            try Scenario.read("name: a\nreplay:\n  session: {log: {entries: []}}\n")
        }
        let mistake = try #require(errors?.mistakes.first)
        #expect(mistake.line == 3 && mistake.path == "replay.session")
        #expect(mistake.message.hasPrefix("replay.session cannot be played back: "))
        #expect(throws: Refusal.self) { try SessionReplay.Recording(readingHAR: Array("{".utf8)) }
        #expect(try SessionReplay.Recording(readingHAR: Array(Self.har.utf8)).plan == ReplayPlan(Self.session))
    }

    @Test(
        "The limits on the speed match the schema",
        arguments: ["0", "-1", "0.0009", "1000.1", "fast", "'1'", "[]", "1e9"])
    func speeds(_ text: String) throws {
        #expect(throws: ScenarioErrors.self) { try Scenario.read("{name: a, replay: {session: b, speed: \(text)}}") }
    }

    @Test("The reader rejects a session path beyond the limit")
    func paths() throws {
        let longest = String(repeating: "a", count: ScenarioLimits.sessionPath)
        #expect(try Scenario.read("{name: a, replay: \(longest)}").replay?.unreadFile == longest)
        #expect(throws: ScenarioErrors.self) { try Scenario.read("{name: a, replay: \(longest)a}") }
    }
}
