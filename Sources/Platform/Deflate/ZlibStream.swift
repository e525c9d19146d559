import CZlib

/// A stream of zlib: blocks with nothing around them (RFC 1951), or files of gzip (RFC 1952).
///
/// It lives for one message, so that nothing of its quarter of a megabyte is kept.
struct ZlibStream: ~Copyable {
    /// Allocated, because a stream of zlib knows its own address.
    private let stream: UnsafeMutablePointer<z_stream>
    private let isDeflating: Bool

    /// - Parameter windowBits: The window has 2 to this power bytes.
    init(inflatingWith windowBits: Int, isGzip: Bool = false) {
        (stream, isDeflating) = (.allocate(capacity: 1), false)
        stream.initialize(to: z_stream())
        let status = inflateInit2_(
            stream, Self.bits(windowBits, isGzip), ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        precondition(status == Z_OK, "zlib has memory for a stream, and knows its version and this window.")
    }

    /// - Parameters:
    ///   - windowBits: The window has 2 to this power bytes.
    ///   - memory: 1 to 9: the size of zlib's tables, some 2 KiB times 2 to this power.
    init(deflatingWith windowBits: Int, memory: Int, strategy: Int32, isGzip: Bool = false) {
        (stream, isDeflating) = (.allocate(capacity: 1), true)
        stream.initialize(to: z_stream())
        // Speed, because a server compresses on its only loop.
        let status = deflateInit2_(
            stream, Z_BEST_SPEED, Z_DEFLATED, Self.bits(windowBits, isGzip), Int32(memory), strategy, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        precondition(status == Z_OK, "zlib has memory for a stream, and knows its version and this window.")
    }

    /// The window and the format in one number, as zlib takes them.
    private static func bits(_ windowBits: Int, _ isGzip: Bool) -> Int32 {
        Int32(isGzip ? windowBits + 16 : -windowBits)
    }

    deinit {
        _ = isDeflating ? deflateEnd(stream) : inflateEnd(stream)
        stream.deallocate()
    }

    /// What the next blocks may refer to: the bytes that came before them.
    func setHistory(_ bytes: [UInt8]) {
        let count = UInt32(bytes.count)
        _ = isDeflating ? deflateSetDictionary(stream, bytes, count) : inflateSetDictionary(stream, bytes, count)
    }

    /// How far a run went.
    enum Outcome { case inputUsed, ended, overflow, corrupt }

    /// Runs over input until it is used up, the format's end is reached, or there would be more output than a limit.
    ///
    /// - Returns: Also how much of the input was used.
    func run(
        _ input: UnsafeBufferPointer<UInt8>, flush: Int32, chunk: Int, limit: Int = .max, into output: inout [UInt8]
    ) -> (outcome: Outcome, used: Int) {
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        stream.pointee.avail_in = UInt32(input.count)
        while true {
            let start = output.count
            let room = min(chunk, limit - start + (limit == .max ? 0 : 1))
            output.append(contentsOf: repeatElement(0, count: room))
            let status = output.withUnsafeMutableBufferPointer { buffer in
                stream.pointee.next_out = buffer.baseAddress.map { $0 + start }
                stream.pointee.avail_out = UInt32(room)
                return isDeflating ? deflate(stream, flush) : inflate(stream, flush)
            }
            output.removeLast(Int(stream.pointee.avail_out))
            let used = input.count - Int(stream.pointee.avail_in)
            if output.count > limit { return (.overflow, used) }
            switch status {
            case Z_STREAM_END: return (.ended, used)
            // No progress: the last chunk was just large enough.
            case Z_BUF_ERROR: return (.inputUsed, used)
            case Z_OK: if stream.pointee.avail_out > 0 { return (.inputUsed, used) }
            default: return (.corrupt, used)
            }
        }
    }

    /// Begins again after the last block of a stream, without history.
    func restart() { inflateReset(stream) }

    /// Whether what was inflated ends with the header of an empty stored block, whose four bytes of length are missing.
    var awaitsLengthOfStoredBlock: Bool { inflateSyncPoint(stream) == 1 }
}
