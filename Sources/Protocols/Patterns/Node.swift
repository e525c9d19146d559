/// An expression, taken apart.
struct Node {
    indirect enum Kind {
        case empty
        case scalar(Unicode.Scalar)
        case oneOf(ScalarClass)
        case place(Place)
        case sequence([Node])
        case choice([Node])
        /// `most` is nil where there is no end to it.
        case repetition(Node, least: Int, most: Int?)
    }

    let kind: Kind
    /// How many instructions it becomes; far above the limit it stops counting.
    let size: Int

    /// Where sizes stop: sums and products of them stay far below Int's end.
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
        // Each but the last is preceded by a split and followed by a jump.
        case .choice(let nodes): return nodes.reduce(2 * (nodes.count - 1)) { $0 + $1.size }
        case .repetition(let node, let least, let most):
            // What is empty stays so, however often.
            guard node.size > 0 else { return 0 }
            guard let most else { return least * node.size + (least == 0 ? node.size + 2 : 1) }
            return least * node.size + (most - least) * (node.size + 1)
        }
    }
}

/// A place in a text, between two scalars.
enum Place {
    case start, end, wordBoundary, insideOrOutsideOfWords
}
