import Digests
import JSON

/// The bearer token of the API: a JSON Web Token signed with HS256 (RFC 7519, RFC 7515; CONTRACT: common rules).
public struct AccessToken: Equatable, Sendable {
    /// The user's id, the claim `sub`: 1 to 200 characters.
    public var subject: ExactString
    /// The claim `exp`, in seconds since the Unix epoch; the token counts as expired from this second on.
    public var expiresAt: Int64
    /// The claim `nbf`, in seconds since the Unix epoch: before this second the token is not valid yet; nil without one.
    public var notBefore: Int64?

    /// Makes the claims of a token.
    public init(subject: ExactString, expiresAt: Int64, notBefore: Int64? = nil) {
        self.subject = subject
        self.expiresAt = expiresAt
        self.notBefore = notBefore
    }

    /// The token's text, signed.
    public func signed(with secret: [UInt8]) -> String {
        var claims: JSONObject = ["sub": .string(subject.text), "exp": .number(JSONNumber(Int(expiresAt)))]
        if let notBefore { claims["nbf"] = .number(JSONNumber(Int(notBefore))) }
        let signingInput =
            Base64.encodeURL(Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8)) + "."
            + Base64.encodeURL(JSONValue.object(claims).encoded())
        let signature = HMACSHA256.authenticate(Array(signingInput.utf8), key: secret)
        return signingInput + "." + Base64.encodeURL(signature)
    }
}

extension AccessToken {
    /// Why a token is refused; the description is a sentence for the person who writes the client.
    public enum Refusal: Error, Equatable, Sendable, CustomStringConvertible {
        /// Not three base64url parts holding JSON; the text says which part and how.
        case malformed(String)
        /// The header asks for an algorithm other than HS256.
        case wrongAlgorithm(String)
        /// The header names extensions that have to be understood, and none is; the text is what `crit` holds.
        case criticalExtensions(String)
        /// The signature was made with another secret, or the token was changed.
        case wrongSignature
        /// `exp` has passed.
        case expired(at: Timestamp)
        /// `nbf` has not come.
        case notYetValid(from: Timestamp)

        /// What is wrong and what to do about it.
        public var description: String {
            switch self {
            case .malformed(let what): "it is malformed: \(what)."
            case .wrongAlgorithm(let name): "it is signed with \(quoted(name)), and only \"HS256\" is accepted."
            case .criticalExtensions(let names):
                "its header demands extensions that this server does not know, 'crit' is \(names) (RFC 7515 §4.1.11): "
                    + "sign the token without 'crit'."
            case .wrongSignature:
                "its signature does not fit: it was signed with another secret than this server's or cut short."
            case .expired(let time): "it expired at \(time.wireText); refresh it."
            case .notYetValid(let time):
                "it is valid from \(time.wireText) on (its claim 'nbf'): use it then, or compare the clocks."
            }
        }
    }

    /// Reads and verifies a token, all but `exp` and `nbf`, which depend on the time of each use.
    ///
    /// - Throws: `malformed`, `wrongAlgorithm`, `criticalExtensions` or `wrongSignature`; also for tokens over 4,096
    ///   characters.
    public static func verify(_ text: String, secret: [UInt8]) throws(Refusal) -> AccessToken {
        guard text.utf8.count <= 4096 else { throw .malformed("it has over 4,096 characters") }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw .malformed("it has \(parts.count) part(s) between dots, not 3") }

        let header = try object(in: parts[0], named: "header")
        guard header["alg"]?.string == "HS256" else {
            throw .wrongAlgorithm(header["alg"]?.string ?? header["alg"]?.excerpt() ?? "nothing")
        }
        // "If any of the listed extension Header Parameters are not understood and supported by the recipient, then the JWS
        // is invalid" (RFC 7515 §4.1.11): none is, and an empty list is not allowed.
        if let critical = header["crit"] { throw .criticalExtensions(critical.excerpt()) }
        guard let signature = Base64.decodeURL(String(parts[2])) else {
            throw .malformed("its signature is not base64url")
        }
        let expected = HMACSHA256.authenticate(Array("\(parts[0]).\(parts[1])".utf8), key: secret)
        guard constantTimeEquals(signature, expected) else { throw .wrongSignature }

        let claims = try object(in: parts[1], named: "payload")
        guard let subject = claims["sub"]?.string, isUser(subject) else {
            throw .malformed(
                "its claim 'sub' must be the user's id, a string of 1 to 200 characters and at most \(userBytes) bytes")
        }
        guard let expiry = claims["exp"]?.double else {
            throw .malformed("its claim 'exp' must be a number of seconds since 1970")
        }
        var start: Double?
        if let claim = claims["nbf"] {
            guard let seconds = claim.double else {
                throw .malformed("its claim 'nbf' must be a number of seconds since 1970")
            }
            start = seconds
        }
        // A fraction makes the time in which a token is valid shorter, never longer.
        return AccessToken(
            subject: ExactString(subject), expiresAt: wholeSeconds(expiry.rounded(.down)),
            notBefore: start.map { wholeSeconds($0.rounded(.up)) })
    }

    /// Seconds within the range of `Timestamp`: what lies beyond it is as good as its first or last second.
    private static func wholeSeconds(_ seconds: Double) -> Int64 {
        let latest = 9_000_000_000.0
        return Int64(min(max(seconds, -latest), latest))
    }

    /// Throws where the token has expired at the given time, or is not valid yet.
    public func checkTime(at now: Timestamp) throws(Refusal) {
        let expiry = Timestamp(secondsSinceEpoch: expiresAt)
        guard now < expiry else { throw .expired(at: expiry) }
        guard let notBefore else { return }
        let start = Timestamp(secondsSinceEpoch: notBefore)
        guard now >= start else { throw .notYetValid(from: start) }
    }

    private static func object(in part: Substring, named name: String) throws(Refusal) -> JSONObject {
        guard let bytes = Base64.decodeURL(String(part)) else { throw .malformed("its \(name) is not base64url") }
        guard let object = (try? JSON.parse(bytes))?.object else {
            throw .malformed("its \(name) is not a JSON object")
        }
        return object
    }
}

extension AccessToken {
    /// The most bytes of a user's id: a character can have any number of combining marks, and the id is kept.
    public static let userBytes = 1000

    /// Whether a text can be a user's id: 1 to 200 characters, and at most ``userBytes``.
    public static func isUser(_ id: String) -> Bool { id.utf8.count <= userBytes && (1...200).contains(id.count) }
}

extension AccessToken {
    /// The user that a token names, whether it is signed and in time or not; nil where it is no JSON Web Token.
    ///
    /// For telling clients apart in what is recorded; nothing may be allowed on the strength of it.
    public static func claimedSubject(of text: String) -> ExactString? {
        guard text.utf8.count <= 4096 else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Base64.decodeURL(String(parts[1])) else { return nil }
        return (try? JSON.parse(payload))?["sub"]?.exactString
    }
}
