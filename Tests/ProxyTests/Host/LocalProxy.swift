import FitIQAPI
import Foundation
import Hosting
import Proxy
import Sockets
import Synchronization
import Text

/// A proxy on its own thread, in front of an upstream that the test plays.
final class LocalProxy {
    let address: SocketAddress
    let secureAddress: SocketAddress?
    private let mailbox: Mailbox
    private let ended: Gate

    convenience init(
        _ upstream: String, limits: RelayLimits = RelayLimits(), recordingTo path: String? = nil,
        tap: TapOfTests? = nil, secure: SecureEndpoint? = nil
    ) throws {
        let host = try ProxyHost(
            listeningOn: SocketAddress(host: "127.0.0.1", port: 0), secure: secure,
            upstream: UpstreamURL(upstream), limits: limits)
        host.tap = tap
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

    /// Returns once the proxy has ended.
    func stop() {
        mailbox.requestStop()
        ended.wait()
    }

    deinit { stop() }
}

/// Records what it is told, without times and bytes.
final class TapOfTests: Tap, Sendable {
    private let lines = Mutex<[String]>([])
    var told: [String] { lines.withLock { $0 } }

    private func note(_ connection: UInt64, _ words: String) { lines.withLock { $0.append("\(connection) \(words)") } }

    func clockStepped(by _: Int64) {}
    func opened(_ connection: UInt64, scheme: String) { note(connection, "opened: \(scheme)") }
    func clientSent(_: UnsafeRawBufferPointer, on connection: UInt64, at _: Timestamp) { note(connection, "client") }
    func serverSent(_: UnsafeRawBufferPointer, on connection: UInt64, at _: Timestamp) { note(connection, "server") }
    func finished(_ connection: UInt64, byServer: Bool, at _: Timestamp) {
        note(connection, "finished by \(byServer ? "server" : "client")")
    }
    func ended(_ connection: UInt64, byServer: Bool, isReset: Bool, at _: Timestamp) {
        note(connection, "ended by \(byServer ? "server" : "client")\(isReset ? ", reset" : "")")
    }
    func write() {}
}
