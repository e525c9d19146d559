import CLibrary
import FitIQAPI
import Sockets
import TLS

/// The address and certificate of a TLS listener.
public struct SecureEndpoint: Sendable {
    public var address: SocketAddress
    /// The server's certificate, and the ones between it and its CA, as PEM.
    public var certificates: [UInt8]
    /// The private key of the first certificate, as PEM.
    public var key: [UInt8]
    /// The log's advice if a client does not trust the certificate: a sentence, or nothing.
    public var advice: String

    public init(address: SocketAddress, certificates: [UInt8], key: [UInt8], advice: String = "") {
        (self.address, self.certificates, self.key, self.advice) = (address, certificates, key, advice)
    }
}

/// Why a host does not start.
public enum StartError: Error, CustomStringConvertible {
    /// The system does not let it listen, or does not know the host that it connects to.
    case listening(SocketError)
    case listeningForTLS(SocketError)
    /// A certificate, its key or a CA cannot be used.
    case tls(TLSError)
    /// The configuration contradicts itself; the text says how.
    case configuration(String)

    public var description: String {
        switch self {
        case .listening(let error), .listeningForTLS(let error): error.description
        case .tls(let error): error.description
        case .configuration(let message): message
        }
    }
}

/// A server or a proxy: one thread that accepts, reads, writes and keeps time.
public protocol SocketHost: EventLoopHandler {
    var loop: HostLoop { get }

    /// Begins to stop cleanly; must be called on the loop's thread.
    func stop()
}

extension SocketHost {
    /// Where it listens.
    public var address: SocketAddress { loop.address }
    /// Where it listens for TLS; nil if it does not.
    public var secureAddress: SocketAddress? { loop.secureAddress }
    /// Where other threads leave work for the loop's thread.
    public var mailbox: Mailbox { loop.events.mailbox }

    /// Makes the signals stop the host: the first one cleanly, a second one at once, unless it is SIGHUP.
    public func stopOnSignals(_ signals: [Int32]) throws(SocketError) { try loop.events.watchSignals(signals) }

    /// The same until the process exits, even if nothing refers to the host any more: a signal that comes while the
    /// program writes and closes its last files does not kill it.
    public func stopOnSignalsForGood(_ signals: [Int32]) throws(SocketError) {
        try stopOnSignals(signals)
        // Only the loop: the host is released, and with it closes what it has open, such as a state file.
        _ = Unmanaged.passRetained(loop.events)
    }

    /// Serves until stopped.
    ///
    /// - Returns: false if a second signal cut it short.
    public func run() throws(SocketError) -> Bool {
        try loop.events.run(handler: self)
        if let error = loop.acceptError { throw error }
        return !loop.wasForced
    }

    public func signalReceived(_ signal: Int32, now: MonotonicInstant) {
        // It means a closed terminal, not impatience: a shell sends one after the system's, and systemd can send one
        // after SIGTERM (SendSIGHUP=).
        guard signal != SIGHUP else { return stop() }
        // A drained server stops on its own, so its first signal may find it stopping.
        guard loop.isSignalled else {
            loop.isSignalled = true
            return stop()
        }
        loop.wasForced = true
        loop.events.stop()
    }
}

/// The event loop of a host with its listeners, its clock and its read buffer.
public final class HostLoop {
    public let events: EventLoop
    public let address: SocketAddress
    public private(set) var secureAddress: SocketAddress?
    /// The advice of the TLS listener, or nothing.
    public let trustAdvice: String
    public let buffer = ReadBuffer()
    /// When the remaining connections are cut off, once stopping has begun.
    public private(set) var stopsAt: MonotonicInstant?
    /// The plain listener and the one for TLS; empty once stopping has begun.
    private(set) var ports: [Port] = []
    /// Why a listener accepts no more connections, which ends the host.
    fileprivate var acceptError: SocketError?
    fileprivate var isSignalled = false
    fileprivate var wasForced = false
    private let tls: TLSContext?
    /// How long connections wait after one that was accepted.
    public var acceptPause = Duration.zero
    /// When to listen again after a pause.
    private var listensAgainAt: MonotonicInstant?
    @exclusivity(unchecked) var clocks = ClockComparison()
    /// Wall-clock time at the monotonic clock's zero, as of the start: time that never jumps.
    @usableFromInline let epoch: Int64

    private static let acceptsPerTurn = 64
    private static let pauseWithoutDescriptors = Duration.milliseconds(100)
    /// The token of the first listener; the next one has the next.
    private static let firstListenerToken: UInt64 = 1 << 40

    /// A listener and its protocol.
    public struct Port {
        let listener: Listener
        public let isSecure: Bool
        public var address: SocketAddress { listener.localAddress }
    }

    /// Opens the listeners; connections queue from now on, and are served once the host runs.
    public init(
        listeningOn wanted: SocketAddress, secure: SecureEndpoint?, queueKind: EventQueue.Kind = .platformDefault
    ) throws(StartError) {
        tls = try secure.map { secure throws(StartError) in
            try Result { () throws(TLSError) in
                try TLSContext.server(certificates: secure.certificates, key: secure.key)
            }.mapError(StartError.tls).get()
        }
        trustAdvice = secure?.advice ?? ""
        epoch = clocks.epoch
        let plain: Listener
        (events, plain) = try Result { () throws(SocketError) in
            (try EventLoop(queueKind: queueKind), try Listener(address: wanted))
        }.mapError(StartError.listening).get()
        address = plain.localAddress
        // From here on `deinit` closes what is open.
        ports = [Port(listener: plain, isSecure: false)]
        if let secure {
            let listener = try Result { () throws(SocketError) in try Listener(address: secure.address) }
                .mapError(StartError.listeningForTLS).get()
            secureAddress = listener.localAddress
            ports.append(Port(listener: listener, isSecure: true))
        }
        do throws(SocketError) { try watchListeners() } catch { throw .listening(error) }
    }

    deinit { for port in ports { port.listener.close() } }

    /// The URL for a client on this machine.
    public var url: String { "http://" + address.reachable }
    public var secureURL: String? { secureAddress.map { "https://" + $0.reachable } }

    /// How many nanoseconds the system's clock was set forward, or back, since the last call; mostly 0.
    public func clockStep(_ now: MonotonicInstant) -> Int64 { clocks.step(at: now) }

    /// The time of an instant, for everything above the loop.
    ///
    /// It is the date that the system would have if its clock had never been set.
    @inlinable public func time(_ now: MonotonicInstant) -> Timestamp {
        Timestamp(nanosecondsSinceEpoch: epoch + now.nanoseconds)
    }

    @inlinable public func instant(of time: Timestamp) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: time.nanosecondsSinceEpoch - epoch)
    }

    // MARK: Listeners

    /// Whether a token is that of a listener; connections have smaller ones.
    public static func isListener(_ token: UInt64) -> Bool { token >= firstListenerToken }

    /// Accepts the clients that wait at a listener, a limited number in each turn.
    public func accept(_ token: UInt64, _ now: MonotonicInstant, _ begin: (Socket, Port) -> Void) {
        guard let port = ports.dropFirst(Int(token - Self.firstListenerToken)).first else { return }
        for _ in 0..<Self.acceptsPerTurn {
            switch port.listener.accept() {
            case .accepted(let socket):
                begin(socket, port)
                if acceptPause > .zero { return pause(until: now.advanced(by: acceptPause)) }
            // Without a pause the loop would spin on the listener.
            case .exhausted: return pause(until: now.advanced(by: Self.pauseWithoutDescriptors))
            case .failed(let error):
                acceptError = error
                return events.stop()
            case .wouldBlock: return
            }
        }
    }

    /// Stops accepting for a while; the backlog keeps waiting clients.
    private func pause(until end: MonotonicInstant) {
        for port in ports { events.remove(port.listener.descriptor) }
        listensAgainAt = end
    }

    /// Watches all listeners, or none.
    private func watchListeners() throws(SocketError) {
        for (index, port) in ports.enumerated() {
            do throws(SocketError) {
                let token = Self.firstListenerToken + UInt64(index)
                try events.add(port.listener.descriptor, token: token, interest: .read)
            } catch {
                for port in ports[..<index] { events.remove(port.listener.descriptor) }
                throw error
            }
        }
    }

    /// Listens again if the pause is over; call it in each turn.
    public func endPause(_ now: MonotonicInstant) {
        guard let again = listensAgainAt, again <= now else { return }
        let isListening: Void? = try? watchListeners()
        listensAgainAt = isListening == nil ? now.advanced(by: Self.pauseWithoutDescriptors) : nil
    }

    /// When the loop itself has something to do.
    public var nextDeadline: MonotonicInstant? {
        guard let listensAgainAt, let stopsAt else { return listensAgainAt ?? stopsAt }
        return min(listensAgainAt, stopsAt)
    }

    /// Closes the listeners and sets ``stopsAt``.
    ///
    /// - Returns: The present time; nil if stopping has begun before.
    public func beginStop(within time: Duration) -> MonotonicInstant? {
        guard stopsAt == nil else { return nil }
        let now = MonotonicInstant.now()
        stopsAt = now.advanced(by: time)
        for port in ports {
            if listensAgainAt == nil { events.remove(port.listener.descriptor) }
            port.listener.close()
        }
        ports = []
        return now
    }

    // MARK: Connections

    /// Watches an accepted socket for reading; resets it if the system watches no more descriptors.
    public func serve(_ socket: Socket, token: UInt64, isSecure: Bool) -> SocketStream? {
        try? add(socket, token: token, for: .read) { isSecure ? tls.map { TLSSession(server: $0) } : nil }
    }

    /// Watches a socket, or resets it if that fails; the session is made only if it does not.
    public func add(
        _ socket: Socket, token: UInt64, for interest: Interest, session: () -> TLSSession?
    ) throws(SocketError) -> SocketStream {
        do throws(SocketError) {
            try events.add(socket.descriptor, token: token, interest: interest)
        } catch {
            socket.reset()
            throw error
        }
        return SocketStream(socket, token: token, session: session(), interest: interest)
    }

    public func watch(_ stream: SocketStream, for interest: Interest) {
        guard let present = stream.interest, present != interest else { return }
        stream.interest = interest
        events.modify(stream.socket.descriptor, token: stream.token, interest: interest)
    }

    public func unwatch(_ stream: SocketStream) {
        guard stream.interest != nil else { return }
        stream.interest = nil
        events.remove(stream.socket.descriptor)
    }

    public func close(_ stream: SocketStream, reset: Bool = false) {
        unwatch(stream)
        stream.close(reset: reset)
    }
}

extension SocketAddress {
    /// The address as a client on this machine names it: a wildcard address becomes localhost.
    fileprivate var reachable: String { isUnspecified ? "localhost:\(port)" : description }
}

/// The read buffer: small, so that other connections are served in the middle of a flood.
public final class ReadBuffer {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 * 1024, alignment: 16)
    /// What was decrypted.
    var plaintext: [UInt8] = []

    deinit { bytes.deallocate() }
}
