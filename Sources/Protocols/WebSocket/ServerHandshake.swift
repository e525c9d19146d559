import HTTPTypes

/// The server's side of the opening handshake.
///
/// Subprotocols and extensions are declined by leaving their fields out of the answer (RFC 6455 §4.2.2). `Origin` is
/// not judged, and neither are credentials: those are the caller's. Source: RFC 6455 §4.2.
public enum ServerHandshake {
    /// What a request amounts to.
    public enum Outcome: Hashable, Sendable {
        /// Answer 101 with these fields; what follows on the connection are frames.
        case accept(responseFields: HTTPFields)
        /// A handshake that cannot be accepted: answer with this status, these fields and the message in the body.
        case refuse(status: HTTPResponse.Status, fields: HTTPFields, message: String)
        /// Neither `Upgrade: websocket` nor a `Sec-WebSocket` field: an ordinary request.
        case notAnUpgrade
    }

    /// Why a handshake is refused, with what arrived; nil stands for a missing field.
    public enum Refusal: Error, Hashable, Sendable {
        /// Sec-WebSocket fields without `Upgrade: websocket`: 426.
        case upgradeFieldMissing
        /// A method other than GET: 400.
        case method(String)
        /// Not HTTP/1.1: 426.
        case httpVersion
        /// No `upgrade` in Connection: 400.
        case connectionField(String?)
        /// A version that is missing or not 13: 426; several: 400.
        case version(String?)
        /// A key that is missing, repeated or not the base64 of 16 bytes: 400.
        case key(String?)
    }

    /// Judges an upgrade request.
    ///
    /// Tokens are read in any case, from one field line or several; equal `Upgrade` and `Connection` lines may be
    /// repeated. Source: RFC 6455 §4.2.1; RFC 9110 §7.8.
    public static func evaluate(method: HTTPRequest.Method, isHTTP11: Bool, fields: HTTPFields) -> Outcome {
        do throws(Refusal) {
            guard let key = try key(method: method, isHTTP11: isHTTP11, fields: fields) else { return .notAnUpgrade }
            var answer = HTTPFields()
            answer[.upgrade] = "websocket"
            answer[.connection] = "Upgrade"
            answer[.secWebSocketAccept] = HandshakeKey.accept(for: key)
            return .accept(responseFields: answer)
        } catch {
            return .refuse(status: error.status(fields: fields), fields: error.fields, message: error.message)
        }
    }

    /// The value of Sec-WebSocket-Accept that answers a key, whatever the key is.
    ///
    /// ``evaluate(method:isHTTP11:fields:)`` writes it by itself; this is for those who want to answer another key.
    /// Source: RFC 6455 §4.2.2.
    public static func accept(for key: String) -> String { HandshakeKey.accept(for: key) }

    /// The key of a valid handshake, nil for a request that is none.
    private static func key(
        method: HTTPRequest.Method, isHTTP11: Bool, fields: HTTPFields
    ) throws(Refusal) -> String? {
        // §4.2.1 (3): "An |Upgrade| header field containing the value "websocket", treated as an ASCII
        // case-insensitive value."
        guard FieldTokens.contains("websocket", in: .upgrade, of: fields) else {
            // Proxies that do not know WebSocket drop Upgrade and Connection, which are hop-by-hop, and pass the rest.
            guard fields[.secWebSocketKey] == nil, fields[.secWebSocketVersion] == nil else {
                throw .upgradeFieldMissing
            }
            return nil
        }
        // §4.2.1 (1): "An HTTP/1.1 or higher GET request".
        guard method == .get else { throw .method(method.rawValue) }
        // RFC 9110 §7.8: "A server MUST ignore an Upgrade header field that is received in an HTTP/1.0 request."
        guard isHTTP11 else { throw .httpVersion }
        // §4.2.1 (4): "A |Connection| header field that includes the token "Upgrade", treated as an ASCII
        // case-insensitive value."
        guard FieldTokens.contains("upgrade", in: .connection, of: fields) else {
            throw .connectionField(fields[.connection])
        }
        // §4.2.1 (6): "A |Sec-WebSocket-Version| header field, with a value of 13." Judged before the key: the drafts
        // before 13 had other keys.
        guard FieldTokens.single(.secWebSocketVersion, of: fields) == "13" else {
            throw .version(fields[.secWebSocketVersion])
        }
        // §4.2.1 (5): "A |Sec-WebSocket-Key| header field with a base64-encoded value that, when decoded, is 16 bytes
        // in length." §11.3.1: it "MUST NOT appear more than once in an HTTP request."
        guard let key = FieldTokens.single(.secWebSocketKey, of: fields), HandshakeKey.isValid(key) else {
            throw .key(fields[.secWebSocketKey])
        }
        return key
    }
}

extension ServerHandshake.Refusal {
    fileprivate func status(fields: HTTPFields) -> HTTPResponse.Status {
        switch self {
        case .upgradeFieldMissing, .httpVersion: .upgradeRequired
        // §11.3.5: the version field "MUST NOT appear more than once in an HTTP request".
        case .version: fields[values: .secWebSocketVersion].count > 1 ? .badRequest : .upgradeRequired
        case .method, .connectionField, .key: .badRequest
        }
    }

    fileprivate var fields: HTTPFields {
        var fields = HTTPFields()
        switch self {
        case .upgradeFieldMissing, .httpVersion, .version:
            // RFC 9110 §15.5.22: with 426 "the server MUST send an Upgrade header field", and §7.8: "A sender of
            // Upgrade MUST also send an "Upgrade" connection option".
            fields[.upgrade] = "websocket"
            fields[.connection] = "Upgrade"
            // §4.2.2: "... and a |Sec-WebSocket-Version| header field indicating the version(s) the server is capable
            // of understanding."
            fields[.secWebSocketVersion] = "13"
        case .method, .connectionField, .key:
            break
        }
        return fields
    }
}
