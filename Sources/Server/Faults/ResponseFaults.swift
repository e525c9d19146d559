import FitIQAPI

/// What goes wrong with the response to one request.
public struct ResponseFaults: Sendable, Equatable {
    /// The rules that act, in their order; a replacement that came too late is not among them.
    public internal(set) var ruleNames: [String] = []
    /// The answer in place of the right one, of the rule or quota that was first.
    ///
    /// Its ``Replacement/message`` and, for a quota, its ``Replacement/retryAfter`` are filled in. Unless it
    /// ``Replacement/isProcessed``, the request shall not reach the backend.
    public internal(set) var replacement: Replacement?
    /// What becomes of the response, in the order of the rules.
    public internal(set) var faults: [ResponseFault] = []
    /// Decides the digits of times.
    let seed: UInt64

    /// What is encoded in place of the right answer, in the form of the union or of one guide; nil where that stays.
    public func answer(in form: GuideMode) -> ReplacementAnswer? {
        // The message was filled in with the rule's name.
        replacement.map { $0.answer(defaultMessage: "", in: form) }
    }

    /// What becomes of the encoded response, replaced or not.
    public func apply(to response: EncodedResponse) -> Transmission {
        response.apply(faults, seed: seed)
    }
}

extension FaultBook {
    /// What goes wrong with a request that arrives now; nil, at no cost, where no rule is in force.
    ///
    /// `endpoint` is nil for a path that is no endpoint's. A rule that names no endpoint matches every REST request, and
    /// no WebSocket handshake: for those ask ``openSocket(at:)``. Ask once for each request, before it is looked at: asking
    /// counts it.
    public mutating func respond(to endpoint: Endpoint?, at now: Timestamp) -> ResponseFaults? {
        guard !responseRules.isEmpty else { return nil }
        var acting = ResponseFaults(seed: seed)
        for index in responseRules {
            guard case .response(let fault, let endpoints) = rules[index].rule.fault,
                Self.covers(endpoints, endpoint), match(index)
            else { continue }
            if act(fault, index, at: now, in: &acting) {
                rules[index].acted += 1
                acting.ruleNames.append(rules[index].rule.name.text)
            }
        }
        return acting.ruleNames.isEmpty ? nil : acting
    }

    private static func covers(_ endpoints: Set<Endpoint>, _ endpoint: Endpoint?) -> Bool {
        if endpoints.isEmpty { return endpoint != .webSocket }
        return endpoint.map(endpoints.contains) ?? false
    }

    /// Lets a fault act; false where a replacement comes too late, or a request is within its quota.
    private mutating func act(
        _ fault: ResponseFault, _ index: Int, at now: Timestamp, in acting: inout ResponseFaults
    ) -> Bool {
        let name = rules[index].rule.name.text
        switch fault {
        case .replace(var replacement):
            guard acting.replacement == nil else { return false }
            replacement.message =
                replacement.message ?? Messages.replaced(status: replacement.status, rule: name)
            acting.replacement = replacement
        case .quota(let requests, let window, var replacement):
            // Requests that are answered otherwise count too: a limiter stands in front of everything.
            let left = rules[index].window.take(at: now, quota: requests, length: window)
            guard let left, acting.replacement == nil else { return false }
            // Rounded up: a client that comes back then is let in.
            let seconds = Int((left + 999_999_999) / 1_000_000_000)
            replacement.retryAfter = replacement.retryAfter ?? seconds
            replacement.message =
                replacement.message
                ?? Messages.quotaExceeded(
                    requests: requests, window: window, secondsLeft: replacement.retryAfter ?? seconds, rule: name)
            acting.replacement = replacement
        default:
            acting.faults.append(fault)
        }
        return true
    }
}
