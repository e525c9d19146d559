import CZlib

/// Deflates the messages of one direction of a WebSocket (RFC 7692 §7.2.1).
///
/// Between two messages it keeps only the bytes to which the next one may refer. Equal messages give equal bytes.
public struct MessageDeflater: Hashable, Sendable {
    /// The most bytes of earlier messages to keep, whatever the window: few sockets repeat much, and a peer cannot
    /// notice.
    public static let keptBytes = 4096

    private let windowBits: UInt8
    private let keepsHistory: Bool
    private var history: [UInt8] = []

    /// - Parameters: - windowBits: 8 to 15; as a power of 2, the most bytes that a message refers back. - keepsHistory:
    ///   Whether messages refer to earlier ones.
    public init(windowBits: Int, keepsHistory: Bool) {
        precondition((8...15).contains(windowBits), "A window must have from 256 to 32768 bytes.")
        self.windowBits = UInt8(windowBits)
        self.keepsHistory = keepsHistory
    }

    /// The number of bytes kept from earlier messages.
    public var heldByteCount: Int { history.count }

    /// Forgets earlier messages: the next one does not refer to them, which is always allowed.
    public mutating func forget() { history = [] }

    /// The message's deflated blocks, without the four bytes 00 00 FF FF at the end.
    public mutating func deflate(_ message: [UInt8]) -> [UInt8] {
        var output = deflated(message)
        output.removeLast(4)
        if keepsHistory { history.append(contentsOf: message, keeping: min(1 << Int(windowBits), Self.keptBytes)) }
        return output
    }

    private func deflated(_ message: [UInt8]) -> [UInt8] {
        // The window fits the bytes in sight, because zlib clears its tables for each message. zlib looks 262 bytes
        // ahead.
        let needed = UInt(history.count + message.count + 262)
        let bits = max(9, min(Int(windowBits), UInt.bitWidth - needed.leadingZeroBitCount))
        // zlib has no window of 256 bytes; with this strategy it refers to the last byte only.
        let strategy = windowBits == 8 ? Z_RLE : Z_DEFAULT_STRATEGY
        var stream = ZlibStream(
            deflatingWith: bits, memory: min(8, bits - 7), strategy: strategy, roomFor: message.count)
        if !history.isEmpty { stream.setHistory(history) }
        var output: [UInt8] = []
        let ran = message.withUnsafeBufferPointer { stream.run($0, flush: Z_SYNC_FLUSH, into: &output) }
        precondition(ran.outcome == .inputUsed && output.suffix(4) == [0, 0, 0xFF, 0xFF], "It must end all blocks.")
        return output
    }
}

/// Inflates the messages of one direction of a WebSocket (RFC 7692 §7.2.2).
public struct MessageInflater: Hashable, Sendable {
    public enum Mistake: Error, Hashable, Sendable {
        /// The inflated message exceeds the limit; the rest was not inflated.
        case tooLarge
        /// The bytes are not deflated blocks, or refer to data that never existed.
        case corrupt
        /// The blocks lack their end: an empty stored block, without the four bytes 00 00 FF FF.
        case unfinished
        /// More than ``MessageInflater/mostFinalBlocks`` blocks are marked as the last one.
        case tooManyBlocks
    }

    /// The most blocks of a message that may be marked as the last one.
    ///
    /// Each takes two bytes and costs zlib some 64 ns. A deflater marks at most one for each flush.
    public static let mostFinalBlocks = 100_000

    private let windowBits: UInt8
    private let keepsHistory: Bool
    private var history: [UInt8] = []

    /// - Parameters: - windowBits: 8 to 15; as a power of 2, the most bytes that the peer may refer back. -
    ///   keepsHistory: Whether its messages may refer to earlier ones.
    public init(windowBits: Int, keepsHistory: Bool) {
        precondition((8...15).contains(windowBits), "A window must have from 256 to 32768 bytes.")
        self.windowBits = UInt8(windowBits)
        self.keepsHistory = keepsHistory
    }

    /// The number of bytes kept from earlier messages, at most the window.
    public var heldByteCount: Int { history.count }

    /// Inflates `payload` to a message of at most `limit` bytes.
    ///
    /// The time is linear in the size of the payload and in the limit, whatever the number of blocks. Blocks marked as
    /// the last one have a limit of their own. The bytes of earlier messages are loaded once.
    public mutating func inflate(_ payload: [UInt8], limit: Int) throws(Mistake) -> [UInt8] {
        var work = 0
        return try inflate(payload, limit: limit, work: &work)
    }

    /// - Parameter work: Grows by ``ZlibStream/work``.
    mutating func inflate(_ payload: [UInt8], limit: Int, work: inout Int) throws(Mistake) -> [UInt8] {
        var stream = ZlibStream(inflatingWith: Int(windowBits))
        defer { work += stream.work }
        if !history.isEmpty { stream.setHistory(history) }
        var output: [UInt8] = []
        var (start, finalBlocks) = (0, 0)
        while true {
            let ran = payload.withUnsafeBufferPointer {
                let rest = UnsafeBufferPointer(rebasing: $0[start...])
                return stream.run(rest, flush: Z_SYNC_FLUSH, limit: limit, into: &output)
            }
            start += ran.used
            switch ran.outcome {
            case .overflow: throw .tooLarge
            case .corrupt: throw .corrupt
            case .inputUsed:
                guard stream.awaitsLengthOfStoredBlock else { throw .unfinished }
                if keepsHistory { history.append(contentsOf: output, keeping: 1 << Int(windowBits)) }
                return output
            case .ended:
                // §7.2.3.4: other blocks may follow one that is marked as the last.
                guard start < payload.count else { throw .unfinished }
                finalBlocks += 1
                guard finalBlocks <= Self.mostFinalBlocks else { throw .tooManyBlocks }
                stream.resume()
            }
        }
    }
}

extension [UInt8] {
    /// Appends bytes, and keeps only the last `limit` of all.
    fileprivate mutating func append(contentsOf bytes: [UInt8], keeping limit: Int) {
        guard bytes.count < limit else {
            self = Array(bytes.suffix(limit))
            return
        }
        removeFirst(Swift.max(0, count + bytes.count - limit))
        self += bytes
    }
}
