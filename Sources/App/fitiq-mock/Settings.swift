import MockServer

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The environment's side of the options: `--api-key` is also `FITIQ_MOCK_API_KEY`.
enum Settings {
    /// The option's value, the environment's, or nil.
    static func text(_ option: String?, _ name: String) -> String? {
        if let option { return option }
        guard let value = getenv("FITIQ_MOCK_" + name) else { return nil }
        return String(cString: value)
    }

    /// The same for values that are parsed from text.
    static func value<Value: LosslessStringConvertible>(
        _ option: Value?, _ name: String, expected: String
    ) throws(Failure) -> Value? {
        if let option { return option }
        guard let text = text(nil, name) else { return nil }
        guard let value = Value(text) else {
            throw .configuration(Messages.badEnvironment("FITIQ_MOCK_" + name, value: text, expected: expected))
        }
        return value
    }

    /// The values of `--allow-origin`; in the environment spaces or commas separate them.
    static func allowedOrigins(_ options: [String]) throws(Failure) -> Set<AllowedOrigin> {
        var texts = options
        if texts.isEmpty, let text = text(nil, "ALLOW_ORIGIN") {
            texts = text.split { $0 == " " || $0 == "," }.map(String.init)
            guard !texts.isEmpty else { throw .configuration(Messages.empty("--allow-origin")) }
        }
        var origins: Set<AllowedOrigin> = []
        for text in texts {
            guard let origin = AllowedOrigin(text) else { throw .configuration(Messages.notAnOrigin(text)) }
            origins.insert(origin)
        }
        return origins
    }

    /// The same for flags: `1`, `true` or `yes`, `0`, `false` or `no`.
    static func flag(_ isSet: Bool, _ name: String) throws(Failure) -> Bool {
        guard !isSet, let text = text(nil, name) else { return isSet }
        switch text.lowercased() {
        case "1", "true", "yes": return true
        case "", "0", "false", "no": return false
        default:
            throw .configuration(Messages.badEnvironment("FITIQ_MOCK_" + name, value: text, expected: "1 or 0"))
        }
    }
}
