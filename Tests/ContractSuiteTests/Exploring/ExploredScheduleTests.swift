import FitIQClient
import Foundation
import TestSupport
import Testing

@testable import ContractSuite

/// A schedule from `Fixtures/simulator/explored-seeds.txt` that once revealed a defect in the client, the fake or a
/// judge.
struct ExploredSchedule: Sendable, CustomTestStringConvertible {
    let schedule: Schedule
    let text: String
    let comment: String

    var testDescription: String { "\(Story.all[schedule.story].name): \(text): \(comment)" }

    /// Whether the client spoke the `user_message` protocol.
    let asksAsUser: Bool

    /// A line is `STORY: FAULTS # COMMENT`, with the faults as `scripts/explore reference` prints them; a comment that
    /// starts with `user_message:` is about a client that uses that protocol.
    init(line: String) throws {
        let halves = line.components(separatedBy: " # ")
        let parts = halves[0].components(separatedBy: ": ")
        try #require(halves.count == 2 && parts.count == 2, "\(line)")
        (text, comment) = (parts[1], halves[1])
        asksAsUser = comment.hasPrefix("user_message:")
        var schedule = Schedule(story: try #require(Story.all.firstIndex { $0.name == parts[0] }, "\(line)"))
        schedule.isBrief = text.hasSuffix(" (brief)")
        schedule.faults = try text.replacingOccurrences(of: " (brief)", with: "").components(separatedBy: " + ")
            .map(Self.fault)
        self.schedule = schedule
    }

    private static func fault(_ text: String) throws -> Schedule.Fault {
        let halves = text.components(separatedBy: "@")
        let words = halves[0].components(separatedBy: "(")
        let place = try #require(FaultPoint.Place(halves[1]), "\(text)")
        var fault = try Schedule.Fault(words[0], at: place)
        if words.count > 1 { fault.wait = .seconds(try #require(Int(words[1].dropLast(2)), "\(text)")) }
        return fault
    }

    static func all() throws -> [ExploredSchedule] {
        let text = try textOfPackage("Fixtures/simulator/explored-seeds.txt")
        return try text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map {
            try ExploredSchedule(line: String($0))
        }
    }
}

@Suite("Schedules that once showed a defect")
struct ExploredScheduleTests {
    @Test("No recorded schedule reproduces its defect")
    func replays() async throws {
        let trial = MemoryTrial.reference
        let userTrial = MemoryTrial { try ReferenceClient($0, network: $1) { $0.chat = .userMessage } }
        var oracle = Oracle(Story.all)
        for (index, story) in Story.all.enumerated() {
            let run = try await ExaminedRun(Schedule(story: index), on: story, with: trial, oracle)
            #expect(run.symptoms.isEmpty, "\(story.name)")
            oracle.learn(run.outcome, story: index)
        }
        for explored in try ExploredSchedule.all() {
            let schedule = explored.schedule
            #expect("\(schedule)" == explored.text)
            let run = try await ExaminedRun(
                schedule, on: Story.all[schedule.story], with: explored.asksAsUser ? userTrial : trial, oracle)
            #expect(run.symptoms.isEmpty, "\(explored.testDescription)")
        }
    }
}
