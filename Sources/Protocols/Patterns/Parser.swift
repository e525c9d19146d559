/// A node of a parsed expression.
struct Node {
    indirect enum Kind {
        case empty
        case scalar(Unicode.Scalar)
        case oneOf(ScalarClass)
        case place(Place)
        case sequence([Node])
        case choice([Node])
        /// `most` is nil if the repetition is unlimited.
        case repetition(Node, least: Int, most: Int?)
    }

    let kind: Kind
    /// The number of instructions; counting stops far above the limit.
    let size: Int
    /// The maximum size, which keeps sums and products far below `Int.max`.
    private static let muchTooLarge = 1_000_000

    init(_ kind: Kind) {
        self.kind = kind
        size = min(Self.size(of: kind), Self.muchTooLarge)
    }

    private static func size(of kind: Kind) -> Int {
        switch kind {
        case .empty: return 0
        case .scalar, .oneOf, .place: return 1
        case .sequence(let nodes): return nodes.reduce(0) { $0 + $1.size }
        // A split precedes each node except the last, and a jump follows it.
        case .choice(let nodes): return nodes.reduce(2 * (nodes.count - 1)) { $0 + $1.size }
        case .repetition(let node, let least, let most):
            // Repeating an empty expression adds nothing.
            guard node.size > 0 else { return 0 }
            guard let most else { return least * node.size + (least == 0 ? node.size + 2 : 1) }
            return least * node.size + (most - least) * (node.size + 1)
        }
    }
}

/// A kind of position in the text, between two scalars.
struct Place: OptionSet {
    let rawValue: UInt8
    static let start = Place(rawValue: 1)
    static let end = Place(rawValue: 2)
    static let wordBoundary = Place(rawValue: 4)
    static let insideOrOutsideOfWords = Place(rawValue: 8)
}

/// Parses an expression by recursive descent; the nesting of groups is limited, so the stack stays small.
struct Parser {
    static let maximumRepetition = 1000
    let scalars: [Unicode.Scalar]
    var position = 0
    private var depth = 0

    init(_ source: String) throws(PatternError) {
        scalars = Array(source.unicodeScalars)
        guard scalars.count <= Pattern.maximumLength else { throw .tooLong(scalars.count) }
    }

    mutating func parse() throws(PatternError) -> Node {
        let node = try choice()
        // A choice ends at a ")" or at the end; no group is open here.
        guard position == scalars.count else { throw .unopenedGroup(at: position) }
        return node
    }

    var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        position += 1
        return true
    }

    private func checked(_ kind: Node.Kind, at position: Int) throws(PatternError) -> Node {
        let node = Node(kind)
        // The match takes one more instruction.
        guard node.size < Pattern.maximumInstructionCount else { throw .tooLarge(at: position) }
        return node
    }

    private mutating func choice() throws(PatternError) -> Node {
        let start = position
        var nodes = [try sequence()]
        while skip("|") { nodes.append(try sequence()) }
        return nodes.count == 1 ? nodes[0] : try checked(.choice(nodes), at: start)
    }

    private mutating func sequence() throws(PatternError) -> Node {
        let start = position
        var nodes: [Node] = []
        while let scalar = next, scalar != "|", scalar != ")" { nodes.append(try repetition(of: try atom())) }
        return try checked(nodes.isEmpty ? .empty : .sequence(nodes), at: start)
    }

    private mutating func atom() throws(PatternError) -> Node {
        let start = position
        guard let scalar = next else { preconditionFailure("An atom must have a first character.") }
        position += 1
        switch scalar {
        case "(": return try group(from: start)
        case "[": return Node(.oneOf(try scalarClass(from: start)))
        case ".": return Node(.oneOf(ScalarClass(opposites: .lineEnd)))
        case "^": return Node(.place(.start))
        case "$": return Node(.place(.end))
        case "\\":
            switch try escape(from: start) {
            case .scalar(let scalar): return Node(.scalar(scalar))
            case .kind(let kind, let isNegated):
                return Node(.oneOf(isNegated ? ScalarClass(opposites: kind) : ScalarClass(kinds: kind)))
            case .place(let place): return Node(.place(place))
            }
        case "*", "+", "?": throw .nothingToRepeat(scalar, at: start)
        case "{": throw .badRepetition(at: start)
        default: return Node(.scalar(scalar))
        }
    }

    private mutating func group(from start: Int) throws(PatternError) -> Node {
        depth += 1
        guard depth <= Pattern.maximumNesting else { throw .tooDeep(at: start) }
        if skip("?") { try groupKind(from: start) }
        let node = try choice()
        guard skip(")") else { throw .unclosedGroup(at: start) }
        depth -= 1
        // A separate node makes a repetition apply to the whole group.
        return Node(.sequence([node]))
    }

    private mutating func groupKind(from start: Int) throws(PatternError) {
        if skip(":") { return }
        for sign in ["?=", "?!", "?<=", "?<!"] where scalars[(start + 1)...].starts(with: sign.unicodeScalars) {
            throw .lookaround(sign, at: start)
        }
        throw .specialGroup(at: start)
    }

    private mutating func repetition(of node: Node) throws(PatternError) -> Node {
        let start = position
        guard let (least, most) = try bounds() else { return node }
        if case .place = node.kind { throw .repeatedAnchor(scalars[start], at: start) }
        // A lazy repetition has the same result.
        if !skip("?"), next == "+" { throw .possessive(at: position) }
        if let sign = next, ["*", "+", "?", "{"].contains(sign) { throw .repeatedRepetition(sign, at: position) }
        return try checked(.repetition(node, least: least, most: most), at: start)
    }

    /// The bounds of a repetition; nil if none follows.
    private mutating func bounds() throws(PatternError) -> (least: Int, most: Int?)? {
        let start = position
        if skip("*") { return (0, nil) }
        if skip("+") { return (1, nil) }
        if skip("?") { return (0, 1) }
        guard skip("{") else { return nil }
        guard let least = try number(from: start) else { throw .badRepetition(at: start) }
        var most: Int? = least
        if skip(",") { most = try number(from: start) }
        guard skip("}") else { throw .badRepetition(at: start) }
        if let most, most < least { throw .reversedRepetition(least, most, at: start) }
        return (least, most)
    }

    private mutating func number(from start: Int) throws(PatternError) -> Int? {
        var number: Int?
        while let digit = next, ("0"..."9").contains(digit) {
            position += 1
            let value = (number ?? 0) * 10 + Int(digit.value - 0x30)
            guard value <= Self.maximumRepetition else { throw .largeRepetition(at: start) }
            number = value
        }
        return number
    }

    enum Escape {
        case scalar(Unicode.Scalar)
        case kind(ScalarKinds, isNegated: Bool)
        case place(Place)
    }

    mutating func escape(from start: Int) throws(PatternError) -> Escape {
        guard let scalar = next else { throw .trailingBackslash(at: start) }
        position += 1
        switch scalar {
        case "d", "D": return .kind(.digit, isNegated: scalar == "D")
        case "w", "W": return .kind(.word, isNegated: scalar == "W")
        case "s", "S": return .kind(.space, isNegated: scalar == "S")
        case "b": return .place(.wordBoundary)
        case "B": return .place(.insideOrOutsideOfWords)
        case "n": return .scalar("\n")
        case "r": return .scalar("\r")
        case "t": return .scalar("\t")
        case "1"..."9", "k": throw .backreference(scalar, at: start)
        case "0", "a"..."z", "A"..."Z": throw .unknownEscape(scalar, at: start)
        default: return .scalar(scalar)
        }
    }

    mutating func scalarClass(from start: Int) throws(PatternError) -> ScalarClass {
        let isNegated = skip("^")
        var ranges: [ClosedRange<Unicode.Scalar>] = []
        var (kinds, opposites) = (ScalarKinds(), ScalarKinds())
        let first = position
        while !skip("]") {
            guard next != nil else { throw .unclosedClass(at: start) }
            switch try member(of: start) {
            case .kind(let kind, let isOpposite):
                if isOpposite { opposites.insert(kind) } else { kinds.insert(kind) }
                if next == "-", position + 1 < scalars.count, scalars[position + 1] != "]" {
                    throw .rangeOfClass(at: position)
                }
            case .scalar(let low): ranges.append(try range(from: low, of: start))
            case .place: preconditionFailure("A class must not contain a position.")
            }
        }
        guard position > first + 1 else { throw .emptyClass(at: start) }
        return ScalarClass(ranges: ranges, kinds: kinds, opposites: opposites, isNegated: isNegated)
    }

    private mutating func member(of start: Int) throws(PatternError) -> Escape {
        let position = position
        guard let scalar = next else { throw .unclosedClass(at: start) }
        self.position += 1
        switch scalar {
        case "[": throw .nestedClass(at: position)
        case "\\":
            let escape = try escape(from: position)
            if case .place = escape { throw .boundaryInClass(scalars[position + 1], at: position) }
            return escape
        default: return .scalar(scalar)
        }
    }

    /// The range that starts with a scalar: only that scalar, unless a hyphen follows and is not the last character.
    private mutating func range(from low: Unicode.Scalar, of start: Int) throws(PatternError)
        -> ClosedRange<Unicode.Scalar>
    {
        let hyphen = position
        guard next == "-", hyphen + 1 < scalars.count, scalars[hyphen + 1] != "]" else { return low...low }
        position += 1
        guard case .scalar(let high) = try member(of: start) else { throw .rangeOfClass(at: hyphen) }
        guard low <= high else { throw .reversedRange(low, high, at: hyphen) }
        return low...high
    }
}
