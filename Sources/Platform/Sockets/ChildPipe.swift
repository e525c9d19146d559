import CPlatform

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A pipe to or from a child process: this end waits up to a deadline, the child's end is like any other to the child.
///
/// Both ends are closed when released. The child's is closed as soon as the child has it, or the end of the stream
/// would never come.
public final class ChildPipe {
    /// Which way bytes go.
    public enum Direction: Sendable {
        /// From this process to the child.
        case toChild
        /// From the child to this process.
        case fromChild
    }

    private var ours: Int32?
    private var theirs: Int32?

    /// Opens a pipe.
    public init(_ direction: Direction) throws(ChildProcessError) {
        // Else a child that reads no more would end this process.
        if direction == .toChild { CurrentProcess.ignoreBrokenPipeSignal() }
        var ends: [Int32] = [-1, -1]
        let code = cplatform_open_pipe(&ends)
        guard code == 0 else { throw ChildProcessError(.openPipe, code: -code) }
        let (child, parent) = direction == .toChild ? (ends[0], ends[1]) : (ends[1], ends[0])
        (ours, theirs) = (parent, child)
        // Programs expect their standard streams to wait.
        _ = fcntl(child, F_SETFL, fcntl(child, F_GETFL) & ~O_NONBLOCK)
    }

    deinit {
        close()
        closeChildEnd()
    }

    /// The end that the child is started with.
    public var childStream: ChildProcess.Streams.Stream { theirs.map { .descriptor($0) } ?? .null }

    /// Closes the end that the child has, once it was started.
    public func closeChildEnd() {
        if let theirs { closeDescriptor(theirs) }
        theirs = nil
    }

    /// Closes this end.
    public func close() {
        if let ours { closeDescriptor(ours) }
        ours = nil
    }

    /// Writes all of the bytes, and waits for the child to take them.
    ///
    /// - Throws: EPIPE where the child reads no more, ETIMEDOUT where the time is up.
    public func write(_ bytes: [UInt8], until deadline: MonotonicInstant) throws(ChildProcessError) {
        guard let ours else { throw ChildProcessError(.write, code: EPIPE) }
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { Self.write(ours, UnsafeRawBufferPointer(rebasing: $0[done...])) }
            if count > 0 {
                done += count
            } else if errno == EAGAIN {
                let code = SingleDescriptorPoll.wait(for: .write, on: ours, until: deadline)
                if let code { throw ChildProcessError(.write, code: code) }
            } else if errno != EINTR {
                throw ChildProcessError(.write, code: errno)
            }
        }
    }

    /// Waits for bytes and appends what has arrived.
    ///
    /// - Returns: false at the end of the stream.
    public func read(into bytes: inout [UInt8], until deadline: MonotonicInstant) throws(ChildProcessError) -> Bool {
        guard let ours else { throw ChildProcessError(.read, code: EPIPE) }
        while true {
            // Read beside the array first: to make room in it, it would be filled anew each time.
            let (count, code) = withUnsafeTemporaryAllocation(byteCount: 64 * 1024, alignment: 1) { room in
                let count = Self.read(ours, room)
                let code = errno
                if count > 0 { bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: room[..<count])) }
                return (count, code)
            }
            if count >= 0 { return count > 0 }
            if code == EAGAIN {
                let code = SingleDescriptorPoll.wait(for: .read, on: ours, until: deadline)
                if let code { throw ChildProcessError(.read, code: code) }
            } else if code != EINTR {
                throw ChildProcessError(.read, code: code)
            }
        }
    }

    // The methods of the same names hide them.
    private static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Darwin)
            Darwin.write(descriptor, bytes.baseAddress, bytes.count)
        #elseif canImport(Musl)
            Musl.write(descriptor, bytes.baseAddress, bytes.count)
        #else
            Glibc.write(descriptor, bytes.baseAddress, bytes.count)
        #endif
    }

    private static func read(_ descriptor: Int32, _ bytes: UnsafeMutableRawBufferPointer) -> Int {
        #if canImport(Darwin)
            Darwin.read(descriptor, bytes.baseAddress, bytes.count)
        #elseif canImport(Musl)
            Musl.read(descriptor, bytes.baseAddress, bytes.count)
        #else
            Glibc.read(descriptor, bytes.baseAddress, bytes.count)
        #endif
    }
}
