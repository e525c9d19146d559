import Faults
import FitIQAPI
import HTTP1
import HTTPTypes
import JSON
import Traffic
import WebSocket

/// Releases held items, either manually or when their time is up, and drops them with their connections.
extension Engine {
    // MARK: Releasing

    /// An operator's action on a held item.
    enum HeldAction {
        case pass
        /// Continues with a different request, response or message.
        case request(RequestHead, body: [UInt8])
        case response(Answer)
        case frame([UInt8])
        /// Drops the held item; over HTTP, the fault then ends the connection.
        case drop(ResponseFault)
        /// Answers a request in place of the backend.
        case answer(Answer)
    }

    /// Releases a held item; must be called after setting the world's time.
    ///
    /// - Parameter steps: Whether to hold the next item too: the response to a request, or the next message in the same
    ///   direction.
    func release(
        _ thing: HeldThing, of world: World, _ action: HeldAction = .pass, steps: Bool = false,
        as told: RecordedRelease.Action, at now: Timestamp
    ) {
        guard let connection = self[thing.connection] else {
            world.live?.holds.remove(thing.number)
            return
        }
        note(thing, told, action, on: connection, in: world)
        touch(connection)
        guard connection.isServed else { return }
        lendOutput(to: connection)
        switch (thing.place, thing.sender) {
        case (.frame, .server): releaseMessage(action, steps: steps, on: connection, in: world, at: now)
        case (.frame, .client): releaseEvent(thing.breakpoint, action, steps: steps, on: connection, in: world, at: now)
        default: releaseRequest(thing, action, steps: steps, on: connection, at: now)
        }
        account(connection)
    }

    /// Records the release of a held item.
    private func note(
        _ thing: HeldThing, _ told: RecordedRelease.Action, _ action: HeldAction = .pass, on connection: Connection,
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
            held: thing.number, breakpoint: thing.breakpoint.name.text, action: told, due: world.date(of: thing.due),
            payload: payload.map { RecordedBody($0) })
        recorder.record(.released(release), on: connection, in: world)
    }

    private func releaseRequest(
        _ thing: HeldThing, _ action: HeldAction, steps: Bool, on connection: Connection, at now: Timestamp
    ) {
        guard let held = connection.held else { return }
        (connection.held, connection.waiting) = (nil, nil)
        arm(connection, .idle, after: patience.idle, at: now)
        var exchange = held.exchange
        if case .request(let head, let body) = action { exchange = exchange.replaced(by: head, body, in: self) }
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
        case .response(let answer): process(exchange, answer, holdsAnswer: false)
        case .answer(let answer): process(exchange, answer, holdsAnswer: true)
        case .drop(let fault):
            exchange.add(fault)
            process(exchange, Answer(status: .serviceUnavailable, body: []), holdsAnswer: false)
        case .pass, .request, .frame: process(exchange, held.answer, holdsAnswer: held.answer == nil)
        }
        goOn(connection, at: now)
    }

    private func releaseMessage(
        _ action: HeldAction, steps: Bool, on connection: Connection, in world: World, at now: Timestamp
    ) {
        let text: [UInt8]? = if case .frame(let text) = action { text } else { nil }
        let isLost = if case .drop = action { true } else { false }
        guard let outgoing = connection.socketFaults?.release(text: text, isLost: isLost, steps: steps) else { return }
        deliver(outgoing, on: connection, in: world, at: now)
        outputHasGrown(of: connection, at: now)
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
        case (.frame(let text), .text): forward(.text(text), on: connection, in: world, at: now)
        case (.frame(let bytes), _): forward(.binary(bytes), on: connection, in: world, at: now)
        default: forward(event, on: connection, in: world, at: now)
        }
        applyEffects(of: world, at: now)
        if !connection.unreadFrames.isEmpty { receiveUnreadFrames(of: connection, at: now) }
    }

    /// Releases all items whose time has passed on the world's clock, in chronological order.
    func releaseHolds(of world: World, at now: Timestamp) {
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
        enter(world, at: now)
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
        if let now, !world.isStanding { enter(world, at: now) }
        world.live?.holds.bringForward(to: world.turn.now) { !enabled.contains($0.breakpoint.name) }
        if let now, !world.isStanding { releaseHolds(of: world, at: now) } else { queueDeadline(of: world) }
    }

    /// A breakpoint's controller, if it has no open event stream.
    func missingController(of rule: FaultRule, in world: World) -> ExactString? {
        rule.controller.flatMap { hasController($0, of: world) ? nil : $0 }
    }

    /// Disables breakpoints whose controller has no open event stream, and releases their items.
    ///
    /// - Parameter now: The system's time; if nil, the next turn releases the held items.
    func disableAbandonedBreakpoints(of world: World, at now: Timestamp? = nil) {
        let rules = world.faults.rules.map(\.rule).filter {
            $0.isEnabled && missingController(of: $0, in: world) != nil
        }
        if !rules.isEmpty { setFaults(Set(rules.map(\.name)), of: world, isEnabled: false, at: now) }
    }

    // MARK: Losing

    /// Drops the items held on a connection, and records that the client left.
    func loseHolds(of connection: Connection) {
        guard let world = connection.world, recordEndOfHolds(of: connection, in: world, as: .left) else { return }
        if let held = connection.held {
            recorder.record(.exchange(held.exchange.abandoned), on: connection, in: world)
            (connection.held, connection.waiting) = (nil, nil)
        }
        connection.heldEvent = nil
    }

    /// Records the end of a socket's held items when the server closes the socket; drops a client's held message.
    func endHolds(of connection: Connection, in world: World) {
        guard recordEndOfHolds(of: connection, in: world, as: .ended), connection.heldEvent != nil else { return }
        connection.heldEvent = nil
        // The unread frames may include the client's close frame.
        if !connection.unreadFrames.isEmpty { resumed.append(connection.id) }
    }

    /// Records the end of the items held on a connection; returns false if there are none.
    private func recordEndOfHolds(of connection: Connection, in world: World, as told: RecordedRelease.Action) -> Bool {
        guard connection.holdCount > 0 else { return false }
        for thing in world.live?.holds.things ?? [] where thing.connection == connection.id {
            note(thing, told, on: connection, in: world)
        }
        return true
    }
}

extension Exchange {
    /// The original version of a request that an operator changed.
    final class Received {
        let head: RequestHead
        let body: [UInt8]
        let endpoint: Endpoint?

        init(head: RequestHead, body: [UInt8], endpoint: Endpoint?) {
            (self.head, self.body, self.endpoint) = (head, body, endpoint)
        }
    }

    /// Adds a rule to the rules that took effect, unless it is already present.
    func note(_ rule: String) {
        func isSame(_ name: String) -> Bool { name.utf8.elementsEqual(rule.utf8) }
        if faultNames.contains(where: isSame) { return }
        responseFaults?.ruleNames.append(rule)
        handshakeFaults?.response.ruleNames.append(rule)
    }

    fileprivate func add(_ fault: ResponseFault) {
        responseFaults?.faults.append(fault)
        handshakeFaults?.response.faults.append(fault)
    }

    /// The exchange, with an operator's request in place of the client's request.
    fileprivate func replaced(by head: RequestHead, _ body: [UInt8], in engine: Engine) -> Exchange {
        let exchange = Exchange(head, body: body, on: connection, in: engine, at: now)
        exchange.received = Received(head: self.head, body: self.body, endpoint: endpoint)
        (exchange.requestedAt, exchange.user, exchange.unmatched) = (requestedAt, user, unmatched)
        (exchange.responseFaults, exchange.handshakeFaults) = (responseFaults, handshakeFaults)
        exchange.playback = playback
        // An operator's body is text. If the client's body could not be inflated, check the body again, because the
        // fields may have changed.
        if case .done? = inflation { exchange.inflation = .done }
        if body != self.body { exchange.inflation = .done }
        return exchange
    }

    /// The entry for a client that leaves before it gets its answer.
    var abandoned: RecordedExchange {
        RecordedExchange(
            head: received?.head ?? head, body: received?.body ?? body,
            requestedAt: world.date(of: requestedAt ?? world.turn.now),
            endpoint: received == nil ? endpoint : received?.endpoint, user: user,
            unmatched: received == nil ? unmatched : nil, status: nil, delivery: .none, faults: faultNames)
    }
}
