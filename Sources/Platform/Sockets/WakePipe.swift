import CPlatform

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A pipe to oneself: writing to it, from another thread or a signal handler, wakes the loop that watches it.
struct WakePipe: Sendable {
    let reader: Int32
    let writer: Int32

    init() throws(SocketError) {
        var ends: [Int32] = [-1, -1]
        let code = cplatform_open_pipe(&ends)
        guard code == 0 else { throw SocketError(.openQueue, code: -code) }
        reader = ends[0]
        writer = ends[1]
    }

    // A full pipe is no failure: the reader is readable already.
    func wake() {
        var byte: UInt8 = 0
        while write(writer, &byte, 1) < 0, errno == EINTR {}
    }

    /// Takes back every wake-up so far.
    func clear() {
        withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
            while true {
                let count = read(reader, buffer.baseAddress, buffer.count)
                // A full buffer, and only that, may have left some behind.
                if count == buffer.count || (count < 0 && errno == EINTR) { continue }
                return
            }
        }
    }

    func close() {
        closeDescriptor(reader)
        closeDescriptor(writer)
    }
}
