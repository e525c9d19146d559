import Faults
import FitIQAPI
import JSON
import Traffic

/// The held things of a world, by the numbers of their journal entries.
///
/// The connections have their contents: ``Connection/held``, ``Connection/heldEvent``, ``SocketFaults``.
struct HoldTable: Sendable {
    /// The held things, oldest first; at most ``FaultLimits/held``.
    private(set) var things: [HeldThing] = []
    /// The earliest time at which a held thing continues by itself, by the world's clock; nil if nothing is held.
    private(set) var next: Timestamp?
    /// The number of things that passed because the table was full.
    var passed = 0
    /// Whether the engine is releasing everything, so that nothing new may be held.
    var isClosing = false

    mutating func insert(_ thing: HeldThing) {
        things.append(thing)
        next = .earliest(next, thing.until)
    }

    mutating func remove(_ number: Int) {
        things.removeAll { $0.number == number }
        next = things.lazy.map(\.until).min()
    }

    /// Ends the wait of the matching things at a time, because their breakpoints are gone.
    mutating func bringForward(to time: Timestamp, where isMeant: (HeldThing) -> Bool) {
        for index in things.indices where isMeant(things[index]) {
            (things[index].until, things[index].isEnded) = (min(time, things[index].until), true)
        }
        next = things.lazy.map(\.until).min()
    }

    /// Sets the time at which a thing continues by itself, unless its breakpoint is gone.
    mutating func prolong(_ number: Int, to time: Timestamp) {
        for index in things.indices where things[index].number == number && !things[index].isEnded {
            things[index].until = time
        }
        next = things.lazy.map(\.until).min()
    }

    /// The first thing whose time has passed.
    func due(at now: Timestamp) -> HeldThing? {
        guard let next, next <= now else { return nil }
        return things.filter { $0.until <= now }.min { ($0.until, $0.number) < ($1.until, $1.number) }
    }

    subscript(number: Int) -> HeldThing? { things.first { $0.number == number } }
}

/// Something that a breakpoint holds.
struct HeldThing {
    /// The number of the journal entry about the hold.
    let number: Int
    let breakpoint: Breakpoint
    let place: RecordedHold.Place
    let sender: Party
    let connection: ConnectionID
    /// When the thing would have continued without the breakpoint.
    let due: Timestamp
    /// When the thing continues by itself.
    fileprivate(set) var until: Timestamp
    /// Whether its breakpoint is gone, which ended the wait.
    fileprivate(set) var isEnded = false
}

/// A request that a breakpoint holds, or whose response it holds.
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
