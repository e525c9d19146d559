import Sockets

/// A client's connection, and what goes with it.
final class ProxyPair {
    /// Its place in the host's table, which decides the tokens of both descriptors.
    let place: Int
    var relay: Relay
    let client: RelayTransport
    var upstream: UpstreamLink?
    /// When a byte last went in any direction.
    var lastActivity: MonotonicInstant
    /// When it was accepted.
    let openedAt: MonotonicInstant
    /// When the client last took a byte.
    var lastTaken: MonotonicInstant
    /// When the client's ending began.
    var endingSince: MonotonicInstant?
    /// Whether there may be something to do when the turn ends.
    var isTouched = false
    /// Whether it was taken out of the table.
    var isGone = false

    init(place: Int, relay: Relay, client: RelayTransport, now: MonotonicInstant) {
        self.place = place
        self.relay = relay
        self.client = client
        lastActivity = now
        lastTaken = now
        openedAt = now
    }

    static func clientToken(_ place: Int) -> UInt64 { UInt64(place) * 2 }
    static func upstreamToken(_ place: Int) -> UInt64 { UInt64(place) * 2 + 1 }

    /// When something has to happen by itself; nil for never.
    func deadline(_ limits: RelayLimits) -> MonotonicInstant? {
        if let endingSince {
            // Whoever is slow, or stands at a breakpoint, still gets the end of an answer: it is the last one.
            if relay.clientEnding == .close, client.isOpen, !client.isMute, !relay.toClient.isEmpty {
                return max(endingSince, lastTaken).advanced(by: max(limits.idleTime, limits.lingerTime))
            }
            return max(endingSince, lastTaken).advanced(by: limits.lingerTime)
        }
        if client.isShakingHands { return openedAt.advanced(by: limits.handshakeTime) }
        if let upstream, !upstream.isOpen { return upstream.attemptEndsAt }
        switch relay.phase {
        case .idle, .request: return lastActivity.advanced(by: limits.idleTime)
        case .answer: return lastActivity.advanced(by: limits.answerTime)
        case .tunnel, .ending: return nil
        }
    }
}
