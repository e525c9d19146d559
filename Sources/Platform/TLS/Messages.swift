import COpenSSL

/// The module's user-visible text.
enum Messages {
    static func text(of error: TLSError) -> String {
        switch error {
        case .notPEM(let material):
            "This file has no \(name(material)) in PEM format: expected a block between \(markers(material))."
        case .damaged(let material):
            "The PEM contains a \(name(material)) that cannot be decoded; the data was truncated or changed. Export the file again."
        case .tooLarge(let material, let bytes):
            "The PEM data with the \(name(material)) has \(bytes) bytes; at most \(TLSLimits.pemFile) are allowed."
        case .encryptedKey:
            "The key is encrypted with a passphrase; save it without one: openssl pkey -in locked.pem -out key.pem."
        case .wrongKey(nil): "The key does not belong to the certificate: their public keys differ."
        case .wrongKey(let position?):
            "The key belongs to certificate \(position) in the file; put that certificate first, then the "
                + "intermediate certificates."
        case .expired(let subject, let notAfter):
            "The certificate for \(quoted(subject)) expired at \(time(notAfter)); get a new one."
        case .notYetValid(let subject, let notBefore):
            "The certificate for \(quoted(subject)) is not valid before \(time(notBefore)); is the clock right?"
        case .notAnAuthority(let subject):
            "The certificate for \(quoted(subject)) may not sign other certificates; use a CA "
                + "certificate (CA:TRUE)."
        case .invalidName(let name):
            "\(quoted(name)) is neither a host name nor an IP address; write internationalized names in "
                + "Punycode (xn--…)."
        case .nameCount(let count): "A certificate may have from 1 to \(TLSLimits.names) names, not \(count)."
        case .nameNotPermitted(let name):
            "The authority may not sign a certificate for \(name); its own certificate restricts it to other names."
        case .unusable(let material, let reason): "The \(name(material)) cannot be used: \(printable(reason))."
        case .outOfMemory(let reason): "OpenSSL failed in \(printable(reason)); is the machine out of memory?"
        default: session(error)
        }
    }

    private static func session(_ error: TLSError) -> String {
        switch error {
        case .plainHTTP(.client, let excerpt):
            "The client sent plain HTTP (\(quoted(excerpt))) to the TLS port; use https:// or wss:// here."
        case .plainHTTP(.server, let excerpt):
            "The server sent plain HTTP (\(quoted(excerpt))) on this port; use http:// or ws://, or its TLS port."
        case .notTLS(let role, let bytes): "\(the(role)) does not speak TLS: it began with the bytes \(hex(bytes))."
        case .refused(let host, let refusal): refused(host, refusal)
        case .noCommonVersion(let role):
            "\(the(role)) and this end have no TLS version in common; 1.2 and 1.3 are supported here, unless the "
                + "versions were limited."
        case .noCommonCipher(let role):
            "\(the(role)) and this end have no cipher suite or key exchange in common; TLS 1.3, or ECDHE with AES-GCM "
                + "or ChaCha20, is needed."
        case .noCommonProtocol(let offered):
            "The client offered \(list(offered)) in ALPN, but only \(TLSContext.applicationProtocol) is supported "
                + "here. The client must also offer \(TLSContext.applicationProtocol), or not use ALPN."
        case .alert(let number, let role, let inHandshake): alert(number, role, inHandshake)
        case .hungUp(.client, 0):
            "The client closed the connection without sending anything; it may have been a port scan."
        case .hungUp(.server, 0): "The server closed the connection without sending anything; does that port use TLS?"
        case .hungUp(let role, let bytes):
            "\(the(role)) closed the connection in the middle of the handshake, after "
                + "\(bytes) byte\(bytes == 1 ? "" : "s"); "
                + (role == .client
                    ? "some clients do that when they do not trust the certificate." : "does that port use TLS?")
        case .truncated(let role):
            "\(the(role)) closed the connection without close_notify; the last data may be incomplete."
        case .badRecord(let role):
            "A record from \(the(role).lowercased()) cannot be decrypted; it was changed in transit."
        case .violation(let role, let reason):
            "\(the(role)) broke the TLS protocol" + (reason.isEmpty ? "." : ": \(printable(reason)).")
        case .flooded(let role):
            "\(the(role)) keeps requesting responses but reads none; more than \(TLSLimits.answers) bytes are "
                + "waiting to be sent."
        default: "More than \(TLSLimits.unreadCiphertext) bytes are waiting to be decrypted; no more are accepted."
        }
    }
}

extension Messages {
    private static func refused(_ host: String, _ refusal: CertificateRefusal) -> String {
        let host = quoted(host)
        return switch refusal {
        case .expired(let subject, let notAfter):
            "The certificate from \(host) was rejected: the certificate for \(quoted(subject)) expired at "
                + "\(time(notAfter))."
        case .notYetValid(let subject, let notBefore):
            "The certificate from \(host) was rejected: the certificate for \(quoted(subject)) is not valid before "
                + "\(time(notBefore)); is the clock right?"
        case .unknownAuthority(let issuer):
            "The certificate from \(host) was rejected: it was issued by \(quoted(issuer)), which is not trusted here, "
                + "or the server does not send the intermediate certificates."
        case .selfSigned(let subject):
            "The certificate from \(host) was rejected: \(quoted(subject)) is self-signed; trust that certificate, "
                + "or use one from a trusted authority."
        case .wrongName(let names): "The certificate is not for \(host), but for \(list(names.map(\.description)))."
        case .other(let subject, let reason):
            "The certificate from \(host) was rejected: \(printable(reason)) (\(quoted(subject)))."
        }
    }

    private static func alert(_ number: UInt8, _ role: TLSRole, _ inHandshake: Bool) -> String {
        let name = alerts[number].map { "\($0), alert \(number)" } ?? "alert \(number)"
        let what = "\(the(role)) \(inHandshake ? "refused the handshake" : "ended the connection") (\(name))"
        return what + (meaning(number, role).map { ": \($0)." } ?? ".")
    }

    /// The usual cause of an alert, if known.
    private static func meaning(_ number: UInt8, _ role: TLSRole) -> String? {
        switch (number, role) {
        case (48, .client): "it does not trust the CA that issued our certificate; make it trust that CA"
        case (42, .client), (43, .client), (46, .client):
            "it does not accept our certificate; it probably does not trust the authority, or uses another "
                + "name for the host"
        case (45, .client): "it considers our certificate expired or not yet valid; compare the clocks"
        case (40, _): "it found no cipher suite, key exchange or signature that it accepts"
        case (70, _): "it supports none of the offered TLS versions"
        case (112, .server): "it has no site with that name"
        case (116, .server), (42, .server): "it requested a client certificate, which is not supported"
        case (120, _): "it supports none of the offered application protocols"
        default: nil
        }
    }

    /// The names from RFC 8446 §6 and RFC 5246 §7.2.
    static let alerts: [UInt8: String] = [
        0: "close_notify", 10: "unexpected_message", 20: "bad_record_mac", 21: "decryption_failed",
        22: "record_overflow", 30: "decompression_failure", 40: "handshake_failure", 41: "no_certificate",
        42: "bad_certificate", 43: "unsupported_certificate", 44: "certificate_revoked", 45: "certificate_expired",
        46: "certificate_unknown", 47: "illegal_parameter", 48: "unknown_ca", 49: "access_denied", 50: "decode_error",
        51: "decrypt_error", 60: "export_restriction", 70: "protocol_version", 71: "insufficient_security",
        80: "internal_error", 86: "inappropriate_fallback", 90: "user_canceled", 100: "no_renegotiation",
        109: "missing_extension", 110: "unsupported_extension", 111: "certificate_unobtainable",
        112: "unrecognized_name", 113: "bad_certificate_status_response", 114: "bad_certificate_hash_value",
        115: "unknown_psk_identity", 116: "certificate_required", 120: "no_application_protocol",
    ]
}

extension Messages {
    private static func name(_ material: TLSMaterial) -> String {
        switch material {
        case .certificate: "certificate"
        case .key: "private key"
        case .trust: "trusted certificate"
        }
    }

    private static func markers(_ material: TLSMaterial) -> String {
        material == .key
            ? "-----BEGIN PRIVATE KEY----- and -----END PRIVATE KEY-----"
            : "-----BEGIN CERTIFICATE----- and -----END CERTIFICATE-----"
    }

    private static func the(_ role: TLSRole) -> String { role == .client ? "The client" : "The server" }
    /// The peer's text in quotes, or `nothing` if there is none.
    private static func quoted(_ text: String) -> String { text.isEmpty ? "(no name)" : "'\(printable(text))'" }

    /// The peer's text without control characters, truncated.
    static func printable(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            guard result.utf8.count < TLSLimits.excerpt else { return result + "…" }
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: result += "?"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func list(_ items: [String]) -> String {
        let shown = items.isEmpty ? "nothing" : items.prefix(5).map(printable).joined(separator: ", ")
        return items.count > 5 ? "\(shown) and \(items.count - 5) more" : shown
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
    }

    /// Seconds since 1970 as a Gregorian date, such as `2026-11-21 20:47:26 UTC`.
    static func time(_ seconds: Int64) -> String {
        var seconds = time_t(seconds)
        var time = tm()
        guard OPENSSL_gmtime(&seconds, &time) != nil else { return "\(seconds) s after 1970" }
        let two = { (number: Int32) in (number < 10 ? "0" : "") + String(number) }
        return "\(time.tm_year + 1900)-\(two(time.tm_mon + 1))-\(two(time.tm_mday)) "
            + "\(two(time.tm_hour)):\(two(time.tm_min)):\(two(time.tm_sec)) UTC"
    }
}
