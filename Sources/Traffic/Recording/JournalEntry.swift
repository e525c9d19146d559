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
    public let byteCount: Int

    init(number: Int, time: Timestamp, connection: UInt64, event: JournalEvent, byteCount: Int) {
        self.number = number
        self.time = time
        self.connection = connection
        self.event = event
        self.byteCount = byteCount
    }

    /// Describes what happened outside of any ``Journal``, as a record from elsewhere tells it.
    public init(number: Int, time: Timestamp, connection: UInt64, event: JournalEvent) {
        self.init(number: number, time: time, connection: connection, event: event, byteCount: 0)
    }

    /// What stands in a place of the ring that holds no entry.
    static let vacant = JournalEntry(
        number: 0, time: Timestamp(nanosecondsSinceEpoch: 0), connection: 0,
        event: .clock(advancedBy: 0), byteCount: 0)
}

/// What can happen in a world.
public enum JournalEvent: Sendable {
    /// A request was answered, or given up.
    indirect case exchange(RecordedExchange)
    /// A WebSocket's handshake was accepted.
    indirect case opened(RecordedOpening)
    /// A message or control frame went over a WebSocket.
    case frame(RecordedFrame)
    /// A WebSocket ended.
    indirect case closed(RecordedClosing)
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

    /// The bytes of an event that has no body; exchanges and frames count theirs themselves.
    ///
    /// Names of users and faults are short and shared, and not counted: the limit on entries bounds them.
    var byteCountOfTexts: Int {
        switch self {
        case .opened(let opening): opening.head.byteCount + opening.responseFields.byteCount
        case .closed(let closing):
            (closing.message?.utf8.count ?? 0) + (closing.summary.sent?.reason.utf8.count ?? 0)
                + (closing.summary.received?.reason.utf8.count ?? 0)
        case .note(let text): text.utf8.count
        case .exchange, .frame, .fault, .clock: 0
        }
    }
}
