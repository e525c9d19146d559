/// The status code of a close frame.
///
/// Any number can be held, so that a journal can show what a peer sent. Source: RFC 6455 §7.4 and the IANA registry
/// "WebSocket Close Code Number".
public struct CloseCode: RawRepresentable, Hashable, Sendable {
    /// The number on the wire.
    public let rawValue: UInt16

    /// Holds any number, whether or not it may be sent.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// 1000: the purpose of the connection has been fulfilled.
    public static let normalClosure = CloseCode(rawValue: 1000)
    /// 1001: the server is shutting down, or the client has navigated away.
    public static let goingAway = CloseCode(rawValue: 1001)
    /// 1002: the peer broke the protocol.
    public static let protocolError = CloseCode(rawValue: 1002)
    /// 1003: a kind of data that the endpoint does not take.
    public static let unsupportedData = CloseCode(rawValue: 1003)
    /// 1005: the close frame held no code; never sent.
    public static let noStatus = CloseCode(rawValue: 1005)
    /// 1006: the transport ended without a close frame; never sent.
    public static let abnormal = CloseCode(rawValue: 1006)
    /// 1007: data that does not fit the type of the message, such as text that is not UTF-8.
    public static let invalidPayload = CloseCode(rawValue: 1007)
    /// 1008: a message that the endpoint's policy forbids.
    public static let policyViolation = CloseCode(rawValue: 1008)
    /// 1009: a message too big to process.
    public static let messageTooBig = CloseCode(rawValue: 1009)
    /// 1010: the client needed an extension that the server did not negotiate.
    public static let mandatoryExtension = CloseCode(rawValue: 1010)
    /// 1011: the endpoint met an unexpected condition.
    public static let internalError = CloseCode(rawValue: 1011)
    /// 1012: the service restarts.
    public static let serviceRestart = CloseCode(rawValue: 1012)
    /// 1013: the service is overloaded; try again later.
    public static let tryAgainLater = CloseCode(rawValue: 1013)
    /// 1014: a gateway got an invalid answer from upstream.
    public static let badGateway = CloseCode(rawValue: 1014)
    /// 1015: the TLS handshake failed; never sent.
    public static let tlsHandshake = CloseCode(rawValue: 1015)

    /// Whether a close frame may hold this code.
    ///
    /// Codes below 1000 are unused, 1004 is reserved, 1005, 1006 and 1015 "MUST NOT be set as a status code in a Close
    /// control frame by an endpoint" (RFC 6455 §7.4.1); 1012 to 1014 were registered with IANA later; 1016 to 2999
    /// are reserved for the protocol and unassigned; 3000 to 4999 are for libraries and applications (§7.4.2).
    public var isAllowedOnWire: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}

extension CloseCode: CustomStringConvertible {
    /// The number in decimal, such as `1000`.
    public var description: String { String(rawValue) }
}
