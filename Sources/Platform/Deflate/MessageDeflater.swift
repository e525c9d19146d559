import CZlib

/// Deflates the messages in one direction of a WebSocket (RFC 7692 §7.2.1).
///
/// Between two messages, it keeps only the bytes that the next message may refer to. Identical sequences of messages
/// produce identical bytes.
public struct MessageDeflater: Hashable, Sendable {
    /// The maximum number of bytes of earlier messages to keep, even for larger windows: few messages repeat older
    /// data.
    public static let keptBytes = 4096

    private let windowBits: UInt8
    private let keepsHistory: Bool
    private var history: [UInt8] = []

    /// - Parameter windowBits: 8 to 15; a message refers back at most `1 << windowBits` bytes.
    public init(windowBits: Int, keepsHistory: Bool) {
        precondition((8...15).contains(windowBits), "A window must have from 256 to 32768 bytes.")
        self.windowBits = UInt8(windowBits)
        self.keepsHistory = keepsHistory
    }

    /// The number of bytes kept from earlier messages.
    public var heldByteCount: Int { history.count }

    /// Discards the earlier messages, so that the next one does not refer to them; the RFC always allows this.
    public mutating func forget() { history = [] }

    /// The deflated blocks of a message, without the final bytes 00 00 FF FF.
    public mutating func deflate(_ message: [UInt8]) -> [UInt8] {
        var output = deflated(message)
        output.removeLast(4)
        if keepsHistory { history.append(contentsOf: message, keeping: min(1 << Int(windowBits), Self.keptBytes)) }
        return output
    }

    private func deflated(_ message: [UInt8]) -> [UInt8] {
        // Use the smallest window for these bytes: zlib clears its tables for each message. zlib looks 262 bytes ahead.
        let needed = UInt(history.count + message.count + 262)
        let bits = max(9, min(Int(windowBits), UInt.bitWidth - needed.leadingZeroBitCount))
        // zlib does not support a window of 256 bytes; with `Z_RLE` it refers to the previous byte only.
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

/// Inflates the messages in one direction of a WebSocket (RFC 7692 §7.2.2).
public struct MessageInflater: Hashable, Sendable {
    public enum Mistake: Error, Hashable, Sendable {
        /// The inflated message exceeds the limit; the rest was not inflated.
        case tooLarge
        /// The bytes are not deflated blocks, or refer to data that never existed.
        case corrupt
        /// The empty stored block that ends a message is missing.
        case unfinished
        /// More than ``MessageInflater/mostFinalBlocks`` blocks are marked as final.
        case tooManyBlocks
    }

    /// The maximum number of blocks in a message that may be marked as final.
    ///
    /// Each final block takes two bytes and costs zlib about 64 ns. A deflater marks at most one block per flush.
    public static let mostFinalBlocks = 100_000

    private let windowBits: UInt8
    private let keepsHistory: Bool
    private var history: [UInt8] = []

    /// - Parameter windowBits: 8 to 15; the peer may refer back at most `1 << windowBits` bytes.
    public init(windowBits: Int, keepsHistory: Bool) {
        precondition((8...15).contains(windowBits), "A window must have from 256 to 32768 bytes.")
        self.windowBits = UInt8(windowBits)
        self.keepsHistory = keepsHistory
    }

    /// The number of bytes kept from earlier messages, at most the window.
    public var heldByteCount: Int { history.count }

    /// Inflates `payload` to a message of at most `limit` bytes.
    ///
    /// This takes time linear in the payload's size and in the limit, regardless of the number of blocks. There is a
    /// separate limit on blocks marked as final. The earlier messages are loaded once.
    public mutating func inflate(_ payload: [UInt8], limit: Int) throws(Mistake) -> [UInt8] {
        var work = 0
        return try inflate(payload, limit: limit, work: &work)
    }

    /// - Parameter work: Increased by ``ZlibStream/work``.
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
                // §7.2.3.4: more blocks may follow a block marked as final.
                guard start < payload.count else { throw .unfinished }
                finalBlocks += 1
                guard finalBlocks <= Self.mostFinalBlocks else { throw .tooManyBlocks }
                stream.resume()
            }
        }
    }
}

extension [UInt8] {
    /// Appends bytes and keeps only the last `limit` bytes.
    fileprivate mutating func append(contentsOf bytes: [UInt8], keeping limit: Int) {
        guard bytes.count < limit else {
            self = Array(bytes.suffix(limit))
            return
        }
        removeFirst(Swift.max(0, count + bytes.count - limit))
        self += bytes
    }
}
