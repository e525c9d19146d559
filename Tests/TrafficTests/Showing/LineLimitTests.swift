import FitIQAPI
import Testing
import WebSocket

@testable import Traffic

@Suite("Lines at their limits")
struct LineLimitTests {
    private static func lines(
        _ entries: SessionExchange..., width: Int = 100, showsBodies: Bool = false
    ) -> [String] {
        SessionTimeline(width: width, showsBodies: showsBodies).text(of: Session(entries: entries), name: "a.har")
            .split(separator: "\n").map(String.init)
    }

    @Test("What is longer than the width fills it", arguments: [60, 100])
    func width(_ width: Int) {
        let long = String(repeating: "a", count: 300)
        let socket = Samples.socket("/" + long, frames: [Samples.frame(.server, .text, long, at: 4000)])
        let lines = Self.lines(Samples.exchange("GET", "/" + long), socket, width: width)
        #expect(lines.filter { $0.contains("aaa") }.map(\.count) == [width, width, width])
    }

    @Test("The summary counts what there is")
    func summary() {
        #expect(Self.lines(Samples.socket()).first?.hasSuffix(" s, 1 WebSocket with 0 frames") == true)
        #expect(Self.lines(Samples.exchange()).first?.hasSuffix(" s, 1 request") == true)
    }

    @Test(
        "Durations are in seconds from one on",
        arguments: [(999_000_000, "999 ms"), (1_000_000_000, "1.000 s"), (1_500_000_000, "1.500 s")]
            as [(Int64, String)])
    func durations(nanoseconds: Int64, text: String) {
        #expect(Messages.duration(nanoseconds) == text)
    }

    @Test("A duration of nothing is not known")
    func noDuration() {
        var exchange = Samples.exchange()
        exchange.lasted = 0
        let lines = Self.lines(exchange)
        let columns = "  200" + String(repeating: " ", count: 16) + "26 B  GET  /api/v1/goals"
        #expect(lines.last?.hasSuffix(columns) == true, "\(lines)")
    }

    @Test("Empty lines of a body are shown, and no line of an empty one")
    func emptyLines() {
        let exchange = Samples.exchange("POST", "/a", body: "", answer: "b\n\nc\n")
        let lines = Self.lines(exchange, showsBodies: true).dropFirst(2)
        #expect(lines.map { line in line.drop { $0 == " " } } == ["← b", "", "c"])
    }

    @Test("Sixteen bytes are shown of what is no text", arguments: [16, 17])
    func hex(count: Int) {
        var exchange = Samples.exchange()
        exchange.response?.body = RecordedBody([UInt8](repeating: 0xFF, count: count))
        let last = Self.lines(exchange, showsBodies: true).last
        #expect(last?.hasSuffix(count == 16 ? "ff ff" : "ff ff …") == true, "\(last ?? "")")
    }

    private static let id = "910a2dec-8902-4cc1-beeb-8da1658eec67"

    @Test(
        "IDs of more than 16 bytes are shortened if the message has no room",
        arguments: [
            // Its 38 bytes fit exactly.
            (#""\#(id)""#, #""\#(id)""#), (#""\#(id)"!"#, #""910a2dec…"!"#),
            ("0123456789abcdef 0123456789abcdef0 abcdefgh", "0123456789abcdef 01234567… abcdefgh"),
        ])
    func shortIDs(text: String, shown: String) {
        let event = JournalEvent.frame(JournalSample.frame(.client, text))
        let lines = TrafficLines(width: 60).lines(of: TrafficLinesTests.entry(event))
        #expect(lines == ["10:30:00.000    → ws7 " + shown])
    }

    @Test(
        "The code of a refusal is that of a status from 400",
        arguments: [(399, nil), (400, "NO")] as [(Int, String?)])
    func refusal(status: Int, code: String?) {
        let exchange = JournalSample.exchange("GET /", status: status, answer: #"{"error":{"code":"NO"}}"#)
        #expect(exchange.refusal?.code == code)
    }

    @Test("A ping has fewer than 200 bytes", arguments: [199, 200])
    func pings(count: Int) {
        let start = #"{"type":"ping","a":""#
        let text = start + String(repeating: "a", count: count - start.utf8.count - 2) + "\"}"
        #expect(JournalEvent.frame(JournalSample.frame(.client, text)).isPing == (count < 200))
    }
}
