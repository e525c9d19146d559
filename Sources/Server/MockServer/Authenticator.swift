import Digests
import FitIQAPI
import FitIQBackend
import HTTP1
import HTTPTypes
import JSON
import Text

/// A token whose signature is valid.
struct VerifiedToken {
    let validity: AccessToken.Validity
    let user: UserID
}

/// A connection's last `Authorization` field, kept because the next request usually has the same bytes.
struct LastAuthorization {
    fileprivate var bytes: [UInt8]
    fileprivate var token: VerifiedToken
    /// The fields of the request that was accepted with this token and its API key; nil before the key check.
    fileprivate var accepted: FieldBlock?
}

/// Checks the credentials of requests and handshakes.
struct Authenticator {
    private let mode: GuideMode
    private let apiKey: [UInt8]
    private let secret: [UInt8]
    private let limit: Int
    /// The users of the scenario's tokens.
    private let fixed: [ExactString: ExactString]
    /// Verified tokens by their text; a token's signature is checked once, and its expiry is checked on every use.
    private var verified: [ExactString: VerifiedToken] = [:]

    /// Advice on the last verified token; nil once a caller has taken the advice.
    private var hint: String?

    mutating func takeHint() -> String? {
        guard hint != nil else { return nil }
        defer { hint = nil }
        return hint
    }

    var verifiedCount: Int { verified.count }

    init(
        mode: GuideMode, apiKey: String, secret: String, limit: Int, fixed: [ExactString: ExactString] = [:]
    ) {
        (self.mode, self.apiKey, self.secret, self.limit) = (mode, Array(apiKey.utf8), Array(secret.utf8), limit)
        self.fixed = fixed
    }

    /// Finds the user of a REST request by its bearer token and API key.
    ///
    /// - Parameter needsKey: Whether to refuse a missing key; a wrong key is always refused.
    /// - Throws: A 401 for invalid credentials, or a 507 if a new user exceeds a limit.
    mutating func authenticate(
        _ fields: FieldBlock, needsKey: Bool = true, last: inout LastAuthorization?, in backend: inout Backend,
        at now: Timestamp
    ) throws(APIError) -> UserID {
        if let known = last?.token, last?.accepted?.isSame(as: fields) == true, backend.contains(known.user) {
            try check(known, at: now)
            return known.user
        }
        let token = try verifyBearer(fields, last: &last, in: &backend)
        try check(token, at: now)
        try checkAPIKey(of: fields, isOptional: !needsKey)
        if needsKey { last?.accepted = fields }
        return token.user
    }

    /// Refuses a wrong key, and a missing key unless the mode or the request makes the key optional.
    func checkAPIKey(of fields: FieldBlock, isOptional: Bool = false) throws(APIError) {
        switch fields.firstValue(of: .xAPIKey, is: apiKey) {
        case true?: break
        case false?: throw .wrongAPIKey
        case nil: if mode.requiresAPIKey, !isOptional { throw .missingAPIKey }
        }
    }

    /// Finds the user of a WebSocket handshake by `?token=` or header fields, as the guide permits.
    ///
    /// A handshake that uses `?token=` needs no API key, but a wrong key is still refused.
    ///
    /// - Throws: The same errors as ``authenticate(_:needsKey:last:in:at:)``.
    mutating func authenticateSocket(
        _ fields: FieldBlock, queryToken: String?, last: inout LastAuthorization?, in backend: inout Backend,
        at now: Timestamp
    ) throws(APIError) -> UserID {
        let accepted = mode.webSocketCredentials
        if let queryToken, accepted != .headers {
            let token = try verify(queryToken, in: &backend)
            try check(token, at: now)
            try checkAPIKey(of: fields, isOptional: true)
            return token.user
        }
        guard fields.contains(.authorization) || fields.contains(.xAPIKey) else {
            throw queryToken == nil ? .missingWebSocketCredentials(in: mode) : .queryTokenNotInGuide(mode)
        }
        guard accepted != .queryToken else { throw .headersNotInGuide(mode) }
        return try authenticate(fields, last: &last, in: &backend, at: now)
    }

    private mutating func verifyBearer(
        _ fields: FieldBlock, last: inout LastAuthorization?, in backend: inout Backend
    ) throws(APIError) -> VerifiedToken {
        if let last, fields.firstValue(of: .authorization, is: last.bytes) == true, backend.contains(last.token.user) {
            return last.token
        }
        guard let bytes = fields.withFirstValue(of: .authorization, { Array($0) }) else { throw .missingToken }
        // RFC 6750 §2.1; the scheme's name is case-insensitive (RFC 9110 §11.1).
        guard String(decoding: bytes.prefix(7), as: UTF8.self).lowercased() == "bearer " else { throw .notABearerToken }
        let text = String(decoding: bytes.dropFirst(7).drop { $0 == .space }, as: UTF8.self)
        let token = try verify(text, in: &backend)
        last = LastAuthorization(bytes: bytes, token: token, accepted: nil)
        return token
    }

    private mutating func verify(_ text: String, in backend: inout Backend) throws(APIError) -> VerifiedToken {
        let key = ExactString(text)
        if let known = verified[key], backend.contains(known.user) { return known }
        let token: AccessToken
        if let subject = fixed[key] {
            token = AccessToken(subject: subject, expiresAt: AccessToken.latest)
        } else {
            do { token = try AccessToken.verify(text, secret: secret) } catch { throw .badToken(error) }
        }
        // A token with an e-mail address requires a registered account, but the guides have no accounts.
        let isAccounts = mode.servesApps && token.email != nil
        let user = try isAccounts ? backend.accountHolder(token.subject) : backend.user(token.subject)
        let result = VerifiedToken(validity: token.validity, user: user)
        if verified.count >= limit { verified.removeAll() }
        verified[key] = result
        hint = token.hint
        return result
    }

    private func check(_ verified: VerifiedToken, at now: Timestamp) throws(APIError) {
        do { try verified.validity.check(at: now) } catch { throw .badToken(error) }
    }
}

extension HTTPField.Name {
    static let xFakeFault = HTTPField.Name("X-Fake-Fault")!  // A constant token.
    /// The client's preferences for the answer (RFC 7240).
    static let prefer = HTTPField.Name("Prefer")!  // A constant token.
    static let xAPIKey = HTTPField.Name("X-API-Key")!  // A constant token.
}
