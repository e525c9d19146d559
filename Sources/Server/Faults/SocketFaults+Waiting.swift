extension SocketFaults {
    /// A message, and how it is coalesced.
    struct Waiting: Sendable {
        var draft: MessageDraft
        /// What a journal is told of it once it is sent.
        var message: Outgoing.Message
        /// The rule that has it wait for others, and how many there shall be.
        var coalescing: (rule: Int, count: Int)?
        /// Whether those that wait do not wait beyond it.
        var releases: Bool
    }

    /// Messages that wait to come in one frame.
    struct Batch: Sendable {
        let rule: Int
        var draft: MessageDraft
        var messages: [Outgoing.Message]
    }

    /// Sends a message, or has it wait with others; what it must not overtake goes first.
    mutating func pass(_ waiting: Waiting, into outgoing: inout Outgoing) {
        guard let coalescing = waiting.coalescing else {
            releaseBatch(into: &outgoing)
            outgoing.transmission.append(waiting.draft.encoded())
            outgoing.messages.append(waiting.message)
            return
        }
        if batch?.rule == coalescing.rule {
            batch?.draft.join(waiting.draft)
            batch?.messages.append(waiting.message)
        } else {
            releaseBatch(into: &outgoing)
            batch = Batch(rule: coalescing.rule, draft: waiting.draft, messages: [waiting.message])
        }
        if let batch,
            waiting.releases || batch.messages.count >= coalescing.count
                || batch.draft.text.count >= FaultLimits.waitingBytes
        {
            releaseBatch(into: &outgoing)
        }
    }

    mutating func releaseBatch(into outgoing: inout Outgoing) {
        guard let waiting = batch else { return }
        batch = nil
        outgoing.transmission.append(waiting.draft.encoded())
        outgoing.messages += waiting.messages
    }

    /// Gives up the message that waits to be swapped.
    mutating func loseSwapped(into outgoing: inout Outgoing) {
        if let waiting = swapped { outgoing.messages.append(waiting.message.lost()) }
        swapped = nil
    }

    /// The messages that still wait, which the client will never have: its connection is gone.
    public mutating func abandon() -> [Outgoing.Message] {
        let messages = (batch?.messages ?? []) + (swapped.map { [$0.message] } ?? [])
        (batch, swapped) = (nil, nil)
        return messages.map { $0.lost() }
    }
}
