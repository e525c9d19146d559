import ContractSuite
import FitIQAPI
import MockServer
import Sockets
import Synchronization

/// Plays cases with an adapter, while the main thread listens for signals.
struct TestClientRun: Sendable {
    let adapter: ProcessAdapter
    let server: LocalServer
    let cases: [ContractCase]
    let isStrict: Bool
    /// nil for no output.
    let progress: TestClientProgress?

    private typealias Outcome = Result<[CaseResult], Failure>

    /// Plays the cases, one after another, and waits for their end.
    func wait(_ watch: CommandWatch) throws(Failure) -> [CaseResult] {
        let outcome = Box()
        let mailbox = watch.mailbox
        Task.detached { [self] in
            let result: Outcome
            do {
                result = .success(try await play())
            } catch let failure as Failure {
                result = .failure(failure)
            } catch {
                result = .failure(.running(Messages.noServer("\(error)")))
            }
            await adapter.stop()
            outcome.value.withLock { $0 = result }
            mailbox.requestStop()
        }
        while true {
            let event = try watch.wait(until: .now().advanced(by: .seconds(3600)))
            if case .signal(let number) = event {
                adapter.kill()
                throw .interrupted(by: number)
            }
            if let result = outcome.value.withLock({ $0 }) { return try result.get() }
        }
    }

    private func play() async throws -> [CaseResult] {
        var runner = CaseRunner(on: server)
        runner.isStrict = isStrict
        var results: [CaseResult] = []
        let unstarted = Trouble()
        for (index, contractCase) in cases.enumerated() {
            let result = try await runner.run(contractCase) { surroundings in
                do throws(AdapterError) {
                    return try await adapter.begin(surroundings, case: contractCase.address)
                } catch {
                    unstarted.note(error)
                    throw error
                }
            }
            // An adapter that cannot be started for the first case will not start for the others.
            if index == 0, let error = unstarted.error { throw Failure.configuration(error.description) }
            results.append(result)
            progress?.ended(index, result)
        }
        return results
    }

    /// Records that the system cannot run the adapter at all.
    private final class Trouble: Sendable {
        private let value = Mutex<AdapterError?>(nil)

        var error: AdapterError? { value.withLock { $0 } }

        func note(_ error: AdapterError) {
            guard case .notStarted = error.reason else { return }
            value.withLock { $0 = error }
        }
    }

    /// A value that one thread leaves for another.
    private final class Box: Sendable {
        let value = Mutex<Outcome?>(nil)
    }
}

/// Reports on standard error how each case ended.
struct TestClientProgress: Sendable {
    /// The number of cases.
    let count: Int

    func ended(_ index: Int, _ result: CaseResult) {
        let outcome: Messages.CaseOutcome =
            if let reason = result.skipped { .skipped(reason) } else { result.isPassed ? .passed : .failed }
        FitIQMock.printToStandardError(
            Messages.caseEnded(index + 1, of: count, result.contractCase.address, outcome) + "\n")
    }
}

/// Shared by the commands that judge clients: a server within the program, whose failures are the harness's own.
enum Harness {
    /// A server on a free port that is reachable from this machine only.
    ///
    /// - Parameter origins: the origins of pages that may be clients.
    static func startServer(allowing origins: Set<AllowedOrigin> = []) throws(Failure) -> LocalServer {
        var configuration = Engine.Configuration()
        configuration.allowedOrigins = origins
        do {
            return try LocalServer(configuration)
        } catch {
            throw .running(Messages.noServer("\(error)"))
        }
    }

    /// Runs work on the server's engine, and waits for it.
    static func perform<Value: Sendable>(
        _ server: LocalServer, _ body: @escaping @Sendable (Engine, Timestamp) throws -> Value
    ) throws(Failure) -> Value {
        do {
            return try server.performAndWait(body)
        } catch let error as APIError {
            throw .running(Messages.noWorld(error.message))
        } catch {
            throw .running(Messages.noServer("\(error)"))
        }
    }

    /// The environment variables that describe a world to a program.
    static func environment(
        of world: Engine.WorldAccess, on server: LocalServer, scenario: String
    ) -> [(name: String, value: String)] {
        [
            ("FITIQ_MOCK_URL", world.url), ("FITIQ_MOCK_WS_URL", world.webSocketURL),
            ("FITIQ_MOCK_TOKEN", world.token), ("FITIQ_MOCK_FRESH_TOKEN", world.freshToken),
            ("FITIQ_MOCK_API_KEY", world.apiKey), ("FITIQ_MOCK_SCENARIO", scenario),
            ("FITIQ_MOCK_ADMIN_URL", "\(server.url)/__admin/worlds/\(world.id)"),
        ]
    }
}
