import FitIQAPI
import Mutants
import Synchronization
import Testing

@testable import ContractSuite

@Suite("Explored mutants")
struct ExploredMutantTests {
    /// One mutant for each family of mistakes, identified by its breach; `scripts/explore mutants` tries all mutants.
    static let sample = [
        "auth/refresh-token-once", "request/shape", "consultation/conflict-continues-existing", "ws/close-handshake",
        "ws/reconnect-backoff", "ws/recovers-history", "retry/backoff-on-5xx", "goal/reuses-conversation",
        "ws/meal-socket-single", "inside/transcript-equals-chunks",
    ]

    @Test("The explorer finds an unknown mutant and reduces it to at most one fault", arguments: sample)
    func isFound(_ obligation: String) async throws {
        let mutant = try #require(Mutant.all.first { $0.breaks == obligation })
        let found = try #require(try await Self.finding(of: mutant, runs: 300))
        #expect(found.schedule.faults.count <= 1, "\(found.schedule)")
    }

    /// A mutant whose mistake shows only under its guide or together with something that clients must ignore.
    static let particular: [(words: String, guide: GuideMode?)] = [
        ("although its guide's pauses grow", .consultationWebSocket), ("only the newest words", nil),
        ("instead of using the event that says it failed", nil), ("only the calories", .mealLogWebSocket),
        ("unknown type as an error", nil), ("the persona as an enum", .consultationWebSocket),
        ("a goal's status as an enum", .goalLinking), ("a meal's status as an enum", .webSocketArchitecture),
        ("after the conversation was not found", nil), ("as a meal template", nil),
        ("keeps every message", .consultationWebSocket),
    ]

    @Test("The explorer finds a mutant that breaks the rule of one guide", arguments: particular)
    func isFoundUnderItsGuide(_ words: String, _ guide: GuideMode?) async throws {
        let mutants = Mutant.all.filter { $0.name.contains(words) }
        let mutant = try #require(mutants.first)
        #expect(mutants.count == 1)
        #expect(try await Self.finding(of: mutant, runs: 150, guide: guide) != nil)
    }

    /// Explores until it finds a mutant, and returns the finding.
    private static func finding(of mutant: Mutant, runs: Int, guide: GuideMode? = nil) async throws -> Discovery? {
        let trial = MemoryTrial { surroundings, network in
            try ReferenceClient(
                surroundings, network: network, mutation: mutant.tampering(), configure: mutant.configure)
        }
        var settings = Explorer.Settings()
        (settings.runs, settings.stories) = (runs, Story.all.map { $0.with(guide: guide) })
        let isFound = Mutex(false)
        let exploration = try await Explorer(settings).explore(
            with: trial, stopping: { isFound.withLock { $0 ? .interrupted : nil } },
            observing: { exploration in
                isFound.withLock { $0 = exploration.found.contains { mutant.isFound(by: $0.symptom.id) } }
            })
        return exploration.found.first { mutant.isFound(by: $0.symptom.id) }
    }
}
