import Sockets
import TLS

/// Connections over TLS: decrypting before the engine, encrypting behind it.
extension Host {
    /// A listener for TLS, and what it proves itself with.
    public struct Secure: Sendable {
        /// Where to listen.
        public var address: SocketAddress
        /// The server's certificate, and the ones between it and its CA, as PEM.
        public var certificates: [UInt8]
        /// The private key of the first certificate, as PEM.
        public var key: [UInt8]
        /// What the log says to whose client does not trust the certificate: a sentence, or nothing.
        public var advice: String

        /// Listens there, with that certificate.
        public init(address: SocketAddress, certificates: [UInt8], key: [UInt8], advice: String = "") {
            self.address = address
            self.advice = advice
            self.certificates = certificates
            self.key = key
        }

        func context() throws(StartError) -> TLSContext {
            do throws(TLSError) {
                return try TLSContext.server(certificates: certificates, key: key)
            } catch {
                throw .certificate(error)
            }
        }
    }

    /// Decrypts what has arrived, and gives it to the engine.
    func receive(
        _ bytes: UnsafeRawBufferPointer, over secure: SecureStream, _ transport: Transport, _ now: MonotonicInstant
    ) {
        secure.hasReceived = true
        secure.session.receive(bytes)
        pump(secure, transport, now)
    }

    /// Takes the end of the stream; without the peer's farewell a request that it cut is incomplete, which HTTP notices.
    func receiveEndOfStream(over secure: SecureStream, _ transport: Transport, _ now: MonotonicInstant) {
        secure.session.receiveEndOfStream()
        // Who only looks whether the port is open makes no mistake; and what a farewell is missing from, HTTP and WebSocket notice.
        if secure.hasReceived, !secure.isAnnounced { pump(secure, transport, now) }
        tap?.finished(transport.id.number, false, time(now))
        engine.receiveEndOfStream(on: transport.id, at: time(now))
    }

    private func pump(_ secure: SecureStream, _ transport: Transport, _ now: MonotonicInstant) {
        let session = secure.session
        if !secure.isAnnounced, session.phase == .open || session.phase == .closed {
            secure.isAnnounced = true
            tap?.opened(transport.id.number, "https")
            engine.secured(transport.id, at: time(now))
        }
        while session.readPlaintext(into: &plaintext, limit: readBuffer.count) {
            plaintext.withUnsafeBytes {
                tap?.clientSent($0, transport.id.number, time(now))
                engine.receive($0, on: transport.id, at: time(now))
            }
            plaintext.removeAll(keepingCapacity: true)
        }
        if session.phase == .failed { failed(secure, transport, now) }
        guard let connection = engine.connection(transport.id) else { return }
        heedFarewell(of: connection, secure, now)
        if session.hasCiphertext { engine.touch(connection) }
    }

    /// Tells the engine that the peer has said farewell: not before it would have read on, as with the end of a plain stream.
    private func heedFarewell(of connection: Connection, _ secure: SecureStream, _ now: MonotonicInstant) {
        guard secure.session.phase == .closed, connection.ending == .none, !engine.isReadingPaused(connection) else {
            return
        }
        tap?.finished(connection.id.number, false, time(now))
        engine.receiveEndOfStream(on: connection.id, at: time(now))
    }

    private func failed(_ secure: SecureStream, _ transport: Transport, _ now: MonotonicInstant) {
        // Once, and not where we have said farewell: what the client then does to the connection is of no account.
        guard !secure.isClosed, let failure = secure.session.failure else { return }
        secure.fail()
        if case .plainHTTP = failure {
            transports[transport.id.place]?.secure = nil
            engine.spokePlainHTTP(transport.id, at: time(now))
        } else {
            engine.tlsFailed(failure.description(advice: trustAdvice), on: transport.id, at: time(now))
        }
    }

    /// Encrypts and sends what there is to send.
    ///
    /// - Returns: false where the socket takes no more, or has failed: there is nothing more to do about the connection.
    func send(_ connection: Connection, over secure: SecureStream, _ transport: Transport, _ now: MonotonicInstant)
        -> Bool
    {
        while true {
            heedFarewell(of: connection, secure, now)
            secure.encrypt(connection, most: sendableCount(of: connection))
            // In the same packet as the last words, so that a client reads both at once.
            if secure.holdsAll(of: connection), connection.saysFarewell { secure.close() }
            guard secure.session.hasCiphertext else { return true }
            switch secure.session.withCiphertext(transport.socket.write) {
            case .wrote(let count):
                let sent = secure.sent(count)
                if sent > 0 { engine.sent(sent, on: connection.id, at: time(now)) }
            case .wouldBlock:
                watch(connection.id.place, for: appetite(connection).union(.write))
                return false
            case .failed:
                lost(transport)
                return false
            }
        }
    }
}

extension Connection {
    /// Whether it ends with a farewell of TLS once its output is gone: a crash and a reset have none.
    fileprivate var saysFarewell: Bool { (ending == .close || ending == .lingering) && !endsAbruptly }
}
