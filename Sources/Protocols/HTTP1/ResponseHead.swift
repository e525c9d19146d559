import HTTPTypes

/// The status line and the field lines of a response.
public struct ResponseHead: Sendable {
    /// The status with the reason phrase that arrived.
    public var status: HTTPResponse.Status
    /// The version of the status line.
    public var version: Version
    /// The field lines as they arrived.
    public var fields: FieldBlock
    /// The length of the body, if a Content-Length told it; of the body a GET would have had for HEAD.
    public var contentLength: Int?
    /// Whether the body comes in chunks, its length unknown.
    public var isChunked: Bool
}
