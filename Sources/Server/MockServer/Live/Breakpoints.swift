import Faults
import FitIQAPI
import HTTP1
import JSON
import Traffic
import WebSocket

/// The breakpoints stage: holds requests, responses and messages until an operator releases them or their time is up.
///
/// ``HoldTable`` lists a world's held items, and the connections hold the contents. A released item continues at the
/// stage after the one where it was held.
struct Breakpoints {
    let engine: Engine

    // MARK: Holding

    /// Holds a request, a handshake, the given answer, or a message if a breakpoint matches.
    func pass(_ exchange: Exchange, _ answer: Answer? = nil) -> Passage {
        let isHandshake = exchange.handshakeFaults != nil
        guard let faults = exchange.responseFaults ?? exchange.handshakeFaults?.response, !faults.holds.isEmpty,
            answer?.source == nil,
            let breakpoint = faults.breakpoint(fromClient: answer == nil, body: answer?.body ?? exchange.body),
            countHold(at: breakpoint, in: exchange.world)
        else { return .passed }
        let now = exchange.world.turn.now
        let requestedAt = exchange.requestedAt ?? now
        exchange.requestedAt = requestedAt
        exchange.note(breakpoint.name.text)
        exchange.connection.waiting = .forBreakpoint
        exchange.connection.held = HeldRequest(exchange, answer)
        let request = "\(exchange.head.method.rawValue) \(exchange.head.target.path)"
        let place: RecordedHold.Place = answer != nil ? .response : isHandshake ? .handshake : .request
        hold(
            breakpoint, place, by: answer == nil ? .client : .server, on: exchange.connection, in: exchange.world,
            due: answer == nil ? requestedAt : now,
            answer.map { "\($0.status.code) \(request)" } ?? request)
        return .stopped
    }

    func pass(_ event: WebSocket.Event, on connection: Connection, in world: World) -> Passage {
        guard connection.webSocketUse.isOfWorld, let (payload, isText) = event.message,
            let breakpoint = connection.socketFaults?.receive(payload, isText: isText),
            countHold(at: breakpoint, in: world)
        else { return .passed }
        engine.recorder.recordReceived(event, on: connection, in: world, faults: [breakpoint.name.text])
        connection.heldEvent = event
        hold(
            breakpoint, .frame, by: .client, on: connection, in: world, due: world.turn.now,
            isText ? Self.subject(ofText: payload) : "binary")
        return .stopped
    }

    func pass(_ held: Outgoing.Held, on connection: Connection, in world: World) -> Passage {
        guard countHold(at: held.breakpoint, in: world) else { return .passed }
        hold(
            held.breakpoint, .frame, by: .server, on: connection, in: world, due: held.time,
            Self.subject(ofText: held.text))
        return .stopped
    }

    private static func subject(ofText text: [UInt8]) -> String {
        "text" + (SocketFaults.type(ofMessage: text).map { " " + $0 } ?? "")
    }

    /// Counts a hold, and returns true; returns false if the breakpoint is disabled or the limit is reached.
    private func countHold(at breakpoint: Breakpoint, in world: World) -> Bool {
        if world.live == nil { world.live = LiveControl() }
        guard !engine.isShuttingDown, world.live?.holds.isClosing == false else { return false }
        guard world.live?.holds.things.count ?? 0 < FaultLimits.held else {
            world.live?.holds.passed += 1
            if world.live?.holds.passed == 1 {
                let note =
                    "breakpoints hold \(FaultLimits.held) requests, responses and frames, which is the limit; any "
                    + "others pass through"
                engine.recorder.record(.note(note), at: world.turn.now, in: world)
            }
            return false
        }
        return world.faults.countHold(named: breakpoint.name)
    }

    private func hold(
        _ breakpoint: Breakpoint, _ place: RecordedHold.Place, by sender: Party, on connection: Connection,
        in world: World, due: Timestamp, _ subject: String
    ) {
        let until = world.turn.now.advanced(byNanoseconds: breakpoint.hold.time)
        let subject = subject.utf8.count <= 200 ? subject : String(subject.unicodeScalars.prefix(199)) + "…"
        let recorded = RecordedHold(
            breakpoint: breakpoint.name.text, place: place, sender: sender, until: world.date(of: until),
            subject: subject)
        engine.recorder.record(.held(recorded), on: connection, in: world)
        world.live?.holds.insert(
            HeldThing(
                number: world.journal.lastNumber, breakpoint: breakpoint, place: place, sender: sender,
                connection: connection.id, due: due, until: until))
        connection.holdCount += 1
        engine.account(connection)
        engine.queueDeadline(of: world)
    }

    // MARK: Releasing

    /// Releases a held item; must be called after setting the world's time.
    ///
    /// - Parameter steps: Whether to hold the next item too: the response to a request, or the next message in the same
    ///   direction.
    func release(
        _ thing: HeldThing, of world: World, _ action: HeldAction = .pass, steps: Bool = false,
        as outcome: RecordedRelease.Action, at now: Timestamp
    ) {
        guard let connection = engine[thing.connection] else {
            world.live?.holds.remove(thing.number)
            return
        }
        note(thing, outcome, action, on: connection, in: world)
        engine.touch(connection)
        guard connection.isServed else { return }
        engine.lendOutput(to: connection)
        switch (thing.place, thing.sender) {
        case (.frame, .server): releaseMessage(action, steps: steps, on: connection, in: world, at: now)
        case (.frame, .client): releaseEvent(thing.breakpoint, action, steps: steps, on: connection, in: world, at: now)
        default: releaseRequest(thing, action, steps: steps, on: connection, at: now)
        }
        engine.account(connection)
    }

    private func note(
        _ thing: HeldThing, _ outcome: RecordedRelease.Action, _ action: HeldAction = .pass, on connection: Connection,
        in world: World
    ) {
        connection.holdCount -= 1
        world.live?.holds.remove(thing.number)
        var payload: [UInt8]?
        switch action {
        case .request(_, let body): payload = body
        case .frame(let text) where thing.sender == .client: payload = text
        default: break
        }
        let release = RecordedRelease(
            held: thing.number, breakpoint: thing.breakpoint.name.text, action: outcome, due: world.date(of: thing.due),
            payload: payload.map { RecordedBody($0) })
        engine.recorder.record(.released(release), on: connection, in: world)
    }

    private func releaseRequest(
        _ thing: HeldThing, _ action: HeldAction, steps: Bool, on connection: Connection, at now: Timestamp
    ) {
        guard let held = connection.held else { return }
        (connection.held, connection.waiting) = (nil, nil)
        engine.arm(connection, .idle, after: engine.patience.idle, at: now)
        var exchange = held.exchange
        if case .request(let head, let body) = action { exchange = exchange.replaced(by: head, body, in: engine) }
        (exchange.now, exchange.isReleased) = (now, true)
        if steps, thing.place == .request {
            let hold = Hold(fromServer: true, time: thing.breakpoint.hold.time)
            exchange.responseFaults?.holds.insert(Breakpoint(name: thing.breakpoint.name, hold: hold), at: 0)
        } else if steps, thing.place == .handshake {
            let seed = exchange.world.faults.seed
            if exchange.handshakeFaults?.socket == nil { exchange.handshakeFaults?.socket = SocketFaults(seed: seed) }
            exchange.handshakeFaults?.socket?.holdNextFromServer(thing.breakpoint)
        }
        switch action {
        case .response(let answer): engine.process(exchange, answer, holdsAnswer: false)
        case .answer(let answer): engine.process(exchange, answer, holdsAnswer: true)
        case .drop(let fault):
            exchange.add(fault)
            engine.process(exchange, Answer(status: .serviceUnavailable, body: []), holdsAnswer: false)
        case .pass, .request, .frame: engine.process(exchange, held.answer, holdsAnswer: held.answer == nil)
        }
        engine.readFurtherRequests(of: connection, at: now)
    }

    private func releaseMessage(
        _ action: HeldAction, steps: Bool, on connection: Connection, in world: World, at now: Timestamp
    ) {
        let text: [UInt8]? = if case .frame(let text) = action { text } else { nil }
        let isLost = if case .drop = action { true } else { false }
        guard let outgoing = connection.socketFaults?.release(text: text, isLost: isLost, steps: steps) else { return }
        engine.deliver(outgoing, on: connection, in: world, at: now)
        engine.handleNewOutput(of: connection, at: now)
    }

    private func releaseEvent(
        _ breakpoint: Breakpoint, _ action: HeldAction, steps: Bool, on connection: Connection, in world: World,
        at now: Timestamp
    ) {
        guard let event = connection.heldEvent else { return }
        connection.heldEvent = nil
        if steps { connection.socketFaults?.holdNextFromClient(breakpoint) }
        switch (action, event) {
        case (.drop, _): break
        case (.frame(let text), .text): engine.forward(.text(text), on: connection, in: world, at: now)
        case (.frame(let bytes), _): engine.forward(.binary(bytes), on: connection, in: world, at: now)
        default: engine.forward(event, on: connection, in: world, at: now)
        }
        engine.applyEffects(of: world, at: now)
        if !connection.unreadFrames.isEmpty { engine.receiveUnreadFrames(of: connection, at: now) }
    }

    /// Releases all items whose time has passed on the world's clock, in chronological order.
    func releaseDue(of world: World, at now: Timestamp) {
        guard world.live != nil else { return }
        // Answers get the current time, not the time of the world's last request.
        world.responseFields.update(to: world.turn.date)
        // Releasing an item accesses the world, but must not count as using the world.
        let used = world.lastUsed
        defer { world.lastUsed = used }
        while let thing = world.live?.holds.due(at: world.turn.now) {
            release(thing, of: world, as: thing.isEnded ? .ended : .expired, at: now)
        }
    }

    /// Releases all items in a world, and holds no new items in the meantime.
    func releaseAll(of world: World, _ action: RecordedRelease.Action, at now: Timestamp) {
        guard let holds = world.live?.holds, !holds.things.isEmpty else { return }
        engine.enter(world, at: now)
        world.live?.holds.isClosing = true
        while let thing = world.live?.holds.things.first { release(thing, of: world, as: action, at: now) }
        world.live?.holds.isClosing = false
    }

    /// Releases all items held by disabled or removed breakpoints.
    ///
    /// - Parameter now: The system's time; if nil, or if the world is paused, the next turn releases the items.
    func releaseDisabled(of world: World, at now: Timestamp?) {
        guard let things = world.live?.holds.things, !things.isEmpty else { return }
        let enabled = Set(world.faults.rules.lazy.filter(\.rule.isEnabled).map(\.rule.name))
        if let now, !world.isPaused { engine.enter(world, at: now) }
        world.live?.holds.bringForward(to: world.turn.now) { !enabled.contains($0.breakpoint.name) }
        if let now, !world.isPaused { releaseDue(of: world, at: now) } else { engine.queueDeadline(of: world) }
    }

    /// A breakpoint's controller, if it has no open event stream.
    func missingController(of rule: FaultRule, in world: World) -> ExactString? {
        rule.controller.flatMap { engine.hasController($0, of: world) ? nil : $0 }
    }

    /// Disables breakpoints whose controller has no open event stream, and releases their items.
    ///
    /// - Parameter now: The system's time; if nil, the next turn releases the held items.
    func disableAbandoned(of world: World, at now: Timestamp? = nil) {
        let rules = world.faults.rules.map(\.rule).filter {
            $0.isEnabled && missingController(of: $0, in: world) != nil
        }
        if !rules.isEmpty { engine.liveFaults.set(Set(rules.map(\.name)), of: world, isEnabled: false, at: now) }
    }

    // MARK: Ending

    /// Drops the items held on a connection, and records that the client left.
    func dropHolds(of connection: Connection) {
        guard let world = connection.world, recordEnds(of: connection, in: world, as: .left) else { return }
        if let held = connection.held {
            engine.recorder.record(.exchange(held.exchange.abandoned), on: connection, in: world)
            (connection.held, connection.waiting) = (nil, nil)
        }
        connection.heldEvent = nil
    }

    /// Records the end of a socket's held items when the server closes the socket; drops a client's held message.
    func endHolds(of connection: Connection, in world: World) {
        guard recordEnds(of: connection, in: world, as: .ended), connection.heldEvent != nil else { return }
        connection.heldEvent = nil
        // The unread frames may include the client's close frame.
        if !connection.unreadFrames.isEmpty { engine.resumed.append(connection.id) }
    }

    /// Records the end of the items held on a connection; returns false if there are none.
    private func recordEnds(of connection: Connection, in world: World, as outcome: RecordedRelease.Action) -> Bool {
        guard connection.holdCount > 0 else { return false }
        for thing in world.live?.holds.things ?? [] where thing.connection == connection.id {
            note(thing, outcome, on: connection, in: world)
        }
        return true
    }
}

enum HeldAction {
    case pass
    /// Continues with a different request, response or message.
    case request(RequestHead, body: [UInt8])
    case response(Answer)
    case frame([UInt8])
    /// Drops the held item; over HTTP, the fault then ends the connection.
    case drop(ResponseFault)
    /// Answers a request, so that the backend does not receive it.
    case answer(Answer)
}

/// A world's held items, by journal entry number.
///
/// The connections hold the items' contents: ``Connection/held``, ``Connection/heldEvent``, ``SocketFaults``.
struct HoldTable: Sendable {
    /// The held items, oldest first; at most ``FaultLimits/held``.
    private(set) var things: [HeldThing] = []
    /// When the server next releases a held item by itself, by the world's clock; nil if it holds nothing.
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
