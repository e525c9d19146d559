import FitIQAPI
import FitIQClient
import JSON
import Judging
import Scenarios
import Testing
import Traffic

@testable import ContractSuite

@Suite("Discoveries")
struct DiscoveryTests {
    /// A fault that takes effect on the reference client in the first story and is reported as if it had made the
    /// client fail.
    private static func discovery(
        _ id: String, kind: String = "reset", at place: FaultPoint.Place, besides names: [String] = []
    ) async throws -> Discovery {
        let story = Story.all[0]
        let schedule = try Schedule(kind, at: place)
        let run = try await ExaminedRun(schedule, on: story, with: MemoryTrial.reference, Oracle(Story.all))
        let number = try #require(run.outcome.entries.first { !$0.event.faultNames.isEmpty }).number
        let symptom = Symptom(
            id: id, level: .must, message: "The client showed too much.", situation: run.reading.situations[number],
            entries: [number])
        return Discovery(symptom, in: run, of: story, confirmed: (1, 1), besides: names)
    }

    private static let chunk = FaultPoint.Place.chunk(.webSocket, connection: 1, answer: 1, 3)

    @Test("The sentence for a discovery names the fault, where it occurs and how the client reacts")
    func sentence() async throws {
        let found = try await Self.discovery("inside/cut-stream-not-complete", at: Self.chunk)
        #expect(
            found.sentence
                == "After a reset at the third chunk of the first answer on the first chat socket: the client shows "
                + "an incomplete answer as complete.")
        #expect(found.name == "cut-stream-not-complete-after-reset-at-chunk-1-3".replacing("-at", with: ""))
        #expect(found.advice.hasPrefix("Mark a message complete only on stream_complete"))
        let lost = try await Self.discovery("ids/lowercase", kind: "lost-answer", at: .request(.createConsultation, 1))
        #expect(
            lost.sentence
                == "After a lost answer for the first POST /api/v1/consultations: the client showed too much.")
    }

    @Test("A duplicate discovery name gets a number, and a long name is truncated")
    func names() async throws {
        let first = try await Self.discovery("explore/unwell", at: Self.chunk)
        let second = try await Self.discovery("explore/unwell", at: Self.chunk, besides: [first.name])
        #expect(second.name == first.name + "-2")
        let third = try await Self.discovery("explore/unwell", at: Self.chunk, besides: [first.name, second.name])
        #expect(third.name == first.name + "-3")
        let id = "explore/" + String(repeating: "long-", count: 30)
        let long = try await Self.discovery(id, at: Self.chunk)
        #expect(long.name.utf8.count == Discovery.nameLimit)
        let longer = try await Self.discovery(id, at: Self.chunk, besides: [long.name])
        #expect(longer.name.utf8.count == Discovery.nameLimit && longer.name.hasSuffix("-2"))
    }

    @Test("The timeline shows the fault's entry and the entries around it")
    func timeline() async throws {
        let found = try await Self.discovery("explore/unwell", at: Self.chunk)
        #expect(found.timeline.contains { $0.contains("reset-1") })
        #expect((3...Discovery.timelineLimit).contains(found.timeline.count))
    }

    @Test("A timeline shows one line per journal entry and at most 20 lines")
    func longTimeline() throws {
        let story = Story.all[0]
        for (count, lines) in [(1, 1), (3, 3), (20, 20), (21, 20), (40, 20)] {
            let fault = JournalEvent.fault(RecordedFault(name: "silence-1", effect: .silence))
            let outcome = TrialOutcome((1...count).map { _ in (0, 1, fault) })
            let run = ExaminedRun(outcome, of: Schedule(story: 0), on: story, Oracle(Story.all))
            let symptom = Symptom(
                id: "explore/unwell", level: .must, message: "It is unwell.", situation: Situation(), entries: [1])
            let found = Discovery(symptom, in: run, of: story, confirmed: (1, 1))
            #expect(found.timeline.count == lines, "\(count)")
        }
    }

    @Test("A discovery's file contains a scenario with the discovery's name and its story's world")
    func file() async throws {
        let found = try await Self.discovery("explore/unwell", at: Self.chunk)
        let text = String(decoding: found.file(comments: ["Found by: fitiq-mock explore"]), as: UTF8.self)
        #expect(text.hasPrefix("# Found by: fitiq-mock explore\n# Failed 1 of 1.\n"))
        #expect(text.contains("\n# story: chat\n"))
        let harmless = try await Self.discovery(
            "inside/unknown-is-ignored", kind: "unknown-type",
            at: .frame(.webSocket, connection: 1, type: "connected", 1))
        #expect(
            String(decoding: harmless.file(), as: UTF8.self).contains("\n# story: chat, whose expectations count\n"))
        let scenario = try Scenario.read(text)
        #expect(scenario.name == found.name && scenario.summary == found.sentence)
        #expect(scenario.script == Story.all[0].scenario.script)
    }

    @Test("Every kind of fault has a description", arguments: FaultKind.all.map(\.id))
    func words(_ kind: String) { #expect(ExploringMessages.noun(kind) != nil) }
}
