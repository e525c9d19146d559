import Deflate
import FitIQAPI
import JSON
import Text
import WebSocket

/// A text message that has not been framed yet, and the faults for its frames.
struct MessageDraft: Sendable {
    var text: [UInt8]
    var opcode = Opcode.text
    /// The masking key of every fragment; nil for unmasked fragments.
    var maskKey: UInt32?
    /// The reserved bits in the first fragment: RSV1 is 4, RSV2 is 2, RSV3 is 1.
    var reservedBits: UInt8 = 0
    /// The offsets in the text at which all fragments except the first begin.
    var fragments: [Int] = []
    var copies = 1
    var waits: [(offset: Int, time: Int64)] = []
    var dribbles: [(offset: Int, bytes: Int, time: Int64)] = []
    /// The offset at which the frame is cut, and the action at that offset.
    var ending: (offset: Int, action: WireAction)?

    /// The compression fault, if any.
    var compression: CompressionFault?

    private let windowBits: Int?
    private var isCompressed = false

    /// - Parameter windowBits: The window size for compressed messages; nil if the message is not compressed.
    init(_ text: [UInt8], windowBits: Int? = nil) { (self.text, self.windowBits) = (text, windowBits) }

    /// Compresses the text and returns its compressed size, unless faults need offsets in its frames.
    @discardableResult
    mutating func compress() -> Int? {
        let bits = windowBits ?? (compression == .undeclared ? 15 : nil)
        guard let bits, maskKey == nil, reservedBits == 0, fragments.isEmpty, dribbles.isEmpty, ending == nil,
            waits.allSatisfy({ $0.offset == 0 })
        else { return nil }
        var deflater = MessageDeflater(windowBits: bits, keepsHistory: compression == .forgotten)
        if compression == .forgotten { _ = deflater.deflate(text) }
        (text, isCompressed) = (deflater.deflate(text), true)
        switch compression {
        case .fragmented, .marked: fragments = [text.count / 2]
        case .trailing: text += [0xDE, 0xAD, 0xBE, 0xEF]
        // Set the last block's type to the only undefined one (RFC 1951 §3.2.3).
        case .corrupt: text[0] = 0b111
        default: break
        }
        return text.count
    }

    /// The encoded frames and the actions between their bytes.
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
            // The first fragment may be empty if the text is.
            if begin == 0 { firstByte |= opcode.rawValue | reservedBits << 4 | (isCompressed ? 0x40 : 0) }
            if isCompressed, compression == .marked { firstByte |= 0x40 }
            FrameEncoder.appendRaw(firstByte: firstByte, text[begin..<end], maskKey: maskKey, into: &out)
            begin = end
        }
    }

    /// Appends another message and its faults to the same frame, after a newline.
    mutating func join(_ next: MessageDraft) {
        text.append(0x0A)
        fragments += next.fragments.filter { $0 > 0 && $0 < next.text.count }.map { $0 + text.count }
        text += next.text
        if next.opcode == .binary { opcode = .binary }
        maskKey = maskKey ?? next.maskKey
        reservedBits |= next.reservedBits
        compression = compression ?? next.compression
        copies = max(copies, next.copies)
        // Offsets are now relative to the start of the shared frame instead of the start of the message.
        waits += next.waits.map { (0, $0.time) }
        dribbles += next.dribbles.map { (0, $0.bytes, $0.time) }
    }
}

/// The `type` of a server text message, for faults.
struct ServerText {
    /// The text must be an object, and the value of `type` must be a string of at most 64 bytes.
    let type: String?

    init(_ text: [UInt8]) {
        if let type = Self.leadingType(of: text) {
            self.type = type
        } else {
            // Recorded messages can have members in any order, with white space between them.
            let type = (try? JSON.parse(text))?["type"]?.string
            self.type = type.map { $0.utf8.count <= Self.longestType } == true ? type : nil
        }
    }

    /// The type at the start of the text, where this server's encoder writes the type; reading it there avoids parsing
    /// the message.
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

    var isChunk: Bool { type == "stream_chunk" || type == "assistant_message_chunk" }
    var endsAnswer: Bool { type == "stream_complete" || type == "assistant_message_end" }
    var beginsAnswer: Bool { type == "assistant_message_start" }
    /// Whether the server will send another message even if the client does nothing.
    ///
    /// After other messages, the server may stay quiet: clients send nothing before `connected`, and ping again only
    /// after `pong`.
    var announcesMore: Bool {
        isChunk || beginsAnswer || type == "message_received" || type == "user_message" || type == "template_created"
    }
}

/// The message positions that a connection would have if there were no faults, so that no rule shifts another rule's
/// point.
package struct MessageCounts: Sendable {
    private(set) var frame = 0
    /// The byte range of the latest message's frame, counted from 0 after the handshake.
    private(set) var bytes = 0..<0
    /// The number of the current or next answer, counted from 1.
    package private(set) var answer = 1
    /// The number of chunks so far in this answer.
    package private(set) var chunk = 0
    private var answerIsOver = false

    package init() {}

    /// Counts a message, given its text.
    package mutating func count(_ text: [UInt8]) { count(ServerText(text), frameBytes: text.count) }

    /// Counts a message, given the size it would have in one plain frame.
    mutating func count(_ text: ServerText, frameBytes: Int) {
        frame += 1
        bytes = bytes.upperBound..<(bytes.upperBound + frameBytes)
        // An interrupted answer ends when the next one starts.
        if answerIsOver || (text.beginsAnswer && chunk > 0) {
            answer += 1
            chunk = 0
        }
        if text.isChunk { chunk += 1 }
        answerIsOver = text.endsAnswer
    }
}

/// Escapes non-ASCII characters in JSON, as encoders for 7-bit channels do.
///
/// The text need not be valid JSON. In valid JSON, only strings have such characters. Invalid UTF-8 stays unchanged.
public enum JSONEscapes {
    public static func escape(_ text: [UInt8]) -> [UInt8] {
        guard text.contains(where: { $0 >= 0x80 }) else { return text }
        var out: [UInt8] = []
        out.reserveCapacity(text.count * 2)
        var parser = Unicode.UTF8.ForwardParser()
        var rest = text.makeIterator()
        var index = 0
        while true {
            switch parser.parseScalar(from: &rest) {
            case .valid(let encoded):
                index += encoded.count
                let scalar = Unicode.UTF8.decode(encoded)
                if scalar.isASCII { out += encoded } else { append(scalar, to: &out) }
            case .error(let length):
                out += text[index..<(index + length)]
                index += length
            case .emptyInput: return out
            }
        }
    }

    private static func append(_ scalar: Unicode.Scalar, to out: inout [UInt8]) {
        for unit in UTF16.encode(scalar) ?? .init() {
            out += [.backslash, UInt8(ascii: "u")]
            for shift in stride(from: 12, through: 0, by: -4) {
                let digit = UInt8(truncatingIfNeeded: unit >> UInt16(shift)) & 0xF
                out.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
            }
        }
    }
}

/// Rewrites times in JSON with nine fractional digits, like Go's `time.Time`.
///
/// Each value that is exactly `"YYYY-MM-DDTHH:MM:SSZ"` gets `.nnnnnnnnn` before its Z. The digits depend only on the
/// seed and the time. Equal times stay equal, different seconds keep their order, and an entity has the same times in
/// every response. Member names and longer strings stay unchanged. Only the strings must be valid JSON, not the whole
/// text. Rewriting takes linear time.
public enum NanosecondTimestamps {
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

    /// The index of the string's closing quote, or the end of the text.
    private static func endOfString(_ text: [UInt8], from start: Int) -> Int {
        var index = start
        while index < text.count, text[index] != quote { index += text[index] == UInt8(ascii: "\\") ? 2 : 1 }
        return min(index, text.count)
    }

    private static func isTime(_ string: ArraySlice<UInt8>) -> Bool {
        zip(string, shape).allSatisfy { byte, model in model == UInt8(ascii: "0") ? byte.isDigit : byte == model }
    }

    /// Whether a colon follows the string, or the text ends inside it.
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
