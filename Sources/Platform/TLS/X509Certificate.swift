import COpenSSL

/// A certificate in OpenSSL's representation.
final class X509Certificate {
    let pointer: OpaquePointer
    init(owning pointer: OpaquePointer) { self.pointer = pointer }

    /// Shares ownership of a certificate.
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

    /// The DER encoding; its digest is the fingerprint.
    var der: [UInt8] {
        let count = Int(i2d_X509(pointer, nil))
        guard count > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
            var target = buffer.baseAddress
            written = max(0, Int(i2d_X509(pointer, &target)))
        }
    }

    /// The DNS names and IP addresses in the subject's alternative names (RFC 5280 §4.2.1.6).
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

    /// Seconds since 1970; an unreadable time counts as 1970.
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

    /// The common name, or the organisation if there is none, or else the whole name.
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
    /// Whether the name constraints permit a name (RFC 5280 §4.2.1.10).
    func permits(_ name: CertificateName) -> Bool {
        guard let found = X509_get_ext_d2i(pointer, NID_name_constraints, nil, nil) else { return true }
        let constraints = found.assumingMemoryBound(to: NAME_CONSTRAINTS.self)
        defer { NAME_CONSTRAINTS_free(constraints) }
        // OpenSSL checks only whole certificates, so make one with only this name.
        guard let probe = X509_new() else { return false }
        defer { X509_free(probe) }
        guard let names = X509V3_EXT_nconf_nid(nil, nil, NID_subject_alt_name, name.alternative) else { return false }
        defer { OpenSSLErrors.clear() }
        defer { X509_EXTENSION_free(names) }
        guard X509_add_ext(probe, names, -1) == 1 else { return false }
        // This fills the certificate's cache of extensions.
        X509_check_ca(probe)
        return NAME_CONSTRAINTS_check(probe, constraints) == X509_V_OK
    }
}

/// The contents of a certificate.
public struct CertificateFacts: Sendable, Equatable {
    /// The common name of the subject, or else the organisation; empty if there is neither.
    public let subject: String
    /// The issuer's name, chosen in the same way as the subject's.
    public let issuer: String
    /// The host names and IP addresses in the certificate.
    public let names: [CertificateName]
    /// The start of the validity period, in seconds since 1970.
    public let notBefore: Int64
    /// The end of the validity period, in seconds since 1970.
    public let notAfter: Int64
    /// The SHA-256 digest of the encoding, 32 bytes.
    public let sha256: [UInt8]
    public let isAuthority: Bool
    /// How long before its expiry a certificate should be renewed, in seconds: 30 days.
    public static let renewalTime: Int64 = 30 * 86_400

    /// Reads the certificates in a PEM in order; at least one, or a ``TLSError``.
    public static func read(pem: [UInt8]) throws(TLSError) -> [CertificateFacts] {
        try PEM.certificates(pem, as: .certificate).map(CertificateFacts.init)
    }

    init(_ certificate: X509Certificate) {
        subject = certificate.subject
        issuer = certificate.issuer
        names = certificate.names
        notBefore = certificate.notBefore
        notAfter = certificate.notAfter
        isAuthority = certificate.isAuthority
        let der = certificate.der
        // X509_digest would load a provider.
        sha256 = [UInt8](unsafeUninitializedCapacity: Int(SHA256_DIGEST_LENGTH)) { buffer, count in
            SHA256(der, der.count, buffer.baseAddress)
            count = Int(SHA256_DIGEST_LENGTH)
        }
    }

    /// The digest in the format that keychains and browsers show: `AB:CD:…`.
    public var fingerprint: String {
        sha256.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: ":")
    }

    /// The end of the validity period as text, such as `2026-11-21 20:47:26 UTC`.
    public var expiry: String { Messages.time(notAfter) }
    /// Whether the certificate should be renewed at `now` (seconds since 1970): it expires within 30 days or is not yet
    /// valid.
    public func isDue(at now: Int64) -> Bool { now < notBefore || now > notAfter - Self.renewalTime }
    public func covers(_ wanted: [CertificateName]) -> Bool { Set(wanted).isSubset(of: names) }
}

/// A name in a certificate: a host name, or an IP address.
public enum CertificateName: Sendable, Hashable {
    /// A lowercase host name, possibly with `*` as its first label.
    case dns(String)
    /// An IP address of 4 or 16 bytes.
    case ip([UInt8])

    /// The names that this machine uses for itself: `localhost`, `127.0.0.1` and `::1`.
    public static let local: [CertificateName] = [
        .dns("localhost"), .ip([127, 0, 0, 1]), .ip([UInt8](repeating: 0, count: 15) + [1]),
    ]

    /// Parses a host name or an IP address, with or without brackets.
    ///
    /// Host names are letters, digits, `-` and `_` in labels of 1 to 63 bytes, 253 bytes in all (RFC 1035 §2.3.4);
    /// throws ``TLSError/invalidName(_:)``.
    public init(_ text: String) throws(TLSError) {
        let address = Self.address(text)
        guard address != nil || Self.isHostName(text) else { throw .invalidName(text) }
        self = address.map { .ip($0) } ?? .dns(text.lowercased())
    }

    /// Throws if the name is invalid: a comma would add another extension.
    func check() throws(TLSError) {
        switch self {
        case .dns(let text): guard Self.isHostName(text) else { throw .invalidName(text) }
        case .ip(let bytes): guard bytes.count == 4 || bytes.count == 16 else { throw .invalidName(description) }
        }
    }

    /// The bytes of an IP address in text form, or nil.
    static func address(_ text: String) -> [UInt8]? {
        var bytes = Substring(text)
        if bytes.hasPrefix("["), bytes.hasSuffix("]") { bytes = bytes.dropFirst().dropLast() }
        guard !bytes.utf8.contains(0), bytes.utf8.count <= 45, let read = a2i_IPADDRESS(String(bytes)) else {
            OpenSSLErrors.clear()
            return nil
        }
        defer { ASN1_OCTET_STRING_free(read) }
        return [UInt8](UnsafeBufferPointer(start: read.pointee.data, count: Int(read.pointee.length)))
    }

    private static func isHostName(_ text: String) -> Bool {
        guard (1...253).contains(text.utf8.count) else { return false }
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        // A last label that consists only of digits means a misspelled address.
        guard let last = labels.last, !last.allSatisfy({ (0x30...0x39).contains($0) }) else { return false }
        return labels.enumerated().allSatisfy { index, label in
            if index == 0, labels.count > 1, label.elementsEqual("*".utf8) { return true }
            let hyphen = UInt8(ascii: "-")
            return (1...63).contains(label.count) && label.first != hyphen && label.last != hyphen
                && label.allSatisfy(Self.isHostByte)
        }
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}

extension CertificateName: CustomStringConvertible {
    /// The name as it appears in a URL, except that IPv6 addresses have no brackets and are shortened as in RFC 5952.
    public var description: String {
        switch self {
        case .dns(let name): Messages.printable(name)
        case .ip(let bytes) where bytes.count == 4: bytes.map(String.init).joined(separator: ".")
        case .ip(let bytes) where bytes.count == 16: Self.shortened(bytes)
        case .ip(let bytes): "an address of \(bytes.count) bytes"
        }
    }

    private static func shortened(_ bytes: [UInt8]) -> String {
        let groups: [UInt16] = (0..<8).map { UInt16(bytes[2 * $0]) << 8 | UInt16(bytes[2 * $0 + 1]) }
        // RFC 5952 §4.2: the longest run of two or more zero groups, or the first if several are equally long.
        var longest = 0..<0
        var start = 0
        for index in 0...8 where index == 8 || groups[index] != 0 {
            if index - start > longest.count, index - start > 1 { longest = start..<index }
            start = index + 1
        }
        let text = { (part: ArraySlice<UInt16>) in part.map { String($0, radix: 16) }.joined(separator: ":") }
        guard !longest.isEmpty else { return text(groups[...]) }
        return text(groups[..<longest.lowerBound]) + "::" + text(groups[longest.upperBound...])
    }
}
