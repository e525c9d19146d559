import HTTPTypes

/// What the peer did wrong, with the status to answer and a message for the person who wrote the peer.
///
/// The message says what arrived, what was expected and what to do. All of them are in `RemoteError+Messages.swift`.
public struct RemoteError: Error, Sendable, Equatable {
    /// The status a server should answer with; 502 where a server's response is at fault.
    public var status: HTTPResponse.Status
    /// What arrived, what was expected, what to do.
    public var message: String
    /// The clause that was broken, such as `RFC 9112 §5.1`.
    public var source: String

    /// An error with all its parts.
    public init(status: HTTPResponse.Status, message: String, source: String) {
        self.status = status
        self.message = message
        self.source = source
    }
}

extension RemoteError: CustomStringConvertible {
    /// The message with its clause.
    public var description: String { "\(status.code) \(message) (\(source))" }
}
