/// An expression as instructions of a machine that is in many states at once (Thompson; Pike).
///
/// K. Thompson: "Regular expression search algorithm", 1968; R. Cox: "Regular Expression Matching: the Virtual Machine
/// Approach", 2009.
struct Program {
    enum Instruction {
        /// Takes this scalar; in its folded case where case is ignored.
        case scalar(Unicode.Scalar)
        /// Takes a scalar of this class.
        case oneOf(ScalarClass)
        /// Goes on at this place alone.
        case place(Place)
        /// Goes on in both.
        case split(Int, Int)
        case jump(Int)
        /// The expression has matched.
        case match
    }

    private(set) var instructions: [Instruction] = []

    let ignoresCase: Bool

    init(_ node: Node, ignoresCase: Bool) {
        self.ignoresCase = ignoresCase
        instructions.reserveCapacity(node.size + 1)
        append(node)
        instructions.append(.match)
        precondition(instructions.count == node.size + 1, "A node becomes as many instructions as it says.")
    }

    private mutating func append(_ node: Node) {
        // What is empty may be repeated any number of times, one within the other.
        guard node.size > 0 else { return }
        switch node.kind {
        case .empty: break
        case .scalar(let scalar): instructions.append(.scalar(ignoresCase ? CasedScalar(scalar).folded : scalar))
        case .oneOf(let scalars): instructions.append(.oneOf(scalars))
        case .place(let place): instructions.append(.place(place))
        case .sequence(let nodes): for node in nodes { append(node) }
        case .choice(let nodes): append(choice: nodes)
        case .repetition(let node, let least, let most): append(node, least: least, most: most)
        }
    }

    private mutating func append(choice nodes: [Node]) {
        var jumps: [Int] = []
        for (number, node) in nodes.enumerated() {
            guard number < nodes.count - 1 else {
                append(node)
                break
            }
            let split = reserve()
            append(node)
            jumps.append(reserve())
            instructions[split] = .split(split + 1, instructions.count)
        }
        for jump in jumps { instructions[jump] = .jump(instructions.count) }
    }

    private mutating func append(_ node: Node, least: Int, most: Int?) {
        var last = instructions.count
        for _ in 0..<least {
            last = instructions.count
            append(node)
        }
        if let most {
            var splits: [Int] = []
            for _ in least..<most {
                splits.append(reserve())
                append(node)
            }
            for split in splits { instructions[split] = .split(split + 1, instructions.count) }
        } else if least == 0 {
            let split = reserve()
            append(node)
            instructions.append(.jump(split))
            instructions[split] = .split(split + 1, instructions.count)
        } else {
            instructions.append(.split(last, instructions.count + 1))
        }
    }

    /// A place for an instruction that is written once it is known where it leads.
    private mutating func reserve() -> Int {
        instructions.append(.match)
        return instructions.count - 1
    }
}
