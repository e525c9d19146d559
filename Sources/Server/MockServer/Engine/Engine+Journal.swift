import Faults
import FitIQAPI
import HTTP1
import HTTPTypes
import Recording
import WebSocket

/// What the journal of a world is told.
extension Engine {
    /// A request was answered, by bytes from an offset on.
    func record(
        _ exchange: Exchange, _ answer: Answer, from start: Int, in world: World, on connection: Connection
    ) {
        guard exchange.isJournaled else { return }
        guard exchange.shaped == nil, !connection.output.isHeld else {
            return record(shaped: exchange, answer, from: start, in: world, on: connection)
        }
        world.journal.record(
            RecordedExchange(
                head: exchange.head, body: exchange.body, requestedAt: world.turn.now, endpoint: exchange.endpoint,
                user: exchange.user, unmatched: exchange.unmatched, status: answer.status.code,
                responseFields: answer.hasUsualFields
                    ? .encoded(world.responseFields.json) : .fields(answer.allFields(at: world.turn.now)),
                responseBody: answer.body, faults: exchange.faultNames),
            at: world.turn.now, connection: connection.number(in: world))
        accountJournal(of: world)
    }

    /// A request was answered, and faults changed what goes on the wire, or when.
    private func record(
        shaped exchange: Exchange, _ answer: Answer, from start: Int, in world: World, on connection: Connection
    ) {
        let delivery = exchange.shaped?.delivery ?? .complete
        let recorded = RecordedExchange(
            head: exchange.head, body: exchange.body, requestedAt: world.turn.now, endpoint: exchange.endpoint,
            user: exchange.user, unmatched: exchange.unmatched, status: delivery == .none ? nil : answer.status.code,
            responseFields: .fields(answer.allFields(at: world.turn.now)),
            responseBody: exchange.shaped?.body ?? answer.body, delivery: delivery, faults: exchange.faultNames)
        record(.exchange(recorded), from: start, in: world, on: connection)
    }

    /// Bytes arrived that are no HTTP, or their time was up.
    func record(_ refusal: TransportRefusal, in world: World, on connection: Connection) {
        world.journal.record(
            .note("refused with \(refusal.status.code): \(refusal.message)"), at: world.turn.now,
            connection: connection.number(in: world))
        accountJournal(of: world)
    }

    /// A fault set in that lasts.
    func record(_ effect: RecordedFault.Effect, of names: [String], on connection: Connection, in world: World) {
        for name in names {
            world.journal.record(
                .fault(RecordedFault(name: name, effect: effect)), at: world.turn.now,
                connection: connection.number(in: world))
        }
        accountJournal(of: world)
    }

    /// A WebSocket was opened, by bytes from an offset on.
    func record(
        _ exchange: Exchange, openedWith fields: HTTPFields, from start: Int, in world: World,
        on connection: Connection
    ) {
        let opening = RecordedOpening(
            head: exchange.head, requestedAt: world.turn.now, endpoint: exchange.endpoint, user: exchange.user,
            responseFields: .fields(fields), faults: exchange.faultNames)
        record(.opening(opening), from: start, in: world, on: connection)
    }

    /// A message or a ping of the server's was sent, by bytes from an offset on.
    func record(
        sent payload: [UInt8], _ opcode: Opcode = .text, from start: Int, on connection: Connection, in world: World
    ) {
        let frame = RecordedFrame(sender: .server, opcode: opcode, payload: payload)
        guard !connection.output.isHeld else {
            return record(.frame(frame), from: start, in: world, on: connection)
        }
        world.journal.record(frame, at: world.turn.now, connection: connection.number(in: world))
        accountJournal(of: world)
    }

    /// Frames of the client's arrived, or it ended the connection.
    func record(_ event: WebSocket.Event, on connection: Connection, in world: World) {
        // Frames behind the end are of no account; after a reset they would be of another life.
        guard connection.webSocketUse.isOfWorld, !connection.isClosingRecorded else { return }
        let frame: RecordedFrame
        switch event {
        case .text(let text): frame = RecordedFrame(sender: .client, opcode: .text, payload: text)
        case .binary(let bytes): frame = RecordedFrame(sender: .client, opcode: .binary, payload: bytes)
        case .ping(let bytes): frame = RecordedFrame(sender: .client, opcode: .ping, payload: bytes)
        case .pong(let bytes): frame = RecordedFrame(sender: .client, opcode: .pong, payload: bytes)
        case .closing:
            let isTheirs = connection.webSocket?.closeSummary.initiator == .theyStarted
            recordClosing(of: connection, by: isTheirs ? .client : .server, .closeFrame)
            return
        case .failed: return
        }
        world.journal.record(frame, at: world.turn.now, connection: connection.number(in: world))
        accountJournal(of: world)
    }

    /// A WebSocket ended; only the first cause counts.
    func recordClosing(
        of connection: Connection, by party: Party, _ cause: RecordedClosing.Cause, message: String? = nil
    ) {
        guard let socket = connection.webSocket, connection.webSocketUse.isOfWorld,
            !connection.isClosingRecorded, let world = connection.world
        else { return }
        connection.isClosingRecorded = true
        // What is held back does not matter to the client any more, and a socket that it never knew of does not end.
        if recordAbandoned(of: connection, in: world) { return }
        var (party, cause) = (party, cause)
        if connection.isShutDown, socket.closeSummary.initiator != .theyStarted {
            (party, cause) = (.server, .shutdown)
        }
        let faults = party == .server && cause != .shutdown ? connection.endingRule.map { [$0] } ?? [] : []
        world.journal.record(
            .closed(
                RecordedClosing(
                    by: party, cause: cause, summary: socket.closeSummary, message: message, faults: faults)),
            at: world.turn.now, connection: connection.number(in: world))
        accountJournal(of: world)
    }
}
