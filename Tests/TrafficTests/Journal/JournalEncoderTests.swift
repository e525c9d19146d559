import FitIQAPI
import Foundation
import HTTP1
import HTTPTypes
import JSON
import Testing
import WebSocket

@testable import Traffic

@Suite("The JSON of an entry")
struct JournalEncoderTests {
    static let start = #"{"number":1,"time":"2025-01-29T10:30:00.000000000Z","connection":7,"kind":"#

    static let events: [(JournalEvent, String)] = [
        (
            .exchange(
                RecordedExchange(
                    head: JournalSample.head(
                        "POST /api/v1/goals?a=b", ["authorization: Bearer x", "X-API-Key: k", "A: 1", "A: 2"]),
                    body: Array(#"{"title" : "ü"}"#.utf8), requestedAt: JournalSample.time.advanced(byNanoseconds: -5),
                    endpoint: .createGoal, user: "alice", status: 201,
                    responseFields: .encoded(Array("Content-Type: application/json\r\nDate:  x: y \r\n".utf8)),
                    responseBody: Array(#"{"id":1}"#.utf8))),
            start
                + #""exchange","endpoint":"createGoal","user":"alice","requested_at":"2025-01-29T10:29:59.999999995Z","request":{"method":"POST","target":"/api/v1/goals?a=b","version":"1.1","fields":[{"name":"Host","value":"a"},{"name":"authorization","value":"Bearer x"},{"name":"X-API-Key","value":"k"},{"name":"A","value":"1"},{"name":"A","value":"2"}],"body":"{\"title\" : \"ü\"}"},"unknown_parameters":["a"],"response":{"status":201,"fields":[{"name":"Content-Type","value":"application/json"},{"name":"Date","value":"x: y "}],"body":"{\"id\":1}"}}"#
        ),
        (
            .exchange(
                RecordedExchange(
                    head: JournalSample.head("GET /health"), requestedAt: JournalSample.time, status: 503,
                    responseFields: .fields([.retryAfter: "2"]), responseBody: [0xFF, 0, 1], delivery: .partial,
                    faults: ["flaky", "cut"])),
            start
                + #""exchange","requested_at":"2025-01-29T10:30:00.000000000Z","request":{"method":"GET","target":"/health","version":"1.1","fields":[{"name":"Host","value":"a"}],"body":""},"response":{"status":503,"fields":[{"name":"Retry-After","value":"2"}],"body_base64":"/wAB"},"delivery":"partial","faults":["flaky","cut"]}"#
        ),
        (
            .exchange(
                RecordedExchange(
                    head: JournalSample.head("GET /a"), requestedAt: JournalSample.time, status: nil, delivery: .none,
                    faults: ["hang"])),
            start
                + #""exchange","requested_at":"2025-01-29T10:30:00.000000000Z","request":{"method":"GET","target":"/a","version":"1.1","fields":[{"name":"Host","value":"a"}],"body":""},"response":null,"delivery":"none","faults":["hang"]}"#
        ),
        (
            .exchange(
                JournalSample.created(
                    "g1",
                    by: RecordedExchange(
                        head: JournalSample.head("POST /a"), requestedAt: JournalSample.time, status: nil,
                        delivery: .none, faults: ["hang"]))),
            start
                + #""exchange","requested_at":"2025-01-29T10:30:00.000000000Z","request":{"method":"POST","target":"/a","version":"1.1","fields":[{"name":"Host","value":"a"}],"body":""},"response":null,"delivery":"none","faults":["hang"],"created":"g1"}"#
        ),
        (
            .opened(
                RecordedOpening(
                    head: JournalSample.head("GET /api/v1/consultations/x/ws?token=t"), requestedAt: JournalSample.time,
                    endpoint: .webSocket, user: "bob", responseFields: .fields([.upgrade: "websocket"]),
                    faults: ["late"])),
            start
                + #""opened","endpoint":"openSocket","user":"bob","requested_at":"2025-01-29T10:30:00.000000000Z","request":{"method":"GET","target":"/api/v1/consultations/x/ws?token=t","version":"1.1","fields":[{"name":"Host","value":"a"}]},"response":{"status":101,"fields":[{"name":"Upgrade","value":"websocket"}]},"faults":["late"]}"#
        ),
        (
            .frame(JournalSample.frame(.client, #"{"type":"ping"}"#)),
            start + #""frame","direction":"client_to_server","opcode":"text","payload":"{\"type\":\"ping\"}"}"#
        ),
        (
            .frame(
                RecordedFrame(
                    sender: .server, opcode: .binary, payload: Array("ab".utf8), delivery: .none, faults: ["lost"])),
            start
                + #""frame","direction":"server_to_client","opcode":"binary","payload_base64":"YWI=","delivery":"none","faults":["lost"]}"#
        ),
        (
            .frame(RecordedFrame(sender: .server, opcode: .text, payload: [0x41, 0xFF])),
            start + #""frame","direction":"server_to_client","opcode":"text","payload_base64":"Qf8="}"#
        ),
        (
            .frame(RecordedFrame(sender: .client, opcode: .close, payload: [0x03, 0xE8, 0x62])),
            start + #""frame","direction":"client_to_server","opcode":"close","code":1000,"reason":"b"}"#
        ),
        (
            .frame(RecordedFrame(sender: .client, opcode: .close, payload: [])),
            start + #""frame","direction":"client_to_server","opcode":"close"}"#
        ),
        (
            .frame(RecordedFrame(sender: .client, opcode: .ping, payload: [])),
            start + #""frame","direction":"client_to_server","opcode":"ping","payload":""}"#
        ),
        (
            .closed(
                RecordedClosing(
                    by: .client, cause: .closeFrame,
                    summary: CloseSummary(
                        sent: .init(code: .goingAway, reason: "bye"), received: .init(code: nil)))),
            start
                + #""closed","by":"client","cause":"close_frame","clean":true,"server_close":{"code":1001,"reason":"bye"},"client_close":{"reason":""}}"#
        ),
        (
            .closed(RecordedClosing(by: .server, cause: .fault, message: "why", faults: ["drop"])),
            start + #""closed","by":"server","cause":"fault","clean":false,"message":"why","faults":["drop"]}"#
        ),
        (
            .fault(RecordedFault(name: "f", effect: .withholdPong)),
            start + #""fault","fault":"f","effect":"withhold_pong"}"#
        ),
        (
            .clock(advancedBy: -26_000_000_000, isOfSystem: true),
            start + #""clock","advanced_by_ns":-26000000000,"of_system":true}"#
        ),
        (.clock(advancedBy: 26_000_000_000), start + #""clock","advanced_by_ns":26000000000}"#),
        (.note("a\nb"), start + #""note","text":"a\nb"}"#),
        (
            .held(
                RecordedHold(
                    breakpoint: "live-1", place: .response, sender: .server,
                    until: JournalSample.time.advanced(byNanoseconds: 30_000_000_000), subject: "201 POST /api/v1/goals"
                )),
            start
                + #""held","breakpoint":"live-1","place":"response","direction":"server_to_client","until":"2025-01-29T10:30:30.000000000Z","subject":"201 POST /api/v1/goals"}"#
        ),
        (
            .held(
                RecordedHold(
                    breakpoint: "b\n", place: .frame, sender: .client, until: JournalSample.time, subject: "text ping")),
            start
                + #""held","breakpoint":"b\n","place":"frame","direction":"client_to_server","until":"2025-01-29T10:30:00.000000000Z","subject":"text ping"}"#
        ),
        (
            .released(
                RecordedRelease(held: 57, breakpoint: "live-1", action: .continued, due: JournalSample.time)),
            start
                + #""released","held":57,"breakpoint":"live-1","action":"continued","due":"2025-01-29T10:30:00.000000000Z"}"#
        ),
        (
            .released(
                RecordedRelease(
                    held: 1, breakpoint: "live-1", action: .changed, due: JournalSample.time,
                    payload: RecordedBody(Array(#"{"type":"ping"}"#.utf8)))),
            start
                + #""released","held":1,"breakpoint":"live-1","action":"changed","due":"2025-01-29T10:30:00.000000000Z","payload":"{\"type\":\"ping\"}"}"#
        ),
        (
            .released(
                RecordedRelease(
                    held: 1, breakpoint: "live-1", action: .changed, due: JournalSample.time,
                    payload: RecordedBody([0xFF]))),
            start
                + #""released","held":1,"breakpoint":"live-1","action":"changed","due":"2025-01-29T10:30:00.000000000Z","payload_base64":"/w=="}"#
        ),
        (
            .released(
                RecordedRelease(
                    held: 1, breakpoint: "live-1", action: .changed, due: JournalSample.time, payload: RecordedBody())),
            start
                + #""released","held":1,"breakpoint":"live-1","action":"changed","due":"2025-01-29T10:30:00.000000000Z","payload":""}"#
        ),
    ]

    @Test("holds what happened, on one line", arguments: events.indices)
    func json(row: Int) throws {
        let (event, expected) = Self.events[row]
        let line = JournalSample.line(event)
        #expect(line == expected)
        #expect(!line.contains("\n"))
        _ = try JSON.parse(line)
    }

    @Test("names the world, and no connection where there is none")
    func world() {
        let line = JournalSample.line(.note("x"), encoder: JournalEncoder(world: "w\"1"), connection: 0)
        #expect(
            line == #"{"number":1,"time":"2025-01-29T10:30:00.000000000Z","world":"w\"1","kind":"note","text":"x"}"#)
    }

    @Test("numbers connections exactly", arguments: [1, UInt64(1) << 53 + 1, UInt64.max])
    func connection(number: UInt64) {
        #expect(JournalSample.line(.note("x"), connection: number).contains("\"connection\":\(number),"))
    }

    @Test(
        "has nine digits of a second's fraction",
        arguments: [
            (0, "1970-01-01T00:00:00.000000000Z"), (1, "1970-01-01T00:00:00.000000001Z"),
            (1_500_000_000, "1970-01-01T00:00:01.500000000Z"), (-1, "1969-12-31T23:59:59.999999999Z"),
            (-1_000_000_000, "1969-12-31T23:59:59.000000000Z"),
        ] as [(Int64, String)])
    func time(nanoseconds: Int64, expected: String) {
        #expect(Timestamp(nanosecondsSinceEpoch: nanoseconds).nanosecondText == expected)
    }

    @Test("says what was cut")
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

    @Test("shows the near misses of a request that matched nothing, in the mode of the world")
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

    @Test("comes as lines of NDJSON")
    func lines() throws {
        var journal = Journal()
        for text in ["a", "b"] { journal.record(.note(text), at: JournalSample.time) }
        var output = Array("# \n".utf8)
        for entry in journal.entries() { JournalEncoder().appendLine(entry, to: &output) }
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 4 && lines[0] == "# " && lines[3] == "")
        #expect(try lines[1...2].map { try JSON.parse(String($0))["text"]?.string } == ["a", "b"])
    }

    @Test("appends lines where the output is, without copying what stands before them")
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
