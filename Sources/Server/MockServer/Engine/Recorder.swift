import Faults
import FitIQAPI
import HTTP1
import HTTPTypes
import JSON
import Traffic
import WebSocket

/// Records in the journals of worlds what happens on connections.
///
/// An entry about bytes for the client is made when the last of them is released, or when it is certain that it never
/// will be. A fault may hold bytes back, so an entry may have to wait: ``ConnectionRecord/waiting`` keeps it, with the
/// place of its bytes in the connection's output. Messages that wait within a fault for other messages are not here:
/// ``Outgoing`` reports each one when its fate is decided.
///
/// A class, because its observer may come at any time.
final class Recorder {
    let worlds: WorldTable
    /// Receives each entry of every world right after it was recorded, and its connection; nil costs nothing.
    @exclusivity(unchecked) var observe: ((JournalEntry, World, Connection?) -> Void)?

    /// What it recorded.
    @exclusivity(unchecked) var counts = ServerCounts()

    init(_ worlds: WorldTable) { self.worlds = worlds }

    // MARK: Requests

    /// Records the answer to a request, in bytes from an offset on.
    ///
    /// - Parameter text: Its body without a content coding, unless a fault changes the coded bytes.
    func answered(_ exchange: Exchange, _ answer: Answer, text: [UInt8], from start: Int) {
        // Requests to the server rather than its API would only fill the journal.
        guard !exchange.isOfServer else { return }
        let (connection, world) = (exchange.connection, exchange.world)
        let now = world.turn.now
        let fields: RecordedFields =
            answer.hasUsualFields ? .encoded(world.responseFields.json) : .fields(answer.allFields(at: world.turn.date))
        let (shaped, received) = (exchange.shaped, exchange.received)
        let recorded = RecordedExchange(
            head: received?.head ?? exchange.head, body: received?.body ?? exchange.body,
            requestedAt: world.date(of: exchange.requestedAt ?? now),
            endpoint: received == nil ? exchange.endpoint : received?.endpoint,
            user: exchange.user, unmatched: received == nil ? exchange.unmatched : nil,
            status: shaped?.delivery == Delivery.none ? nil : answer.status.code, responseFields: fields,
            responseBody: exchange.shownBody(of: answer, text: text), delivery: shaped?.delivery ?? .complete,
            faults: exchange.faultNames,
            created: exchange.created ?? Self.hidden(answer, shaped),
            answeredBy: exchange.answeredBy)
        guard !connection.output.isHeld else { return add(.exchange(recorded), from: start, on: connection, in: world) }
        counts.count(recorded)
        world.journal.record(recorded, at: world.turn.date, connection: connection.number(in: world))
        hasRecorded(in: world, on: connection)
    }

    /// Records bytes that are not HTTP, or a time limit that passed.
    func refused(_ refusal: TransportRefusal, on connection: Connection, in world: World) {
        record(.note("refused with \(refusal.status.code): \(refusal.message)"), on: connection, in: world)
    }

    /// The id in an answer of which a fault kept something from the client.
    private static func hidden(_ answer: Answer, _ shaped: Exchange.ShapedResponse?) -> ExactString? {
        guard let shaped, shaped.delivery != .complete else { return nil }
        return RecordedExchange.created(answer.status.code, answer.body)
    }

    // MARK: Sockets

    /// Records the opening of a WebSocket, in bytes from an offset on.
    func opened(_ exchange: Exchange, _ fields: HTTPFields, from start: Int) {
        let now = exchange.world.turn.now
        var opening = RecordedOpening(
            head: exchange.head, requestedAt: exchange.world.date(of: exchange.requestedAt ?? now),
            endpoint: exchange.endpoint,
            user: exchange.user, responseFields: .fields(fields), faults: exchange.faultNames)
        opening.answeredBy = exchange.answeredBy
        let consultation: String? = if case .api(let route)? = exchange.destination.route { route.id } else { nil }
        exchange.connection.record.opening = SocketOpening(
            time: now, path: exchange.head.target.path, endpoint: exchange.endpoint,
            user: exchange.user, consultation: consultation)
        add(.opened(opening), from: start, on: exchange.connection, in: exchange.world)
    }

    /// Records a message or a ping of the server, in bytes from an offset on.
    func sent(
        _ payload: [UInt8], _ opcode: Opcode = .text, faults: [String] = [], from start: Int,
        on connection: Connection, in world: World
    ) {
        var frame = RecordedFrame(sender: .server, opcode: opcode, payload: payload, faults: faults)
        if !opcode.isControl { frame.compressedSize = connection.webSocket?.sentSize }
        connection.record.framesOut += 1
        guard connection.output.isHeld else { return record(frame, on: connection, in: world) }
        add(.frame(frame), from: start, on: connection, in: world)
    }

    /// Records the decided fate of messages, in bytes from an offset on.
    func sent(_ messages: [Outgoing.Message], from start: Int, on connection: Connection, in world: World) {
        for message in messages {
            if message.extent != .nothing { connection.record.framesOut += 1 }
            add(.frame(RecordedFrame(message)), from: start, on: connection, in: world)
        }
    }

    /// Records a frame or the closing of the client.
    ///
    /// - Parameter faults: The breakpoint that holds it, if one does.
    func received(_ event: WebSocket.Event, on connection: Connection, in world: World, faults: [String] = []) {
        // Frames after the end do not count; after a reset they would belong to another life of the world.
        guard connection.webSocketUse.isOfWorld, !connection.record.isClosed else { return }
        switch event {
        case .text(let text): received(RecordedFrame(text, .text, faults: faults), on: connection, in: world)
        case .binary(let bytes): received(RecordedFrame(bytes, .binary, faults: faults), on: connection, in: world)
        case .ping(let bytes): received(RecordedFrame(bytes, .ping), on: connection, in: world)
        case .pong(let bytes): received(RecordedFrame(bytes, .pong), on: connection, in: world)
        case .closing:
            let isTheirs = connection.webSocket?.closeSummary.initiator == .theyStarted
            closed(connection, by: isTheirs ? .client : .server, .closeFrame)
        case .failed: break
        }
    }

    private func received(_ received: RecordedFrame, on connection: Connection, in world: World) {
        connection.record.framesIn += 1
        var frame = received
        if !frame.opcode.isControl { frame.compressedSize = connection.webSocket?.receivedSize }
        record(frame, on: connection, in: world)
    }

    /// Records a lasting fault that set in: from here on the client cannot be judged as if there were no faults.
    func setIn(_ effect: RecordedFault.Effect, by rule: String, on connection: Connection, in world: World) {
        record(.fault(RecordedFault(name: rule, effect: effect)), on: connection, in: world)
    }

    /// Records the end of a WebSocket; only the first cause counts.
    func closed(_ connection: Connection, by party: Party, _ cause: RecordedClosing.Cause, message: String? = nil) {
        guard let socket = connection.webSocket, connection.webSocketUse.isOfWorld, !connection.record.isClosed,
            let world = connection.world
        else { return }
        connection.record.isClosed = true
        // The client never learns of a socket whose handshake was abandoned, so that socket has no end.
        if abandoned(connection, in: world) { return }
        let isShutdown = connection.record.isShutDown && socket.closeSummary.initiator != .theyStarted
        let (party, cause) = isShutdown ? (.server, .shutdown) : (party, cause)
        let faults = party == .server && cause != .shutdown ? connection.record.endingRule.map { [$0] } ?? [] : []
        let closing = RecordedClosing(
            by: party, cause: cause, summary: socket.closeSummary, message: message, faults: faults)
        record(.closed(closing), on: connection, in: world)
    }

    // MARK: Waiting entries

    /// Records the entries whose bytes faults have released.
    func released(_ connection: Connection, in world: World) {
        while let entry = connection.record.waiting.first,
            entry.range.upperBound <= connection.output.releasedOffset
        {
            connection.record.waiting.removeFirst()
            record(entry.event(in: world), on: connection, in: world)
        }
    }

    /// Records what still waits as lost; returns whether that is the handshake, so that the client knows of no socket.
    @discardableResult
    func abandoned(_ connection: Connection, in world: World) -> Bool {
        released(connection, in: world)
        let messages = connection.socketFaults?.abandon() ?? []
        for entry in connection.record.waiting.takeAll() {
            record(entry.abandoned(at: connection.output.releasedOffset, in: world), on: connection, in: world)
            if case .opened = entry.event { return true }
        }
        sent(messages, from: connection.output.writtenOffset, on: connection, in: world)
        return false
    }

    /// Records the event of the bytes from an offset on, now or when faults release the last of them.
    private func add(_ event: JournalEvent, from start: Int, on connection: Connection, in world: World) {
        guard connection.output.isHeld else { return record(event, on: connection, in: world) }
        connection.record.waiting.append(
            WaitingEntry(
                event: event, range: start..<connection.output.writtenOffset, dateShift: world.turn.dateShift))
    }

    func record(_ event: JournalEvent, on connection: Connection, in world: World) {
        counts.count(event)
        world.journal.record(event, at: world.turn.date, connection: connection.number(in: world))
        hasRecorded(in: world, on: connection)
    }

    private func record(_ frame: RecordedFrame, on connection: Connection, in world: World) {
        counts.count(frame)
        world.journal.record(frame, at: world.turn.date, connection: connection.number(in: world))
        hasRecorded(in: world, on: connection)
    }

    /// Records an event of the world itself, at a time of its time line.
    func record(_ event: JournalEvent, at time: Timestamp, in world: World) {
        counts.count(event)
        world.journal.record(event, at: world.date(of: time))
        hasRecorded(in: world)
    }

    private func hasRecorded(in world: World, on connection: Connection? = nil) {
        if let observe, let entry = world.journal.newest { observe(entry, world, connection) }
        worlds.accountJournal(of: world)
    }
}

extension RecordedFrame {
    fileprivate init(_ payload: [UInt8], _ opcode: Opcode, faults: [String] = []) {
        self.init(sender: .client, opcode: opcode, payload: payload, faults: faults)
    }

    fileprivate init(_ message: Outgoing.Message) {
        let delivery: Delivery =
            switch message.extent {
            case .whole: .complete
            case .beginning: .partial
            case .nothing: .none
            }
        self.init(sender: .server, opcode: .text, payload: message.text, delivery: delivery, faults: message.ruleNames)
        compressedSize = message.compressedSize
    }
}

/// What the journal knows of a connection, and its pending entries.
struct ConnectionRecord {
    /// The entries that wait for faults to release their bytes; empty without faults.
    var waiting = Backlog<WaitingEntry>()
    /// Whether the journal has the end of the socket.
    var isClosed = false
    /// The rule that ends the socket, once it has acted.
    var endingRule: String?
    /// Whether the socket's client was notified that the server stops.
    var isShutDown = false
    /// The connection's number in the journal of a world, and that world's number.
    var number: (world: Int, number: UInt64)?
    /// The handshake of its WebSocket; nil for other connections and the echo socket.
    var opening: SocketOpening?
    /// How many frames its WebSocket received and sent, except close frames and answers to pings.
    var framesIn = 0, framesOut = 0
}

/// The handshake of an open WebSocket.
struct SocketOpening {
    /// By the world's clock.
    let time: Timestamp
    /// As received: percent-encoded, without the query, with the prefix of the world.
    let path: String
    let endpoint: Endpoint?
    let user: ExactString?
    /// The consultation of its path; nil for a meal socket.
    let consultation: String?
}

/// A journal entry whose last byte a fault still holds back.
struct WaitingEntry {
    /// An exchange, an opening or a frame.
    let event: JournalEvent
    /// The place of its bytes among all that the connection ever wrote; empty if a fault lost it.
    let range: Range<Int>
    /// How far the world's date was shifted when the event's times were taken.
    let dateShift: Int64

    /// The event with times by the present date, so that no span of it has a step of the system's clock.
    func event(in world: World) -> JournalEvent {
        world.turn.dateShift == dateShift ? event : event.moved(byNanoseconds: world.turn.dateShift - dateShift)
    }

    /// The event if it is never released, and no byte after an offset was.
    func abandoned(at offset: Int, in world: World) -> JournalEvent {
        let delivery: Delivery = offset > range.lowerBound ? .partial : .none
        switch event(in: world) {
        // To the client an opening was none.
        case .exchange(var exchange), .opened(var exchange):
            exchange.abandon(delivery)
            return .exchange(exchange)
        case .frame(var frame):
            frame.delivery = delivery
            return .frame(frame)
        case .closed, .fault, .clock, .note, .held, .released:
            preconditionFailure("It has no bytes that could be held back.")
        }
    }
}

extension RecordedExchange {
    fileprivate mutating func abandon(_ delivery: Delivery) {
        self.delivery = delivery
        created = created ?? Self.created(status, responseBody.bytes)
        if delivery == .none {
            status = nil
            responseBody = RecordedBody([])
        }
    }
}
