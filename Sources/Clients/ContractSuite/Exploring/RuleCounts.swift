import Faults
import FitIQAPI
import JSON
import Scenarios
import Traffic

/// Counts a journal's requests, handshakes, frames and questions in the same way as fault rules do.
struct RuleCounts {
    /// The places of requests and handshakes, by the numbers of their entries.
    private var arrivals: [Int: FaultPoint.Place] = [:]
    private(set) var sockets: [UInt64: Socket] = [:]
    /// The number of questions in each consultation.
    private(set) var turns: [ExactString: Int] = [:]

    struct Socket {
        let endpoint: Endpoint
        let handshake: FaultPoint.Place
        /// The gap after the server's last frame.
        fileprivate(set) var last: FaultPoint.Place?
        fileprivate let consultation: ExactString
        fileprivate var counts = MessageCounts()
        fileprivate var types: [String: Int] = [:]  // A few names that the server chooses.

        /// The place of the server's next frame if it has this type and continues the current answer.
        func next(_ type: String) -> FaultPoint.Place {
            isChunk(type)
                ? .chunk(endpoint, connection: handshake.number, answer: counts.answer, counts.chunk + 1)
                : .frame(endpoint, connection: handshake.number, type: type, types[type, default: 0] + 1)
        }
    }

    /// Numbers requests and handshakes in order of arrival, because a journal records them in order of response.
    init(_ entries: some Sequence<JournalEntry>) {
        let requests = entries.compactMap { entry in entry.event.counted.map { (exchange: $0, entry: entry.number) } }
        var numbers: [Endpoint: Int] = [:]
        for request in requests.sorted(by: { ($0.exchange.requestedAt, $0.entry) < ($1.exchange.requestedAt, $1.entry) }
        ) {
            guard let endpoint = request.exchange.endpoint else { continue }
            let number = numbers[endpoint, default: 0] + 1
            numbers[endpoint] = number
            arrivals[request.entry] = endpoint.isSocket ? .handshake(endpoint, number) : .request(endpoint, number)
        }
    }

    /// Counts an entry.
    ///
    /// Returns the place of a request, handshake, question or server frame, or nil for other entries.
    ///
    /// Entries must be passed in order.
    mutating func place(of entry: JournalEntry) -> FaultPoint.Place? {
        switch entry.event {
        case .exchange: return arrivals[entry.number]
        case .opened(let opening):
            guard let handshake = arrivals[entry.number], let endpoint = handshake.endpoint else { return nil }
            sockets[entry.connection] = Socket(
                endpoint: endpoint, handshake: handshake, consultation: ExactString(opening.head.target.path))
            return handshake
        case .frame(let frame): return place(of: frame, on: entry.connection)
        case .closed, .fault, .clock, .note, .held, .released: return nil
        }
    }

    private mutating func place(of frame: RecordedFrame, on connection: UInt64) -> FaultPoint.Place? {
        guard frame.opcode == .text, let type = SocketFaults.type(ofMessage: frame.payload.bytes),
            var socket = sockets[connection]
        else { return nil }
        guard frame.sender == .server else {
            guard type == "message" || type == "user_message" else { return nil }
            turns[socket.consultation, default: 0] += 1
            return turns[socket.consultation].map { .question(turn: $0) }
        }
        // Rules do not support other types.
        guard SocketPoint.types.contains(type) else { return nil }
        socket.counts.count(frame.payload.bytes)
        let number = socket.types[type, default: 0] + 1
        socket.types[type] = number
        let opened = socket.handshake.number
        socket.last = .after(socket.endpoint, connection: opened, type: type, number)
        sockets[connection] = socket
        return isChunk(type)
            ? .chunk(socket.endpoint, connection: opened, answer: socket.counts.answer, socket.counts.chunk)
            : .frame(socket.endpoint, connection: opened, type: type, number)
    }
}

private func isChunk(_ type: String) -> Bool { type == "stream_chunk" || type == "assistant_message_chunk" }

extension JournalEvent {
    /// The request or handshake, if rules count it.
    fileprivate var counted: RecordedExchange? {
        guard case .exchange(let exchange) = self else { return request }
        // Rules count attempts to open a socket.
        let wantsUpgrade = exchange.endpoint?.isSocket != true || exchange.head.wantsUpgrade
        return exchange.unmatched == nil && wantsUpgrade ? exchange : nil
    }
}
