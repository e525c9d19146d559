import Sockets
import TLS

/// One TCP connection with what the loop watches it for, and TLS between where that is spoken.
final class RelayTransport {
    let socket: Socket
    /// How the loop names it.
    let token: UInt64
    /// TLS; nil where bytes go as they are.
    let session: TLSSession?
    /// What the loop watches it for; nil where it does not any more.
    var interest: Interest?
    /// Whether our stream was ended.
    var isShutDown = false
    /// Whether the other side's stream has ended.
    var hasEnded = false
    /// Whether anything has come over TLS.
    private(set) var hasReceived = false
    /// Whether the other side's stream ended without TLS's farewell.
    private(set) var wasCutOff = false
    /// Whether nothing can be said to the other side any more.
    var takesNothing = false
    /// Whether what still comes means nothing: TLS failed.
    private var isDeaf = false

    init(_ socket: Socket, token: UInt64, session: TLSSession?, interest: Interest) {
        self.socket = socket
        self.token = token
        self.session = session
        self.interest = interest
    }

    /// Whether bytes can be exchanged: at once, or when TLS is agreed on.
    var isOpen: Bool { session.map { $0.phase == .open || $0.phase == .closed } ?? true }
    /// Whether TLS is still to be agreed on.
    var isShakingHands: Bool { session?.phase == .handshaking }
    /// Whether there is nothing that could be said over it: its bytes can be dropped.
    var isMute: Bool { isShutDown || takesNothing || session?.phase == .failed }

    /// What came of a reading.
    enum Arrival {
        /// So many bytes stand at the front of the buffer; none where TLS kept them.
        case bytes(UnsafeRawBufferPointer)
        /// The other side ended its stream, after those bytes.
        case end(UnsafeRawBufferPointer)
        /// Nothing more at present.
        case nothing
        /// The connection is broken.
        case broken
        /// TLS failed.
        case failed(TLSError, UnsafeRawBufferPointer)
    }

    /// Reads once, and decrypts what came; the bytes are valid only during the call of `body`.
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
                    // Many servers end so; what is missing is told of by the protocol above.
                    wasCutOff = true
                    body(.end(bytes))
                } else {
                    body(.failed(failure, bytes))
                }
            }
        }
    }

    /// What came of sending.
    enum Departure {
        /// All is on its way.
        case done
        /// The socket takes no more at present.
        case blocked
        /// The connection is broken.
        case broken
    }

    /// Sends as much as the socket takes; `taken` is told of each piece that was, in plaintext.
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

    /// Ends our stream, which everything was sent of.
    ///
    /// With TLS that is said before; the few bytes find room, or go without being missed.
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
