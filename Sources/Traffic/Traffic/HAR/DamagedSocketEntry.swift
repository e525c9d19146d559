import JSON

/// Recovers a WebSocket's entry whose frames are damaged.
///
/// Frames are found by their beginning, `{"type":"send","time":`: no text within a JSON string has such quotes, so they
/// are distinguishable from half-written data. Every complete frame is kept, before and after the damage.
struct DamagedSocketEntry {
    /// The entry's JSON text, without the damaged parts.
    private(set) var bytes: [UInt8]
    /// The number of omitted bytes, in addition to white space.
    private(set) var leftOut = 0

    private let limits: JSON.Limits
    /// Whether bytes were found that no text contains: after a missing page, the rest may belong to another entry.
    private var isTorn = false

    /// Nil if the line is not a WebSocket's, or is damaged before its frames.
    init?(_ line: ArraySlice<UInt8>, limits: JSON.Limits) {
        self.limits = limits
        guard let list = line.firstRange(of: Self.messages),
            Self.isJSON(line[..<list.upperBound], closedBy: "]}", limits)
        else { return nil }
        bytes = Array(line[..<list.upperBound])
        let rest = line[list.upperBound...]
        let end = rest.firstRange(of: Self.ours)
        appendFrames(of: rest[..<(end?.lowerBound ?? rest.endIndex)])
        bytes.append(UInt8(ascii: "]"))
        if let end { appendOurs(rest[(end.lowerBound + 1)...]) }
        bytes.append(UInt8(ascii: "}"))
        leftOut = max(leftOut, 1)
        guard isReadable else { return nil }
    }

    private static let messages = Array(#""_webSocketMessages":["#.utf8)
    private static let ours = Array(#"],"_fitiq":{"#.utf8)
    private static let controlFrames = Array(#""controlFrames":["#.utf8)
    private static let frame = Array(#"{"type":""#.utf8)
    private static let senders = [Array(#"send","time":"#.utf8), Array(#"receive","time":"#.utf8)]

    private static func isJSON(
        _ text: ArraySlice<UInt8>, closedBy brackets: StaticString, _ limits: JSON.Limits
    ) -> Bool {
        (try? JSON.parse(brackets.withUTF8Buffer { text + $0 }, limits: limits)) != nil
    }

    /// Appends `,"_fitiq":{…}` as far as it is complete; the text ends with the entry.
    private mutating func appendOurs(_ text: ArraySlice<UInt8>) {
        guard !isTorn, let list = text.firstRange(of: Self.controlFrames),
            let end = text.lastIndex(of: UInt8(ascii: "]")),
            end >= list.upperBound,
            Self.isJSON(ArraySlice("{".utf8) + text[..<list.upperBound].dropFirst(), closedBy: "]}}", limits)
        else {
            leftOut += text.trimmed.count
            return
        }
        bytes += text[..<list.upperBound]
        appendFrames(of: text[list.upperBound..<end])
        bytes.append(UInt8(ascii: "]"))
        let ending = text[(end + 1)...].prefix { $0 != UInt8(ascii: "}") }
        let whole = text[(end + 1)...].firstIndex(of: UInt8(ascii: "}")).map { text[(end + 1)...$0] } ?? ending
        if !ending.trimmed.isEmpty {
            if !isTorn, Self.isJSON(ArraySlice("{".utf8) + whole.dropFirst(), closedBy: "}", limits) {
                bytes += whole
            } else {
                leftOut += ending.trimmed.count
            }
        }
        bytes.append(UInt8(ascii: "}"))
    }

    /// Appends the complete elements of a list, with commas between them.
    private mutating func appendFrames(of list: ArraySlice<UInt8>) {
        var isFirst = true
        var piece = nextFrame(in: list, from: list.startIndex)
        drop(list[..<piece])
        while piece < list.endIndex, !isTorn {
            let next = nextFrame(in: list, from: piece + 1)
            let end = Self.objectEnd(in: list[piece..<next])
            if let end, (try? JSON.parse(list[piece..<end], limits: limits)) != nil {
                if !isFirst { bytes.append(UInt8(ascii: ",")) }
                isFirst = false
                bytes += list[piece..<end]
                drop(list[end..<next])
            } else {
                drop(list[piece..<next])
            }
            piece = next
        }
        leftOut += list[piece...].trimmed.count
    }

    private mutating func drop(_ text: ArraySlice<UInt8>) {
        leftOut += text.trimmed.withoutComma.count
        // RFC 8259 §7: "the control characters (U+0000 through U+001F)" must be escaped in strings.
        if text.contains(where: { $0 < 0x20 }) { isTorn = true }
    }

    private func nextFrame(in list: ArraySlice<UInt8>, from start: Int) -> Int {
        var rest = list[min(start, list.endIndex)...]
        while let found = rest.firstRange(of: Self.frame) {
            let after = rest[found.upperBound...]
            if Self.senders.contains(where: after.starts) { return found.lowerBound }
            rest = after
        }
        return list.endIndex
    }

    /// The end of the object that begins there, or nil if it has none.
    private static func objectEnd(in text: ArraySlice<UInt8>) -> Int? {
        var depth = 0
        var isInString = false
        var isEscaped = false
        for index in text.indices {
            let byte = text[index]
            if isEscaped {
                isEscaped = false
            } else if isInString {
                if byte == UInt8(ascii: "\\") { isEscaped = true }
                if byte == UInt8(ascii: "\"") { isInString = false }
            } else if byte == UInt8(ascii: "\"") {
                isInString = true
            } else if byte == UInt8(ascii: "{") {
                depth += 1
            } else if byte == UInt8(ascii: "}") {
                depth -= 1
                if depth == 0 { return index + 1 }
            }
        }
        return nil
    }

    /// Whether the entry can be read without an error.
    private var isReadable: Bool {
        guard let entry = try? JSON.parse(bytes, limits: limits) else { return false }
        var reader = HARReader(limits: HARLimits())
        return (try? reader.session(from: ["log": ["entries": [entry]]])) != nil
    }
}

extension ArraySlice<UInt8> {
    /// The first position of a short byte sequence.
    fileprivate func firstRange(of bytes: [UInt8]) -> Range<Int>? {
        var rest = self
        while let index = rest.firstIndex(of: bytes[0]) {
            if rest[index...].starts(with: bytes) { return index..<(index + bytes.count) }
            rest = rest[(index + 1)...]
        }
        return nil
    }
}
