import COpenSSL
import Testing

@testable import TLS

/// OpenSSL's input, and the classification of a connection's first bytes.
@Suite("The TLS wire")
struct WireTests {
    private func append(_ bytes: [UInt8], to session: TLSSession) {
        bytes.withUnsafeBytes { session.wire.append($0) }
    }

    private func read(_ count: Int, of session: TLSSession) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let taken = BIO_read(SSL_get_rbio(session.pointer), &bytes, Int32(count))
        return Array(bytes.prefix(max(0, Int(taken))))
    }

    @Test("The wire removes read bytes once they outnumber the unread bytes")
    func makesRoom() throws {
        let session = TLSSession(server: try Certificates.local.server())
        append([1, 2, 3, 4, 5, 6, 7, 8], to: session)
        #expect(read(4, of: session) == [1, 2, 3, 4])
        append([9], to: session)
        #expect(session.wire.incoming.count == 9)
        #expect(read(1, of: session) == [5])
        append([10], to: session)
        #expect(session.wire.incoming == [6, 7, 8, 9, 10])
        #expect(Array(session.wire.unread) == [6, 7, 8, 9, 10])
    }

    @Test("OpenSSL can query how many bytes are waiting and whether more may arrive")
    func tells() throws {
        let session = TLSSession(server: try Certificates.local.server())
        let ask = { (command: Int32) in BIO_ctrl(SSL_get_rbio(session.pointer), command, 0, nil) }
        #expect(ask(BIO_CTRL_EOF) == 0)
        #expect(ask(BIO_CTRL_PENDING) == 0)
        append([1, 2, 3], to: session)
        session.wire.isEnded = true
        #expect(ask(BIO_CTRL_EOF) == 1)
        #expect(ask(BIO_CTRL_PENDING) == 3)
    }

    @Test(
        "A session passes input to OpenSSL only if its first byte is from TLS or SSL 2",
        arguments: [
            (20, false), (21, true), (22, true), (23, false), (0x7F, false), (0x80, true), (0xFF, true),
        ] as [(UInt8, Bool)], [TLSRole.client, .server])
    func firstByte(_ table: (byte: UInt8, isTLS: Bool), _ sender: TLSRole) {
        var opening = Opening()
        let verdict = opening.judge([table.byte], from: sender)
        let other = Opening.Verdict.other(.notTLS(from: sender, bytes: [table.byte]))
        #expect(verdict == (table.isTLS ? Opening.Verdict.tls : other))
        #expect(opening.bytes == [table.byte])
    }
}
