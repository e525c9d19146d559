import ContractSuite
import Judging
import MockServer
import Sockets
import Text

/// Plays cases with an adapter, while the main thread listens for signals.
struct TestClientRun: Sendable {
    let adapter: ProcessAdapter
    let server: LocalServer
    let cases: [ContractCase]
    let isStrict: Bool
    /// Whether the first failed case is the last one; those that are known to be broken do not count.
    let failsFast: Bool
    let knownBroken: KnownBroken
    /// The time for all cases; nil for no limit.
    let limit: Duration?
    /// nil for no output.
    let progress: TestClientProgress?

    /// What was played before the end, or before something ended it.
    struct Played {
        var results: [CaseResult]
        /// Why the rest was not played; nil if everything was.
        var incomplete: String?
        /// The signal that interrupted it.
        var signal: Int32?
    }

    /// What the thread of the cases leaves for the main thread.
    private struct State: Sendable {
        let results = Box<[CaseResult]>()
        /// Why the rest was not played, or why nothing was.
        let end = Box<Result<String?, Failure>>()
        let isStopped = Box<Bool>()
    }

    /// How long a case may take to notice that its adapter was killed.
    private static let patience = Duration.seconds(5)
    /// How many slow cases an incomplete report names.
    private static let slowestCount = 5

    /// - Throws: if nothing was played.
    func wait(_ watch: CommandWatch) throws(Failure) -> Played {
        let state = State()
        let mailbox = watch.mailbox
        Task.detached { [self] in
            let end: Result<String?, Failure>
            do {
                end = .success(try await play(state))
            } catch let failure as Failure {
                end = .failure(failure)
            } catch {
                end = .failure(.running(Messages.noServer("\(error)")))
            }
            await adapter.stop()
            state.end.value = end
            mailbox.requestStop()
        }
        let deadline = limit.map { MonotonicInstant.now().advanced(by: $0) }
        while true {
            let event = try watch.wait(until: deadline ?? .now().advanced(by: .seconds(3600)))
            if let end = state.end.value {
                return Played(results: state.results.value ?? [], incomplete: try end.get().map { told($0, state) })
            }
            switch event {
            case .ended: break
            case .signal(let number):
                stop(state)
                guard let results = state.results.value else { throw .interrupted(by: number) }
                return Played(results: results, incomplete: told(Messages.interruptedRun, state), signal: number)
            case .timeUp:
                guard let limit, deadline.map({ $0 <= .now() }) ?? false else { break }
                stop(state)
                let results = state.results.value ?? []
                return Played(results: results, incomplete: told(Messages.timeIsUp(limit), state))
            }
        }
    }

    /// Ends the adapter and the case that is under way, which does not count.
    private func stop(_ state: State) {
        state.isStopped.value = true
        adapter.kill()
        let deadline = MonotonicInstant.now().advanced(by: Self.patience)
        let pause = try? Gate()
        while state.end.value == nil, MonotonicInstant.now() < deadline {
            pause?.wait(until: .now().advanced(by: .milliseconds(10)))
        }
    }

    /// Why the run is incomplete, with what was played and took longest.
    private func told(_ reason: String, _ state: State) -> String {
        let results = state.results.value ?? []
        let slowest = results.sorted { $0.systemTime > $1.systemTime }.prefix(Self.slowestCount).map {
            (address: $0.contractCase.address, tenths: $0.systemTime.nanoseconds / 100_000_000)
        }
        return Messages.incomplete(
            reason, played: results.count, of: cases.count, slowest: slowest.filter { $0.tenths > 0 })
    }

    /// Plays the cases; returns why it stopped before the last.
    private func play(_ state: State) async throws -> String? {
        var runner = CaseRunner(on: server)
        runner.isStrict = isStrict
        var deaths = 0
        for (index, contractCase) in cases.enumerated() {
            let trouble = Box<AdapterError>()
            let result = try await runner.run(contractCase) { surroundings in
                do throws(AdapterError) {
                    return try await adapter.begin(surroundings, case: contractCase.address)
                } catch {
                    trouble.value = error
                    throw error
                }
            }
            if state.isStopped.value == true { return nil }
            deaths = trouble.value?.isDeath == true ? deaths + 1 : 0
            // An adapter that does not live long enough for the first case will not do so for the others.
            if index == 0, let error = trouble.value, error.isDeath {
                throw Failure.configuration(error.description)
            }
            state.results.value = (state.results.value ?? []) + [result]
            progress?.ended(index, result)
            guard index + 1 < cases.count else { break }
            if deaths > 1 { return Messages.adapterDies }
            if failsFast, fails(result) { return Messages.failedFast }
        }
        return nil
    }

    private func fails(_ result: CaseResult) -> Bool {
        let outcome = Report(title: "", results: [result]).outcome(knownBroken: knownBroken)
        return outcome[.broken] > 0 || outcome.failedCheckCount > 0
    }
}
