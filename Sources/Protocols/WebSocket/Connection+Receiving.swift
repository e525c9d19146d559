extension Connection {
    /// Takes bytes from the transport, in pieces of any size.
    ///
    /// Appends to `events` what they amount to, and to `output` what must be sent in answer: pongs, our side of the
    /// closing handshake, or the close frame of a failure. Events and output do not depend on how the bytes were cut.
    /// What arrives after the peer's close frame, or after a failure, is discarded (§5.5.1, §7.1.7).
    /// Buffers at most `limits.message` bytes of a message and 125 of a control frame.
    /// - Precondition: the end of the stream has not been reported.
    public mutating func receive(
        _ bytes: UnsafeRawBufferPointer, events: inout [Event], output: inout [UInt8]
    ) {
        _ = receive(bytes, stoppingAtEvent: false, events: &events, output: &output)
    }

    /// Takes bytes from the transport up to the end of the first event; returns how many of them were taken.
    ///
    /// Call it again with the rest. For whoever answers messages with messages: the peer's close frame may stand
    /// behind them in the same packet, and once that is read nothing more can be sent.
    /// - Precondition: the end of the stream has not been reported.
    public mutating func receiveUntilEvent(
        _ bytes: UnsafeRawBufferPointer, events: inout [Event], output: inout [UInt8]
    ) -> Int {
        receive(bytes, stoppingAtEvent: true, events: &events, output: &output)
    }

    private mutating func receive(
        _ bytes: UnsafeRawBufferPointer, stoppingAtEvent: Bool, events: inout [Event], output: inout [UInt8]
    ) -> Int {
        precondition(state != .closed, Misuse.receiveAfterEnd)
        resumePongs(into: &output)
        do throws(ProtocolViolation) {
            return try consume(bytes, stoppingAtEvent: stoppingAtEvent, events: &events, output: &output)
        } catch {
            fail(error, events: &events, output: &output)
            return bytes.count
        }
    }

    /// Takes bytes from the transport, in pieces of any size.
    ///
    /// The same as the overload that takes a buffer pointer.
    public mutating func receive(_ bytes: [UInt8], events: inout [Event], output: inout [UInt8]) {
        bytes.withUnsafeBytes { receive($0, events: &events, output: &output) }
    }

    /// Whether the peer's bytes still count.
    private var isReading: Bool { closeSummary.received == nil && state != .failed }

    /// Returns how many bytes were taken; those after a close frame count, for they are discarded.
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
                let progress = try header.consume(bytes[index], role: role)
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

    /// Judges whether a frame of this opcode may come now, as soon as the opcode is known.
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
        case .close, .ping, .pong:
            // §5.4: "Control frames MAY be injected in the middle of a fragmented message."
            break
        }
    }

    /// Judges the length as soon as it is known: before the masking key and before any of the payload.
    private func judgeSize() throws(ProtocolViolation) {
        guard !header.opcode.isControl else { return }
        let total = UInt64(message.count) + header.remaining
        guard total <= UInt64(limits.message) else { throw .messageTooBig(total: total, limit: limits.message) }
    }

    /// Takes a piece of the current frame's payload: copies it, unmasks the copy, validates text.
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
        let isText = incomingMessage == .text
        let invalid = message.withUnsafeMutableBytes { all -> Int? in
            let added = UnsafeMutableRawBufferPointer(rebasing: all[start...])
            maskKey.apply(to: added)
            return isText ? validator.consume(UnsafeRawBufferPointer(added)) : nil
        }
        // §8.1: on invalid UTF-8 "that endpoint MUST _Fail the WebSocket Connection_", which needs no complete frame.
        if let invalid { throw .invalidText(byte: message[start + invalid], index: start + invalid) }
    }

    /// Grows the message buffer towards the announced length, never past 32 times what has arrived.
    ///
    /// A peer that announces much and sends little costs little; one that sends much costs few copies.
    private mutating func makeRoom(for count: Int) {
        let needed = message.count + count
        guard message.capacity < needed else { return }
        let announced = message.count + Int(header.remaining)
        // In steps of 16, and no last step of less than 2: it would copy nearly everything once more.
        var room = announced <= needed * 32 ? announced : needed * 16
        // More fragments follow by unknown lengths: at least double, or many small ones would cost quadratic time.
        if !header.isFinal { room = max(room, min(message.capacity * 2, limits.message)) }
        message.reserveCapacity(room)
    }

    private mutating func finishFrame(
        events: inout [Event], output: inout [UInt8]
    ) throws(ProtocolViolation) {
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
        case .pong:
            events.append(.pong(takeControlPayload()))
        case .close:
            try receiveClose(takeControlPayload(), events: &events, output: &output)
        }
    }

    private mutating func finishMessage(events: inout [Event]) throws(ProtocolViolation) {
        guard validator.isAtBoundary else { throw .truncatedText(count: message.count) }
        let payload = message
        message = []
        events.append(incomingMessage == .text ? .text(payload) : .binary(payload))
        incomingMessage = nil
    }

    private mutating func takeControlPayload() -> [UInt8] {
        let payload = controlPayload
        controlPayload = []
        return payload
    }

    /// Lets go of what was being read; nothing more will be.
    mutating func releaseBuffers() {
        message = []
        controlPayload = []
        waitingPong = nil
        incomingMessage = nil
    }
}

extension Connection {
    /// Writes the pong that waits for room, if there is one and `output` has room now.
    ///
    /// `receive` does this first by itself. A shell calls it when its output has drained, so that a peer which only
    /// waits for its pong gets it. Source: RFC 6455 §5.5.3.
    public mutating func resumePongs(into output: inout [UInt8]) {
        guard let payload = waitingPong else { return }
        answerPing(payload, output: &output)
    }

    /// RFC 6455 §5.5.2: "Upon receipt of a Ping frame, an endpoint MUST send a Pong frame in response, unless it
    /// already received a Close frame." After our own close frame nothing more may be sent (§5.5.1), and whoever turns
    /// ``answersPings`` off wants the rule broken.
    mutating func answerPing(_ payload: [UInt8], output: inout [UInt8]) {
        guard state == .open else { return }
        guard answersPings else {
            waitingPong = nil
            return
        }
        guard output.count < max(limits.unsentBeforePongsWait, 1) else {
            waitingPong = payload
            return
        }
        waitingPong = nil
        write(.pong, payload, into: &output)
    }
}
