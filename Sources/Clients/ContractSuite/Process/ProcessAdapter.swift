import Sockets
import Synchronization

/// Receives each line to or from an adapter, without the line end; useful for adapter authors.
public typealias AdapterTrace = @Sendable (AdapterTraceDirection, ArraySlice<UInt8>) -> Void

public enum AdapterTraceDirection: Sendable { case sent, received }

/// A client in another language: a program that reads and writes JSON Lines on its standard input and output.
///
/// One process serves all cases, one at a time. If the process dies, stops answering or writes an invalid line, the
/// adapter ends it and starts a new process for the next case. `Fixtures/adapters/README.md` specifies the lines.
public final class ProcessAdapter: Sendable {
    public let command: [String]
    private let environment: [String]
    private let limits: AdapterLimits
    private let trace: AdapterTrace?
    /// The running process, locked during an exchange.
    private let process = Mutex<AdapterProcess?>(nil)
    /// The process group to kill in an emergency.
    private let group = Mutex<ChildGroup?>(nil)

    /// Creates an adapter whose program starts with the first case.
    ///
    /// - Parameters:
    ///   - command: The program, found in `PATH` unless it has a slash, and its arguments.
    ///   - environment: Variables to add to this process's environment.
    ///   - trace: Called with every line, on separate threads.
    public init(
        _ command: [String], environment: [(name: String, value: String)] = [],
        limits: AdapterLimits = AdapterLimits(), trace: AdapterTrace? = nil
    ) {
        precondition(!command.isEmpty, "a command must have at least a name")
        self.command = command
        self.environment = CurrentProcess.environment(with: environment)
        self.limits = limits
        self.trace = trace
    }

    /// Starts a case with a new client, in the running process or in a new one.
    ///
    /// - Parameter address: The case's address, for the adapter.
    public func begin(_ surroundings: Surroundings, case address: String = "") async throws(AdapterError)
        -> ProcessClient
    {
        let command = AdapterCommand.begin(surroundings, address: address)
        let beginning = try await onThread { () throws(AdapterError) in
            try self.process.withLock { (process) throws(AdapterError) in try self.begin(command, &process) }
        }
        return ProcessClient(self, beginning)
    }

    func ask<Answer: Sendable>(
        _ command: AdapterCommand, _ read: @escaping @Sendable ([UInt8]) throws(AnswerError) -> Answer
    ) async throws(AdapterError) -> Answer {
        try await onThread { () throws(AdapterError) in
            try self.process.withLock { (process) throws(AdapterError) in try self.ask(command, &process, read) }
        }
    }

    /// Ends the process: closes its standard input, and kills the process if it does not end.
    public func stop() async {
        // The process must end even if no thread can be created.
        try? await onThread { () throws(AdapterError) in self.process.withLock { self.discard(&$0) } }
        kill()
    }

    /// Kills the process immediately.
    ///
    /// This function may be called on any thread at any time.
    public func kill() { group.withLock { $0?.kill() } }

    private func begin(
        _ command: AdapterCommand, _ process: inout AdapterProcess?
    ) throws(AdapterError) -> AdapterAnswer.Beginning {
        if process?.hasEnded ?? true { try start(&process) }
        // A process may end after serving a case, and its end may become visible only now.
        let mayLeave = process?.hasAnswered ?? false
        do throws(AdapterError) {
            return try ask(command, &process, AdapterAnswer.beginning)
        } catch {
            guard mayLeave, case .ended = error.reason else { throw error }
            try start(&process)
            return try ask(command, &process, AdapterAnswer.beginning)
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
            // From here on, the process's output is unreliable.
            if !error.isAnswer { discard(&process) }
            throw error
        }
    }

    private func onThread<Result: Sendable>(
        _ body: @escaping @Sendable () throws(AdapterError) -> Result
    ) async throws(AdapterError) -> Result {
        try await SystemThread.result(of: body) { AdapterError(.notStarted($0.description)) }
    }
}

extension SystemThread {
    /// Waits on a separate thread, so that the task threads stay available to the client.
    package static func wait(until deadline: MonotonicInstant) async throws(SocketError) {
        let gate = try Gate()
        try await result(of: { () throws(SocketError) in _ = gate.wait(until: deadline) }, orNoThread: { $0 })
    }

    /// Runs blocking work on a separate thread, because Swift has only a few task threads.
    ///
    /// - Parameter failure: Creates the error if no thread can be created.
    public static func result<Value: Sendable, Trouble: Error>(
        of work: @escaping @Sendable () throws(Trouble) -> Value, orNoThread failure: (SocketError) -> Trouble
    ) async throws(Trouble) -> Value {
        let result: Result<Value, Trouble> = await withCheckedContinuation { continuation in
            do throws(SocketError) {
                try start {
                    do throws(Trouble) {
                        continuation.resume(returning: .success(try work()))
                    } catch {
                        continuation.resume(returning: .failure(error))
                    }
                }
            } catch {
                continuation.resume(returning: .failure(failure(error)))
            }
        }
        return try result.get()
    }
}
