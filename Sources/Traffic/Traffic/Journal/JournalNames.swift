import FitIQAPI
import HTTP1
import JSON
import WebSocket

extension Party {
    /// The direction of what this side sends.
    var direction: String {
        switch self {
        case .client: "client_to_server"
        case .server: "server_to_client"
        }
    }
}

extension Opcode {
    var name: String {
        switch self {
        case .continuation: "continuation"
        case .text: "text"
        case .binary: "binary"
        case .close: "close"
        case .ping: "ping"
        case .pong: "pong"
        }
    }
}

extension RecordedFrame {
    /// The content of a close frame, or nil for other frames and for an empty one.
    ///
    /// The code is not validated (RFC 6455 §5.5.1).
    public var closeFrame: CloseSummary.Frame? {
        guard opcode == .close, payload.bytes.count >= 2 else { return nil }
        return CloseSummary.Frame(
            code: CloseCode(rawValue: UInt16(payload.bytes[0]) << 8 | UInt16(payload.bytes[1])),
            reason: String(decoding: payload.bytes[2...], as: UTF8.self))
    }

    /// The `type` of a text frame, if the frame is a JSON object with one.
    public var type: String? {
        guard opcode == .text, let value = try? JSON.parse(payload.bytes) else { return nil }
        return value["type"]?.string
    }
}

extension RequestTarget {
    /// The percent-decoded path segments, without the leading `/w/{world}`.
    package var segmentsInWorld: [String] {
        let segments = segments
        return segments.count > 2 && segments[0] == "w" ? Array(segments.dropFirst(2)) : segments
    }
}
