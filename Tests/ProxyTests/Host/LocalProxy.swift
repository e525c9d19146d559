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

/// A socket with calls that wait, up to ten seconds.
struct Wire {
    let socket: Socket

    struct TimedOut: Error {}
    struct Broken: Error {}

    static func connect(_ address: SocketAddress) throws -> Wire {
        let wire = Wire(socket: try Socket.connect(to: address))
        try wire.wait(POLLOUT)
        if let error = wire.socket.connectResult() { throw error }
        return wire
    }

    /// The next connection of a listener.
    static func accept(_ listener: Listener) throws -> Wire {
        try wait(POLLIN, on: listener.descriptor)
        guard case .accepted(let socket) = listener.accept() else { throw Broken() }
        return Wire(socket: socket)
    }

    private static func wait(_ events: Int32, on descriptor: Int32) throws {
        var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        guard poll(&entry, 1, 10_000) == 1 else { throw TimedOut() }
    }

    func wait(_ events: Int32) throws { try Self.wait(events, on: socket.descriptor) }

    func send(_ text: String) throws {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            switch bytes.withUnsafeBytes({ socket.write($0) }) {
            case .wrote(let count): bytes = bytes.dropFirst(count)
            case .wouldBlock: try wait(POLLOUT)
            case .failed: throw Broken()
            }
        }
    }

    /// What arrives next; nil for the end of the stream.
    func receive() throws -> String? { try receiveBytes().map { String(decoding: $0, as: UTF8.self) } }

    func receiveBytes() throws -> ArraySlice<UInt8>? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            switch buffer.withUnsafeMutableBytes({ socket.read(into: $0) }) {
            case .bytes(let count): return buffer[..<count]
            case .endOfStream: return nil
            case .wouldBlock: try wait(POLLIN)
            case .failed: throw Broken()
            }
        }
    }

    /// All that arrives up to a text, that included.
    func receive(until end: String) throws -> String {
        var text = ""
        while !text.contains(end) {
            guard let more = try receive() else { throw Broken() }
            text += more
        }
        return text
    }

    /// All that arrives up to the end of the stream.
    func receiveToEnd() throws -> String {
        var text = ""
        while let more = try receive() { text += more }
        return text
    }

    /// Whether the connection was reset.
    func isReset() throws -> Bool {
        do {
            while try receive() != nil {}
            return false
        } catch is Broken {
            return true
        }
    }
}
