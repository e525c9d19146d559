/// What ``Connection/nextEvent()`` found in the bytes received.
///
/// ``needsData``, ``paused`` and ``connectionClosed`` end a loop over events; all others are followed by more.
public enum Event: Sendable {
    /// Nothing more until the next `receive`.
    case needsData
    /// Nothing more until our side has finished its message, or ever after a change of protocol.
    case paused
    /// The head of a request (server role).
    case request(RequestHead)
    /// The head of a final response (client role), or a 101, after which the connection speaks another protocol.
    case response(ResponseHead)
    /// The head of an interim response, 1xx but not 101; the final response is yet to come (client role).
    case informational(ResponseHead)
    /// A piece of the body. It shares the buffer of the connection: copy what is to be kept.
    case body(ArraySlice<UInt8>)
    /// The message is complete.
    case end
    /// The peer ended its stream between messages.
    case connectionClosed
}
