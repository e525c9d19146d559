import Faults
import FitIQAPI
import HTTP1
import HTTPTypes
import JSON
import Traffic
import WebSocket

/// Records connection events in the worlds' journals.
///
/// Output is recorded once its last byte is released, or once the output is certainly lost. If a fault holds the bytes,
/// ``ConnectionRecord/waiting`` holds the entry and the bytes' position in the connection's output. A delayed message
/// has no entry yet; ``Outgoing`` reports it when the fault sends or drops it.
///
/// This is a class because callers may set the observer at any time.
final class Recorder {
    let worlds: WorldTable
    /// Called with each new entry of every world and the entry's connection, right after the entry is recorded.
    @exclusivity(unchecked) var observe: ((JournalEntry, World, Connection?) -> Void)?

    /// The counts of all recorded events.
    @exclusivity(unchecked) var counts = ServerCounts()

    init(_ worlds: WorldTable) { self.worlds = worlds }

    // MARK: Requests

    /// Records the answer to a request; the answer's bytes start at an offset in the output.
    ///
    /// - Parameter text: The answer's body before any content coding is applied.
    func recordAnswer(_ exchange: Exchange, _ answer: Answer, text: [UInt8], from start: Int) {
        // Requests to the server would only fill the journal.
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
        notifyObservers(in: world, on: connection)
    }

    /// Records the refusal of bytes that are not HTTP, or of a request that took too long.
    func recordRefusal(_ refusal: TransportRefusal, on connection: Connection, in world: World) {
        record(.note("refused with \(refusal.status.code): \(refusal.message)"), on: connection, in: world)
    }

    /// The id of a created entity in an answer that a fault cut short; nil for a complete answer.
    private static func hidden(_ answer: Answer, _ shaped: Exchange.ShapedResponse?) -> ExactString? {
        guard let shaped, shaped.delivery != .complete else { return nil }
        return RecordedExchange.created(answer.status.code, answer.body)
    }

    // MARK: Sockets

    /// Records that a WebSocket opened; its 101 starts at an offset in the output.
    func recordOpening(_ exchange: Exchange, _ fields: HTTPFields, from start: Int) {
        let now = exchange.world.turn.now
        var opening = RecordedOpening(
            head: exchange.head, requestedAt: exchange.world.date(of: exchange.requestedAt ?? now),
            endpoint: exchange.endpoint,
            user: exchange.user, responseFields: .fields(fields), faults: exchange.faultNames)
        opening.answeredBy = exchange.answeredBy
        exchange.connection.record.opening = SocketOpening(
            time: now, path: exchange.head.target.path, endpoint: exchange.endpoint,
            user: exchange.user, consultation: exchange.destination.id)
        add(.opened(opening), from: start, on: exchange.connection, in: exchange.world)
    }

    /// Records a server message or ping, which starts at an offset in the output.
    func recordSent(
        _ payload: [UInt8], _ opcode: Opcode = .text, faults: [String] = [], from start: Int,
        on connection: Connection, in world: World
    ) {
        var frame = RecordedFrame(sender: .server, opcode: opcode, payload: payload, faults: faults)
        if !opcode.isControl { frame.compressedSize = connection.webSocket?.sentSize }
        connection.record.framesOut += 1
        guard connection.output.isHeld else { return record(frame, on: connection, in: world) }
        add(.frame(frame), from: start, on: connection, in: world)
    }

    /// Records messages that have passed faults; the messages' bytes start at an offset in the output.
    func recordSent(_ messages: [Outgoing.Message], from start: Int, on connection: Connection, in world: World) {
        for message in messages {
            if message.extent != .nothing { connection.record.framesOut += 1 }
            add(.frame(RecordedFrame(message)), from: start, on: connection, in: world)
        }
    }

    /// Records a client's frame, or the closing handshake.
    ///
    /// - Parameter faults: The breakpoint that holds the message, if any.
    func recordReceived(_ event: WebSocket.Event, on connection: Connection, in world: World, faults: [String] = []) {
        // Ignore frames after the end, because after a reset they would belong to the world's earlier state.
        guard connection.webSocketUse.isOfWorld, !connection.record.isClosed else { return }
        switch event {
        case .text(let text): recordReceived(RecordedFrame(text, .text, faults: faults), on: connection, in: world)
        case .binary(let bytes):
            recordReceived(RecordedFrame(bytes, .binary, faults: faults), on: connection, in: world)
        case .ping(let bytes): recordReceived(RecordedFrame(bytes, .ping), on: connection, in: world)
        case .pong(let bytes): recordReceived(RecordedFrame(bytes, .pong), on: connection, in: world)
        case .closing:
            let isTheirs = connection.webSocket?.closeSummary.initiator == .theyStarted
            recordEnd(of: connection, by: isTheirs ? .client : .server, .closeFrame)
        case .failed: break
        }
    }

    private func recordReceived(_ received: RecordedFrame, on connection: Connection, in world: World) {
        connection.record.framesIn += 1
        var frame = received
        if !frame.opcode.isControl { frame.compressedSize = connection.webSocket?.receivedSize }
        record(frame, on: connection, in: world)
    }

    /// Records the start of a lasting fault, which judges take into account from then on.
    func recordStart(of effect: RecordedFault.Effect, by rule: String, on connection: Connection, in world: World) {
        record(.fault(RecordedFault(name: rule, effect: effect)), on: connection, in: world)
    }

    /// Records the end of a WebSocket; ignores later calls.
    func recordEnd(of connection: Connection, by party: Party, _ cause: RecordedClosing.Cause, message: String? = nil) {
        guard let socket = connection.webSocket, connection.webSocketUse.isOfWorld, !connection.record.isClosed,
            let world = connection.world
        else { return }
        connection.record.isClosed = true
        // A socket whose handshake was lost has no end, because the socket never opened for the client.
        if recordAbandoned(connection, in: world) { return }
        let isShutdown = connection.record.isShutDown && socket.closeSummary.initiator != .theyStarted
        let (party, cause) = isShutdown ? (.server, .shutdown) : (party, cause)
        let faults = party == .server && cause != .shutdown ? connection.record.endingRule.map { [$0] } ?? [] : []
        let closing = RecordedClosing(
            by: party, cause: cause, summary: socket.closeSummary, message: message, faults: faults)
        record(.closed(closing), on: connection, in: world)
    }

    // MARK: Waiting entries

    /// Records waiting entries whose bytes have been released.
    func recordReleased(_ connection: Connection, in world: World) {
        while let entry = connection.record.waiting.first,
            entry.range.upperBound <= connection.output.releasedOffset
        {
            connection.record.waiting.removeFirst()
            record(entry.event(in: world), on: connection, in: world)
        }
    }

    /// Records all waiting entries as lost; returns true if one is the handshake, which means that no socket opened for
    /// the client.
    @discardableResult
    func recordAbandoned(_ connection: Connection, in world: World) -> Bool {
        recordReleased(connection, in: world)
        let messages = connection.socketFaults?.abandon() ?? []
        for entry in connection.record.waiting.takeAll() {
            record(entry.abandoned(at: connection.output.releasedOffset, in: world), on: connection, in: world)
            if case .opened = entry.event { return true }
        }
        recordSent(messages, from: connection.output.writtenOffset, on: connection, in: world)
        return false
    }

    /// Records an event whose bytes start at an offset, now or when faults release the last byte.
    private func add(_ event: JournalEvent, from start: Int, on connection: Connection, in world: World) {
        guard connection.output.isHeld else { return record(event, on: connection, in: world) }
        connection.record.waiting.append(
            WaitingEntry(
                event: event, range: start..<connection.output.writtenOffset, dateShift: world.turn.dateShift))
    }

    func record(_ event: JournalEvent, on connection: Connection, in world: World) {
        counts.count(event)
        world.journal.record(event, at: world.turn.date, connection: connection.number(in: world))
        notifyObservers(in: world, on: connection)
    }

    private func record(_ frame: RecordedFrame, on connection: Connection, in world: World) {
        counts.count(frame)
        world.journal.record(frame, at: world.turn.date, connection: connection.number(in: world))
        notifyObservers(in: world, on: connection)
    }

    /// Records a world's event, at a time on its clock.
    func record(_ event: JournalEvent, at time: Timestamp, in world: World) {
        counts.count(event)
        world.journal.record(event, at: world.date(of: time))
        notifyObservers(in: world)
    }

    /// Records that a manual clock moves from one time to another.
    func recordAdvance(of world: World, from start: Timestamp, to target: Timestamp) {
        let span = target.nanoseconds(since: start)
        if span > 0 { record(.clock(advancedBy: span), at: start, in: world) }
    }

    private func notifyObservers(in world: World, on connection: Connection? = nil) {
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

/// A connection's data for the journal, and its waiting entries.
struct ConnectionRecord {
    /// The entries that are waiting until faults release their bytes; empty if there are no faults.
    var waiting = Backlog<WaitingEntry>()
    /// Whether the journal contains the socket's end.
    var isClosed = false
    /// The rule that ended the socket, if any.
    var endingRule: String?
    /// Whether the server has closed the socket because it is stopping.
    var isShutDown = false
    /// The number of a world, and the connection's number in that world's journal.
    var number: (world: Int, number: UInt64)?
    /// The handshake of its WebSocket; nil for HTTP connections and the echo socket.
    var opening: SocketOpening?
    /// The number of frames that its WebSocket received, and the number that it sent, not counting close frames and
    /// answers to pings.
    var framesIn = 0, framesOut = 0
}

/// The handshake of an open WebSocket.
struct SocketOpening {
    /// The time of the handshake, by the world's clock.
    let time: Timestamp
    /// The path as received: percent-encoded, including the world's prefix but not the query.
    let path: String
    let endpoint: Endpoint?
    let user: ExactString?
    /// The consultation in the path; nil for a meal socket.
    let consultation: String?
}

/// A journal entry whose last byte a fault is holding.
struct WaitingEntry {
    /// The event: an exchange, an opening or a frame.
    let event: JournalEvent
    /// The offsets of its bytes in the connection's whole output; empty if a fault dropped them.
    let range: Range<Int>
    /// The shift of the world's date when the event happened, in nanoseconds.
    let dateShift: Int64

    /// The event with its times shifted to the current date, so that changes to the system's clock do not distort
    /// durations.
    func event(in world: World) -> JournalEvent {
        world.turn.dateShift == dateShift ? event : event.moved(byNanoseconds: world.turn.dateShift - dateShift)
    }

    /// The event, with only the bytes before an offset released.
    func abandoned(at offset: Int, in world: World) -> JournalEvent {
        let delivery: Delivery = offset > range.lowerBound ? .partial : .none
        switch event(in: world) {
        // An abandoned opening is an ordinary exchange for the client.
        case .exchange(var exchange), .opened(var exchange):
            exchange.abandon(delivery)
            return .exchange(exchange)
        case .frame(var frame):
            frame.delivery = delivery
            return .frame(frame)
        case .closed, .fault, .clock, .note, .held, .released:
            preconditionFailure("The event must have no bytes that could be held back.")
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

/// Counts of events since the server started, in all worlds, including deleted worlds.
struct ServerCounts {
    struct Request: Equatable {
        /// The operation; nil for unmatched requests.
        let endpoint: Endpoint?
        /// The first digit of the status; nil if there was no answer.
        let statusClass: Int?
    }

    struct Frame: Equatable {
        let sender: Party
        let opcode: Opcode
    }

    private(set) var requests = Tally<Request>()
    private(set) var frames = Tally<Frame>()
    /// The number of body bytes in the journals' entries.
    private(set) var requestBytes = 0, responseBytes = 0
    private(set) var socketsClosed = Tally<Party>()
    private(set) var entries = Tally<JournalEvent.Kind>()
    /// The entries affected by faults, by kind.
    private(set) var faulty = Tally<JournalEvent.Kind>()
    /// The number of transport refusals (``TransportRefusal``).
    var refusals = 0

    mutating func count(_ exchange: RecordedExchange, as kind: JournalEvent.Kind = .exchange) {
        let statusClass = kind == .opened ? 1 : exchange.status.map { $0 / 100 }
        requests.count(Request(endpoint: exchange.endpoint, statusClass: statusClass))
        requestBytes += exchange.body.byteCount
        responseBytes += exchange.responseBody.byteCount
        count(kind, isFaulty: !exchange.faults.isEmpty)
    }

    mutating func count(_ frame: RecordedFrame) {
        frames.count(Frame(sender: frame.sender, opcode: frame.opcode))
        count(.frame, isFaulty: !frame.faults.isEmpty)
    }

    mutating func count(_ event: JournalEvent) {
        switch event {
        case .exchange(let exchange), .opened(let exchange): count(exchange, as: event.kind)
        case .frame(let frame): count(frame)
        case .closed(let closing):
            socketsClosed.count(closing.party)
            count(.closed, isFaulty: !closing.faults.isEmpty)
        case .fault, .held: count(event.kind, isFaulty: true)
        case .clock, .note, .released: count(event.kind, isFaulty: false)
        }
    }

    private mutating func count(_ kind: JournalEvent.Kind, isFaulty: Bool) {
        entries.count(kind)
        if isFaulty { faulty.count(kind) }
    }
}

/// Counts occurrences of a few values; frequent values move to the front, so that searches find them first.
struct Tally<Thing: Equatable> {
    private(set) var counts: [(thing: Thing, count: Int)] = []

    mutating func count(_ thing: Thing) {
        var place = 0
        while place < counts.count, counts[place].thing != thing { place += 1 }
        if place == counts.count { counts.append((thing, 0)) }
        counts[place].count += 1
        if place > 0 { counts.swapAt(place, place - 1) }
    }
}
