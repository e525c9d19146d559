/// What a descriptor is watched for; with nothing, only a broken connection is reported.
public struct Interest: OptionSet, Sendable, Hashable {
    /// The bits, one for each condition.
    public let rawValue: UInt8

    /// The interest of those bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Reading would not block: bytes, a waiting connection, the end of the stream, or a failure.
    public static let read = Interest(rawValue: 1)

    /// Writing would not block: room in the send buffer, connecting has ended, or a failure.
    public static let write = Interest(rawValue: 2)
}
