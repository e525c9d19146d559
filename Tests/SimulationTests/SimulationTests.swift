import Faults
import FitIQAPI
import TestSupport
import Testing

@testable import Simulation

@Suite("Simulation")
struct SimulationTests {
    @Test("Runs from fixed seeds preserve the invariants and reach their targets")
    func fixedSeeds() throws {
        var report = Report()
        var digests: Set<UInt64> = []
        for seed in 1...UInt64(36) {
            let run = try Simulator(seed: seed).run().get()
            #expect(run.sessions == Simulator.usualSessions, "seed \(seed)")
            #expect(run.steps > run.sessions && run.responses > run.sessions, "seed \(seed)")
            digests.insert(run.digest)
            report += run
        }
        #expect(digests.count == 36, "another seed is another run")
        #expect(report.answers >= 20)
        #expect(report.frames >= 1000)
        #expect(report.responses >= 1000)
        let missing = Set(Endpoint.allCases).subtracting(report.succeeded)
        // With so few runs, which rare operations are missing depends on all draws together.
        #expect(missing.count <= 3, "\(missing.map(\.name).sorted())")
    }

    @Test("With faults and an operator, fixed seeds preserve the invariants that faults do not affect")
    func fixedSeedsWithFaults() throws {
        var report = Report()
        for seed in 1...UInt64(12) {
            let run = try Simulator(seed: seed, withFaults: true).run().get()
            #expect(run.sessions == Simulator.usualSessions, "seed \(seed)")
            report += run
        }
        let all: Set = [
            "send", "close", "finish", "reset", "silence", "resume", "marks", "rewind", "fork", "held",
        ]
        #expect(all.subtracting(report.byHand).isEmpty, "\(report.byHand)")
    }

    @Test(
        "Holding and immediately continuing does not change the bytes that a client receives",
        arguments: 1...UInt64(4))
    func continuing(_ seed: UInt64) throws {
        let report = try Simulator.compareContinuing(seed: seed, sessions: 30).get()
        #expect(report.byHand == ["held"] && report.frames > 0)
    }

    @Test("Seeds that once failed now pass", arguments: try FailedSeed.all())
    func failedSeeds(_ failed: FailedSeed) throws {
        _ = try Simulator(
            seed: failed.seed, withFaults: failed.withFaults, operating: failed.withBreakpoints ? .asDrawn : .never
        ).run().get()
    }

    @Test("Runs from fresh system seeds preserve the invariants", arguments: [false, true])
    func freshSeeds(withFaults: Bool) throws {
        for _ in 0..<LongRun.choose(2, long: 8) {
            let seed = UInt64.random(in: 1...UInt64(Int64.max))
            // The description of a failure has the seed and the command; after a crash, this line is all there is.
            print("simulation: fresh seed \(seed)\(withFaults ? " --faults" : "")")
            _ = try Simulator(seed: seed, withFaults: withFaults).run().get()
        }
    }

    @Test("The same seed produces the same run byte for byte", arguments: LongRun.choose([3], long: [3, 7, 10]))
    func replay(_ seed: UInt64) throws {
        let first = try Simulator(seed: seed).run().get()
        let second = try Simulator(seed: seed).run().get()
        #expect(first == second)
    }

    @Test("A failure shows the seed, world, step, last operations and replay command")
    func failureText() {
        let failure = Failure(
            seed: 7, world: "w1", step: 12, message: "two goals name one conversation",
            operations: ["11 +5 ms, client 3: connects", "12 +6 ms, client 3: creates a goal → 201"])
        #expect(
            failure.description == """
                seed 7, world w1, step 12: two goals name one conversation
                last operations:
                  11 +5 ms, client 3: connects
                  12 +6 ms, client 3: creates a goal → 201
                replay: scripts/simulate --seed 7
                """)
    }
}
