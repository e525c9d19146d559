import FitIQAPI
import Judging
import Testing

@testable import ContractSuite

@Suite("Shrinking")
struct ShrinkTests {
    private static let calm = [
        FaultPoint(.request(.listGoals, 1), in: Situation()),
        FaultPoint(.request(.createGoal, 1), in: Situation()),
        FaultPoint(.request(.listGoals, 2), in: Situation()), FaultPoint(.question(turn: 1), in: Situation()),
    ]

    /// Shrinks a schedule, asking `fails` about each candidate, and checks the invariants.
    private func shrink(
        _ schedule: Schedule, limit: Int = ExploreLimits.candidates, if fails: (Schedule) -> Bool
    ) -> (smallest: Schedule, tried: [Schedule]) {
        var shrink = Shrink(schedule, points: Self.calm, limit: limit)
        var tried: [Schedule] = []
        while let candidate = shrink.next() {
            #expect(candidate.isSmaller(than: shrink.smallest))
            tried.append(candidate)
            shrink.tell(fails(candidate))
        }
        #expect(tried.count <= limit && shrink.count == tried.count)
        #expect(Set(tried).count == tried.count)
        #expect(tried.allSatisfy { $0.faults.allSatisfy { $0.kind.fits($0.place) } })
        #expect(shrink.smallest == schedule || fails(shrink.smallest))
        return (shrink.smallest, tried)
    }

    private static func triple() throws -> Schedule {
        let late = try Schedule.Fault("late", at: .request(.listGoals, 7))
        let refusal = try Schedule.Fault("status-503-for-good", at: .request(.createGoal, 4))
        let reset = try Schedule.Fault("reset", at: .chunk(.webSocket, connection: 3, answer: 2, 4))
        return Schedule(story: 0, faults: [late, refusal, reset])
    }

    @Test("Shrinking keeps the only relevant fault and makes it milder and earlier", arguments: [0, 1, 2])
    func one(_ index: Int) throws {
        let schedule = try Self.triple()
        let fault = schedule.faults[index]
        let (smallest, _) = shrink(schedule) { candidate in
            candidate.faults.contains { $0.place.route == fault.place.route && $0.kind.family == fault.kind.family }
        }
        #expect(smallest.faults.count == 1 && smallest.isBrief)
        let expected = [
            "slow(1s)@GET /api/v1/goals 1 (brief)", "status-500@POST /api/v1/goals 1 (brief)",
            "finish@chunk /api/v1/consultations/{id}/ws 1 1 1 (brief)",
        ]
        #expect(smallest.description == expected[index])
    }

    @Test("Shrinking keeps all faults if they matter only in combination")
    func two() throws {
        let schedule = try Self.triple()
        let (kept, dropped) = ([schedule.faults[0], schedule.faults[2]], schedule.faults[1])
        let (smallest, tried) = shrink(schedule) { candidate in
            kept.allSatisfy { candidate.faults.contains($0) } && !candidate.isBrief
        }
        #expect(smallest.faults == kept)
        #expect(tried.contains { !$0.faults.contains(dropped) })
        // If the client fails only with all three faults together, all three are found.
        let (all, _) = shrink(schedule) { candidate in schedule.faults.allSatisfy { candidate.faults.contains($0) } }
        #expect(all.faults == schedule.faults && all.isBrief)
    }

    @Test("Shrinking moves a dependent fault to a place that exists without the first fault")
    func anchors() throws {
        let lost = try Schedule.Fault("lost-answer", at: .request(.listGoals, 1))
        let refusal = try Schedule.Fault("status-401", at: .request(.listGoals, 9))
        let schedule = Schedule(story: 0, faults: [lost, refusal])
        // Without the first fault, there is no ninth request, but the second fault also works at the eighth.
        let (smallest, _) = shrink(schedule) { candidate in
            let places = candidate.faults.filter { $0.kind.id == "status-401" }.map(\.place)
            return places == [.request(.listGoals, 2)]
                || (places == [.request(.listGoals, 9)] && candidate.faults.count == 2)
        }
        #expect(smallest.description == "status-401@GET /api/v1/goals 2 (brief)")
    }

    @Test("Shrinking halves 200 faults and finds the two that matter in fewer than 120 tries")
    func many() throws {
        let faults = try (1...200).map { try Schedule.Fault("status-500", at: .request(.createGoal, $0)) }
        let schedule = Schedule(story: 0, faults: faults)
        let needed = [faults[17], faults[160]]
        let (smallest, tried) = shrink(schedule, limit: 1000) { candidate in
            needed.allSatisfy { candidate.faults.contains($0) }
        }
        #expect(smallest.faults == needed)
        #expect(tried.count < 120, "\(tried.count)")
        #expect(tried.first?.faults == Array(faults[..<100]), "the first half")
    }

    @Test("Shrinking does not move groups of several faults to other places")
    func fewAnchors() throws {
        let faults = try (5...10).map { try Schedule.Fault("status-500", at: .request(.listGoals, $0)) }
        let (_, tried) = shrink(Schedule(story: 0, faults: faults), limit: 1000) { _ in false }
        let moved = tried.filter { part in
            part.faults.count < faults.count && !part.faults.allSatisfy { faults.contains($0) }
        }
        #expect(Set(moved.map(\.faults.count)) == [1])
    }

    @Test("Shrinking is deterministic and stops exactly at its limit")
    func deterministic() throws {
        let schedule = try Self.triple()
        // An arbitrary client, whose failures depend on a hash.
        let fails: (Schedule) -> Bool = { $0.description.utf8.fnv1a % 3 == 0 }
        let (smallest, tried) = shrink(schedule, if: fails)
        let again = shrink(schedule, if: fails)
        #expect(again.smallest == smallest && again.tried == tried)
        #expect(tried.count > 3)
        for limit in [0, 1, tried.count - 1, tried.count, tried.count + 1] {
            #expect(shrink(schedule, limit: limit, if: fails).tried == Array(tried.prefix(limit)))
        }
        // An answer without a question changes nothing.
        var shrink = Shrink(schedule, points: Self.calm)
        shrink.tell(true)
        #expect(shrink.smallest == schedule)
    }

    @Test("Shrinking does not shorten answers in a story without questions")
    func noQuestions() throws {
        var shrink = Shrink(try Self.triple(), points: Self.calm.filter { $0.place.sort != .question })
        while let candidate = shrink.next() {
            #expect(!candidate.isBrief)
            shrink.tell(true)
        }
    }

    @Test("A halted investigation waits for the current runs and starts no more", arguments: [0, 1, 2])
    func halted(_ cut: Int) throws {
        let schedule = try Self.triple()
        var outcome = TrialOutcome()
        outcome.end = .command(.timedOut(40))
        let run = ExaminedRun(outcome, of: schedule, on: Story.all[0], Oracle(Story.all))
        var investigation = Investigation(
            "explore/hang", in: run, points: Self.calm, Explorer.Confirmation(2, of: 3), isRepeatable: false)
        let asks = [investigation.next(width: 4), investigation.next(width: 4)].compactMap(\.self)
        #expect(asks.count == 2 && asks.allSatisfy(\.isWhole))
        investigation.halt()
        #expect(investigation.conclusion == nil && investigation.next(width: 4) == nil)
        for (index, ask) in asks.enumerated() {
            #expect(investigation.conclusion == nil)
            investigation.tell(index < cut ? nil : run, of: ask)
        }
        switch try #require(investigation.conclusion) {
        case .found(_, let count, let made): #expect(cut == 0 && count == 2 && made == 2)
        case .doubted(let count, let made): #expect(cut > 0 && count == 0 && made == 0)
        }
    }

    @Test("Shrinking reduces a failure that needs no fault to an empty schedule")
    func none() throws {
        let (smallest, _) = shrink(try Self.triple()) { _ in true }
        #expect(smallest.faults.isEmpty && smallest.isBrief)
    }
}
