import Glibc

/// The data of a peer: one consultation, and the credentials that may read it.
///
/// The work per request is that of fitiq-mock after it has verified a token: look the token up, compare its expiry with
/// the clock, compare the API key, look the consultation up, compare its owner. `Body` is the framework's own type for
/// bytes, created once, so that no peer converts it for each request.
public struct ConsultationStore<Body: Sendable>: Sendable {
    /// The answer to a request.
    public enum Answer: Sendable {
        case found(Body)
        case unauthorized
        case notFound
    }

    @usableFromInline
    struct VerifiedToken: Sendable {
        @usableFromInline let user: String
        @usableFromInline let expiry: Int
    }

    @usableFromInline
    struct Consultation: Sendable {
        @usableFromInline let owner: String
        @usableFromInline let body: Body
    }

    // Keyed by Substring, so that dropping "Bearer " does not copy the token.
    @usableFromInline let tokens: [Substring: VerifiedToken]
    @usableFromInline let apiKey: String
    @usableFromInline let consultations: [String: Consultation]

    /// Creates the store of one token and one consultation.
    public init(_ options: PeerOptions, body: Body) {
        let user = "bench-user"
        tokens = [Substring(options.token): VerifiedToken(user: user, expiry: time(nil) + 86_400)]
        apiKey = options.apiKey
        consultations = [options.consultationID: Consultation(owner: user, body: body)]
    }

    /// The user to whom the credentials of a request belong; nil if the peer must refuse the request.
    @inlinable
    public func user(authorization: String?, apiKey given: String?) -> String? {
        guard let authorization, authorization.hasPrefix("Bearer "),
            let verified = tokens[authorization.dropFirst(7)],
            verified.expiry > time(nil),
            let given, given == apiKey
        else { return nil }
        return verified.user
    }

    /// Answers `GET` of the entity with this id.
    @inlinable
    public func answer(id: String, authorization: String?, apiKey: String?) -> Answer {
        guard let user = user(authorization: authorization, apiKey: apiKey) else { return .unauthorized }
        guard let consultation = consultations[id], consultation.owner == user else { return .notFound }
        return .found(consultation.body)
    }
}
