import WebSocket

/// WebSockets in both roles, with compression and without: splitting the bytes does not change their meaning, and
/// received messages can be sent again.
enum WebSocketTarget {
    /// More than inputs have, but not so much that each is slow: the target inflates a message four times.
    private static let limits = Limits(message: 256 * 1024)

    static func run(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return }
        let role: Role = first & 1 == 0 ? .server : .client
        var terms: CompressionTerms?
        if first & 2 != 0 {
            var agreed = CompressionTerms()
            agreed.serverNoContextTakeover = first & 4 != 0
            agreed.clientNoContextTakeover = first & 8 != 0
            if first & 16 != 0 { (agreed.serverMaxWindowBits, agreed.clientMaxWindowBits) = (9, 9) }
            terms = agreed
        }
        let outcomes = splits(Array(bytes.dropFirst())).map { outcome(of: $0, role, terms) }
        require(outcomes[1], is: outcomes[0], "in single bytes, \(role)")
        require(outcomes[2], is: outcomes[0], "in pieces, \(role)")
        sendAgain(outcomes[0].events, from: role, terms)
    }

    private struct Outcome: Equatable {
        var events: [Event] = []
        var output: [UInt8] = []
        var state = Connection.State.open
    }

    private static func outcome(of pieces: [ArraySlice<UInt8>], _ role: Role, _ terms: CompressionTerms?) -> Outcome {
        var connection = Connection(role: role, limits: limits, compression: terms)
        var outcome = Outcome()
        for piece in pieces { connection.receive(Array(piece), events: &outcome.events, output: &outcome.output) }
        outcome.state = connection.state
        return outcome
    }

    /// One side receives the messages and pings that the other side sends.
    private static func sendAgain(_ events: [Event], from role: Role, _ terms: CompressionTerms?) {
        let peer: Role = role == .server ? .client : .server
        var sender = Connection(role: role, limits: limits, maskSeed: 7, compression: terms)
        var receiver = Connection(role: peer, limits: limits, compression: terms)
        var bytes: [UInt8] = []
        let sent = events.filter { event in
            switch event {
            case .text(let text): sender.send(text: text, into: &bytes)
            case .binary(let data): sender.send(binary: data, into: &bytes)
            case .ping(let payload): sender.ping(payload, into: &bytes)
            case .pong, .closing, .failed: false
            }
        }
        var received: [Event] = []
        var output: [UInt8] = []
        receiver.receive(bytes, events: &received, output: &output)
        require(received, is: sent, "sent by the \(role)")
    }
}
