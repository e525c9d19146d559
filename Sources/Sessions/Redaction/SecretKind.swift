/// What kind of secret something is, which its placeholder says.
enum SecretKind: UInt8, Sendable, CaseIterable {
    case token
    case apiKey
    case cookie
    case password
    case secret
    /// An e-mail address, which stands for a person.
    case user

    /// What stands in place of the secret with that number of its kind.
    func placeholder(_ number: String) -> [UInt8] {
        switch self {
        case .token: Array("redacted-token-\(number)".utf8)
        case .apiKey: Array("redacted-api-key-\(number)".utf8)
        case .cookie: Array("redacted-cookie-\(number)".utf8)
        case .password: Array("redacted-password-\(number)".utf8)
        case .secret: Array("redacted-secret-\(number)".utf8)
        case .user: Array("user-\(number)@redacted.example".utf8)
        }
    }

    /// The kind of what a member or a query item of that name holds; nil where that is no secret.
    ///
    /// `access_token`, `accessToken`, `Access-Token` and `ACCESSTOKEN` are the same name.
    init?(name: some Sequence<UInt8>) {
        var packed: [UInt8] = []
        for byte in name where byte != UInt8(ascii: "_") && byte != UInt8(ascii: "-") {
            packed.append(byte | (byte &- 0x41 < 26 ? 0x20 : 0))
            if packed.count > Self.longestName { return nil }
        }
        for (known, kind) in Self.names where packed.elementsEqual(known.utf8) {
            self = kind
            return
        }
        return nil
    }

    /// The most bytes of a name in ``names``.
    static let longestName = 12

    private static let names: [(String, SecretKind)] = [
        ("token", .token), ("accesstoken", .token), ("refreshtoken", .token), ("idtoken", .token),
        ("authtoken", .token), ("apikey", .apiKey), ("xapikey", .apiKey), ("password", .password),
        ("secret", .secret), ("clientsecret", .secret),
    ]
}
