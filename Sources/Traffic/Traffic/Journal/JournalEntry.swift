import FitIQAPI

/// An event in a world, with its time.
public struct JournalEntry: Sendable {
    /// Its number, from 1, which it keeps when older entries are dropped.
    public let number: Int
    /// The time in the world's clock.
    public let time: Timestamp
    /// The number of its connection; 0 if it belongs to none.
    public let connection: UInt64
    public let event: JournalEvent
    /// Its share of the journal's bytes.
    public let byteCount: Int

    /// The placeholder for an empty position of the ring.
    static let vacant = JournalEntry(
        number: 0, time: Timestamp(nanosecondsSinceEpoch: 0), connection: 0,
        event: .clock(advancedBy: 0), byteCount: 0)
}

extension JournalEntry {
    /// Creates an entry outside any ``Journal``, from another program's recording.
    public init(number: Int, time: Timestamp, connection: UInt64, event: JournalEvent) {
        self.init(number: number, time: time, connection: connection, event: event, byteCount: event.byteCount)
    }
}

public enum JournalEvent: Sendable {
    /// A request was answered or abandoned.
    indirect case exchange(RecordedExchange)
    /// A WebSocket handshake was accepted.
    indirect case opened(RecordedOpening)
    case frame(RecordedFrame)
    indirect case closed(RecordedClosing)
    /// A fault started on an open WebSocket.
    case fault(RecordedFault)
    /// The manual clock was advanced by this many nanoseconds; or the system's clock was set, forward or back, and the
    /// world's date with it, while no time passed.
    case clock(advancedBy: Int64, isOfSystem: Bool = false)
    /// A notable event without its own form, such as an imported state or a request that was not HTTP.
    case note(String)
    indirect case held(RecordedHold)
    indirect case released(RecordedRelease)

    public enum Kind: String, Sendable, CaseIterable {
        case exchange
        case opened
        case frame
        case closed
        case fault
        case clock
        case note
        case held
        case released
    }

    public var kind: Kind {
        switch self {
        case .exchange: .exchange
        case .opened: .opened
        case .frame: .frame
        case .closed: .closed
        case .fault: .fault
        case .clock: .clock
        case .note: .note
        case .held: .held
        case .released: .released
        }
    }

    /// The request, or the handshake that was accepted; nil if the event has none of its own.
    public var request: RecordedExchange? {
        switch self {
        case .exchange(let exchange), .opened(let exchange): exchange
        default: nil
        }
    }

    /// The bytes of heads, bodies, frames, messages and subjects.
    ///
    /// Names of users and faults are short and shared, and so are not counted: the limit on entries bounds them.
    var byteCount: Int {
        switch self {
        case .exchange(let exchange), .opened(let exchange): exchange.byteCount
        case .frame(let frame): frame.payload.bytes.count
        case .closed(let closing):
            (closing.message?.utf8.count ?? 0) + (closing.summary.sent?.reason.utf8.count ?? 0)
                + (closing.summary.received?.reason.utf8.count ?? 0)
        case .note(let text): text.utf8.count
        case .held(let hold): hold.subject.utf8.count
        case .released(let release): release.payload?.bytes.count ?? 0
        case .fault, .clock: 0
        }
    }
}

extension JournalEvent {
    /// Returns the event with all its times moved.
    public func moved(byNanoseconds span: Int64) -> JournalEvent {
        // A foreign journal may hold any time.
        func move(_ time: inout Timestamp) { time.nanosecondsSinceEpoch &+= span }
        switch self {
        case .exchange(var exchange):
            move(&exchange.requestedAt)
            return .exchange(exchange)
        case .opened(var opening):
            move(&opening.requestedAt)
            return .opened(opening)
        case .held(var hold):
            move(&hold.until)
            return .held(hold)
        case .released(var release):
            move(&release.due)
            return .released(release)
        case .frame, .closed, .fault, .clock, .note: return self
        }
    }
}

extension JournalEntry {
    /// Returns the entry with all its times moved.
    public func moved(byNanoseconds span: Int64) -> JournalEntry {
        var time = time
        time.nanosecondsSinceEpoch &+= span
        return JournalEntry(
            number: number, time: time, connection: connection, event: event.moved(byNanoseconds: span),
            byteCount: byteCount)
    }

    /// Returns the entry with bodies reduced to their beginnings, for keeping longer than the journal does.
    ///
    /// Truncated bodies say so, as in the journal.
    public func excerpt(bodies limit: Int) -> JournalEntry {
        let cut: JournalEvent
        switch event {
        case .exchange(var exchange) where exchange.largestBody > limit:
            exchange.cut(to: limit)
            cut = .exchange(exchange)
        case .frame(var frame) where frame.payload.bytes.count > limit:
            frame.payload.cut(to: limit)
            cut = .frame(frame)
        case .released(var release) where release.payload?.bytes.count ?? 0 > limit:
            release.payload?.cut(to: limit)
            cut = .released(release)
        case .exchange, .opened, .frame, .closed, .fault, .clock, .note, .held, .released: return self
        }
        return JournalEntry(
            number: number, time: time, connection: connection, event: cut, byteCount: min(byteCount, 2 * limit))
    }
}
