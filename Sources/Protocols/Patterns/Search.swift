/// Looks for an expression in a text, scalar by scalar, in all states at once.
///
/// No state is entered twice between two scalars, so each scalar costs at most as many steps as there are instructions.
struct Search {
    struct Outcome: Equatable {
        var isFound: Bool
        /// How many states were entered.
        var stepCount: Int
    }

    private let instructions: [Program.Instruction]
    private let ignoresCase: Bool
    /// States that wait for a scalar.
    private var waiting: [Int] = []
    /// When each state was last entered, in scalars read, from 1.
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
            // A match may begin anywhere.
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

    /// Enters a state, and those that it leads to without a scalar.
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
            case .place(let place):
                if place.lies(between: previous, and: next) { pending.append(state + 1) }
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

    private func isWord(_ scalar: Unicode.Scalar?) -> Bool {
        scalar.map(ScalarClass.Name.word.contains) ?? false
    }
}
