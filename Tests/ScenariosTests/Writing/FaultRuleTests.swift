import Faults
import FitIQAPI
import JSON
import Scenarios
import Testing

@Suite("Writing faults in the notation of scenario files") struct FaultRuleTests {
    private static let wait: Int64 = 2_000_000_000
    private static let replacements = [
        Replacement(status: 503), Replacement(status: 200, body: ""),
        Replacement(
            status: 500, body: "{\"a\": \"b\\n\u{85}\"}", contentType: "text/plain", retryAfter: 0, isProcessed: true),
        Replacement(status: 409, code: "CODE", message: "A message.", retryAfter: 31_622_400),
    ]

    static let responses: [ResponseFault] =
        replacements.map { .replace($0) } + replacements.map { .quota(requests: 5, window: 10_000_000_000, $0) } + [
            .quota(requests: 0, window: 86_400_000_000_000, Replacement(status: 429)), .delay(0), .delay(1),
            .delay(wait), .delay(3_600_000_000_000), .delay(90_000_000_000), .delay(1_500_000), .delay(1_000),
            .dribble(bytes: 16, every: 100_000_000), .dribble(bytes: 1, every: 0), .truncate(after: 0),
            .truncate(after: 20), .contentLength(off: 10), .contentLength(off: -3), .malformedJSON, .malformedChunking,
            .emptyReply, .reset(after: 0), .reset(after: 30), .hang, .contentType(nil),
            .contentType("application/json"), .nanosecondTimestamps, .compression(.truncated),
            .compression(.wrongLength),
        ]
    static let handshakes: [ResponseFault] =
        replacements.filter { !$0.isProcessed }.map { .replace($0) } + [
            .delay(wait), .wrongAccept, .compression(.declined), .emptyReply, .reset(after: 0), .hang,
        ]
    static let sockets: [SocketFault] =
        [
            .close(code: nil, reason: ""), .close(code: 1011, reason: ""), .close(code: 65_535, reason: "Bye \"now\""),
            .finish, .reset, .silence, .cut(after: 5, reset: false), .cut(after: 0, reset: true), .masked,
            .reservedBits(7), .invalidUTF8, .fragments(at: [1]), .fragments(at: [3, 7]), .coalesce(count: 2), .binary,
            .lose, .double, .swap, .delay(wait), .dribble(bytes: 1, every: 1_000_000),
            .replace(text: "{\"type\": \"x\"}"), .insert(text: "{\"type\": \"x\"}"), .nanosecondTimestamps,
            .withholdPong, .stallReading, .escape, .end(.finish, after: 0), .end(.reset, after: wait),
            .end(.silence, after: 3_600_000_000_000),
        ]
        + [CompressionFault.undeclared, .fragmented, .marked, .forgotten, .trailing, .corrupt].map { .compression($0) }
    static let points: [SocketPoint] = [
        .frames(.all), .frames(.only(3)), .type("pong", .all), .type("meal_log.failed", .first(2)),
        .chunks(.only(3), ofAnswer: nil), .chunks(.all, ofAnswer: 2), .byte(100),
    ]
    static let selections = [
        Selection.all, .only(1), .only(1_000_000_000), .first(3), Selection(first: 2), Selection(first: 2, last: 9),
        Selection(first: 1, last: 9, step: 2), Selection(step: 3, perMille: 0), Selection(first: 4, perMille: 999),
    ]
    static let endpoints: [Set<Endpoint>] =
        [[]] + Endpoint.allCases.filter { !$0.isSocket }.map { [$0] } + [[.listGoals, .showGoal, .createGoal]]

    /// Every kind of fault, place, selection and point.
    static let rules: [FaultRule] = {
        var faults: [Fault] = responses.map { .response($0, on: [.createGoal]) }
        faults += endpoints.map { .response(.hang, on: $0) } + handshakes.map { .handshake($0) }
        faults += sockets.map { .socket($0, at: .frames(.all)) } + points.map { .socket(.lose, at: $0) }
        faults +=
            selections.map { .socket(.lose, at: .frames($0)) }
            + selections.map { .socket(.lose, at: .type("pong", $0)) }
        faults += selections.map { .socket(.lose, at: .chunks($0, ofAnswer: 1)) }
        var rules = faults.map { FaultRule(name: "", fault: $0) }
        for fault in [Fault.response(.hang, on: []), .handshake(.hang), .socket(.lose, at: .byte(1))] {
            rules += selections.map { FaultRule(name: "", isEnabled: false, fault: fault, selection: $0) }
        }
        for socket in [Endpoint.webSocket, .mealSocket] {
            rules += [Fault.handshake(.hang), .socket(.lose, at: .byte(1))].map {
                FaultRule(name: "", fault: $0, of: socket, selection: .first(3))
            }
        }
        for index in rules.indices { rules[index].name = "rule \(index) \"\u{2028}\"" }
        return rules
    }()

    private static func text(_ rules: [FaultRule]) -> [UInt8] {
        JSONWriter.object { writer in
            writer.member("name", "a")
            writer.array("faults") { writer in
                for rule in rules { writer.object { rule.write(into: &$0) } }
            }
        }
    }

    @Test("Each fault round-trips as JSON and as YAML", arguments: rules)
    func roundTrip(_ rule: FaultRule) throws {
        let text = Self.text([rule])
        #expect(try Scenario.read(json: JSON.parse(text)).faults == [rule])
        // A comment makes it YAML.
        #expect(try Scenario.read(Array("# YAML\n".utf8) + text).faults == [rule])
    }

    @Test("A list of all faults round-trips")
    func all() throws { #expect(try Scenario.read(json: JSON.parse(Self.text(Self.rules))).faults == Self.rules) }

    @Test(
        "The writer produces the shortest notation for a fault",
        arguments: [
            FaultRule(name: "a", fault: .response(.delay(2_000_000_000), on: []), selection: .first(3)):
                #"{"name":"a","enabled":true,"on":"any","requests":"1..3","delay":"2s"}"#,
            FaultRule(name: "a", fault: .response(.reset(after: 0), on: [.showGoal, .listGoals])):
                #"{"name":"a","enabled":true,"on":["GET /api/v1/goals","GET /api/v1/goals/{goalId}"],"reset":true}"#,
            FaultRule(
                name: "a", fault: .socket(.close(code: nil, reason: ""), at: .chunks(.only(3), ofAnswer: 1)),
                selection: .only(1)):
                #"{"name":"a","enabled":true,"on":"socket","connections":1,"at":{"chunk":3,"answer":1},"close":"none"}"#,
            FaultRule(name: "a", fault: .handshake(.delay(1_500_000_000)), selection: Selection(first: 2, step: 2)):
                #"{"name":"a","enabled":true,"on":"handshake","connections":{"from":2,"every":2},"delay":"1500ms"}"#,
        ] as KeyValuePairs<FaultRule, String>)
    func brief(_ rule: FaultRule, _ expected: String) {
        #expect(String(decoding: JSONWriter.object { rule.write(into: &$0) }, as: UTF8.self) == expected)
    }
}
