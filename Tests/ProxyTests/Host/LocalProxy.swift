import Foundation
import Hosting
import Proxy
import Sockets

/// A proxy on a thread of its own, before an upstream that the test plays itself.
final class LocalProxy {
    let address: SocketAddress
    let secureAddress: SocketAddress?
    private let mailbox: Mailbox
    private let ended: Gate

    convenience init(
        _ upstream: String, limits: RelayLimits = RelayLimits(), recordingTo path: String? = nil,
        secure: SecureEndpoint? = nil
    ) throws {
        let host = try ProxyHost(
            listeningOn: SocketAddress(host: "127.0.0.1", port: 0), secure: secure,
            upstream: UpstreamURL(upstream), limits: limits)
        if let path { host.tap = try SessionTap(.init(creatorVersion: "1"), to: path, program: "proxy") }
        try self.init(host)
    }

    private init(_ host: sending ProxyHost) throws {
        (address, secureAddress) = (host.loop.address, host.loop.secureAddress)
        mailbox = host.mailbox
        let ended = try Gate()
        self.ended = ended
        try SystemThread.start {
            _ = try? host.run()
            ended.open()
        }
    }

    deinit {
        mailbox.requestStop()
        ended.wait()
    }
}
