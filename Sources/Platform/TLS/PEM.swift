import COpenSSL

/// Reads certificates and keys from PEM (RFC 7468), with a separate error for each kind of defect.
enum PEM {
    /// The certificates in order, at least one; text between the blocks is skipped.
    static func certificates(_ pem: [UInt8], as material: TLSMaterial) throws(TLSError) -> [X509Certificate] {
        let bio = try open(pem, as: material)
        defer { BIO_free(bio) }
        var certificates: [X509Certificate] = []
        // Without this callback, OpenSSL would prompt for a passphrase on the terminal.
        while let certificate = PEM_read_bio_X509(bio, nil, { _, _, _, _ in -1 }, nil) {
            certificates.append(X509Certificate(owning: certificate))
        }
        // OpenSSL reports the end as an error; any other error means a truncated or damaged block.
        if let failure = OpenSSLErrors.take(), !failure.isEndOfPEM { throw .damaged(material) }
        guard !certificates.isEmpty else { throw .notPEM(material) }
        return certificates
    }

    /// The first private key, of any type that OpenSSL supports.
    static func key(_ pem: [UInt8]) throws(TLSError) -> PrivateKey {
        let bio = try open(pem, as: .key)
        defer { BIO_free(bio) }
        if let key = PEM_read_bio_PrivateKey(bio, nil, { _, _, _, _ in -1 }, nil) {
            OpenSSLErrors.clear()
            return PrivateKey(owning: key)
        }
        // OpenSSL's errors do not distinguish a missing key from a damaged one.
        OpenSSLErrors.clear()
        let text = String(decoding: pem, as: UTF8.self)
        guard text.contains("PRIVATE KEY-----") else { throw .notPEM(.key) }
        let isEncrypted = text.contains("BEGIN ENCRYPTED PRIVATE KEY") || text.contains("Proc-Type: 4,ENCRYPTED")
        throw isEncrypted ? .encryptedKey : .damaged(.key)
    }

    private static func open(_ pem: [UInt8], as material: TLSMaterial) throws(TLSError) -> OpaquePointer {
        guard pem.count <= TLSLimits.pemFile else { throw .tooLarge(material, bytes: pem.count) }
        guard !pem.isEmpty else { throw .notPEM(material) }
        guard COpenSSL_initialise() == 1 else { throw TLSContext.failure("OPENSSL_init_ssl") }
        OpenSSLErrors.clear()
        guard let bio = BIO_new(BIO_s_mem()), BIO_write(bio, pem, Int32(pem.count)) == Int32(pem.count) else {
            throw .outOfMemory(reason: "BIO")
        }
        return bio
    }

    /// The bytes that `write` writes to a BIO.
    static func bytes(_ write: (OpaquePointer) -> Int32) -> [UInt8]? {
        guard let bio = BIO_new(BIO_s_mem()) else { return nil }
        defer { BIO_free(bio) }
        guard write(bio) == 1 else { return nil }
        var start: UnsafeMutablePointer<CChar>?
        let count = COpenSSL_memory(bio, &start)
        return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }
}

extension OpenSSLFailure {
    fileprivate var isEndOfPEM: Bool { ERR_GET_LIB(code) == ERR_LIB_PEM && reason == PEM_R_NO_START_LINE }
}

final class PrivateKey {
    let pointer: OpaquePointer
    init(owning pointer: OpaquePointer) { self.pointer = pointer }
    deinit { EVP_PKEY_free(pointer) }
    /// The key in PKCS #8, unencrypted.
    var pem: [UInt8]? { PEM.bytes { PEM_write_bio_PKCS8PrivateKey($0, pointer, nil, nil, 0, nil, nil) } }
}
