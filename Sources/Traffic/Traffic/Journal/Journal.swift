import FitIQAPI

/// A world's events, oldest first, within limits.
///
/// Entries refer to heads, bodies and frames; text is created only when an entry is read.
public struct Journal: Sendable {
    public struct Limits: Sendable, Equatable {
        /// The maximum number of entries.
        ///
        /// Beyond the limit, the oldest entries are dropped.
        public var entries = 10_000
        /// The maximum total size of heads, bodies, frames and notes in bytes.
        ///
        /// Beyond the limit, the oldest entries are dropped.
        ///
        /// Shared arrays count at their full size.
        public var bytes = 32 * 1024 * 1024
        /// The maximum size of a body or frame in bytes.
        ///
        /// Longer bodies and frames are truncated, and marked as truncated.
        public var body = 64 * 1024

        public init() {}
    }

    public let limits: Limits
    /// The number of the newest entry ever recorded; 0 before the first.
    public private(set) var lastNumber = 0
    /// The number of entries dropped because of a limit.
    public private(set) var droppedCount = 0
    /// The bytes of heads, bodies, frames and notes in the entries.
    public private(set) var byteCount = 0
    /// The bytes of all entries, including dropped entries.
    private var addedByteCount = 0
    private var ring: EntryRing

    /// Creates an empty journal, which allocates no memory before the first event.
    ///
    /// - Precondition: There is room for one entry, and no limit is negative.
    public init(limits: Limits = Limits()) {
        precondition(limits.entries > 0 && limits.bytes >= 0 && limits.body >= 0, "a journal must hold an entry")
        self.limits = limits
        ring = EntryRing(capacity: limits.entries)
    }

    public var count: Int { ring.count }

    /// The number of the oldest entry, or ``lastNumber`` plus one if the journal is empty.
    public var firstNumber: Int { lastNumber - ring.count + 1 }

    /// Records an event, dropping the oldest entries to make room.
    ///
    /// An entry larger than the byte limit displaces all the others, and is then dropped too.
    ///
    /// - Parameter connection: A number that is unique in the journal's lifetime, or 0 if the event belongs to no
    ///   connection.
    public mutating func record(_ event: consuming JournalEvent, at time: Timestamp, connection: UInt64 = 0) {
        switch consume event {
        case .exchange(let exchange): record(exchange, at: time, connection: connection)
        case .frame(let frame): record(frame, at: time, connection: connection)
        case .released(var release):
            release.payload?.cut(to: limits.body)
            let size = release.payload?.bytes.count ?? 0
            add(.released(release), byteCount: size, at: time, connection: connection)
        case let other: add(other, byteCount: other.byteCount, at: time, connection: connection)
        }
    }

    /// Records an exchange without copying it out of an event, because this happens for every request.
    public mutating func record(_ exchange: consuming RecordedExchange, at time: Timestamp, connection: UInt64) {
        if exchange.largestBody > limits.body { exchange.cut(to: limits.body) }
        let byteCount = exchange.byteCount
        add(.exchange(consume exchange), byteCount: byteCount, at: time, connection: connection)
    }

    /// Records a frame without copying it out of an event.
    public mutating func record(_ frame: consuming RecordedFrame, at time: Timestamp, connection: UInt64) {
        frame.payload.cut(to: limits.body)
        let byteCount = frame.payload.bytes.count
        add(.frame(consume frame), byteCount: byteCount, at: time, connection: connection)
    }

    @inline(__always)
    private mutating func add(
        _ event: consuming JournalEvent, byteCount size: Int, at time: Timestamp, connection: UInt64
    ) {
        lastNumber += 1
        byteCount += size
        addedByteCount += size
        let entry = JournalEntry(
            number: lastNumber, time: time, connection: connection, event: consume event, byteCount: size)
        if ring.isFull {
            byteCount -= ring.firstByteCount
            droppedCount += 1
            ring.replaceFirst(with: consume entry)
        } else {
            ring.append(consume entry)
        }
        while byteCount > limits.bytes {
            byteCount -= ring.firstByteCount
            droppedCount += 1
            ring.removeFirst()
        }
    }

    /// Removes all entries.
    ///
    /// The numbering continues, so that followers keep their position.
    public mutating func removeAll() {
        ring = EntryRing(capacity: limits.entries)
        byteCount = 0
    }

    /// The weight of an entry without its content: an upper bound on the memory it takes, in bytes.
    static let entryWeight = 256

    /// The journal's share of a common limit: its bytes plus ``entryWeight`` for each entry.
    public var weight: Int { byteCount + Self.entryWeight * ring.count }

    public var droppedWeight: Int { addedByteCount - byteCount + Self.entryWeight * (lastNumber - ring.count) }

    /// Drops the oldest entries until the journal's ``weight`` is at most this value, and frees their storage.
    public mutating func dropOldest(downTo limit: Int) {
        var kept = weight
        var skipped = 0
        while kept > limit, skipped < ring.count {
            kept -= ring[skipped].byteCount + Self.entryWeight
            byteCount -= ring[skipped].byteCount
            skipped += 1
        }
        droppedCount += skipped
        ring.dropFirst(skipped)
    }

    /// Returns the entries after the entry with this number, oldest first.
    ///
    /// Any number is allowed.
    ///
    /// This takes constant time, so a follower can pass the last number that it has seen. The entries share the
    /// journal's storage, so release them before the next ``record(_:at:connection:)``, which otherwise copies the
    /// storage.
    public func entries(after number: Int = 0) -> Entries {
        let skipped = min(max(number, firstNumber - 1) - (firstNumber - 1), ring.count)
        return Entries(ring: ring, indices: skipped..<ring.count)
    }

    /// The entry recorded last, or nil if there is none or it has been dropped.
    public var newest: JournalEntry? { ring.count == 0 ? nil : ring[ring.count - 1] }

    public var noEntries: Entries { entries(after: lastNumber) }

    /// The number of dropped entries that a follower at the given number has missed.
    public func missedCount(after number: Int) -> Int { max(0, firstNumber - 1 - max(number, 0)) }

    /// Entries of a journal, oldest first.
    ///
    /// Indices count from the journal's first entry.
    public struct Entries: RandomAccessCollection, Sendable {
        fileprivate let ring: EntryRing
        public let indices: Range<Int>

        public var startIndex: Int { indices.lowerBound }
        public var endIndex: Int { indices.upperBound }

        public subscript(position: Int) -> JournalEntry {
            precondition(indices.contains(position), "no such entry")
            return ring[position]
        }
    }
}

/// A ring buffer of entries.
///
/// The buffer starts without storage, so an idle world costs nothing. The buffer grows by doubling, up to its capacity.
struct EntryRing: Sendable {
    let capacity: Int
    private(set) var count = 0
    private var places: [JournalEntry] = []
    /// The position of the oldest entry.
    private var start = 0

    init(capacity: Int) {
        precondition(capacity > 0, "a ring must have room for at least one entry")
        self.capacity = capacity
    }

    subscript(offset: Int) -> JournalEntry {
        precondition(offset >= 0 && offset < count, "no such entry")
        return places[place(offset)]
    }

    var isFull: Bool { count == capacity }
    var firstByteCount: Int { places[start].byteCount }

    @inline(__always)
    mutating func append(_ entry: consuming JournalEntry) {
        precondition(!isFull, "the ring is full")
        if count == places.count { grow() }
        places[place(count)] = consume entry
        count += 1
    }

    @inline(__always)
    mutating func replaceFirst(with entry: consuming JournalEntry) {
        precondition(isFull, "the ring is not full")
        places[start] = consume entry
        start = start + 1 == places.count ? 0 : start + 1
    }

    mutating func removeFirst() {
        precondition(count > 0, "the ring is empty")
        // Release the entry's contents now rather than when the position is reused.
        places[start] = .vacant
        start = start + 1 == places.count ? 0 : start + 1
        count -= 1
    }

    /// Removes the oldest entries and frees unneeded storage.
    mutating func dropFirst(_ dropped: Int) {
        precondition(dropped >= 0 && dropped <= count, "the journal must have that many entries")
        var rest = EntryRing(capacity: capacity)
        for offset in dropped..<count { rest.append(self[offset]) }
        self = rest
    }

    private func place(_ offset: Int) -> Int {
        let place = start + offset
        return place < places.count ? place : place - places.count
    }

    private mutating func grow() {
        let size = min(capacity, max(16, 2 * places.count))
        var grown: [JournalEntry] = []
        grown.reserveCapacity(size)
        for offset in 0..<count { grown.append(places[place(offset)]) }
        for _ in count..<size { grown.append(.vacant) }
        (places, start) = (grown, 0)
    }
}

/// An event in a world, with its time.
public struct JournalEntry: Sendable {
    /// The number, from 1.
    ///
    /// The number stays the same when older entries are dropped.
    public let number: Int
    /// The time on the world's clock.
    public let time: Timestamp
    /// The number of the connection, or 0 if the event belongs to none.
    public let connection: UInt64
    public let event: JournalEvent
    /// The entry's size for the journal's limit, in bytes.
    public let byteCount: Int

    /// The placeholder for an empty position of the ring.
    static let vacant = JournalEntry(
        number: 0, time: Timestamp(nanosecondsSinceEpoch: 0), connection: 0, event: .clock(advancedBy: 0), byteCount: 0)
}

extension JournalEntry {
    /// Creates an entry without a ``Journal``, for a recording made by another program.
    public init(number: Int, time: Timestamp, connection: UInt64, event: JournalEvent) {
        self.init(number: number, time: time, connection: connection, event: event, byteCount: event.byteCount)
    }
}

public enum JournalEvent: Sendable {
    /// The server answered a request, or the client abandoned it.
    indirect case exchange(RecordedExchange)
    /// The server accepted a WebSocket handshake.
    indirect case opened(RecordedOpening)
    case frame(RecordedFrame)
    indirect case closed(RecordedClosing)
    /// A fault started on an open WebSocket.
    case fault(RecordedFault)
    /// The manual clock was advanced, or the system's clock was moved, by this many nanoseconds.
    ///
    /// Setting the system's clock moves the world's date forwards or backwards without any time passing.
    case clock(advancedBy: Int64, isOfSystem: Bool = false)
    /// Another notable event, such as an imported state or a request that was not HTTP.
    case note(String)
    indirect case held(RecordedHold)
    indirect case released(RecordedRelease)

    public enum Kind: String, Sendable, CaseIterable {
        case exchange, opened, frame, closed, fault, clock, note, held, released
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

    /// The request or the accepted handshake, or nil for other events.
    public var request: RecordedExchange? {
        switch self {
        case .exchange(let exchange), .opened(let exchange): exchange
        default: nil
        }
    }

    /// The total size of heads, bodies, frames, messages and subjects in bytes.
    ///
    /// The names of users and faults do not count, because they are short and shared.
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

    public func moved(byNanoseconds span: Int64) -> JournalEvent {
        // Wrap around on overflow, because a journal from another source may contain any time.
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
    /// Returns the entry with the duration added to all its times.
    public func moved(byNanoseconds span: Int64) -> JournalEntry {
        var time = time
        time.nanosecondsSinceEpoch &+= span
        return JournalEntry(
            number: number, time: time, connection: connection, event: event.moved(byNanoseconds: span),
            byteCount: byteCount)
    }

    /// Returns the entry with truncated bodies, so that it can be stored for longer than the journal keeps it.
    ///
    /// Truncated bodies are marked, as in the journal.
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
