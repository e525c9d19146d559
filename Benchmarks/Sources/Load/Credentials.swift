import FitIQAPI
import Glibc

/// What a request identifies its user with: a bearer token of their own and the API key.
public struct Credentials: Sendable {
    /// The token, ready for a query as well.
    public let token: String
    /// Both header fields, each with its line end.
    public let fields: String

    /// Takes a token that was signed elsewhere.
    public init(token: String, apiKey: String) {
        self.token = token
        fields = "Authorization: Bearer \(token)\r\nX-API-Key: \(apiKey)\r\n"
    }

    /// Signs a token for `user` that lives a day.
    public init(user: String, secret: String, apiKey: String) {
        let claims = AccessToken(subject: "\(user)", expiresAt: Int64(time(nil)) + 86_400)
        token = claims.signed(with: Array(secret.utf8))
        fields = "Authorization: Bearer \(token)\r\nX-API-Key: \(apiKey)\r\n"
    }
}
