import FitIQAPI
import Sockets
import Synchronization

/// A running adapter.
///
/// Exchanges lines with an adapter's process, with a deadline for each.
///
/// Calls block.
final class AdapterProcess {
    let child: ChildProcess
    private let input: ChildPipe
    private let output: ChildPipe
    private let errors: AdapterErrors
    private var buffer = LineBuffer()
    private let limits: AdapterLimits
    private let trace: AdapterTrace?
    /// The interval for checking whether the process is alive; other processes may keep its streams open.
    private static let lookTime = Duration.seconds(1)
    /// How long the process may take to end after its streams have closed.
    private static let endingTime = Duration.seconds(2)
    private(set) var hasAnswered = false

    init(
        _ command: [String], environment: [String], limits: AdapterLimits, trace: AdapterTrace?
    ) throws(ChildProcessError) {
        self.limits = limits
        self.trace = trace
        input = try ChildPipe(.toChild)
        output = try ChildPipe(.fromChild)
        let errorPipe = try ChildPipe(.fromChild)
        child = try ChildProcess(
            command, environment: environment,
            streams: .init(input: input.childStream, output: output.childStream, errors: errorPipe.childStream))
        input.closeChildEnd()
        output.closeChildEnd()
        errorPipe.closeChildEnd()
        do throws(SocketError) {
            errors = try AdapterErrors(errorPipe)
        } catch {
            throw ChildProcessError(.openPipe, code: error.code)
        }
    }

    /// Sends a command and waits for the answer line.
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

    /// The error for an adapter that no longer sends anything.
    private func silence(during command: AdapterCommand, by deadline: MonotonicInstant) -> AdapterError {
        // A process's streams close shortly before it ends.
        let patience = min(deadline, .now().advanced(by: Self.endingTime))
        guard let outcome = child.wait(until: patience) else { return AdapterError(.closedOutput, to: command) }
        return AdapterError(.ended(outcome.inWords), to: command, received: errors.end())
    }

    /// Closes the process's standard input, gives it time to end, and then kills it.
    func end() {
        input.close()
        child.wait(until: .now().advanced(by: limits.endTime))
        child.end(grace: limits.endTime)
    }

    var hasEnded: Bool { child.wait(until: .now()) != nil }
}

/// An adapter's standard error, which is passed on as it arrives; its last part is stored for messages.
private final class AdapterErrors: Sendable {
    private let kept = Mutex<[UInt8]>([])
    private let gate: Gate
    /// The maximum number of bytes stored.
    private static let limit = 500
    /// The time limit for a process's last output; other processes may keep the pipe open.
    private static let patience = Duration.seconds(1)

    /// Reads the pipe on its own thread until all processes have closed the other end.
    init(_ pipe: sending ChildPipe) throws(SocketError) {
        gate = try Gate()
        try SystemThread.start { [self] in
            var bytes: [UInt8] = []
            while (try? pipe.read(into: &bytes, until: MonotonicInstant(nanoseconds: .max))) == true {
                // The reader of standard error may have closed the stream.
                _ = DescriptorOutput.writeAll(bytes, to: 2)
                kept.withLock { $0 = ($0 + bytes).suffix(Self.limit) }
                bytes = []
            }
            gate.open()
        }
    }

    /// The last output of a process that has ended.
    ///
    /// - Returns: Nil if it wrote nothing.
    func end() -> [UInt8]? {
        gate.wait(until: .now().advanced(by: Self.patience))
        return kept.withLock { $0.isEmpty ? nil : $0 }
    }
}

/// Splits an adapter's output into lines.
struct LineBuffer: Sendable {
    /// The bytes that are left after lines have been removed; new bytes are appended.
    var bytes: [UInt8] = []
    /// The number of bytes that are known to contain no line end.
    private var searched = 0

    /// The next line without its end, or nil if it is incomplete.
    mutating func next() -> [UInt8]? {
        guard let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
            searched = bytes.count
            return nil
        }
        var line = bytes[..<end]
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        let result = Array(line)
        bytes.removeSubrange(...end)
        searched = 0
        return result
    }
}

/// A client that an adapter drives during one case, created by ``ProcessAdapter/begin(_:case:)``.
///
/// The client's methods throw an ``AdapterError`` or ``UnsupportedInstruction``.
public struct ProcessClient: ClientUnderTest, Sendable {
    public let clock: ClientClock
    public let language: String?
    public let usesSockets: Bool
    /// Called when the client has ended and the adapter is free for another client.
    public var whenEnded: @Sendable () -> Void = {}
    private let adapter: ProcessAdapter

    init(_ adapter: ProcessAdapter, _ beginning: AdapterAnswer.Beginning) {
        self.adapter = adapter
        clock = beginning.clock
        (language, usesSockets) = (beginning.language, beginning.usesSockets)
    }

    public func perform(_ instruction: ClientInstruction) async throws {
        do throws(AdapterError) {
            try await adapter.ask(.perform(instruction), AdapterAnswer.done)
        } catch {
            if error.isUnsupported { throw UnsupportedInstruction(instruction) }
            throw error
        }
    }

    public func report() async throws -> ClientReport { try await adapter.ask(.report, AdapterAnswer.report) }

    /// Sets the client's clock and returns when its next timer is due.
    ///
    /// Clients on the system's clock do not get this command.
    public func settle(at time: Timestamp) async throws -> Timestamp? {
        guard clock == .suite else { return nil }
        return try await adapter.ask(.settle(time), AdapterAnswer.next)
    }

    /// Ends the client.
    ///
    /// The process keeps running for the next case.
    public func end() async {
        // If the client fails here, its process is ended; a persistent problem appears in the next case.
        try? await adapter.ask(.end, AdapterAnswer.done)
        whenEnded()
    }
}
