import Digests
import FitIQAPI
import JSON
import Text

/// A parsed HAR: the session, and notes on missing parts.
public struct HARFile: Sendable {
    /// The recorded session, in the order in which its entries started.
    public let session: Session
    /// Notes on missing and repaired parts.
    public let notes: [HARNote]
    /// The name of the program that wrote the file, or nil if unknown.
    public let creator: String?

    /// Whether our own recorder wrote the file and missed nothing.
    ///
    /// If so, events that are not in the file did not happen.
    ///
    /// Other programs omit control frames and the ends of WebSockets and, with some settings, credentials and bodies.
    public let isWhole: Bool

    /// Reads a HAR 1.2 file written by a browser, a proxy, Playwright or this program.
    ///
    /// A byte order mark is skipped. The notes say how much content could not be included in the session. A truncated
    /// file yields its complete entries and a note. `attachment` receives a plain name without folders, and returns the
    /// bytes of a file next to the HAR file, or nil. Playwright writes such files for bodies and messages. Time and
    /// memory use are linear in the number of bytes.
    public init(
        reading bytes: [UInt8], limits: HARLimits = HARLimits(),
        attachment: @escaping (String) -> [UInt8]? = { _ in nil }
    ) throws(Refusal) {
        var text = HARText(bytes)
        var root = try text.parse(limits: limits)
        var notes = text.notes
        var attachments = HARAttachments(limits: limits, remaining: limits.bytes - bytes.count, read: attachment)
        try attachments.embed(into: &root)
        notes += attachments.notes
        var reader = HARReader(limits: limits)
        session = try reader.session(from: root)
        creator = root["log"]?["creator"]?["name"]?.string
        self.notes = notes + reader.notes
        isWhole = creator == HAREncoder.creatorName && reader.hasControlFrames && self.notes.allSatisfy(\.isHarmless)
    }
}

/// The bytes of a file before parsing; known mistakes by writers are repaired and noted.
struct HARText {
    private(set) var bytes: [UInt8]
    private(set) var notes: [HARNote] = []

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Decodes base64, which some writers break into lines, or returns nil if the text is not base64.
    static func base64(_ text: String) -> [UInt8]? {
        Base64.decode(text) ?? Base64.decode(text.filter { !$0.isWhitespace })
    }

    /// Parses the bytes.
    ///
    /// A valid file is read only once; a rejected file is examined again.
    mutating func parse(limits: HARLimits) throws(Refusal) -> JSONValue {
        guard bytes.count <= limits.bytes else { throw Refusal(Messages.tooLarge(limit: limits.bytes)) }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        guard bytes.contains(where: { !$0.isJSONWhitespace }) else { throw Refusal(Messages.empty) }
        // UTF-16 has a byte order mark or a zero byte. A file that contains only zeros is the result of a crash.
        let hasZero = bytes.prefix(2).contains(0) && !bytes.starts(with: [0, 0])
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) || hasZero {
            throw Refusal(
                "this is UTF-16, but JSON must be UTF-8; save it as UTF-8, or convert it with 'iconv -f UTF-16 "
                    + "-t UTF-8'")
        }
        // Repairing a truncated file may add three brackets.
        let limits = JSON.Limits(bytes: limits.bytes + 3, values: limits.values)
        do throws(JSONError) {
            return try JSON.parse(bytes, limits: limits)
        } catch {
            if bytes.starts(with: Array("PK\u{3}\u{4}".utf8)) { throw Refusal(Messages.compressed("a zip archive")) }
            if bytes.starts(with: [0x78]) { throw Refusal(Messages.compressed("compressed by zlib")) }
            if bytes.starts(with: [0x1F, 0x8B]) { throw Refusal(Messages.compressed("compressed by gzip")) }
            return try repaired(after: error, limits: limits)
        }
    }

    private mutating func repaired(after first: JSONError, limits: JSON.Limits) throws(Refusal) -> JSONValue {
        var error = first
        let count = LoneSurrogates.replace(in: &bytes)
        if count > 0 {
            notes.append(.loneSurrogates(count))
            do throws(JSONError) {
                return try JSON.parse(bytes, limits: limits)
            } catch let other { error = other }
        }
        guard let torn = TornHAR.wholePart(of: bytes, failingAt: error.offset) else {
            throw Refusal(Messages.notJSON(error))
        }
        notes.append(.torn(entries: torn.entries))
        do throws(JSONError) {
            return try JSON.parse(torn.bytes, limits: limits)
        } catch { throw Refusal(Messages.notJSON(error)) }
    }
}

/// Escapes for half a surrogate pair, which JavaScript and Python write even though half a pair is not a character.
enum LoneSurrogates {
    /// Replaces the escapes with `\ufffd` and returns how many there were.
    static func replace(in bytes: inout [UInt8]) -> Int {
        var count = 0
        var index = 0
        while index + 1 < bytes.count {
            guard bytes[index] == .backslash else {
                index += 1
                continue
            }
            guard let unit = codeUnit(at: index, in: bytes) else {
                index += 2
                continue
            }
            guard (0xD800...0xDFFF).contains(unit) else {
                index += 6
                continue
            }
            if unit < 0xDC00, let second = codeUnit(at: index + 6, in: bytes), (0xDC00...0xDFFF).contains(second) {
                index += 12
                continue
            }
            bytes.replaceSubrange((index + 2)..<(index + 6), with: Array("fffd".utf8))
            count += 1
            index += 6
        }
        return count
    }

    /// Returns the code unit of the escape `\uXXXX` at the index; nil if the text there is no such escape.
    private static func codeUnit(at index: Int, in bytes: [UInt8]) -> UInt16? {
        guard index + 6 <= bytes.count, bytes[index] == .backslash, bytes[index + 1] == UInt8(ascii: "u") else {
            return nil
        }
        return bytes.withUnsafeBufferPointer { $0.hexCodeUnit(at: index + 2) }
    }
}

/// The complete part of a file that is truncated or ends in zeros.
///
/// One pass over the bytes counts brackets outside of strings to find where each entry ended.
struct TornHAR {
    /// The complete entries as JSON text.
    var bytes: [UInt8]
    var entries: Int

    /// Returns the complete part, or nil if the text is otherwise invalid or does not start an object "log".
    ///
    /// - Parameter offset: The position at which JSON parsing fails.
    static func wholePart(of bytes: [UInt8], failingAt offset: Int) -> TornHAR? {
        guard CutToken.isCut(bytes, at: offset) else { return nil }
        var scan = Scan()
        for (index, byte) in bytes.enumerated() {
            scan.take(byte, at: index)
            if scan.isHopeless { return nil }
        }
        guard scan.isOpen else {
            // A crash may leave the old text intact, with zeros in place of the next entry.
            let isWhole = scan.place == .afterEntries && bytes[offset...].allSatisfy { $0 == 0 }
            return isWhole ? TornHAR(bytes: Array(bytes[..<offset]), entries: scan.entries) : nil
        }
        guard scan.place != .outside else {
            guard scan.isInLog else { return nil }
            return TornHAR(bytes: Array(#"{"log":{"entries":[]}}"#.utf8), entries: 0)
        }
        let brackets = scan.place == .afterEntries ? "}}" : "]}}"
        return TornHAR(bytes: bytes[..<scan.wholeEnd] + Array(brackets.utf8), entries: scan.entries)
    }

    private struct Scan {
        enum Place { case outside, inEntries, afterEntries }

        var place = Place.outside
        /// The end of the last complete entry, or of the bracket before the first or after the last entry.
        var wholeEnd = 0
        var entries = 0
        /// Whether the text is not an object or contains an entry that is not an object.
        var isHopeless = false
        /// Whether the text is inside the object "log", before any later member.
        private(set) var isInLog = false

        private var depth = 0
        private var isInString = false
        private var isEscaped = false
        /// The start of the last string at depth 1 or 2, truncated to the length of the longest relevant name.
        private var name: [UInt8] = []

        var isOpen: Bool { depth > 0 }

        mutating func take(_ byte: UInt8, at index: Int) {
            if isInString { return takeInString(byte) }
            switch byte {
            case UInt8(ascii: "\""):
                isInString = true
                name.removeAll(keepingCapacity: true)
            case UInt8(ascii: "{"), UInt8(ascii: "["): open(byte, at: index)
            case UInt8(ascii: "}"), UInt8(ascii: "]"): close(at: index)
            default: break
            }
        }

        private mutating func takeInString(_ byte: UInt8) {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInString = false
                return
            }
            if depth <= 2, name.count < 16 { name.append(byte) }
        }

        private func isNamed(_ text: StaticString) -> Bool { text.withUTF8Buffer { name.elementsEqual($0) } }

        private mutating func open(_ byte: UInt8, at index: Int) {
            depth += 1
            let isObject = byte == UInt8(ascii: "{")
            switch depth {
            case 1: isHopeless = !isObject
            case 2: isInLog = isObject && isNamed("log")
            case 4 where place == .inEntries: isHopeless = !isObject
            case 3 where isInLog && place == .outside && !isObject && isNamed("entries"):
                place = .inEntries
                wholeEnd = index + 1
            default: break
            }
        }

        private mutating func close(at index: Int) {
            depth -= 1
            guard place == .inEntries else { return }
            if depth == 3 {
                wholeEnd = index + 1
                entries += 1
            } else if depth == 2 {
                wholeEnd = index + 1
                place = .afterEntries
            }
        }
    }
}

/// Detects truncated JSON text: parsing it fails at the end of the text or at a truncated token.
enum CutToken {
    /// Whether text that fails to parse as JSON at the offset could be valid with more bytes.
    ///
    /// Zeros at the end are the result of a system crash, and are not part of the text.
    static func isCut(_ bytes: some BidirectionalCollection<UInt8>, at offset: Int) -> Bool {
        let count = bytes.count - bytes.reversed().prefix { $0 == 0 }.count
        let start = bytes.index(bytes.startIndex, offsetBy: min(offset, count))
        let token = Array(bytes[start...].prefix(count - min(offset, count)))
        guard let first = token.first else { return true }
        return first < 0x80 ? isCutWord(token, after: bytes[..<start]) : UTF8Sequence.isTorn(token)
    }

    /// Whether the token is the start of a literal, such as `tru` in place of a value.
    ///
    /// For all other tokens, parsing fails at the token's end.
    private static func isCutWord(_ token: [UInt8], after text: some BidirectionalCollection<UInt8>) -> Bool {
        let before = text.last { !$0.isJSONWhitespace }
        guard let before, ":,[".utf8.contains(before) else { return false }
        return ["true", "false", "null"].contains { $0.utf8.count > token.count && $0.utf8.starts(with: token) }
    }
}

/// Playwright's separate files for bodies and messages (`content: "attach"`).
///
/// `content._file` names the file of a response's body or, for a WebSocket, of its messages, one JSON object per line.
/// `postData._file` names the file of a request's body. This type inserts the files' contents into the HAR, so that the
/// rest of the code need not handle attachments.
struct HARAttachments {
    let limits: HARLimits
    /// The number of bytes that may still be read.
    var remaining: Int
    let read: (String) -> [UInt8]?
    private(set) var notes: [HARNote] = []

    mutating func embed(into root: inout JSONValue) throws(Refusal) {
        guard var file = root.object, var log = file["log"]?.object, var entries = log["entries"]?.array else { return }
        for index in entries.indices {
            guard var entry = entries[index].object else { continue }
            do throws(Refusal) { try embed(into: &entry, number: index + 1) } catch {
                throw error.inside("entry \(index + 1)")
            }
            entries[index] = .object(entry)
        }
        log["entries"] = .array(entries)
        file["log"] = .object(log)
        root = .object(file)
    }

    private mutating func embed(into entry: inout JSONObject, number: Int) throws(Refusal) {
        if var request = entry["request"]?.object, var data = request["postData"]?.object,
            try putText(into: &data, entry: number)
        {
            request["postData"] = .object(data)
            entry["request"] = .object(request)
        }
        guard var response = entry["response"]?.object, var content = response["content"]?.object else { return }
        if entry["_resourceType"]?.string == "websocket" {
            guard entry["_webSocketMessages"] == nil, let name = content["_file"]?.string,
                let bytes = try attachment(name, entry: number)
            else { return }
            entry["_webSocketMessages"] = .array(try lines(of: bytes, in: name))
        } else if try putText(into: &content, entry: number) {
            response["content"] = .object(content)
            entry["response"] = .object(response)
        }
    }

    /// Inserts the content of an object's file; returns false if there is no file or the file is not needed.
    private mutating func putText(into object: inout JSONObject, entry: Int) throws(Refusal) -> Bool {
        // Playwright writes an empty string next to a file name.
        guard [nil, .null, ""].contains(object["text"]), let name = object["_file"]?.string,
            let bytes = try attachment(name, entry: entry)
        else { return false }
        let text = String(validating: bytes, as: UTF8.self)
        object["text"] = .string(text ?? Base64.encode(bytes))
        if text == nil { object["encoding"] = "base64" }
        return true
    }

    private mutating func attachment(_ name: String, entry: Int) throws(Refusal) -> [UInt8]? {
        guard Self.isPlain(name), let bytes = read(name) else {
            notes.append(.missingAttachment(name: name, entry: entry))
            return nil
        }
        remaining -= bytes.count
        guard remaining >= 0 else { throw Refusal(Messages.tooLarge(limit: limits.bytes)) }
        return bytes
    }

    /// Whether a name is safe: it must be in the HAR's folder.
    static func isPlain(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 255 && name.utf8.first != UInt8(ascii: ".")
            && name.utf8.allSatisfy {
                $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "\\")
                    && $0 != UInt8(ascii: ":")
            }
    }

    /// The values in a file that has one value per line, except for a truncated last line.
    private func lines(of bytes: [UInt8], in name: String) throws(Refusal) -> [JSONValue] {
        var values: [JSONValue] = []
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            var copy = Array(line)
            _ = LoneSurrogates.replace(in: &copy)
            do throws(JSONError) {
                values.append(try JSON.parse(copy, limits: JSON.Limits(bytes: limits.bytes)))
            } catch {
                if line.endIndex == bytes.endIndex { break }
                var placed = error
                placed.line = values.count + 1
                throw Refusal(Messages.notJSON(placed), at: TerminalText.escaped(name))
            }
        }
        return values
    }
}

extension JSONNumber {
    /// The number times a power of ten, truncated to an integer, or nil if it does not fit.
    ///
    /// The conversion uses the digits, because a double is too imprecise for microseconds since 1970.
    func scaled(tenTo power: Int) -> Int64? {
        var value: Int64 = 0
        var fractionDigits: Int?
        var isNegative = false
        func push(_ digit: Int64) -> Bool {
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, sumOverflow) = product.addingReportingOverflow(digit)
            value = sum
            return !overflow && !sumOverflow
        }
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "-"): isNegative = true
            case UInt8(ascii: "."): fractionDigits = 0
            case UInt8(ascii: "e"), UInt8(ascii: "E"): return scaledAsDouble(tenTo: power)
            default:
                if let count = fractionDigits {
                    // Do not break, because an exponent may follow.
                    if count == power { continue }
                    fractionDigits = count + 1
                }
                guard push(Int64(byte &- .digitZero)) else { return scaledAsDouble(tenTo: power) }
            }
        }
        for _ in (fractionDigits ?? 0)..<power { guard push(0) else { return nil } }
        return isNegative ? -value : value
    }

    private func scaledAsDouble(tenTo power: Int) -> Int64? {
        guard var value = double else { return nil }
        for _ in 0..<power { value *= 10 }
        return Int64(exactly: value.rounded(.towardZero))
    }
}

/// Reads times in the notations that HAR writers use.
enum HARTime {
    /// The years 1970 to 2199, so that adding to a time cannot overflow.
    static let range: Range<Int64> = 0..<7_258_118_400_000_000_000
    /// The longest duration, ten years; longer durations are shortened to this limit.
    static let longest: Int64 = 315_360_000_000_000_000

    /// Parses `2025-01-29T10:30:00.250+01:00` to the nanosecond.
    ///
    /// Without an offset, the time is UTC.
    ///
    /// Offsets may also have the basic forms `+0100` and `+01` (ISO 8601), which formatters in Java and Python write.
    static func date(_ text: String) -> Timestamp? {
        if let time = Timestamp(text) ?? Timestamp(text + "Z") { return time }
        let hour = text.utf8.reversed().prefix(5).prefix { $0.isDigit }.count
        guard hour == 2 || hour == 4,
            let minutes = text.utf8.index(text.endIndex, offsetBy: 2 - hour, limitedBy: text.startIndex)
        else { return nil }
        return Timestamp(text[..<minutes] + ":" + (hour == 2 ? "00" : text[minutes...]))
    }

    /// Parses the time of a message: seconds from Chrome and mitmproxy, milliseconds from Playwright.
    ///
    /// The magnitude shows the unit: 10^11 seconds fall in the year 5138, and 10^11 milliseconds fall in 1973.
    static func message(_ number: JSONNumber) -> Timestamp? {
        guard let value = number.double else { return nil }
        guard let nanoseconds = number.scaled(tenTo: value > 1e11 ? 6 : 9), range.contains(nanoseconds) else {
            return nil
        }
        return Timestamp(nanosecondsSinceEpoch: nanoseconds)
    }

    /// Parses milliseconds; a negative value means unknown and becomes 0.
    static func span(_ number: JSONNumber?) -> Int64 {
        guard let number, let value = number.double, value > 0 else { return 0 }
        guard value < 1e12 else { return longest }
        return min(number.scaled(tenTo: 6) ?? longest, longest)
    }
}
