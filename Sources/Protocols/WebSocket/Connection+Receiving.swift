extension Connection {
    /// Accepts bytes from the transport, in pieces of any size.
    ///
    /// Appends the resulting events to `events`, and pongs and close frames to `output`; neither depends on how the
    /// bytes are split. Bytes after the peer's close frame or after a failure are discarded (§5.5.1, §7.1.7). Buffers
    /// at most `limits.message` bytes of a message and 125 bytes of a control frame.
    ///
    /// This takes time linear in the number of bytes, regardless of how they are split into pieces and fragments. A
    /// compressed message also takes time linear in its limit, and loads at most a window of earlier bytes
    /// (``Deflate/MessageInflater``).
    public mutating func receive(_ bytes: UnsafeRawBufferPointer, events: inout [Event], output: inout [UInt8]) {
        _ = receive(bytes, stoppingAtEvent: false, events: &events, output: &output)
    }

    /// Accepts bytes from the transport up to the end of the first event; returns the number of consumed bytes.
    ///
    /// Call it again with the rest. Use it to answer each message before a close frame in the same packet is read,
    /// because nothing can be sent after a close frame.
    public mutating func receiveUntilEvent(
        _ bytes: UnsafeRawBufferPointer, events: inout [Event], output: inout [UInt8]
    ) -> Int { receive(bytes, stoppingAtEvent: true, events: &events, output: &output) }

    private mutating func receive(
        _ bytes: UnsafeRawBufferPointer, stoppingAtEvent: Bool, events: inout [Event], output: inout [UInt8]
    ) -> Int {
        resumePongs(into: &output)
        do throws(ProtocolViolation) {
            return try consume(bytes, stoppingAtEvent: stoppingAtEvent, events: &events, output: &output)
        } catch {
            fail(error, events: &events, output: &output)
            return bytes.count
        }
    }

    public mutating func receive(_ bytes: [UInt8], events: inout [Event], output: inout [UInt8]) {
        bytes.withUnsafeBytes { receive($0, events: &events, output: &output) }
    }

    /// Whether the peer's bytes are still being processed.
    private var isReading: Bool { closeSummary.received == nil && state != .failed }

    /// Returns the number of consumed bytes, including discarded bytes after a close frame.
    private mutating func consume(
        _ bytes: UnsafeRawBufferPointer, stoppingAtEvent: Bool, events: inout [Event], output: inout [UInt8]
    ) throws(ProtocolViolation) -> Int {
        let eventsBefore = events.count
        var index = 0
        while index < bytes.count, isReading {
            if stoppingAtEvent, events.count > eventsBefore { return index }
            if header.field == .payload {
                let count = Int(min(header.remaining, UInt64(bytes.count - index)))
                try takePayload(UnsafeRawBufferPointer(rebasing: bytes[index..<index + count]))
                header.remaining -= UInt64(count)
                index += count
            } else {
                let progress = try header.consume(bytes[index], role: role, isCompressing: compression != nil)
                index += 1
                switch progress {
                case .nothing: break
                case .opcode: try judgeOrder()
                case .length: try judgeSize()
                }
                guard header.field == .payload else { continue }
                maskKey = header.maskKey
            }
            if header.remaining == 0 { try finishFrame(events: &events, output: &output) }
        }
        return bytes.count
    }

    /// Checks whether a frame of this opcode is allowed here, as soon as the opcode is known.
    private mutating func judgeOrder() throws(ProtocolViolation) {
        switch header.opcode {
        case .continuation:
            // §5.4: a fragmented message is a first frame with an opcode other than 0, "followed by zero or more
            // frames with the FIN bit clear and the opcode set to 0".
            guard incomingMessage != nil else { throw .continuationWithoutStart }
        case .text, .binary:
            // §5.4: "The fragments of one message MUST NOT be interleaved between the fragments of another message".
            guard incomingMessage == nil else { throw .interruptedMessage(header.opcode) }
            incomingMessage = header.opcode
            isIncomingCompressed = header.isCompressed
        case .close, .ping, .pong:
            // §5.4: "Control frames MAY be injected in the middle of a fragmented message."
            break
        }
    }

    /// Checks the length as soon as it is known: before the masking key and before any of the payload.
    private func judgeSize() throws(ProtocolViolation) {
        guard !header.opcode.isControl else { return }
        let total = UInt64(message.count) + header.remaining
        guard total <= UInt64(payloadLimit) else { throw .messageTooBig(total: total, limit: limits.message) }
    }

    /// The maximum payload of a message on the wire; compressing incompressible data makes it slightly larger.
    private var payloadLimit: Int { limits.message + (isIncomingCompressed ? limits.message / 64 + 64 : 0) }

    /// Copies a piece of the current frame's payload, unmasks the copy, and validates text.
    private mutating func takePayload(_ piece: UnsafeRawBufferPointer) throws(ProtocolViolation) {
        guard !header.opcode.isControl else {
            let start = controlPayload.count
            controlPayload.append(contentsOf: piece)
            controlPayload.withUnsafeMutableBytes {
                maskKey.apply(to: UnsafeMutableRawBufferPointer(rebasing: $0[start...]))
            }
            return
        }
        let start = message.count
        makeRoom(for: piece.count)
        message.append(contentsOf: piece)
        let isText = incomingMessage == .text && !isIncomingCompressed
        let invalid = message.withUnsafeMutableBytes { all -> Int? in
            let added = UnsafeMutableRawBufferPointer(rebasing: all[start...])
            maskKey.apply(to: added)
            return isText ? validator.consume(UnsafeRawBufferPointer(added)) : nil
        }
        // §8.1: on invalid UTF-8 "that endpoint MUST _Fail the WebSocket Connection_", even before the frame is
        // complete.
        if let invalid { throw .invalidText(byte: message[start + invalid], index: start + invalid) }
    }

    /// Grows the message buffer towards the announced length, up to 32 times the received bytes.
    ///
    /// A peer that announces a lot but sends little uses little memory, and long messages are copied only a few times.
    private mutating func makeRoom(for count: Int) {
        let needed = message.count + count
        guard message.capacity < needed else { return }
        let announced = message.count + Int(header.remaining)
        // Grows by a factor of 16. A last step below a factor of 2 would copy nearly everything again, so avoid it.
        var room = announced <= needed * 32 ? announced : needed * 16
        // Later fragments have unknown lengths: at least double, or many small fragments would take quadratic time.
        if !header.isFinal { room = max(room, min(message.capacity * 2, payloadLimit)) }
        message.reserveCapacity(room)
    }

    private mutating func finishFrame(events: inout [Event], output: inout [UInt8]) throws(ProtocolViolation) {
        let finished = header
        header = FrameHeader()
        switch finished.opcode {
        case .continuation, .text, .binary:
            guard finished.isFinal else { return }
            try finishMessage(events: &events)
        case .ping:
            let payload = takeControlPayload()
            answerPing(payload, output: &output)
            events.append(.ping(payload))
        case .pong: events.append(.pong(takeControlPayload()))
        case .close: try receiveClose(takeControlPayload(), events: &events, output: &output)
        }
    }

    private mutating func finishMessage(events: inout [Event]) throws(ProtocolViolation) {
        if compression != nil { try inflateMessage() }
        guard validator.isAtBoundary else { throw .truncatedText(count: message.count) }
        let payload = message
        message = []
        events.append(incomingMessage == .text ? .text(payload) : .binary(payload))
        incomingMessage = nil
    }

    private mutating func takeControlPayload() -> [UInt8] {
        defer { controlPayload = [] }
        return controlPayload
    }

    mutating func releaseBuffers() {
        (message, controlPayload) = ([], [])
        (waitingPong, incomingMessage, compression) = (nil, nil, nil)
    }

    /// Writes the delayed pong, if there is one and `output` has enough space.
    ///
    /// `receive` does this first. Also call it after draining the output: the peer may send nothing until its pong
    /// arrives. Source: RFC 6455 §5.5.3.
    public mutating func resumePongs(into output: inout [UInt8]) {
        if let payload = waitingPong { answerPing(payload, output: &output) }
    }

    /// RFC 6455 §5.5.2: "Upon receipt of a Ping frame, an endpoint MUST send a Pong frame in response, unless it
    /// already received a Close frame." Nothing may be sent after our own close frame (§5.5.1); turning
    /// ``answersPings`` off breaks this rule on purpose.
    mutating func answerPing(_ payload: [UInt8], output: inout [UInt8]) {
        guard state == .open else { return }
        let hasRoom = output.count < max(limits.unsentBeforePongsWait, 1)
        waitingPong = answersPings && !hasRoom ? payload : nil
        if answersPings, hasRoom { write(.pong, payload, into: &output) }
    }
}
