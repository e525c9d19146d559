/// Tells a HAR from a journal while it is read: a JSON object with a member `log`, whatever the file is called.
struct SessionSniffer {
    /// What a file is.
    enum Kind {
        case session, journal
    }

    /// What it is, once that is certain.
    private(set) var kind: Kind?
    private var depth = 0
    /// Whether a string that begins now, in the outermost object, is a name.
    private var isNameNext = false
    private var isInString = false
    private var isEscaped = false
    /// The beginning of the name that is being read; nil within other strings.
    private var name: [UInt8]?

    private static let log = Array("log".utf8)
    private static let mark: Set<UInt8> = [0xEF, 0xBB, 0xBF]

    /// Looks at more bytes until it is certain.
    mutating func look(at bytes: ArraySlice<UInt8>) {
        for byte in bytes {
            if kind != nil { return }
            if isInString { lookInString(byte) } else { look(at: byte) }
        }
    }

    private mutating func lookInString(_ byte: UInt8) {
        if isEscaped {
            isEscaped = false
        } else if byte == UInt8(ascii: "\"") {
            isInString = false
            if name == Self.log { kind = .session }
            name = nil
            return
        } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
        }
        if let count = name?.count, count <= Self.log.count { name?.append(byte) }
    }

    private mutating func look(at byte: UInt8) {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): break
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            // A journal's lines, and a HAR, are objects.
            if depth == 0, byte != UInt8(ascii: "{") { kind = .journal }
            depth += 1
            isNameNext = depth == 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            depth -= 1
            isNameNext = false
            if depth <= 0 { kind = .journal }
        case UInt8(ascii: ","): isNameNext = depth == 1
        case UInt8(ascii: "\""):
            if depth == 0 { kind = .journal }
            isInString = true
            name = isNameNext ? [] : nil
            isNameNext = false
        default: if depth == 0, !Self.mark.contains(byte) { kind = .journal }
        }
    }
}
