import Faults
import FitIQAPI
import HTTP1
import HTTPTypes
import JSON
import Traffic
import WebSocket

/// Breakpoints hold requests, responses and frames until an operator releases them or their time has passed.
extension Engine {
    // MARK: Holding

    /// Holds a request or handshake, or the given answer to it, if a breakpoint matches.
    func passBreakpoints(_ exchange: Exchange, _ answer: Answer? = nil) -> Passage {
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

    /// Records and holds a client's message if a breakpoint matches.
    func passBreakpoints(_ event: WebSocket.Event, on connection: Connection, in world: World) -> Passage {
        guard connection.webSocketUse.isOfWorld, let (payload, isText) = event.message,
            let breakpoint = connection.socketFaults?.receive(payload, isText: isText),
            countHold(at: breakpoint, in: world)
        else { return .passed }
        recorder.received(event, on: connection, in: world, faults: [breakpoint.name.text])
        connection.heldEvent = event
        hold(
            breakpoint, .frame, by: .client, on: connection, in: world, due: world.turn.now,
            isText ? Self.subject(ofText: payload) : "binary")
        return .stopped
    }

    /// Holds a server's message that matched a breakpoint, unless the message must pass.
    private func passBreakpoint(_ held: Outgoing.Held, on connection: Connection, in world: World) -> Passage {
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
        guard !isShuttingDown, world.live?.holds.isClosing == false else { return false }
        guard world.live?.holds.things.count ?? 0 < FaultLimits.held else {
            world.live?.holds.passed += 1
            if world.live?.holds.passed == 1 {
                let note =
                    "breakpoints hold \(FaultLimits.held) requests, responses and frames, which is the limit; any "
                    + "others pass through"
                recorder.record(.note(note), at: world.turn.now, in: world)
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
        recorder.record(.held(recorded), on: connection, in: world)
        world.live?.holds.insert(
            HeldThing(
                number: world.journal.lastNumber, breakpoint: breakpoint, place: place, sender: sender,
                connection: connection.id, due: due, until: until))
        connection.holdCount += 1
        account(connection)
        queueDeadline(of: world)
    }

    // MARK: Sending through breakpoints

    /// Writes the messages that have passed a socket's faults, up to the next message that a breakpoint holds.
    func deliver(_ outgoing: Outgoing, on connection: Connection, in world: World, at now: Timestamp) {
        var outgoing = outgoing
        write(outgoing, on: connection, in: world, at: now)
        while let held = outgoing.held, passBreakpoint(held, on: connection, in: world) == .passed,
            let next = connection.socketFaults?.release(isDeclined: true)
        {
            outgoing = next
            write(outgoing, on: connection, in: world, at: now)
        }
    }

    /// Releases held messages while too many bytes are waiting behind them; resets the connection if an operator
    /// silenced it.
    func enforceHoldLimit(of connection: Connection, in world: World, at now: Timestamp) {
        if connection.socketFaults?.isGated == true {
            guard connection.socketFaults?.heldBytes ?? 0 > limits.heldFrameBytes else { return }
            return cutOff(connection, .slowReader(limit: limits.heldFrameBytes))
        }
        while connection.socketFaults?.isHolding == true,
            connection.socketFaults?.heldBytes ?? 0 > limits.heldFrameBytes,
            let thing = world.live?.holds.things.first(where: { $0.connection == connection.id && $0.sender == .server }
            )
        {
            release(thing, of: world, as: .expired, at: now)
        }
    }
}
