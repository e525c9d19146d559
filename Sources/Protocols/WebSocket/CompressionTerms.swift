import HTTPTypes
import Text

/// The negotiated terms of permessage-deflate: the value of Sec-WebSocket-Extensions in a 101.
///
/// Source: RFC 7692 §7.1; RFC 6455 §9.1 for the grammar.
public struct CompressionTerms: Hashable, Sendable {
    /// Whether the server resets its context for each message.
    public var serverNoContextTakeover = false
    /// Whether the client resets its context for each message.
    public var clientNoContextTakeover = false
    /// The server's window, 8 to 15 as a power of 2; nil means 15.
    public var serverMaxWindowBits: Int?
    /// The client's window, 8 to 15 as a power of 2; nil means 15.
    public var clientMaxWindowBits: Int?

    public init() {}

    /// The window that a server requests if it may: a socket then keeps at most 4 KiB of the client's messages.
    public static let preferredClientBits = 12

    /// The field's value.
    public var fieldValue: String {
        var value = Self.name
        if serverNoContextTakeover { value += "; server_no_context_takeover" }
        if clientNoContextTakeover { value += "; client_no_context_takeover" }
        if let bits = serverMaxWindowBits { value += "; server_max_window_bits=\(bits)" }
        if let bits = clientMaxWindowBits { value += "; client_max_window_bits=\(bits)" }
        return value
    }

    /// The terms for a request's first acceptable offer; nil if the server can accept no offer.
    ///
    /// §7.1: a server declines an offer with an unknown or repeated parameter, or a bad value. A field that is not a
    /// list of extensions offers nothing.
    public init?(answering fields: HTTPFields) {
        let offers = Self.extensions(in: fields) ?? []
        guard let offer = offers.lazy.compactMap({ CompressionOffer($0) }).first else { return nil }
        self = offer.terms
        guard offer.allowsClientBits else { return }
        clientMaxWindowBits = min(clientMaxWindowBits ?? 15, Self.preferredClientBits)
    }

    /// The terms in a server's 101, not checked against the offer; nil if there are none, or if there are other
    /// extensions or bad parameters.
    public init?(agreedIn fields: HTTPFields) {
        guard let extensions = Self.extensions(in: fields), extensions.count == 1,
            let answer = CompressionOffer(extensions[0]),
            answer.allowsClientBits == (answer.terms.clientMaxWindowBits != nil)
        else { return nil }
        self = answer.terms
    }

    /// Whether these terms fit an offer (§7.1.1, §7.1.2).
    func isAnswer(to offer: CompressionOffer) -> Bool {
        let offered = offer.terms
        if offered.serverNoContextTakeover, !serverNoContextTakeover { return false }
        if let limit = offered.serverMaxWindowBits { guard serverMaxWindowBits ?? 16 <= limit else { return false } }
        guard let bits = clientMaxWindowBits else { return true }
        return offer.allowsClientBits && bits <= offered.clientMaxWindowBits ?? 15
    }

    fileprivate static let name = "permessage-deflate"

    /// An extension in a field: its name, and its parameters in order.
    fileprivate struct Extension {
        var name: Substring
        var parameters: [(name: Substring, value: Substring?)] = []
    }

    /// The extensions that a request or response lists; nil if the field is not a list of extensions.
    private static func extensions(in fields: HTTPFields) -> [Extension]? {
        var found: [Extension] = []
        // No value contains a comma or a semicolon: even a quoted value must be a token.
        for element in fields[values: .secWebSocketExtensions].flatMap({ $0.split(separator: ",") }) {
            let parts = element.split(separator: ";", omittingEmptySubsequences: false).map(trimmed)
            if parts == [""] { continue }
            guard isToken(parts[0]) else { return nil }
            var read = Extension(name: parts[0])
            for part in parts.dropFirst() {
                let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(trimmed)
                guard isToken(halves[0]) else { return nil }
                var value = halves.count == 2 ? halves[1] : nil
                if let quoted = value, quoted.utf8.count > 1, quoted.hasPrefix("\""), quoted.hasSuffix("\"") {
                    value = quoted.dropFirst().dropLast()
                }
                guard value.map(isToken) ?? true else { return nil }
                read.parameters.append((halves[0], value))
            }
            found.append(read)
        }
        return found
    }

    private static func trimmed(_ text: Substring) -> Substring { Substring(FieldTokens.trimmed(text.utf8)) }

    /// RFC 9110 §5.6.2: `token = 1*tchar`.
    private static func isToken(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0.isDigit || $0.isLetter || "!#$%&'*+-.^_`|~".utf8.contains($0) }
    }
}

/// A client's permessage-deflate offer, with its requirements and options.
public struct CompressionOffer: Hashable, Sendable {
    /// The parameters, except for a `client_max_window_bits` without a value.
    public var terms: CompressionTerms
    /// Whether the server may limit the client's window.
    public var allowsClientBits: Bool

    public init(_ terms: CompressionTerms = CompressionTerms(), allowsClientBits: Bool = true) {
        (self.terms, self.allowsClientBits) = (terms, allowsClientBits || terms.clientMaxWindowBits != nil)
    }

    /// The field's value.
    public var fieldValue: String {
        let isOpen = allowsClientBits && terms.clientMaxWindowBits == nil
        return terms.fieldValue + (isOpen ? "; client_max_window_bits" : "")
    }

    /// Reads the parameters; nil for a different extension, or an unknown, repeated or invalid parameter.
    fileprivate init?(_ read: CompressionTerms.Extension) {
        guard read.name.lowercased() == CompressionTerms.name else { return nil }
        self.init(allowsClientBits: false)
        var seen: Set<Substring> = []
        for (name, value) in read.parameters {
            guard seen.insert(name).inserted else { return nil }
            // "a decimal integer value without leading zeroes between 8 to 15, inclusive"
            let bits = value.flatMap { (8...15).map { "\($0)" }.contains(String($0)) ? Int($0) : nil }
            switch (name, value, bits) {
            case ("server_no_context_takeover", nil, _): terms.serverNoContextTakeover = true
            case ("client_no_context_takeover", nil, _): terms.clientNoContextTakeover = true
            case ("server_max_window_bits", _, let bits?): terms.serverMaxWindowBits = bits
            case ("client_max_window_bits", nil, _): allowsClientBits = true
            case ("client_max_window_bits", _, let bits?): (allowsClientBits, terms.clientMaxWindowBits) = (true, bits)
            default: return nil
            }
        }
    }
}
