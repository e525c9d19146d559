import Digests
import HTTPTypes
import Text

/// The key that a client sends and the response that proves that the server understood it.
///
/// Source: RFC 6455 §4.1 and §4.2.2.
enum HandshakeKey {
    static let byteCount = 16

    /// Whether a field value is "a value that, when base64-decoded, is 16 bytes in length" (RFC 6455 §4.2.1).
    static func isValid(_ key: String) -> Bool {
        // Sixteen bytes take 24 characters; check the length first, to avoid decoding long values.
        key.utf8.count == 24 && Base64.decode(key)?.count == byteCount
    }

    /// The value of Sec-WebSocket-Accept for `key`.
    ///
    /// §4.2.2: "concatenating ... |Sec-WebSocket-Key| ... with the string "258EAFA5-E914-47DA-95CA-C5AB0DC85B11",
    /// taking the SHA-1 hash of this concatenated value ... and base64-encoding". The key is used as received.
    static func accept(for key: String) -> String {
        Base64.encode(SHA1.digest(Array(key.utf8) + Array("258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)))
    }
}

/// Reads comma-separated lists of tokens from one or more field lines.
enum FieldTokens {
    /// Whether the field lists `token`, compared case-insensitively; `token` must be lowercase.
    ///
    /// RFC 9110 §5.6.1: `#element => [ element ] *( OWS "," OWS [ element ] )`; empty elements are skipped.
    static func contains(_ token: StaticString, in name: HTTPField.Name, of fields: HTTPFields) -> Bool {
        fields[values: name].contains { $0.utf8.split(separator: .comma).contains { equals(trimmed($0), token) } }
    }

    /// A field's only value without surrounding white space; nil unless there is exactly one field line.
    static func single(_ name: HTTPField.Name, of fields: HTTPFields) -> String? {
        let values = fields[values: name]
        guard values.count == 1 else { return nil }
        return String(Substring(trimmed(Substring(values[0]).utf8)))
    }

    static func trimmed(_ element: Substring.UTF8View) -> Substring.UTF8View {
        // RFC 9110 §5.6.3: OWS = *( SP / HTAB )
        var element = element
        while let first = element.first, first == .space || first == .tab { element.removeFirst() }
        while let last = element.last, last == .space || last == .tab { element.removeLast() }
        return element
    }

    private static func equals(_ element: Substring.UTF8View, _ token: StaticString) -> Bool {
        let expected = UnsafeBufferPointer(start: token.utf8Start, count: token.utf8CodeUnitCount)
        return element.elementsEqual(expected) { $0.lowercased == $1 }
    }
}

/// The server's side of the opening handshake (RFC 6455 §4.2).
///
/// To decline subprotocols and extensions, omit their response fields (RFC 6455 §4.2.2). The caller checks `Origin` and
/// credentials, and adds the ``CompressionTerms`` field if it compresses.
public enum ServerHandshake {
    /// The result of evaluating a request.
    public enum Outcome: Hashable, Sendable {
        /// Respond with 101 and these fields; frames follow on the connection.
        case accept(responseFields: HTTPFields)
        /// An unacceptable handshake: respond with this status, these fields and the message in the body.
        case refuse(status: HTTPResponse.Status, fields: HTTPFields, message: String)
        /// An ordinary request, with neither `Upgrade: websocket` nor a `Sec-WebSocket` field.
        case notAnUpgrade
    }

    /// Evaluates an upgrade request.
    ///
    /// Tokens match case-insensitively, in one or more field lines; identical `Upgrade` and `Connection` lines may be
    /// repeated. Source: RFC 6455 §4.2.1; RFC 9110 §7.8.
    public static func evaluate(method: HTTPRequest.Method, isHTTP11: Bool, fields: HTTPFields) -> Outcome {
        // §4.2.1 (3): "An |Upgrade| header field containing the value "websocket", treated as an ASCII
        // case-insensitive value."
        guard FieldTokens.contains("websocket", in: .upgrade, of: fields) else {
            // Proxies without WebSocket support drop Upgrade and Connection, which are hop-by-hop, and forward the
            // other fields.
            let isPlain = fields[.secWebSocketKey] == nil && fields[.secWebSocketVersion] == nil
            return isPlain ? .notAnUpgrade : .upgradeFieldMissing
        }
        // §4.2.1 (1): "An HTTP/1.1 or higher GET request".
        guard method == .get else { return .method(method.rawValue) }
        // RFC 9110 §7.8: "A server MUST ignore an Upgrade header field that is received in an HTTP/1.0 request."
        guard isHTTP11 else { return .httpVersion }
        // §4.2.1 (4): "A |Connection| header field that includes the token "Upgrade", treated as an ASCII
        // case-insensitive value."
        guard FieldTokens.contains("upgrade", in: .connection, of: fields) else {
            return .connectionField(fields[.connection])
        }
        // §4.2.1 (6): "A |Sec-WebSocket-Version| header field, with a value of 13." Check it before the key, because
        // drafts before 13 used different keys.
        guard FieldTokens.single(.secWebSocketVersion, of: fields) == "13" else {
            return .version(
                fields[.secWebSocketVersion], isRepeated: fields[values: .secWebSocketVersion].count > 1)
        }
        // §4.2.1 (5): "A |Sec-WebSocket-Key| header field with a base64-encoded value that, when decoded, is 16 bytes
        // in length." §11.3.1: it "MUST NOT appear more than once in an HTTP request."
        guard let key = FieldTokens.single(.secWebSocketKey, of: fields), HandshakeKey.isValid(key) else {
            return .key(fields[.secWebSocketKey])
        }
        return .accept(responseFields: [
            .upgrade: "websocket", .connection: "Upgrade", .secWebSocketAccept: HandshakeKey.accept(for: key),
        ])
    }

    /// The value of Sec-WebSocket-Accept for any key (RFC 6455 §4.2.2), for responses to a wrong key.
    public static func accept(for key: String) -> String { HandshakeKey.accept(for: key) }
}

/// The client's side of the opening handshake (RFC 6455 §4.1).
///
/// The client requests no subprotocol, and requests compression only if the caller asks; it rejects responses that
/// select anything else.
public struct ClientHandshake: Hashable, Sendable {
    public let key: String
    /// The compression offer, if any.
    private let offer: CompressionOffer?

    /// Starts a handshake with 16 random bytes from the caller.
    ///
    /// §4.1: "The nonce MUST be selected randomly for each connection."
    /// - Precondition: The key has 16 bytes.
    public init(key: [UInt8], offer: CompressionOffer? = nil) {
        precondition(key.count == HandshakeKey.byteCount, "A handshake key must have 16 bytes.")
        self.key = Base64.encode(key)
        self.offer = offer
    }

    /// The fields that make a GET request a handshake; the caller adds `Host` and credentials.
    public var requestFields: HTTPFields {
        var fields: HTTPFields = [
            .upgrade: "websocket", .connection: "Upgrade", .secWebSocketKey: key, .secWebSocketVersion: "13",
        ]
        fields[.secWebSocketExtensions] = offer?.fieldValue
        return fields
    }

    /// Returns why the server's response does not open a connection, or nil if frames follow, which are compressed if
    /// the response has ``CompressionTerms``.
    ///
    /// Source: RFC 6455 §4.1, "the client MUST validate the server's response as follows".
    public func verify(status: HTTPResponse.Status, fields: HTTPFields) -> Refusal? {
        guard status.code == 101 else { return .wrongStatus(status.code) }
        if !FieldTokens.contains("websocket", in: .upgrade, of: fields) { return .upgradeField(fields[.upgrade]) }
        guard FieldTokens.contains("upgrade", in: .connection, of: fields) else {
            return .connectionField(fields[.connection])
        }
        // "... but ignoring any leading and trailing whitespace"; §11.3.3: it "MUST NOT appear more than once".
        let expected = HandshakeKey.accept(for: key)
        guard FieldTokens.single(.secWebSocketAccept, of: fields) == expected else {
            return .wrongAccept(fields[.secWebSocketAccept], expected: expected)
        }
        if let extensions = fields[.secWebSocketExtensions] {
            guard let offer else { return .unofferedExtensions(extensions) }
            let isAnswer = CompressionTerms(agreedIn: fields)?.isAnswer(to: offer) ?? false
            if !isAnswer { return .compression(extensions) }
        }
        if let subprotocol = fields[.secWebSocketProtocol] { return .unrequestedSubprotocol(subprotocol) }
        return nil
    }
}
