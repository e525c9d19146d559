/// Which side of a WebSocket connection this is.
///
/// The roles differ in masking and in who closes the transport first. Source: RFC 6455 §5.1, §7.1.1.
public enum Role: Hashable, Sendable {
    /// Masks what it sends and refuses what is masked.
    case client
    /// Refuses what is not masked and sends unmasked.
    case server
}

/// How much of a peer's data a connection takes.
public struct Limits: Hashable, Sendable {
    /// The payload of a message in bytes, its fragments together; more is refused with 1009 once the length is known.
    public var message = 1024 * 1024

    /// Bytes of unsent output above which pongs wait; then only the latest ping is answered.
    ///
    /// A peer that pings and never reads cannot make the output grow past this. RFC 6455 §5.5.3: an endpoint that has
    /// not yet answered earlier pings "MAY elect to send a Pong frame for only the most recently processed Ping frame."
    public var unsentBeforePongsWait = 64 * 1024

    /// Starts from the defaults: messages of 1 MiB, 64 KiB of unsent output.
    public init() {}

    /// Limits the payload of a message, and leaves the rest at the defaults.
    public init(message: Int) {
        self.message = message
    }
}

/// What a peer's bytes amount to.
public enum Event: Hashable, Sendable {
    /// A complete text message: valid UTF-8, its fragments joined.
    case text([UInt8])
    /// A complete binary message, its fragments joined.
    case binary([UInt8])
    /// A ping; its pong is written or waits for room, unless our close frame is out already or pings are left unanswered.
    case ping([UInt8])
    /// A pong, whether or not a ping of ours asked for it.
    case pong([UInt8])
    /// The peer's close frame; ours has been written in answer if it was not sent before.
    ///
    /// `code` is nil when the frame was empty. No further event follows.
    case closing(code: CloseCode?, reason: String)
    /// The peer broke the protocol; our close frame with `code` is written, unless one was sent before.
    ///
    /// Close the transport once the output is flushed (RFC 6455 §7.1.7). No further event follows.
    case failed(code: CloseCode, message: String)
}

/// What a frame is.
///
/// Opcodes 3 to 7 and 11 to 15 are reserved and refused with 1002. Source: RFC 6455 §5.2, §11.8.
public enum Opcode: UInt8, Hashable, Sendable {
    /// A further fragment of the message that a text or binary frame began.
    case continuation = 0x0
    /// A text message, or its first fragment.
    case text = 0x1
    /// A binary message, or its first fragment.
    case binary = 0x2
    /// The close frame.
    case close = 0x8
    /// A ping, to be answered with a pong.
    case ping = 0x9
    /// A pong, asked for or not.
    case pong = 0xA

    /// Whether this is a control frame, which may stand between the fragments of a message.
    ///
    /// RFC 6455 §5.5: "Control frames are identified by opcodes where the most significant bit of the opcode is 1."
    public var isControl: Bool { rawValue & 0x8 != 0 }
}

/// One end of a WebSocket connection, from the end of its handshake to the end of its transport: bytes in, events out.
///
/// It does no I/O and knows no time. Bytes from the transport go into ``receive(_:events:output:)``; what comes out in
/// `output` belongs on the transport, in order. Receiving never throws: a peer's mistake becomes `Event.failed`, a
/// close frame with the fitting code, and the state `failed`. An idle connection owns no buffers.
/// Extensions are not supported: ``ServerHandshake`` declines `permessage-deflate`, so reserved bits are refused.
/// Source: RFC 6455 §5 to §8.
public struct Connection: Sendable {
    /// Which side this is.
    public let role: Role
    /// How much of the peer's data is taken.
    public let limits: Limits
    /// How far the connection is between its handshake and its end.
    public internal(set) var state = State.open
    /// What both sides' close frames said so far.
    public internal(set) var closeSummary = CloseSummary()

    /// Whether pings are answered; without it RFC 6455 §5.5.2 is broken, for those who need a peer that does so.
    public var answersPings = true

    /// The frame being read.
    var header = FrameHeader()
    /// The key of that frame, positioned at the next byte.
    var maskKey = MaskKey(networkOrder: 0)
    /// Whether the message being read is text or binary; nil between messages.
    var incomingMessage: Opcode?
    var validator = UTF8Validator()
    /// The payload of the message being read.
    var message: [UInt8] = []
    /// The payload of the control frame being read.
    var controlPayload: [UInt8] = []

    /// The payload of the latest ping whose pong waits for room in the output.
    var waitingPong: [UInt8]?
    var maskKeys: MaskKeyGenerator

    /// Begins right after the handshake.
    ///
    /// `maskSeed` seeds the client's masking keys: equal seeds give equal bytes. RFC 6455 §5.3 wants keys that the
    /// application behind a client cannot predict; draw the seed from the system's generator where that matters.
    /// A server masks nothing and ignores it.
    /// - Precondition: no limit is negative.
    public init(role: Role, limits: Limits = Limits(), maskSeed: UInt64 = 0) {
        precondition(limits.message >= 0 && limits.unsentBeforePongsWait >= 0, Misuse.negativeLimit)
        self.role = role
        self.limits = limits
        maskKeys = MaskKeyGenerator(seed: maskSeed)
    }

    /// Bytes held of a message whose end has not come yet.
    public var bufferedByteCount: Int { message.count }

    /// Whether messages and pings may still be sent: no close frame has passed either way.
    public var canSend: Bool { state == .open }

    /// Whether this side should close the transport once its output is flushed.
    ///
    /// RFC 6455 §7.1.1: "the server MUST close the underlying TCP connection first" once both close frames are
    /// exchanged; a client waits for that. After a failure both sides close at once (§7.1.7). Shut down the sending
    /// half first and drain what still arrives: closing with unread bytes resets the connection, and the peer may
    /// never see the close frame.
    public var shouldCloseTransport: Bool {
        switch state {
        case .open: false
        case .closing: role == .server && closeSummary.wasClean
        case .closed, .failed: true
        }
    }
}

extension Connection {
    /// How far a connection is between its handshake and its end.
    ///
    /// Source: RFC 6455 §7.1.
    public enum State: Hashable, Sendable {
        /// Messages flow both ways.
        case open
        /// A close frame was sent or received; the transport is still there.
        case closing(Initiator)
        /// The transport has ended; `Connection.closeSummary` tells how.
        case closed
        /// The peer broke the protocol; what it still sends is discarded.
        case failed
    }

    /// Which side's close frame was first, as seen from here.
    ///
    /// When both start at once, each side sees itself as the one that started.
    public enum Initiator: Hashable, Sendable {
        /// Our close frame was sent before theirs arrived.
        case weStarted
        /// Their close frame arrived before ours was sent.
        case theyStarted
    }

    /// How the peer's stream ended.
    public enum Ending: Hashable, Sendable {
        /// Both close frames were exchanged; `code` is the received one, 1005 if the frame held none.
        case clean(code: CloseCode)
        /// The stream ended before that, which counts as 1006; the message says in which state.
        case abnormal(message: String)
    }
}

extension Connection {
    /// Sends a text message in one frame; the payload must be UTF-8.
    ///
    /// Returns false, having written nothing, when a close frame has passed either way or the connection failed: a
    /// peer may close at any moment, so that is no misuse.
    @discardableResult
    public mutating func send(text payload: [UInt8], into out: inout [UInt8]) -> Bool {
        sendMessage(.text, payload, into: &out)
    }

    /// Sends a text message in one frame.
    ///
    /// Returns false, having written nothing, when a close frame has passed either way or the connection failed.
    @discardableResult
    public mutating func send(text: String, into out: inout [UInt8]) -> Bool {
        sendMessage(.text, Array(text.utf8), into: &out)
    }

    /// Sends a binary message in one frame.
    ///
    /// Returns false, having written nothing, when a close frame has passed either way or the connection failed.
    @discardableResult
    public mutating func send(binary payload: [UInt8], into out: inout [UInt8]) -> Bool {
        sendMessage(.binary, payload, into: &out)
    }

    /// Sends a ping.
    ///
    /// Returns false, having written nothing, when a close frame has passed either way or the connection failed.
    /// - Precondition: the payload has at most 125 bytes (RFC 6455 §5.5).
    @discardableResult
    public mutating func ping(_ payload: [UInt8] = [], into out: inout [UInt8]) -> Bool {
        sendControl(.ping, payload, into: &out)
    }

    /// Sends a pong that answers no ping: "a unidirectional heartbeat" (RFC 6455 §5.5.3).
    ///
    /// Pings are answered without this. Returns false, having written nothing, when a close frame has passed either
    /// way or the connection failed.
    /// - Precondition: the payload has at most 125 bytes.
    @discardableResult
    public mutating func pong(_ payload: [UInt8] = [], into out: inout [UInt8]) -> Bool {
        sendControl(.pong, payload, into: &out)
    }

    private mutating func sendMessage(_ opcode: Opcode, _ payload: [UInt8], into out: inout [UInt8]) -> Bool {
        guard canSend else { return false }
        write(opcode, payload, into: &out)
        return true
    }

    private mutating func sendControl(_ opcode: Opcode, _ payload: [UInt8], into out: inout [UInt8]) -> Bool {
        precondition(payload.count <= FrameEncoder.longestControlPayload, Misuse.controlFrame)
        guard canSend else { return false }
        write(opcode, payload, into: &out)
        return true
    }

    /// Writes one frame as this role must: RFC 6455 §5.3, "a client MUST mask all frames that it sends".
    mutating func write(_ opcode: Opcode, _ payload: [UInt8], into out: inout [UInt8]) {
        let key = role == .client ? maskKeys.next().networkOrder : nil
        FrameEncoder.append(opcode, payload, maskKey: key, into: &out)
    }
}
