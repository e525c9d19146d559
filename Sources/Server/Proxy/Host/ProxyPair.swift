import FitIQAPI
import Sockets

/// A client's connection and its state.
final class ProxyPair {
    /// Its index in the host's table, which determines the tokens of both descriptors.
    let place: Int
    var relay: Relay
    let client: RelayTransport
    var upstream: UpstreamLink?
    /// When a byte last moved in any direction.
    var lastActivity: MonotonicInstant
    let openedAt: MonotonicInstant
    /// When the client last accepted a byte.
    var lastTaken: MonotonicInstant
    /// When the client's ending began.
    var endingSince: MonotonicInstant?
    /// Whether there may be work at the end of the turn.
    var isTouched = false
    /// Whether it was removed from the table.
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

    /// When a timer is due; nil for never.
    func deadline(_ limits: RelayLimits) -> MonotonicInstant? {
        if let endingSince {
            // A slow client, or one at a breakpoint, still gets the end of its last answer.
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

/// One connection to the upstream, from the first attempt on.
final class UpstreamLink {
    /// Its number in its relay.
    let number: Int
    /// Its id in the recording.
    let recordingID: UInt64
    /// The addresses not tried yet, in order.
    var addresses: ArraySlice<SocketAddress>
    /// The address being tried or connected.
    var address: SocketAddress?
    /// The socket being connected or connected.
    var transport: RelayTransport?
    /// Whether the socket is connected; a TLS handshake may follow.
    var isConnected = false
    /// Whether the relay may send bytes and the recording has the connection.
    var isOpen = false
    /// When the present attempt times out.
    var attemptEndsAt: MonotonicInstant
    /// When all attempts time out.
    let endsAt: MonotonicInstant
    /// Why the last address failed.
    var lastError: SocketError?
    /// Whether the upstream was the first to end.
    var wasEndedByServer = false
    /// Whether it ended by a reset.
    var wasReset = false
    /// The bytes of a request that may be sent again on another connection; not recorded yet.
    var held: [(bytes: [UInt8], time: Timestamp)] = []

    init(number: Int, recordingID: UInt64, addresses: [SocketAddress], endsAt: MonotonicInstant) {
        self.number = number
        self.recordingID = recordingID
        self.addresses = addresses[...]
        self.endsAt = endsAt
        attemptEndsAt = endsAt
    }
}

/// A listener and its protocol.
struct ProxyPort {
    let listener: Listener
    /// Its token in the loop; above the places of all pairs.
    let token: UInt64
    let isSecure: Bool

    init(_ listener: Listener, number: UInt64, isSecure: Bool) {
        self.listener = listener
        token = 1 << 40 + number
        self.isSecure = isSecure
    }
}
