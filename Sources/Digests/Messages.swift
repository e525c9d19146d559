/// Every text of this module that a person may read.
enum Messages {
    /// OpenSSL refused a primitive that is part of its default provider.
    static func unavailable(_ algorithm: String) -> String {
        "OpenSSL refused \(algorithm). Check that the default provider is enabled in openssl.cnf."
    }

    /// `HMAC` takes its key length as a C `int`.
    static let keyTooLong = "An HMAC key must be shorter than 2 GiB."
}
