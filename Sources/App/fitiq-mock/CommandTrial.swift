import ContractSuite
import FitIQAPI
import Judging
import MockServer
import Scenarios
import Sockets
import Synchronization
import Traffic

/// Runs a command as the client of a schedule, in its own world.
///
/// The command takes the place of a story.
///
/// Only the output of the first run, which has no faults, is shown. `verify` can play the other schedules and show
/// their output.
final class CommandTrial: Trial {
    let run: CommandRun
    private let hasRun = Atomic(false)
    private let beginners = Beginners()

    var isRepeatable: Bool { false }

    init(_ run: CommandRun) { self.run = run }

    /// - Throws: A ``Failure`` from the harness, or `CancellationError` if the run was stopped.
    func run(_ scenario: Scenario, story: Int, within limit: RunLimit) async throws -> TrialOutcome {
        let isFirst = !hasRun.exchange(true, ordering: .relaxed)
        let streams = isFirst ? ChildProcess.Streams.ofClient : .init(output: .null, errors: .null)
        var run = run
        (run.child.limit, run.child.silence) = (limit.whole, limit.silence)
        // A confirmation does not have to wait behind the search.
        let isUrgent = limit.silence == limit.whole
        let hasBegun = Mutex(isUrgent)
        let leave = { @Sendable [beginners] in
            if !hasBegun.withLock({ (begun) in (begun, begun = true).0 }) { beginners.leave() }
        }
        run.child.whenBegun = leave
        typealias Seen = (entries: [JournalEntry], endedAt: Timestamp?, made: [RunJudgement])
        let work = { @Sendable [run, beginners] () throws(Failure) -> CommandRun.Outcome<Seen>? in
            guard isUrgent || beginners.enter(until: run.child.stop, run.child.end) else { return nil }
            defer { leave() }
            return try run.run(scenario, isJudged: false, streams: streams) { engine, world, now in
                (
                    engine.journalEntries(ofWorld: world.id), engine.access(toWorld: world.id, at: now)?.now,
                    engine.runJudgements(ofWorld: world.id, at: now)
                )
            }
        }
        let done = try await SystemThread.result(of: work, orNoThread: Failure.running)
        guard let done else { throw CancellationError() }
        var outcome = TrialOutcome(mode: done.world.mode, startedAt: done.world.now)
        (outcome.entries, outcome.endedAt, outcome.made) = done.seen
        outcome.end = .command(done.ending)
        if case .timedOut = done.ending {
            outcome.hasLasted = true
            // The run may have been stopped before its limit.
            outcome.end = .command(.timedOut(done.duration.components.seconds * 1_000_000_000))
        }
        return outcome
    }
}

/// Lets no more commands start at the same time than there are processors; commands that are running mostly sleep.
private final class Beginners: Sendable {
    private let count = Mutex(0)
    /// How often to check whether another command may start.
    private static let lookTime = Duration.milliseconds(10)

    /// Waits until another command may start; returns false if the run must stop first.
    func enter(until stop: Gate, _ end: MonotonicInstant?) -> Bool {
        while true {
            let hasRoom = count.withLock { count in
                guard count < System.processorCount else { return false }
                count += 1
                return true
            }
            if hasRoom { return true }
            if let end, end <= .now() { return false }
            if stop.wait(until: .now().advanced(by: Self.lookTime)) { return false }
        }
    }

    func leave() { count.withLock { $0 -= 1 } }
}

/// One command's adapters for concurrent clients; each has its own process, which serves one client at a time.
final class AdapterPool: Sendable {
    private let command: [String]
    private let adapters = Mutex<(free: [ProcessAdapter], all: [ProcessAdapter])>(([], []))
    /// Why the first client failed to begin, or nil if it began or was not tried.
    private let firstTrouble = Mutex<AdapterError??>(nil)

    init(_ command: [String]) { self.command = command }

    /// Makes a client with an adapter that is not serving another client.
    func begin(_ surroundings: Surroundings) async throws -> any ClientUnderTest {
        let adapter = adapters.withLock { adapters in
            if let free = adapters.free.popLast() { return free }
            let adapter = ProcessAdapter(command)
            adapters.all.append(adapter)
            return adapter
        }
        do throws(AdapterError) {
            var client = try await adapter.begin(surroundings, case: "explore")
            firstTrouble.withLock { $0 = $0 ?? .some(nil) }
            client.whenEnded = { [self] in adapters.withLock { $0.free.append(adapter) } }
            return client
        } catch {
            firstTrouble.withLock { $0 = $0 ?? error }
            adapters.withLock { $0.free.append(adapter) }
            throw error
        }
    }

    /// Why the adapter is unusable, or nil if it works.
    var trouble: AdapterError? { firstTrouble.withLock { $0 ?? nil }.flatMap { $0.isDeath ? $0 : nil } }

    func stop() async { for adapter in adapters.withLock({ $0.all }) { await adapter.stop() } }

    func kill() { for adapter in adapters.withLock({ $0.all }) { adapter.kill() } }
}
