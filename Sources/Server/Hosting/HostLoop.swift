import CLibrary
import FitIQAPI
import Sockets
import TLS

/// The address and certificate of a TLS listener.
public struct SecureEndpoint: Sendable {
    public var address: SocketAddress
    /// The server's certificate and the intermediate certificates, as PEM.
    public var certificates: [UInt8]
    /// The private key of the first certificate, as PEM.
    public var key: [UInt8]
    /// A sentence for the log if a client does not trust the certificate; may be empty.
    public var advice: String

    public init(address: SocketAddress, certificates: [UInt8], key: [UInt8], advice: String = "") {
        (self.address, self.certificates, self.key, self.advice) = (address, certificates, key, advice)
    }
}

/// An error that prevents a host from starting.
public enum StartError: Error, CustomStringConvertible {
    /// The host cannot listen on its address, or cannot resolve the upstream's name.
    case listening(SocketError)
    case listeningForTLS(SocketError)
    /// OpenSSL rejects a certificate, a key or a CA.
    case tls(TLSError)
    /// The configuration is inconsistent, as the message explains.
    case configuration(String)

    public var description: String {
        switch self {
        case .listening(let error), .listeningForTLS(let error): error.description
        case .tls(let error): error.description
        case .configuration(let message): message
        }
    }
}

/// A server on one thread, which accepts connections, reads, writes and handles deadlines.
public protocol SocketHost: EventLoopHandler {
    var loop: HostLoop { get }

    /// Begins a clean shutdown; must be called on the loop's thread.
    func stop()
}

extension SocketHost {
    /// The address on which the host listens.
    public var address: SocketAddress { loop.address }
    /// The address on which the host listens for TLS; nil if TLS is off.
    public var secureAddress: SocketAddress? { loop.secureAddress }
    /// Lets other threads hand work to the loop's thread.
    public var mailbox: Mailbox { loop.events.mailbox }

    /// Stops the host on a signal: cleanly on the first signal, and immediately on a second signal other than SIGHUP.
    public func stopOnSignals(_ signals: [Int32]) throws(SocketError) { try loop.events.watchSignals(signals) }

    /// Like ``stopOnSignals(_:)``, but stays in effect until the process exits, even after the host is released.
    ///
    /// This prevents a signal from killing the program while it writes and closes its last files.
    public func stopOnSignalsForGood(_ signals: [Int32]) throws(SocketError) {
        try stopOnSignals(signals)
        // Retain only the loop, so that the host can be released and close its files.
        _ = Unmanaged.passRetained(loop.events)
    }

    /// Serves until stopped.
    ///
    /// - Returns: False if a second signal stopped the host immediately.
    public func run() throws(SocketError) -> Bool {
        try loop.events.run(handler: self)
        if let error = loop.acceptError { throw error }
        return !loop.wasForced
    }

    public func signalReceived(_ signal: Int32, now: MonotonicInstant) {
        // SIGHUP reports a closed terminal, so it never forces an immediate stop. A shell may send a second SIGHUP, and
        // systemd can send SIGHUP after SIGTERM (SendSIGHUP=).
        guard signal != SIGHUP else { return stop() }
        // A drained server stops automatically, so it may already be stopping when it gets its first signal.
        guard loop.isSignalled else {
            loop.isSignalled = true
            return stop()
        }
        loop.wasForced = true
        loop.events.stop()
    }
}

/// A host's event loop, listeners, clock and read buffer.
public final class HostLoop {
    public let events: EventLoop
    public let address: SocketAddress
    public private(set) var secureAddress: SocketAddress?
    /// The TLS listener's advice for the log; empty if there is no TLS listener.
    public let trustAdvice: String
    public let buffer = ReadBuffer()
    /// When the host ends the remaining connections; nil until the host begins to stop.
    public private(set) var stopsAt: MonotonicInstant?
    /// The plain and the TLS listener; empty once the host begins to stop.
    private(set) var ports: [Port] = []
    /// The error from a listener that can no longer accept connections; the error stops the host.
    fileprivate var acceptError: SocketError?
    fileprivate var isSignalled = false
    fileprivate var wasForced = false
    private let tls: TLSContext?
    /// The pause after each accepted connection.
    public var acceptPause = Duration.zero
    /// When to listen again after a pause.
    private var listensAgainAt: MonotonicInstant?
    @exclusivity(unchecked) var clocks = ClockComparison()
    /// The wall-clock time at the monotonic clock's zero, measured once at startup so that the time never jumps.
    @usableFromInline let epoch: Int64

    private static let acceptsPerTurn = 64
    private static let pauseWithoutDescriptors = Duration.milliseconds(100)
    /// The token of the first listener; the other listeners have the next tokens.
    private static let firstListenerToken: UInt64 = 1 << 40

    /// A listener and its protocol.
    public struct Port {
        let listener: Listener
        public let isSecure: Bool
        public var address: SocketAddress { listener.localAddress }
    }

    /// Opens the listeners; connections queue until the host runs.
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
        // From here on, `deinit` closes the listeners.
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

    /// How far the system's clock has been set forward since the last call, in nanoseconds: usually 0, and negative if
    /// the clock was set back.
    public func clockStep(_ now: MonotonicInstant) -> Int64 { clocks.step(at: now) }

    /// Converts an instant to the time that the modules above the loop use.
    ///
    /// The result is the system's date, not counting clock changes since startup.
    @inlinable public func time(_ now: MonotonicInstant) -> Timestamp {
        Timestamp(nanosecondsSinceEpoch: epoch + now.nanoseconds)
    }

    @inlinable public func instant(of time: Timestamp) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: time.nanosecondsSinceEpoch - epoch)
    }

    // MARK: Listeners

    /// Whether a token belongs to a listener; connections have smaller tokens.
    public static func isListener(_ token: UInt64) -> Bool { token >= firstListenerToken }

    /// Accepts waiting clients, up to a maximum per turn.
    public func accept(_ token: UInt64, _ now: MonotonicInstant, _ begin: (Socket, Port) -> Void) {
        guard let port = ports.dropFirst(Int(token - Self.firstListenerToken)).first else { return }
        for _ in 0..<Self.acceptsPerTurn {
            switch port.listener.accept() {
            case .accepted(let socket):
                begin(socket, port)
                if acceptPause > .zero { return pause(until: now.advanced(by: acceptPause)) }
            // Without a pause, the loop would spin on the listener.
            case .exhausted: return pause(until: now.advanced(by: Self.pauseWithoutDescriptors))
            case .failed(let error):
                acceptError = error
                return events.stop()
            case .wouldBlock: return
            }
        }
    }

    /// Stops accepting connections until the given time, while clients wait in the backlog.
    private func pause(until end: MonotonicInstant) {
        for port in ports { events.remove(port.listener.descriptor) }
        listensAgainAt = end
    }

    /// Watches all listeners; if one fails, watches none.
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

    /// Listens again after a pause; must be called in each turn.
    public func endPause(_ now: MonotonicInstant) {
        guard let again = listensAgainAt, again <= now else { return }
        let isListening: Void? = try? watchListeners()
        listensAgainAt = isListening == nil ? now.advanced(by: Self.pauseWithoutDescriptors) : nil
    }

    /// When the loop must listen again or stop.
    public var nextDeadline: MonotonicInstant? {
        guard let listensAgainAt, let stopsAt else { return listensAgainAt ?? stopsAt }
        return min(listensAgainAt, stopsAt)
    }

    /// Closes the listeners and sets ``stopsAt``.
    ///
    /// - Returns: The current time; nil if the host is already stopping.
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

    /// Watches an accepted socket for reading; resets the socket if the system cannot watch more descriptors.
    public func serve(_ socket: Socket, token: UInt64, isSecure: Bool) -> SocketStream? {
        try? add(socket, token: token, for: .read) { isSecure ? tls.map { TLSSession(server: $0) } : nil }
    }

    /// Watches a socket and then creates its TLS session; resets the socket if the system cannot watch it.
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
    /// The address for a client on this machine, which is localhost for a wildcard address.
    fileprivate var reachable: String { isUnspecified ? "localhost:\(port)" : description }
}

/// The read buffer, which is small so that one connection cannot block other connections.
public final class ReadBuffer {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 * 1024, alignment: 16)
    /// Decrypted bytes.
    var plaintext: [UInt8] = []

    deinit { bytes.deallocate() }
}
