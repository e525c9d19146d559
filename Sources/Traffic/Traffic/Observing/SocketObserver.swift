import FitIQAPI
import WebSocket

/// Observes both directions of one WebSocket.
///
/// Each direction has a codec in the role of its receiver, whose output, including pongs, is discarded because the real
/// frames are on the wire. A protocol violation ends the observation of its direction only.
struct SocketObserver: Sendable {
    private let limits: ConnectionObserver.Limits
    /// Reads what the client sends.
    private var toServer: WebSocket.Connection
    /// Reads what the server sends.
    private var toClient: WebSocket.Connection
    /// The side that sent the first close frame.
    private var closedFirst: Party?
    /// Whether both close frames were seen.
    private(set) var isClosed = false
    private var isReadable = true
    private var events: [WebSocket.Event] = []
    private var unsent: [UInt8] = []

    init(limits: ConnectionObserver.Limits) {
        self.limits = limits
        let socketLimits = WebSocket.Limits(message: limits.message)
        toServer = WebSocket.Connection(role: .server, limits: socketLimits)
        toClient = WebSocket.Connection(role: .client, limits: socketLimits)
        toServer.answersPings = false
        toClient.answersPings = false
    }

    var heldByteCount: Int { toServer.bufferedByteCount + toClient.bufferedByteCount }

    /// Stops reading; the connection's end is still reported.
    mutating func stopReading() { isReadable = false }

    /// How it ended, if the connection is gone for that cause or the close frames were exchanged.
    func ending(at time: Timestamp, by party: Party, cause: SessionEnding.Cause) -> SessionEnding {
        if let closedFirst { return SessionEnding(time: time, party: closedFirst, cause: .closeFrame) }
        return SessionEnding(time: time, party: party, cause: cause)
    }

    mutating func receive(
        _ bytes: UnsafeRawBufferPointer, from party: Party, at time: Timestamp,
        into observations: inout [Observation]
    ) {
        guard isReadable, !bytes.isEmpty else { return }
        switch party {
        case .client: toServer.receive(bytes, events: &events, output: &unsent)
        case .server: toClient.receive(bytes, events: &events, output: &unsent)
        }
        unsent.removeAll(keepingCapacity: true)
        for event in events { tell(event, from: party, at: time, into: &observations) }
        events.removeAll(keepingCapacity: true)
    }

    private mutating func tell(
        _ event: WebSocket.Event, from party: Party, at time: Timestamp, into observations: inout [Observation]
    ) {
        switch event {
        case .text(let bytes): tell(.text, bytes, from: party, at: time, into: &observations)
        case .binary(let bytes): tell(.binary, bytes, from: party, at: time, into: &observations)
        case .ping(let bytes): tell(.ping, bytes, from: party, at: time, into: &observations)
        case .pong(let bytes): tell(.pong, bytes, from: party, at: time, into: &observations)
        case .closing(let code, let reason):
            isClosed = closedFirst != nil && closedFirst != party
            closedFirst = closedFirst ?? party
            var payload: [UInt8] = []
            if let code { payload = [UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xFF)] + Array(reason.utf8) }
            tell(.close, payload, from: party, at: time, into: &observations)
        case .failed(_, let message): observations.append(.note(Messages.badFrame(message, from: party)))
        }
    }

    private func tell(
        _ opcode: Opcode, _ bytes: [UInt8], from party: Party, at time: Timestamp,
        into observations: inout [Observation]
    ) {
        let payload = SessionBody(bytes, keeping: limits.body)
        observations.append(.frame(SessionFrame(sender: party, time: time, opcode: opcode, payload: payload)))
    }
}
