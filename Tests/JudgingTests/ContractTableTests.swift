import FitIQAPI
import Foundation
import TestSupport
import Testing

@testable import Judging

/// Compares the obligations with a second copy of the contract's table.
@Suite("The contract's table")
struct ContractTableTests {
    /// A row.
    struct Row: Sendable, CustomTestStringConvertible {
        let id: String
        let level: Obligation.Level
        let origin: Obligation.Origin
        var testDescription: String { id }

        init(_ id: String, _ level: Obligation.Level, _ origin: Obligation.Origin) {
            (self.id, self.level, self.origin) = (id, level, origin)
        }
    }

    static let rows: [Row] = [
        Row(
            "auth/credentials-on-every-request", .must,
            .guides([.consultationWebSocket, .enhancedConsultations, .mealLogWebSocket])),
        Row(
            "auth/websocket-credentials", .must,
            .guides([.consultationWebSocket, .enhancedConsultations, .webSocketArchitecture, .mealLogWebSocket])),
        Row("auth/refresh-after-401", .must, .guides([.consultationWebSocket])),
        Row("auth/refresh-token-once", .must, .ours),
        Row("auth/no-expired-bearer", .should, .ours),
        Row("ids/lowercase", .must, .guides([.consultationWebSocket])),
        Row("ids/backend-goal-id", .must, .guides([.goalLinking])),
        Row("ids/gone-not-reused", .should, .guides([.goalLinking])),
        Row("request/shape", .must, .all),
        Row("consultation/conflict-continues-existing", .must, .guides([.consultationWebSocket])),
        Row("consultation/limit-stops-creating", .must, .guides([.consultationWebSocket])),
        Row("consultation/history-before-connect", .should, .guides([.consultationWebSocket, .enhancedConsultations])),
        Row("retry/backoff-on-5xx", .must, .guides([.consultationWebSocket, .goalLinking, .mealLogWebSocket])),
        Row("retry/creates-once", .should, .ours),
        Row("goal/reuses-conversation", .must, .guides([.goalLinking])),
        Row("goal/links-created-goal", .must, .guides([.goalLinking])),
        Row("meal/no-fetch-after-completed", .should, .guides([.mealLogWebSocket])),
        Row("meal/no-poll-while-connected", .should, .guides([.webSocketArchitecture])),
        Row("meal/polling-cadence", .must, .guides([.webSocketArchitecture])),
    ]

    @Test("Each row of the table matches its judge's level and source", arguments: rows)
    func exists(_ row: Row) throws {
        let obligation = try #require(Judge.obligations.first { $0.id == row.id })
        #expect((obligation.level, obligation.origin) == (row.level, row.origin))
    }

    @Test("The list of judges matches the table's rows in order")
    func isInOrder() {
        // Socket obligations have their own table.
        #expect(Judge.obligations.map(\.id).filter { !$0.hasPrefix("ws/") } == Self.rows.map(\.id))
    }

    @Test("Each obligation appears once")
    func isUnique() {
        let ids = (Judge.obligations + Obligation.inside).map(\.id)
        #expect(Set(ids).count == ids.count)
    }

    @Test("The internal obligations are in a separate list, and all have the level must")
    func inside() {
        #expect(
            Obligation.inside.map(\.id) == [
                "inside/transcript-equals-chunks", "inside/cut-stream-not-complete", "inside/server-error-surfaces",
                "inside/conflict-yields-existing", "inside/limit-yields-too-many", "inside/failed-meal-surfaces",
                "inside/refusal-surfaces", "inside/event-of-its-own-meal", "inside/meal-contents-shown",
                "inside/unknown-is-ignored", "inside/gone-conversation-cleared", "inside/template-by-its-type",
                "inside/keeps-100-messages",
            ])
        #expect(Obligation.inside.allSatisfy { $0.level == .must })
    }

    @Test(
        "An obligation's clause, advice and tolerance are full sentences",
        arguments: Judge.obligations + Obligation.inside)
    func isSaid(_ obligation: Obligation) {
        for text in [obligation.clause, obligation.advice, obligation.tolerance].compactMap({ $0 }) {
            #expect(text.hasSuffix("."), "\(obligation.id)")
            #expect(text.first?.isLowercase == false || obligation.advice == text, "\(obligation.id): \(text)")
            #expect(!text.contains("  "), "\(obligation.id)")
        }
    }

    @Test(
        "In a guide's mode, the judge applies the guide's obligations and the common obligations",
        arguments: GuideMode.allCases)
    func applies(_ mode: GuideMode) {
        let judged = Judge(mode: mode).verdicts().map(\.obligation.id).filter { !$0.hasPrefix("ws/") }
        let due = Self.rows.filter { row in
            switch row.origin {
            case .all: true
            case .guides(let guides): mode == .union || guides.contains(mode)
            case .ours: mode == .union
            }
        }
        #expect(judged == due.map(\.id))
    }
}

@Suite("docs/obligations.md")
struct ObligationTableTests {
    @Test("docs/obligations.md has a row for each obligation with its level, source, clause, tolerance and scenarios")
    func page() throws {
        let page = try textOfPackage("docs/obligations.md")
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `") }.map(String.init)
        let expected = Judge.obligations.map(Self.row) + Obligation.inside.map(Self.insideRow)
        for (row, wanted) in zip(rows, expected) where row != wanted {
            Issue.record("docs/obligations.md has the row\n\(row)\nwhere the code says\n\(wanted)")
        }
        #expect(rows.count == expected.count, "The rows are to be:\n\(expected.joined(separator: "\n"))")
    }

    /// A row about an obligation that the server can check.
    private static func row(_ obligation: Obligation) -> String {
        let clause = [obligation.clause, obligation.tolerance].compactMap { $0 }.joined(separator: " ")
        let scenarios = obligation.scenarios.joined(separator: ", ")
        return
            "| `\(obligation.id)` | \(obligation.level.rawValue) | \(source(of: obligation)) | \(clause) | \(scenarios) |"
            .replacing("|  |", with: "| |")
    }

    /// A row about an obligation that only an adapter can check.
    private static func insideRow(_ obligation: Obligation) -> String {
        "| `\(obligation.id)` | \(obligation.level.rawValue) | \(source(of: obligation)) | \(obligation.clause) |"
    }

    private static func source(of obligation: Obligation) -> String {
        obligation.origin == .ours ? "fitiq-mock" : Messages.source(of: obligation)
    }

}

@Suite("Advice for the client's language")
struct AdviceTests {
    @Test(
        "Only clients that identify as Swift get advice with Swift names",
        arguments: [
            ("FitIQ/1 CFNetwork/1490.0.4 Darwin/23.2.0", true), ("app (unknown version) curl/8.5.0", true),
            ("curl/8.5.0", false), ("python-requests/2.31", false), (nil, false),
        ])
    func language(userAgent: String?, isSwift: Bool) throws {
        var judge = Judge(mode: .union)
        let story = Story()
        let fields = userAgent.map { ["User-Agent: \($0)"] } ?? []
        story.request(.showConsultation, uuid(10).uppercased(), status: 404, at: 0, fields: fields)
        // The first request that identifies the language counts.
        story.request(.listGoals, at: 1, fields: isSwift ? ["User-Agent: curl/8.5.0"] : [])
        for entry in story.journal.entries() { judge.observe(entry) }
        let verdict = try #require(judge.verdict("ids/lowercase"))
        #expect(verdict.outcome == .broken)
        let general = verdict.obligation.advice
        #expect(verdict.advice.hasPrefix(general) && !general.contains("uuidString"))
        #expect(verdict.advice.contains("uuidString") == isSwift)
        let text = TerminalReport(Report(title: "x", runs: [SampleReport.run("a", judge.verdicts())])).text
        #expect(text.contains("How to fix it: \(verdict.advice)\n"))
    }

    @Test("A client in an unknown language gets the general advice")
    func unknown() { #expect(Findings(of: LowercaseIDs.obligation).verdict.advice == LowercaseIDs.obligation.advice) }

    @Test("General advice contains no Swift names", arguments: Judge.obligations + Obligation.inside)
    func general(_ obligation: Obligation) {
        for word in ["task.", "URLSession", "URLRequest", "await", "Codable", ".iso8601", "uuid", "webSocketTask"] {
            #expect(!obligation.advice.contains(word), "\(obligation.advice)")
        }
    }
}

@Suite("Socket obligations")
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
        ("ws/reconnect-backoff", .must, .guides([.consultationWebSocket, .enhancedConsultations, .mealLogWebSocket])),
        ("ws/reconnect-limit", .should, .guides([.consultationWebSocket])),
        ("ws/reconnects", .should, .guides([.consultationWebSocket, .enhancedConsultations, .mealLogWebSocket])),
        (
            "ws/no-reconnect-after-own-close", .should,
            .guides([.consultationWebSocket, .enhancedConsultations, .mealLogWebSocket])
        ),
        ("ws/recovers-history", .should, .ours),
        ("ws/close-handshake", .should, .guides([.consultationWebSocket, .mealLogWebSocket])),
    ]

    @Test("The socket judges match the contract table's rows in order")
    func table() {
        let obligations = SocketStory.judges.map { $0.obligation }
        #expect((obligations.map(\.id), obligations.map(\.level)) == (Self.table.map(\.0), Self.table.map(\.1)))
        #expect(obligations.map(\.origin) == Self.table.map(\.2))
    }

    @Test(
        "Each string in a socket obligation is a one-line sentence", arguments: SocketStory.judges.map { $0.obligation }
    )
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

    static let sentences: KeyValuePairs<String, String> = [
        Messages.wrongEndpoint("/ws"): "The client requested a WebSocket at /ws, which does not exist.",
        Messages.secondSocket(openedAt: at(61.9), oldAt: at(0), consultation: nil):
            "The client opened a socket at 10:31:01 while another socket for the same user, opened at 10:30:00, was still open.",
        Messages.tooSoon(wait: 999_999_999, failedAt: at(4), number: 1):
            "The client tried again 0.999 s after the socket ended at 10:30:04; it must wait at least 1 s.",
        Messages.tooSoon(wait: 200_000_000, failedAt: at(4), number: 3):
            "The client made attempt 3 0.2 s after attempt 2 had failed at 10:30:04; it must wait at least 1 s.",
        Messages.shrunk(wait: 0, previous: 12 * second + 50_000_000, number: 2):
            "The client waited 0 s before attempt 2, less than the 12.05 s before an earlier attempt.",
        Messages.noPing(for: 3601 * second + 1_000_000, since: at(-1)):
            "The socket was idle for 3601.001 s from 10:29:59; a ping is expected every 30 s.",
        Messages.wrongCloseCode(1005): "The client closed with code 1005; expected 1000 or 1001.",
        Messages.closeNotAnswered(1012):
            "The client did not answer the server's close frame (1012) with a close frame.",
    ]

    @Test("A finding's message contains the measured numbers", arguments: sentences)
    func sentence(_ actual: String, _ expected: String) { #expect(actual == expected) }
}
