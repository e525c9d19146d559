/// A set of scalars: `[a-z_]`, `[^\s]`, `\d`, `.`.
struct ScalarClass {
    enum Name {
        /// `\d`: Unicode's decimal digits.
        case digit
        /// `\w`: letters, marks, decimal digits and connectors such as the underscore (UTS #18, annex C).
        case word
        /// `\s`: Unicode's white space.
        case space
        /// The scalars that `.` does not match.
        case lineEnd

        func contains(_ scalar: Unicode.Scalar) -> Bool {
            if scalar.isASCII { return containsASCII(UInt8(scalar.value)) }
            let properties = scalar.properties
            switch self {
            case .digit: return properties.generalCategory == .decimalNumber
            case .space: return properties.isWhitespace
            case .lineEnd: return scalar.value == 0x2028 || scalar.value == 0x2029
            case .word:
                if properties.isAlphabetic || properties.isJoinControl { return true }
                switch properties.generalCategory {
                case .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber, .connectorPunctuation: return true
                default: return false
                }
            }
        }

        private func containsASCII(_ byte: UInt8) -> Bool {
            switch (self, byte) {
            case (.digit, 0x30...0x39), (.word, 0x30...0x39), (.word, 0x41...0x5A), (.word, 0x61...0x7A),
                (.word, 0x5F), (.space, 0x09...0x0D), (.space, 0x20), (.lineEnd, 0x0A), (.lineEnd, 0x0D):
                true
            default: false
            }
        }
    }

    var ranges: [ClosedRange<Unicode.Scalar>] = []
    /// `\d` in a class, or `\D` if negated.
    var names: [(name: Name, isNegated: Bool)] = []
    var isNegated = false

    func contains(_ scalar: CasedScalar, ignoringCase ignoresCase: Bool) -> Bool {
        let isListed =
            ranges.contains { range in
                range.contains(scalar.itself)
                    || ignoresCase && (range.contains(scalar.upper) || range.contains(scalar.folded))
            } || names.contains { $0.name.contains(scalar.itself) != $0.isNegated }
        return isListed != isNegated
    }
}

/// A scalar with its other cases, by the mappings from one scalar to one scalar.
struct CasedScalar {
    let itself: Unicode.Scalar
    let upper: Unicode.Scalar
    /// The same for all scalars that differ only in case: `K`, `k` and the Kelvin sign.
    ///
    /// It is the lower case, if that is another scalar.
    let folded: Unicode.Scalar

    init(_ scalar: Unicode.Scalar) {
        itself = scalar
        if scalar.isASCII {
            switch scalar.value {
            case 0x41...0x5A: (folded, upper) = (Unicode.Scalar(UInt8(scalar.value | 0x20)), scalar)
            case 0x61...0x7A: (folded, upper) = (scalar, Unicode.Scalar(UInt8(scalar.value & 0xDF)))
            default: (folded, upper) = (scalar, scalar)
            }
        } else {
            upper = Self.only(scalar.properties.uppercaseMapping) ?? scalar
            // Through the upper case: the two small sigmas have one capital.
            folded = Self.only(upper.properties.lowercaseMapping) ?? upper
        }
    }

    private static func only(_ mapping: String) -> Unicode.Scalar? {
        mapping.unicodeScalars.count == 1 ? mapping.unicodeScalars.first : nil
    }
}

/// Case-insensitive search, scalar by scalar.
public enum Caseless {
    /// Whether the text contains the words; empty words are contained in every text.
    ///
    /// In time linear in both (Knuth, Morris, Pratt), so that no client's text makes it slow.
    public static func contains(_ words: String, in text: String) -> Bool {
        let sought = words.unicodeScalars.map { CasedScalar($0).folded }
        guard !sought.isEmpty else { return true }
        let lengths = borders(of: sought)
        var length = 0
        for scalar in text.unicodeScalars {
            let folded = CasedScalar(scalar).folded
            while length > 0, sought[length] != folded { length = lengths[length - 1] }
            if sought[length] == folded { length += 1 }
            if length == sought.count { return true }
        }
        return false
    }

    /// For each prefix of the words, the length of its longest border.
    private static func borders(of sought: [Unicode.Scalar]) -> [Int] {
        var lengths = [0]
        var length = 0
        for scalar in sought.dropFirst() {
            while length > 0, sought[length] != scalar { length = lengths[length - 1] }
            if sought[length] == scalar { length += 1 }
            lengths.append(length)
        }
        return lengths
    }
}
