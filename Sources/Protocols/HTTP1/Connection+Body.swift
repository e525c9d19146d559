/// Bodies sent in pieces, the same for requests and responses, and the way out of HTTP.
extension Connection {
    /// Sends a piece of a body begun with `startResponse` or `startRequest`; empty pieces send nothing.
    public mutating func sendBody(_ bytes: some Collection<UInt8>, into out: inout [UInt8]) {
        if bytes.withContiguousStorageIfAvailable({ sendPiece($0, into: &out) }) == nil {
            Array(bytes).withUnsafeBufferPointer { sendPiece($0, into: &out) }
        }
    }

    private mutating func sendPiece(_ bytes: Bytes, into out: inout [UInt8]) {
        precondition(ourState == .sendBody, "no body was begun")
        if bytes.isEmpty { return }
        switch sending {
        case .none: break
        case .length(let remaining):
            precondition(bytes.count <= remaining, "the body is longer than its Content-Length")
            sending = .length(remaining - bytes.count)
            out.append(contentsOf: bytes)
        case .chunked:
            out.appendHexadecimal(bytes.count)
            out.appendLineEnd()
            out.append(contentsOf: bytes)
            out.appendLineEnd()
        case .untilClose: out.append(contentsOf: bytes)
        }
    }

    /// Ends a body begun with `startResponse` or `startRequest`.
    public mutating func endBody(into out: inout [UInt8]) {
        precondition(ourState == .sendBody, "no body was begun")
        switch sending {
        case .none, .untilClose: break
        case .length(let remaining): precondition(remaining == 0, "the body is shorter than its Content-Length")
        case .chunked: out.append(literal: "0\r\n\r\n")
        }
        sending = .none
        process(.end, by: role)
    }

    /// After a change of protocol, the bytes that already arrived in the new protocol.
    ///
    /// Give them to the new protocol, and from then on all that arrives.
    public mutating func takeTrailingBytes() -> [UInt8] {
        precondition(theirState == .switchedProtocol, "the connection still speaks HTTP")
        return buffer.takeAll()
    }
}
