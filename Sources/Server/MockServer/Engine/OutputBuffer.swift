import Faults
import FitIQAPI

/// Bytes on their way to a peer, of which the transport takes as many as it can.
///
/// Faults put holds between the bytes: what stands behind one is not lent before it was passed. A hold counts from when everything
/// before it was released, by the world's clock and not by the peer's appetite, so that the same scenario has the same times.
struct OutputBuffer {
    /// All that was written since the buffer was empty.
    var bytes: [UInt8] = []
    /// How many of them the transport has taken.
    private var taken = 0
    /// How many bytes there were before these.
    private var base = 0
    /// Places at which something is to happen, in order; empty but for faults.
    private var holds: [Transmission.Mark] = []
    /// How many of them were passed; they are taken out many at a time, or a response in single bytes took for ever.
    private var passed = 0
    /// When the wait at the first hold is over, once it has begun.
    private var resumesAt: Timestamp?

    /// Bytes not yet taken, those behind a hold included.
    var count: Int { bytes.count - taken }
    var isEmpty: Bool { count == 0 }
    /// Whether something is held back, or something is still to happen.
    var isHeld: Bool { passed < holds.count }
    /// Whether the transport can take bytes now.
    var hasReleased: Bool { releasedEnd > taken }

    /// How many bytes were ever written; never less than before.
    var writtenOffset: Int { base + bytes.count }
    /// How many of them the transport has taken.
    var takenOffset: Int { base + taken }
    /// Before which of them nothing is held back.
    var releasedOffset: Int { base + releasedEnd }

    private var releasedEnd: Int { isHeld ? holds[passed].offset : bytes.count }

    /// Lends the bytes not yet taken and not held back.
    func withUnsent<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[taken..<releasedEnd])) }
    }

    /// Notes that the transport has taken bytes; storage is compacted when half of it is behind us.
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

    private mutating func moveHolds(by count: Int) {
        for index in holds.indices { holds[index].offset -= count }
    }

    /// Forgets what has not been taken.
    mutating func discard() {
        base += bytes.count
        bytes = []
        taken = 0
        forgetHolds()
    }

    /// Forgets what is held back, and what was to happen there.
    mutating func discardHeld() {
        bytes.removeSubrange(releasedEnd...)
        forgetHolds()
    }

    private mutating func forgetHolds() {
        holds = []
        passed = 0
        resumesAt = nil
    }

    /// Puts a transmission in the place of what was written from a position on.
    mutating func replace(from start: Int, with transmission: Transmission) {
        precondition(
            start >= (isHeld ? holds[holds.count - 1].offset : taken), "What was held back already cannot be replaced.")
        bytes.removeSubrange(start...)
        append(transmission)
    }

    /// Writes a transmission behind what is there.
    mutating func append(_ transmission: Transmission) {
        let start = bytes.count
        bytes += transmission.bytes
        for mark in transmission.marks { holds.append(.init(start + mark.offset, mark.action)) }
    }

    /// What stands behind the last wait that was passed.
    enum Release: Equatable {
        /// Nothing is held back.
        case all
        /// The rest is held back until then.
        case until(Timestamp)
        /// What is released is the last that is sent; then this happens.
        case end(WireAction)
    }

    /// Passes the holds that are due, and tells what comes next; what stands behind an end is forgotten.
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
            // The next wait begins where this one ended, however late we look.
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
