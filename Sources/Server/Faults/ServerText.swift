/// What faults need to know of a text message that the server sends: its `type`.
struct ServerText {
    /// The value of `type`, where the text begins with it as our own encoder writes it; nil elsewhere.
    let type: String?

    init(_ text: [UInt8]) {
        let start = Self.beginning.count
        guard text.starts(with: Self.beginning),
            let end = text.dropFirst(start).prefix(Self.longestType + 1).firstIndex(of: UInt8(ascii: "\""))
        else {
            type = nil
            return
        }
        type = String(decoding: text[start..<end], as: UTF8.self)
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
