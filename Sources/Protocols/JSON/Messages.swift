import Text

/// What a message says came before the error.
enum Place {
    case start, brace, bracket, comma, colon, memberValue, element
    case minus, point, exponent
}

/// Every message of this module: what was expected, what was found, and what to do where that is not plain.
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

    static let leadingZero = "a number does not begin with 0 unless a point or an exponent follows; drop the zero"

    static func unterminated(openedAt position: TextPosition) -> String {
        "expected '\"' to end the string from line \(position.line), column \(position.column) "
            + "but found the end of the text"
    }

    static func controlCharacter(_ byte: UInt8) -> String {
        "a control character in a string is written as an escape: "
            + "\(Escape.text(of: byte)) instead of \(Found.codePoint(UInt32(byte)))"
    }

    static func invalidUTF8(_ byte: UInt8) -> String {
        "the byte \(Found.hex(UInt32(byte), digits: 2)) is not valid UTF-8 here; JSON text is UTF-8 "
            + "(RFC 8259, section 8.1)"
    }

    static func escape(found: Found) -> String {
        #"expected one of "\/bfnrtu after '\' but found \#(found)"#
    }

    static func hexDigit(found: Found) -> String {
        #"expected four hexadecimal digits after '\u' but found \#(found)"#
    }

    static func loneSurrogate(_ codeUnit: UInt32) -> String {
        let name = "\\u" + Found.hex(codeUnit, digits: 4).dropFirst(2)
        return codeUnit < 0xDC00
            ? "\(name) is the first half of a surrogate pair; a \\uDC00 to \\uDFFF must follow it"
            : "\(name) is the second half of a surrogate pair; a \\uD800 to \\uDBFF must precede it"
    }

    static let byteOrderMark =
        "JSON text does not begin with a byte order mark (RFC 8259, section 8.1); remove EF BB BF"

    static func tooDeep(limit: Int) -> String { "more than \(limit) arrays and objects are nested; nest fewer" }

    static func tooManyBytes(_ count: Int, limit: Int) -> String {
        "the text has \(count) bytes, the limit is \(limit); send less at once"
    }

    static func tooManyValues(limit: Int) -> String { "the text has more than \(limit) values; send less at once" }
}
