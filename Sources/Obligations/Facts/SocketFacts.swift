import FitIQAPI
import JSON
import Recording
import WebSocket

/// A handshake that was accepted.
struct OpeningFact: Sendable {
    let opening: RecordedOpening
    /// When the request was complete.
    let requestedAt: Timestamp
    /// When the 101 was let go.
    let openedAt: Timestamp
    let credentials: PresentedCredentials
    /// The consultation in the path.
    let consultation: String

    init(_ opening: RecordedOpening, _ entry: JournalEntry) {
        self.opening = opening
        requestedAt = opening.requestedAt
        openedAt = entry.time
        credentials = PresentedCredentials(opening.head)
        let segments = opening.head.target.segmentsInWorld
        consultation = segments.count > 3 ? segments[3] : ""
    }
}

/// A message or a control frame on a WebSocket.
///
/// A class, because most of a journal is frames, and each judge takes the fact apart.
final class FrameFact: Sendable {
    let frame: RecordedFrame
    /// The `type` of a text frame that is a JSON object with one.
    let type: String?

    init(_ frame: RecordedFrame) {
        self.frame = frame
        type = Self.leadingType(of: frame) ?? frame.type
    }

    /// The text as JSON, read anew for each asking; nil for what is none.
    var json: JSONValue? { frame.opcode == .text ? try? JSON.parse(frame.payload.bytes) : nil }

    /// The type of a frame of the server's that no fault touched: it is well-formed, and begins with its type.
    ///
    /// Reading the chunks of answers as JSON would take most of the time of judging.
    private static func leadingType(of frame: RecordedFrame) -> String? {
        guard frame.sender == .server, frame.opcode == .text, frame.faults.isEmpty, frame.delivery == .complete,
            frame.payload.bytes.starts(with: leader)
        else { return nil }
        let type = frame.payload.bytes[leader.count...].prefix { $0 != UInt8(ascii: "\"") }
        return type.contains(UInt8(ascii: "\\")) ? nil : String(decoding: type, as: UTF8.self)
    }

    private static let leader = Array(#"{"type":""#.utf8)

    var isFromClient: Bool { frame.sender == .client }
    /// Whether the client can have it all.
    var isDelivered: Bool { frame.delivery == .complete }
    /// Whether it is a question to the coach, in either protocol.
    var isChatMessage: Bool { isFromClient && (type == "message" || type == "user_message") }
    /// Whether it is a ping, as a control frame or as JSON.
    var isPing: Bool { isFromClient && (frame.opcode == .ping || type == "ping") }
}
