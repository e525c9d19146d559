/// What a record of a client tells beside requests, answers and messages.
///
/// A journal tells all of it. Other programs' recordings leave things out, and what they leave out no client may be
/// blamed for: an obligation that cannot be judged without it counts as not exercised.
public struct Evidence: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: UInt8

    /// Makes a set of bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The pings, pongs and close frames of WebSockets.
    public static let controlFrames = Evidence(rawValue: 1)
    /// When each WebSocket ended, and who ended it.
    public static let socketEnds = Evidence(rawValue: 2)
    /// The credentials of requests, or placeholders in their place.
    public static let credentials = Evidence(rawValue: 4)
    /// Everything.
    public static let all: Evidence = [.controlFrames, .socketEnds, .credentials]
}
