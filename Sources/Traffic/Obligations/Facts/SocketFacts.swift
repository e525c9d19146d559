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
    let consultation: ExactString

    init(_ opening: RecordedOpening, _ entry: JournalEntry) {
        self.opening = opening
        requestedAt = opening.requestedAt
        openedAt = entry.time
        credentials = PresentedCredentials(opening.head)
        let segments = opening.head.target.segmentsInWorld
        consultation = segments.count > 3 ? ExactString(segments[3]) : ""
    }
}

/// A message or a control frame on a WebSocket.
///
/// A class, because most of a journal is frames, and each judge takes the fact apart.
final class FrameFact: Sendable {
    let frame: RecordedFrame
    /// The text as JSON; nil for what is none, and for the chunks of answers, whose words tell no judge anything.
    let json: JSONValue?
    /// The `type` of a text frame that is a JSON object with one.
    let type: String?

    init(_ frame: RecordedFrame) {
        self.frame = frame
        // Most of a journal is chunks, and reading them as JSON would take most of the time of judging.
        if let chunk = Self.chunkTypes.first(where: { Self.isWellFormed(frame, beginningWith: $0.leader) }) {
            json = nil
            type = chunk.type
        } else {
            json = frame.opcode == .text ? try? JSON.parse(frame.payload.bytes) : nil
            type = json?["type"]?.string
        }
    }

    private static func isWellFormed(_ frame: RecordedFrame, beginningWith leader: [UInt8]) -> Bool {
        frame.sender == .server && frame.opcode == .text && frame.faults.isEmpty && frame.delivery == .complete
            && frame.payload.bytes.starts(with: leader)
    }

    private static let chunkTypes = ["stream_chunk", "assistant_message_chunk", "pong"].map {
        (type: $0, leader: Array(#"{"type":"\#($0)""#.utf8))
    }

    var isFromClient: Bool { frame.sender == .client }
    /// Whether the client can have it all.
    var isDelivered: Bool { frame.delivery == .complete }
    /// Whether it is a question to the coach, in either protocol.
    var isChatMessage: Bool { isFromClient && (type == "message" || type == "user_message") }
    /// Whether it is a ping, as a control frame or as JSON.
    var isPing: Bool { isFromClient && (frame.opcode == .ping || type == "ping") }
}
