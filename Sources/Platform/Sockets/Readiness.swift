/// One descriptor that is ready, named by the token it was added with.
public struct Readiness: Sendable, Hashable {
    /// The token given to `add` or, later, to `modify`.
    public let token: UInt64

    /// Reading would not block; reported only to those interested in reading.
    ///
    /// The end of the stream and a failure count: the next read returns them.
    public let readable: Bool

    /// Writing would not block; reported only to those interested in writing.
    public let writable: Bool

    /// Both directions are closed; reported without being asked for.
    public let hangUp: Bool

    /// The connection has failed, for example by a reset; reported without being asked for.
    public let error: Bool
}
