import FitIQAPI
import Testing
import Traffic
import WebSocket

@Suite("Printing a session as a timeline")
struct TimelineTests {
    @Test("The timeline prints a line for every part of a session")
    func golden() {
        let last = Samples.exchange("GET", "/last?x=1", at: 1_234_567, status: 503)
        var foreign = Samples.exchange("GET", "", at: 2_000_000)
        foreign.request.url = "http://elsewhere:1/path"
        foreign.lasted = 62_003_000_000
        foreign.response?.body = RecordedBody([], of: 12_345_678)
        let all = Session(entries: Samples.all.entries + [last, foreign])
        let text = SessionTimeline(width: 100).text(of: all, name: "a.har", notes: [.torn(entries: 12)])
        #expect(text == Self.golden)
    }

    private static let golden = #"""
        a.har: 2025-01-29T10:30:00Z, 64.003 s, 11 requests, 3 WebSockets with 12 frames
        note: the file is truncated, perhaps because its recorder was killed; 12 entries are complete

            +0.000 s  201    2.2 ms      26 B  POST /api/v1/consultations
            +0.000 s    —    2.2 ms            GET  /api/v1/goals  (no answer)
            +0.000 s  204    2.2 ms       0 B  DELETE /api/v1/goals/1
            +0.000 s  101    3.0 ms            WS   /api/v1/consultations/c1/ws?token=t
                        × still open, or its end was not recorded
            +0.000 s  200    2.2 ms     100 B  GET  /api/v1/meal-logs  (the answer was cut off)
            +0.000 s  200    2.2 ms       3 B  POST /upload?a=1&b=%C3%A9+%zz&c
            +0.000 s  200    2.2 ms      26 B  POST /coded
            +0.000 s  200    2.2 ms      26 B  POST /empty
            +0.000 s  200    2.2 ms    5000 B  POST /large
            +0.000 s  101    3.0 ms            WS   /api/v1/consultations/c1/ws?token=t
            +0.004 s    ← {"type":"connected"}
            +0.004 s    → yes, yes, yes
            +0.004 s    → ping
            +0.004 s    ← pong
            +0.005 s    → Olá 💪 "\\n\x00
            +0.006 s    ← binary, 3 bytes: 00 ff 10
            +0.007 s    ← text that is not UTF-8, 1 byte
            +0.008 s    ← ab
            +0.009 s    ← binary, 3 bytes: 01
            +0.010 s    → close 1000 "bye"
            +0.010 s    ← close 1000
            +0.010 s    × closed by the client
            +0.000 s  401    2.2 ms      26 B  GET  /api/v1/consultations/c1/ws
            +0.000 s  101    3.0 ms            WS   /second
            +0.004 s    ← ping "p"
            +0.010 s    × reset by the server
            +1.234 s  503    2.2 ms      26 B  GET  /last?x=1
            +2.000 s  200  62.003 s     12 MB  GET  http://elsewhere:1/path

        """#

    @Test("With bodies, the timeline indents JSON and escapes each line")
    func bodies() {
        let exchange = Samples.exchange(
            "POST", "/a", body: #"{"a":[1,"\u001b[31mred\#u{9B}0m"]}"#, answer: "plain\n\u{1B}]0;title\u{7}\u{9B}2J\n")
        var image = Samples.exchange("GET", "/b", at: 5, answer: "")
        image.response?.body = RecordedBody([0xFF] + [UInt8](repeating: 7, count: 30))
        let socket = Samples.socket(
            at: 10,
            frames: [
                Samples.frame(.server, .text, #"{"type":"x","b":{}}"#, at: 4000),
                Samples.frame(.client, .binary, bytes: [1, 2], at: 5000),
            ])
        let text = SessionTimeline(showsBodies: true).text(of: Session(entries: [exchange, image, socket]), name: "b")
        #expect(text == Self.bodies)
    }

    private static let bodies = #"""
        b: 2025-01-29T10:30:00Z, 0.005 s, 2 requests, 1 WebSocket with 2 frames

            +0.000 s  200    2.2 ms      21 B  POST /a
                      → {
                          "a": [
                            1,
                            "\u001b[31mred\x9B0m"
                          ]
                        }
                      ← plain
                        \x1B]0;title\x07\x9B2J
            +0.000 s  200    2.2 ms      31 B  GET  /b
                      ← binary, 31 bytes: ff 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 …
            +0.000 s  101    3.0 ms            WS   /api/v1/consultations/c1/ws?token=t
            +0.004 s    ← {
                            "type": "x",
                            "b": {}
                          }
            +0.005 s    → binary, 2 bytes: 01 02
                        × still open, or its end was not recorded

        """#

    @Test("The timeline truncates a long body and states the missing size")
    func longBody() {
        let exchange = Samples.exchange(answer: String(repeating: "a", count: 64 * 1024 + 7))
        let text = SessionTimeline(showsBodies: true).text(of: Session(entries: [exchange]), name: "b")
        #expect(text.hasSuffix("aaa\n                … and 7 bytes more\n"))
        #expect(text.utf8.count < 66_000)
    }

    @Test("The timeline for an empty session says that the session is empty")
    func empty() { #expect(SessionTimeline().text(of: Session(), name: "a.har") == "a.har: nothing was recorded\n") }

    /// Texts that move the cursor, set colours, hide or reorder text, or are wide.
    static let hostileTexts = [
        "\u{1B}[2J\u{1B}[31m", "\u{9B}31m", "\r\nforged line", "\u{202E}gnp.exe", "\u{0}\u{7}\u{8}", "\u{200B}\u{FEFF}",
        String(repeating: "漢", count: 300), String(repeating: "e\u{301}", count: 300),
        "a" + String(repeating: "\u{301}", count: 5000), String(repeating: "👩‍👩‍👧‍👦", count: 100),
    ]

    @Test("The timeline's lines fit the width and have no control characters", arguments: hostileTexts)
    func keepsToTheLine(_ text: String) {
        var exchange = Samples.exchange(text, "/" + text, answer: text)
        exchange.request.body = RecordedBody(Array(text.utf8))
        var foreign = exchange
        foreign.request.url = text
        let frames = [Opcode.text, .ping, .pong, .binary].map { Samples.frame(.server, $0, text) }
        let close = Samples.frame(.client, .close, bytes: Samples.close(1000, String(text.prefix(50))))
        let session = Session(entries: [exchange, foreign, Samples.socket("/" + text, frames: frames + [close])])
        for shows in [false, true] {
            let shown = SessionTimeline(width: 80, showsBodies: shows).text(
                of: session, name: text, notes: [.recorded(text), .missingAttachment(name: text, entry: 1)])
            let lines = shown.split(separator: "\n", omittingEmptySubsequences: false)
            for scalar in shown.unicodeScalars where scalar != "\n" {
                #expect(
                    scalar.properties.generalCategory != .control && scalar.properties.generalCategory != .format,
                    "U+\(String(scalar.value, radix: 16))")
            }
            guard !shows else { continue }
            for line in lines where !line.hasPrefix("note: ") { #expect(line.unicodeScalars.count <= 80, "\(line)") }
        }
    }
}
