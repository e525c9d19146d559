import FitIQAPI

/// When each socket is due next: a binary heap, in which what has become untrue stays until it comes to the top.
struct DeadlineHeap: Sendable {
    struct Deadline: Sendable, Comparable {
        var time: Int64
        var socket: ReplaySocket

        /// At the same time the older socket goes first.
        static func < (left: Deadline, right: Deadline) -> Bool {
            (left.time, left.socket.number) < (right.time, right.socket.number)
        }
    }

    private var items: [Deadline] = []

    var first: Deadline? { items.first }

    mutating func push(_ deadline: Deadline) {
        items.append(deadline)
        var child = items.count - 1
        while child > 0, items[child] < items[(child - 1) / 2] {
            items.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func popFirst() {
        guard let last = items.popLast(), !items.isEmpty else { return }
        items[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < items.count && items[child] < items[least] {
                least = child
            }
            if least == parent { return }
            items.swapAt(least, parent)
            parent = least
        }
    }
}
