extension Connection {
    /// Writes the pong that waits for room, if there is one and `output` has room now.
    ///
    /// `receive` does this first by itself. A shell calls it when its output has drained, so that a peer which only
    /// waits for its pong gets it. Source: RFC 6455 §5.5.3.
    public mutating func resumePongs(into output: inout [UInt8]) {
        guard let payload = waitingPong else { return }
        answerPing(payload, output: &output)
    }

    /// RFC 6455 §5.5.2: "Upon receipt of a Ping frame, an endpoint MUST send a Pong frame in response, unless it
    /// already received a Close frame." After our own close frame nothing more may be sent (§5.5.1), and whoever turns
    /// ``answersPings`` off wants the rule broken.
    mutating func answerPing(_ payload: [UInt8], output: inout [UInt8]) {
        guard state == .open else { return }
        guard answersPings else {
            waitingPong = nil
            return
        }
        guard output.count < max(limits.unsentBeforePongsWait, 1) else {
            waitingPong = payload
            return
        }
        waitingPong = nil
        write(.pong, payload, into: &output)
    }
}
