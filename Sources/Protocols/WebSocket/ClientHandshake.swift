import Digests
import HTTPTypes

/// The client's side of the opening handshake.
///
/// It asks for no subprotocol and offers no extension, and refuses an answer that selects one. Source: RFC 6455 §4.1.
public struct ClientHandshake: Hashable, Sendable {
    /// Why the server's answer does not open a connection, with what arrived; nil stands for a missing field.
    public enum Failure: Error, Hashable, Sendable {
        /// A status other than 101.
        case status(Int)
        /// `Upgrade` is not `websocket`.
        case upgradeField(String?)
        /// `Connection` lacks `upgrade`.
        case connectionField(String?)
        /// `Sec-WebSocket-Accept` does not answer the key.
        case accept(String?, expected: String)
        /// An extension that was not offered.
        case extensions(String)
        /// A subprotocol that was not asked for.
        case subprotocol(String)
    }

    /// The value of Sec-WebSocket-Key.
    public let key: String

    /// Begins a handshake with 16 bytes that the caller has drawn at random.
    ///
    /// §4.1: "The nonce MUST be selected randomly for each connection."
    /// - Precondition: there are 16 bytes.
    public init(key: [UInt8]) {
        precondition(key.count == HandshakeKey.byteCount, Misuse.keyLength)
        self.key = Base64.encode(key)
    }

    /// The fields that make a GET request a handshake; `Host` and credentials are the caller's.
    public var requestFields: HTTPFields {
        var fields = HTTPFields()
        fields[.upgrade] = "websocket"
        fields[.connection] = "Upgrade"
        fields[.secWebSocketKey] = key
        fields[.secWebSocketVersion] = "13"
        return fields
    }

    /// Judges the server's answer; nil means that what follows on the connection are frames.
    ///
    /// Source: RFC 6455 §4.1, "the client MUST validate the server's response as follows".
    public func verify(status: HTTPResponse.Status, fields: HTTPFields) -> Failure? {
        guard status.code == 101 else { return .status(status.code) }
        guard FieldTokens.contains("websocket", in: .upgrade, of: fields) else {
            return .upgradeField(fields[.upgrade])
        }
        guard FieldTokens.contains("upgrade", in: .connection, of: fields) else {
            return .connectionField(fields[.connection])
        }
        // "... but ignoring any leading and trailing whitespace"; §11.3.3: it "MUST NOT appear more than once".
        let expected = HandshakeKey.accept(for: key)
        guard FieldTokens.single(.secWebSocketAccept, of: fields) == expected else {
            return .accept(fields[.secWebSocketAccept], expected: expected)
        }
        if let extensions = fields[.secWebSocketExtensions] { return .extensions(extensions) }
        if let subprotocol = fields[.secWebSocketProtocol] { return .subprotocol(subprotocol) }
        return nil
    }
}
