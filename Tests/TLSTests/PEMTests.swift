import COpenSSL
import Testing

@testable import TLS

@Suite("PEM")
struct PEMTests {
    static let local = Certificates.local

    private func server(_ certificates: [UInt8] = local.certificates, _ key: [UInt8] = local.key) throws -> TLSContext {
        try .server(certificates: certificates, key: key)
    }

    @Test(
        "Loading text that is not PEM throws",
        arguments: [[], [0], Array("hello".utf8), [UInt8](repeating: 0x30, count: 500), local.key])
    func notPEM(_ bytes: [UInt8]) {
        #expect(throws: TLSError.notPEM(.certificate)) { try server(bytes) }
        #expect(throws: TLSError.notPEM(.trust)) { try TLSContext.client(trust: .only(bytes)) }
        #expect(throws: TLSError.notPEM(.trust)) { try TLSContext.client(trust: .systemAnd(bytes)) }
        #expect(throws: TLSError.notPEM(.certificate)) { try CertificateFacts.read(pem: bytes) }
        if bytes != Self.local.key {
            #expect(throws: TLSError.notPEM(.key)) { try server(Self.local.certificates, bytes) }
        }
    }

    @Test("Loading a certificate in place of a key throws")
    func noKey() {
        #expect(throws: TLSError.notPEM(.key)) { try server(Self.local.certificates, Self.local.certificates) }
    }

    @Test("A file can contain the key and certificates with text between them")
    func together() throws {
        let file = Array("The key:\n".utf8) + Self.local.key + Array("\nThe rest:\r\n".utf8) + Self.local.certificates
        #expect(try Pair(client: Certificates.client(), server: server(file, file)).server.phase == .handshaking)
        #expect(try CertificateFacts.read(pem: file).count == 2)
    }

    @Test("A file can have Windows line endings")
    func windows() throws {
        let text = { (pem: [UInt8]) in pem.flatMap { $0 == 10 ? [13, 10] : [$0] } }
        _ = try server(text(Self.local.certificates), text(Self.local.key))
    }

    @Test("A truncated file throws or yields fewer certificates")
    func cut() throws {
        let pem = Self.local.certificates
        for count in 0..<pem.count {
            do {
                // The second certificate is complete even without its last newline.
                let whole = count == pem.count - 1 ? 2 : 1
                #expect(try CertificateFacts.read(pem: Array(pem.prefix(count))).count == whole, "\(count)")
            } catch {
                #expect([.notPEM(.certificate), .damaged(.certificate)].contains(error), "\(count): \(error)")
            }
        }
        for count in 0..<(Self.local.key.count - 1) {
            let error = #expect(throws: TLSError.self) {
                try server(Self.local.certificates, Array(Self.local.key.prefix(count)))
            }
            #expect([.notPEM(.key), .damaged(.key)].contains(error), "\(count)")
        }
    }

    @Test("Loading a damaged certificate after an intact certificate throws")
    func damagedSecond() throws {
        var lines = String(decoding: Self.local.certificates, as: UTF8.self).split(separator: "\n").map(String.init)
        let begin = try #require(lines.lastIndex(of: "-----BEGIN CERTIFICATE-----"))
        #expect(begin > 0)
        lines[begin + 1] = "!" + lines[begin + 1].dropFirst()
        let pem = Array((lines.joined(separator: "\n") + "\n").utf8)
        #expect(throws: TLSError.damaged(.certificate)) { try CertificateFacts.read(pem: pem) }
    }

    @Test("A changed byte throws or yields an untrusted certificate")
    func changed() {
        for index in Self.local.certificates.indices {
            var pem = Self.local.certificates
            pem[index] ^= 1
            do { _ = try CertificateFacts.read(pem: pem) } catch { #expect(!error.description.isEmpty) }
        }
    }

    @Test("Loading accepts a file at the limit and rejects a larger file")
    func limit() throws {
        let text = [UInt8](repeating: 10, count: TLSLimits.pemFile - Self.local.certificates.count)
        #expect(try CertificateFacts.read(pem: text + Self.local.certificates).count == 2)
        #expect(throws: TLSError.tooLarge(.certificate, bytes: TLSLimits.pemFile + 1)) {
            try CertificateFacts.read(pem: [10] + text + Self.local.certificates)
        }
    }

    @Test("Loading a key with a passphrase throws an error that says so", arguments: ["PKCS #8", "traditional"])
    func encrypted(_ form: String) throws {
        let key = try PEM.key(Self.local.key)
        var phrase = Array("secret".utf8)
        let locked = PEM.bytes {
            form == "PKCS #8"
                ? PEM_write_bio_PKCS8PrivateKey($0, key.pointer, EVP_aes_256_cbc(), "secret", 6, nil, nil)
                : PEM_write_bio_PrivateKey_traditional($0, key.pointer, EVP_aes_256_cbc(), &phrase, 6, nil, nil)
        }
        let pem = try #require(locked)
        #expect(throws: TLSError.encryptedKey) { try server(Self.local.certificates, pem) }
    }

    @Test("The error for a wrong key names the matching certificate if the file contains it")
    func wrongKey() throws {
        #expect(throws: TLSError.wrongKey(position: nil)) {
            try server(Self.local.certificates, Certificates.other.key)
        }
        #expect(throws: TLSError.wrongKey(position: 2)) {
            try server(Certificates.authority.certificate + Self.local.certificates, Self.local.key)
        }
    }

    @Test("Loading a server's certificate outside its validity period throws if a time is given")
    func times() throws {
        let (now, issued) = (Certificates.now, Self.local)
        let make = { (time: Int64?) in
            try TLSContext.server(certificates: issued.certificates, key: issued.key, now: time)
        }
        let end = now + CertificateAuthority.serverLifetime
        _ = try make(now - 3_600)
        _ = try make(now)
        _ = try make(end)
        _ = try make(nil)
        #expect(throws: TLSError.expired(subject: "localhost", notAfter: end)) { try make(end + 1) }
        #expect(throws: TLSError.notYetValid(subject: "localhost", notBefore: now - 3_600)) { try make(now - 3_601) }
    }

    @Test("Loading a key that is too short throws an error that says so", arguments: [512, 768])
    func weak(_ bits: Int) throws {
        let key = PrivateKey(owning: try #require(rsaKey(bits: UInt32(bits))))
        let draft = try CertificateDraft(
            subject: "weak", key: key, serial: [1], notBefore: Certificates.now, notAfter: Certificates.now + 100)
        let pem = try #require(try draft.signed(by: key, as: draft.certificate, with: []).pem)
        #expect(throws: TLSError.unusable(.certificate, reason: "ee key too small")) {
            try server(pem, try #require(key.pem))
        }
    }

    private func rsaKey(bits: UInt32) -> OpaquePointer? {
        let context = EVP_PKEY_CTX_new_id(EVP_PKEY_RSA, nil)
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_rsa_keygen_bits(context, Int32(bits)) == 1,
            EVP_PKEY_keygen(context, &key) == 1
        else { return nil }
        return key
    }
}
