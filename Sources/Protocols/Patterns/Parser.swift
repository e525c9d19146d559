/// Takes an expression apart by recursive descent; groups within one another are few, so the stack stays small.
struct Parser {
    /// The largest number in a repetition.
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
        // A choice ends at a ")" or at the end, and here no group is open.
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
        // One instruction more says that the expression has matched.
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
        guard let scalar = next else { preconditionFailure("There is something to read.") }
        position += 1
        switch scalar {
        case "(": return try group(from: start)
        case "[": return Node(.oneOf(try scalarClass(from: start)))
        case ".": return Node(.oneOf(ScalarClass(names: [(.lineEnd, false)], isNegated: true)))
        case "^": return Node(.place(.start))
        case "$": return Node(.place(.end))
        case "\\":
            switch try escape(from: start) {
            case .scalar(let scalar): return Node(.scalar(scalar))
            case .name(let name, let isNegated): return Node(.oneOf(ScalarClass(names: [(name, isNegated)])))
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
        // Its own node, so that what is repeated is the group and not the last thing in it.
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
        // Lazy or not, what is found is the same.
        if !skip("?"), next == "+" { throw .possessive(at: position) }
        if let sign = next, ["*", "+", "?", "{"].contains(sign) { throw .repeatedRepetition(sign, at: position) }
        return try checked(.repetition(node, least: least, most: most), at: start)
    }

    /// How often the atom before is to be repeated; nil where no repetition follows.
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
}
