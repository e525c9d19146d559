import CZlib

/// Compresses bodies as gzip files (RFC 1952) or zlib streams (RFC 1950), which are HTTP content codings.
public enum Gzip {
    /// The compressed bytes, without a file name or a time, so that identical input produces identical output.
    public static func deflate(_ bytes: [UInt8], as format: ZlibFormat = .gzip) -> [UInt8] {
        var stream = ZlibStream(
            deflatingWith: 15, memory: 8, strategy: Z_DEFAULT_STRATEGY, roomFor: bytes.count, format)
        var output: [UInt8] = []
        let ran = bytes.withUnsafeBufferPointer { stream.run($0, flush: Z_FINISH, into: &output) }
        precondition(ran.outcome == .ended, "zlib must end a stream when asked to finish it.")
        return output
    }

    /// The decompressed bytes, at most `limit`; the input may be several files (RFC 1952 §2.2).
    ///
    /// This takes time linear in the size of the input and in the limit, regardless of the number of files.
    public static func inflate(
        _ coded: [UInt8], as format: ZlibFormat = .gzip, limit: Int
    ) throws(MessageInflater.Mistake) -> [UInt8] {
        var work = 0
        return try inflate(coded, as: format, limit: limit, work: &work)
    }

    /// - Parameter work: Increased by ``ZlibStream/work``.
    static func inflate(
        _ coded: [UInt8], as format: ZlibFormat = .gzip, limit: Int, work: inout Int
    ) throws(MessageInflater.Mistake) -> [UInt8] {
        var stream = ZlibStream(inflatingWith: 15, format)
        defer { work += stream.work }
        var output: [UInt8] = []
        var start = 0
        repeat {
            let ran = coded.withUnsafeBufferPointer {
                let rest = UnsafeBufferPointer(rebasing: $0[start...])
                return stream.run(rest, flush: Z_SYNC_FLUSH, limit: limit, into: &output)
            }
            start += ran.used
            switch ran.outcome {
            case .overflow: throw .tooLarge
            case .corrupt: throw .corrupt
            case .inputUsed: throw .unfinished
            case .ended: stream.restart()
            }
        } while start < coded.count
        return output
    }
}
