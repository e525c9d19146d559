/// Named sets of scalars.
struct ScalarKinds: OptionSet, Hashable, Sendable {
    let rawValue: UInt8
    /// `\d`: Unicode's decimal digits.
    static let digit = ScalarKinds(rawValue: 1)
    /// `\w`: letters, marks, decimal digits and connectors such as the underscore (UTS #18, annex C).
    static let word = ScalarKinds(rawValue: 2)
    /// `\s`: Unicode's white space.
    static let space = ScalarKinds(rawValue: 4)
    /// The scalars that `.` does not match.
    static let lineEnd = ScalarKinds(rawValue: 8)
}

extension ScalarKinds {
    /// All kinds of a scalar.
    init(of scalar: Unicode.Scalar) {
        if scalar.isASCII {
            self = Self.ofASCII(UInt8(scalar.value))
            return
        }
        let properties = scalar.properties
        self = properties.isWhitespace ? .space : []
        if scalar.value == 0x2028 || scalar.value == 0x2029 { insert(.lineEnd) }
        switch properties.generalCategory {
        case .decimalNumber: formUnion([.digit, .word])
        case .nonspacingMark, .spacingMark, .enclosingMark, .connectorPunctuation: insert(.word)
        default: if properties.isAlphabetic || properties.isJoinControl { insert(.word) }
        }
    }

    private static func ofASCII(_ byte: UInt8) -> ScalarKinds {
        switch byte {
        case 0x30...0x39: [.digit, .word]
        case 0x41...0x5A, 0x61...0x7A, 0x5F: .word
        case 0x0A, 0x0D: [.space, .lineEnd]
        case 0x09...0x0D, 0x20: .space
        default: []
        }
    }
}

/// A set of scalars: `[a-z_]`, `[^\s]`, `\d`, `.`.
///
/// Sets are equal regardless of the order of their parts. A lookup takes at most three binary searches, for the scalar
/// and its other cases.
struct ScalarClass: Hashable, Sendable {
    /// Sorted, with gaps between the ranges.
    private(set) var ranges: [ClosedRange<UInt32>] = []
    /// Kinds such as `\d`, and complements such as `\D`.
    private(set) var (kinds, opposites) = (ScalarKinds(), ScalarKinds())
    let isNegated: Bool

    /// - Parameters:
    ///   - ranges: In any order; they may overlap.
    ///   - kinds: Kinds whose scalars are all in the set.
    ///   - opposites: Kinds whose complement is in the set.
    init(
        ranges: [ClosedRange<Unicode.Scalar>] = [], kinds: ScalarKinds = [], opposites: ScalarKinds = [],
        isNegated: Bool = false
    ) {
        (self.kinds, self.opposites, self.isNegated) = (kinds, opposites, isNegated)
        let ordered = ranges.map { $0.lowerBound.value...$0.upperBound.value }
            .sorted { $0.lowerBound < $1.lowerBound }
        for range in ordered {
            guard let last = self.ranges.last, range.lowerBound <= last.upperBound + 1 else {
                self.ranges.append(range)
                continue
            }
            self.ranges[self.ranges.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
        }
    }

    /// The cost of a lookup, in steps of a search: two, plus one for each binary search round.
    var lookupSteps: Int { 2 + Int.bitWidth - ranges.count.leadingZeroBitCount }

    func contains(_ scalar: SearchedText.Element, ignoringCase ignoresCase: Bool) -> Bool {
        let isNamed = !scalar.kinds.isDisjoint(with: kinds) || !scalar.kinds.isSuperset(of: opposites)
        return (isNamed || !ranges.isEmpty && lists(scalar.cased, ignoringCase: ignoresCase)) != isNegated
    }

    private func lists(_ cases: CasedScalar, ignoringCase ignoresCase: Bool) -> Bool {
        if lists(cases.itself) { return true }
        guard ignoresCase else { return false }
        // Few scalars have one other case, and fewer have two.
        return cases.upper != cases.itself && lists(cases.upper) || cases.folded != cases.itself && lists(cases.folded)
    }

    /// Whether a range contains the scalar, by binary search.
    private func lists(_ scalar: Unicode.Scalar) -> Bool {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < scalar.value { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].lowerBound <= scalar.value
    }
}

/// A scalar with its other cases, according to one-to-one mappings.
struct CasedScalar: Sendable {
    let itself: Unicode.Scalar
    let upper: Unicode.Scalar
    /// A scalar shared by all scalars that differ only in case: `K`, `k` and the Kelvin sign.
    ///
    /// The shared scalar is the lower-case one, if there is one.
    let folded: Unicode.Scalar

    init(_ scalar: Unicode.Scalar) {
        itself = scalar
        if scalar.isASCII {
            switch scalar.value {
            case 0x41...0x5A: (folded, upper) = (Unicode.Scalar(UInt8(scalar.value | 0x20)), scalar)
            case 0x61...0x7A: (folded, upper) = (scalar, Unicode.Scalar(UInt8(scalar.value & 0xDF)))
            default: (folded, upper) = (scalar, scalar)
            }
        } else if !scalar.properties.changesWhenCaseMapped {
            (folded, upper) = (scalar, scalar)
        } else {
            upper = Self.only(scalar.properties.uppercaseMapping) ?? scalar
            // Map to upper case first, because the two small sigmas share one capital.
            folded = Self.only(upper.properties.lowercaseMapping) ?? upper
        }
    }

    private static func only(_ mapping: String) -> Unicode.Scalar? {
        mapping.unicodeScalars.count == 1 ? mapping.unicodeScalars.first : nil
    }
}

/// Text to search: its scalars with their cases and kinds, and the places between them, computed once for all searches.
public struct SearchedText: Sendable {
    struct Element: Sendable {
        let cased: CasedScalar
        let kinds: ScalarKinds
    }

    /// The maximum number of scalars that are searched, from the start.
    ///
    /// A limit in characters would not bound the work, because a character can have any number of scalars. The limit
    /// equals the longest message's number of characters.
    public static let maximumLength = 5000
    let elements: [Element]
    /// The places before each scalar and after the last one.
    let places: [Place]

    public init(_ text: String) {
        elements = text.unicodeScalars.prefix(Self.maximumLength).map {
            Element(cased: CasedScalar($0), kinds: ScalarKinds(of: $0))
        }
        let isWord = [false] + elements.map { $0.kinds.contains(.word) } + [false]
        var places: [Place] = zip(isWord, isWord.dropFirst()).map { $0 == $1 ? .insideOrOutsideOfWords : .wordBoundary }
        places[0].insert(.start)
        places[places.count - 1].insert(.end)
        self.places = places
    }
}

/// Words to search for, ignoring case, prepared once for many searches.
public struct SoughtWords: Sendable, Equatable {
    public let text: String
    private let scalars: [Unicode.Scalar]
    /// For each prefix of the words, the length of its longest border (Knuth, Morris, Pratt).
    private let borders: [Int]

    /// Prepares the words in linear time.
    public init(_ text: String) {
        self.text = text
        scalars = text.unicodeScalars.map { CasedScalar($0).folded }
        var (borders, length) = ([0], 0)
        for scalar in scalars.dropFirst() {
            while length > 0, scalars[length] != scalar { length = borders[length - 1] }
            if scalars[length] == scalar { length += 1 }
            borders.append(length)
        }
        self.borders = borders
    }

    /// Whether the text contains the words; any text contains empty words.
    ///
    /// The search makes at most two comparisons per scalar, so no text from a client can make it slow.
    public func isFound(in text: String) -> Bool {
        find(in: text.unicodeScalars.lazy.map { CasedScalar($0).folded }).isFound
    }

    public func isFound(in text: SearchedText) -> Bool { find(in: text.elements.lazy.map(\.cased.folded)).isFound }

    func find(in text: some Sequence<Unicode.Scalar>) -> (isFound: Bool, comparisonCount: Int) {
        guard !scalars.isEmpty else { return (true, 0) }
        var (length, comparisonCount) = (0, 0)
        for scalar in text {
            comparisonCount += 1
            while length > 0, scalars[length] != scalar {
                length = borders[length - 1]
                comparisonCount += 1
            }
            if scalars[length] == scalar { length += 1 }
            if length == scalars.count { return (true, comparisonCount) }
        }
        return (false, comparisonCount)
    }
}

extension SoughtWords: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) { self.init(text) }
}
