import FitIQAPI
import Sockets

/// A client of the system's clock is waited for.
extension CasePlay {
    /// How long is waited between two looks, in nanoseconds: 20 ms.
    private static let pause: Int64 = 20_000_000

    /// Waits for a point in time, or until the expectation is met.
    ///
    /// - Returns: why it is not met at the end; nil where it is, or there is none.
    mutating func wait(until end: Timestamp, for expectation: ClientExpectation?) async throws -> CaseFailure? {
        var mark = MonotonicInstant.now()
        while true {
            let failure = try await look(for: expectation)
            if expectation != nil, failure == nil { return nil }
            if now >= end { return failure }
            let left = end.nanosecondsSinceEpoch - now.nanosecondsSinceEpoch
            try await Self.wait(until: MonotonicInstant(nanoseconds: mark.nanoseconds + min(Self.pause, left)))
            // However long looking took, that much of the contract's time is over.
            let then = MonotonicInstant.now()
            now = now.advanced(byNanoseconds: then.nanoseconds - mark.nanoseconds)
            mark = then
        }
    }

    /// Waits on a thread of its own, so that the client's tasks have theirs.
    private static func wait(until deadline: MonotonicInstant) async throws {
        let gate = try Gate()
        let _: Void = try await withCheckedThrowingContinuation { continuation in
            do {
                try SystemThread.start {
                    gate.wait(until: deadline)
                    continuation.resume()
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }
}
