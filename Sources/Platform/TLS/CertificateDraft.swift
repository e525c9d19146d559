import COpenSSL

/// A certificate that is being written.
struct CertificateDraft {
    let certificate: X509Certificate

    init(
        subject: String, key: PrivateKey, serial: [UInt8], notBefore: Int64, notAfter: Int64
    ) throws(TLSError) {
        precondition((1...20).contains(serial.count), Misuse.noSerial)
        OpenSSLErrors.clear()
        guard let new = X509_new() else { throw TLSContext.failure("X509_new") }
        certificate = X509Certificate(owning: new)
        // RFC 5280 §4.1.2.2: positive, at most 20 bytes; so the highest bit goes.
        var serial = serial
        serial[0] &= 0x7F
        if serial.allSatisfy({ $0 == 0 }) { serial[serial.count - 1] = 1 }
        let number = BN_bin2bn(serial, Int32(serial.count), nil)
        defer { BN_free(number) }
        let name = X509_get_subject_name(new)
        // RFC 5280 appendix A.1: a common name has at most 64 characters.
        let text = Array(String(subject.unicodeScalars.prefix(64)).utf8)
        guard BN_to_ASN1_INTEGER(number, X509_get_serialNumber(new)) != nil,
            X509_set_version(new, 2) == 1,
            ASN1_TIME_set(X509_getm_notBefore(new), time_t(notBefore)) != nil,
            ASN1_TIME_set(X509_getm_notAfter(new), time_t(notAfter)) != nil,
            X509_NAME_add_entry_by_NID(name, NID_commonName, V_ASN1_UTF8STRING, text, Int32(text.count), -1, 0) == 1,
            X509_set_pubkey(new, key.pointer) == 1
        else { throw TLSContext.failure("X509_set") }
    }

    func setIssuer(_ issuer: X509Certificate) throws(TLSError) {
        guard X509_set_issuer_name(certificate.pointer, X509_get_subject_name(issuer.pointer)) == 1 else {
            throw TLSContext.failure("X509_set_issuer_name")
        }
    }

    /// Adds an extension as OpenSSL's configuration files write it; the values hold no text from outside unchecked.
    func extend(_ kind: Int32, _ value: String, issuer: X509Certificate) throws(TLSError) {
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, issuer.pointer, certificate.pointer, nil, nil, 0)
        guard let new = X509V3_EXT_nconf_nid(nil, &context, kind, value) else {
            throw TLSContext.failure("X509V3_EXT_nconf_nid")
        }
        defer { X509_EXTENSION_free(new) }
        guard X509_add_ext(certificate.pointer, new, -1) == 1 else { throw TLSContext.failure("X509_add_ext") }
    }

    func signed(by key: PrivateKey) throws(TLSError) -> X509Certificate {
        guard X509_sign(certificate.pointer, key.pointer, EVP_sha256()) > 0 else {
            throw TLSContext.failure("X509_sign")
        }
        return certificate
    }
}

extension PrivateKey {
    /// A new key on P-256.
    static func make() throws(TLSError) -> PrivateKey {
        guard COpenSSL_initialise() == 1 else { throw TLSContext.failure("OPENSSL_init_ssl") }
        OpenSSLErrors.clear()
        guard let key = COpenSSL_make_p256_key() else { throw TLSContext.failure("EVP_EC_gen") }
        return PrivateKey(owning: key)
    }
}

extension CertificateName {
    /// The name as an alternative name of a certificate.
    var alternative: String {
        switch self {
        case .dns(let name): "DNS:\(name)"
        case .ip: "IP:\(description)"
        }
    }

    /// The name as what an authority may vouch for: an address with a mask of ones.
    var constraint: String {
        switch self {
        case .dns(let name): "DNS:\(name)"
        case .ip(let bytes):
            "IP:\(description)/"
                + (bytes.count == 4
                    ? "255.255.255.255" : Array(repeating: "ffff", count: 8).joined(separator: ":"))
        }
    }
}
