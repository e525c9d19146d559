import FitIQAPI

/// Something that happened in a world, and when.
public struct JournalEntry: Sendable {
    /// Its number, from 1; it keeps it when older ones fall out.
    public let number: Int
    /// When it happened, in the world's time.
    public let time: Timestamp
    /// The number of the connection it happened on; 0 for what belongs to none.
    public let connection: UInt64
    /// What happened.
    public let event: JournalEvent
    /// What it counts for in the journal's bytes.
    let byteCount: Int

    /// What stands in a place of the ring that holds no entry.
    static let vacant = JournalEntry(
        number: 0, time: Timestamp(nanosecondsSinceEpoch: 0), connection: 0,
        event: .clock(advancedBy: 0), byteCount: 0)
}

/// What can happen in a world.
public enum JournalEvent: Sendable {
    /// A request was answered, or given up.
    case exchange(RecordedExchange)
    /// A WebSocket's handshake was accepted.
    case opened(RecordedOpening)
    /// A message or control frame went over a WebSocket.
    case frame(RecordedFrame)
    /// A WebSocket ended.
    case closed(RecordedClosing)
    /// A fault set in on an open WebSocket.
    case fault(RecordedFault)
    /// The manual clock was moved by so many nanoseconds.
    case clock(advancedBy: Int64)
    /// Something worth knowing that has no form of its own: a state was imported, a request was no HTTP.
    case note(String)

    /// What kind of event it is.
    public enum Kind: String, Sendable, CaseIterable {
        /// A request and its response.
        case exchange
        /// A WebSocket that was opened.
        case opened
        /// A frame.
        case frame
        /// A WebSocket that ended.
        case closed
        /// A fault that set in.
        case fault
        /// A move of the clock.
        case clock
        /// A note.
        case note
    }

    /// What kind of event it is.
    public var kind: Kind {
        switch self {
        case .exchange: .exchange
        case .opened: .opened
        case .frame: .frame
        case .closed: .closed
        case .fault: .fault
        case .clock: .clock
        case .note: .note
        }
    }

    /// The bytes of heads, bodies, frames and texts.
    ///
    /// Names of users and faults are short and shared, and not counted: the limit on entries bounds them.
    var byteCount: Int {
        switch self {
        case .exchange(let exchange):
            exchange.head.byteCount + exchange.body.bytes.count + exchange.responseFields.byteCount
                + exchange.responseBody.bytes.count
        case .opened(let opening): opening.head.byteCount + opening.responseFields.byteCount
        case .frame(let frame): frame.payload.bytes.count
        case .closed(let closing):
            (closing.message?.utf8.count ?? 0) + (closing.summary.sent?.reason.utf8.count ?? 0)
                + (closing.summary.received?.reason.utf8.count ?? 0)
        case .note(let text): text.utf8.count
        case .fault, .clock: 0
        }
    }

    /// The bytes of the largest body, which is what a limit is held against.
    var largestBody: Int {
        switch self {
        case .exchange(let exchange): max(exchange.body.bytes.count, exchange.responseBody.bytes.count)
        case .frame(let frame): frame.payload.bytes.count
        case .opened, .closed, .fault, .clock, .note: 0
        }
    }

    /// The event with no body longer than the limit.
    func cutting(to limit: Int) -> JournalEvent {
        switch self {
        case .exchange(var exchange):
            exchange.body.cut(to: limit)
            exchange.responseBody.cut(to: limit)
            return .exchange(exchange)
        case .frame(var frame):
            frame.payload.cut(to: limit)
            return .frame(frame)
        case .opened, .closed, .fault, .clock, .note: return self
        }
    }
}
