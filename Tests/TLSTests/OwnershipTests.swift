import COpenSSL
import Testing

@testable import TLS

@Suite("Memory owned by OpenSSL")
struct OwnershipTests {
    /// Counts how often OpenSSL frees the marked objects: one index for sessions, one for contexts.
    final class Freed {
        private(set) var count = 0

        private static func index(_ kind: Int32) -> Int32 {
            CRYPTO_get_ex_new_index(kind, 0, nil, nil, nil) { _, pointer, _, _, _, _ in
                guard let pointer else { return }
                Unmanaged<Freed>.fromOpaque(pointer).takeUnretainedValue().count += 1
            }
        }

        private static let session = index(CRYPTO_EX_INDEX_SSL)
        private static let context = index(CRYPTO_EX_INDEX_SSL_CTX)
        private static let certificate = index(CRYPTO_EX_INDEX_X509)
        private static let ticket = index(CRYPTO_EX_INDEX_SSL_SESSION)

        private var address: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

        func watch(_ session: TLSSession) { #expect(SSL_set_ex_data(session.pointer, Self.session, address) == 1) }

        func watch(_ context: TLSContext) { #expect(SSL_CTX_set_ex_data(context.pointer, Self.context, address) == 1) }

        func watch(_ certificate: X509Certificate) {
            #expect(X509_set_ex_data(certificate.pointer, Self.certificate, address) == 1)
        }

        func watch(_ ticket: TLSTicket) { #expect(SSL_SESSION_set_ex_data(ticket.pointer, Self.ticket, address) == 1) }
    }

    @Test("Sessions, contexts and tickets free OpenSSL's objects in every state", arguments: TLSVersion.allCases)
    func frees(_ version: TLSVersion) throws {
        let (sessions, contexts, tickets) = (Freed(), Freed(), Freed())
        do {
            let client = try Certificates.client(versions: [version])
            let server = try Certificates.local.server()
            contexts.watch(client)
            contexts.watch(server)
            for stage in 0..<5 {
                let pair = Pair(client: client, server: server, host: stage == 4 ? "wrong" : "localhost")
                sessions.watch(pair.client)
                sessions.watch(pair.server)
                if stage == 0 { continue }
                Pair.carry(from: pair.client, to: pair.server)
                if stage == 1 { continue }
                pair.settle()
                if stage == 2 { continue }
                #expect(pair.client.readAll().isEmpty)
                if stage == 3, let ticket = pair.client.takeTicket() { tickets.watch(ticket) }
                pair.client.close()
            }
            #expect(sessions.count == 10)
            #expect(contexts.count == 0)
        }
        #expect(contexts.count == 2)
        #expect(tickets.count == 1)
    }

    @Test("A session retains its context")
    func keepsContext() throws {
        let contexts = Freed()
        var pair: Pair? = try {
            let server = try Certificates.local.server()
            contexts.watch(server)
            return Pair(client: try Certificates.client(), server: server)
        }()
        pair?.settle()
        #expect(pair?.server.phase == .open)
        #expect(contexts.count == 0)
        pair = nil
        #expect(contexts.count == 1)
    }

    @Test("Certificates and their notes free OpenSSL's objects")
    func certificates() throws {
        let freed = Freed()
        do {
            for certificate in try PEM.certificates(Certificates.local.certificates, as: .certificate) {
                freed.watch(certificate)
                _ = X509Certificate(sharing: certificate.pointer).facts
                #expect(freed.count == 0 || freed.count == 1)
            }
        }
        #expect(freed.count == 2)
    }

    @Test("The error queue is empty after every failure")
    func errorQueue() throws {
        let check = { (what: String) in #expect(ERR_peek_error() == 0, "\(what)") }
        _ = try? CertificateFacts.read(pem: [1, 2, 3])
        check("no PEM")
        _ = try? TLSContext.server(certificates: Certificates.local.certificates, key: Certificates.other.key)
        check("wrong key")
        _ = try? CertificateName("no address")
        check("name")
        _ = try? Certificates.authority.issue(for: [.dns("example.com")], now: Certificates.now, serial: [1])
        check("not permitted")
        let server = try Certificates.local.server()
        let client = try Certificates.client()
        check("contexts")
        _ = try TLSContext.client(trust: .system)
        check("trust")
        let authority = TLSTrust.systemAnd(Certificates.authority.certificate)
        Pair(client: try TLSContext.client(trust: authority), server: server).settle()
        check("handshake with the system's authorities")
        for host in ["localhost", "example.com", ""] {
            let pair = Pair(client: client, server: server, host: host)
            check("hello to \(host)")
            pair.settle()
            check("handshake with \(host)")
            _ = pair.client.readAll()
            pair.server.receive([23, 3, 3, 0, 40] + [UInt8](repeating: 0, count: 40))
            _ = pair.server.readAll()
            check("bad record with \(host)")
            pair.server.close()
            pair.client.close()
            pair.client.receiveEndOfStream()
            check("end with \(host)")
        }
    }
}

extension X509Certificate {
    fileprivate var facts: CertificateFacts { CertificateFacts(self) }
}
