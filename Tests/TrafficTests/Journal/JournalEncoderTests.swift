import FitIQAPI
import Foundation
import HTTP1
import HTTPTypes
import JSON
import Testing
import WebSocket

@testable import Traffic

@Suite("An entry as JSON")
struct JournalEncoderTests {
    /// An event, the rest of its JSON after the common start, and its line after the time.
    struct Row: Sendable {
        let event: JournalEvent
        let json, line: String

        init(_ event: JournalEvent, _ json: String, line: String) {
            (self.event, self.json, self.line) = (event, JournalEncoderTests.start + json, "#1 +0.000 s  " + line)
        }
    }

    static let start = #"{"number":1,"time":"2025-01-29T10:30:00.000000000Z","connection":7,"kind":"#

    static let rows: [Row] = [
        Row(
            .exchange(
                RecordedExchange(
                    head: JournalSample.head(
                        "POST /api/v1/goals?a=b", ["authorization: Bearer x", "X-API-Key: k", "A: 1", "A: 2"]),
                    body: Array(#"{"title" : "ü"}"#.utf8), requestedAt: JournalSample.time.advanced(byNanoseconds: -5),
                    endpoint: .createGoal, user: "alice", status: 201,
                    responseFields: .encoded(Array("Content-Type: application/json\r\nDate:  x: y \r\n".utf8)),
                    responseBody: Array(#"{"id":1}"#.utf8))),
            #""exchange","endpoint":"createGoal","user":"alice","requested_at":"2025-01-29T10:29:59.999999995Z","request":{"method":"POST","target":"/api/v1/goals?a=b","version":"1.1","fields":[{"name":"Host","value":"a"},{"name":"authorization","value":"Bearer x"},{"name":"X-API-Key","value":"k"},{"name":"A","value":"1"},{"name":"A","value":"2"}],"body":"{\"title\" : \"ü\"}"},"unknown_parameters":["a"],"response":{"status":201,"fields":[{"name":"Content-Type","value":"application/json"},{"name":"Date","value":"x: y "}],"body":"{\"id\":1}"}}"#,
            line: #"→ POST /api/v1/goals?a=b {"title" : "ü"} → 201 {"id":1}"#),
        Row(
            .exchange(
                RecordedExchange(
                    head: JournalSample.head("GET /health"), requestedAt: JournalSample.time, status: 503,
                    responseFields: .fields([.retryAfter: "2"]), responseBody: [0xFF, 0, 1], delivery: .partial,
                    faults: ["flaky", "cut"])),
            #""exchange","requested_at":"2025-01-29T10:30:00.000000000Z","request":{"method":"GET","target":"/health","version":"1.1","fields":[{"name":"Host","value":"a"}],"body":""},"response":{"status":503,"fields":[{"name":"Retry-After","value":"2"}],"body_base64":"/wAB"},"delivery":"partial","faults":["flaky","cut"]}"#,
            line: "→ GET /health → 503 \u{FFFD}\u{FFFD}\u{FFFD} (delivered in part) [fault: flaky, cut]"),
        Row(
            .exchange(
                RecordedExchange(
                    head: JournalSample.head("GET /a"), requestedAt: JournalSample.time, status: nil, delivery: .none,
                    faults: ["hang"])),
            #""exchange","requested_at":"2025-01-29T10:30:00.000000000Z","request":{"method":"GET","target":"/a","version":"1.1","fields":[{"name":"Host","value":"a"}],"body":""},"response":null,"delivery":"none","faults":["hang"]}"#,
            line: "→ GET /a → no answer [fault: hang]"),
        Row(
            .exchange(
                JournalSample.created(
                    "g1",
                    by: RecordedExchange(
                        head: JournalSample.head("POST /a"), requestedAt: JournalSample.time, status: nil,
                        delivery: .none, faults: ["hang"]))),
            #""exchange","requested_at":"2025-01-29T10:30:00.000000000Z","request":{"method":"POST","target":"/a","version":"1.1","fields":[{"name":"Host","value":"a"}],"body":""},"response":null,"delivery":"none","faults":["hang"],"created":"g1"}"#,
            line: "→ POST /a → no answer [fault: hang]"),
        Row(
            .opened(
                RecordedOpening(
                    head: JournalSample.head("GET /api/v1/consultations/x/ws?token=t"), requestedAt: JournalSample.time,
                    endpoint: .webSocket, user: "bob", responseFields: .fields([.upgrade: "websocket"]),
                    faults: ["late"])),
            #""opened","endpoint":"openSocket","user":"bob","requested_at":"2025-01-29T10:30:00.000000000Z","request":{"method":"GET","target":"/api/v1/consultations/x/ws?token=t","version":"1.1","fields":[{"name":"Host","value":"a"}]},"response":{"status":101,"fields":[{"name":"Upgrade","value":"websocket"}]},"faults":["late"]}"#,
            line: "→ GET /api/v1/consultations/x/ws?token=t → 101 socket opened [fault: late]"),
        Row(
            .frame(JournalSample.frame(.client, #"{"type":"ping"}"#)),
            #""frame","direction":"client_to_server","opcode":"text","payload":"{\"type\":\"ping\"}"}"#,
            line: #"→ text {"type":"ping"}"#),
        Row(
            .frame(JournalSample.frame(.server, .binary, Array("ab".utf8), delivery: .none, faults: ["lost"])),
            #""frame","direction":"server_to_client","opcode":"binary","payload_base64":"YWI=","delivery":"none","faults":["lost"]}"#,
            line: "← binary, 2 bytes (not delivered) [fault: lost]"),
        Row(
            .frame(JournalSample.frame(.server, .text, [0x41, 0xFF])),
            #""frame","direction":"server_to_client","opcode":"text","payload_base64":"Qf8="}"#,
            line: "← text A\u{FFFD}"),
        Row(
            .frame(JournalSample.frame(.client, .close, [0x03, 0xE8, 0x62])),
            #""frame","direction":"client_to_server","opcode":"close","code":1000,"reason":"b"}"#,
            line: "→ close 1000 b"),
        Row(
            .frame(JournalSample.frame(.client, .close, [])),
            #""frame","direction":"client_to_server","opcode":"close"}"#, line: "→ close"),
        Row(
            .frame(JournalSample.frame(.client, .ping, [])),
            #""frame","direction":"client_to_server","opcode":"ping","payload":""}"#, line: "→ ping"),
        Row(
            .closed(
                RecordedClosing(
                    by: .client, cause: .closeFrame,
                    summary: CloseSummary(sent: .init(code: .goingAway, reason: "bye"), received: .init(code: nil)))),
            #""closed","by":"client","cause":"close_frame","clean":true,"server_close":{"code":1001,"reason":"bye"},"client_close":{"reason":""}}"#,
            line:
                "✕ socket ended by the client: close_frame, server's close frame 1001, client's close frame without a code"
        ),
        Row(
            .closed(RecordedClosing(by: .server, cause: .fault, message: "why", faults: ["drop"])),
            #""closed","by":"server","cause":"fault","clean":false,"message":"why","faults":["drop"]}"#,
            line: "✕ socket ended by the server: fault: why [fault: drop]"),
        Row(
            .fault(RecordedFault(name: "f", effect: .withholdPong)),
            #""fault","fault":"f","effect":"withhold_pong"}"#, line: "! fault f: withhold_pong"),
        Row(
            .clock(advancedBy: -26_000_000_000, isOfSystem: true),
            #""clock","advanced_by_ns":-26000000000,"of_system":true}"#, line: "the system clock was set back by 26 s"),
        Row(
            .clock(advancedBy: 26_000_000_000),
            #""clock","advanced_by_ns":26000000000}"#, line: "the clock was moved by 26 s"),
        Row(.note("a\nb"), #""note","text":"a\nb"}"#, line: "a b"),
        Row(
            .held(
                RecordedHold(
                    breakpoint: "live-1", place: .response, sender: .server,
                    until: JournalSample.time.advanced(byNanoseconds: 30_000_000_000), subject: "201 POST /api/v1/goals"
                )),
            #""held","breakpoint":"live-1","place":"response","direction":"server_to_client","until":"2025-01-29T10:30:30.000000000Z","subject":"201 POST /api/v1/goals"}"#,
            line: "‖ ← response held by live-1: 201 POST /api/v1/goals"),
        Row(
            .held(
                RecordedHold(
                    breakpoint: "b\n", place: .frame, sender: .client, until: JournalSample.time, subject: "text ping")),
            #""held","breakpoint":"b\n","place":"frame","direction":"client_to_server","until":"2025-01-29T10:30:00.000000000Z","subject":"text ping"}"#,
            line: "‖ → frame held by b : text ping"),
        Row(
            .released(JournalSample.release(of: 57, .continued)),
            #""released","held":57,"breakpoint":"live-1","action":"continued","due":"2025-01-29T10:30:00.000000000Z"}"#,
            line: "▷ #57 of live-1: continued"),
        Row(
            .released(JournalSample.release(of: 1, .changed, payload: Array(#"{"type":"ping"}"#.utf8))),
            #""released","held":1,"breakpoint":"live-1","action":"changed","due":"2025-01-29T10:30:00.000000000Z","payload":"{\"type\":\"ping\"}"}"#,
            line: #"▷ #1 of live-1: changed {"type":"ping"}"#),
        Row(
            .released(JournalSample.release(of: 1, .changed, payload: [0xFF])),
            #""released","held":1,"breakpoint":"live-1","action":"changed","due":"2025-01-29T10:30:00.000000000Z","payload_base64":"/w=="}"#,
            line: "▷ #1 of live-1: changed \u{FFFD}"),
        Row(
            .released(JournalSample.release(of: 1, .changed, payload: [])),
            #""released","held":1,"breakpoint":"live-1","action":"changed","due":"2025-01-29T10:30:00.000000000Z","payload":""}"#,
            line: "▷ #1 of live-1: changed"),
    ]

    @Test("The encoder writes each event as one line of JSON with all its data", arguments: rows.indices)
    func json(row: Int) throws {
        let line = JournalSample.line(Self.rows[row].event)
        #expect(line == Self.rows[row].json)
        #expect(!line.contains("\n"))
        _ = try JSON.parse(line)
    }

    @Test("A journal entry's JSON names the world and any connection")
    func world() {
        let line = JournalSample.line(.note("x"), encoder: JournalEncoder(world: "w\"1"), connection: 0)
        #expect(
            line == #"{"number":1,"time":"2025-01-29T10:30:00.000000000Z","world":"w\"1","kind":"note","text":"x"}"#)
    }

    @Test("The encoder writes connection numbers exactly", arguments: [1, UInt64(1) << 53 + 1, UInt64.max])
    func connection(number: UInt64) {
        #expect(JournalSample.line(.note("x"), connection: number).contains("\"connection\":\(number),"))
    }

    @Test(
        "The encoder writes times with nine fractional digits",
        arguments: [
            (0, "1970-01-01T00:00:00.000000000Z"), (1, "1970-01-01T00:00:00.000000001Z"),
            (1_500_000_000, "1970-01-01T00:00:01.500000000Z"), (-1, "1969-12-31T23:59:59.999999999Z"),
            (-1_000_000_000, "1969-12-31T23:59:59.000000000Z"),
        ] as [(Int64, String)])
    func time(nanoseconds: Int64, expected: String) {
        #expect(Timestamp(nanosecondsSinceEpoch: nanoseconds).nanosecondText == expected)
    }

    @Test("A journal entry's JSON marks truncated parts")
    func cut() throws {
        var limits = Journal.Limits()
        limits.body = 4
        var journal = Journal(limits: limits)
        journal.record(.frame(JournalSample.frame(.client, "123456")), at: JournalSample.time)
        let line = try JSON.parse(JournalEncoder().encode(journal.entries()[0]))
        #expect(line["payload"] == "1234" && line["payload_bytes"] == 6)
        #expect(line["payload_note"] == "The journal keeps the first 4 of 6 bytes.")
        let release = RecordedRelease(
            held: 1, breakpoint: "b", action: .changed, due: JournalSample.time,
            payload: RecordedBody(Array("12345".utf8)))
        journal.record(.released(release), at: JournalSample.time)
        let changed = try JSON.parse(JournalEncoder().encode(journal.entries()[1]))
        #expect(changed["payload"] == "1234" && changed["payload_bytes"] == 5)
        #expect(journal.byteCount == 8)
    }

    @Test("An unmatched request's JSON lists near misses in the world's mode")
    func nearMisses() throws {
        let event = JournalEvent.exchange(
            JournalSample.exchange("GET /w/abc/consultations/", status: 404, unmatched: .unknownPath))
        let line = try JSON.parse(JournalSample.line(event))
        #expect(line["unmatched"] == "unknown_path")
        let nearest = line["near_misses"]?[0]
        #expect(nearest?["endpoint"] == "listConsultations" && nearest?["method"] == "GET")
        #expect(nearest?["path"] == "/api/v1/consultations" && nearest?["score"] == 85)
        #expect(
            nearest?["differences"] == [
                "The path ends with a slash; leave it out.", "The path lacks the prefix /api/v1.",
            ])
        let inGoals = try JSON.parse(JournalSample.line(event, encoder: JournalEncoder(mode: .mealLogWebSocket)))
        #expect(inGoals["near_misses"]?[0]?["endpoint"] == "createConsultation")
    }

    @Test("The encoder writes entries as lines of NDJSON")
    func lines() throws {
        let journal = Journal(recording: ["a", "b"].map { text in .note(text) })
        var output = Array("# \n".utf8)
        for entry in journal.entries() { JournalEncoder().appendLine(entry, to: &output) }
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 4 && lines[0] == "# " && lines[3] == "")
        #expect(try lines[1...2].map { try JSON.parse(String($0))["text"]?.string } == ["a", "b"])
    }

    @Test("The encoder appends lines in place without copying earlier output")
    func inPlace() {
        var journal = Journal()
        for _ in 0..<8 { journal.record(.note("a"), at: JournalSample.time) }
        var output: [UInt8] = []
        output.reserveCapacity(64 * 1024)
        let place = output.withUnsafeBufferPointer { $0.baseAddress }
        for entry in journal.entries() { JournalEncoder().appendLine(entry, to: &output) }
        #expect(output.withUnsafeBufferPointer { $0.baseAddress } == place && output.capacity >= 64 * 1024)
    }
}

@Suite("Request traces")
struct TraceTests {
    static let id = "4bf92f3577b34da6a3ce929d0e0e4736"
    static let valid = "00-\(id)-00f067aa0ba902b7-01"

    private static func exchange(_ traceparent: String...) -> RecordedExchange {
        var exchange = JournalSample.exchange("GET /a")
        exchange.head = JournalSample.head("GET /a", traceparent.map { "traceparent: \($0)" })
        return exchange
    }

    @Test(
        "A traceparent names the trace",
        arguments: [
            valid, "00-\(id)-00f067aa0ba902b7-00", "fe-\(id)-00f067aa0ba902b7-ff", "01-\(id)-00f067aa0ba902b7-01-x",
        ])
    func named(_ traceparent: String) throws {
        let line = try JSON.parse(JournalSample.line(.exchange(Self.exchange(traceparent))))
        #expect(line["trace"]?.string == Self.id)
    }

    @Test(
        "Other values do not name a trace",
        arguments: [
            "", "00", id, "ff-\(id)-00f067aa0ba902b7-01", "00-\(id)-00f067aa0ba902b7-01-x",
            "00-\(id.uppercased())-00f067aa0ba902b7-01", "00-\(id)0-00f067aa0ba902b7-01", "00-\(id)-00f067aa0ba902b-01",
            "00-\(id)-0000000000000000-01", "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-\(id)-00f067aa0ba902b7-1", "0x-\(id)-00f067aa0ba902b7-01", "00-\(id)-00f067aa0ba902b7",
            "00--\(id)-00f067aa0ba902b7-01",
        ])
    func none(_ traceparent: String) throws {
        let line = try JSON.parse(JournalSample.line(.exchange(Self.exchange(traceparent))))
        #expect(line["trace"] == nil)
        #expect(line["request"]?["fields"]?.array?.last?["name"] == "traceparent")
    }

    @Test("A request with no traceparent or with two does not name a trace")
    func several() {
        #expect(TraceID.of(Self.exchange(Self.valid, Self.valid).head) == nil)
        #expect(TraceID.of(Self.exchange().head) == nil)
    }

    @Test("A trace condition finds the trace's requests and frames")
    func filter() throws {
        var journal = Journal()
        func record(_ event: JournalEvent, _ connection: UInt64) {
            journal.record(event, at: JournalSample.time, connection: connection)
        }
        record(.exchange(Self.exchange(Self.valid)), 1)
        record(.exchange(Self.exchange()), 1)
        let head = JournalSample.head("GET /ws", ["Traceparent: \(Self.valid)"])
        record(.opened(RecordedOpening(head: head, requestedAt: JournalSample.time)), 2)
        record(.frame(JournalSample.frame(.client, "a")), 2)
        record(.frame(JournalSample.frame(.client, "a")), 3)
        #expect(try journal.entries(JournalQuery(query: [("trace", Self.id)])).map(\.number) == [4, 3, 1])
        #expect(try journal.entries(JournalQuery(query: [("trace", "1" + Self.id.dropFirst())])).isEmpty)
        var filter = try TrafficFilter("trace=\(Self.id) kind=frame")
        #expect(journal.entries().filter { filter.matches($0) }.map(\.number) == [4])
    }

    @Test(
        "A query rejects an invalid trace id",
        arguments: [valid, String(id.dropLast()), id + "0", id.uppercased(), String(repeating: "0", count: 32)])
    func refused(_ value: String) {
        let refusal = APIError(.badRequest, .validationFailed, Messages.badTrace(value))
        #expect(throws: refusal) { try JournalQuery(query: [("trace", value)]) }
    }
}

@Suite("An entry on one line")
struct EntryLineTests {
    @Test("Each kind of entry prints as one line", arguments: JournalEncoderTests.rows.indices)
    func kinds(row: Int) {
        var journal = Journal()
        journal.record(JournalEncoderTests.rows[row].event, at: JournalSample.time, connection: 7)
        let line = EntryLine(journal.entries()[0], since: JournalSample.time).text
        #expect(line == JournalEncoderTests.rows[row].line)
    }

    @Test(
        "A journal line starts with its time",
        arguments: [
            (1_250_400_000, "#1 +1.250400000 s  x"), (-20_000_000, "#1 -0.020 s  x"),
            (999_999_999, "#1 +0.999999999 s  x"), (-1_000_000, "#1 -0.001 s  x"),
            (3_600_000_000_000, "#1 +3600.000 s  x"),
        ] as [(Int64, String)])
    func time(later: Int64, line: String) {
        var journal = Journal()
        journal.record(.note("x"), at: JournalSample.time.advanced(byNanoseconds: later))
        #expect(EntryLine(journal.entries()[0], since: JournalSample.time).text == line)
    }

    @Test("A journal line without a start time shows the time of day")
    func timeOfDay() {
        var journal = Journal()
        journal.record(.note("x"), at: JournalSample.time.advanced(byNanoseconds: 250_000_000))
        #expect(EntryLine(journal.entries()[0]).text == "#1 10:30:00.250  x")
    }
}

@Suite("Journal messages")
struct JournalMessagesTests {
    static let differences: KeyValuePairs<EndpointNearMiss.Difference, String> = [
        .missingPrefix: "The path lacks the prefix /api/v1.",
        .repeatedPrefix: "The path has the prefix /api/v1 twice: remove it from the base URL or from the path.",
        .emptySegment: "The path has two slashes in a row: a value between them is probably empty.",
        .trailingSlash: "The path ends with a slash; leave it out.",
        .segment(got: "gaols", expected: "goals"): "\"gaols\" should be \"goals\".",
        .segmentCase(got: "Goals", expected: "goals"): "\"Goals\" must be written \"goals\"; paths are case-sensitive.",
        .idCase(got: "AB"): "Ids are compared as text: lower-case \"AB\" (Swift's uuidString is upper case).",
        .malformedID(got: "1\n"): "\"1\\n\" is in the place of an id, but is not a lower-case UUID.",
        .missingSegment(expected: "{id}"): "\"{id}\" is missing.",
        .extraSegment(got: "x"): "\"x\" is one segment too many.",
        .method(got: "PUT", expected: "PATCH"): "The method is PUT, and the endpoint answers PATCH.",
    ]

    @Test("Each near miss has a message about its difference", arguments: differences.indices)
    func difference(row: Int) { #expect(Self.differences[row].0.sentence == Self.differences[row].1) }

    @Test("A message shortens long values")
    func long() {
        let sentence = EndpointNearMiss.Difference.extraSegment(got: String(repeating: "x", count: 500)).sentence
        #expect(sentence.count < 120)
    }

    @Test("An ignored subprotocol gets a hint unless the answer selects one")
    func subprotocol() {
        func hint(_ fields: [String], _ answer: HTTPFields) -> String? {
            RecordedOpening(
                head: JournalSample.head("GET /ws", fields), requestedAt: JournalSample.time, status: 101,
                responseFields: .fields(answer)
            ).hint
        }
        #expect(
            hint(["Sec-WebSocket-Protocol: chat, v2"], [.upgrade: "websocket"])
                == "The client offered the subprotocol \"chat, v2\", but the server supports none: the answer has no "
                + "Sec-WebSocket-Protocol. Browsers fail such a connection; offer no subprotocol.")
        #expect(hint(["Sec-WebSocket-Protocol: chat"], [.secWebSocketProtocol: "chat"]) == nil)
        #expect(hint([], [.upgrade: "websocket"]) == nil)
        let event = JournalEvent.opened(
            RecordedOpening(
                head: JournalSample.head("GET /ws", ["Sec-WebSocket-Protocol: chat"]), requestedAt: JournalSample.time,
                status: 101))
        let line = JournalSample.line(event, encoder: JournalEncoder())
        #expect(line.contains(#""hint":"The client offered the subprotocol"#))
    }

    @Test("Messages about truncation and statuses have the expected wording")
    func others() {
        #expect(Messages.cut(kept: 4, of: 6) == "The journal keeps the first 4 of 6 bytes.")
        #expect(
            Messages.badStatus("x")
                == "The parameter 'status' must be a status from 100 to 599, such as 404, or a status class, such as "
                + "4xx; got \"x\".")
        #expect(
            Messages.badTrace("x")
                == "The parameter 'trace' must be a trace id: 32 lower-case hexadecimal digits that are not all 0, as "
                + "in the second part of the field 'traceparent'; got \"x\".")
    }
}
