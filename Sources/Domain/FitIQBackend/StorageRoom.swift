/// How many bytes of JSON a world may hold: its own limit, or what other worlds leave of one that they share.
public struct StorageRoom: Sendable, Equatable {
    /// What the world may hold now, what it holds already included.
    public var bytes: Int
    /// The limit that this comes from, which refusals name.
    public var limit: Int

    /// Makes room for so many bytes, as far as a limit allows them.
    public init(bytes: Int, limit: Int) {
        self.bytes = bytes
        self.limit = limit
    }
}
