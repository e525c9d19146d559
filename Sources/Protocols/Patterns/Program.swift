/// An expression as instructions of a machine that is in many states at the same time (Thompson; Pike).
///
/// K. Thompson: "Regular expression search algorithm", 1968; R. Cox: "Regular Expression Matching: the Virtual Machine
/// Approach", 2009.
struct Program {
    enum Instruction {
        /// Consumes this scalar, or its folded case if case is ignored.
        case scalar(Unicode.Scalar)
        /// Consumes a scalar of this class.
        case oneOf(ScalarClass)
        /// Continues only at this place.
        case place(Place)
        /// Continues at both.
        case split(Int, Int)
        case jump(Int)
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
        // An empty expression may be repeated any number of times, and nested.
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

    /// Reserves an instruction that is written once its target is known.
    private mutating func reserve() -> Int {
        instructions.append(.match)
        return instructions.count - 1
    }
}

/// Searches a text for an expression, scalar by scalar, in all states at the same time.
///
/// No state is entered twice between two scalars, so each scalar costs at most as many steps as there are instructions.
struct Search {
    struct Outcome: Equatable {
        var isFound: Bool
        var stepCount: Int
    }

    private let instructions: [Program.Instruction]
    private let ignoresCase: Bool
    private var waiting: [Int] = []
    /// The round in which each state was last entered, in scalars read, from 1.
    private var entered: [Int]
    private var pending: [Int] = []
    private var stepCount = 0
    private var isFound = false

    init(_ program: Program) {
        instructions = program.instructions
        ignoresCase = program.ignoresCase
        entered = [Int](repeating: 0, count: instructions.count)
    }

    mutating func run(_ text: String) -> Outcome {
        var scalars = text.unicodeScalars.makeIterator()
        var previous: Unicode.Scalar?
        var next = scalars.next()
        var round = 1
        var states: [Int] = []
        enter(0, in: round, between: previous, and: next)
        while !isFound, let scalar = next {
            let cased = CasedScalar(scalar)
            swap(&states, &waiting)
            waiting.removeAll(keepingCapacity: true)
            (previous, next) = (scalar, scalars.next())
            round += 1
            for state in states where takes(cased, in: state) {
                enter(state + 1, in: round, between: previous, and: next)
            }
            // A match may start anywhere.
            enter(0, in: round, between: previous, and: next)
        }
        return Outcome(isFound: isFound, stepCount: stepCount)
    }

    private func takes(_ scalar: CasedScalar, in state: Int) -> Bool {
        switch instructions[state] {
        case .scalar(let wanted): wanted == (ignoresCase ? scalar.folded : scalar.itself)
        case .oneOf(let scalars): scalars.contains(scalar, ignoringCase: ignoresCase)
        case .place, .split, .jump, .match: preconditionFailure("Only what takes a scalar waits for one.")
        }
    }

    /// Enters a state and those reachable from it without a scalar.
    private mutating func enter(
        _ first: Int, in round: Int, between previous: Unicode.Scalar?, and next: Unicode.Scalar?
    ) {
        pending.append(first)
        while let state = pending.popLast() {
            guard entered[state] != round else { continue }
            entered[state] = round
            stepCount += 1
            switch instructions[state] {
            case .scalar, .oneOf: waiting.append(state)
            case .place(let place): if place.lies(between: previous, and: next) { pending.append(state + 1) }
            case .split(let left, let right):
                pending.append(right)
                pending.append(left)
            case .jump(let target): pending.append(target)
            case .match:
                isFound = true
                pending.removeAll()
            }
        }
    }
}

extension Place {
    func lies(between previous: Unicode.Scalar?, and next: Unicode.Scalar?) -> Bool {
        switch self {
        case .start: previous == nil
        case .end: next == nil
        case .wordBoundary: isWord(previous) != isWord(next)
        case .insideOrOutsideOfWords: isWord(previous) == isWord(next)
        }
    }

    private func isWord(_ scalar: Unicode.Scalar?) -> Bool { scalar.map(ScalarClass.Name.word.contains) ?? false }
}
