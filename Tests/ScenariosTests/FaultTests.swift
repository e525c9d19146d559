import Faults
import FitIQAPI
import JSON
import Testing

@testable import Scenarios

@Suite("Reading: faults")
struct FaultTests {
    static func rules(_ fault: String) throws -> [FaultRule] {
        try Scenario.read("name: a\nfaults:\n  - \(fault)").faults
    }

    @Test(
        "The reader reads response faults",
        arguments: [
            "status: 503": .replace(Replacement(status: 503)),
            "{status: 500, body: '{}', content_type: text/plain, retry_after: 2, processed: true}":
                .replace(
                    Replacement(status: 500, body: "{}", contentType: "text/plain", retryAfter: 2, isProcessed: true)),
            "{status: 409, code: C, message: M, retry_after: 1m}":
                .replace(Replacement(status: 409, code: "C", message: "M", retryAfter: 60)),
            "{quota: {requests: 5, per: 10s}, retry_after: 3}":
                .quota(requests: 5, window: 10_000_000_000, Replacement(status: 429, retryAfter: 3)),
            "{quota: {requests: 0, per: 1h}, status: 503, content_type: a/b, body: x}":
                .quota(requests: 0, window: 3_600_000_000_000, Replacement(status: 503, body: "x", contentType: "a/b")),
            "delay: 2s": .delay(2_000_000_000),
            "dribble: {bytes: 16, every: 100ms}": .dribble(bytes: 16, every: 100_000_000),
            "truncate: {after: 20}": .truncate(after: 20), "content_length: 10": .contentLength(off: 10),
            "content_length: -3": .contentLength(off: -3), "malformed: json": .malformedJSON,
            "malformed: chunking": .malformedChunking, "empty_reply: true": .emptyReply,
            "reset: true": .reset(after: 0), "reset: {after: 30}": .reset(after: 30), "hang: true": .hang,
            "content_type: application/json": .contentType("application/json"), "content_type: null": .contentType(nil),
            "content_type:": .contentType(nil), "nanosecond_timestamps: true": .nanosecondTimestamps,
            "compression: wrong-length": .compression(.wrongLength),
        ] as KeyValuePairs<String, ResponseFault>)
    func responses(_ yaml: String, _ expected: ResponseFault) throws {
        let isFlow = yaml.hasPrefix("{")
        let text = isFlow ? "{on: any, " + yaml.dropFirst() : "on: any\n    \(yaml)"
        #expect(try Self.rules(text) == [FaultRule(name: "fault-1", fault: .response(expected, on: []))])
    }

    @Test(
        "The reader reads handshake faults",
        arguments: [
            ("status: 503, retry_after: 1", .replace(Replacement(status: 503, retryAfter: 1))),
            ("delay: 2s", .delay(2_000_000_000)), ("wrong_accept: true", .wrongAccept),
            ("compression: declined", .compression(.declined)),
            ("empty_reply: true", .emptyReply), ("reset: true", .reset(after: 0)), ("hang: true", .hang),
        ] as [(String, ResponseFault)])
    func handshakes(_ yaml: String, _ expected: ResponseFault) throws {
        #expect(
            try Self.rules("{on: handshake, connections: 1, \(yaml)}")
                == [FaultRule(name: "fault-1", fault: .handshake(expected), selection: .only(1))])
    }

    @Test(
        "The reader reads socket faults",
        arguments: [
            ("close: 1011", .close(code: 1011, reason: "")), ("close: none", .close(code: nil, reason: "")),
            ("close: {code: 4000, reason: Bye}", .close(code: 4000, reason: "Bye")), ("finish: true", .finish),
            ("reset: true", .reset), ("silence: true", .silence), ("cut: {after: 5}", .cut(after: 5, reset: false)),
            ("cut: {after: 5, reset: true}", .cut(after: 5, reset: true)), ("masked: true", .masked),
            ("reserved_bits: 4", .reservedBits(4)), ("invalid_utf8: true", .invalidUTF8),
            ("fragments: [3, 7]", .fragments(at: [3, 7])), ("coalesce: 3", .coalesce(count: 3)),
            ("binary: true", .binary), ("lose: true", .lose), ("double: true", .double), ("swap: true", .swap),
            ("delay: 2s", .delay(2_000_000_000)),
            ("dribble: {bytes: 1, every: 1ms}", .dribble(bytes: 1, every: 1_000_000)),
            (#"replace: '{"type": "x"}'"#, .replace(text: #"{"type": "x"}"#)), ("insert: '{}'", .insert(text: "{}")),
            ("nanosecond_timestamps: true", .nanosecondTimestamps), ("withhold_pong: true", .withholdPong),
            ("compression: undeclared", .compression(.undeclared)),
            ("compression: forgotten", .compression(.forgotten)), ("stall_reading: true", .stallReading),
            ("escape: true", .escape), ("end: {how: finish}", .end(.finish, after: 0)),
            ("end: {how: silence, after: 0s}", .end(.silence, after: 0)),
            ("end: {how: reset, after: 20s}", .end(.reset, after: 20_000_000_000)),
            ("end: {how: reset, after: 1h}", .end(.reset, after: FaultLimits.longestWait)),
        ] as [(String, SocketFault)])
    func sockets(_ yaml: String, _ expected: SocketFault) throws {
        #expect(
            try Self.rules("{on: socket, \(yaml)}")
                == [FaultRule(name: "fault-1", fault: .socket(expected, at: .frames(.all)))])
    }

    @Test("The reader rejects a close reason of more than 123 bytes", arguments: [123, 124])
    func closeReason(count: Int) {
        let reason = String(repeating: "x", count: count)
        let rules = try? Self.rules("{on: socket, close: {code: 4000, reason: \(reason)}}")
        let rule = FaultRule(name: "fault-1", fault: .socket(.close(code: 4000, reason: reason), at: .frames(.all)))
        #expect(rules == (count == 123 ? [rule] : nil))
    }

    @Test(
        "The reader reads faults at a point in a connection",
        arguments: [
            ("frame: 3", .frames(.only(3))), ("frame: 2..4", .frames(Selection(first: 2, last: 4))),
            ("frame: 2..", .frames(Selection(first: 2))), ("type: pong", .type("pong", .all)),
            ("frame: 2..2", .frames(.only(2))), ("frame: {from: 2, to: 2}", .frames(.only(2))),
            ("type: meal_log.failed, n: 2", .type("meal_log.failed", .only(2))),
            ("chunk: 3", .chunks(.only(3), ofAnswer: nil)), ("chunk: 1.., answer: 2", .chunks(.all, ofAnswer: 2)),
            ("byte: 100", .byte(100)),
            ("frame: {from: 2, every: 3, per_mille: 10}", .frames(Selection(first: 2, step: 3, perMille: 10))),
        ] as [(String, SocketPoint)])
    func points(_ yaml: String, _ expected: SocketPoint) throws {
        #expect(
            try Self.rules("{on: socket, lose: true, at: {\(yaml)}}")
                == [FaultRule(name: "fault-1", fault: .socket(.lose, at: expected))])
    }

    @Test("The reader reads names, switches, endpoints and selections")
    func rules() throws {
        let scenario = try Scenario.read(
            """
            name: a
            faults:
              - {name: flaky, enabled: false, on: POST /api/v1/consultations, requests: 1..3, hang: true}
              - on: [GET /api/v1/goals, "GET /api/v1/goals/{goalId}"]
                requests: {from: 1, to: 9, every: 2}
                hang: true
            """)
        #expect(
            scenario.faults == [
                FaultRule(
                    name: "flaky", isEnabled: false, fault: .response(.hang, on: [.createConsultation]),
                    selection: .first(3)),
                FaultRule(
                    name: "fault-2", fault: .response(.hang, on: [.listGoals, .showGoal]),
                    selection: Selection(first: 1, last: 9, step: 2)),
            ])
    }

    @Test(
        "The reader and the writer support breakpoints",
        arguments: [
            ("on: any, hold: request", #""on":"any","hold":"request""#, Hold(fromClient: true)),
            ("on: any, hold: {what: response}", #""on":"any","hold":"response""#, Hold(fromServer: true)),
            (
                "on: handshake, hold: {what: request, for: 30s}", #""on":"handshake","hold":"request""#,
                Hold(fromClient: true)
            ),
            (
                "on: socket, hold: {what: both, text: Run, for: 1ms}",
                #""on":"socket","hold":{"what":"both","text":"Run","for":"1ms"}"#,
                Hold(fromClient: true, fromServer: true, text: "Run", time: 1_000_000)
            ),
            (
                "on: socket, at: {type: message}, hold: {what: client_to_server, for: 1h}",
                #""on":"socket","at":{"type":"message"},"hold":{"what":"client_to_server","for":"1h"}"#,
                Hold(fromClient: true, time: FaultLimits.longestWait)
            ),
            (
                "on: socket, at: {chunk: 2}, hold: server_to_client",
                #""on":"socket","at":{"chunk":2},"hold":"server_to_client""#, Hold(fromServer: true)
            ),
        ])
    func breakpoints(_ yaml: String, _ json: String, _ hold: Hold) throws {
        let rule = try #require(try Self.rules("{\(yaml)}").first)
        switch rule.fault {
        case .response(let fault, _), .handshake(let fault): #expect(fault == .hold(hold))
        case .socket(let fault, _): #expect(fault == .hold(hold))
        }
        let written = String(decoding: JSONWriter.object { rule.write(into: &$0) }, as: UTF8.self)
        #expect(written == #"{"name":"fault-1","enabled":true,"# + json + "}")
        #expect(try Self.rules(written) == [rule])
    }

    @Test(
        "The reader rejects invalid breakpoints",
        arguments: [
            "on: any, hold: client", "on: any, hold: client_to_server", "on: any, hold: both",
            "on: handshake, hold: response", "on: socket, hold: request", "on: any, hold: true", "on: any, hold: {}",
            "on: any, hold: {what: request, for: 999us}", "on: any, hold: {what: request, for: 3601s}",
            "on: any, hold: {what: request, text: ''}", "on: any, hold: {what: request, controller: me}",
            "on: socket, at: {chunk: 1}, hold: client_to_server", "on: socket, at: {byte: 1}, hold: both",
            "on: socket, at: {type: message}, hold: server_to_client", "on: socket, at: {type: message}, lose: true",
            "on: any, hold: request, delay: 1s",
        ])
    func badBreakpoints(_ yaml: String) { #expect(throws: ScenarioErrors.self) { try Self.rules("{\(yaml)}") } }

    static let targets: KeyValuePairs<FaultPlace, String> = [
        .response: "any", .handshake: "handshake", .socket: "socket",
    ]

    @Test("The reader accepts each action only in its permitted places")
    func actionsHavePlaces() throws {
        let values = [
            "status": "500", "quota": "{requests: 1, per: 1s}", "delay": "1s", "dribble": "{bytes: 1, every: 1s}",
            "truncate": "{after: 1}", "content_length": "1", "malformed": "json", "content_type": "a/b",
            "close": "1000", "cut": "{after: 1}", "reserved_bits": "1", "fragments": "[1]", "coalesce": "2",
            "replace": "x", "insert": "x", "end": "{how: reset}",
        ]
        let holds: [FaultPlace: String] = [.response: "request", .handshake: "request", .socket: "both"]
        for action in FaultAction.all {
            for (place, target) in Self.targets {
                let value =
                    switch action.key {
                    case "hold": holds[place]
                    case "compression": place == .handshake ? "declined" : "undeclared"
                    case let key: values[key]
                    }
                let rule = "{on: \(target), \(action.key): \(value ?? "true")}"
                let isRead = (try? Self.rules(rule)) != nil
                #expect(isRead == action.places.contains(place), "\(rule)")
            }
        }
    }
}
