import JSON
import Text

/// What faults need to know of a text message that the server sends: its `type`.
struct ServerText {
    /// The member `type` of the object that the text is, where it is a string of at most 64 bytes.
    let type: String?

    init(_ text: [UInt8]) {
        if let type = Self.leadingType(of: text) {
            self.type = type
        } else {
            // Recorded messages have their members in any order, and white space between them.
            let type = (try? JSON.parse(text))?["type"]?.string
            self.type = type.map { $0.utf8.count <= Self.longestType } == true ? type : nil
        }
    }

    /// The type where the text begins with it, as our own encoder writes it, so that our messages need not be parsed.
    private static func leadingType(of text: [UInt8]) -> String? {
        guard text.starts(with: beginning) else { return nil }
        let rest = text[beginning.count...].prefix(longestType + 1)
        guard let end = rest.firstIndex(where: { $0 == .quote || $0 == .backslash }), rest[end] == .quote else {
            return nil
        }
        return String(decoding: rest[..<end], as: UTF8.self)
    }

    private static let beginning = Array(#"{"type":""#.utf8)
    private static let longestType = 64

    /// Whether it is a piece of an answer.
    var isChunk: Bool { type == "stream_chunk" || type == "assistant_message_chunk" }
    /// Whether an answer is complete with it.
    var endsAnswer: Bool { type == "stream_complete" || type == "assistant_message_end" }
    /// Whether an answer begins with it.
    var beginsAnswer: Bool { type == "assistant_message_start" }
    /// Whether another message comes after it without the client having said anything.
    ///
    /// Not after the others: a client waits for `connected` before it speaks, and pings again only after `pong`.
    var announcesMore: Bool {
        isChunk || beginsAnswer || type == "message_received" || type == "user_message" || type == "template_created"
    }
}

/// Where messages stand on a connection, counted as they would be sent if nothing went wrong.
///
/// So no rule changes where another one sets in.
struct MessageCounts: Sendable {
    private(set) var frame = 0
    /// The bytes of the latest message's frame, from 0 after the handshake.
    private(set) var bytes = 0..<0
    /// The answer that is being sent, or would come next, from 1.
    private(set) var answer = 1
    /// Its chunks so far.
    private(set) var chunk = 0
    private var answerIsOver = false

    /// Counts a message that takes so many bytes in one plain frame.
    mutating func count(_ text: ServerText, frameBytes: Int) {
        frame += 1
        bytes = bytes.upperBound..<(bytes.upperBound + frameBytes)
        // An answer that broke off is over when the next one begins.
        if answerIsOver || (text.beginsAnswer && chunk > 0) {
            answer += 1
            chunk = 0
        }
        if text.isChunk { chunk += 1 }
        answerIsOver = text.endsAnswer
    }
}
