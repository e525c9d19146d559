import JSON

/// Texts cut short for messages.
enum Excerpts {
    static func quoted(_ text: String) -> String { JSONValue.string(short(text, 300)).excerpt(limit: 100) }

    /// At most so many bytes of a text.
    static func short(_ text: String, _ limit: Int = 60) -> String {
        guard text.utf8.count > limit else { return text }
        var end = text.utf8.index(text.utf8.startIndex, offsetBy: limit)
        while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
        return text[..<end] + "…"
    }

    /// A body or a message: nil where it is empty, a number of bytes where it is no text.
    static func of(_ bytes: [UInt8]) -> String? {
        guard !bytes.isEmpty else { return nil }
        if bytes.count <= ReplayLimits.comparedBody, let value = Shape.json(bytes) { return value.excerpt(limit: 100) }
        guard let text = String(validating: bytes.prefix(400), as: UTF8.self) ?? lossy(bytes) else {
            return Sentences.bytes(bytes.count)
        }
        return quoted(text)
    }

    /// The beginning of a text that was cut within a character.
    private static func lossy(_ bytes: [UInt8]) -> String? {
        guard bytes.count > 400 else { return nil }
        return (397...399).lazy.compactMap { String(validating: bytes.prefix($0), as: UTF8.self) }.first
    }

    // MARK: Secrets

    /// A path and query in at most so many bytes, the secrets in it shortened: what is told ends in logs.
    static func target(_ target: String, _ limit: Int = 500) -> String {
        guard let question = target.utf8.firstIndex(of: UInt8(ascii: "?")) else { return short(target, limit) }
        let query = target[question...].utf8.dropFirst()
        let items = query.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).map { item in
            guard let equals = item.firstIndex(of: UInt8(ascii: "=")),
                SecretNames.contains(PercentDecoding.decode(item[..<equals], plusIsSpace: true))
            else { return String(Substring(item)) }
            return "\(Substring(item[...equals]))\(secret(String(Substring(item[equals...].dropFirst()))))"
        }
        return short("\(target[..<question])?" + items.joined(separator: "&"), limit)
    }

    /// A value, shortened where the name of its member says that it is a secret.
    static func of(_ value: JSONValue, under name: String) -> String {
        guard SecretNames.contains(name), let text = value.string else { return value.excerpt() }
        return JSONValue.string(secret(text)).excerpt()
    }

    /// The beginning of a secret, enough to tell one from another; a placeholder of a recording tells nothing, and stays.
    static func secret(_ text: String) -> String {
        text.hasPrefix("redacted-") ? short(text) : short(text, 4)
    }
}
