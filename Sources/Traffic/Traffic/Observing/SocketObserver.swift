import FitIQAPI
import WebSocket

/// Observes both directions of one WebSocket.
///
/// Each direction has a codec in the role of its receiver, whose output, including pongs, is discarded because the real
/// frames are on the wire. A protocol violation ends the observation of its direction only.
struct SocketObserver: Sendable {
    private let limits: ConnectionObserver.Limits
    private var toServer: WebSocket.Connection
    private var toClient: WebSocket.Connection
    /// The side that sent the first close frame.
    private var closedFirst: Party?
    /// Whether both close frames were seen.
    private(set) var isClosed = false
    private var isReadable = true
    private var events: [WebSocket.Event] = []
    private var unsent: [UInt8] = []

    init(limits: ConnectionObserver.Limits, compression: CompressionTerms? = nil) {
        self.limits = limits
        let socketLimits = WebSocket.Limits(message: limits.message)
        toServer = WebSocket.Connection(role: .server, limits: socketLimits, compression: compression)
        toClient = WebSocket.Connection(role: .client, limits: socketLimits, compression: compression)
        toServer.answersPings = false
        toClient.answersPings = false
    }

    var heldByteCount: Int { toServer.bufferedByteCount + toClient.bufferedByteCount }

    /// Stops reading; the connection's end is still reported.
    mutating func stopReading() { isReadable = false }

    /// How it ended, if the connection is gone for that cause or the close frames were exchanged.
    func ending(at time: Timestamp, by party: Party, cause: SessionEnding.Cause) -> SessionEnding {
        SessionEnding(time: time, party: closedFirst ?? party, cause: closedFirst == nil ? cause : .closeFrame)
    }

    mutating func receive(
        _ bytes: UnsafeRawBufferPointer, from party: Party, at time: Timestamp, into observations: inout [Observation]
    ) {
        guard isReadable, !bytes.isEmpty else { return }
        var rest = bytes
        // One event at a time: the codec knows the size on the wire of the latest message only.
        while !rest.isEmpty {
            let count =
                switch party {
                case .client: toServer.receiveUntilEvent(rest, events: &events, output: &unsent)
                case .server: toClient.receiveUntilEvent(rest, events: &events, output: &unsent)
                }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            unsent.removeAll(keepingCapacity: true)
            let size = party == .client ? toServer.receivedSize : toClient.receivedSize
            for event in events { observations.append(observation(of: event, size, from: party, at: time)) }
            events.removeAll(keepingCapacity: true)
        }
    }

    private mutating func observation(
        of event: WebSocket.Event, _ compressedSize: Int?, from party: Party, at time: Timestamp
    ) -> Observation {
        let (opcode, bytes): (Opcode, [UInt8])
        switch event {
        case .text(let payload): (opcode, bytes) = (.text, payload)
        case .binary(let payload): (opcode, bytes) = (.binary, payload)
        case .ping(let payload): (opcode, bytes) = (.ping, payload)
        case .pong(let payload): (opcode, bytes) = (.pong, payload)
        case .closing(let code, let reason):
            isClosed = closedFirst != nil && closedFirst != party
            closedFirst = closedFirst ?? party
            let payload = code.map { [UInt8($0.rawValue >> 8), UInt8($0.rawValue & 0xFF)] + Array(reason.utf8) }
            (opcode, bytes) = (.close, payload ?? [])
        case .failed(_, let message): return .note(Messages.badFrame(message, from: party))
        }
        var frame = SessionFrame(sender: party, time: time, opcode: opcode, payload: RecordedBody(bytes))
        frame.payload.cut(to: limits.body)
        if !opcode.isControl { frame.compressedSize = compressedSize }
        return .frame(frame)
    }
}
