import ArgumentParser
import Simulation
import Sockets
import TestSupport

/// Runs simulations until one fails or the budget is used up.
@main
struct Simulate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Drives the engine with random clients, a virtual network and a virtual clock.",
        discussion: "Without --seed it begins with seed 1; the same seed is the same run, byte for byte.")

    @Option(help: "Run this seed alone; a failure prints the one that replays it.")
    var seed: UInt64?

    @Option(help: "Run until so many clients have come and gone.")
    var sessions: Int?

    @Option(help: "Run for so many seconds.")
    var seconds: Double?

    @Flag(help: "Draw the first seed from the system.")
    var fresh = false

    @Flag(help: "Give each run's default world random fault rules.")
    var faults = false

    @Flag(help: "Run each seed twice: without breakpoints, and with some that hold everything and let it continue.")
    var breakpoints = false

    func validate() throws {
        guard !faults || !breakpoints else { throw ValidationError("--faults and --breakpoints exclude each other.") }
        guard seed == nil || !fresh else { throw ValidationError("--seed and --fresh contradict each other.") }
        guard sessions ?? 1 > 0, seconds ?? 1 > 0 else { throw ValidationError("A budget is more than 0.") }
    }

    func run() throws {
        CrashNotice.install()
        if let seed, sessions == nil, seconds == nil {
            try finish(runOne(seed), seconds: nil)
            return
        }
        let first = seed ?? (fresh ? UInt64.random(in: 1...UInt64(Int64.max)) : 1)
        if fresh { print("first seed: \(first)") }
        let begin = MonotonicInstant.now()
        func elapsed() -> Double { Double(MonotonicInstant.now().nanoseconds - begin.nanoseconds) / 1e9 }
        let enough = sessions ?? (seconds == nil ? Simulate.usualSessions : .max)
        var report = Report()
        var seed = first
        while report.sessions < enough, elapsed() < seconds ?? .infinity {
            report += try runOne(seed)
            seed &+= 1
        }
        try finish(report, seconds: elapsed())
    }

    /// The default budget: a few seconds of sessions.
    private static let usualSessions = 20_000

    private func runOne(_ seed: UInt64) throws -> Report {
        let flag = faults ? " --faults" : breakpoints ? " --breakpoints" : ""
        CrashNotice.prepare("seed \(seed) crashed the server\nreplay: scripts/simulate --seed \(seed)\(flag)\n")
        let result =
            breakpoints
            ? Simulator.compareContinuing(seed: seed) : Simulator(seed: seed, withFaults: faults).run()
        switch result {
        case .success(let report): return report
        case .failure(let failure):
            print(failure)
            throw ExitCode.failure
        }
    }

    private func finish(_ report: Report, seconds: Double?) throws {
        let rate =
            seconds.map { " in \(Int($0 * 1000)) ms, \(Int(Double(report.sessions) / $0)) sessions a second" } ?? ""
        print("passed: \(report.sessions) sessions\(rate)")
        print(
            "\(report.steps) steps, \(report.responses) responses, \(report.frames) frames, \(report.answers) answers compared"
        )
    }
}
