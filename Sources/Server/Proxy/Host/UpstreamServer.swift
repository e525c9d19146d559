import Sockets
import TLS
import Text

/// The addresses and TLS settings that a host has for an upstream.
final class UpstreamServer {
    let url: UpstreamURL
    /// The addresses, starting with the one that last accepted a connection; empty before a lookup.
    var addresses: [SocketAddress] = []
    let context: TLSContext?
    /// TLS tickets for resuming sessions, newest last.
    var tickets: [TLSTicket] = []
    /// The lookup in progress, if any.
    var lookup: HostLookup?
    /// The error from the last lookup.
    var lookupError: SocketError?

    init(_ url: UpstreamURL, trust: TLSTrust) throws(TLSError) {
        self.url = url
        context = url.isSecure ? try TLSContext.client(trust: trust) : nil
    }

    /// Moves an address to the front.
    func prefer(_ address: SocketAddress) {
        guard addresses.first != address else { return }
        addresses.removeAll { $0 == address }
        addresses.insert(address, at: 0)
    }
}
