/// The status code of a close frame; it can hold any number, so that a journal can show a peer's code.
///
/// Source: RFC 6455 §7.4 and the IANA registry "WebSocket Close Code Number".
public struct CloseCode: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }
    /// 1000: the purpose of the connection has been fulfilled.
    public static let normalClosure = CloseCode(rawValue: 1000)
    /// 1001: the server is shutting down or the client has left.
    public static let goingAway = CloseCode(rawValue: 1001)
    /// 1002: the peer violated the protocol.
    public static let protocolError = CloseCode(rawValue: 1002)
    /// 1003: the endpoint does not accept this type of data.
    public static let unsupportedData = CloseCode(rawValue: 1003)
    /// 1005: the close frame had no code; never sent.
    public static let noStatus = CloseCode(rawValue: 1005)
    /// 1006: the transport ended without a close frame; never sent.
    public static let abnormal = CloseCode(rawValue: 1006)
    /// 1007: data that does not match the type of the message, such as text that is not UTF-8.
    public static let invalidPayload = CloseCode(rawValue: 1007)
    /// 1008: a message that the endpoint's policy forbids.
    public static let policyViolation = CloseCode(rawValue: 1008)
    /// 1009: a message too big to process.
    public static let messageTooBig = CloseCode(rawValue: 1009)
    /// 1011: the endpoint encountered an unexpected condition.
    public static let internalError = CloseCode(rawValue: 1011)

    /// Whether a close frame may contain this code.
    ///
    /// Codes below 1000 are unused, 1004 is reserved, 1005, 1006 and 1015 "MUST NOT be set as a status code in a Close
    /// control frame by an endpoint" (RFC 6455 §7.4.1); IANA registered 1012 to 1014 later; 1016 to 2999 are reserved
    /// for the protocol and unassigned; 3000 to 4999 are for libraries and applications (§7.4.2).
    public var isAllowedOnWire: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}

extension CloseCode: CustomStringConvertible {
    public var description: String { String(rawValue) }
}

/// The close frames from both sides at the end of a connection, for a journal.
public struct CloseSummary: Hashable, Sendable {
    public struct Frame: Hashable, Sendable {
        /// Nil if the frame was empty.
        public var code: CloseCode?
        /// At most 123 bytes of UTF-8, often empty.
        public var reason: String
        public init(code: CloseCode?, reason: String = "") { (self.code, self.reason) = (code, reason) }
    }

    /// Our close frame, or nil if none was sent.
    public internal(set) var sent: Frame?
    /// The peer's close frame, or nil if none arrived or it was rejected.
    public internal(set) var received: Frame?
    /// The side that sent the first valid close frame; nil if there was none.
    public internal(set) var initiator: Connection.Initiator?

    public init(sent: Frame? = nil, received: Frame? = nil, initiator: Connection.Initiator? = nil) {
        (self.sent, self.received, self.initiator) = (sent, received, initiator)
    }

    /// Whether both close frames were exchanged.
    ///
    /// RFC 6455 §7.1.4: the connection is then "said to have been closed cleanly" once the transport ends.
    public var wasClean: Bool { sent != nil && received != nil }
}

extension Connection {
    /// Starts the closing handshake; nothing can be sent afterwards.
    ///
    /// Truncates the reason to 123 bytes of whole characters. The peer's messages still arrive as events until its
    /// close frame does. Returns false without writing anything if a close frame was already sent or received. The code
    /// must be allowed on the wire, and a reason requires a code. Source: RFC 6455 §7.1.2.
    @discardableResult
    public mutating func close(code: CloseCode?, reason: String = "", into out: inout [UInt8]) -> Bool {
        precondition(code?.isAllowedOnWire ?? true, "This close code must not be sent; see CloseCode.isAllowedOnWire.")
        precondition(code != nil || reason.isEmpty, "A close reason needs a code.")
        return closeAnyway(code: code, reason: reason, into: &out)
    }

    /// Starts the closing handshake with any code, including codes not allowed on the wire.
    ///
    /// This violates RFC 6455 §7.4 on purpose, for testing clients; otherwise it acts like
    /// ``close(code:reason:into:)``. A reason without a code is omitted, because the frame format does not allow it.
    @discardableResult
    public mutating func closeAnyway(code: CloseCode?, reason: String = "", into out: inout [UInt8]) -> Bool {
        guard state == .open else { return false }
        writeClose(CloseSummary.Frame(code: code, reason: code == nil ? "" : reason), into: &out)
        closeSummary.initiator = .weStarted
        state = .closing(.weStarted)
        waitingPong = nil
        return true
    }

    /// Handles the payload of a close frame and replies to it.
    ///
    /// §5.5.1: "If there is a body, the first two bytes of the body MUST be a 2-byte unsigned integer (in network byte
    /// order) representing a status code ... Following the 2-byte integer, the body MAY contain UTF-8-encoded data".
    mutating func receiveClose(
        _ payload: [UInt8], events: inout [Event], output: inout [UInt8]
    ) throws(ProtocolViolation) {
        var frame = CloseSummary.Frame(code: nil)
        if payload.count >= 2 {
            let code = CloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1]))
            guard code.isAllowedOnWire else { throw .closeCodeNotAllowed(code) }
            frame.code = code
            frame.reason = try Self.closeReason(payload)
        }
        closeSummary.received = frame
        if closeSummary.sent == nil {
            // "When sending a Close frame in response, the endpoint typically echos the status code it received."
            writeClose(CloseSummary.Frame(code: frame.code), into: &output)
            closeSummary.initiator = .theyStarted
            state = .closing(.theyStarted)
        }
        releaseBuffers()
        events.append(.closing(code: frame.code, reason: frame.reason))
    }

    private static func closeReason(_ payload: [UInt8]) throws(ProtocolViolation) -> String {
        var validator = UTF8Validator()
        let invalid = payload.withUnsafeBytes { validator.consume(UnsafeRawBufferPointer(rebasing: $0[2...])) }
        if let invalid { throw .closeReasonNotUTF8(byte: payload[2 + invalid], index: invalid) }
        guard validator.isAtBoundary else { throw .closeReasonTruncated }
        return String(decoding: payload[2...], as: UTF8.self)
    }

    /// Fails the connection: §7.1.7, "the endpoint SHOULD send a Close frame with an appropriate status code".
    mutating func fail(_ violation: ProtocolViolation, events: inout [Event], output: inout [UInt8]) {
        if closeSummary.sent == nil {
            writeClose(CloseSummary.Frame(code: violation.code, reason: violation.message), into: &output)
            closeSummary.initiator = .weStarted
        }
        state = .failed
        releaseBuffers()
        events.append(.failed(code: violation.code, message: violation.message))
    }

    private mutating func writeClose(_ frame: CloseSummary.Frame, into out: inout [UInt8]) {
        var sent = frame
        var payload: [UInt8] = []
        if let code = frame.code {
            sent.reason = Self.cut(frame.reason, to: FrameEncoder.longestControlPayload - 2)
            payload.reserveCapacity(2 + sent.reason.utf8.count)
            withUnsafeBytes(of: code.rawValue.bigEndian) { payload.append(contentsOf: $0) }
            payload.append(contentsOf: sent.reason.utf8)
        }
        write(.close, payload, into: &out)
        closeSummary.sent = sent
    }

    /// The longest prefix of whole characters within `limit` bytes of UTF-8.
    private static func cut(_ text: String, to limit: Int) -> String {
        guard text.utf8.count > limit else { return text }
        var end = text.startIndex
        var bytes = 0
        for index in text.indices {
            let next = text.index(after: index)
            bytes += text.utf8.distance(from: index, to: next)
            guard bytes <= limit else { break }
            end = next
        }
        return String(text[..<end])
    }
}
