/// Bytes that arrived and are not consumed yet.
///
/// Consuming moves an index; the bytes before it are dropped at a later append, when at least as many were consumed as
/// remain. Each byte is thus moved at most once for each byte consumed: amortised O(1), however requests are pipelined.
struct ReceiveBuffer: Sendable {
    /// An emptied buffer that has grown beyond this gives its memory back.
    static let retainedCapacity = 256 * 1024

    private var bytes: [UInt8] = []
    private var start = 0

    var count: Int { bytes.count - start }
    var isEmpty: Bool { bytes.count == start }

    mutating func append(_ new: UnsafeRawBufferPointer) {
        if start == bytes.count {
            bytes.removeAll(keepingCapacity: bytes.capacity <= Self.retainedCapacity)
            start = 0
        } else if start >= count {
            bytes.removeSubrange(..<start)
            start = 0
        }
        bytes.append(contentsOf: new)
    }

    mutating func consume(_ length: Int) {
        precondition(length <= count, "consumed more bytes than were received")
        start += length
    }

    /// Consumes `length` bytes and hands them out without copying; the slice keeps the storage alive, no longer.
    mutating func take(_ length: Int) -> ArraySlice<UInt8> {
        let slice = bytes[start..<start + length]
        consume(length)
        return slice
    }

    mutating func takeAll() -> [UInt8] {
        let all = Array(bytes[start...])
        removeAll()
        return all
    }

    mutating func removeAll() {
        bytes = []
        start = 0
    }

    @inline(__always)
    func withUnread<R, E: Error>(_ body: (Bytes) throws(E) -> R) throws(E) -> R {
        let start = start
        return try bytes.withUnsafeBufferPointer { (all) throws(E) -> R in
            try body(Bytes(rebasing: all[start...]))
        }
    }
}
