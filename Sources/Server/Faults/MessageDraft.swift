import FitIQAPI
import JSON
import Text
import WebSocket

/// A text message on its way into frames, and what is to be wrong with them.
struct MessageDraft: Sendable {
    var text: [UInt8]
    var opcode = Opcode.text
    /// The masking key of every fragment; nil for none.
    var maskKey: UInt32?
    /// RSV1 is 4, RSV2 2, RSV3 1; they stand in the first fragment.
    var reservedBits: UInt8 = 0
    /// Where fragments begin in the text, beside the first one.
    var fragments: [Int] = []
    var copies = 1
    var waits: [(offset: Int, time: Int64)] = []
    var dribbles: [(offset: Int, bytes: Int, time: Int64)] = []
    /// Where the frame is cut, and what happens there.
    var ending: (offset: Int, action: WireAction)?

    init(_ text: [UInt8]) {
        self.text = text
    }

    /// The frames, and what happens between their bytes.
    func encoded() -> Transmission {
        var bytes: [UInt8] = []
        for _ in 0..<copies { appendFrames(to: &bytes) }
        var wire = WireFaults(count: bytes.count)
        for wait in waits { wire.wait(wait.time, at: min(wait.offset, bytes.count)) }
        for dribble in dribbles {
            let start = min(dribble.offset, bytes.count)
            wire.dribble(bytes: dribble.bytes, every: dribble.time, in: start..<bytes.count)
        }
        if let ending { wire.end(ending.action, at: ending.offset) }
        return wire.transmission(of: bytes)
    }

    private func appendFrames(to out: inout [UInt8]) {
        let starts = Set(fragments.filter { $0 > 0 && $0 < text.count }).sorted().prefix(FaultLimits.fragments - 1)
        var begin = 0
        for end in starts + [text.count] {
            var firstByte: UInt8 = end == text.count ? 0x80 : 0
            // The first one may be empty together with the text.
            if begin == 0 { firstByte |= opcode.rawValue | reservedBits << 4 }
            FrameEncoder.appendRaw(firstByte: firstByte, text[begin..<end], maskKey: maskKey, into: &out)
            begin = end
        }
    }

    /// Takes another message into the same frame, behind a newline, with all that is wrong with it.
    mutating func join(_ next: MessageDraft) {
        text.append(0x0A)
        fragments += next.fragments.filter { $0 > 0 && $0 < next.text.count }.map { $0 + text.count }
        text += next.text
        if next.opcode == .binary { opcode = .binary }
        maskKey = maskKey ?? next.maskKey
        reservedBits |= next.reservedBits
        copies = max(copies, next.copies)
        // What was meant for a place in a frame of its own now holds for the whole.
        waits += next.waits.map { (0, $0.time) }
        dribbles += next.dribbles.map { (0, $0.bytes, $0.time) }
    }
}

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

/// Times in JSON with nine digits of a second's fraction, as Go's `time.Time` writes them.
///
/// A pure rewriting of text: each value that is exactly `"YYYY-MM-DDTHH:MM:SSZ"` gets `.nnnnnnnnn` before its Z. The
/// digits follow from the seed and the time as written, wherever it stands: times that were equal stay equal, an order of
/// different seconds stays, and an entity has the same times each time it is asked for. Names of members and longer
/// strings stay as they are. The text need not be valid JSON, only its strings must be; the time taken is linear.
public enum NanosecondTimestamps {
    /// Rewrites a text.
    public static func rewrite(_ text: [UInt8], seed: UInt64) -> [UInt8] {
        var out: [UInt8] = []
        var copied = 0
        var index = 0
        while index < text.count {
            guard text[index] == quote else {
                index += 1
                continue
            }
            let start = index + 1
            index = endOfString(text, from: start)
            if index - start == length, isTime(text[start..<index]), !isName(text, endingAt: index) {
                out += text[copied..<(index - 1)]
                appendFraction(of: text[start..<index], seed: seed, to: &out)
                copied = index - 1
            }
            index += 1
        }
        guard copied > 0 else { return text }
        return out + text[copied...]
    }

    private static let quote = UInt8(ascii: "\"")
    private static let shape = Array("0000-00-00T00:00:00Z".utf8)
    private static let length = shape.count

    /// The index of the quote that ends the string, or the end of the text.
    private static func endOfString(_ text: [UInt8], from start: Int) -> Int {
        var index = start
        while index < text.count, text[index] != quote {
            index += text[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(index, text.count)
    }

    private static func isTime(_ string: ArraySlice<UInt8>) -> Bool {
        zip(string, shape).allSatisfy { byte, model in
            model == UInt8(ascii: "0") ? byte.isDigit : byte == model
        }
    }

    /// Whether a colon follows the string, or the text ends within it.
    private static func isName(_ text: [UInt8], endingAt quote: Int) -> Bool {
        guard quote < text.count else { return true }
        let next = text[(quote + 1)...].first { !$0.isJSONWhitespace }
        return next == UInt8(ascii: ":")
    }

    private static func appendFraction(of time: ArraySlice<UInt8>, seed: UInt64, to out: inout [UInt8]) {
        var number = Chance(seed: seed).mixing(time).next(below: 1_000_000_000)
        var digits = [UInt8](repeating: UInt8(ascii: "0"), count: 9)
        for index in digits.indices.reversed() {
            digits[index] += UInt8(number % 10)
            number /= 10
        }
        out.append(UInt8(ascii: "."))
        out += digits
    }
}
