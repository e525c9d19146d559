import Sockets

/// An adapter that runs: lines out, lines in, each exchange with a deadline.
///
/// Calls wait.
final class AdapterProcess {
    let child: ChildProcess
    private let input: ChildPipe
    private let output: ChildPipe
    private var buffer = LineBuffer()
    private let limits: AdapterLimits
    private let trace: AdapterTrace?
    /// How often is looked whether it lives: one that has ended may have left its streams to others, which keep them open.
    private static let lookTime = Duration.seconds(1)
    /// Whether it has answered anything.
    private(set) var hasAnswered = false

    init(
        _ command: [String], environment: [String], limits: AdapterLimits, trace: AdapterTrace?
    ) throws(ChildProcessError) {
        self.limits = limits
        self.trace = trace
        input = try ChildPipe(.toChild)
        output = try ChildPipe(.fromChild)
        child = try ChildProcess(
            command, environment: environment,
            streams: .init(input: input.childStream, output: output.childStream))
        input.closeChildEnd()
        output.closeChildEnd()
    }

    /// Sends a command and waits for its answer's line.
    func exchange(_ command: AdapterCommand) throws(AdapterError) -> [UInt8] {
        let deadline = MonotonicInstant.now().advanced(by: limits.answerTime)
        let line = command.line
        if let unasked = buffer.next() { throw AdapterError(.unasked, to: command, received: unasked) }
        trace?(.sent, line.dropLast())
        do throws(ChildProcessError) {
            try input.write(line, until: deadline)
        } catch {
            throw failure(error, during: command, by: deadline)
        }
        while true {
            if let answer = buffer.next() {
                guard answer.count <= AdapterLimits.lineBytes else { throw AdapterError(.tooLong, to: command) }
                trace?(.received, answer[...])
                hasAnswered = true
                return answer
            }
            guard buffer.bytes.count <= AdapterLimits.lineBytes else { throw AdapterError(.tooLong, to: command) }
            let isOpen: Bool
            do throws(ChildProcessError) {
                isOpen = try output.read(into: &buffer.bytes, until: min(deadline, .now().advanced(by: Self.lookTime)))
            } catch {
                if error.isTimeout, !hasEnded, .now() < deadline { continue }
                throw failure(error, during: command, by: deadline)
            }
            guard isOpen else { throw silence(during: command, by: deadline) }
        }
    }

    private func failure(
        _ error: ChildProcessError, during command: AdapterCommand, by deadline: MonotonicInstant
    ) -> AdapterError {
        if error.isTimeout, !hasEnded { return AdapterError(.late, to: command) }
        return error.operation == .write || error.isTimeout
            ? silence(during: command, by: deadline) : AdapterError(.notStarted(error.description), to: command)
    }

    /// What to say of an adapter of which nothing more will come.
    private func silence(during command: AdapterCommand, by deadline: MonotonicInstant) -> AdapterError {
        // Its streams close a moment before it has ended.
        let patience = min(deadline, .now().advanced(by: .seconds(1)))
        guard let outcome = child.wait(until: patience) else { return AdapterError(.closedOutput, to: command) }
        return AdapterError(.ended(outcome.inWords), to: command)
    }

    /// Closes its standard input, gives it time to end, and ends it.
    func end() {
        input.close()
        child.wait(until: .now().advanced(by: limits.endTime))
        child.end(grace: limits.endTime)
    }

    /// Whether it has ended by now.
    var hasEnded: Bool { child.wait(until: .now()) != nil }
}
