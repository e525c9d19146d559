import FitIQAPI
import HTTP1

/// A request whose answer has not ended yet, as far as it was seen.
struct ExchangeInProgress: Sendable {
    let started: Timestamp
    var request: SessionRequest
    let isConnect: Bool
    let expectsContinue: Bool
    let hasBody: Bool
    var requestBody = BodyCollector()
    /// When the last byte of the request came.
    var requested: Timestamp?
    /// When the first byte of the final answer came.
    var answerBegan: Timestamp?
    /// The head of the answer; the body is collected beside it.
    var response: SessionResponse?
    var responseBody = BodyCollector()
    /// When the last byte of the answer came.
    var answered: Timestamp?

    var heldByteCount: Int { requestBody.heldByteCount + responseBody.heldByteCount }

    /// What is known, when no more will come.
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
    /// How much later the other is; what does not fit is the farthest there is.
    func nanoseconds(until other: Timestamp) -> Int64 {
        let (difference, overflow) = other.nanosecondsSinceEpoch.subtractingReportingOverflow(nanosecondsSinceEpoch)
        guard overflow else { return difference }
        return other < self ? .min : .max
    }
}
