/// The side of a WebSocket connection.
///
/// The client masks its frames, and the server closes the transport first. Source: RFC 6455 §5.1, §7.1.1.
public enum Role: Hashable, Sendable { case client, server }

/// How much of a peer's data a connection accepts.
public struct Limits: Hashable, Sendable {
    /// The maximum payload of a message in bytes, including all fragments; more is immediately rejected with 1009.
    public var message: Int

    /// The number of bytes of unsent output above which pongs are delayed; only the latest ping is then answered.
    ///
    /// A peer that pings but never reads cannot grow the output beyond this. RFC 6455 §5.5.3: an endpoint that has not
    /// yet answered earlier pings "MAY elect to send a Pong frame for only the most recently processed Ping frame."
    public var unsentBeforePongsWait = 64 * 1024

    public init(message: Int = 1024 * 1024) { self.message = message }
}

/// An event in a peer's bytes.
public enum Event: Hashable, Sendable {
    /// A complete text message: valid UTF-8 with its fragments joined.
    case text([UInt8])
    /// A complete binary message with its fragments joined.
    case binary([UInt8])
    /// A ping; its pong is written or delayed, unless this side has sent a close frame or does not answer pings.
    case ping([UInt8])
    /// A pong, solicited or not.
    case pong([UInt8])
    /// The peer's close frame; the reply has been written unless this side had already sent a close frame.
    ///
    /// `code` is nil if the frame was empty. No event follows.
    case closing(code: CloseCode?, reason: String)
    /// The peer violated the protocol; a close frame with `code` is written unless one was already sent.
    ///
    /// Close the transport once the output is flushed (RFC 6455 §7.1.7). No event follows.
    case failed(code: CloseCode, message: String)
}

/// The type of a frame.
///
/// Opcodes 3 to 7 and 11 to 15 are reserved and rejected with 1002. Source: RFC 6455 §5.2, §11.8.
public enum Opcode: UInt8, Hashable, Sendable {
    /// Another fragment of the message that a text or binary frame started.
    case continuation = 0x0
    /// A text message, or its first fragment.
    case text = 0x1
    /// A binary message, or its first fragment.
    case binary = 0x2
    case close = 0x8
    /// A ping, which must be answered with a pong.
    case ping = 0x9
    case pong = 0xA

    /// Whether this is a control frame, which may appear between the fragments of a message.
    ///
    /// RFC 6455 §5.5: "Control frames are identified by opcodes where the most significant bit of the opcode is 1."
    public var isControl: Bool { rawValue & 0x8 != 0 }
}

/// One end of a WebSocket connection after the handshake, without I/O or time: bytes in, events out.
///
/// Pass bytes from the transport to ``receive(_:events:output:)`` and write the contents of `output` to the transport
/// in order. Receiving never throws: a violation by the peer becomes `Event.failed`, a close frame with the matching
/// code, and the state `failed`. An idle connection allocates no buffers except a compression window. The only
/// extension is permessage-deflate, with the negotiated terms. Source: RFC 6455 §5 to §8, RFC 7692.
public struct Connection: Sendable {
    public let role: Role
    public let limits: Limits
    public internal(set) var state = State.open
    /// The contents of both sides' close frames so far.
    public internal(set) var closeSummary = CloseSummary()
    /// Whether pings are answered; false violates RFC 6455 §5.5.2, to simulate such a peer.
    public var answersPings = true
    var header = FrameHeader()
    /// The key of that frame, positioned at the next byte.
    var maskKey = MaskKey(networkOrder: 0)
    /// The type of the message being read, text or binary; nil between messages.
    var incomingMessage: Opcode?
    var validator = UTF8Validator()
    @usableFromInline var message: [UInt8] = []
    var controlPayload: [UInt8] = []
    /// The payload of the latest ping whose pong is delayed.
    var waitingPong: [UInt8]?
    var maskKeys: MaskKeyGenerator
    /// The compression state; nil if messages are not compressed.
    @usableFromInline var compression: Compression?
    /// Whether the message being read is compressed.
    var isIncomingCompressed = false

    /// Creates a connection directly after the handshake.
    ///
    /// `maskSeed` seeds the client's masking keys; identical seeds produce identical bytes. RFC 6455 §5.3 requires keys
    /// that the client's application cannot predict; if that matters, use a random seed. If there are negotiated terms,
    /// this side compresses all its messages.
    public init(
        role: Role, limits: Limits = Limits(), maskSeed: UInt64 = 0, compression terms: CompressionTerms? = nil
    ) {
        precondition(limits.message >= 0 && limits.unsentBeforePongsWait >= 0, "Limits must not be negative.")
        self.role = role
        self.limits = limits
        maskKeys = MaskKeyGenerator(seed: maskSeed)
        compression = terms.map { Compression($0, role: role) }
    }

    /// The buffered bytes of an incomplete message and of a compression window.
    ///
    /// Inlined: a call from another module would copy the connection.
    @inlinable public var bufferedByteCount: Int { message.count + (compression?.heldByteCount ?? 0) }
    /// The compressed size of the latest message that was sent; nil if it was not compressed.
    public var sentSize: Int? { compression?.sentSize }
    /// The compressed size of the latest message that was received; nil if it was not compressed.
    public var receivedSize: Int? { compression?.receivedSize }
    /// This side's compression window, 8 to 15 as a power of 2; nil if its messages are not compressed.
    public var windowBits: Int? { compression?.windowBits }
    /// Whether messages and pings may still be sent: neither side has sent a close frame.
    public var canSend: Bool { state == .open }

    /// Whether this side should close the transport once its output is flushed.
    ///
    /// RFC 6455 §7.1.1: "the server MUST close the underlying TCP connection first" once both close frames are
    /// exchanged; a client waits for this. After a failure, both sides close immediately (§7.1.7). First shut down the
    /// sending half and drain the input: closing with unread bytes resets the connection, and the peer may miss the
    /// close frame.
    public var shouldCloseTransport: Bool {
        switch state {
        case .open: false
        case .closing: role == .server && closeSummary.wasClean
        case .failed: true
        }
    }

    /// The state of a connection (RFC 6455 §7.1).
    public enum State: Hashable, Sendable {
        case open
        /// A close frame was sent or received; the transport is still open.
        case closing(Initiator)
        /// The peer violated the protocol; any more bytes from it are discarded.
        case failed
    }

    /// The side that sent the first close frame, as seen from this side.
    ///
    /// If both start at the same time, each side sees itself as the initiator.
    public enum Initiator: Hashable, Sendable { case weStarted, theyStarted }

    /// Sends a text message in one frame; the payload must be UTF-8.
    ///
    /// Like the functions below, this one returns false without writing anything if either side has sent a close frame
    /// or the connection failed. This is not a programming error: a peer may close at any time.
    @discardableResult
    public mutating func send(text payload: [UInt8], into out: inout [UInt8]) -> Bool {
        send(.text, payload, into: &out)
    }

    @discardableResult
    public mutating func send(text: String, into out: inout [UInt8]) -> Bool {
        send(.text, Array(text.utf8), into: &out)
    }

    @discardableResult
    public mutating func send(binary payload: [UInt8], into out: inout [UInt8]) -> Bool {
        send(.binary, payload, into: &out)
    }

    /// Sends a ping of at most 125 bytes (RFC 6455 §5.5).
    @discardableResult
    public mutating func ping(_ payload: [UInt8] = [], into out: inout [UInt8]) -> Bool {
        send(.ping, payload, into: &out)
    }

    /// Sends an unsolicited pong of at most 125 bytes, "a unidirectional heartbeat" (RFC 6455 §5.5.3).
    @discardableResult
    public mutating func pong(_ payload: [UInt8] = [], into out: inout [UInt8]) -> Bool {
        send(.pong, payload, into: &out)
    }

    private mutating func send(_ opcode: Opcode, _ payload: [UInt8], into out: inout [UInt8]) -> Bool {
        precondition(!opcode.isControl || payload.count <= FrameEncoder.longestControlPayload, Misuse.controlFrame)
        guard canSend else { return false }
        if compression == nil || opcode.isControl {
            write(opcode, payload, into: &out)
        } else {
            writeCompressed(opcode, payload, into: &out)
        }
        return true
    }

    /// Writes one frame, masked for a client: RFC 6455 §5.3, "a client MUST mask all frames that it sends".
    mutating func write(_ opcode: Opcode, _ payload: [UInt8], into out: inout [UInt8]) {
        let key = role == .client ? maskKeys.next().networkOrder : nil
        FrameEncoder.append(opcode, payload, maskKey: key, into: &out)
    }
}
