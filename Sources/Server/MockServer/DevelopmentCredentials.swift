import FitIQAPI
import JSON

/// The credentials of the default world: fixed, public, and only good for a fake.
public enum DevelopmentCredentials {
    /// The value of `X-API-Key`.
    public static let apiKey = "fitiq-mock-key"
    /// The secret that tokens are signed with.
    public static let jwtSecret = "fitiq-mock-secret"
    /// The user of the token that the server prints.
    public static let userID = "7d3f2b60-5a52-4c1e-9a54-0f6f1c1d2e3a"
    /// When the printed token expires, 2099-12-31T23:59:59Z: always the same token, so that it can be pasted once.
    public static let expiresAt: Int64 = 4_102_444_799

    /// A token that the default world accepts.
    public static func token(secret: String = jwtSecret) -> String {
        AccessToken(subject: ExactString(userID), expiresAt: expiresAt).signed(with: Array(secret.utf8))
    }
}
