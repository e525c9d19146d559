import FitIQAPI
import Testing

@testable import Judging

@Suite("Obligations of sockets")
struct SocketObligationTests {
    /// The contract's table: id, level, and source.
    private static let table: [(String, Obligation.Level, Obligation.Origin)] = [
        ("ws/endpoint", .must, .guides([.webSocketArchitecture])),
        ("ws/single-connection", .should, .guides([.mealLogWebSocket, .webSocketArchitecture])),
        ("ws/meal-socket-single", .should, .ours),
        ("ws/waits-for-connected", .should, .guides([.mealLogWebSocket, .webSocketArchitecture])),
        ("ws/refused-handshake", .should, .guides([.mealLogWebSocket])),
        ("ws/message-shape", .must, .guides([.consultationWebSocket, .enhancedConsultations])),
        ("ws/no-send-while-streaming", .should, .guides([.consultationWebSocket, .enhancedConsultations])),
        ("ws/keepalive", .should, .guides([.consultationWebSocket, .enhancedConsultations, .mealLogWebSocket])),
        (
            "ws/reconnect-backoff", .must,
            .guides([.consultationWebSocket, .enhancedConsultations, .mealLogWebSocket])
        ),
        ("ws/reconnect-limit", .should, .guides([.consultationWebSocket])),
        ("ws/reconnects", .should, .guides([.consultationWebSocket, .enhancedConsultations, .mealLogWebSocket])),
        (
            "ws/no-reconnect-after-own-close", .should,
            .guides([.consultationWebSocket, .enhancedConsultations, .mealLogWebSocket])
        ),
        ("ws/recovers-history", .should, .ours),
        ("ws/close-handshake", .should, .guides([.consultationWebSocket, .mealLogWebSocket])),
    ]

    @Test("They are the contract's, in its order")
    func table() {
        let obligations = SocketStory.judges.map { $0.obligation }
        #expect(obligations.map(\.id) == Self.table.map(\.0))
        #expect(obligations.map(\.level) == Self.table.map(\.1))
        #expect(obligations.map(\.origin) == Self.table.map(\.2))
    }

    @Test("Their texts are sentences on one line", arguments: SocketStory.judges.map { $0.obligation })
    func texts(_ obligation: Obligation) {
        for text in [obligation.clause, obligation.tolerance ?? "None.", obligation.advice] {
            #expect(text.hasSuffix("."))
            #expect(!text.contains("\n") && !text.contains("  "))
            #expect(text.first?.isLowercase == false || text.hasPrefix("cancel("))
        }
        #expect(obligation.place.isEmpty == (obligation.origin == .ours))
    }

    private static func at(_ seconds: Double) -> Timestamp { SocketStory.time(seconds) }
    private static let second = Tolerance.second

    static let sentences: [(String, String)] = [
        (Messages.wrongEndpoint("/ws"), "The client asked for a WebSocket at /ws, where there is none."),
        (
            Messages.secondSocket(openedAt: at(61.9), oldAt: at(0), consultation: nil),
            "The client opened a socket at 10:31:01 while another of the same user was open, since 10:30:00."
        ),
        (
            Messages.tooSoon(wait: 999_999_999, failedAt: at(4), number: 1),
            "The client tried again 0.999 s after the socket ended at 10:30:04; at least 1 s is due."
        ),
        (
            Messages.tooSoon(wait: 200_000_000, failedAt: at(4), number: 3),
            "The client made try 3 0.2 s after try 2 had failed at 10:30:04; at least 1 s is due."
        ),
        (
            Messages.shrunk(wait: 0, previous: 12 * second + 50_000_000, number: 2),
            "The client waited 0 s before try 2, less than the 12.05 s before an earlier one."
        ),
        (
            Messages.noPing(for: 3601 * second + 1_000_000, since: at(-1)),
            "The socket was idle for 3601.001 s from 10:29:59 on; a ping is due every 30 s."
        ),
        (Messages.wrongCloseCode(1005), "The client left with close code 1005; 1000 or 1001 is due."),
        (
            Messages.closeNotAnswered(1012),
            "The client did not answer the server's close frame (1012) with one of its own."
        ),
    ]

    @Test("Findings have the numbers in them", arguments: sentences)
    func sentence(_ actual: String, _ expected: String) { #expect(actual == expected) }
}
