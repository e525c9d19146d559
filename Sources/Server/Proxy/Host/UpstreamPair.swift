import FitIQAPI
import Hosting
import Sockets

/// An engine's relay and its connection to the upstream.
final class UpstreamPair {
    /// The pair's index in the host's table; its token is ``UpstreamHost/firstToken`` plus this.
    let place: Int
    let side: RelaySide
    let server: UpstreamServer
    var link: UpstreamLink?
    var lastActivity: Timestamp
    /// The time of the pair's valid entry among the host's deadlines; it is never later than the true deadline.
    var wakesAt: Timestamp?
    /// Whether the host will settle the pair at the end of the turn.
    var isTouched = false
    var isGone = false

    init(place: Int, _ side: RelaySide, _ server: UpstreamServer, now: Timestamp) {
        (self.place, self.side, self.server, lastActivity) = (place, side, server, now)
    }

    var relay: Relay {
        _read { yield side.relay }
        _modify { yield &side.relay }
    }

    func deadline(_ limits: RelayLimits) -> Timestamp? {
        if let link, !link.isOpen { return link.attemptEndsAt }
        switch relay.phase {
        case .idle, .request: return lastActivity.advanced(by: limits.idleTime)
        case .answer: return lastActivity.advanced(by: limits.answerTime)
        case .tunnel, .ending: return nil
        }
    }
}

/// One connection to the upstream, starting with the first attempt to connect.
final class UpstreamLink {
    /// The connection's number in its relay, and its id in the recording.
    let number: Int
    let recordingID: UInt64
    /// The addresses that remain to be tried, in order.
    var addresses: ArraySlice<SocketAddress>
    /// The address and the socket of the current attempt or connection.
    var address: SocketAddress?
    var stream: SocketStream?
    /// Whether the connection is waiting for a lookup of the upstream's addresses.
    var isLookingUp = false
    /// Whether the socket is connected; a TLS handshake may follow.
    var isConnected = false
    /// Whether the relay may send bytes, in which case the recording contains the connection.
    var isOpen = false
    /// When the current attempt times out; ``endsAt`` is the time-out for all attempts together.
    var attemptEndsAt: Timestamp
    let endsAt: Timestamp
    var lastError: SocketError?
    var wasEndedByServer = false
    var wasReset = false
    /// The unrecorded bytes of a request that the relay may have to send again on another connection.
    var held: [(bytes: [UInt8], time: Timestamp)] = []

    init(number: Int, recordingID: UInt64, addresses: [SocketAddress], endsAt: Timestamp) {
        (self.number, self.recordingID, self.addresses) = (number, recordingID, addresses[...])
        (attemptEndsAt, self.endsAt) = (endsAt, endsAt)
    }

    /// Records that the upstream ended the connection, unless we ended it first.
    func noteEnd(isReset: Bool) {
        if stream?.isShutDown == false { wasEndedByServer = true }
        wasReset = wasReset || isReset
    }
}

extension Timestamp {
    /// This time plus a duration; the sum saturates, so a limit may have any length.
    func advanced(by duration: Duration) -> Timestamp {
        let sum = MonotonicInstant(nanoseconds: nanosecondsSinceEpoch).advanced(by: duration)
        return Timestamp(nanosecondsSinceEpoch: sum.nanoseconds)
    }
}
