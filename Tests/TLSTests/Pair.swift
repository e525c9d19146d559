import TLS
import TestSupport

/// A client and a server whose ciphertext is carried in memory.
final class Pair {
    let client: TLSSession
    let server: TLSSession
    /// How many bytes are handed over at a time.
    var step = Int.max
    /// What the two said in all, as ciphertext.
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

    /// A pair of those that agree, with the handshake done.
    static func open(_ versions: Set<TLSVersion> = Set(TLSVersion.allCases)) throws -> Pair {
        let pair = Pair(
            client: try .client(trust: .only(Certificates.authority.certificate), versions: versions),
            server: try Certificates.local.server(versions: versions))
        pair.settle()
        return pair
    }

    /// Carries bytes both ways until neither side has any.
    func settle() {
        while client.hasCiphertext || server.hasCiphertext {
            fromClient += Self.carry(from: client, to: server, step: step)
            fromServer += Self.carry(from: server, to: client, step: step)
        }
    }

    /// Takes all ciphertext of one side and hands it to the other, in pieces.
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

    /// Everything that is decrypted.
    func readAll() -> [UInt8] {
        var bytes: [UInt8] = []
        while readPlaintext(into: &bytes, limit: 1 << 20) {}
        return bytes
    }
}
