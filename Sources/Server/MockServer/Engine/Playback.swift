import Faults
import HTTPTypes
import Replay
import Traffic

/// When to send a recorded answer, and how to end its connection.
///
/// This is a class so that it takes little memory in the many exchanges that have no recorded time.
final class Playback {
    /// The recorded server's response time, in nanoseconds by the world's clock.
    let wait: Int64
    /// The number of body bytes that are missing from the recording.
    let missing: Int
    let isEmpty: Bool
    let ending: WireAction?

    init(wait: Int64 = 0, missing: Int = 0, isEmpty: Bool = false, ending: WireAction? = nil) {
        (self.wait, self.missing, self.isEmpty, self.ending) = (wait, missing, isEmpty, ending)
    }

    convenience init(_ response: ReplayResponse) {
        let isCut = response.then == .finish
        // If the length is unknown, at least one byte is missing, because the recording marks the body as truncated.
        let missing = isCut ? max((response.declaredLength ?? 0) - response.body.count, 1) : 0
        self.init(wait: response.after, missing: missing, ending: isCut ? .finish : nil)
    }

    /// The response with the recorded wait and ending, applied after any faults; nil if it stays unchanged.
    func apply(to response: EncodedResponse, with faulty: Transmission?) -> Transmission? {
        guard wait > 0 || ending != nil else { return faulty }
        var result = faulty ?? original(response)
        if let ending, !result.endsConnection { result.marks.append(.init(result.bytes.count, ending)) }
        if wait > 0 { result.marks.insert(.init(0, .wait(min(wait, FaultLimits.longestWait))), at: 0) }
        return result
    }

    private func original(_ response: EncodedResponse) -> Transmission {
        if isEmpty { return Transmission() }
        // A `Content-Length` greater than the number of bytes shows the client that the body is incomplete.
        return missing > 0 ? response.apply([.contentLength(off: missing)], seed: 0) : Transmission(response.bytes)
    }
}

extension HTTPFields {
    /// Creates fields from recorded fields, except for those that have invalid names.
    init(_ fields: [SessionField]) {
        self.init(
            fields.compactMap { field in
                HTTPField.Name(field.name).map { HTTPField(name: $0, value: field.value) }
            })
    }
}
