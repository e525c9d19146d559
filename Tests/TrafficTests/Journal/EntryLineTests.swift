import FitIQAPI
import Testing

@testable import Traffic

@Suite("An entry on one line")
struct EntryLineTests {
    static let rows: [String] = [
        #"#1 +0.000 s  → POST /api/v1/goals?a=b {"title" : "ü"} → 201 {"id":1}"#,
        "#1 +0.000 s  → GET /health → 503 \u{FFFD}\u{FFFD}\u{FFFD} (delivered in part) [fault: flaky, cut]",
        "#1 +0.000 s  → GET /a → no answer [fault: hang]",
        "#1 +0.000 s  → POST /a → no answer [fault: hang]",
        "#1 +0.000 s  → GET /api/v1/consultations/x/ws?token=t → 101 socket opened [fault: late]",
        #"#1 +0.000 s  → text {"type":"ping"}"#,
        "#1 +0.000 s  ← binary, 2 bytes (not delivered) [fault: lost]",
        "#1 +0.000 s  ← text A\u{FFFD}",
        "#1 +0.000 s  → close 1000 b",
        "#1 +0.000 s  → close",
        "#1 +0.000 s  → ping",
        "#1 +0.000 s  ✕ socket ended by the client: close_frame, server's close frame 1001, client's close frame without a code",
        "#1 +0.000 s  ✕ socket ended by the server: fault: why [fault: drop]",
        "#1 +0.000 s  ! fault f: withhold_pong",
        "#1 +0.000 s  the system's clock was set back by 26 s",
        "#1 +0.000 s  the clock was moved by 26 s",
        "#1 +0.000 s  a b",
        "#1 +0.000 s  ‖ ← response held by live-1: 201 POST /api/v1/goals",
        "#1 +0.000 s  ‖ → frame held by b : text ping",
        "#1 +0.000 s  ▷ #57 of live-1: continued",
        #"#1 +0.000 s  ▷ #1 of live-1: changed {"type":"ping"}"#,
        "#1 +0.000 s  ▷ #1 of live-1: changed \u{FFFD}",
        "#1 +0.000 s  ▷ #1 of live-1: changed",
    ]

    @Test("kind by kind", arguments: rows.indices)
    func kinds(row: Int) {
        var journal = Journal()
        journal.record(JournalEncoderTests.events[row].0, at: JournalSample.time, connection: 7)
        #expect(EntryLine(journal.entries()[0], since: JournalSample.time).text == Self.rows[row])
    }

    @Test(
        "time",
        arguments: [
            (1_250_400_000, "#1 +1.250400000 s  x"), (-20_000_000, "#1 -0.020 s  x"),
            (999_999_999, "#1 +0.999999999 s  x"),
            (-1_000_000, "#1 -0.001 s  x"),
            (3_600_000_000_000, "#1 +3600.000 s  x"),
        ] as [(Int64, String)])
    func time(later: Int64, line: String) {
        var journal = Journal()
        journal.record(.note("x"), at: JournalSample.time.advanced(byNanoseconds: later))
        #expect(EntryLine(journal.entries()[0], since: JournalSample.time).text == line)
    }

    @Test("the time of day, where nothing is known of a start")
    func timeOfDay() {
        var journal = Journal()
        journal.record(.note("x"), at: JournalSample.time.advanced(byNanoseconds: 250_000_000))
        #expect(EntryLine(journal.entries()[0]).text == "#1 10:30:00.250  x")
    }
}
