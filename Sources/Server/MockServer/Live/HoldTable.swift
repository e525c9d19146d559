import Faults
import FitIQAPI
import JSON
import Traffic

/// The held things of a world, by the number of the journal's entry.
///
/// The contents are with the connections: ``Connection/held``, ``Connection/heldEvent``, ``SocketFaults``.
struct HoldTable: Sendable {
    /// The held things, oldest first; at most ``FaultLimits/held``.
    private(set) var things: [HeldThing] = []
    /// The earliest time at which something continues on its own, by the world's clock; nil if nothing is held.
    private(set) var next: Timestamp?
    /// How often something passed because there was no room to hold it.
    var passed = 0
    /// Whether everything is being released, so that nothing may be held.
    var isClosing = false

    mutating func insert(_ thing: HeldThing) {
        things.append(thing)
        next = .earliest(next, thing.until)
    }

    mutating func remove(_ number: Int) {
        things.removeAll { $0.number == number }
        next = things.lazy.map(\.until).min()
    }

    /// Has everything that some breakpoints hold continue at a time.
    mutating func bringForward(to time: Timestamp, where isMeant: (HeldThing) -> Bool) {
        for index in things.indices where isMeant(things[index]) {
            (things[index].until, things[index].isEnded) = (min(time, things[index].until), true)
        }
        next = things.lazy.map(\.until).min()
    }

    /// Changes the time at which something continues on its own, unless its breakpoint is gone.
    mutating func prolong(_ number: Int, to time: Timestamp) {
        for index in things.indices where things[index].number == number && !things[index].isEnded {
            things[index].until = time
        }
        next = things.lazy.map(\.until).min()
    }

    /// The first thing that continues on its own by now.
    func due(at now: Timestamp) -> HeldThing? {
        guard let next, next <= now else { return nil }
        return things.filter { $0.until <= now }.min { ($0.until, $0.number) < ($1.until, $1.number) }
    }

    subscript(number: Int) -> HeldThing? { things.first { $0.number == number } }
}

/// Something that a breakpoint holds.
struct HeldThing {
    /// The number of the journal's entry about it.
    let number: Int
    let breakpoint: Breakpoint
    let place: RecordedHold.Place
    let sender: Party
    let connection: ConnectionID
    /// The time at which it would have continued without the breakpoint.
    let due: Timestamp
    /// The time at which it continues on its own.
    fileprivate(set) var until: Timestamp
    /// Whether that time has come because its breakpoint is gone.
    fileprivate(set) var isEnded = false
}

/// A request that an operator holds, or whose response one holds.
///
/// Its exchange and the connection refer to each other until it is released or lost.
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
