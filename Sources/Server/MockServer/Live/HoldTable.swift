import Faults
import FitIQAPI
import Traffic

/// A world's held items, by journal entry number.
///
/// The connections hold the items' contents: ``Connection/held``, ``Connection/heldEvent``, ``SocketFaults``.
struct HoldTable: Sendable {
    /// The held items, oldest first; at most ``FaultLimits/held``.
    private(set) var things: [HeldThing] = []
    /// The earliest time at which a held item continues automatically, by the world's clock; nil if there is none.
    private(set) var next: Timestamp?
    /// The number of items that passed because the table was full.
    var passed = 0
    /// Whether the engine is releasing all items, so that no new item may be held.
    var isClosing = false

    mutating func insert(_ thing: HeldThing) {
        things.append(thing)
        next = .earliest(next, thing.until)
    }

    mutating func remove(_ number: Int) {
        things.removeAll { $0.number == number }
        next = things.lazy.map(\.until).min()
    }

    /// Makes all matching items continue at the given time, because their breakpoints were removed.
    mutating func bringForward(to time: Timestamp, where isMeant: (HeldThing) -> Bool) {
        for index in things.indices where isMeant(things[index]) {
            (things[index].until, things[index].isEnded) = (min(time, things[index].until), true)
        }
        next = things.lazy.map(\.until).min()
    }

    /// Sets the time at which an item continues automatically, unless its breakpoint was removed.
    mutating func prolong(_ number: Int, to time: Timestamp) {
        for index in things.indices where things[index].number == number && !things[index].isEnded {
            things[index].until = time
        }
        next = things.lazy.map(\.until).min()
    }

    /// The first item whose time has passed.
    func due(at now: Timestamp) -> HeldThing? {
        guard let next, next <= now else { return nil }
        return things.filter { $0.until <= now }.min { ($0.until, $0.number) < ($1.until, $1.number) }
    }

    subscript(number: Int) -> HeldThing? { things.first { $0.number == number } }
}

/// An item held by a breakpoint.
struct HeldThing {
    /// The number of the journal entry about the hold.
    let number: Int
    let breakpoint: Breakpoint
    let place: RecordedHold.Place
    let sender: Party
    let connection: ConnectionID
    /// When the item would have continued if there were no breakpoint.
    let due: Timestamp
    /// When the item continues automatically.
    fileprivate(set) var until: Timestamp
    /// Whether its breakpoint was removed, which ended the wait.
    fileprivate(set) var isEnded = false
}

/// A request or its response, held by a breakpoint.
///
/// The exchange and the connection retain each other until the request is released or lost.
final class HeldRequest {
    let exchange: Exchange
    /// The response; nil while the request is held.
    let answer: Answer?

    init(_ exchange: Exchange, _ answer: Answer?) { (self.exchange, self.answer) = (exchange, answer) }

    var byteCount: Int {
        let changed = exchange.received.map { $0.head.byteCount + $0.body.count } ?? 0
        return exchange.head.byteCount + exchange.body.count + (answer?.body.count ?? 0) + changed
    }
}

/// What an operator has done to a world: held items and marks.
struct LiveControl: Sendable {
    /// The held items.
    var holds = HoldTable()
    /// The marks to which the world can rewind, oldest first.
    var marks: [Mark] = []
    /// The name in `faults` for entries about an operator's actions; judges do not count these entries against the
    /// client.
    static let byHand = "by hand"
}
