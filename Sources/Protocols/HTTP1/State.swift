/// Where one end of a connection stands in its message; the same for both roles, after h11.
public enum State: Sendable, Hashable {
    /// Between messages.
    case idle
    /// A request has come whole or in part, no final response has begun (servers).
    case sendResponse
    /// The head of the message is out, its end is not.
    case sendBody
    /// The message is complete; the next begins when the other end is done as well.
    case done
    /// Nothing more may be sent but the end of the stream.
    case mustClose
    /// The end of the stream was sent.
    case closed
    /// The request is complete and proposed another protocol; the response decides (clients).
    case mightSwitchProtocol
    /// The connection speaks another protocol now.
    case switchedProtocol
    /// What this end sent made no sense; nothing after it is read.
    case error
}
