import COpenSSL

/// A session's state for OpenSSL's callbacks: the bytes in both directions, and the reasons for rejections.
///
/// OpenSSL keeps its address in the BIO and the SSL, so it must live as long as its session.
final class TLSWire {
    /// The peer's ciphertext; OpenSSL has not read the bytes starting at ``incomingStart``.
    private(set) var incoming: [UInt8] = []
    private var incomingStart = 0
    /// This end's ciphertext; the bytes starting at ``outgoingStart`` are unsent.
    private(set) var outgoing: [UInt8] = []
    private var outgoingStart = 0
    /// Whether the stream ends after ``incoming``.
    var isEnded = false
    /// The client's ALPN offer, if it was rejected.
    var refusedProtocols: [String]?
    /// The reason for rejecting the peer's certificate.
    var refusal: CertificateRefusal?
    /// The newest session that the server allows the client to resume.
    var ticket: OpaquePointer?
    deinit { SSL_SESSION_free(ticket) }
    var unread: ArraySlice<UInt8> { incoming[incomingStart...] }
    var unreadCount: Int { incoming.count - incomingStart }
    var unsentCount: Int { outgoing.count - outgoingStart }

    /// Returns the newest session, which the caller must free.
    func takeTicket() -> OpaquePointer? {
        defer { ticket = nil }
        return ticket
    }

    func append(_ bytes: UnsafeRawBufferPointer) {
        // Drop consumed bytes once they outnumber the rest, so that each byte is moved at most once.
        if incomingStart > unreadCount {
            incoming.removeFirst(incomingStart)
            incomingStart = 0
        }
        incoming.append(contentsOf: bytes)
    }

    /// Drops received and unread bytes.
    func dropUnread() { (incoming, incomingStart) = ([], 0) }

    func withUnsent<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        outgoing.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[outgoingStart...])) }
    }

    /// Drops bytes that were sent, and releases the memory when all are sent.
    func dropSent(_ count: Int) {
        outgoingStart += count
        if outgoingStart == outgoing.count {
            (outgoing, outgoingStart) = ([], 0)
        } else if outgoingStart >= TLSLimits.unsentCiphertext {
            outgoing.removeFirst(outgoingStart)
            outgoingStart = 0
        }
    }

    /// OpenSSL's read of ciphertext: the number of bytes, or nil if it must wait for more.
    fileprivate func read(into target: UnsafeMutablePointer<CChar>, _ count: Int) -> Int? {
        let taken = min(count, unreadCount)
        guard taken > 0 else { return isEnded ? 0 : nil }
        UnsafeMutableRawBufferPointer(start: target, count: taken).copyBytes(
            from: incoming[incomingStart..<(incomingStart + taken)])
        incomingStart += taken
        if incomingStart == incoming.count { dropUnread() }
        return taken
    }

    fileprivate func write(_ source: UnsafePointer<CChar>, _ count: Int) {
        outgoing.append(contentsOf: UnsafeRawBufferPointer(start: source, count: count))
    }

    /// The wire of a session that OpenSSL passes to a callback.
    static func of(_ session: OpaquePointer?) -> TLSWire? {
        session.flatMap { SSL_get_ex_data($0, 0) }.map { Unmanaged<TLSWire>.fromOpaque($0).takeUnretainedValue() }
    }

    /// The BIO type that reads from and writes to a wire.
    ///
    /// This BIO replaces OpenSSL's own memory BIOs, whose buffers never shrink: an idle session would keep 40 KiB.
    static func makeMethod() -> OpaquePointer? {
        guard let method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "wire") else { return nil }
        BIO_meth_set_read(method) { bio, target, count in
            guard let wire = TLSWire.of(bio: bio), let target, count > 0 else { return 0 }
            COpenSSL_clear_retry(bio)
            guard let taken = wire.read(into: target, Int(count)) else {
                COpenSSL_ask_for_retry(bio)
                return -1
            }
            return Int32(taken)
        }
        BIO_meth_set_write(method) { bio, source, count in
            guard let wire = TLSWire.of(bio: bio), let source, count > 0 else { return 0 }
            COpenSSL_clear_retry(bio)
            wire.write(source, Int(count))
            return count
        }
        BIO_meth_set_ctrl(method) { bio, command, _, _ in
            switch command {
            case BIO_CTRL_FLUSH: 1
            case BIO_CTRL_PENDING: TLSWire.of(bio: bio)?.unreadCount ?? 0
            case BIO_CTRL_EOF: TLSWire.of(bio: bio)?.isEnded == true ? 1 : 0
            default: 0
            }
        }
        return method
    }

    private static func of(bio: OpaquePointer?) -> TLSWire? {
        bio.flatMap { BIO_get_data($0) }.map { Unmanaged<TLSWire>.fromOpaque($0).takeUnretainedValue() }
    }
}

/// The first bytes from the peer, which distinguish TLS from HTTP and other protocols.
struct Opening {
    enum Verdict: Equatable {
        case tls, undecided
        case other(TLSError)
    }

    /// The first bytes, up to the number that a message shows.
    private(set) var bytes: [UInt8] = []
    private var isTLS = false
    /// The longest request method to wait for.
    private static let longestMethod = 16

    /// Classifies the bytes received so far.
    mutating func judge(_ received: ArraySlice<UInt8>, from sender: TLSRole) -> Verdict {
        guard !isTLS else { return .tls }
        guard let first = received.first else { return .undecided }
        bytes = Array(received.prefix(8))
        // A record starts with its type: 22 for a handshake, 21 for an alert. OpenSSL handles bytes with the highest
        // bit set, such as SSL 2's greeting.
        if first == 22 || first == 21 || first >= 0x80 {
            isTLS = true
            return .tls
        }
        return sender == .client ? Self.request(received) : Self.answer(received)
    }

    /// A request starts with a method and a space (RFC 9112 §3).
    private static func request(_ received: ArraySlice<UInt8>) -> Verdict {
        let method = received.prefix { (0x41...0x5A).contains($0) || $0 == UInt8(ascii: "-") }
        guard !method.isEmpty, method.count <= longestMethod else { return unknown(received, from: .client) }
        guard method.count < received.count else { return .undecided }
        guard received[method.endIndex] == UInt8(ascii: " ") else { return unknown(received, from: .client) }
        return .other(.plainHTTP(from: .client, excerpt: firstLine(received)))
    }

    private static func answer(_ received: ArraySlice<UInt8>) -> Verdict {
        let start = Array("HTTP/".utf8)
        guard zip(received, start).allSatisfy(==) else { return unknown(received, from: .server) }
        guard received.count >= start.count else { return .undecided }
        return .other(.plainHTTP(from: .server, excerpt: firstLine(received)))
    }

    private static func unknown(_ received: ArraySlice<UInt8>, from sender: TLSRole) -> Verdict {
        .other(.notTLS(from: sender, bytes: Array(received.prefix(8))))
    }

    private static func firstLine(_ received: ArraySlice<UInt8>) -> String {
        let line = received.prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
        return String(decoding: line.prefix(TLSLimits.excerpt), as: UTF8.self)
    }
}
