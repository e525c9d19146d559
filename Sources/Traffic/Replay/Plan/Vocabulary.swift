import JSON
import Text
import Traffic

/// The IDs, days, addresses and tokens of a session, numbered in the order in which they were first sent.
struct Vocabulary: Sendable {
    private(set) var texts: [ExactString] = []
    private var numbers: [ExactString: Int] = [:]
    /// Whether another value may replace it, because the client or redaction invented it.
    private(set) var isReplaceable: [Bool] = []
    /// Whether there were more than ``ReplayLimits/recordedValues``.
    private(set) var isFull = false

    /// The number of a value, or nil if it was not recorded.
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
            var scanner = ValueScanner(bytes)
            while let found = scanner.next() {
                // Only times sent by the client count: it gets back the times that it sends in their place.
                if found.kind == .time, !fromClient { continue }
                note(ExactString(String(decoding: bytes[found.range], as: UTF8.self)), fromClient: fromClient)
            }
        }
    }

    /// `redacted-token-1`, `user-1@redacted.example`.
    static func isPlaceholder(_ text: ExactString) -> Bool {
        var text = text.text
        return text.withUTF8 { $0.isPlaceholder } || text.hasSuffix("@redacted.example")
    }
}

/// A parsed URL or request target, with the parts that are compared.
struct RequestURL: Sendable, Equatable {
    /// `http`, `https`, `ws` or `wss` in lower case; empty in a request target.
    private(set) var scheme = ""
    /// Host and port in lower case; empty in a request target.
    private(set) var authority = ""
    /// `/w/{id}` if the path begins with it, otherwise empty.
    private(set) var world = ""
    /// The percent-decoded path segments, without the world's.
    private(set) var segments: [String] = []
    /// The decoded query items, in order.
    private(set) var items: [(name: String, value: String)] = []

    init(_ text: String) {
        let url = URLParts(text)
        scheme = url.scheme?.lowercased() ?? ""
        authority = url.authority?.lowercased() ?? ""
        var parts = url.path.utf8.split(separator: .slash, omittingEmptySubsequences: false).dropFirst()
        if parts.count >= 3, let first = parts.first, first.elementsEqual("w".utf8) {
            world = "/w/" + String(Substring(parts[parts.startIndex + 1]))
            parts = parts.dropFirst(2)
        }
        segments = parts.map { PercentCoding.string($0, plusIsSpace: false) }
        for item in (url.query ?? "").utf8.split(separator: .ampersand) {
            let equals = item.firstIndex(of: .equals) ?? item.endIndex
            items.append(
                (
                    PercentCoding.string(item[..<equals], plusIsSpace: true),
                    PercentCoding.string(item[equals...].dropFirst(), plusIsSpace: true)
                ))
        }
    }

    static func == (left: RequestURL, right: RequestURL) -> Bool {
        left.scheme == right.scheme && left.authority.isExactly(right.authority) && left.world.isExactly(right.world)
            && left.segments.elementsEqual(right.segments) { $0.isExactly($1) }
            && left.items.elementsEqual(right.items) { $0.name.isExactly($1.name) && $0.value.isExactly($1.value) }
    }

    /// The path with its IDs, for messages.
    var path: String { "/" + segments.joined(separator: "/") }
}

/// Names that mark a value as a secret: of members, query items and fields.
enum SecretNames {
    /// Whether a member or item with that name holds a secret, by the recorder's rules.
    static func contains(_ name: String) -> Bool { SecretName.isSecret(name) }

    /// The credentials of a request, each with its name: a query item, a scheme, a field, a cookie.
    static func credentials(in fields: [SessionField], _ url: RequestURL) -> [Credential] {
        var credentials = url.items.filter { contains($0.name) }.map {
            Credential(name: "query \($0.name)", value: ExactString($0.value))
        }
        for field in fields {
            let value = field.value
            switch field.name.lowercased() {
            case "authorization":
                let parts = value.split(separator: " ", maxSplits: 1)
                if let scheme = parts.first, let last = parts.last, parts.count == 2 {
                    let text = ExactString(last)
                    credentials.append(Credential(name: "authorization \(scheme.lowercased())", value: text))
                }
            case "x-api-key": credentials.append(Credential(name: "x-api-key", value: ExactString(value)))
            case "cookie":
                for pair in value.split(separator: ";").prefix(100) {
                    let parts = pair.split(separator: "=", maxSplits: 1)
                    guard parts.count == 2 else { continue }
                    let name = parts[0].drop { $0 == " " }
                    credentials.append(Credential(name: "cookie \(name)", value: ExactString(parts[1])))
                }
            default: break
            }
        }
        return credentials
    }
}

/// A secret with its name.
struct Credential: Sendable, Equatable {
    var name: ExactString
    var value: ExactString
}
