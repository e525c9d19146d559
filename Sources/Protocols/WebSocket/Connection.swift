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
