import CPlatform
import Foundation
import Sockets

/// An address on this machine that has no listener.
///
/// A socket that does not listen occupies the port, so the system does not assign the port to another program.
package final class RefusingAddress {
    package let address: SocketAddress
    private let descriptor: Int32

    package init() throws {
        let descriptor = cplatform_open_stream_socket(AF_INET)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
            }
        }
        guard isBound else { throw SocketError(.bind, code: errno) }
        self.descriptor = descriptor
        address = try SocketAddress(host: "127.0.0.1", port: UInt16(bigEndian: name.sin_port))
    }

    deinit { close(descriptor) }
}
