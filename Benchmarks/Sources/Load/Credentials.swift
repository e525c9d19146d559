import FitIQAPI
import Glibc

/// The credentials of a request: the user's bearer token and the API key.
public struct Credentials: Sendable {
    /// The token, ready for a query as well.
    public let token: String
    /// Both header fields, each with its line end.
    public let fields: String

    /// Takes a token that something else signed.
    public init(token: String, apiKey: String) {
        self.token = token
        fields = "Authorization: Bearer \(token)\r\nX-API-Key: \(apiKey)\r\n"
    }

    /// Signs a token for `user` that is valid for a day.
    public init(user: String, secret: String, apiKey: String) {
        let claims = AccessToken(subject: "\(user)", expiresAt: Int64(time(nil)) + 86_400)
        token = claims.signed(with: Array(secret.utf8))
        fields = "Authorization: Bearer \(token)\r\nX-API-Key: \(apiKey)\r\n"
    }
}
