import JSON
import Text

/// Texts cut short for messages.
enum Excerpts {
    static func quoted(_ text: String) -> String { text.cut(toBytes: 300).quoted(limit: 100) }

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
        guard let question = target.utf8.firstIndex(of: .questionMark) else { return target.cut(toBytes: limit) }
        let query = target[question...].utf8.dropFirst()
        let items = query.split(separator: .ampersand, omittingEmptySubsequences: false).map { item in
            guard let equals = item.firstIndex(of: .equals),
                SecretNames.contains(PercentCoding.string(item[..<equals], plusIsSpace: true))
            else { return String(Substring(item)) }
            return "\(Substring(item[...equals]))\(secret(String(Substring(item[equals...].dropFirst()))))"
        }
        return ("\(target[..<question])?" + items.joined(separator: "&")).cut(toBytes: limit)
    }

    /// A value, shortened where the name of its member says that it is a secret.
    static func of(_ value: JSONValue, under name: String) -> String {
        guard SecretNames.contains(name), let text = value.string else { return value.excerpt() }
        return secret(text).quoted()
    }

    /// The beginning of a secret, enough to tell one from another; a placeholder of a recording tells nothing, and stays.
    static func secret(_ text: String) -> String {
        text.cut(toBytes: text.hasPrefix("redacted-") ? 60 : 4)
    }
}
