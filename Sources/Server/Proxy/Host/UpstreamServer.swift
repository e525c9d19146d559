import Sockets
import TLS
import Text

/// An upstream as a host knows it: its addresses, and how to speak TLS with it.
final class UpstreamServer {
    let url: UpstreamURL
    /// The address that answered last is first; empty before they are known.
    var addresses: [SocketAddress]
    let context: TLSContext?
    /// TLS tickets for resuming sessions, the latest last.
    var tickets: [TLSTicket] = []
    /// The search for the addresses, while it lasts.
    var lookup: HostLookup?
    /// Why the last search found nothing.
    var lookupError: SocketError?

    init(_ url: UpstreamURL, addresses: [SocketAddress] = [], trust: TLSTrust) throws(TLSError) {
        (self.url, self.addresses) = (url, addresses)
        context = url.isSecure ? try TLSContext.client(trust: trust) : nil
    }

    /// Moves an address to the front.
    func prefer(_ address: SocketAddress) {
        guard addresses.first != address else { return }
        addresses.removeAll { $0 == address }
        addresses.insert(address, at: 0)
    }
}
