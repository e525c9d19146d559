import Text

/// The part of the text before an error, for messages.
enum Place {
    case start, brace, bracket, comma, colon, memberValue, element
    case minus, point, exponent
}

/// This module's messages: what was expected, what was found, and how to fix it if that is not obvious.
enum Messages {
    static func value(after place: Place, found: Found) -> String {
        let expected =
            switch place {
            case .bracket: "a value or ']' after '['"
            case .comma: "a value after ','"
            case .colon: "a value after ':'"
            default: "a value"
            }
        if place == .comma, found == .character("]") {
            return "expected \(expected) but found ']'; remove the trailing comma"
        }
        return "expected \(expected) but found \(found)\(found.hintForValue)"
    }
    static func name(after place: Place, found: Found) -> String {
        if place == .comma, found == .character("}") {
            return "expected a member name after ',' but found '}'; remove the trailing comma"
        }
        let expected = place == .comma ? "a member name after ','" : "a member name or '}' after '{'"
        return "expected \(expected) but found \(found)\(found.hintForName)"
    }
    static func colon(after name: String, found: Found) -> String {
        "expected ':' after the member name \(JSONValue.string(name).excerpt()) but found \(found)"
    }
    static func separator(after place: Place, found: Found) -> String {
        place == .element
            ? "expected ',' or ']' after an element but found \(found)\(found.hintForSeparator)"
            : "expected ',' or '}' after a member but found \(found)\(found.hintForSeparator)"
    }
    static func trailing(found: Found) -> String {
        "expected the end of the text after the value but found \(found)\(found.hintForSeparator)"
    }
    static func digit(after part: Place, found: Found) -> String {
        let place =
            switch part {
            case .point: "after the decimal point"
            case .exponent: "in the exponent"
            default: "after '-'"
            }
        return "expected a digit \(place) but found \(found)"
    }
    static let leadingZero =
        "a number must not begin with 0 unless a decimal point or an exponent follows; drop the zero"
    static func unterminated(openedAt position: TextPosition) -> String {
        "expected '\"' to end the string that begins at line \(position.line), column \(position.column) "
            + "but found the end of the text"
    }
    static func controlCharacter(_ byte: UInt8) -> String {
        "a control character in a string must be escaped: "
            + "\(Escape.text(of: byte)) instead of \(Found.codePoint(UInt32(byte)))"
    }
    static func invalidUTF8(_ byte: UInt8) -> String {
        "the byte \(Found.hex(UInt32(byte), digits: 2)) is not valid UTF-8 here; JSON text must be UTF-8 "
            + "(RFC 8259, section 8.1)"
    }
    static func escape(found: Found) -> String { #"expected one of "\/bfnrtu after '\' but found \#(found)"# }
    static func hexDigit(found: Found) -> String { #"expected four hexadecimal digits after '\u' but found \#(found)"# }
    static func loneSurrogate(_ codeUnit: UInt32) -> String {
        let name = "\\u" + Found.hex(codeUnit, digits: 4).dropFirst(2)
        return codeUnit < 0xDC00
            ? "\(name) is the first half of a surrogate pair; it must be followed by \\uDC00 to \\uDFFF"
            : "\(name) is the second half of a surrogate pair; it must be preceded by \\uD800 to \\uDBFF"
    }
    static let byteOrderMark =
        "JSON text must not begin with a byte order mark (RFC 8259, section 8.1); remove EF BB BF"
    static func tooDeep(limit: Int) -> String { "more than \(limit) arrays and objects are nested; nest fewer" }
    static func tooManyBytes(_ count: Int, limit: Int) -> String {
        "the text has \(count) bytes, and the limit is \(limit); send less at a time"
    }
    static func tooManyValues(limit: Int) -> String { "the text has more than \(limit) values; send fewer at a time" }
}

/// What was found instead of the expected text.
enum Found: Equatable, CustomStringConvertible {
    case end
    /// A printable ASCII character.
    case character(String)
    /// Letters, digits, `_` and `$`, starting with a letter; truncated to 20.
    case word(String)
    case scalar(Unicode.Scalar)
    /// A byte that is not valid UTF-8.
    case byte(UInt8)

    private static let longestWord = 20
    static func at(_ offset: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Found {
        guard offset < bytes.count else { return .end }
        let length = UTF8Sequence.length(at: offset, in: bytes)
        guard length > 0 else { return .byte(bytes[offset]) }
        if bytes[offset].isLetter {
            let word = bytes[offset...].prefix(while: isWordByte)
            let text = String(decoding: word.prefix(longestWord), as: UTF8.self)
            return .word(word.count > longestWord ? text + "…" : text)
        }
        let text = String(decoding: UnsafeBufferPointer(rebasing: bytes[offset..<(offset + length)]), as: UTF8.self)
        let isPrintableASCII = (0x20..<0x7F).contains(bytes[offset])
        return isPrintableASCII ? .character(text) : .scalar(text.unicodeScalars.first ?? "\u{FFFD}")
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

    /// How to fix syntax that other languages allow but JSON does not.
    var hintForValue: String {
        switch self {
        case .word("NaN"), .word("Infinity"): "; JSON cannot represent it; write null"
        case .word(let word) where Found.literals.contains(word.lowercased()):
            "; the literals are true, false and null, in lower case"
        case .word: "; strings need double quotes"
        case .character("'"): "; strings need double quotes"
        case .character("+"): "; a number must not begin with '+'"
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
            "; only space, tab, CR and LF are white space"
        default: ""
        }
    }

    private static let literals: Set = ["true", "false", "null", "none", "nil", "undefined"]
    /// `U+000A`.
    static func codePoint(_ value: UInt32) -> String { "U+" + hex(value, digits: 4).dropFirst(2) }

    /// `0x0A`, in uppercase.
    static func hex(_ value: UInt32, digits: Int) -> String {
        let text = String(value, radix: 16, uppercase: true)
        return "0x" + String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}
