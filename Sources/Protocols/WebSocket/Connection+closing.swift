extension Connection {
    /// Starts the closing handshake; nothing can be sent after it.
    ///
    /// The reason is cut at 123 bytes, between two characters. The peer's messages still arrive as events until its
    /// close frame does. Returns false, having written nothing, when a close frame has passed already.
    /// - Precondition: the code may stand on the wire (`CloseCode.isAllowedOnWire`); without one there is no reason.
    /// Source: RFC 6455 §7.1.2.
    @discardableResult
    public mutating func close(code: CloseCode?, reason: String = "", into out: inout [UInt8]) -> Bool {
        precondition(code?.isAllowedOnWire ?? true, Misuse.closeCode)
        precondition(code != nil || reason.isEmpty, Misuse.reasonWithoutCode)
        return closeAnyway(code: code, reason: reason, into: &out)
    }

    /// Starts the closing handshake with any code, those included that must not stand on the wire.
    ///
    /// Beyond the code it is ``close(code:reason:into:)``: the reason is cut at 123 bytes, the peer's answer is awaited,
    /// and a peer that objects to the code ends the connection. A reason without a code has no place in the frame and is
    /// left out. Returns false, having written nothing, when a close frame has passed already.
    /// Source: RFC 6455 §7.4, which this breaks on behalf of whoever tests a client.
    @discardableResult
    public mutating func closeAnyway(code: CloseCode?, reason: String = "", into out: inout [UInt8]) -> Bool {
        guard state == .open else { return false }
        let reason = code == nil ? "" : reason
        writeClose(CloseSummary.Frame(code: code, reason: reason), into: &out)
        closeSummary.initiator = .weStarted
        state = .closing(.weStarted)
        waitingPong = nil
        return true
    }

    /// Reports that the transport has ended, and tells whether the connection was closed cleanly.
    ///
    /// Call it once: when the peer's stream ended, or when this side closed the transport itself.
    /// Source: RFC 6455 §7.1.4 and, for 1006, §7.1.5.
    public mutating func receiveEndOfStream() -> Ending {
        precondition(state != .closed, Misuse.receiveAfterEnd)
        defer { releaseBuffers() }
        guard state != .failed else { return .abnormal(message: Messages.endAfterFailure) }
        let message = Messages.endOfStream(of: self)
        state = .closed
        return closeSummary.wasClean ? .clean(code: closeSummary.code) : .abnormal(message: message)
    }

    /// Takes the payload of a close frame and answers it.
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
            payload.append(UInt8(code.rawValue >> 8))
            payload.append(UInt8(code.rawValue & 0xFF))
            payload.append(contentsOf: sent.reason.utf8)
        }
        write(.close, payload, into: &out)
        closeSummary.sent = sent
    }

    /// The longest prefix of whole characters that takes at most `limit` bytes of UTF-8.
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
