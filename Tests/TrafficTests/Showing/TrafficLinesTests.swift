import FitIQAPI
import HTTP1
import JSON
import Testing
import WebSocket

@testable import Traffic

@Suite("Printing traffic line by line")
struct TrafficLinesTests {
    static func entry(_ event: JournalEvent, number: Int = 12, after milliseconds: Int64 = 0) -> JournalEntry {
        JournalEntry(
            number: number, time: JournalSample.time.advanced(byNanoseconds: milliseconds * 1_000_000), connection: 7,
            event: event)
    }

    private static func closing(
        _ party: Party, _ cause: RecordedClosing.Cause, sent: CloseSummary.Frame? = nil,
        received: CloseSummary.Frame? = nil, message: String? = nil, faults: [String] = []
    ) -> JournalEvent {
        let summary = CloseSummary(sent: sent, received: received)
        return .closed(RecordedClosing(by: party, cause: cause, summary: summary, message: message, faults: faults))
    }

    private static func exchange(
        _ line: String, status: Int?, _ change: (inout RecordedExchange) -> Void = { _ in }
    ) -> JournalEvent {
        var exchange = JournalSample.exchange(line, status: status, answer: status == nil ? "" : "{}")
        change(&exchange)
        return .exchange(exchange)
    }

    private static func frame(
        _ sender: Party, _ text: String, _ opcode: Opcode = .text, delivery: Delivery = .complete, faults: [String] = []
    ) -> JournalEvent { .frame(JournalSample.frame(sender, text, opcode, delivery: delivery, faults: faults)) }

    private static let id = "910a2dec-8902-4cc1-beeb-8da1658eec67"

    static let table: KeyValuePairs<JournalEvent, String> = [
        exchange("GET /api/v1/goals", status: 200): "  200      0 ms       2 B  GET  /api/v1/goals",
        exchange("POST /api/v1/goals?a=1", status: 409) {
            $0.responseBody = RecordedBody(Array(#"{"error":{"code":"GOAL_EXISTS","message":"It does."}}"#.utf8))
            $0.requestedAt = JournalSample.time.advanced(byNanoseconds: -2_500_000)
        }:
            "  409    2.5 ms      53 B  POST /api/v1/goals?a=1  GOAL_EXISTS",
        exchange("DELETE /x", status: nil) {
            $0.delivery = .none
            $0.faults = ["hang", "late"]
        }:
            "    —      0 ms            DELETE /x  (no answer) [fault: hang, late]",
        exchange("GET /x", status: 200) { $0.delivery = .partial }:
            "  200      0 ms       2 B  GET  /x  (the answer was cut off)",
        .opened(
            RecordedOpening(
                head: JournalSample.head("GET /ws?token=t"),
                requestedAt: JournalSample.time.advanced(byNanoseconds: -3_000_000), faults: ["slow"])):
            "  101    3.0 ms       ws7  WS   /ws?token=t [fault: slow]",
        frame(.server, #"{"type":"connected"}"#): #"    ← ws7 {"type":"connected"}"#,
        frame(.client, "", .ping): "    → ws7 ping",
        frame(.client, "\u{0}\u{1}", .binary): "    → ws7 binary, 2 bytes: 00 01",
        frame(.server, "abc", delivery: .partial, faults: ["cut"]): "    ← ws7 abc (cut off) [fault: cut]",
        frame(.server, "abc", delivery: .none, faults: ["lost"]): "    ← ws7 abc (not delivered) [fault: lost]",
        frame(.server, #"{"type":"stream_chunk","consultation_id":"\#(id)","content":"Hello, you there and here"}"#):
            #"    ← ws7 {"type":"stream_chunk","consultation_id":"910a2dec…","content":"Hello, you th…"#,
        closing(.client, .closeFrame, received: .init(code: .normalClosure, reason: "bye")):
            #"    × ws7 closed by the client: close 1000 "bye""#,
        closing(.server, .closeFrame, sent: .init(code: nil, reason: ""), faults: ["close"]):
            "    × ws7 closed by the server: close [fault: close]",
        closing(.server, .reset): "    × ws7 reset by the server",
        closing(.client, .finish): "    × ws7 ended by the client without a close frame",
        closing(.client, .timeOut, message: "No pong for 75 s."):
            "    × ws7 ended by the client (time out): No pong for 75 s.",
        .fault(RecordedFault(name: "dead", effect: .withholdPong)): "    ! ws7 withhold_pong [fault: dead]",
        .held(
            RecordedHold(
                breakpoint: "live-1", place: .response, sender: .server,
                until: JournalSample.time.advanced(byNanoseconds: 30_000_000_000), subject: "201 POST /g")):
            "    ‖ #12 response from the server held by live-1 until 10:30:30.000: 201 POST /g",
        .released(
            RecordedRelease(
                held: 11, breakpoint: "live-1", action: .changed,
                due: JournalSample.time.advanced(byNanoseconds: -2_500_000_000))):
            "    ▷ #11 changed 2.500 s after it was due (live-1)",
        .clock(advancedBy: -1_500_000_000, isOfSystem: true): "    » the system clock was set back by 1.5 s",
        .clock(advancedBy: 1_500_000_000): "    » the clock moved by 1.5 s",
        .note("The state was imported"): "    · The state was imported",
    ]

    @Test("Each event prints as its line", arguments: table)
    func line(event: JournalEvent, line: String) {
        #expect(TrafficLines(width: 100).lines(of: Self.entry(event)) == ["10:30:00.000" + line])
    }

    @Test("A line names a world other than the default")
    func world() {
        let lines = TrafficLines()
        func end(_ event: JournalEvent) -> String {
            lines.lines(of: Self.entry(event), in: "w1").map { String($0.dropFirst(12)) }.joined(separator: "|")
        }
        #expect(end(Self.exchange("GET /w/w1/x", status: 200)) == "  200      0 ms       2 B  [w1] GET  /w/w1/x")
        #expect(end(Self.frame(.client, "a")) == "    → [w1] ws7 a")
        #expect(end(.note("n")) == "    · [w1] n")
        #expect(
            lines.line(of: .init(obligation: "a/b", level: "must", message: "No.", entries: [1]), in: "w\u{1B}")
                == "                ✗ [w\\x1B] must a/b: No. (#1)")
    }

    @Test("A breach prints as a complete sentence with its entries")
    func breach() {
        let lines = TrafficLines(width: 60)
        let long = String(repeating: "word ", count: 100)
        #expect(
            lines.line(
                of: .init(obligation: "ids/lowercase", level: "must", message: "\u{9B}" + long, entries: [3, 5]))
                == "                ✗ must ids/lowercase: \\x9B\(long) (#3 and #5)")
        #expect(
            lines.line(of: .init(obligation: "a/b", level: "should", message: "Hm.", entries: []))
                == "                ✗ should a/b: Hm.")
    }

    @Test("Bodies print in full below their lines")
    func bodies() {
        let lines = TrafficLines(width: 60, showsBodies: true)
        let long = String(repeating: "a", count: 200)
        let exchange = JournalSample.exchange("POST /x", status: 200, body: #"{"a":1}"#, answer: long + "\u{7}")
        #expect(
            Array(lines.lines(of: Self.entry(.exchange(exchange))).dropFirst()) == [
                "              → {", #"                  "a": 1"#, "                }", "              ← \(long)\\x07",
            ])
        let frame = lines.lines(of: Self.entry(Self.frame(.server, #"{"a":"\#(long)"}"#, faults: ["x"])))
        #expect(frame.map { String($0.dropFirst(12)) }.first == "    ← ws7 { [fault: x]")
        #expect(frame.dropFirst() == [#"                    "a": "\#(long)""#, "                  }"])
        #expect(lines.lines(of: Self.entry(Self.frame(.server, "", .ping))).count == 1)
        // Only the length of an unrecorded body is known.
        var unkept = exchange
        (unkept.body, unkept.responseBody) = (RecordedBody([]), RecordedBody([], of: 9))
        #expect(
            lines.lines(of: Self.entry(.exchange(unkept))).dropFirst() == ["              ← \(Messages.moreBytes(9))"])
    }

    @Test(
        "Optional colours show the status, the direction and the level",
        arguments: [
            (exchange("GET /", status: 201), "\u{1B}[32m201\u{1B}[0m"),
            (exchange("GET /", status: 404), "\u{1B}[33m404\u{1B}[0m"),
            (exchange("GET /", status: 500), "\u{1B}[31m500\u{1B}[0m"),
            (exchange("GET /", status: nil), "\u{1B}[31m  —\u{1B}[0m"),
            (frame(.client, "a"), "\u{1B}[36m  →\u{1B}[0m"), (frame(.server, "a"), "\u{1B}[35m  ←\u{1B}[0m"),
            (frame(.server, "a", faults: ["x"]), "\u{1B}[33m  ←\u{1B}[0m"), (.note("a"), "  ·"),
        ] as [(JournalEvent, String)])
    func colours(event: JournalEvent, start: String) {
        let coloured = TrafficLines(usesColor: true).lines(of: Self.entry(event))
        #expect(coloured.first?.dropFirst(14).hasPrefix(start + " ") ?? false, "\(coloured)")
        let plain = TrafficLines().lines(of: Self.entry(event))
        #expect(coloured.map { $0.replacing(#/\x1B\[[0-9;]*m/#, with: "") } == plain)
        #expect(!plain.joined().contains("\u{1B}"))
    }

    @Test("A breach of a `must` prints in red, and a breach of a `should` prints in yellow")
    func coloursOfBreaches() {
        let lines = TrafficLines(usesColor: true)
        for (level, code) in [("must", "1;31"), ("should", "33")] {
            let line = lines.line(of: .init(obligation: "a/b", level: level, message: "No.", entries: []))
            #expect(line == "\u{1B}[\(code)m                ✗ \(level) a/b: No.\u{1B}[0m")
        }
    }

    @Test(
        "Traffic lines fit the width and have no control characters",
        arguments: TimelineTests.hostileTexts, [59, 60, 100])
    func keepsToTheLine(_ text: String, _ width: Int) {
        var exchange = JournalSample.exchange("GET /x", status: 400, body: text)
        exchange.responseBody = RecordedBody(
            JSONWriter.object { writer in
                writer.object("error") { $0.member("code", text) }
            })
        exchange.faults = [text]
        let events: [JournalEvent] = [
            .exchange(exchange), Self.frame(.server, text, faults: [text]), Self.frame(.client, text, .ping),
            Self.frame(.client, text, .binary),
            Self.closing(.server, .fault, sent: .init(code: .normalClosure, reason: text), message: text),
            .fault(RecordedFault(name: text, effect: .silence)), .note(text),
            .held(
                RecordedHold(breakpoint: text, place: .frame, sender: .client, until: JournalSample.time, subject: text)
            ),
            .released(RecordedRelease(held: 1, breakpoint: text, action: .expired, due: JournalSample.time)),
        ]
        for showsBodies in [false, true] {
            let lines = TrafficLines(width: width, showsBodies: showsBodies)
            for event in events {
                let shown = lines.lines(of: Self.entry(event), in: text)
                for scalar in shown.joined().unicodeScalars {
                    #expect(
                        scalar.properties.generalCategory != .control && scalar.properties.generalCategory != .format,
                        "U+\(String(scalar.value, radix: 16))")
                }
                guard !showsBodies else { continue }
                #expect(shown.count == 1 && shown[0].unicodeScalars.count <= max(width, 60), "\(shown)")
            }
        }
    }
}

@Suite("Filters for live traffic")
struct TrafficFilterTests {
    private static let goals = JournalSample.exchange(
        "POST /api/v1/goals", status: 409, user: "alice", body: #"{"title":"Run far"}"#)
    private static let chunk = JournalSample.frame(.server, #"{"type":"stream_chunk","content":"Olá"}"#)

    static let table: [(filter: String, event: JournalEvent, matches: Bool)] = [
        ("", .exchange(goals), true), ("  ", .frame(chunk), true),
        ("status=409", .exchange(goals), true), ("status=4xx", .exchange(goals), true),
        ("status=200", .exchange(goals), false), ("status=409", .frame(chunk), false),
        ("method=post path=/goals", .exchange(goals), true), ("user=alice", .exchange(goals), true),
        ("user=Alice", .exchange(goals), false), ("kind=frame", .frame(chunk), true),
        ("kind=held", .frame(chunk), false), ("type=stream_chunk", .frame(chunk), true),
        ("type=stream", .frame(chunk), false), ("direction=server_to_client", .frame(chunk), true),
        ("connection=7", .frame(chunk), true), ("connection=8", .frame(chunk), false),
        // The filter's words must occur in the line or the bodies.
        ("run", .exchange(goals), true), ("RUN 409", .exchange(goals), true), ("run 404", .exchange(goals), false),
        ("OLÁ", .frame(chunk), true), ("ws7", .frame(chunk), true), ("status=4xx run", .exchange(goals), true),
        ("status=4xx walk", .exchange(goals), false), ("?page=2", .exchange(goals), false),
        (#""title":"run"#, .exchange(goals), true),
        // The page's conditions.
        ("chunks=hide", .frame(chunk), false), ("chunks=hide", .exchange(goals), true),
        ("chunks=show pings=show verdict=broken", .frame(chunk), true), ("fault=any", .frame(chunk), false),
        ("fault=any", .fault(RecordedFault(name: "late", effect: .silence)), true),
        ("fault=late", .closed(RecordedClosing(by: .server, cause: .reset, faults: ["cut", "late"])), true),
        ("fault=lat", .closed(RecordedClosing(by: .server, cause: .reset, faults: ["cut", "late"])), false),
    ]

    @Test("An answer's chunks fold into one line before the frame that ends the answer")
    func folding() {
        var folds = ChunkFolds()
        func lines(_ text: String, of socket: UInt64 = 7, at second: Int64 = 0, _ faults: [String] = []) -> [String] {
            var frame = JournalSample.frame(.server, text)
            frame.faults = faults
            let time = Timestamp(secondsSinceEpoch: 1_738_146_600 + second)
            return folds.lines(
                of: JournalEntry(number: 1, time: time, connection: socket, event: .frame(frame)), by: TrafficLines())
        }
        #expect(lines(#"{"type":"stream_chunk","content":"Olá"}"#) == [])
        #expect(lines(#"{"type":"assistant_message_chunk","chunk":"Hi"}"#, of: 8) == [])
        #expect(lines(#"{"type":"pong"}"#) == [#"10:30:00.000    ← ws7 {"type":"pong"}"#])
        #expect(lines(#"{"type":"stream_chunk","content":", Ana"}"#, at: 2, ["late"]) == [])
        #expect(
            lines(#"{"type":"stream_complete"}"#, at: 3) == [
                "10:30:00.000    ← ws7 stream_chunk × 2, 81 B, 2.000 s: Olá, Ana [fault: late]",
                #"10:30:03.000    ← ws7 {"type":"stream_complete"}"#,
            ])
        #expect(
            folds.finish(by: TrafficLines()).map { $0.dropFirst(18) } == [
                "ws8 assistant_message_chunk × 1, 47 B, 0 ms: Hi"
            ])
        #expect(folds.finish(by: TrafficLines()) == [])
    }

    @Test(
        "A filter folds chunks unless it has a condition on single frames",
        arguments: [
            ("", true), ("path=/ws pings=show", true), ("kind=frame", false), ("chunks=show", false),
            ("type=stream_chunk", false), ("fault=any", false), ("Olá", false),
        ])
    func folds(filter: String, folds: Bool) throws { #expect(try TrafficFilter(filter).foldsChunks == folds) }

    @Test("A filter combines journal conditions and words", arguments: table)
    func matches(filter: String, event: JournalEvent, matches: Bool) throws {
        var filter = try TrafficFilter(filter)
        #expect(filter.matches(TrafficLinesTests.entry(event)) == matches)
    }

    @Test(
        "Text that is not an entry matches words but no conditions",
        arguments: [
            ("", true), ("run FAR", true), ("run walk", false), ("status=409", false), ("status=409 run", false),
        ])
    func text(filter: String, matches: Bool) throws {
        #expect(try TrafficFilter(filter).matches(text: "Run far away") == matches)
    }

    @Test(
        "The error for an invalid filter says what is wrong",
        arguments: [
            ("stats=4xx", "stats"), ("status=x", "status"), ("status=200 status=201", "status"), ("limit=5", "limit"),
            ("since=5", "since"), ("kind=", "kind"), ("chunks=fold", "chunks"), ("pings=hide", "pings"),
            ("fualt=any", "'fault'"),
        ])
    func mistake(filter: String, name: String) {
        let error = #expect(throws: APIError.self) { try TrafficFilter(filter) }
        #expect(error?.message.contains(name) ?? false, "\(error?.message ?? "")")
    }

    @Test("A filter for an unknown obligation is invalid if the obligations are known")
    func verdicts() throws {
        let ids = ["ids/lowercase", "retry/backoff-on-5xx"]
        for (verdict, near) in [("brokn", "broken"), ("ids/lowercas", "ids/lowercase")] {
            let error = #expect(throws: APIError.self) { try TrafficFilter("verdict=\(verdict)", obligations: ids) }
            #expect(
                error?.message
                    == "'verdict' must be broken or an obligation's id; got \"\(verdict)\". Did you mean '\(near)'?")
        }
        for verdict in ids + ["broken"] { _ = try TrafficFilter("verdict=\(verdict)", obligations: ids) }
        #expect(try TrafficFilter("verdict=new/one").selects(breachOf: "new/one"))
    }

    @Test("Frames match by their socket's opening until it ends or its world restarts")
    func sockets() throws {
        var filter = try TrafficFilter("path=/ws/b")
        func matches(_ event: JournalEvent) -> Bool { filter.matches(TrafficLinesTests.entry(event)) }
        func open(_ path: String) -> JournalEvent {
            .opened(RecordedOpening(head: JournalSample.head("GET \(path)"), requestedAt: JournalSample.time))
        }
        #expect(!matches(.frame(Self.chunk)))
        #expect(!matches(open("/ws/a")) && !matches(.frame(Self.chunk)))
        #expect(matches(open("/ws/b")) && matches(.frame(Self.chunk)))
        #expect(matches(.closed(RecordedClosing(by: .client, cause: .finish))))
        #expect(!matches(.frame(Self.chunk)))
        #expect(matches(open("/ws/b")))
        filter.forgetSockets()
        #expect(!matches(.frame(Self.chunk)))
    }

    @Test("A message with more content does not count as a ping or pong")
    func pings() {
        let pings: [RecordedFrame] = [
            RecordedFrame(sender: .client, opcode: .ping, payload: []),
            RecordedFrame(sender: .server, opcode: .pong, payload: [1]),
            JournalSample.frame(.client, #"{"type":"ping"}"#),
            JournalSample.frame(.server, #"{"type":"pong","timestamp":"2025-01-29T10:30:00Z"}"#),
        ]
        for frame in pings { #expect(JournalEvent.frame(frame).isPing) }
        let others = [
            Self.chunk, JournalSample.frame(.client, "ping"), JournalSample.frame(.client, #"["ping"]"#),
            JournalSample.frame(.client, #"{"type":"ping","content":"\#(String(repeating: "a", count: 200))"}"#),
            RecordedFrame(sender: .client, opcode: .binary, payload: Array(#"{"type":"ping"}"#.utf8)),
            RecordedFrame(sender: .server, opcode: .close, payload: []),
        ]
        for frame in others { #expect(!JournalEvent.frame(frame).isPing) }
        #expect(!JournalEvent.exchange(Self.goals).isPing)
    }
}

@Suite("Line limits")
struct LineLimitTests {
    private static func lines(_ entries: SessionExchange..., width: Int = 100, showsBodies: Bool = false) -> [String] {
        SessionTimeline(width: width, showsBodies: showsBodies).text(of: Session(entries: entries), name: "a.har")
            .split(separator: "\n").map(String.init)
    }

    @Test("A line longer than the width fills it", arguments: [60, 100])
    func width(_ width: Int) {
        let long = String(repeating: "a", count: 300)
        let socket = Samples.socket("/" + long, frames: [Samples.frame(.server, .text, long, at: 4000)])
        let lines = Self.lines(Samples.exchange("GET", "/" + long), socket, width: width)
        #expect(lines.filter { $0.contains("aaa") }.map(\.count) == [width, width, width])
    }

    @Test("A session's summary counts the session's parts")
    func summary() {
        #expect(Self.lines(Samples.socket()).first?.hasSuffix(" s, 1 WebSocket with 0 frames") == true)
        #expect(Self.lines(Samples.exchange()).first?.hasSuffix(" s, 1 request") == true)
    }

    @Test(
        "Messages print durations of one second or more in seconds",
        arguments: [(999_000_000, "999 ms"), (1_000_000_000, "1.000 s"), (1_500_000_000, "1.500 s")]
            as [(Int64, String)])
    func durations(nanoseconds: Int64, text: String) { #expect(Messages.duration(nanoseconds) == text) }

    @Test("A zero duration prints as unknown")
    func noDuration() {
        var exchange = Samples.exchange()
        exchange.lasted = 0
        let lines = Self.lines(exchange)
        let columns = "  200" + String(repeating: " ", count: 16) + "26 B  GET  /api/v1/goals"
        #expect(lines.last?.hasSuffix(columns) == true, "\(lines)")
    }

    @Test("A body prints with its empty lines, and an empty body prints no lines")
    func emptyLines() {
        let exchange = Samples.exchange("POST", "/a", body: "", answer: "b\n\nc\n")
        let lines = Self.lines(exchange, showsBodies: true).dropFirst(2)
        #expect(lines.map { line in line.drop { $0 == " " } } == ["← b", "", "c"])
    }

    @Test("A line shows sixteen bytes of binary content", arguments: [16, 17])
    func hex(count: Int) {
        var exchange = Samples.exchange()
        exchange.response?.body = RecordedBody([UInt8](repeating: 0xFF, count: count))
        let last = Self.lines(exchange, showsBodies: true).last
        #expect(last?.hasSuffix(count == 16 ? "ff ff" : "ff ff …") == true, "\(last ?? "")")
    }

    private static let id = "910a2dec-8902-4cc1-beeb-8da1658eec67"

    @Test(
        "A line shortens ids of more than 16 bytes if they do not fit",
        arguments: [
            // The text's 38 bytes fit exactly.
            (#""\#(id)""#, #""\#(id)""#), (#""\#(id)"!"#, #""910a2dec…"!"#),
            ("0123456789abcdef 0123456789abcdef0 abcdefgh", "0123456789abcdef 01234567… abcdefgh"),
        ])
    func shortIDs(text: String, shown: String) {
        let event = JournalEvent.frame(JournalSample.frame(.client, text))
        let lines = TrafficLines(width: 60).lines(of: TrafficLinesTests.entry(event))
        #expect(lines == ["10:30:00.000    → ws7 " + shown])
    }

    @Test(
        "A line shows an error's code for statuses of 400 and above",
        arguments: [(399, nil), (400, "NO")] as [(Int, String?)])
    func refusal(status: Int, code: String?) {
        let exchange = JournalSample.exchange("GET /", status: status, answer: #"{"error":{"code":"NO"}}"#)
        #expect(exchange.refusal?.code == code)
    }

    @Test("A message of 200 bytes or more does not count as a ping", arguments: [199, 200])
    func pings(count: Int) {
        let start = #"{"type":"ping","a":""#
        let text = start + String(repeating: "a", count: count - start.utf8.count - 2) + "\"}"
        #expect(JournalEvent.frame(JournalSample.frame(.client, text)).isPing == (count < 200))
    }
}
