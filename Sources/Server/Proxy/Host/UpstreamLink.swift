import FitIQAPI
import Sockets

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
