import HTTPTypes
import Text

/// What a client proves itself with.
public struct Credentials: Sendable {
    /// The JSON Web Token.
    public var token: String
    /// The value of `X-API-Key`.
    public var apiKey: String

    /// Makes credentials.
    public init(token: String, apiKey: String) {
        self.token = token
        self.apiKey = apiKey
    }

    /// The fields of every request and handshake.
    public var fields: HTTPFields {
        var fields: HTTPFields = [.authorization: "Bearer \(token)"]
        if let name = HTTPField.Name("X-API-Key") { fields[name] = apiKey }
        return fields
    }

    /// The token as `?token=` carries it: what is not unreserved (RFC 3986 §2.3) is percent-encoded.
    var queryToken: String { PercentCoding.encoded(token) }
}
