/// The limits for requests to the admin API that are not options of a server.
package enum AdminLimits {
    /// The maximum number of upcoming events that a clock's answer lists.
    package static let due = 50
    /// The maximum size of a ping's payload, and of a close frame's reason (RFC 6455 §5.5).
    package static let pingBytes = 125, reasonBytes = 123
    /// The default and the longest wait, in nanoseconds of the system's clock: 5 s and 10 min.
    static let usualWait: Int64 = 5_000_000_000
    package static let longestWait: Int64 = 600_000_000_000
    /// The maximum number of waiting requests in a world.
    package static let waits = 64
    /// The maximum size of a body in the list of held items, in bytes.
    static let listedBody = 64 * 1024
    /// The maximum number of rules to read on the loop; reading this many takes up to a millisecond.
    static let rulesOnLoop = 64
}
