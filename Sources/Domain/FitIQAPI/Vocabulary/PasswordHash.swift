import Digests
import JSON

/// An account's stored password: a PBKDF2 key with its salt and cost.
public struct PasswordHash: Hashable, Sendable {
    private let salt: String
    /// The number of PBKDF2 iterations.
    public let cost: Int
    private let key: [UInt8]

    /// The costs that a server accepts; the highest one takes about 25 milliseconds.
    public static let costs = 1...100_000

    /// - Parameter salt: Unique per account, at most 64 ASCII characters without `$`.
    public init(_ password: String, salt: String, cost: Int) {
        precondition(Self.costs.contains(cost), "A cost above the limit would block the event loop.")
        (self.salt, self.cost) = (salt, cost)
        key = Self.derive(password, salt, cost)
    }

    /// A dummy hash, so that checking an unknown account's password takes just as long.
    public static func matchingNothing(cost: Int) -> PasswordHash { PasswordHash(salt: "-", cost: cost, key: []) }

    private init(salt: String, cost: Int, key: [UInt8]) { (self.salt, self.cost, self.key) = (salt, cost, key) }

    private static func derive(_ password: String, _ salt: String, _ cost: Int) -> [UInt8] {
        HMACSHA256.deriveKey(password: Array(password.utf8), salt: Array(salt.utf8), iterations: cost)
    }

    /// Whether the password matches; a higher `work` makes the check as slow as a check against a hash of that cost.
    public func matches(_ password: String, work: Int = 0) -> Bool {
        let isEqual = constantTimeEquals(Self.derive(password, salt, cost), key)
        if work > cost { _ = Self.derive(password, salt, work - cost) }
        return isEqual
    }

    /// `pbkdf2-sha256$COST$SALT$KEY` with the key in base64url, for exports.
    public var text: String { "\(Self.scheme)$\(cost)$\(salt)$\(Base64.encodeURL(key))" }
    private static let scheme = "pbkdf2-sha256"

    /// Reads ``text``; nil for anything else.
    public init?(_ text: String) {
        guard text.utf8.count <= 200 else { return nil }
        let parts = text.split(separator: "$", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4, parts[0] == Self.scheme, let cost = Int(parts[1]), Self.costs.contains(cost),
            "\(cost)" == parts[1], (1...64).contains(parts[2].utf8.count),
            parts[2].utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let key = Base64.decodeURL(parts[3]), key.count == HMACSHA256.byteCount
        else { return nil }
        (salt, self.cost, self.key) = (parts[2], cost, key)
    }
}

/// An account's address.
public enum EmailAddress {
    /// The longest address in bytes (RFC 5321 §4.5.3.1.3, without the angle brackets).
    public static let bytes = 254

    /// Whether a string has the form `local@domain.tld` without spaces; delivery may still fail.
    public static func isAddress(_ text: String) -> Bool {
        guard text.utf8.count <= bytes, text.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F }),
            !text.unicodeScalars.contains(where: \.properties.isWhitespace)
        else { return false }
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, parts[0].utf8.count <= 64 else { return false }
        let labels = parts[1].split(separator: ".", omittingEmptySubsequences: false)
        return labels.count > 1 && labels.allSatisfy { !$0.isEmpty }
    }

    /// The account's key, which is the same for addresses that differ only in ASCII case.
    public static func key(_ address: String) -> ExactString { ExactString(address).asciiLowercased() }
}
