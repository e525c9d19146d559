import Faults
import FitIQAPI
import HTTP1
import JSON
import Traffic

/// What breakpoints hold back in a world, by the number of the journal's entry about it.
///
/// The contents are with the connections: ``Connection/held``, ``Connection/heldEvent``, ``SocketFaults``.
struct HoldTable: Sendable {
    /// What is held, oldest first; at most ``FaultLimits/held``.
    private(set) var things: [HeldThing] = []
    /// The earliest time at which something continues by itself, by the world's clock; nil if nothing is held.
    private(set) var next: Timestamp?
    /// How often something passed because there was no room to hold it.
    var passed = 0
    /// Whether everything is being released, so that nothing may be held.
    var isClosing = false
    /// What became of the things released last, oldest first.
    private var released: [(number: Int, action: RecordedRelease.Action)] = []

    mutating func insert(_ thing: HeldThing) {
        things.append(thing)
        next = .earliest(next, thing.until)
    }

    mutating func remove(_ number: Int, _ action: RecordedRelease.Action) {
        things.removeAll { $0.number == number }
        next = things.lazy.map(\.until).min()
        if released.count == FaultLimits.held { released.removeFirst() }
        released.append((number, action))
    }

    /// Has everything that some breakpoints hold continue at a time.
    mutating func bringForward(to time: Timestamp, where isMeant: (HeldThing) -> Bool) {
        for index in things.indices where isMeant(things[index]) {
            (things[index].until, things[index].isEnded) = (min(time, things[index].until), true)
        }
        next = things.lazy.map(\.until).min()
    }

    /// The first thing that continues by itself by now.
    func due(at now: Timestamp) -> HeldThing? {
        guard let next, next <= now else { return nil }
        return things.filter { $0.until <= now }.min { ($0.until, $0.number) < ($1.until, $1.number) }
    }

    subscript(number: Int) -> HeldThing? { things.first { $0.number == number } }

    /// What became of a thing that is no longer held; nil if that is not known.
    func action(releasing number: Int) -> RecordedRelease.Action? { released.last { $0.number == number }?.action }
}

/// Something that a breakpoint holds.
struct HeldThing {
    /// The number of the journal's entry about it.
    let number: Int
    let breakpoint: Breakpoint
    let place: RecordedHold.Place
    let sender: Party
    let connection: ConnectionID
    /// When it would have continued without the breakpoint.
    let due: Timestamp
    /// When it continues by itself.
    fileprivate(set) var until: Timestamp
    /// Whether that time has come because its breakpoint is gone.
    fileprivate(set) var isEnded = false
}

/// A request that an operator holds, or whose response one holds.
///
/// It does not refer to its connection, which refers to it.
final class HeldRequest {
    let head: RequestHead
    let body: [UInt8]
    let received: Exchange.Received?
    let requestedAt: Timestamp
    let endpoint: Endpoint?
    let user: ExactString?
    let unmatched: RecordedExchange.Unmatched?
    let responseFaults: ResponseFaults?
    let handshakeFaults: HandshakeFaults?
    let playback: Playback?
    /// The response; nil while the request is held.
    let answer: Answer?

    init(_ exchange: Exchange, _ answer: Answer?) {
        (head, body, received) = (exchange.head, exchange.body, exchange.received)
        (requestedAt, endpoint) = (exchange.requestedAt ?? exchange.world.turn.now, exchange.endpoint)
        (user, unmatched) = (exchange.user, exchange.unmatched)
        (responseFaults, handshakeFaults) = (exchange.responseFaults, exchange.handshakeFaults)
        (playback, self.answer) = (exchange.playback, answer)
    }

    var byteCount: Int {
        let changed = received.map { $0.head.byteCount + $0.body.count } ?? 0
        return head.byteCount + body.count + (answer?.body.count ?? 0) + changed
    }

    /// The exchange as it was, or with another request in the place of the client's.
    func exchange(
        _ change: (head: RequestHead, body: [UInt8])? = nil, on connection: Connection, in engine: Engine,
        at now: Timestamp
    ) -> Exchange {
        var exchange = Exchange(change?.head ?? head, body: change?.body ?? body, on: connection, in: engine, at: now)
        exchange.received = change == nil ? received : .init(head: head, body: body, endpoint: endpoint)
        (exchange.requestedAt, exchange.user, exchange.unmatched) = (requestedAt, user, unmatched)
        (exchange.responseFaults, exchange.handshakeFaults) = (responseFaults, handshakeFaults)
        (exchange.playback, exchange.isReleased) = (playback, true)
        return exchange
    }

    /// The exchange if the client leaves before it is answered.
    var abandoned: RecordedExchange {
        RecordedExchange(
            head: received?.head ?? head, body: received?.body ?? body, requestedAt: requestedAt,
            endpoint: received == nil ? endpoint : received?.endpoint, user: user,
            unmatched: received == nil ? unmatched : nil, status: nil, delivery: .none,
            faults: (responseFaults?.ruleNames ?? []) + (handshakeFaults?.response.ruleNames ?? []))
    }
}
