/// An expression as instructions for a machine with many simultaneous states (Thompson; Pike).
///
/// K. Thompson: "Regular expression search algorithm", 1968; R. Cox: "Regular Expression Matching: the Virtual Machine
/// Approach", 2009.
struct Program {
    enum Instruction {
        /// Consumes this scalar, or its folded case if case is ignored.
        case scalar(Unicode.Scalar)
        /// Consumes a scalar of the class with this number.
        case oneOf(Int)
        /// Continues only at this place.
        case place(Place)
        /// Continues at both targets.
        case split(Int, Int)
        case jump(Int)
        case match
    }

    private(set) var instructions: [Instruction] = []
    /// The distinct classes; several instructions may use the same one.
    private(set) var classes: [ScalarClass] = []
    private var numbers: [ScalarClass: Int] = [:]
    let ignoresCase: Bool

    init(_ node: Node, ignoresCase: Bool) {
        self.ignoresCase = ignoresCase
        instructions.reserveCapacity(node.size + 1)
        append(node)
        instructions.append(.match)
        numbers = [:]
        precondition(instructions.count == node.size + 1, "A node must compile to its declared number of instructions.")
    }

    private mutating func append(_ node: Node) {
        // An empty expression may be repeated and nested any number of times.
        guard node.size > 0 else { return }
        switch node.kind {
        case .empty: break
        case .scalar(let scalar): instructions.append(.scalar(ignoresCase ? CasedScalar(scalar).folded : scalar))
        case .oneOf(let scalars): instructions.append(.oneOf(number(of: scalars)))
        case .place(let place): instructions.append(.place(place))
        case .sequence(let nodes): for node in nodes { append(node) }
        case .choice(let nodes): append(choice: nodes)
        case .repetition(let node, let least, let most): append(node, least: least, most: most)
        }
    }

    private mutating func number(of scalars: ScalarClass) -> Int {
        if let number = numbers[scalars] { return number }
        numbers[scalars] = classes.count
        classes.append(scalars)
        return classes.count - 1
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

/// Searches text for an expression scalar by scalar, in all states simultaneously.
///
/// No state is entered twice between two scalars, so a scalar costs at most one step per instruction. A step enters a
/// state, checks its two successors, and tests the scalar for at most one class. A class is looked up once per scalar,
/// which counts as ``ScalarClass/lookupSteps``.
struct Search {
    struct Outcome: Equatable {
        var isFound: Bool
        /// The number of states entered.
        var stepCount: Int
        /// The number of class lookups.
        var lookupCount: Int
    }

    private let instructions: UnsafeBufferPointer<Program.Instruction>
    private let classes: [ScalarClass]
    private let ignoresCase: Bool
    /// The states that are waiting for a scalar, and the round when each state was last entered.
    ///
    /// A round is the number of scalars read, from 1.
    private let (waiting, entered): (UnsafeMutableBufferPointer<Int>, UnsafeMutableBufferPointer<Int>)
    private var waitingCount = 0
    /// The pending second branches of splits, at most one per split.
    private let pending: UnsafeMutableBufferPointer<Int>
    /// For each class, the round of its last lookup; negative if the scalar was not in the class.
    private let lookedUp: UnsafeMutableBufferPointer<Int>
    /// The place before the next scalar.
    private var place: Place
    private var outcome = Outcome(isFound: false, stepCount: 0, lookupCount: 0)

    /// Searches without bounds and ownership checks, which would cost more than the steps.
    static func run(_ program: Program, _ text: SearchedText) -> Outcome {
        let count = program.instructions.count
        return program.instructions.withUnsafeBufferPointer { instructions in
            // There are at most as many classes as instructions.
            withUnsafeTemporaryAllocation(of: Int.self, capacity: 5 * count) { room in
                room.initialize(repeating: 0)
                let rooms = (0..<5).map { UnsafeMutableBufferPointer(rebasing: room[($0 * count)...].prefix(count)) }
                var search = Search(program, instructions, rooms, place: text.places[0])
                return text.elements.withUnsafeBufferPointer { scalars in
                    text.places.withUnsafeBufferPointer { search.run(scalars, places: $0, states: rooms[4]) }
                }
            }
        }
    }

    private init(
        _ program: Program, _ instructions: UnsafeBufferPointer<Program.Instruction>,
        _ rooms: [UnsafeMutableBufferPointer<Int>], place: Place
    ) {
        self.place = place
        (self.instructions, classes, ignoresCase) = (instructions, program.classes, program.ignoresCase)
        (waiting, entered, pending, lookedUp) = (rooms[0], rooms[1], rooms[2], rooms[3])
    }

    /// - Parameter states: A buffer for the states that were waiting for a scalar.
    private mutating func run(
        _ scalars: UnsafeBufferPointer<SearchedText.Element>, places: UnsafeBufferPointer<Place>,
        states: UnsafeMutableBufferPointer<Int>
    ) -> Outcome {
        enter(0, in: 1)
        for (index, scalar) in scalars.enumerated() where !outcome.isFound {
            let count = waitingCount
            for number in 0..<count { states[number] = waiting[number] }
            waitingCount = 0
            let round = index + 2
            place = places[index + 1]
            for number in 0..<count where takes(scalar, in: states[number], round) {
                enter(states[number] + 1, in: round)
            }
            // A match may start anywhere.
            enter(0, in: round)
        }
        return outcome
    }

    private mutating func takes(_ scalar: SearchedText.Element, in state: Int, _ round: Int) -> Bool {
        switch instructions[state] {
        case .scalar(let wanted): return wanted == (ignoresCase ? scalar.cased.folded : scalar.cased.itself)
        case .oneOf(let number):
            if abs(lookedUp[number]) != round {
                outcome.lookupCount += 1
                lookedUp[number] = classes[number].contains(scalar, ignoringCase: ignoresCase) ? round : -round
            }
            return lookedUp[number] > 0
        case .place, .split, .jump, .match:
            preconditionFailure("Only instructions that consume a scalar may wait for one.")
        }
    }

    /// Enters a state and all states reachable from it without consuming a scalar.
    private mutating func enter(_ first: Int, in round: Int) {
        var (state, count) = (first, 0)
        while true {
            var following: Int?
            if entered[state] != round {
                entered[state] = round
                outcome.stepCount += 1
                switch instructions[state] {
                case .scalar, .oneOf:
                    waiting[waitingCount] = state
                    waitingCount += 1
                case .place(let wanted): if place.contains(wanted) { following = state + 1 }
                case .split(let left, let right):
                    pending[count] = right
                    count += 1
                    following = left
                case .jump(let target): following = target
                case .match:
                    outcome.isFound = true
                    return
                }
            }
            if let following {
                state = following
            } else {
                guard count > 0 else { return }
                count -= 1
                state = pending[count]
            }
        }
    }
}
