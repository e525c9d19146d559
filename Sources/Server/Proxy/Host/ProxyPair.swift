import FitIQAPI
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

/// One connection to the upstream, from the first attempt on.
final class UpstreamLink {
    /// Which one of its relay's it is.
    let number: Int
    /// How the recording names it.
    let recordingID: UInt64
    /// The addresses that were not tried yet, in order.
    var addresses: ArraySlice<SocketAddress>
    /// The address that is tried, or was connected to.
    var address: SocketAddress?
    /// The socket that is being connected, or is.
    var transport: RelayTransport?
    /// Whether the socket is connected; with TLS there is a handshake to come.
    var isConnected = false
    /// Whether the relay was told that bytes can go, and the recording that there is a connection.
    var isOpen = false
    /// When the present attempt is given up.
    var attemptEndsAt: MonotonicInstant
    /// When all of them are.
    let endsAt: MonotonicInstant
    /// Why the last address failed.
    var lastError: SocketError?
    /// Whether the upstream was the first to end.
    var wasEndedByServer = false
    /// Whether it ended by a reset.
    var wasReset = false
    /// What was sent of a request that may have to be sent again, on another connection; not recorded yet.
    var held: [(bytes: [UInt8], time: Timestamp)] = []

    init(number: Int, recordingID: UInt64, addresses: [SocketAddress], endsAt: MonotonicInstant) {
        self.number = number
        self.recordingID = recordingID
        self.addresses = addresses[...]
        self.endsAt = endsAt
        attemptEndsAt = endsAt
    }
}

/// A listener, and what is spoken there.
struct ProxyPort {
    let listener: Listener
    /// How the loop names it; above all places of pairs.
    let token: UInt64
    let isSecure: Bool

    init(_ listener: Listener, number: UInt64, isSecure: Bool) {
        self.listener = listener
        token = 1 << 40 + number
        self.isSecure = isSecure
    }
}
