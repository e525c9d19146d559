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
struct FrameFact: Sendable {
    let frame: RecordedFrame
    /// The text as JSON; nil for what is none.
    let json: JSONValue?
    /// The `type` of the JSON.
    let type: String?

    init(_ frame: RecordedFrame) {
        self.frame = frame
        json = frame.opcode == .text ? try? JSON.parse(frame.payload.bytes) : nil
        type = json?["type"]?.string
    }

    var isFromClient: Bool { frame.sender == .client }
    /// Whether the client can have it all.
    var isDelivered: Bool { frame.delivery == .complete }
    /// Whether it is a question to the coach, in either protocol.
    var isChatMessage: Bool { isFromClient && (type == "message" || type == "user_message") }
    /// Whether it is a ping, as a control frame or as JSON.
    var isPing: Bool { isFromClient && (frame.opcode == .ping || type == "ping") }
}
