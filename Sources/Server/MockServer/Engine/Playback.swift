import Faults

/// When a recorded answer goes, and how its connection ended behind it.
struct Playback {
    /// How long the server took, in nanoseconds of the world's time.
    var wait: Int64 = 0
    /// How many bytes of the body the recording lacks.
    var missing = 0
    /// Whether there was no answer at all.
    var isEmpty = false
    /// What happened behind the last byte.
    var ending: WireAction?

    /// Whether it goes at once and whole.
    private var isPlain: Bool { wait <= 0 && missing == 0 && !isEmpty && ending == nil }

    /// What goes on the wire; nil where the response goes as it is.
    ///
    /// - Parameter faulty: what faults made of the response; nil where none acts.
    func apply(to response: EncodedResponse, with faulty: Transmission?) -> Transmission? {
        guard !isPlain else { return faulty }
        var result = faulty ?? original(response)
        if let ending, !result.endsConnection { result.marks.append(.init(result.bytes.count, ending)) }
        if wait > 0 { result.marks.insert(.init(0, .wait(min(wait, FaultLimits.longestWait))), at: 0) }
        return result
    }

    private func original(_ response: EncodedResponse) -> Transmission {
        if isEmpty { return Transmission() }
        // A length that is never reached shows the client that something is missing.
        return missing > 0 ? response.apply([.contentLength(off: missing)], seed: 0) : Transmission(response.bytes)
    }
}
