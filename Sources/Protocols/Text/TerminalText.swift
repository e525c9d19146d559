/// Makes external text safe for a terminal or a single line.
///
/// JSON values have separate excerpts with JSON's escapes (`JSONValue.excerpt(limit:)`).
public enum TerminalText {
    /// The text with every character that moves the cursor or colours, hides or reorders text replaced by an escape.
    ///
    /// These are C0 and C1 controls and DEL (which start terminal commands), line and paragraph separators, and
    /// invisible direction and width marks, which can disguise text.
    public static func escaped(_ text: some StringProtocol) -> String { replaced(text, where: needsEscape, escape) }

    /// The text in quotation marks, with control characters made visible, truncated if long.
    package static func quoted(_ text: some StringProtocol) -> String {
        let scalars = text.unicodeScalars
        let start = scalars.prefix(120).map { $0 == "'" ? "'" : $0.escaped(asASCII: false) }.joined()
        return "\"\(start)\(scalars.count > 120 ? "…" : "")\""
    }

    private static func escape(_ scalar: Unicode.Scalar, into output: inout String) {
        switch scalar {
        case "\n": output += "\\n"
        case "\r": output += "\\r"
        case "\t": output += "\\t"
        default:
            let digits = String(scalar.value, radix: 16, uppercase: true)
            output += scalar.value < 0x100 ? "\\x\(digits.count < 2 ? "0" : "")\(digits)" : "\\u{\(digits)}"
        }
    }

    /// Multi-line text for printing; like ``escaped(_:)``, but keeps line feeds, tabs and joiners.
    ///
    /// Persian, the languages of India and many emoji need the joiners U+200C and U+200D, which do not affect
    /// direction. You can print parts of the text separately.
    public static func printed(_ text: String) -> String { replaced(text, where: needsEscapeInLines, escape) }

    /// JSON text with these characters as JSON escapes; only strings can contain them.
    public static func printed(json text: String) -> String {
        replaced(text, where: needsEscapeInLines) { scalar, output in
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                output += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
    }

    private static func replaced(
        _ text: some StringProtocol, where isReplaced: (Unicode.Scalar) -> Bool,
        _ replace: (Unicode.Scalar, inout String) -> Void
    ) -> String {
        guard text.unicodeScalars.contains(where: isReplaced) else { return String(text) }
        var output = ""
        for scalar in text.unicodeScalars {
            if isReplaced(scalar) {
                replace(scalar, &output)
            } else {
                output.unicodeScalars.append(scalar)
            }
        }
        return output
    }

    private static func needsEscapeInLines(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\n", "\t", "\u{200C}", "\u{200D}": false
        default: needsEscape(scalar)
        }
    }

    fileprivate static func needsEscape(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0xAD, 0x61C, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF,
            0xFFF9...0xFFFB, 0xE0000...0xE007F:
            true
        default: false
        }
    }

    /// The escaped text, truncated with "…" to `width` columns (1 or more) without examining the rest.
    ///
    /// Wide characters count as two columns and combining marks as one, so a line may be shorter than necessary but
    /// never too long.
    public static func excerpt(_ bytes: some Collection<UInt8>, width: Int) -> String {
        // This is enough for `width` characters; a character split at the prefix's end is beyond the truncation point.
        let start = Array(bytes.prefix(4 * width + 4))
        return cut(escaped(String(decoding: start, as: UTF8.self)), width: width)
    }

    /// The text, truncated with "…" to `width` columns.
    public static func cut(_ text: String, width: Int) -> String {
        precondition(width >= 1, "an excerpt must have at least one character")
        var columns = 0
        var index = text.unicodeScalars.startIndex
        var last = index
        while index < text.unicodeScalars.endIndex {
            if columns < width { last = index }
            columns += Self.columns(text.unicodeScalars[index])
            if columns > width { return String(text.unicodeScalars[..<last]) + "…" }
            index = text.unicodeScalars.index(after: index)
        }
        return text
    }

    /// The columns of a text, counted as for ``excerpt(_:width:)``.
    public static func columns(_ text: some StringProtocol) -> Int {
        text.unicodeScalars.reduce(0) { $0 + columns($1) }
    }

    /// The columns of a scalar: two for East Asian wide characters and emoji (Unicode Standard Annex #11), by block.
    public static func columns(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            2
        default: 1
        }
    }
}

extension String {
    /// The text on one line, truncated with "…" to `limit` characters.
    ///
    /// Tabs and line breaks become spaces; characters that `TerminalText` escapes become U+FFFD.
    public func onOneLine(limit: Int) -> String {
        var line = ""
        var count = 0
        for character in self {
            guard count < limit else { return line + "…" }
            // CR LF is one character; only the first few scalars of a character are used.
            for scalar in character == "\r\n" ? "\n".unicodeScalars.prefix(1) : character.unicodeScalars.prefix(8) {
                switch scalar {
                case "\t", "\n", "\r": line.append(" ")
                case "\u{200C}", "\u{200D}": line.unicodeScalars.append(scalar)
                case _ where TerminalText.needsEscape(scalar): line.append("\u{FFFD}")
                default: line.unicodeScalars.append(scalar)
                }
            }
            count += 1
        }
        return line
    }

    /// The text, truncated with "…" to at most `limit` bytes of UTF-8, between Unicode scalars.
    public func cut(toBytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(utf8.startIndex, offsetBy: limit)
        while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return self[..<end] + "…"
    }
}
