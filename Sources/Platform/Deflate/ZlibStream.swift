import CZlib

/// The format that wraps deflated blocks (RFC 1951).
public enum ZlibFormat: Sendable {
    case nothing
    /// RFC 1950, which HTTP calls `deflate` (RFC 9110 §8.4.1.2).
    case zlib
    /// RFC 1952.
    case gzip

    /// Whether the bytes start with the format's header.
    public func begins(_ bytes: [UInt8]) -> Bool {
        switch self {
        case .nothing: true
        // The method, then a multiple of 31 (RFC 1950 §2.2).
        case .zlib: bytes.count > 1 && bytes[0] & 15 == 8 && (Int(bytes[0]) << 8 | Int(bytes[1])) % 31 == 0
        case .gzip: bytes.starts(with: [0x1F, 0x8B])
        }
    }
}

/// A zlib stream that serves only one message, so that its 256 KiB are soon freed.
///
/// Inflating takes time linear in the input, the output and the bytes passed to ``setHistory(_:)``, regardless of the
/// number of blocks or files. The most expensive input is a dynamic block: eleven bytes can define 1,444 table entries
/// (zlib's `ENOUGH`).
struct ZlibStream: ~Copyable {
    /// Heap-allocated, because a zlib stream stores its own address.
    private let stream: UnsafeMutablePointer<z_stream>
    private let isDeflating: Bool
    /// The buffer for zlib's output, allocated once and never cleared, so that short output costs little.
    private let room: UnsafeMutableBufferPointer<UInt8>
    /// The work so far: the bytes read, written and copied, plus the number of zlib calls.
    private(set) var work = 0

    /// - Parameter windowBits: The window has `1 << windowBits` bytes.
    init(inflatingWith windowBits: Int, _ format: ZlibFormat = .nothing) {
        (stream, isDeflating) = (.allocate(capacity: 1), false)
        room = .allocate(capacity: 1 << windowBits)
        stream.initialize(to: z_stream())
        let status = inflateInit2_(
            stream, Self.bits(windowBits, format), ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        precondition(
            status == Z_OK, "zlib must have memory for a stream, and support the requested version and window size.")
    }

    /// - Parameters:
    ///   - memory: 1 to 9; zlib's tables take about `2 << memory` KiB.
    ///   - roomFor: The size of the input; output is written in pieces of half that size.
    init(
        deflatingWith windowBits: Int, memory: Int, strategy: Int32, roomFor count: Int, _ format: ZlibFormat = .nothing
    ) {
        (stream, isDeflating) = (.allocate(capacity: 1), true)
        room = .allocate(capacity: count / 2 + 64)
        stream.initialize(to: z_stream())
        // Fast compression, because the server has only one event loop.
        let status = deflateInit2_(
            stream, Z_BEST_SPEED, Z_DEFLATED, Self.bits(windowBits, format), Int32(memory), strategy, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        precondition(
            status == Z_OK, "zlib must have memory for a stream, and support the requested version and window size.")
    }

    /// The window and the format in one number, as zlib expects them.
    private static func bits(_ windowBits: Int, _ format: ZlibFormat) -> Int32 {
        switch format {
        case .nothing: -Int32(windowBits)
        case .zlib: Int32(windowBits)
        case .gzip: Int32(windowBits + 16)
        }
    }

    deinit {
        _ = isDeflating ? deflateEnd(stream) : inflateEnd(stream)
        stream.deallocate()
        room.deallocate()
    }

    /// Sets the earlier bytes that the next blocks may refer to.
    mutating func setHistory(_ bytes: [UInt8]) {
        let count = UInt32(bytes.count)
        work += bytes.count
        _ = isDeflating ? deflateSetDictionary(stream, bytes, count) : inflateSetDictionary(stream, bytes, count)
    }

    /// How a run ended.
    enum Outcome { case inputUsed, ended, overflow, corrupt }

    /// Runs until the input is used up, the format ends, or the output would exceed a limit.
    ///
    /// - Returns: The outcome, and how much of the input was used.
    mutating func run(
        _ input: UnsafeBufferPointer<UInt8>, flush: Int32, limit: Int = .max, into output: inout [UInt8]
    ) -> (outcome: Outcome, used: Int) {
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        stream.pointee.avail_in = UInt32(input.count)
        while true {
            // Allowing one extra byte distinguishes excessive output from output that ends at the limit.
            let most = min(room.count, limit - output.count + (limit == .max ? 0 : 1))
            (stream.pointee.next_out, stream.pointee.avail_out) = (room.baseAddress, UInt32(most))
            let before = stream.pointee.avail_in
            let status = isDeflating ? deflate(stream, flush) : inflate(stream, flush)
            let written = most - Int(stream.pointee.avail_out)
            output.append(contentsOf: room[..<written])
            work += 1 + Int(before - stream.pointee.avail_in) + written
            let used = input.count - Int(stream.pointee.avail_in)
            if output.count > limit { return (.overflow, used) }
            switch status {
            case Z_STREAM_END: return (.ended, used)
            // No progress: the last piece of output fit exactly.
            case Z_BUF_ERROR: return (.inputUsed, used)
            case Z_OK: if stream.pointee.avail_out > 0 { return (.inputUsed, used) }
            default: return (.corrupt, used)
            }
        }
    }

    /// Restarts after a message's final block and keeps the window, so that nothing is cleared or loaded.
    ///
    /// `inflateReset` would discard the window, and each block of two bytes would load 32 KiB again.
    func resume() { inflateResetKeep(stream) }

    /// Restarts after the last block of a stream, without history.
    func restart() { inflateReset(stream) }

    /// Whether the output ends with the header of an empty stored block without its four length bytes.
    var awaitsLengthOfStoredBlock: Bool { inflateSyncPoint(stream) == 1 }
}
