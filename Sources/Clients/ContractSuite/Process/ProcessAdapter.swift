import Sockets
import Synchronization

/// A line that went to an adapter or came from it, without its end; for people who write one.
public typealias AdapterTrace = @Sendable (AdapterTraceDirection, ArraySlice<UInt8>) -> Void

/// Which way a line went.
public enum AdapterTraceDirection: Sendable {
    /// To the adapter.
    case sent
    /// From the adapter.
    case received
}

/// A client in another language: a program that speaks JSON Lines on its standard input and output.
///
/// One process serves a case after the other; one that died, fell silent or wrote what cannot be read is ended, and
/// another is started for the next
/// case. `Fixtures/adapters/README.md` specifies the lines. Cases take turns: there is one at a time.
public final class ProcessAdapter: Sendable {
    /// The program and its arguments.
    public let command: [String]
    private let environment: [String]
    private let limits: AdapterLimits
    private let trace: AdapterTrace?
    /// The process that runs; locked while an exchange lasts.
    private let process = Mutex<AdapterProcess?>(nil)
    /// What is killed in a hurry.
    private let group = Mutex<ChildGroup?>(nil)

    /// Prepares a program; it is started with the first case.
    ///
    /// - Parameters:
    ///   - command: the program, looked up along `PATH` unless it has a slash, and its arguments; not empty.
    ///   - environment: what it finds in its environment beside this process's own.
    ///   - trace: is told of every line, on threads of its own.
    public init(
        _ command: [String], environment: [(name: String, value: String)] = [],
        limits: AdapterLimits = AdapterLimits(), trace: AdapterTrace? = nil
    ) {
        precondition(!command.isEmpty, "a command has at least a name")
        self.command = command
        self.environment = CurrentProcess.environment(with: environment)
        self.limits = limits
        self.trace = trace
    }

    /// Begins a case: the client is made anew, in the process that runs or in a new one.
    ///
    /// - Parameter address: the case's, which the adapter is told.
    public func begin(_ surroundings: Surroundings, case address: String = "") async throws(AdapterError)
        -> ProcessClient
    {
        let command = AdapterCommand.begin(surroundings, address: address)
        let clock = try await onThread { () throws(AdapterError) in
            try self.process.withLock { (process) throws(AdapterError) in try self.begin(command, &process) }
        }
        return ProcessClient(self, clock: clock)
    }

    /// Sends a command of a case, and reads its answer.
    func ask<Answer: Sendable>(
        _ command: AdapterCommand, _ read: @escaping @Sendable ([UInt8]) throws(AnswerError) -> Answer
    ) async throws(AdapterError) -> Answer {
        try await onThread { () throws(AdapterError) in
            try self.process.withLock { (process) throws(AdapterError) in try self.ask(command, &process, read) }
        }
    }

    /// Ends the process: its standard input is closed, and if it does not end then, it is made to.
    public func stop() async {
        // No thread for it is no reason to leave it running.
        try? await onThread { () throws(AdapterError) in self.process.withLock { self.discard(&$0) } }
        kill()
    }

    /// Kills the process at once, whatever it or this object is doing; any thread may call.
    public func kill() {
        group.withLock { $0?.kill() }
    }

    private func begin(
        _ command: AdapterCommand, _ process: inout AdapterProcess?
    ) throws(AdapterError) -> ClientClock {
        if process?.hasEnded ?? true { try start(&process) }
        // One that has served before may leave behind its case; that may be seen only now.
        let mayLeave = process?.hasAnswered ?? false
        do throws(AdapterError) {
            return try ask(command, &process, AdapterAnswer.clock)
        } catch {
            guard mayLeave, case .ended = error.reason else { throw error }
            try start(&process)
            return try ask(command, &process, AdapterAnswer.clock)
        }
    }

    private func start(_ process: inout AdapterProcess?) throws(AdapterError) {
        discard(&process)
        do throws(ChildProcessError) {
            let started = try AdapterProcess(command, environment: environment, limits: limits, trace: trace)
            let child = started.child.group
            group.withLock { $0 = child }
            process = started
        } catch {
            throw AdapterError(.notStarted(error.description))
        }
    }

    private func discard(_ process: inout AdapterProcess?) {
        process?.end()
        process = nil
        group.withLock { $0 = nil }
    }

    private func ask<Answer>(
        _ command: AdapterCommand, _ process: inout AdapterProcess?, _ read: ([UInt8]) throws(AnswerError) -> Answer
    ) throws(AdapterError) -> Answer {
        guard let running = process else { throw AdapterError(.notRunning, to: command) }
        do throws(AdapterError) {
            let line = try running.exchange(command)
            do throws(AnswerError) {
                return try read(line)
            } catch {
                throw AdapterError(error, to: command, received: line)
            }
        } catch {
            // Whatever comes next from it could be anything.
            if !error.isAnswer { discard(&process) }
            throw error
        }
    }

    /// Does what waits on a thread of its own: the threads of Swift's tasks are few, and others need them.
    private func onThread<Result: Sendable>(
        _ body: @escaping @Sendable () throws(AdapterError) -> Result
    ) async throws(AdapterError) -> Result {
        let result: Swift.Result<Result, AdapterError> = await withCheckedContinuation { continuation in
            do throws(SocketError) {
                try SystemThread.start {
                    do throws(AdapterError) {
                        continuation.resume(returning: .success(try body()))
                    } catch {
                        continuation.resume(returning: .failure(error))
                    }
                }
            } catch {
                continuation.resume(returning: .failure(AdapterError(.notStarted(error.description))))
            }
        }
        return try result.get()
    }
}
