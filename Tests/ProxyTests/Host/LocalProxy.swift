import FitIQAPI
import Hosting
import Proxy
import Sockets
import Synchronization
import Text

@testable import MockServer

/// A proxy on its own thread, in front of an upstream that the test plays.
final class LocalProxy {
    let address: SocketAddress
    let secureAddress: SocketAddress?
    private let mailbox: Mailbox
    private let inbox: HostInbox
    private let ended: Gate

    convenience init(
        _ upstream: String, limits: RelayLimits = RelayLimits(), clients: ServerLimits = ServerLimits(),
        tap: TapOfTests? = nil, secure: SecureEndpoint? = nil
    ) throws {
        let host = try Self.host(upstream, limits: limits, clients: clients, secure: secure)
        host.upstreamTap = tap
        try self.init(host)
    }

    /// A host that relays its connections to an upstream; it does not run on any thread yet.
    static func host(
        at address: SocketAddress? = nil, _ upstream: String, limits: RelayLimits = RelayLimits(),
        clients: ServerLimits = ServerLimits(), secure: SecureEndpoint? = nil
    ) throws -> Host {
        var configuration = Engine.Configuration(limits: clients)
        (configuration.relayed, configuration.relayLimits) = (try UpstreamURL(upstream), limits)
        return try Host(
            listeningOn: address ?? SocketAddress(host: "127.0.0.1", port: 0), secure: secure,
            configuration: configuration)
    }

    private init(_ host: sending Host) throws {
        (address, secureAddress) = (host.loop.address, host.loop.secureAddress)
        (mailbox, inbox) = (host.mailbox, host.inbox)
        let ended = try Gate()
        self.ended = ended
        try SystemThread.start {
            _ = try? host.run()
            ended.open()
        }
    }

    /// Begins to stop, as it does on a signal.
    func requestStop() {
        inbox.requestStop()
        mailbox.post {}
    }

    /// Returns once the proxy has ended.
    func stop() {
        requestStop()
        ended.wait()
    }

    deinit { stop() }
}

/// Records the tap's calls, without times and bytes.
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
