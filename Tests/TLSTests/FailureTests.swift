import COpenSSL
import Testing

@testable import TLS

@Suite("Failures that OpenSSL reports")
struct FailureTests {
    private func error(_ failure: OpenSSLFailure?, isEnded: Bool, inHandshake: Bool = false) -> TLSError {
        let wire = TLSWire()
        wire.isEnded = isEnded
        return TLSError(
            failure, from: .client, host: "", inHandshake: inHandshake, receivedCount: 7, firstBytes: [], wire: wire)
    }

    @Test("Without a reason from OpenSSL, the end of the stream is reported as the reason")
    func noReason() {
        #expect(error(nil, isEnded: true) == .truncated(from: .client))
        #expect(error(nil, isEnded: true, inHandshake: true) == .hungUp(from: .client, afterBytes: 7))
        #expect(error(nil, isEnded: false) == .violation(from: .client, reason: ""))
        #expect(error(nil, isEnded: false, inHandshake: true) == .violation(from: .client, reason: ""))
    }

    @Test("Other reasons keep OpenSSL's words, even at the end of the stream", arguments: [true, false])
    func reasonFromElsewhere(_ isEnded: Bool) throws {
        #expect(COpenSSL_initialise() == 1)
        OpenSSLErrors.clear()
        let bio = BIO_new(BIO_s_mem())
        defer { BIO_free(bio) }
        // Reading an empty PEM leaves an error that does not belong to a session.
        #expect(PEM_read_bio_X509(bio, nil, nil, nil) == nil)
        let failure = try #require(OpenSSLErrors.take())
        #expect(!failure.isOfSSL)
        #expect(error(failure, isEnded: isEnded) == .violation(from: .client, reason: failure.text))
    }
}
