import FitIQAPI
import Replay
import Testing
import Traffic
import WebSocket

@Suite("Replaying WebSockets")
struct SocketTests {
    static let path = "/api/v1/consultations/\(IDs.a)/ws"

    /// ```
    /// ms      0     100   200   250   400   500   600   700
    /// client        hi                more
    /// server  hello       1     2           3     ping  close
    /// ```
    static func chat() -> SessionBuilder {
        return SessionBuilder().socket(
            path,
            frames: [
                frame(.server, 0, "hello"), frame(.client, 100, #"{"type":"message","content":"hi"}"#),
                frame(.server, 200, "1"), frame(.server, 250, "2"),
                frame(.client, 400, #"{"type":"message","content":"more"}"#), frame(.server, 500, "3"),
                frame(.server, 600, .ping, Array("p".utf8)), frame(.client, 601, .pong, Array("p".utf8)),
                frame(.server, 700, .close, [0x03, 0xE9] + Array("bye".utf8)),
                frame(.client, 705, .close, [0x03, 0xE9]),
            ], ending: ending(.server, 710, .closeFrame))
    }

    static let hi = #"{"content":"hi","type":"message"}"#
    static let more = #"{"content": "more", "type": "message"}"#

    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var order: ReplaySettings.FrameOrder
        var speed = ReplaySettings.Speed.factor(1)
        /// The milliseconds after the socket opens, and the client's text.
        var sends: [(Int64, String)]
        /// The server's actions until 5,000 ms.
        var timeline: [String]

        var testDescription: String { "\(order.rawValue): \(name)" }
    }

    static let recordedTimeline = [
        "0 text hello", "200 text 1", "250 text 2", "500 text 3", "600 ping p", "700 close 1001 bye",
    ]

    static let rows = [
        Row(name: "a silent client", order: .timed, sends: [], timeline: recordedTimeline),
        Row(name: "as recorded", order: .timed, sends: [(100, hi), (400, more)], timeline: recordedTimeline),
        Row(
            name: "twice as fast", order: .timed, speed: .factor(2), sends: [],
            timeline: ["0 text hello", "100 text 1", "125 text 2", "250 text 3", "300 ping p", "350 close 1001 bye"]),
        Row(
            name: "half as fast", order: .timed, speed: .factor(0.5), sends: [],
            timeline: ["0 text hello", "400 text 1", "500 text 2", "1000 text 3", "1200 ping p", "1400 close 1001 bye"]),
        Row(name: "as recorded", order: .lockStep, sends: [(100, hi), (400, more)], timeline: recordedTimeline),
        Row(
            name: "a silent client gets what came before its turn", order: .lockStep, sends: [],
            timeline: ["0 text hello"]),
        Row(
            name: "a slow client is waited for", order: .lockStep, sends: [(1000, hi), (3000, more)],
            timeline: [
                "0 text hello", "1100 text 1", "1150 text 2", "3100 text 3", "3200 ping p", "3300 close 1001 bye",
            ]),
        Row(
            name: "a fast client does not overtake the server", order: .lockStep, sends: [(10, hi), (20, more)],
            timeline: ["0 text hello", "110 text 1", "160 text 2", "260 text 3", "360 ping p", "460 close 1001 bye"]),
        Row(
            name: "messages in another order are kept until their turn", order: .lockStep,
            sends: [(10, more), (50, hi)],
            timeline: ["0 text hello", "150 text 1", "200 text 2", "300 text 3", "400 ping p", "500 close 1001 bye"]),
        Row(
            name: "another frame lets nothing go on", order: .lockStep,
            sends: [(10, "what?"), (20, #"{"type":"message","content":"ho"}"#)], timeline: ["0 text hello"]),
        Row(
            name: "without waits", order: .lockStep, speed: .instant, sends: [(100, hi), (400, more)],
            timeline: ["0 text hello", "100 text 1", "100 text 2", "400 text 3", "400 ping p", "400 close 1001 bye"]),
        Row(
            name: "each message brings what followed it", order: .triggered, sends: [(1000, more), (2000, hi)],
            timeline: ["0 text hello", "1100 text 3", "1200 ping p", "1300 close 1001 bye"]),
        Row(
            name: "again and again", order: .triggered, sends: [(1000, hi), (1050, hi), (2000, hi)],
            timeline: [
                "0 text hello", "1100 text 1", "1150 text 2", "1150 text 1", "1200 text 2", "2100 text 1",
                "2150 text 2",
            ]),
        Row(
            name: "another frame brings nothing", order: .triggered, sends: [(10, "what?")], timeline: ["0 text hello"]),
    ]

    static func play(_ row: Row) throws -> (timeline: [String], player: Player) {
        var player = try chat().player(.ordered, speed: row.speed, frames: row.order)
        let socket = try player.open(path)
        var timeline: [String] = []
        for (time, text) in row.sends {
            timeline += player.timeline(until: at(time))
            player.send(text, on: socket, at: at(time))
        }
        return (timeline + player.timeline(until: at(5_000)), player)
    }

    @Test("Frames arrive according to the configured order", arguments: rows)
    func orders(row: Row) throws {
        let (timeline, player) = try Self.play(row)
        #expect(timeline == row.timeline)
        #expect(player.report.framesSent == row.timeline.count)
    }

    @Test("One late advance has the same effects as many small advances", arguments: rows)
    func steps(row: Row) throws {
        var player = try Self.chat().player(.ordered, speed: row.speed, frames: row.order)
        let socket = try player.open(Self.path)
        var effects: [String] = []
        for (time, text) in row.sends {
            effects += player.advance(to: at(time)).map(\.action.words)
            player.send(text, on: socket, at: at(time))
        }
        effects += player.advance(to: at(1_000_000)).map(\.action.words)
        let expected: [String] = row.timeline.map { $0.split(separator: " ", maxSplits: 1).last.map(String.init) ?? "" }
        #expect(effects == expected)
        #expect(player.nextDeadline == nil)
    }

    @Test("With strict matching, an early frame counts as a miss")
    func strictFrames() throws {
        var player = try Self.chat().player(.strict)
        let socket = try player.open(Self.path)
        player.send(Self.more, on: socket, at: at(10))
        player.send(Self.hi, on: socket, at: at(20))
        #expect(player.report.frameMisses.map(\.time) == [at(10)])
        #expect(player.timeline(until: at(5_000)) == ["0 text hello", "120 text 1", "170 text 2"])
    }

    struct End: Sendable {
        var frames: [SessionFrame]
        var ending: SessionEnding?
        var timeline: [String]
    }

    @Test(
        "A connection ends as recorded",
        arguments: [
            End(frames: [], ending: ending(.server, 30, .finish), timeline: ["30 finish"]),
            End(frames: [], ending: ending(.server, 30, .reset), timeline: ["30 reset"]),
            End(frames: [], ending: ending(.client, 30, .finish), timeline: []),
            End(frames: [], ending: nil, timeline: []),
            End(
                frames: [frame(.server, 5, .close, [])], ending: ending(.server, 30, .closeFrame),
                timeline: ["5 close - "]),
            End(
                frames: [frame(.server, 5, .close, [0x03, 0xE8])], ending: ending(.server, 30, .closeFrame),
                timeline: ["5 close 1000 "]),
            // A pong without a ping is a frame like any other.
            End(
                frames: [frame(.server, 5, #"{"type":"pong"}"#)], ending: ending(.server, 30, .finish),
                timeline: [#"5 text {"type":"pong"}"#, "30 finish"]),
            // 1006 may not be sent (RFC 6455 §7.4.1).
            End(
                frames: [frame(.server, 5, .close, [0x03, 0xEE])], ending: ending(.server, 30, .closeFrame),
                timeline: ["5 close - "]),
            // The client's close frame is answered by the codec, not by the recording.
            End(
                frames: [frame(.client, 5, .close, [0x03, 0xE8]), frame(.server, 6, .close, [0x03, 0xE8])],
                ending: ending(.client, 30, .closeFrame), timeline: []),
            End(
                frames: [frame(.server, 5, .binary, [1, 2, 255]), frame(.server, 6, .text, [255])],
                ending: ending(.server, 7, .reset), timeline: ["5 binary [1, 2, 255]", "6 binary [255]", "7 reset"]),
            // A recorded clock that was set back.
            End(
                frames: [frame(.server, 50, "a"), frame(.server, 20, "b"), frame(.server, 60, "c")], ending: nil,
                timeline: ["50 text a", "50 text b", "60 text c"]),
        ])
    func endings(row: End) throws {
        let builder = SessionBuilder().socket("/ws", frames: row.frames, ending: row.ending)
        for order in ReplaySettings.FrameOrder.allCases {
            var player = try builder.player(frames: order)
            let socket = try player.open("/ws")
            #expect(player.timeline(until: at(1_000)) == row.timeline, "\(order)")
            player.ended(socket, at: at(1_000))
            #expect(player.report.framesNeverSent == 0)
        }
    }

    @Test("Each reconnection gets the next recorded socket or rejected handshake")
    func reconnecting() throws {
        var player = try SessionBuilder()
            .socket("/ws", frames: [frame(.server, 1, "first")], ending: ending(.server, 2, .reset)).exchange(
                "GET", "wss://api.fitiq.example/ws", fields: [SessionField("Upgrade", "websocket")], status: 503,
                answer: "busy"
            ).socket("/ws", frames: [frame(.server, 1, "second")])
            .exchange("GET", "/ws", status: 426, answer: "upgrade").player()
        #expect(player.text("GET", "/ws") == "upgrade")
        let first = try player.open("/ws")
        #expect(player.timeline(until: at(10)) == ["1 text first", "2 reset"])
        player.ended(first, at: at(10))
        #expect(player.text("WS", "/ws") == "busy")
        for _ in 0..<2 {
            let socket = try player.open("/ws")
            #expect(player.timeline(until: at(10)) == ["1 text second"])
            player.ended(socket, at: at(10))
        }
        #expect(player.report.summary == "Served 4 of 4 recorded requests, 1 answered again.")
    }

    @Test("Concurrent sockets follow their own scripts in chronological order")
    func atOnce() throws {
        var player = try SessionBuilder().socket("/a", frames: [frame(.server, 10, "a1"), frame(.server, 30, "a2")])
            .socket("/b", frames: [frame(.client, 5, "go"), frame(.server, 15, "b1"), frame(.server, 25, "b2")])
            .player()
        let a = try player.open("/a")
        let b = try player.open("/b")
        player.send("go", on: b, at: at(5))
        let effects = player.advance(to: at(100))
        #expect(effects.map(\.action.words) == ["text a1", "text b1", "text b2", "text a2"])
        #expect(effects.map(\.socket) == [a, b, b, a])
    }

    @Test("No frame is due on a socket that has ended or has not yet opened")
    func ended() throws {
        var player = try Self.chat().player(frames: .timed)
        let socket = try player.open(Self.path)
        _ = player.ask("WS", Self.path)
        #expect(player.nextDeadline == at(0))
        player.ended(socket, at: at(0))
        #expect(player.nextDeadline == nil)
        #expect(player.advance(to: at(9_000)) == [])
        player.send("late", on: socket, at: at(9_000))
        #expect((player.report.frameMissCount, player.report.framesNeverSent) == (0, 4))
    }

    @Test("The server's frames contain the client's own ids and the server's origin")
    func following() throws {
        var player = try SessionBuilder().socket(
            "/ws?token=redacted-token-1",
            frames: [
                frame(.client, 10, #"{"type":"message","id":"\#(IDs.a)","sent_at":"2025-01-29T10:30:00Z"}"#),
                frame(
                    .server, 20,
                    #"{"ack":"\#(IDs.a)","at":"2025-01-29T10:30:00Z","url":"wss:\/\/api.fitiq.example\/x","for":"redacted-token-1"}"#
                ),
                frame(.client, 30, #"{"type":"read","id":"\#(IDs.a)"}"#), frame(.server, 40, "done"),
            ]
        ).player(.strict)
        let socket = try player.open("/ws?token=my.token")
        player.send(#"{"type":"message","id":"\#(IDs.b)","sent_at":"2026-11-21T08:00:00Z"}"#, on: socket, at: at(10))
        #expect(
            player.timeline(until: at(20)) == [
                #"20 text {"ack":"\#(IDs.b)","at":"2026-11-21T08:00:00Z","url":"ws:\/\/localhost:8080\/x","for":"my.token"}"#
            ])
        player.send(#"{"type":"read","id":"\#(IDs.c)"}"#, on: socket, at: at(30))
        #expect(player.timeline(until: at(100)) == [])
        player.send(#"{"type":"read","id":"\#(IDs.b)"}"#, on: socket, at: at(100))
        #expect(player.timeline(until: at(200)) == ["110 text done"])
        #expect((player.report.frameMissCount, player.report.isComplete) == (1, false))
    }

    /// ```
    /// ms      0   100   101   200   300   302   400   450
    /// client  hi  ping              ping        more
    /// server            pong  1           pong        2
    /// ```
    @Test(
        "API pings get their pongs without delaying other frames",
        arguments: [ReplaySettings.FrameOrder.lockStep, .triggered])
    func keepAlives(order: ReplaySettings.FrameOrder) throws {
        let ping = #"{"type":"ping"}"#
        var player = try SessionBuilder().socket(
            "/ws",
            frames: [
                frame(.client, 0, "hi"), frame(.client, 100, ping), frame(.server, 101, #"{"type":"pong","n":1}"#),
                frame(.server, 200, "1"), frame(.client, 300, ping), frame(.server, 302, #"{"type":"pong","n":2}"#),
                frame(.client, 400, "more"), frame(.server, 450, "2"),
            ]
        ).player(.strict, frames: order)
        let socket = try player.open("/ws")
        player.send("hi", on: socket, at: at(0))
        #expect(player.timeline(until: at(200)) == ["200 text 1"])
        player.send("more", on: socket, at: at(200))
        player.send(ping, on: socket, at: at(210))
        player.send(ping, on: socket, at: at(220))
        player.send(ping, on: socket, at: at(290))
        #expect(
            player.timeline(until: at(1_000)) == [
                #"211 text {"type":"pong","n":1}"#, #"222 text {"type":"pong","n":2}"#, "250 text 2",
                #"292 text {"type":"pong","n":2}"#,
            ])
        player.ended(socket, at: at(1_000))
        #expect(player.report.isComplete)
    }

    @Test("Identical messages trigger the recorded answers in turn and then repeat the last answer")
    func triggersInTurn() throws {
        var player = try SessionBuilder().socket(
            "/ws",
            frames: [
                frame(.client, 0, "hi"), frame(.server, 1, "1"), frame(.client, 10, "hi"), frame(.server, 12, "2"),
            ]
        ).player(frames: .triggered)
        let socket = try player.open("/ws")
        for time in [100, 200, 300] { player.send("hi", on: socket, at: at(Int64(time))) }
        #expect(player.timeline(until: at(1_000)) == ["101 text 1", "202 text 2", "302 text 2"])
        #expect(player.report.frameMissCount == 0)
    }

    @Test("A message with a new id triggers the answer again with that id")
    func triggersAnew() throws {
        func ask(_ id: String) -> String { #"{"type":"ask","id":"\#(id)"}"# }
        var player = try SessionBuilder().socket(
            "/ws",
            frames: [
                frame(.client, 0, ask(IDs.a)), frame(.server, 10, "one \(IDs.a)"), frame(.server, 30, "two \(IDs.a)"),
            ]
        ).player(frames: .triggered)
        let socket = try player.open("/ws")
        for (time, id) in [(0, IDs.b), (15, IDs.c), (50, IDs.a)] {
            player.send(ask(id), on: socket, at: at(Int64(time)))
        }
        #expect(
            player.timeline(until: at(1_000)) == [
                "10 text one \(IDs.b)", "25 text one \(IDs.c)", "30 text two \(IDs.b)", "45 text two \(IDs.c)",
                "60 text one \(IDs.a)", "80 text two \(IDs.a)",
            ])
        #expect(player.report.frameMissCount == 0)
    }

    @Test("A message beyond the limit on concurrent runs counts as a miss")
    func runs() throws {
        var player = try SessionBuilder().socket("/ws", frames: [frame(.client, 0, "hi"), frame(.server, 100, "1")])
            .player(frames: .triggered)
        let socket = try player.open("/ws")
        for _ in 0..<ReplayLimits.runs { player.send("hi", on: socket, at: at(0)) }
        #expect(player.report.frameMissCount == 0)
        player.send("hi", on: socket, at: at(1))
        #expect(player.report.frameMisses.map(\.reason) == [.tooMany])
        #expect(player.advance(to: at(500)).count == ReplayLimits.runs)
        player.send("hi", on: socket, at: at(500))
        #expect(player.timeline(until: at(1_000)) == ["600 text 1"])
    }

    @Test("A ping beyond the limit on concurrent pongs counts as a miss")
    func pongs() throws {
        let ping = #"{"type":"ping"}"#
        var player = try SessionBuilder()
            .socket("/ws", frames: [frame(.client, 0, ping), frame(.server, 100, #"{"type":"pong"}"#)]).player()
        let socket = try player.open("/ws")
        for _ in 0..<ReplayLimits.runs { player.send(ping, on: socket, at: at(0)) }
        #expect(player.report.frameMissCount == 0)
        player.send(ping, on: socket, at: at(1))
        #expect(player.report.frameMisses.map(\.reason) == [.tooMany])
        #expect(player.advance(to: at(500)).count == ReplayLimits.runs)
        player.send(ping, on: socket, at: at(500))
        #expect(player.timeline(until: at(1_000)) == [#"600 text {"type":"pong"}"#])
    }

    @Test("The handshake's answer has the chosen protocol and follows the recorded wait")
    func opening() throws {
        var player = try SessionBuilder().socket(
            "/ws",
            answerFields: [
                SessionField("Upgrade", "websocket"), SessionField("Connection", "Upgrade"),
                SessionField("Sec-WebSocket-Accept", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="),
                SessionField("Sec-WebSocket-Extensions", "permessage-deflate"),
                SessionField("Sec-WebSocket-Protocol", "chat"), SessionField("X-Node", "7"),
            ]
        ).player(speed: .factor(4))
        guard
            case .socket(let opening) = player.ask(
                "WS", "/ws", fields: [SessionField("Sec-WebSocket-Protocol", "chat")])
        else {
            Issue.record("no socket")
            return
        }
        #expect(opening.fields == [SessionField("Sec-WebSocket-Protocol", "chat"), SessionField("X-Node", "7")])
        #expect(opening.after == 10 * millisecond / 4)
    }

    @Test("Sockets are numbered from 1 in the order in which they open")
    func numbers() throws {
        var player = try SessionBuilder().socket("/ws").player()
        let first = try player.open("/ws")
        let second = try player.open("/ws")
        #expect([first.number, second.number] == [1, 2])
        #expect(first < second && !(second < first) && !(first < first))
    }

    @Test(
        "No frame is due on a socket before it opens, even after a client's message",
        arguments: ReplaySettings.FrameOrder.allCases)
    func notOpen(order: ReplaySettings.FrameOrder) throws {
        var player = try Self.chat().player(frames: order)
        guard case .socket(let opening) = player.ask("WS", Self.path) else { throw NoSocket(target: Self.path) }
        player.send(Self.hi, on: opening.socket, at: at(0))
        #expect(player.report.framesReceived == 1)
        #expect(player.nextDeadline == nil)
        player.opened(opening.socket, at: at(10))
        #expect(player.nextDeadline == at(10))
    }

    @Test("Pings get the recorded pongs, if any, in turn", arguments: [ReplaySettings.FrameOrder.lockStep, .triggered])
    func pongsInTurn(order: ReplaySettings.FrameOrder) throws {
        let ping = #"{"type":"ping"}"#
        func pong(_ number: Int64) -> String { #"{"type":"pong","n":\#(number)}"# }
        var frames = [frame(.client, 0, "hi")]
        for number in [1, 2, 3] as [Int64] {
            frames.append(frame(.client, 10 * number, ping))
            frames.append(frame(.server, 10 * number + 1, pong(number)))
        }
        frames += [frame(.client, 40, ping), frame(.server, 50, "1")]
        var player = try SessionBuilder().socket("/ws", frames: frames).player(frames: order)
        let socket = try player.open("/ws")
        player.send("hi", on: socket, at: at(0))
        #expect(player.timeline(until: at(60)) == ["50 text 1"])
        for time in [100, 110, 120, 130, 140] as [Int64] { player.send(ping, on: socket, at: at(time)) }
        #expect(
            player.timeline(until: at(1_000)) == [
                "101 text \(pong(1))", "111 text \(pong(2))", "121 text \(pong(3))",
            ])
        #expect(player.report.frameMissCount == 0)
    }

    @Test("Messages that differ only in ids trigger their own answers")
    func triggersByID() throws {
        func ask(_ id: String) -> String { #"{"type":"ask","id":"\#(id)"}"# }
        var player = try SessionBuilder().socket(
            "/ws",
            frames: [
                frame(.client, 0, ask(IDs.a)), frame(.server, 1, "one"), frame(.client, 10, ask(IDs.b)),
                frame(.server, 12, "two"), frame(.client, 20, "see \(IDs.c)"),
            ]
        ).player(frames: .triggered)
        let socket = try player.open("/ws")
        for (time, id) in [(100, IDs.b), (200, IDs.a), (300, IDs.c)] {
            player.send(ask(id), on: socket, at: at(Int64(time)))
        }
        #expect(player.timeline(until: at(1_000)) == ["102 text two", "201 text one"])
        #expect(player.report.frameMisses.map(\.time) == [at(300)])
    }

    @Test("A message with one recorded and one new id triggers the answer again")
    func triggersMixed() throws {
        func link(_ id: String, _ other: String) -> String { #"{"from":"\#(id)","to":"\#(other)"}"# }
        var player = try SessionBuilder().socket(
            "/ws", frames: [frame(.client, 0, link(IDs.a, IDs.b)), frame(.server, 1, "linked \(IDs.a) \(IDs.b)")]
        )
        .player(frames: .triggered)
        let socket = try player.open("/ws")
        let mine = (1...3).map { "1111111\($0)-0000-4000-8000-000000000001" }
        player.send(link(mine[0], mine[1]), on: socket, at: at(0))
        #expect(player.timeline(until: at(50)) == ["1 text linked \(mine[0]) \(mine[1])"])
        player.send(link(IDs.a, mine[2]), on: socket, at: at(100))
        #expect(player.timeline(until: at(200)) == ["101 text linked \(IDs.a) \(mine[2])"])
        #expect(player.report.frameMissCount == 0)
    }
}
