import JSON
import Traffic

/// The IDs, days, addresses and tokens of a session, numbered in the order in which they were first sent.
struct Vocabulary: Sendable {
    private(set) var texts: [ExactString] = []
    private var numbers: [ExactString: Int] = [:]
    /// Whether another value may replace it, because the client or redaction invented it.
    private(set) var isReplaceable: [Bool] = []
    /// The origins of the session's URLs, which are no values.
    var origins = Origins()
    /// Whether there were more than ``ReplayLimits/recordedValues``.
    private(set) var isFull = false

    func number(of text: ExactString) -> Int? { numbers[text] }

    /// Adds a value unless it is known.
    mutating func note(_ text: ExactString, fromClient: Bool) {
        guard numbers[text] == nil else { return }
        guard texts.count < ReplayLimits.recordedValues else {
            isFull = true
            return
        }
        append(text, isReplaceable: fromClient || Self.isPlaceholder(text))
    }

    /// The number of a value, which is added if needed.
    mutating func intern(_ text: ExactString) -> Int { numbers[text] ?? append(text, isReplaceable: true) }

    @discardableResult
    private mutating func append(_ text: ExactString, isReplaceable replaceable: Bool) -> Int {
        numbers[text] = texts.count
        texts.append(text)
        isReplaceable.append(replaceable)
        return texts.count - 1
    }

    /// Adds the values of a text.
    mutating func note(valuesOf bytes: [UInt8], fromClient: Bool) {
        bytes.withUnsafeBufferPointer { bytes in
            var scanner = ValueScanner(bytes, origins: origins)
            while let found = scanner.next() {
                // Only times sent by the client count: it gets back the times that it sends in their place.
                if found.kind == .origin || (found.kind == .time && !fromClient) { continue }
                note(ExactString(String(decoding: bytes[found.range], as: UTF8.self)), fromClient: fromClient)
            }
        }
    }

    /// `redacted-token-1`, `user-1@redacted.example`.
    private static func isPlaceholder(_ text: ExactString) -> Bool {
        var text = text.text
        return text.withUTF8 { $0.isPlaceholder } || text.hasSuffix("@redacted.example")
    }
}

/// A secret of a request with its name: of a query item, a scheme, a field, a cookie.
struct Credential: Sendable {
    var name: ExactString
    var value: ExactString

    private init(_ name: String, _ value: some StringProtocol) {
        self.name = ExactString(name)
        self.value = ExactString(String(value))
    }

    static func all(in fields: [SessionField], _ url: RequestURL) -> [Credential] {
        var credentials = url.items.filter { SecretName.isSecret($0.name) }.map {
            Credential("query \($0.name)", $0.value)
        }
        for field in fields {
            switch field.name.lowercased() {
            case "authorization":
                let parts = field.value.split(separator: " ", maxSplits: 1)
                if parts.count == 2 {
                    credentials.append(Credential("authorization \(parts[0].lowercased())", parts[1]))
                }
            case "x-api-key": credentials.append(Credential("x-api-key", field.value))
            case "cookie":
                for pair in field.value.split(separator: ";").prefix(100) {
                    let parts = pair.split(separator: "=", maxSplits: 1)
                    guard parts.count == 2 else { continue }
                    credentials.append(Credential("cookie \(parts[0].drop { $0 == " " })", parts[1]))
                }
            default: break
            }
        }
        return credentials
    }
}
