import Text

/// What stands where something else was expected, in words.
enum Found: Equatable, CustomStringConvertible {
    case end
    /// A printable ASCII character.
    case character(String)
    /// Letters, digits, `_` and `$`, beginning with a letter; cut after 20.
    case word(String)
    /// Any other character.
    case scalar(Unicode.Scalar)
    /// A byte that is no valid UTF-8.
    case byte(UInt8)

    private static let longestWord = 20

    init(at offset: Int, in bytes: UnsafeBufferPointer<UInt8>) {
        guard offset < bytes.count else {
            self = .end
            return
        }
        let length = UTF8Sequence.length(at: offset, in: bytes)
        guard length > 0 else {
            self = .byte(bytes[offset])
            return
        }
        var end = offset
        if bytes[offset].isLetter {
            while end < bytes.count, end - offset < Found.longestWord, Found.isWordByte(bytes[end]) { end += 1 }
            let word = String(decoding: UnsafeBufferPointer(rebasing: bytes[offset..<end]), as: UTF8.self)
            let isCut = end < bytes.count && Found.isWordByte(bytes[end])
            self = .word(isCut ? word + "…" : word)
            return
        }
        let text = String(decoding: UnsafeBufferPointer(rebasing: bytes[offset..<(offset + length)]), as: UTF8.self)
        let isPrintableASCII = (0x20..<0x7F).contains(bytes[offset])
        self = isPrintableASCII ? .character(text) : .scalar(text.unicodeScalars.first ?? "\u{FFFD}")
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        byte.isAlphanumeric || byte == .underscore || byte == UInt8(ascii: "$")
    }

    var description: String {
        switch self {
        case .end: "the end of the text"
        case .character(let text), .word(let text): "'\(text)'"
        case .scalar(let scalar): Found.codePoint(scalar.value)
        case .byte(let byte): "the byte \(Found.hex(UInt32(byte), digits: 2)), which is not valid UTF-8"
        }
    }

    /// What to do about forms that other languages know and JSON does not.
    var hintForValue: String {
        switch self {
        case .word("NaN"), .word("Infinity"): "; JSON has no number for it, write null"
        case .word(let word) where Found.literals.contains(word.lowercased()):
            "; the literals are true, false and null, in lower case"
        case .word: "; strings need double quotes"
        case .character("'"): "; strings need double quotes"
        case .character("+"): "; a number does not begin with '+'"
        case .character("."): "; write a digit before the decimal point"
        default: hintForSeparator
        }
    }

    var hintForName: String {
        switch self {
        case .word, .character("'"): "; names need double quotes"
        case .character(let text) where text.utf8.first?.isDigit == true: "; names need double quotes"
        default: hintForSeparator
        }
    }

    var hintForSeparator: String {
        switch self {
        case .character("/"), .character("#"): "; JSON has no comments"
        case .scalar("\u{A0}"), .scalar("\u{FEFF}"), .scalar("\u{0C}"), .scalar("\u{0B}"):
            "; white space is space, tab, CR and LF only"
        default: ""
        }
    }

    private static let literals: Set = ["true", "false", "null", "none", "nil", "undefined"]

    /// `U+000A`.
    static func codePoint(_ value: UInt32) -> String { "U+" + hex(value, digits: 4).dropFirst(2) }

    /// `0x0A`, in upper case.
    static func hex(_ value: UInt32, digits: Int) -> String {
        let text = String(value, radix: 16, uppercase: true)
        return "0x" + String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}
