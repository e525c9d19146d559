/// Bytes on their way to a peer, of which the transport takes as many as it can.
struct OutputBuffer {
    /// All that was written since the buffer was empty.
    var bytes: [UInt8] = []
    /// How many of them the transport has taken.
    private var taken = 0

    /// Bytes not yet taken.
    var count: Int { bytes.count - taken }
    var isEmpty: Bool { count == 0 }

    /// Lends the bytes not yet taken.
    func withUnsent<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[taken...])) }
    }

    /// Notes that the transport has taken bytes; storage is compacted when half of it is behind us.
    mutating func take(_ count: Int) {
        taken += count
        precondition(taken <= bytes.count, "The transport took more bytes than there were.")
        if taken == bytes.count {
            bytes.removeAll(keepingCapacity: true)
            taken = 0
        } else if taken > 64 * 1024, taken > bytes.count / 2 {
            bytes.removeSubrange(..<taken)
            taken = 0
        }
    }

    /// Forgets what has not been taken.
    mutating func discard() {
        bytes = []
        taken = 0
    }
}
