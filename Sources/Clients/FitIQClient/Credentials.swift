import HTTPTypes

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
    var queryToken: String {
        let digits = Array("0123456789ABCDEF".unicodeScalars)
        var encoded = String.UnicodeScalarView()
        for byte in token.utf8 {
            let scalar = Unicode.Scalar(byte)
            if scalar.isASCII,
                scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                    || "-._~".unicodeScalars.contains(scalar)
            {
                encoded.append(scalar)
            } else {
                encoded.append(contentsOf: ["%", digits[Int(byte >> 4)], digits[Int(byte & 15)]])
            }
        }
        return String(encoded)
    }
}
