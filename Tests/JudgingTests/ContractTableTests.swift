import FitIQAPI
import Testing

@testable import Judging

/// The contract's table of obligations, written down a second time.
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
        Row(
            "consultation/history-before-connect", .should, .guides([.consultationWebSocket, .enhancedConsultations])),
        Row(
            "retry/backoff-on-5xx", .must, .guides([.consultationWebSocket, .goalLinking, .mealLogWebSocket])),
        Row("retry/creates-once", .should, .ours),
        Row("goal/reuses-conversation", .must, .guides([.goalLinking])),
        Row("goal/links-created-goal", .must, .guides([.goalLinking])),
        Row("meal/no-fetch-after-completed", .should, .guides([.mealLogWebSocket])),
        Row("meal/no-poll-while-connected", .should, .guides([.webSocketArchitecture])),
        Row("meal/polling-cadence", .must, .guides([.webSocketArchitecture])),
    ]

    @Test("Each row has a judge, with its level and its source", arguments: rows)
    func exists(_ row: Row) throws {
        let obligation = try #require(Judge.obligations.first { $0.id == row.id })
        #expect(obligation.level == row.level)
        #expect(obligation.origin == row.origin)
    }

    @Test("The judges stand in the table's order, and there are no others")
    func isInOrder() {
        // What sockets show has a table of its own.
        #expect(Judge.obligations.map(\.id).filter { !$0.hasPrefix("ws/") } == Self.rows.map(\.id))
    }

    @Test("No obligation is there twice")
    func isUnique() {
        let ids = (Judge.obligations + Obligation.inside).map(\.id)
        #expect(Set(ids).count == ids.count)
    }

    @Test("What can be seen only from inside")
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

    @Test("What is said of obligations are sentences", arguments: Judge.obligations + Obligation.inside)
    func isSaid(_ obligation: Obligation) {
        for text in [obligation.clause, obligation.advice, obligation.tolerance].compactMap({ $0 }) {
            #expect(text.hasSuffix("."), "\(obligation.id)")
            #expect(text.first?.isLowercase == false || obligation.advice == text, "\(obligation.id): \(text)")
            #expect(!text.contains("  "), "\(obligation.id)")
        }
    }

    @Test("A guide's clients are judged by that guide, and by what all say", arguments: GuideMode.allCases)
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
