import Faults
import FitIQAPI

/// Bytes for a peer, taken by the transport, or bytes from a peer, taken by the parser.
///
/// Faults insert holds between the bytes. The buffer does not lend the bytes after a hold until the hold has passed. A
/// wait starts, by the world's clock, once all bytes before it are released, even if the peer does not read. Identical
/// scenarios therefore produce identical times. If the world has a network, released bytes enter the network's line,
/// and the buffer lends them once they have arrived.
struct OutputBuffer: ~Copyable {
    /// All bytes written since the buffer was last emptied or compacted.
    var bytes: [UInt8] = []
    private var taken = 0
    /// The number of bytes written before ``bytes``.
    private var base = 0
    /// The holds in order; empty if there are no faults.
    private var holds = Backlog<Transmission.Mark>()
    /// When the wait at the first hold ends; nil until it starts.
    private var resumesAt: Timestamp?
    private var apartLine = Apart<NetworkLine>()

    /// The line through a world's network, if any.
    var line: NetworkLine? { @inline(__always) get { apartLine.value } }
    /// The number of bytes that have not been taken yet, including bytes after a hold.
    @inline(__always) var count: Int { bytes.count - taken }
    @inline(__always) var isEmpty: Bool { count == 0 }
    /// Whether the buffer holds bytes or an ending, or bytes are in transit.
    @inline(__always) var isHeld: Bool { !holds.isEmpty || !apartLine.isEmpty && isOnItsWay }
    /// Whether bytes can be taken now.
    @inline(__always) var hasReleased: Bool { releasedEnd > taken }
    /// The number of bytes written so far; never decreases.
    @inline(__always) var writtenOffset: Int { base + bytes.count }
    @inline(__always) var takenOffset: Int { base + taken }
    /// The offset before which all bytes are released.
    @inline(__always) var releasedOffset: Int { base + releasedEnd }
    @inline(__always) private var releasedEnd: Int {
        apartLine.isEmpty ? passedEnd : apartLine.present.arrived - base
    }
    /// The position up to which faults have released the bytes.
    @inline(__always) private var passedEnd: Int { holds.first?.offset ?? bytes.count }
    private var isOnItsWay: Bool { apartLine.present.arrived < writtenOffset || apartLine.present.breaks != nil }

    /// Sends later bytes through a different line, or through none; bytes in transit count as arrived.
    mutating func follow(_ line: NetworkLine?) {
        apartLine.value = line
        skipLine(to: passedEnd)
    }

    @inline(__always)
    func withUnsent<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[taken..<releasedEnd])) }
    }

    /// Removes taken bytes; compacts the storage once half of it is free.
    mutating func take(_ count: Int) {
        taken += count
        precondition(taken <= releasedEnd, "The transport must not take more bytes than are available.")
        if taken == bytes.count {
            bytes.removeAll(keepingCapacity: true)
        } else if taken > 64 * 1024, taken > bytes.count / 2 {
            bytes.removeSubrange(..<taken)
        } else {
            return
        }
        holds.update { $0.offset -= taken }
        base += taken
        taken = 0
    }

    mutating func discard() {
        base += bytes.count
        bytes = []
        taken = 0
        forgetHolds()
        skipLine(to: 0)
    }

    mutating func discardHeld() {
        bytes.removeSubrange(releasedEnd...)
        forgetHolds()
        skipLine(to: bytes.count)
    }

    private mutating func forgetHolds() {
        holds = Backlog()
        resumesAt = nil
    }

    /// Replaces the bytes after a position with a transmission.
    mutating func replace(from start: Int, with transmission: Transmission) {
        precondition(start >= holds.last?.offset ?? taken, "Bytes that were already held back cannot be replaced.")
        bytes.removeSubrange(start...)
        append(transmission)
    }

    mutating func append(_ transmission: Transmission) {
        let start = bytes.count
        bytes += transmission.bytes
        for mark in transmission.marks { holds.append(.init(start + mark.offset, mark.action)) }
    }

    /// The output after the last hold that has passed.
    enum Release: Equatable {
        /// All bytes are released.
        case all
        /// The remaining bytes are held until this time.
        case until(Timestamp)
        /// The released bytes are the last bytes, followed by this action.
        case end(WireAction)
        /// The network has broken the connection.
        case broken
    }

    /// Passes the holds that are due, or all waits, and returns what comes next; drops all bytes after an end.
    mutating func release(at time: Timestamp, skippingWaits: Bool = false) -> Release {
        let next = passHolds(at: time, skippingWaits)
        if !apartLine.isEmpty {
            if skippingWaits { skipLine(to: passedEnd) }
            if apartLine.present.arrive(by: time) { return .broken }
            // The connection ends after the bytes in transit.
            if let arrival = apartLine.present.next {
                if case .until(let over) = next, over < arrival { return next }
                return .until(arrival)
            }
        }
        if case .end = next { forgetHolds() }
        return next
    }

    private mutating func passHolds(at time: Timestamp, _ skippingWaits: Bool) -> Release {
        var reached = time
        while let hold = holds.first {
            enterLine(upTo: hold.offset, at: reached)
            guard case .wait(let nanoseconds) = hold.action else {
                bytes.removeSubrange(hold.offset...)
                return .end(hold.action)
            }
            let over = skippingWaits ? time : resumesAt ?? reached.advanced(byNanoseconds: nanoseconds)
            guard over <= time else {
                resumesAt = over
                return .until(over)
            }
            // The next wait starts when this wait ends, even if this call is late.
            reached = over
            resumesAt = nil
            holds.removeFirst()
        }
        forgetHolds()
        enterLine(upTo: bytes.count, at: reached)
        return .all
    }

    private mutating func enterLine(upTo end: Int, at time: Timestamp) {
        if !apartLine.isEmpty { apartLine.present.enter(upTo: base + end, at: time) }
    }

    private mutating func skipLine(to end: Int) {
        if !apartLine.isEmpty { apartLine.present.skip(to: base + end) }
    }
}
