/// The first bytes of the other side, which tell TLS from HTTP and anything else.
struct Opening {
    enum Verdict: Equatable {
        case tls
        case undecided
        case other(TLSError)
    }

    /// The first bytes, as many as a message shows.
    private(set) var bytes: [UInt8] = []
    private var isTLS = false

    /// The longest method of a request that is waited for.
    private static let longestMethod = 16

    /// Judges the bytes since the beginning, as long as they were undecided.
    mutating func judge(_ received: ArraySlice<UInt8>, from sender: TLSRole) -> Verdict {
        guard !isTLS else { return .tls }
        guard let first = received.first else { return .undecided }
        bytes = Array(received.prefix(8))
        // A record begins with its type: 22 for a handshake, 21 for an alert. Of others with the highest bit, as of
        // SSL 2's greeting, OpenSSL knows what to say.
        if first == 22 || first == 21 || first >= 0x80 {
            isTLS = true
            return .tls
        }
        switch sender {
        case .client: return Self.request(received)
        case .server: return Self.answer(received)
        }
    }

    /// A request begins with a method and a space (RFC 9112 §3).
    private static func request(_ received: ArraySlice<UInt8>) -> Verdict {
        let method = received.prefix { (0x41...0x5A).contains($0) || $0 == UInt8(ascii: "-") }
        guard !method.isEmpty, method.count <= longestMethod else { return unknown(received, from: .client) }
        guard method.count < received.count else { return .undecided }
        guard received[method.endIndex] == UInt8(ascii: " ") else { return unknown(received, from: .client) }
        return .other(.plainHTTP(from: .client, excerpt: firstLine(received)))
    }

    private static func answer(_ received: ArraySlice<UInt8>) -> Verdict {
        let start = Array("HTTP/".utf8)
        guard received.prefix(start.count).elementsEqual(start.prefix(received.count)) else {
            return unknown(received, from: .server)
        }
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
