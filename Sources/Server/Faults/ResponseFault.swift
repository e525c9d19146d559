/// What goes wrong with an HTTP response.
public enum ResponseFault: Sendable, Equatable {
    /// Another answer in place of the right one.
    case replace(Replacement)
    /// The right answer for so many requests in each window of so many nanoseconds, the other one beyond.
    ///
    /// The window is fixed: it begins with the first request after the last one's end. Unless the other answer has a
    /// ``Replacement/retryAfter`` of its own, `Retry-After` is what is left of the window, in seconds, rounded up.
    case quota(requests: Int, window: Int64, Replacement)
    /// So many nanoseconds before the first byte.
    case delay(Int64)
    /// So many bytes at a time, head included, with so many nanoseconds between.
    case dribble(bytes: Int, every: Int64)
    /// The connection ends (FIN) after so many bytes of the body, though Content-Length announced all.
    ///
    /// A shorter body comes whole before the end.
    case truncate(after: Int)
    /// A Content-Length so much larger, or smaller, than the body.
    ///
    /// The connection stays open, and no less than 0 is announced.
    case contentLength(off: Int)
    /// The body loses its last byte and so is no JSON; its length is announced rightly.
    case malformedJSON
    /// The body comes in two chunks, and the size of the second is no number.
    case malformedChunking
    /// The connection ends (FIN) without a byte.
    case emptyReply
    /// The connection is reset (RST) after so many bytes of the response, head included.
    case reset(after: Int)
    /// No byte, and no end: the client has to lose patience, or the server does after ``FaultLimits/hang``.
    case hang
    /// Another Content-Type; nil leaves it out.
    ///
    /// Bytes that may not stand in a field become spaces.
    case contentType(String?)
    /// Times in JSON have nine digits of a second's fraction: `2025-01-29T10:30:00.123456789Z`.
    case nanosecondTimestamps
}

/// An answer in place of the right one.
public struct Replacement: Sendable, Equatable {
    /// The status, 200 to 599.
    public var status: Int
    /// The body as it is, left out with 204, 205 and 304; nil for the envelope with ``code`` and ``message``.
    public var body: String?
    /// The Content-Type of ``body``; nil for JSON.
    public var contentType: String?
    /// The `code` of the error; nil for the usual one of the status.
    public var code: String?
    /// The `message` of the error; nil for one that says that a scenario wants it.
    public var message: String?
    /// The `Retry-After` field in seconds.
    public var retryAfter: Int?
    /// Whether the backend does what was asked, and only the answer is lost.
    public var isProcessed: Bool

    /// Makes an answer.
    public init(
        status: Int, body: String? = nil, contentType: String? = nil, code: String? = nil, message: String? = nil,
        retryAfter: Int? = nil, isProcessed: Bool = false
    ) {
        self.status = status
        self.body = body
        self.contentType = contentType
        self.code = code
        self.message = message
        self.retryAfter = retryAfter
        self.isProcessed = isProcessed
    }
}
