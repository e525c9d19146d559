import Deflate

extension Connection {
    /// The compression state for both directions.
    @usableFromInline struct Compression: Hashable, Sendable {
        var deflater: MessageDeflater
        var inflater: MessageInflater
        let windowBits: Int
        var sentSize: Int?
        var receivedSize: Int?

        /// The number of earlier bytes that the next messages may refer to.
        @usableFromInline var heldByteCount: Int { inflater.heldByteCount + deflater.heldByteCount }

        init(_ terms: CompressionTerms, role: Role) {
            let server = (bits: terms.serverMaxWindowBits ?? 15, keeps: !terms.serverNoContextTakeover)
            let client = (bits: terms.clientMaxWindowBits ?? 15, keeps: !terms.clientNoContextTakeover)
            let (ours, theirs) = role == .server ? (server, client) : (client, server)
            windowBits = ours.bits
            deflater = MessageDeflater(windowBits: ours.bits, keepsHistory: ours.keeps)
            inflater = MessageInflater(windowBits: theirs.bits, keepsHistory: theirs.keeps)
        }
    }

    /// Writes a message as one compressed frame (RFC 7692 §7.2.1).
    mutating func writeCompressed(_ opcode: Opcode, _ payload: [UInt8], into out: inout [UInt8]) {
        guard let deflated = compression?.deflater.deflate(payload) else { return }
        compression?.sentSize = deflated.count
        let key = role == .client ? maskKeys.next().networkOrder : nil
        FrameEncoder.appendRaw(firstByte: 0xC0 | opcode.rawValue, deflated[...], maskKey: key, into: &out)
    }

    /// Resets the context for our next message, because the caller wrote raw messages.
    public mutating func hasSentOtherwise() { compression?.deflater.forget() }

    /// Inflates a compressed message that has arrived, and validates text.
    mutating func inflateMessage() throws(ProtocolViolation) {
        compression?.receivedSize = isIncomingCompressed ? message.count : nil
        guard isIncomingCompressed else { return }
        do throws(MessageInflater.Mistake) {
            message = try compression?.inflater.inflate(message, limit: limits.message) ?? []
        } catch {
            switch error {
            case .tooLarge: throw .messageTooBig(total: UInt64(limits.message) + 1, limit: limits.message)
            case .corrupt: throw .corruptBlocks
            case .unfinished: throw .unfinishedBlocks
            case .tooManyBlocks: throw .tooManyBlocks(limit: MessageInflater.mostFinalBlocks)
            }
        }
        guard incomingMessage == .text, let invalid = message.withUnsafeBytes({ validator.consume($0) }) else { return }
        throw .invalidText(byte: message[invalid], index: invalid)
    }
}
