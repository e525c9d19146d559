import Traffic

/// What the journal knows of a connection, and its pending entries.
struct ConnectionRecord {
    /// The entries that wait for faults to release their bytes; empty without faults.
    var waiting = WaitingEntries()
    /// Whether the journal has the end of the socket.
    var isClosed = false
    /// The rule that ends the socket, once it has acted.
    var endingRule: String?
    /// Whether the socket's client was notified that the server stops.
    var isShutDown = false
    /// The connection's number in the journal of a world, and that world's number.
    var number: (world: Int, number: UInt64)?
}

/// A journal entry whose last byte a fault still holds back.
struct WaitingEntry {
    /// An exchange, an opening or a frame.
    let event: JournalEvent
    /// The place of its bytes among all that the connection ever wrote; empty if a fault lost it.
    let range: Range<Int>

    /// The event if it is never released, and no byte after an offset was.
    func abandoned(at offset: Int) -> JournalEvent {
        let delivery: Delivery = offset > range.lowerBound ? .partial : .none
        switch event {
        case .exchange(var exchange):
            exchange.abandon(delivery)
            return .exchange(exchange)
        case .opened(let opening):
            // To the client it was not an opening.
            var exchange = RecordedExchange(
                head: opening.head, requestedAt: opening.requestedAt, endpoint: opening.endpoint, user: opening.user,
                status: 101, responseFields: opening.responseFields, faults: opening.faults)
            exchange.abandon(delivery)
            return .exchange(exchange)
        case .frame(var frame):
            frame.delivery = delivery
            return .frame(frame)
        case .closed, .fault, .clock, .note: preconditionFailure("It has no bytes that could be held back.")
        }
    }
}

/// The entries of one connection that wait for their last byte, in the order of their bytes.
struct WaitingEntries {
    private var entries: [WaitingEntry] = []
    /// How many were taken.
    ///
    /// They are removed in batches; otherwise an answer sent byte by byte would take quadratic time.
    private var taken = 0

    var isEmpty: Bool { taken == entries.count }

    mutating func append(_ entry: WaitingEntry) { entries.append(entry) }

    /// Takes the next entry whose bytes are all before an offset.
    mutating func takeNext(before offset: Int) -> WaitingEntry? {
        guard !isEmpty, entries[taken].range.upperBound <= offset else { return nil }
        defer {
            taken += 1
            if taken == entries.count {
                (entries, taken) = ([], 0)
            } else if taken > 1024, taken > entries.count / 2 {
                entries.removeFirst(taken)
                taken = 0
            }
        }
        return entries[taken]
    }

    mutating func takeAll() -> [WaitingEntry] {
        defer { (entries, taken) = ([], 0) }
        return Array(entries[taken...])
    }
}

extension RecordedExchange {
    fileprivate mutating func abandon(_ delivery: Delivery) {
        self.delivery = delivery
        if delivery == .none {
            status = nil
            responseBody = RecordedBody([])
        }
    }
}
