import FitIQAPI
import Traffic
import WebSocket

/// How often what happened since the server started, in all its worlds, also those that were deleted.
struct ServerCounts {
    struct Request: Hashable {
        /// Nil for a request that fits no operation.
        let endpoint: Endpoint?
        /// The first digit of the status; nil if there was no answer.
        let statusClass: Int?
    }

    struct Frame: Hashable {
        let sender: Party
        let opcode: Opcode
    }

    private(set) var requests: [Request: Int] = [:]
    private(set) var frames: [Frame: Int] = [:]
    /// The bytes of bodies, as far as journals had them.
    private(set) var requestBytes = 0, responseBytes = 0
    private(set) var socketsClosed: [Party: Int] = [:]
    private(set) var entries: [JournalEvent.Kind: Int] = [:]
    /// The entries of each kind on which faults acted.
    private(set) var faulty: [JournalEvent.Kind: Int] = [:]
    /// What was refused because of its bytes, their number or their pace.
    var refusals = 0

    mutating func count(_ exchange: RecordedExchange, as kind: JournalEvent.Kind = .exchange) {
        let statusClass = kind == .opened ? 1 : exchange.status.map { $0 / 100 }
        requests[Request(endpoint: exchange.endpoint, statusClass: statusClass), default: 0] += 1
        requestBytes += exchange.body.byteCount
        responseBytes += exchange.responseBody.byteCount
        count(kind, isFaulty: !exchange.faults.isEmpty)
    }

    mutating func count(_ frame: RecordedFrame) {
        frames[Frame(sender: frame.sender, opcode: frame.opcode), default: 0] += 1
        count(.frame, isFaulty: !frame.faults.isEmpty)
    }

    mutating func count(_ event: JournalEvent) {
        switch event {
        case .exchange(let exchange), .opened(let exchange): count(exchange, as: event.kind)
        case .frame(let frame): count(frame)
        case .closed(let closing):
            socketsClosed[closing.party, default: 0] += 1
            count(.closed, isFaulty: !closing.faults.isEmpty)
        case .fault, .held: count(event.kind, isFaulty: true)
        case .clock, .note, .released: count(event.kind, isFaulty: false)
        }
    }

    private mutating func count(_ kind: JournalEvent.Kind, isFaulty: Bool) {
        entries[kind, default: 0] += 1
        if isFaulty { faulty[kind, default: 0] += 1 }
    }
}
