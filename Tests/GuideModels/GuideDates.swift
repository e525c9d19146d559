import Foundation

extension JSONDecoder {
    /// A decoder for a guide's models: its dates are ISO 8601 with whole seconds.
    ///
    /// If a model writes out its coding keys, `.convertFromSnakeCase` looks for keys that it has itself renamed. This
    /// decoder therefore does not use that strategy, even if the guide does (errata 1 and 2 of
    /// `openapi/DEVIATIONS.md`).
    package static func iso8601(keys: KeyDecodingStrategy = .useDefaultKeys) -> JSONDecoder {
        let decoder = JSONDecoder()
        (decoder.dateDecodingStrategy, decoder.keyDecodingStrategy) = (.iso8601, keys)
        return decoder
    }
}

extension JSONEncoder {
    /// An encoder for the requests of a guide's client.
    package static func iso8601() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        return encoder
    }
}
