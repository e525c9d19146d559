import COpenSSL

/// A certificate in OpenSSL's hands.
final class X509Certificate {
    let pointer: OpaquePointer

    init(owning pointer: OpaquePointer) { self.pointer = pointer }

    /// Shares a certificate that somebody else owns.
    init(sharing pointer: OpaquePointer) {
        X509_up_ref(pointer)
        self.pointer = pointer
    }

    deinit { X509_free(pointer) }

    var pem: [UInt8]? { PEM.bytes { PEM_write_bio_X509($0, pointer) } }

    var notBefore: Int64 { Self.seconds(X509_get0_notBefore(pointer)) }

    var notAfter: Int64 { Self.seconds(X509_get0_notAfter(pointer)) }

    var subject: String { Self.text(X509_get_subject_name(pointer)) }

    var issuer: String { Self.text(X509_get_issuer_name(pointer)) }

    var isAuthority: Bool { X509_check_ca(pointer) == 1 }

    /// The encoding that is signed and whose digest is the fingerprint.
    var der: [UInt8] {
        let count = Int(i2d_X509(pointer, nil))
        guard count > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
            var target = buffer.baseAddress
            written = max(0, Int(i2d_X509(pointer, &target)))
        }
    }

    /// Host names and addresses of the subject's alternative names (RFC 5280 §4.2.1.6).
    var names: [CertificateName] {
        guard let extracted = X509_get_ext_d2i(pointer, NID_subject_alt_name, nil, nil) else { return [] }
        let list = OpaquePointer(extracted)
        defer { GENERAL_NAMES_free(list) }
        return (0..<max(0, OPENSSL_sk_num(list))).compactMap { index in
            guard let value = OPENSSL_sk_value(list, index) else { return nil }
            let name = value.assumingMemoryBound(to: GENERAL_NAME.self).pointee
            guard name.type == GEN_DNS || name.type == GEN_IPADD, let string = name.d.ia5 else { return nil }
            let bytes = UnsafeBufferPointer(start: string.pointee.data, count: Int(string.pointee.length))
            return name.type == GEN_DNS ? .dns(String(decoding: bytes, as: UTF8.self)) : .ip([UInt8](bytes))
        }
    }

    /// Seconds since 1970; a time that cannot be read counts as 1970.
    private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64 {
        guard let epoch = ASN1_TIME_set(nil, 0) else { return 0 }
        defer { ASN1_STRING_free(epoch) }
        var days: Int32 = 0
        var seconds: Int32 = 0
        guard ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else {
            OpenSSLErrors.clear()
            return 0
        }
        return Int64(days) * 86_400 + Int64(seconds)
    }

    /// The common name, else the organisation, else all there is.
    private static func text(_ name: OpaquePointer?) -> String {
        for kind in [NID_commonName, NID_organizationName, NID_organizationalUnitName] {
            let index = X509_NAME_get_index_by_NID(name, kind, -1)
            guard index >= 0, let value = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, index)) else { continue }
            var text: UnsafeMutablePointer<UInt8>?
            let count = ASN1_STRING_to_UTF8(&text, value)
            defer { CRYPTO_free(text, #file, #line) }
            guard count > 0, let text else { continue }
            return String(decoding: UnsafeBufferPointer(start: text, count: Int(count)), as: UTF8.self)
        }
        OpenSSLErrors.clear()
        return ""
    }
}

extension X509Certificate {
    /// Whether its name constraints let it vouch for a name (RFC 5280 §4.2.1.10).
    func permits(_ name: CertificateName) -> Bool {
        guard let found = X509_get_ext_d2i(pointer, NID_name_constraints, nil, nil) else { return true }
        let constraints = found.assumingMemoryBound(to: NAME_CONSTRAINTS.self)
        defer { NAME_CONSTRAINTS_free(constraints) }
        // OpenSSL checks whole certificates: one with this name alone.
        guard let probe = X509_new() else { return false }
        defer { X509_free(probe) }
        guard let names = X509V3_EXT_nconf_nid(nil, nil, NID_subject_alt_name, name.alternative) else { return false }
        defer {
            X509_EXTENSION_free(names)
            OpenSSLErrors.clear()
        }
        guard X509_add_ext(probe, names, -1) == 1 else { return false }
        // Fills in what the certificate caches of its extensions.
        X509_check_ca(probe)
        return NAME_CONSTRAINTS_check(probe, constraints) == X509_V_OK
    }
}
