import Digests
import JSON
import Text

/// The API's bearer token: a JSON Web Token signed with HS256 (RFC 7519, RFC 7515).
public struct AccessToken: Equatable, Sendable {
    /// The `sub` claim: 1 to 200 characters.
    public var subject: ExactString
    /// The `exp` claim, in seconds since the Unix epoch; the token expires at the start of this second.
    public var expiresAt: Int64
    /// The `nbf` claim, in seconds since the Unix epoch: the token is not valid before this second.
    public var notBefore: Int64?
    /// The `email` claim, the account's address; nil for users without one.
    public var email: String?
    /// The `jti` claim, an id.
    ///
    /// A refresh token works once. The access token issued with a refresh token has the same id, so that two access
    /// tokens from the same second differ. Development tokens have no id.
    public var id: ResourceID?

    public init(
        subject: ExactString, expiresAt: Int64, notBefore: Int64? = nil, email: String? = nil, id: ResourceID? = nil
    ) {
        (self.subject, self.expiresAt, self.notBefore) = (subject, expiresAt, notBefore)
        (self.email, self.id) = (email, id)
    }

    /// The secret for refresh tokens; it differs from the access tokens' secret, so that the two kinds are not
    /// interchangeable.
    public static func refreshSecret(of secret: [UInt8]) -> [UInt8] {
        HMACSHA256.authenticate(Array("refresh".utf8), key: secret)
    }

    /// Returns the signed token as text.
    public func signed(with secret: [UInt8]) -> String {
        var claims: JSONObject = ["sub": .string(subject.text), "exp": .number(JSONNumber(Int(expiresAt)))]
        if let notBefore { claims["nbf"] = .number(JSONNumber(Int(notBefore))) }
        if let email { claims["email"] = .string(email) }
        if let id { claims["jti"] = .string(id.description) }
        let signingInput =
            Base64.encodeURL(Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8)) + "."
            + Base64.encodeURL(JSONValue.object(claims).encoded())
        let signature = HMACSHA256.authenticate(Array(signingInput.utf8), key: secret)
        return signingInput + "." + Base64.encodeURL(signature)
    }

    /// Reads and verifies a token, except for `exp` and `nbf`, which depend on the time of use.
    ///
    /// - Throws: Why the token is rejected, for the client's developer; also if it has more than 4,096 bytes.
    public static func verify(_ text: String, secret: [UInt8]) throws(Refusal) -> AccessToken {
        guard text.utf8.count <= 4096 else { throw .malformedToken("it has more than 4,096 bytes") }
        let parts = parts(of: text)
        guard parts.count == 3 else { throw .malformedToken("it has \(parts.count) part(s) between dots, not 3") }

        let header = try object(in: parts[0], named: "header")
        guard header["alg"]?.string == "HS256" else {
            throw .wrongTokenAlgorithm(header["alg"]?.string ?? header["alg"]?.excerpt() ?? "nothing")
        }
        // "If any of the listed extension Header Parameters are not understood and supported by the recipient, then the
        // JWS is invalid" (RFC 7515 §4.1.11). The server supports none, and an empty list is not allowed.
        if let critical = header["crit"] { throw .unsupportedTokenExtensions(critical.excerpt()) }
        guard let signature = Base64.decodeURL(String(parts[2])) else {
            throw .malformedToken("its signature is not base64url")
        }
        let expected = HMACSHA256.authenticate(Array("\(parts[0]).\(parts[1])".utf8), key: secret)
        guard constantTimeEquals(signature, expected) else { throw .wrongTokenSignature }

        let claims = try object(in: parts[1], named: "payload")
        guard let subject = claims["sub"]?.string, isUser(subject) else {
            throw .malformedToken(
                "its 'sub' claim must be the user's id, a string of \(userLength.lowerBound) to \(userLength.upperBound) "
                    + "characters and at most \(userBytes) bytes")
        }
        // Round fractions so that the token's validity only gets shorter.
        return AccessToken(
            subject: ExactString(subject), expiresAt: try seconds(claims["exp"], of: "exp", .down),
            notBefore: claims["nbf"] == nil ? nil : try seconds(claims["nbf"], of: "nbf", .up),
            email: claims["email"]?.string, id: claims["jti"]?.string.flatMap { ResourceID($0) })
    }

    /// A claim's whole seconds, clamped to the range of `Timestamp`.
    private static func seconds(
        _ value: JSONValue?, of claim: String, _ rule: FloatingPointRoundingRule
    ) throws(Refusal) -> Int64 {
        guard let seconds = value?.double else {
            throw .malformedToken("its '\(claim)' claim must be a number of seconds since 1970")
        }
        return Int64(min(max(seconds.rounded(rule), -Double(latest)), Double(latest)))
    }

    /// The latest time that a claim can have, in seconds since 1970 (in the year 2255); later times are clamped to it.
    public static let latest: Int64 = 9_000_000_000
    fileprivate static let millisecondsHint =
        "If the claim is in milliseconds, divide it by 1000: times in a JSON Web Token are in seconds (RFC 7519 §2)."

    /// Advice on a valid token that never expires because its `exp` is in milliseconds; nil for other tokens.
    public var hint: String? {
        expiresAt < Self.latest
            ? nil : "the token for \(quoted(subject.text)) expires after the year 2254. \(Self.millisecondsHint)"
    }

    /// A token's validity, to be checked after its signature.
    public struct Validity: Sendable {
        fileprivate let expiresAt: Int64
        fileprivate let notBefore: Int64?

        /// Throws if the token has expired or is not yet valid at the given time.
        public func check(at now: Timestamp) throws(Refusal) {
            let expiry = Timestamp(secondsSinceEpoch: expiresAt)
            guard now < expiry else { throw .expiredToken(at: expiry) }
            guard let notBefore else { return }
            let start = Timestamp(secondsSinceEpoch: notBefore)
            guard now >= start else { throw .tokenNotYetValid(from: start) }
        }
    }

    public var validity: Validity { Validity(expiresAt: expiresAt, notBefore: notBefore) }

    private static func object(in part: Substring, named name: String) throws(Refusal) -> JSONObject {
        guard let bytes = Base64.decodeURL(String(part)) else { throw .malformedToken("its \(name) is not base64url") }
        guard let object = (try? JSON.parse(bytes))?.object else {
            throw .malformedToken("its \(name) is not a JSON object")
        }
        return object
    }

    /// The limits of a user id in characters and in bytes; a character can have any number of combining marks.
    public static let (userLength, userBytes) = (1...200, 1000)

    /// Whether a string can be a user id: within ``userLength`` and at most ``userBytes``.
    public static func isUser(_ id: String) -> Bool { id.utf8.count <= userBytes && userLength.contains(id.count) }

    /// The user in a token, read without verification; nil if the string is not a JSON Web Token.
    ///
    /// Use it only to distinguish clients in records, never for authorization.
    public static func claimedSubject(of text: String) -> ExactString? { claims(of: text)?["sub"]?.exactString }

    /// The expiry time in a token, read without verification; nil if the string is not a JSON Web Token.
    public static func claimedExpiry(of text: String) -> Timestamp? {
        claims(of: text).flatMap { try? seconds($0["exp"], of: "exp", .down) }.map(Timestamp.init(secondsSinceEpoch:))
    }

    /// The parts between the dots, found by scanning bytes, because scanning characters is much slower.
    private static func parts(of text: String) -> [Substring] {
        text.utf8.split(separator: .dot, omittingEmptySubsequences: false).map(Substring.init)
    }

    private static func claims(of text: String) -> JSONObject? {
        guard text.utf8.count <= 4096 else { return nil }
        let parts = parts(of: text)
        return parts.count == 3 ? try? object(in: parts[1], named: "payload") : nil
    }
}

/// Why a token is rejected.
extension Refusal {
    /// The token is not three base64url parts that contain JSON.
    package static func malformedToken(_ what: String) -> Refusal { Refusal("it is malformed: \(what).") }
    package static func wrongTokenAlgorithm(_ name: String) -> Refusal {
        Refusal("it is signed with \(quoted(name)), but only \"HS256\" is accepted.")
    }
    package static func unsupportedTokenExtensions(_ names: String) -> Refusal {
        Refusal(
            "its header requires extensions that this server does not support: 'crit' is \(names) (RFC 7515 §4.1.11). "
                + "Sign the token without 'crit'.")
    }
    package static let wrongTokenSignature = Refusal(
        "its signature does not match: it was signed with a secret other than this server's, or was cut short.")
    package static func expiredToken(at time: Timestamp) -> Refusal {
        Refusal("it expired at \(time.wireText); refresh it.")
    }
    package static func tokenNotYetValid(from time: Timestamp) -> Refusal {
        let hint = time.secondsSinceEpoch >= AccessToken.latest ? " " + AccessToken.millisecondsHint : ""
        return Refusal(
            "it is not valid before \(time.wireText) (its 'nbf' claim): wait until then, or check both clocks." + hint)
    }
}
