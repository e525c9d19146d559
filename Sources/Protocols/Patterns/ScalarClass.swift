/// A set of scalars: `[a-z_]`, `[^\s]`, `\d`, `.`.
struct ScalarClass {
    /// A set with a name.
    enum Name {
        /// `\d`: Unicode's decimal digits.
        case digit
        /// `\w`: letters, marks, decimal digits and connectors such as the underscore (UTS #18, annex C).
        case word
        /// `\s`: Unicode's white space.
        case space
        /// What `.` does not match.
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
    /// `\d` in a class, or, negated, `\D`.
    var names: [(name: Name, isNegated: Bool)] = []
    var isNegated = false

    func contains(_ scalar: CasedScalar, ignoringCase ignoresCase: Bool) -> Bool {
        let isListed =
            ranges.contains { range in
                range.contains(scalar.itself)
                    || ignoresCase
                        && (range.contains(scalar.lower) || range.contains(scalar.upper)
                            || range.contains(scalar.folded))
            } || names.contains { $0.name.contains(scalar.itself) != $0.isNegated }
        return isListed != isNegated
    }
}
