import FitIQAPI
import HTTP1
import HTTPTypes

/// Requests and their responses.
extension ConnectionObserver {
    /// Reads as far as both directions allow.
    mutating func advance(at time: Timestamp, into observations: inout [Observation]) {
        repeat {
            readRequest(at: time, into: &observations)
            if phase == .http { readAnswer(at: time, into: &observations) }
        } while phase == .http && tellFinished(at: time, into: &observations)
    }

    private mutating func readRequest(at time: Timestamp, into observations: inout [Observation]) {
        while phase == .http, current?.requested == nil, !requestsFailed {
            do throws(RemoteError) {
                switch try requests.nextEvent() {
                case .request(let head): begin(head, at: time)
                case .body(let piece): current?.requestBody.append(piece, limit: limits.body)
                case .end:
                    current?.requested = time
                    // The remaining bytes arrived no later than now.
                    nextRequestBegan = requests.bufferedByteCount > 0 ? time : nil
                default: return
                }
            } catch {
                requestsFailed = true
                guard current != nil else {
                    stop(Messages.badRequest(error), into: &observations)
                    return
                }
                // The server may still respond to an invalid body.
                observations.append(.note(Messages.badRequest(error)))
                current?.requested = time
            }
        }
    }

    private mutating func begin(_ head: RequestHead, at time: Timestamp) {
        current = ExchangeInProgress(
            started: nextRequestBegan ?? time,
            request: SessionRequest(method: head.method.rawValue, url: url(head), fields: Self.fields(head.fields)),
            isConnect: head.method == .connect, expectsContinue: head.expectsContinue, hasBody: head.hasBody)
        nextRequestBegan = nil
        guard !answersAreOver else { return }
        // The connection that reads responses sends the request in the client's place. Only what determines the
        // response's framing matters.
        answers.sendRequest(
            method: head.method == .head ? .head : .get, target: "/",
            fields: head.wantsUpgrade ? Self.upgradeFields : Self.plainFields, body: nil, into: &unsent)
        unsent.removeAll(keepingCapacity: true)
        if answers.bufferedByteCount > 0 { current?.answerBegan = time }
    }

    private mutating func readAnswer(at time: Timestamp, into observations: inout [Observation]) {
        // Bytes after a response that preceded the end of its request wait, but not without limit.
        let mayWait = current == nil ? 0 : current?.answered == nil ? Int.max : limits.pipelined
        guard answers.bufferedByteCount <= mayWait else {
            if let exchange = current?.exchange(at: time, limit: limits.body) {
                observations.append(.exchange(exchange))
            }
            stop(Messages.unaskedAnswer(answers.bufferedByteCount), into: &observations)
            return
        }
        while phase == .http, current != nil, current?.answered == nil, !answersAreOver {
            do throws(RemoteError) {
                switch try answers.nextEvent() {
                case .informational: current?.answerBegan = answers.bufferedByteCount > 0 ? time : nil
                case .response(let head) where head.status.code == 101:
                    switchProtocols(head, at: time, into: &observations)
                case .response(let head): takeHead(head, at: time, into: &observations)
                case .body(let piece): current?.responseBody.append(piece, limit: limits.body)
                case .end:
                    current?.answered = time
                    answersAreOver = answers.ourState != .idle
                default: return
                }
            } catch {
                // What the end of the connection truncated is reported when the connection is gone.
                if serverFinished { return }
                let exchange = current?.exchange(at: time, limit: limits.body)
                if let exchange { observations.append(.exchange(exchange)) }
                stop(Messages.badAnswer(error, url: exchange?.request.url ?? ""), into: &observations)
            }
        }
    }

    private mutating func takeHead(_ head: ResponseHead, at time: Timestamp, into observations: inout [Observation]) {
        current?.response = SessionResponse(status: head.status.code, fields: Self.fields(head.fields))
        guard let exchange = current, exchange.isConnect, head.status.kind == .successful else { return }
        // "Any 2xx response indicates that the sender will switch to tunnel mode" (RFC 9110 §9.3.6).
        var tunnel = exchange
        tunnel.answered = time
        observations.append(.exchange(tunnel.exchange(at: time, limit: limits.body)))
        stop(Messages.tunnel(exchange.request.url), into: &observations)
    }

    /// Reports a finished exchange; false if there is none.
    private mutating func tellFinished(at time: Timestamp, into observations: inout [Observation]) -> Bool {
        guard let exchange = current, exchange.requested != nil, exchange.answered != nil || answersAreOver else {
            return false
        }
        observations.append(.exchange(exchange.exchange(at: time, limit: limits.body)))
        return goOn(after: exchange)
    }

    /// Allows the next request to be read; false if there can be none.
    private mutating func goOn(after exchange: ExchangeInProgress) -> Bool {
        current = nil
        guard !requestsFailed, requests.canRespond else {
            phase = .over
            return false
        }
        // A request that waits for 100 Continue would end the connection, though its body has arrived by now.
        if exchange.expectsContinue { requests.sendContinue(into: &unsent) }
        // The actual response does not matter here; this one is allowed after every request, including CONNECT.
        requests.respond(status: .badRequest, fields: [:], body: [], into: &unsent)
        unsent.removeAll(keepingCapacity: true)
        return true
    }

    /// Reports what the connection's end left unanswered or truncated.
    mutating func tellUnfinished(at time: Timestamp, into observations: inout [Observation]) {
        while phase == .http, let exchange = current {
            observations.append(.exchange(exchange.exchange(at: time, limit: limits.body)))
            // Requests sent along with this one are in the buffer, and will not be answered.
            guard exchange.requested != nil, goOn(after: exchange) else { return }
            answersAreOver = true
            readRequest(at: time, into: &observations)
        }
    }
}
