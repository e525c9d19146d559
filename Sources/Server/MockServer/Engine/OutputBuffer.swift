import Faults
import FitIQAPI

/// Bytes for a peer; the transport takes as many as it can.
///
/// Faults put holds between the bytes: the bytes after a hold are not lent before it is passed. A hold counts from the
/// release of everything before it, by the world's clock and not by the peer's reading, so equal scenarios have equal
/// times.
struct OutputBuffer {
    /// All bytes written since the buffer was empty.
    var bytes: [UInt8] = []
    /// How many of them the transport has taken.
    private var taken = 0
    /// How many bytes there were before these.
    private var base = 0
    /// Places at which something has to happen, in order; empty without faults.
    private var holds: [Transmission.Mark] = []
    /// How many were passed; removed in batches, otherwise a response sent byte by byte would take quadratic time.
    private var passed = 0
    /// When the wait at the first hold is over, once it has begun.
    private var resumesAt: Timestamp?

    /// Bytes not yet taken, including those after a hold.
    var count: Int { bytes.count - taken }
    var isEmpty: Bool { count == 0 }
    /// Whether something is held back, or something still has to happen.
    var isHeld: Bool { passed < holds.count }
    /// Whether the transport can take bytes now.
    var hasReleased: Bool { releasedEnd > taken }

    /// How many bytes were ever written; never decreases.
    var writtenOffset: Int { base + bytes.count }
    /// How many of them the transport has taken.
    var takenOffset: Int { base + taken }
    /// The offset before which nothing is held back.
    var releasedOffset: Int { base + releasedEnd }

    private var releasedEnd: Int { isHeld ? holds[passed].offset : bytes.count }

    /// Lends the bytes not yet taken and not held back.
    func withUnsent<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[taken..<releasedEnd])) }
    }

    /// Records that the transport has taken bytes; compacts the storage when half of it is used up.
    mutating func take(_ count: Int) {
        taken += count
        precondition(taken <= releasedEnd, "The transport took more bytes than there were.")
        if taken == bytes.count {
            bytes.removeAll(keepingCapacity: true)
            moveHolds(by: taken)
            base += taken
            taken = 0
        } else if taken > 64 * 1024, taken > bytes.count / 2 {
            bytes.removeSubrange(..<taken)
            moveHolds(by: taken)
            base += taken
            taken = 0
        }
    }

    private mutating func moveHolds(by count: Int) { for index in holds.indices { holds[index].offset -= count } }

    /// Drops what has not been taken.
    mutating func discard() {
        base += bytes.count
        bytes = []
        taken = 0
        forgetHolds()
    }

    /// Drops what is held back, and what was due to happen there.
    mutating func discardHeld() {
        bytes.removeSubrange(releasedEnd...)
        forgetHolds()
    }

    private mutating func forgetHolds() {
        holds = []
        passed = 0
        resumesAt = nil
    }

    /// Replaces what was written from a position on with a transmission.
    mutating func replace(from start: Int, with transmission: Transmission) {
        precondition(
            start >= (isHeld ? holds[holds.count - 1].offset : taken), "What was held back already cannot be replaced.")
        bytes.removeSubrange(start...)
        append(transmission)
    }

    /// Appends a transmission.
    mutating func append(_ transmission: Transmission) {
        let start = bytes.count
        bytes += transmission.bytes
        for mark in transmission.marks { holds.append(.init(start + mark.offset, mark.action)) }
    }

    /// What follows the last wait that was passed.
    enum Release: Equatable {
        /// Nothing is held back.
        case all
        /// The rest is held back until then.
        case until(Timestamp)
        /// The released bytes are the last to be sent; then this happens.
        case end(WireAction)
    }

    /// Passes the holds that are due, and returns what comes next; drops everything after an end.
    ///
    /// With `skippingWaits` every wait is over at once.
    mutating func release(at time: Timestamp, skippingWaits: Bool = false) -> Release {
        var reached = time
        while isHeld {
            let hold = holds[passed]
            guard case .wait(let nanoseconds) = hold.action else {
                discardHeld()
                return .end(hold.action)
            }
            let over = skippingWaits ? time : resumesAt ?? reached.advanced(byNanoseconds: nanoseconds)
            guard over <= time else {
                resumesAt = over
                return .until(over)
            }
            // The next wait starts where this one ended, however late this call is.
            reached = over
            resumesAt = nil
            passed += 1
            if passed > 1024, passed > holds.count / 2 {
                holds.removeFirst(passed)
                passed = 0
            }
        }
        forgetHolds()
        return .all
    }
}
