/// How much of each thing a connection takes from its peer before it refuses.
///
/// Each refusal comes as soon as it is known, without buffering what is refused. Line lengths include the line end.
public struct Limits: Sendable, Equatable {
    /// The longest request line in bytes; longer is refused with 414.
    ///
    /// Also holds for a status line.
    public var requestLine = 8 * 1024
    /// The longest method name in bytes; longer is refused with 501.
    public var methodName = 32
    /// The most bytes of field lines, trailers included; more is refused with 431.
    public var headerBlock = 16 * 1024
    /// The most field lines, trailers included; more is refused with 431.
    public var fieldCount = 100
    /// The most bytes of a body; more is refused with 413.
    public var body = 1024 * 1024
    /// The most bytes to which ``Connection/raiseBodyLimit(to:)`` can raise ``body`` for one request; nil for none.
    public var raisedBody: Int?
    /// The longest chunk-size line in bytes, extensions included; longer is refused with 400.
    public var chunkLine = 256
    /// The most empty lines skipped before a request line; more is refused with 400.
    public var leadingEmptyLines = 8
    /// The most bytes that may wait while an answer is being made; see ``Connection/wantsBytes``.
    ///
    /// A `receive` that comes when this much is already waiting fails the connection with 400.
    public var pipelined = 256 * 1024

    /// The defaults.
    public static let standard = Limits()

    /// The defaults, to be changed field by field.
    public init() {}

    /// Limits that contradict each other are a mistake of ours, not of the peer's.
    func validate() {
        precondition(methodName > 0, "Limits.methodName must be positive")
        precondition(
            requestLine > methodName + 16, "Limits.requestLine must hold a method name, a target and a version")
        precondition(chunkLine >= 18, "Limits.chunkLine must hold a chunk size of 16 digits")
        precondition(
            headerBlock >= 0 && fieldCount >= 0 && body >= 0 && raisedBody ?? 0 >= 0 && leadingEmptyLines >= 0
                && pipelined >= 0)
        precondition(requestLine + headerBlock < 1 << 30, "Limits.requestLine and .headerBlock must stay under 1 GiB")
    }
}
