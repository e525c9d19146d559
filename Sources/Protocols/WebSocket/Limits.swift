/// How much of a peer's data a connection takes.
public struct Limits: Hashable, Sendable {
    /// The payload of a message in bytes, its fragments together; more is refused with 1009 once the length is known.
    public var message = 1024 * 1024

    /// Bytes of unsent output above which pongs wait; then only the latest ping is answered.
    ///
    /// A peer that pings and never reads cannot make the output grow past this. RFC 6455 §5.5.3: an endpoint that has
    /// not yet answered earlier pings "MAY elect to send a Pong frame for only the most recently processed Ping frame."
    public var unsentBeforePongsWait = 64 * 1024

    /// Starts from the defaults: messages of 1 MiB, 64 KiB of unsent output.
    public init() {}

    /// Limits the payload of a message, and leaves the rest at the defaults.
    public init(message: Int) {
        self.message = message
    }
}
