import CLibrary
import CPlatform

/// The result of one attempt to accept a connection.
public enum AcceptResult: Sendable, Equatable {
    /// A connection, which the caller closes.
    case accepted(Socket)
    /// No connection is waiting.
    case wouldBlock
    /// The process or the system is out of descriptors or memory. The connection stays pending and the listener stays
    /// readable, so try again after a while.
    case exhausted(SocketError)
    /// The listener accepts no more connections.
    case failed(SocketError)
}

/// A non-blocking TCP socket that listens on one address.
///
/// Like `Socket`, this does not own the descriptor: close it once.
public struct Listener: Sendable, Hashable {
    public let descriptor: Int32
    /// The bound address, with the system's port if 0 was requested.
    public let localAddress: SocketAddress

    /// Listens on the address; port 0 picks a free port, and `::` also accepts IPv4.
    ///
    /// The backlog is the number of connections that can wait to be accepted; the system caps it
    /// (`net.core.somaxconn`). `reuseAddress` permits a restart while old connections are in TIME_WAIT, but not a
    /// second listener.
    public init(address: SocketAddress, backlog: Int32 = 4096, reuseAddress: Bool = true) throws(SocketError) {
        let descriptor = cplatform_open_stream_socket(address.family)
        guard descriptor >= 0 else { throw SocketError(.create, code: -descriptor, address: address) }
        let code = Listener.prepare(Socket(descriptor: descriptor), address, backlog, reuseAddress)
        guard code == nil, let local = Socket(descriptor: descriptor).localAddress else {
            closeDescriptor(descriptor)
            throw code ?? SocketError(.listen, code: EINVAL, address: address)
        }
        self.descriptor = descriptor
        self.localAddress = local
    }

    private static func prepare(
        _ socket: Socket, _ address: SocketAddress, _ backlog: Int32, _ reuseAddress: Bool
    ) -> SocketError? {
        if reuseAddress, !socket.setOption(SOL_SOCKET, SO_REUSEADDR, Int32(1)) {
            return SocketError(.configure, code: errno, address: address)
        }
        // By default, net.ipv6.bindv6only decides whether :: also accepts IPv4; here, :: means every interface.
        if address.isIPv6, address.isUnspecified, !socket.setOption(Int32(IPPROTO_IPV6), IPV6_V6ONLY, Int32(0)) {
            return SocketError(.configure, code: errno, address: address)
        }
        // Accepted sockets inherit this option (tcp(7)). Without this option, a small write waits for the previous
        // write's acknowledgement, which the peer delays by 40 ms.
        if !socket.setOption(Int32(IPPROTO_TCP), TCP_NODELAY, Int32(1)) {
            return SocketError(.configure, code: errno, address: address)
        }
        if address.isLoopback { cplatform_disable_pacing(socket.descriptor) }
        if address.withSockaddr({ bind(socket.descriptor, $0, $1) }) != 0 {
            return SocketError(.bind, code: errno, address: address)
        }
        if listen(socket.descriptor, backlog) != 0 { return SocketError(.listen, code: errno, address: address) }
        return nil
    }

    /// Accepts one pending connection, skipping connections that were aborted while pending.
    public func accept() -> AcceptResult {
        while true {
            let descriptor = cplatform_accept(self.descriptor)
            if descriptor >= 0 { return .accepted(Socket(descriptor: descriptor)) }
            switch -descriptor {
            case EAGAIN, EWOULDBLOCK: return .wouldBlock
            case EINTR, ECONNABORTED: continue
            // accept(2): Linux reports pending network errors on the new connection; treat them like EAGAIN "by
            // retrying".
            case EPROTO, ENOPROTOOPT, ENETDOWN, EHOSTDOWN, EHOSTUNREACH, ENETUNREACH: continue
            case let code:
                let error = SocketError(.accept, code: code, address: localAddress)
                return error.isResourceExhaustion ? .exhausted(error) : .failed(error)
            }
        }
    }

    /// Stops listening; pending connections are reset.
    public func close() { closeDescriptor(descriptor) }
}
