/// The words of a question, as they are compared.
enum Words {
    static func isWhitespace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0A).contains(byte) || byte == 0x0D }

    /// Splits a text into words of lower-case ASCII letters and digits, without diacritics and plural endings.
    ///
    /// "Café" and "CAFES" are both `cafe`: case, the accents of Latin letters and apostrophes do not count; letters
    /// of other scripts are kept as they are.
    static func fold(_ text: String) -> [String] {
        var words: [String] = []
        var word = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "a"..."z", "0"..."9": word.unicodeScalars.append(scalar)
            case "A"..."Z": word.unicodeScalars.append(Unicode.Scalar(UInt8(scalar.value | 0x20)))
            case "'", "\u{2019}", "\u{300}"..."\u{36F}": continue
            default:
                if let letters = plainLetters(of: scalar) {
                    word += letters
                } else if scalar.properties.isAlphabetic {
                    word.unicodeScalars.append(scalar)
                } else {
                    finish(&word, into: &words)
                }
            }
        }
        finish(&word, into: &words)
        return words
    }

    private static func finish(_ word: inout String, into words: inout [String]) {
        guard !word.isEmpty else { return }
        // "goals" asks for what "goal" asks for; "stress" and "gas" are no plurals.
        let isPlural = word.utf8.count > 3 && word.hasSuffix("s") && !word.hasSuffix("ss")
        words.append(isPlural ? String(word.dropLast()) : word)
        word.removeAll(keepingCapacity: true)
    }

    /// The letters of Latin-1 (U+00C0 to U+00FF) without their marks.
    private static func plainLetters(of scalar: Unicode.Scalar) -> String? {
        switch scalar.value {
        case 0xC0...0xC5, 0xE0...0xE5: "a"
        case 0xC6, 0xE6: "ae"
        case 0xC7, 0xE7: "c"
        case 0xC8...0xCB, 0xE8...0xEB: "e"
        case 0xCC...0xCF, 0xEC...0xEF: "i"
        case 0xD1, 0xF1: "n"
        case 0xD2...0xD6, 0xD8, 0xF2...0xF6, 0xF8: "o"
        case 0xD9...0xDC, 0xF9...0xFC: "u"
        case 0xDD, 0xFD, 0xFF: "y"
        case 0xDF: "ss"
        default: nil
        }
    }
}
