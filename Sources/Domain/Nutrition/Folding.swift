/// Folding of letters to lower-case ASCII, so that `Crème` and `creme` are one word.
enum Folding {
    /// Appends a letter's folded form; letters without one are appended in lower case.
    static func append(_ scalar: Unicode.Scalar, to word: inout String) {
        switch scalar.value {
        case 0x61...0x7A, 0x30...0x39: word.unicodeScalars.append(scalar)
        case 0x41...0x5A: word.unicodeScalars.append(Unicode.Scalar(UInt8(scalar.value + 32)))
        default:
            for lower in scalar.properties.lowercaseMapping.unicodeScalars where !isMark(lower) {
                if let plain = plain[lower] {
                    word += plain
                } else {
                    word.unicodeScalars.append(lower)
                }
            }
        }
    }

    /// The ASCII form of a full-width one, as Japanese and Chinese keyboards type `１２０ｇ`; others as they are.
    static func halfWidth(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        guard (0xFF01...0xFF5E).contains(scalar.value) else { return scalar }
        return Unicode.Scalar(UInt8(scalar.value - 0xFEE0))
    }

    static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return (0x61...0x7A).contains(scalar.value | 0x20) }
        return scalar.properties.isAlphabetic && !isMark(scalar)
    }

    /// Whether it goes with the letter before: an accent, a soft hyphen, a joiner.
    static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return false }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .spacingMark, .format: return true
        default: return false
        }
    }

    static func isApostrophe(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "'" || scalar == "\u{2019}" || scalar == "\u{2018}" || scalar == "\u{02BC}" || scalar == "`"
    }

    /// The value of a decimal digit in any script.
    static func digit(_ scalar: Unicode.Scalar) -> Double? {
        if scalar.isASCII { return (0x30...0x39).contains(scalar.value) ? Double(scalar.value - 0x30) : nil }
        guard scalar.properties.numericType == .decimal else { return nil }
        return scalar.properties.numericValue
    }

    /// The value of a character such as `½`.
    static func vulgarFraction(_ scalar: Unicode.Scalar) -> Double? {
        guard !scalar.isASCII, scalar.properties.generalCategory == .otherNumber,
            let value = scalar.properties.numericValue, value > 0, value < 1
        else { return nil }
        return value
    }

    /// The plain letters behind Latin ones with diacritics, and what ligatures stand for.
    private static let plain: [Unicode.Scalar: String] = {
        var plain: [Unicode.Scalar: String] = [:]
        let lists = [
            "a": "àáâãäåāăą", "c": "çćĉċč", "d": "ďđð", "e": "èéêëēĕėęě", "g": "ĝğġģ", "h": "ĥħ", "i": "ìíîïĩīĭįı",
            "j": "ĵ", "k": "ķ", "l": "ĺļľŀł", "n": "ñńņňŉ", "o": "òóôõöøōŏő", "r": "ŕŗř", "s": "śŝşšș", "t": "ţťŧț",
            "u": "ùúûüũūŭůűų", "w": "ŵ", "y": "ýÿŷ", "z": "źżž", "ae": "æ", "oe": "œ", "ss": "ß", "th": "þ",
        ]
        for (letter, variants) in lists {
            for scalar in variants.unicodeScalars { plain[scalar] = letter }
        }
        return plain
    }()
}
