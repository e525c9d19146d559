extension SocketFaults {
    /// A message, and how it is coalesced.
    struct Waiting: Sendable {
        var draft: MessageDraft
        /// The rule that has it wait for others, and how many there shall be.
        var coalescing: (rule: Int, count: Int)?
        /// Whether those that wait do not wait beyond it.
        var releases: Bool
    }

    /// Messages that wait to come in one frame.
    struct Batch: Sendable {
        let rule: Int
        var draft: MessageDraft
        var count: Int
    }

    /// Sends a message, or has it wait with others; what it must not overtake goes first.
    mutating func pass(_ message: Waiting, into out: inout Transmission) {
        guard let coalescing = message.coalescing else {
            releaseBatch(into: &out)
            out.append(message.draft.encoded())
            return
        }
        if batch?.rule == coalescing.rule {
            batch?.draft.join(message.draft)
            batch?.count += 1
        } else {
            releaseBatch(into: &out)
            batch = Batch(rule: coalescing.rule, draft: message.draft, count: 1)
        }
        if let batch,
            message.releases || batch.count >= coalescing.count || batch.draft.text.count >= FaultLimits.waitingBytes
        {
            releaseBatch(into: &out)
        }
    }

    mutating func releaseBatch(into out: inout Transmission) {
        guard let waiting = batch else { return }
        batch = nil
        out.append(waiting.draft.encoded())
    }
}
