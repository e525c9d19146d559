/// The kind of a secret, which its placeholder names.
enum SecretKind: String, Sendable, CaseIterable {
    case token
    case apiKey = "api-key"
    case cookie
    case password
    case secret
    /// An e-mail address, which stands for a person.
    case user

    /// The placeholder for the secret with that number of its kind.
    func placeholder(_ number: String) -> [UInt8] {
        Array((self == .user ? "user-\(number)@redacted.example" : "redacted-\(rawValue)-\(number)").utf8)
    }

    /// Parses a placeholder; nil for other texts and for addresses.
    static func placeholder(_ text: [UInt8]) -> (kind: SecretKind, number: Int)? {
        guard text.starts(with: "redacted-".utf8) else { return nil }
        let digits = text[(text.lastIndex { !$0.isDigit } ?? text.endIndex)...].dropFirst()
        guard (1...9).contains(digits.count) else { return nil }
        let number = digits.reduce(0) { $0 * 10 + Int($1 &- .digitZero) }
        let kind = allCases.first { $0.placeholder(String(number)) == text }
        return kind.map { ($0, number) }
    }

    /// Nil if a name is not a secret's; `access_token`, `accessToken`, `Access-Token` and `ACCESSTOKEN` are the same.
    init?(_ name: PackedName) {
        guard let kind = Self.names[name] else { return nil }
        self = kind
    }

    private static let names: [PackedName: SecretKind] = {
        var names: [(String, SecretKind)] = [
            ("apikey", .apiKey), ("xapikey", .apiKey), ("clientsecret", .secret), ("secret", .secret),
        ]
        let tokens = [
            "", "access", "refresh", "id", "auth", "session", "device", "admin", "xadmin", "xauth", "csrf", "xcsrf",
            "push", "bearer", "reset",
        ]
        let passwords = ["", "new", "old", "current", "user", "confirm", "repeat"]
        names += tokens.map { ($0 + "token", .token) } + passwords.map { ($0 + "password", .password) }
        return Dictionary(
            uniqueKeysWithValues: names.compactMap { name, kind in PackedName(name.utf8).map { ($0, kind) } })
    }()
}

public enum SecretName {
    /// Whether a member or a query item with that name holds a secret: `access_token`, `accessToken`, `API-Key`.
    public static func isSecret(_ name: String) -> Bool { PackedName(name.utf8).flatMap(SecretKind.init) != nil }
}

/// A name of up to 24 letters, ignoring case, hyphens and underscores, with five bits for each letter.
///
/// Texts are full of names, so one must cost little.
struct PackedName: Hashable, Sendable {
    private var bits: UInt128 = 0
    private var count: UInt8 = 0

    init() {}

    /// Nil if the bytes cannot be a name of that length.
    init?(_ name: some Sequence<UInt8>) {
        for byte in name { guard append(byte) else { return nil } }
    }

    /// Adds the next byte of a name; false if the name can no longer match.
    @inline(__always)
    mutating func append(_ byte: UInt8) -> Bool {
        let letter = (byte | 0x20) &- 0x61
        if letter < 26 {
            guard count < 24 else { return false }
            bits = bits << 5 | UInt128(letter + 1)
            count += 1
            return true
        }
        return byte == .underscore || byte == .minus
    }
}
