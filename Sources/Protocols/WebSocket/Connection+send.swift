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
