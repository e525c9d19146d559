import Foundation
import Proxy
import Sockets

/// A proxy on a thread of its own, before an upstream that the test plays itself.
final class LocalProxy {
    let address: SocketAddress
    private let mailbox: Mailbox
    private let ended: Gate

    convenience init(
        _ upstream: String, limits: RelayLimits = RelayLimits(), recordingTo path: String? = nil
    ) throws {
        let host = try ProxyHost(
            listeningOn: SocketAddress(host: "127.0.0.1", port: 0),
            configuration: .init(upstream: UpstreamURL(upstream), limits: limits))
        if let path { host.record(to: try SessionTap(.init(creatorVersion: "1"), to: path, program: "proxy")) }
        try self.init(host)
    }

    private init(_ host: sending ProxyHost) throws {
        address = host.address
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
