import Digests
import JSON

/// A parsed HAR: its session, and what it lacks.
public struct HARFile: Sendable {
    /// The recorded session, in starting order.
    public let session: Session
    /// What the file lacks, or what was repaired in it.
    public let notes: [HARNote]
    /// The name of the program that wrote it, or nil if it gives none.
    public let creator: String?

    /// Whether our own recorder wrote it and missed nothing, so that anything not in it did not happen.
    ///
    /// Other programs omit control frames, ends of WebSockets and, on request, credentials and bodies.
    public let isWhole: Bool

    /// Reads a HAR 1.2 written by a browser, a proxy, Playwright or this program.
    ///
    /// A byte order mark is skipped. What a session cannot keep is counted in the notes. If a file ends in the middle,
    /// its complete entries are read, and a note says so. `attachment` returns the bytes of a file next to this one,
    /// which Playwright creates for bodies and messages, or nil; it receives only plain names, without folders. Time
    /// and memory are linear in the bytes.
    public init(
        reading bytes: [UInt8], limits: HARLimits = HARLimits(),
        attachment: @escaping (String) -> [UInt8]? = { _ in nil }
    ) throws(HARError) {
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

/// The bytes of a file on their way to JSON; known mistakes of writers are repaired and noted.
struct HARText {
    private(set) var bytes: [UInt8]
    private(set) var notes: [HARNote] = []

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The bytes of base64, which some writers break into lines; nil if it is none.
    static func base64(_ text: String) -> [UInt8]? {
        Base64.decode(text) ?? Base64.decode(text.filter { !$0.isWhitespace })
    }

    /// Parses the bytes; only what strict parsing refuses is examined again, so a valid file is read once.
    mutating func parse(limits: HARLimits) throws(HARError) -> JSONValue {
        guard bytes.count <= limits.bytes else { throw HARError(.tooLarge(limit: limits.bytes)) }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        guard bytes.contains(where: { !$0.isJSONWhitespace }) else { throw HARError(.empty) }
        // Its byte order mark, or the upper half of the first character; a file of zeros is what a crash leaves.
        let hasZero = bytes.prefix(2).contains(0) && !bytes.starts(with: [0, 0])
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) || hasZero {
            throw HARError(.utf16)
        }
        // Three more bytes are for the brackets that a torn file lacks.
        let limits = JSON.Limits(bytes: limits.bytes + 3, values: limits.values)
        do throws(JSONError) {
            return try JSON.parse(bytes, limits: limits)
        } catch {
            if bytes.starts(with: Array("PK\u{3}\u{4}".utf8)) { throw HARError(.compressed("a zip archive")) }
            if bytes.starts(with: [0x78]) { throw HARError(.compressed("compressed by zlib")) }
            if bytes.starts(with: [0x1F, 0x8B]) { throw HARError(.compressed("compressed by gzip")) }
            return try repaired(after: error, limits: limits)
        }
    }

    private mutating func repaired(after first: JSONError, limits: JSON.Limits) throws(HARError) -> JSONValue {
        var error = first
        let count = LoneSurrogates.replace(in: &bytes)
        if count > 0 {
            notes.append(.loneSurrogates(count))
            do throws(JSONError) {
                return try JSON.parse(bytes, limits: limits)
            } catch let other {
                error = other
            }
        }
        guard let torn = TornHAR.wholePart(of: bytes, failingAt: error.offset) else { throw HARError(.json(error)) }
        notes.append(.torn(entries: torn.entries))
        do throws(JSONError) {
            return try JSON.parse(torn.bytes, limits: limits)
        } catch {
            throw HARError(.json(error))
        }
    }
}

/// Escapes for half a surrogate pair: JavaScript and Python write them, Unicode has no such characters.
enum LoneSurrogates {
    /// Replaces them with `\ufffd`, and returns their number.
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

    /// The number of the escape `\uXXXX` that begins there, if one does.
    private static func codeUnit(at index: Int, in bytes: [UInt8]) -> UInt16? {
        guard index + 6 <= bytes.count, bytes[index] == .backslash, bytes[index + 1] == UInt8(ascii: "u") else {
            return nil
        }
        return bytes.withUnsafeBufferPointer { $0.hexCodeUnit(at: index + 2) }
    }
}
