extension JournalEntry {
    /// Returns the entry with bodies reduced to their beginnings, for keeping longer than the journal does.
    ///
    /// Truncated bodies say so, as in the journal.
    public func excerpt(bodies limit: Int) -> JournalEntry {
        let cut: JournalEvent
        switch event {
        case .exchange(let whole):
            guard whole.body.bytes.count > limit || whole.responseBody.bytes.count > limit else { return self }
            var exchange = whole
            exchange.body.cut(to: limit)
            exchange.responseBody.cut(to: limit)
            cut = .exchange(exchange)
        case .frame(let whole):
            guard whole.payload.bytes.count > limit else { return self }
            var frame = whole
            frame.payload.cut(to: limit)
            cut = .frame(frame)
        case .opened, .closed, .fault, .clock, .note: return self
        }
        return JournalEntry(
            number: number, time: time, connection: connection, event: cut, byteCount: min(byteCount, 2 * limit))
    }
}
