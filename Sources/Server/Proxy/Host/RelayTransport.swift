import Sockets
import TLS

/// One TCP connection with its interest in the loop, and TLS if it is spoken there.
final class RelayTransport {
    let socket: Socket
    /// Its token in the loop.
    let token: UInt64
    /// TLS; nil for plaintext connections.
    let session: TLSSession?
    /// What the loop watches it for; nil if it is no longer watched.
    var interest: Interest?
    /// Whether our stream has ended.
    var isShutDown = false
    /// Whether the other side's stream has ended.
    var hasEnded = false
    /// Whether anything has arrived over TLS.
    private(set) var hasReceived = false
    /// Whether the other side's stream ended without close_notify.
    private(set) var wasCutOff = false
    /// Whether the other side accepts nothing more.
    var takesNothing = false
    /// Whether further input is meaningless because TLS failed.
    private var isDeaf = false

    init(_ socket: Socket, token: UInt64, session: TLSSession?, interest: Interest) {
        self.socket = socket
        self.token = token
        self.session = session
        self.interest = interest
    }

    /// Whether bytes can be exchanged: at once, or after the TLS handshake.
    var isOpen: Bool { session.map { $0.phase == .open || $0.phase == .closed } ?? true }
    var isShakingHands: Bool { session?.phase == .handshaking }
    /// Whether nothing more can be sent: pending bytes can be dropped.
    var isMute: Bool { isShutDown || takesNothing || session?.phase == .failed }

    /// The result of reading.
    enum Arrival {
        /// Bytes at the front of the buffer; none if TLS consumed them.
        case bytes(UnsafeRawBufferPointer)
        /// The other side ended its stream, after those bytes.
        case end(UnsafeRawBufferPointer)
        /// Nothing more at present.
        case nothing
        case broken
        case failed(TLSError, UnsafeRawBufferPointer)
    }

    /// Reads once and decrypts; the bytes are valid only during the call of `body`.
    func read(_ buffer: UnsafeMutableRawBufferPointer, plaintext: inout [UInt8], _ body: (Arrival) -> Void) {
        let result = socket.read(into: buffer)
        guard let session, !isDeaf else {
            switch result {
            case .bytes where isDeaf: body(.nothing)
            case .bytes(let count): body(.bytes(UnsafeRawBufferPointer(rebasing: buffer[..<count])))
            case .endOfStream: body(.end(UnsafeRawBufferPointer(rebasing: buffer[..<0])))
            case .wouldBlock: body(.nothing)
            case .failed: body(.broken)
            }
            return
        }
        switch result {
        case .bytes(let count):
            hasReceived = true
            session.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        case .endOfStream: session.receiveEndOfStream()
        case .wouldBlock: return body(.nothing)
        case .failed: return body(.broken)
        }
        plaintext.removeAll(keepingCapacity: true)
        while session.readPlaintext(into: &plaintext, limit: buffer.count) {}
        plaintext.withUnsafeBytes { bytes in
            switch session.phase {
            case .handshaking, .open: body(.bytes(bytes))
            case .closed: body(.end(bytes))
            case .failed:
                isDeaf = true
                guard let failure = session.failure else { return body(.broken) }
                if case .truncated = failure {
                    // Many servers end this way; the protocol above reports missing bytes.
                    wasCutOff = true
                    body(.end(bytes))
                } else {
                    body(.failed(failure, bytes))
                }
            }
        }
    }

    /// The result of sending.
    enum Departure {
        /// Everything was sent.
        case done
        /// The socket accepts no more at present.
        case blocked
        case broken
    }

    /// Sends as much as the socket accepts; `taken` is called with each accepted piece, in plaintext.
    func send(
        _ next: ((UnsafeRawBufferPointer) -> Int) -> Int, _ taken: (Int) -> Void
    ) -> Departure {
        while true {
            var result = WriteResult.wrote(0)
            guard let session else {
                let count = next { bytes in
                    guard !bytes.isEmpty else { return 0 }
                    result = socket.write(bytes)
                    if case .wrote(let count) = result { return count }
                    return 0
                }
                if count > 0 { taken(count) }
                switch result {
                case .wrote(0): return .done
                case .wrote: continue
                case .wouldBlock: return .blocked
                case .failed: return .broken
                }
            }
            while session.hasCiphertext {
                switch session.withCiphertext(socket.write) {
                case .wrote(let count): session.takeCiphertext(count)
                case .wouldBlock: return .blocked
                case .failed: return .broken
                }
            }
            let count = next { $0.isEmpty ? 0 : session.write($0) }
            if count > 0 { taken(count) } else if !session.hasCiphertext { return .done }
        }
    }

    /// Ends our stream after everything was sent.
    ///
    /// With TLS a close_notify comes first; if its few bytes do not fit, they are not missed.
    func finish() {
        guard !isShutDown else { return }
        isShutDown = true
        if let session, session.phase != .failed {
            session.close()
            while session.hasCiphertext, case .wrote(let count) = session.withCiphertext(socket.write) {
                session.takeCiphertext(count)
            }
        }
        socket.shutdownWriting()
    }
}
