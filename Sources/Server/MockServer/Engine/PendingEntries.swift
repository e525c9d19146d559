import Recording

/// Something for the journal of which a fault still holds back the last byte.
struct PendingEntry {
    /// What it is about.
    enum Subject {
        case exchange(RecordedExchange)
        case opening(RecordedOpening)
        case frame(RecordedFrame)
    }

    var subject: Subject
    /// Where its bytes stand among all that the connection ever wrote; empty where a fault lost it.
    let range: Range<Int>

    /// What is to be said of it where it will never be let go, and no byte after an offset was.
    func abandoned(at offset: Int) -> PendingEntry {
        let delivery: Delivery = offset > range.lowerBound ? .partial : .none
        var entry = self
        switch subject {
        case .exchange(var exchange):
            exchange.abandon(delivery)
            entry.subject = .exchange(exchange)
        case .opening(let opening):
            // To the client it was no opening.
            var exchange = RecordedExchange(
                head: opening.head, requestedAt: opening.requestedAt, endpoint: opening.endpoint, user: opening.user,
                status: 101, responseFields: opening.responseFields, faults: opening.faults)
            exchange.abandon(delivery)
            entry.subject = .exchange(exchange)
        case .frame(var frame):
            frame.delivery = delivery
            entry.subject = .frame(frame)
        }
        return entry
    }
}

/// The entries of one connection that wait for their last byte, in the order of their bytes.
struct PendingEntries {
    private var entries: [PendingEntry] = []
    /// How many of them were taken; they are taken out many at a time, or a long answer in single chunks took for ever.
    private var taken = 0

    var isEmpty: Bool { taken == entries.count }

    mutating func append(_ entry: PendingEntry) { entries.append(entry) }

    /// Takes out the next entry of which every byte stands before an offset.
    mutating func takeNext(before offset: Int) -> PendingEntry? {
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

    /// Takes out everything.
    mutating func takeAll() -> [PendingEntry] {
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
