import FitIQAPI
import Hosting
import Sockets

final class ProxyPair {
    /// Its index in the host's table; twice that is the client's token in the loop, and the next one the upstream's.
    let place: Int
    let side: RelaySide
    let server: UpstreamServer
    /// Nil if the client is an engine.
    let client: SocketStream?
    var upstream: UpstreamLink?
    let openedAt: Timestamp
    var lastActivity: Timestamp
    var lastTaken: Timestamp
    var endingSince: Timestamp?
    /// The time of its entry in the host's deadlines that counts: the true deadline, or before it.
    var wakesAt: Timestamp?
    /// Whether there may be work at the end of the turn.
    var isTouched = false
    var isGone = false

    init(place: Int, _ side: RelaySide, _ server: UpstreamServer, client: SocketStream?, now: Timestamp) {
        (self.place, self.side, self.server, self.client) = (place, side, server, client)
        (openedAt, lastActivity, lastTaken) = (now, now, now)
    }

    var relay: Relay {
        _read { yield side.relay }
        _modify { yield &side.relay }
    }

    func deadline(_ limits: RelayLimits) -> Timestamp? {
        if let endingSince {
            // A slow client, or one at a breakpoint, still gets the end of its last answer.
            let isTaking =
                relay.clientEnding == .close && client?.isOpen == true && client?.isMute == false
                && !relay.toClient.isEmpty
            return max(endingSince, lastTaken).advanced(
                by: isTaking ? max(limits.idleTime, limits.lingerTime) : limits.lingerTime)
        }
        if client?.isShakingHands == true { return openedAt.advanced(by: limits.handshakeTime) }
        if let upstream, !upstream.isOpen { return upstream.attemptEndsAt }
        switch relay.phase {
        case .idle, .request: return lastActivity.advanced(by: limits.idleTime)
        case .answer: return lastActivity.advanced(by: limits.answerTime)
        case .tunnel, .ending: return nil
        }
    }
}

/// One connection to the upstream, from the first attempt on.
final class UpstreamLink {
    /// Its number in its relay, and its id in the recording.
    let number: Int
    let recordingID: UInt64
    /// The addresses not tried yet, in order.
    var addresses: ArraySlice<SocketAddress>
    /// The address and the socket being tried, or connected.
    var address: SocketAddress?
    var stream: SocketStream?
    /// Whether it waits for the upstream's addresses.
    var isLookingUp = false
    /// Whether the socket is connected; a TLS handshake may follow.
    var isConnected = false
    /// Whether the relay may send bytes and the recording has the connection.
    var isOpen = false
    /// When the present attempt times out, and when all do.
    var attemptEndsAt: Timestamp
    let endsAt: Timestamp
    var lastError: SocketError?
    var wasEndedByServer = false
    var wasReset = false
    /// The bytes of a request that may be sent again on another connection; not recorded yet.
    var held: [(bytes: [UInt8], time: Timestamp)] = []

    init(number: Int, recordingID: UInt64, addresses: [SocketAddress], endsAt: Timestamp) {
        (self.number, self.recordingID, self.addresses) = (number, recordingID, addresses[...])
        (attemptEndsAt, self.endsAt) = (endsAt, endsAt)
    }

    /// Records that the upstream ended the connection, unless we had before.
    func noteEnd(isReset: Bool) {
        if stream?.isShutDown == false { wasEndedByServer = true }
        wasReset = wasReset || isReset
    }
}

extension Timestamp {
    /// The time after a duration; saturating, so that a limit may be as long as one likes.
    func advanced(by duration: Duration) -> Timestamp {
        let sum = MonotonicInstant(nanoseconds: nanosecondsSinceEpoch).advanced(by: duration)
        return Timestamp(nanosecondsSinceEpoch: sum.nanoseconds)
    }
}
