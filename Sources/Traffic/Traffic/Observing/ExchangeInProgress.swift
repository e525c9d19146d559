import FitIQAPI
import HTTP1

/// A request whose response has not ended yet, as far as it was seen.
struct ExchangeInProgress: Sendable {
    let started: Timestamp
    var request: SessionRequest
    let isConnect: Bool
    let expectsContinue: Bool
    let hasBody: Bool
    var requestBody = BodyCollector()
    /// When the last byte of the request arrived.
    var requested: Timestamp?
    /// When the first byte of the final response arrived.
    var answerBegan: Timestamp?
    /// The head of the response; the body is collected separately.
    var response: SessionResponse?
    var responseBody = BodyCollector()
    /// When the last byte of the response arrived.
    var answered: Timestamp?

    var heldByteCount: Int { requestBody.heldByteCount + responseBody.heldByteCount }

    /// The exchange as far as it is known, when no more will arrive.
    func exchange(at time: Timestamp, limit: Int) -> SessionExchange {
        var request = request
        if hasBody { request.body = requestBody.body(limit: limit) }
        var response = response
        response?.body = responseBody.body(limit: limit)
        response?.isComplete = answered != nil
        var waited: Int64 = 0
        if let answerBegan, let requested { waited = max(0, requested.nanoseconds(until: answerBegan)) }
        return SessionExchange(
            started: started, waited: waited, lasted: max(0, started.nanoseconds(until: answered ?? time)),
            request: request, response: response)
    }
}

extension Timestamp {
    /// The nanoseconds until another time, clamped to the representable range.
    func nanoseconds(until other: Timestamp) -> Int64 {
        let (difference, overflow) = other.nanosecondsSinceEpoch.subtractingReportingOverflow(nanosecondsSinceEpoch)
        guard overflow else { return difference }
        return other < self ? .min : .max
    }
}
