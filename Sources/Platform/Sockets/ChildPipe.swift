import CLibrary
import CPlatform

/// A pipe to or from a child process: calls on this end have a deadline, while the child's end blocks.
///
/// The deinitializer closes both ends. Close the child's end as soon as the child has started, or the stream never
/// ends.
public final class ChildPipe {
    public enum Direction: Sendable { case toChild, fromChild }

    private var ours: Int32?
    private var theirs: Int32?

    public init(_ direction: Direction) throws(ChildProcessError) {
        // Otherwise, a child that stops reading would end this process.
        if direction == .toChild { CurrentProcess.ignoreBrokenPipeSignal() }
        var ends: [Int32] = [-1, -1]
        let code = cplatform_open_pipe(&ends)
        guard code == 0 else { throw ChildProcessError(.openPipe, code: -code) }
        let (child, parent) = direction == .toChild ? (ends[0], ends[1]) : (ends[1], ends[0])
        (ours, theirs) = (parent, child)
        // Programs expect their standard streams to block.
        _ = fcntl(child, F_SETFL, fcntl(child, F_GETFL) & ~O_NONBLOCK)
    }

    deinit {
        close()
        closeChildEnd()
    }

    /// The child's end, for starting the child.
    public var childStream: ChildProcess.Streams.Stream { theirs.map { .descriptor($0) } ?? .null }

    /// Closes the child's end; call it after the child has started.
    public func closeChildEnd() {
        if let theirs { closeDescriptor(theirs) }
        theirs = nil
    }

    public func close() {
        if let ours { closeDescriptor(ours) }
        ours = nil
    }

    /// Writes all bytes, waiting for the child to read them.
    ///
    /// - Throws: EPIPE if the child has stopped reading, ETIMEDOUT after the deadline.
    public func write(_ bytes: [UInt8], until deadline: MonotonicInstant) throws(ChildProcessError) {
        guard let ours else { throw ChildProcessError(.write, code: EPIPE) }
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { systemWrite(ours, UnsafeRawBufferPointer(rebasing: $0[done...])) }
            if count > 0 { done += count } else { try wait(for: .write, on: ours, after: errno, until: deadline) }
        }
    }

    /// Waits for bytes and appends the bytes that have arrived.
    ///
    /// - Returns: false at the end of the stream.
    public func read(into bytes: inout [UInt8], until deadline: MonotonicInstant) throws(ChildProcessError) -> Bool {
        guard let ours else { throw ChildProcessError(.read, code: EPIPE) }
        while true {
            // Read into separate memory: growing the array would initialize the new bytes each time.
            let (count, code) = withUnsafeTemporaryAllocation(byteCount: 64 * 1024, alignment: 1) { room in
                let count = systemRead(ours, room)
                let code = errno
                if count > 0 { bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: room[..<count])) }
                return (count, code)
            }
            if count >= 0 { return count > 0 }
            try wait(for: .read, on: ours, after: code, until: deadline)
        }
    }

    /// Waits for the pipe after a call failed with `code`; throws `code` if waiting does not help.
    private func wait(
        for interest: Interest, on end: Int32, after code: Int32, until deadline: MonotonicInstant
    ) throws(ChildProcessError) {
        if code == EINTR { return }
        let failure = code == EAGAIN ? SingleDescriptorPoll.wait(for: interest, on: end, until: deadline) : code
        if let failure { throw ChildProcessError(interest == .read ? .read : .write, code: failure) }
    }
}
