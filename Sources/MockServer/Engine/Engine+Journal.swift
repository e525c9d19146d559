import Faults
import FitIQAPI
import HTTP1
import HTTPTypes
import Recording
import WebSocket

/// What the journal of a world is told.
extension Engine {
    /// A request was answered.
    func record(_ exchange: Exchange, _ answer: Answer, in world: World, on connection: Connection) {
        guard exchange.isJournaled else { return }
        guard exchange.shaped == nil else { return record(shaped: exchange, answer, in: world, on: connection) }
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

    /// A request was answered, and faults changed what went on the wire.
    private func record(shaped exchange: Exchange, _ answer: Answer, in world: World, on connection: Connection) {
        guard let shaped = exchange.shaped else { return }
        world.journal.record(
            RecordedExchange(
                head: exchange.head, body: exchange.body, requestedAt: world.turn.now, endpoint: exchange.endpoint,
                user: exchange.user, unmatched: exchange.unmatched,
                status: shaped.delivery == .none ? nil : answer.status.code,
                responseFields: .fields(answer.allFields(at: world.turn.now)), responseBody: shaped.body,
                delivery: shaped.delivery, faults: exchange.faultNames),
            at: world.turn.now, connection: connection.number(in: world))
        accountJournal(of: world)
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

    /// A WebSocket was opened.
    func record(_ exchange: Exchange, openedWith fields: HTTPFields, in world: World, on connection: Connection) {
        world.journal.record(
            .opened(
                RecordedOpening(
                    head: exchange.head, requestedAt: world.turn.now, endpoint: exchange.endpoint,
                    user: exchange.user, responseFields: .fields(fields), faults: exchange.faultNames)),
            at: world.turn.now, connection: connection.number(in: world))
        accountJournal(of: world)
    }

    /// A message of the server's was sent, or met a fault on its way.
    func record(sent text: [UInt8], on connection: Connection, in world: World, _ outgoing: Outgoing? = nil) {
        var frame = RecordedFrame(sender: .server, opcode: .text, payload: text)
        if let outgoing {
            frame.faults = outgoing.ruleNames
            frame.delivery = Delivery(outgoing.extent)
        }
        world.journal.record(frame, at: world.turn.now, connection: connection.number(in: world))
        accountJournal(of: world)
    }

    /// Frames of the client's arrived, or it ended the connection.
    func record(_ event: WebSocket.Event, on connection: Connection, in world: World) {
        // Frames behind the end are of no account; after a reset they would be of another life.
        guard connection.webSocketUse == .consultation, !connection.isClosingRecorded else { return }
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
        guard let socket = connection.webSocket, connection.webSocketUse == .consultation,
            !connection.isClosingRecorded, let world = connection.world
        else { return }
        connection.isClosingRecorded = true
        world.journal.record(
            .closed(RecordedClosing(by: party, cause: cause, summary: socket.closeSummary, message: message)),
            at: world.turn.now, connection: connection.number(in: world))
        accountJournal(of: world)
    }
}

extension Delivery {
    fileprivate init(_ extent: Outgoing.Extent) {
        self =
            switch extent {
            case .whole: .complete
            case .beginning: .partial
            case .nothing: .none
            }
    }
}
