import FitIQAPI
import Traffic
import WebSocket

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
