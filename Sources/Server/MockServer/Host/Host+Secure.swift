import Sockets
import TLS

/// Connections over TLS: decrypting before the engine, encrypting after it.
extension Host {
    /// The address and certificate of a TLS listener.
    public struct Secure: Sendable {
        public var address: SocketAddress
        /// The server's certificate, and the ones between it and its CA, as PEM.
        public var certificates: [UInt8]
        /// The private key of the first certificate, as PEM.
        public var key: [UInt8]
        /// The log's advice if a client does not trust the certificate: a sentence, or nothing.
        public var advice: String

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

    /// Decrypts what has arrived, and passes it to the engine.
    func receive(
        _ bytes: UnsafeRawBufferPointer, over secure: SecureStream, _ transport: Transport, _ now: MonotonicInstant
    ) {
        secure.hasReceived = true
        secure.session.receive(bytes)
        pump(secure, transport, now)
    }

    /// Handles the end of the stream; without the peer's close_notify, HTTP notices that a request is incomplete.
    func receiveEndOfStream(over secure: SecureStream, _ transport: Transport, _ now: MonotonicInstant) {
        secure.session.receiveEndOfStream()
        // A bare port scan is not an error, and HTTP and WebSocket notice what a missing close_notify cuts off.
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

    /// Reports the peer's close_notify to the engine, not before it would read on, as with the end of a plain stream.
    private func heedFarewell(of connection: Connection, _ secure: SecureStream, _ now: MonotonicInstant) {
        guard secure.session.phase == .closed, connection.ending == .none, !engine.isReadingPaused(connection) else {
            return
        }
        tap?.finished(connection.id.number, false, time(now))
        engine.receiveEndOfStream(on: connection.id, at: time(now))
    }

    private func failed(_ secure: SecureStream, _ transport: Transport, _ now: MonotonicInstant) {
        // Once, and not after our close_notify: what the client then does to the connection does not matter.
        guard !secure.isClosed, let failure = secure.session.failure else { return }
        secure.fail()
        if case .plainHTTP = failure {
            transports[transport.id.place]?.secure = nil
            engine.spokePlainHTTP(transport.id, at: time(now))
        } else {
            engine.tlsFailed(failure.description(advice: trustAdvice), on: transport.id, at: time(now))
        }
    }

    /// Encrypts and sends the pending output.
    ///
    /// - Returns: false if the socket takes no more, or has failed: there is nothing more to do for the connection.
    func send(_ connection: Connection, over secure: SecureStream, _ transport: Transport, _ now: MonotonicInstant)
        -> Bool
    {
        while true {
            heedFarewell(of: connection, secure, now)
            secure.encrypt(connection, most: sendableCount(of: connection))
            // In the same packet as the last output, so that a client reads both at once.
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
    /// Whether it ends with a close_notify once its output is sent: a crash and a reset have none.
    fileprivate var saysFarewell: Bool { (ending == .close || ending == .lingering) && !endsAbruptly }
}
