/// Bytes that wait for one side of a relay.
public struct RelayOutput: Sendable {
    /// Where the codecs append; what was sent lies before ``start``.
    var bytes: [UInt8] = []
    private var start = 0

    /// An emptied buffer that has grown beyond this gives its memory back.
    private static let retainedCapacity = 16 * 1024

    /// How many bytes wait.
    public var count: Int { bytes.count - start }
    /// Whether nothing waits.
    public var isEmpty: Bool { bytes.count == start }

    /// Borrows the bytes that wait.
    public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start...])) }
    }

    /// Takes note that the first of them were sent.
    mutating func take(_ count: Int) {
        precondition(count <= self.count, "more was sent than there was")
        start += count
        if start == bytes.count {
            removeAll()
        } else if start >= bytes.count - start, start > RelayOutput.retainedCapacity {
            // Each byte is moved at most once for each that was sent.
            bytes.removeSubrange(..<start)
            start = 0
        }
    }

    mutating func append(_ more: some Collection<UInt8>) { bytes.append(contentsOf: more) }

    mutating func append(_ more: UnsafeRawBufferPointer) { bytes.append(contentsOf: more) }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: bytes.capacity <= RelayOutput.retainedCapacity)
        start = 0
    }
}
