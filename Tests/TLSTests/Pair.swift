import TLS
import TestSupport

/// A client and a server that exchange ciphertext in memory.
final class Pair {
    let client: TLSSession
    let server: TLSSession
    /// The number of bytes transferred at a time.
    var step = Int.max
    /// All ciphertext from the client and from the server.
    private(set) var fromClient: [UInt8] = []
    private(set) var fromServer: [UInt8] = []

    init(client: TLSSession, server: TLSSession) {
        self.client = client
        self.server = server
    }

    convenience init(
        client: TLSContext, server: TLSContext, host: String = "localhost", resuming ticket: TLSTicket? = nil
    ) {
        self.init(
            client: TLSSession(client: client, host: host, resuming: ticket, now: Certificates.now),
            server: TLSSession(server: server))
    }

    /// A compatible pair after the handshake.
    static func open(_ versions: Set<TLSVersion> = Set(TLSVersion.allCases)) throws -> Pair {
        let pair = Pair(
            client: try .client(trust: .only(Certificates.authority.certificate), versions: versions),
            server: try Certificates.local.server(versions: versions))
        pair.settle()
        return pair
    }

    /// Transfers bytes in both directions until neither side has any.
    func settle() {
        while client.hasCiphertext || server.hasCiphertext {
            fromClient += Self.carry(from: client, to: server, step: step)
            fromServer += Self.carry(from: server, to: client, step: step)
        }
    }

    /// Transfers all of one side's ciphertext to the other side, in pieces.
    @discardableResult
    static func carry(from sender: TLSSession, to receiver: TLSSession?, step: Int = .max) -> [UInt8] {
        let bytes = sender.withCiphertext { Array($0) }
        sender.takeCiphertext(bytes.count)
        if let receiver { for piece in bytes.pieces(of: step) { receiver.receive(Array(piece)) } }
        return bytes
    }
}

extension TLSSession {
    func receive(_ bytes: [UInt8]) { bytes.withUnsafeBytes { receive($0) } }

    func write(_ bytes: [UInt8]) -> Int { bytes.withUnsafeBytes { write($0) } }

    /// All decrypted bytes.
    func readAll() -> [UInt8] {
        var bytes: [UInt8] = []
        while readPlaintext(into: &bytes, limit: 1 << 20) {}
        return bytes
    }
}
