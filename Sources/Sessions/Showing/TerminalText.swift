/// Text that was recorded, made safe for a terminal and for one line.
enum TerminalText {
    /// The text with every character that moves a cursor, colours, hides or reorders text written as an escape.
    ///
    /// Controls of C0 and C1 and DEL (which begin a terminal's commands), line and paragraph separators, and Unicode's
    /// invisible marks of direction and width, with which text can look like another.
    static func escaped(_ text: some StringProtocol) -> String {
        guard text.unicodeScalars.contains(where: needsEscape) else { return String(text) }
        var output = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": output += "\\n"
            case "\r": output += "\\r"
            case "\t": output += "\\t"
            case _ where needsEscape(scalar):
                let digits = String(scalar.value, radix: 16, uppercase: true)
                output += scalar.value < 0x100 ? "\\x\(digits.count < 2 ? "0" : "")\(digits)" : "\\u{\(digits)}"
            default: output.unicodeScalars.append(scalar)
            }
        }
        return output
    }

    private static func needsEscape(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0xAD, 0x61C, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF,
            0xFFF9...0xFFFB, 0xE0000...0xE007F:
            true
        default: false
        }
    }
}
