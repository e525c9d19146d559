import FitIQAPI
import HTTP1
import HTTPTypes
import Text

/// Requests and their responses.
extension ConnectionObserver {
    /// Reads as far as both directions allow.
    mutating func advance(at time: Timestamp) {
        repeat {
            readRequest(at: time)
            if phase == .http { readAnswer(at: time) }
        } while phase == .http && reportFinished(at: time)
    }

    private mutating func readRequest(at time: Timestamp) {
        while phase == .http, current?.requested == nil, !requestsFailed {
            do throws(RemoteError) {
                switch try requests.nextEvent() {
                case .request(let head): begin(head, at: time)
                case .body(let piece): current?.requestBody.append(piece)
                case .end:
                    current?.requested = time
                    // The remaining bytes arrived no later than now.
                    nextRequestBegan = requests.bufferedByteCount > 0 ? time : nil
                default: return
                }
            } catch {
                requestsFailed = true
                guard current != nil else { return stop(Messages.badRequest(error)) }
                // The server may still respond to an invalid body.
                report(.note(Messages.badRequest(error)))
                current?.requested = time
            }
        }
    }

    private mutating func begin(_ head: RequestHead, at time: Timestamp) {
        current = ExchangeInProgress(
            started: nextRequestBegan ?? time,
            request: SessionRequest(method: head.method.rawValue, url: url(head), fields: Self.fields(head.fields)),
            isConnect: head.method == .connect, expectsContinue: head.expectsContinue, hasBody: head.hasBody,
            requestBody: BodyCollector(limit: limits.body), responseBody: BodyCollector(limit: limits.body))
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

    private func url(_ head: RequestHead) -> String {
        let host = authority ?? head.authority ?? "unknown"
        let path = head.target.path
        let start = path.isEmpty || path.utf8.first == .slash ? "" : "/"
        return scheme + "://" + host + start + path + (head.target.query.map { "?" + $0 } ?? "")
    }

    private mutating func readAnswer(at time: Timestamp) {
        // Bytes after a response that preceded the end of its request wait, but not without limit.
        let mayWait = current == nil ? 0 : current?.answered == nil ? Int.max : limits.pipelined
        guard answers.bufferedByteCount <= mayWait else {
            if let current { report(.exchange(current.exchange(at: time))) }
            return stop(Messages.unaskedAnswer(answers.bufferedByteCount))
        }
        while phase == .http, current != nil, current?.answered == nil, !answersAreOver {
            do throws(RemoteError) {
                switch try answers.nextEvent() {
                case .informational: current?.answerBegan = answers.bufferedByteCount > 0 ? time : nil
                case .response(let head) where head.status.code == 101: switchProtocols(head, at: time)
                case .response(let head): takeHead(head, at: time)
                case .body(let piece): current?.responseBody.append(piece)
                case .end:
                    current?.answered = time
                    answersAreOver = answers.ourState != .idle
                default: return
                }
            } catch {
                // What the end of the connection truncated is reported when the connection is gone.
                guard !serverFinished, let exchange = current else { return }
                report(.exchange(exchange.exchange(at: time)))
                stop(Messages.badAnswer(error, url: exchange.request.url))
            }
        }
    }

    private mutating func takeHead(_ head: ResponseHead, at time: Timestamp) {
        current?.response = SessionResponse(status: head.status.code, fields: Self.fields(head.fields))
        guard var tunnel = current, tunnel.isConnect, head.status.kind == .successful else { return }
        // "Any 2xx response indicates that the sender will switch to tunnel mode" (RFC 9110 §9.3.6).
        tunnel.answered = time
        report(.exchange(tunnel.exchange(at: time)))
        stop(Messages.tunnel(tunnel.request.url))
    }

    /// Reports a finished exchange; false if there is none, or if no request can follow it.
    private mutating func reportFinished(at time: Timestamp) -> Bool {
        guard let exchange = current, exchange.requested != nil, exchange.answered != nil || answersAreOver else {
            return false
        }
        report(.exchange(exchange.exchange(at: time)))
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
    mutating func reportUnfinished(at time: Timestamp) {
        while phase == .http, let exchange = current {
            report(.exchange(exchange.exchange(at: time)))
            // Requests sent along with this one are in the buffer, and will not be answered.
            guard exchange.requested != nil, goOn(after: exchange) else { return }
            answersAreOver = true
            readRequest(at: time)
        }
    }
}

/// A request whose response has not ended yet, as far as it was seen.
struct ExchangeInProgress: Sendable {
    let started: Timestamp
    var request: SessionRequest
    let isConnect: Bool
    let expectsContinue: Bool
    let hasBody: Bool
    var requestBody: BodyCollector
    var responseBody: BodyCollector
    /// When the last byte of the request arrived.
    var requested: Timestamp?
    /// When the first byte of the final response arrived.
    var answerBegan: Timestamp?
    /// The head of the response; the body is collected separately.
    var response: SessionResponse?
    /// When the last byte of the response arrived.
    var answered: Timestamp?

    var heldByteCount: Int { requestBody.heldByteCount + responseBody.heldByteCount }

    /// The exchange as far as it is known, when no more will arrive.
    func exchange(at time: Timestamp) -> SessionExchange {
        var (request, response) = (request, response)
        if hasBody {
            var body = requestBody.body
            request.coding = body.inflate(&request.fields, limit: requestBody.limit)
            request.body = body
        }
        response?.body = responseBody.body
        response?.isComplete = answered != nil
        if var decoded = response {
            response = nil
            decoded.coding = decoded.body.inflate(&decoded.fields, limit: responseBody.limit)
            response = decoded
        }
        var waited: Int64 = 0
        if let answerBegan, let requested { waited = requested.nanoseconds(until: answerBegan) }
        return SessionExchange(
            started: started, waited: waited, lasted: started.nanoseconds(until: answered ?? time), request: request,
            response: response)
    }
}

extension Timestamp {
    /// The nanoseconds until another time: 0 if it is earlier, and at most what fits.
    fileprivate func nanoseconds(until other: Timestamp) -> Int64 {
        let (difference, overflow) = other.nanosecondsSinceEpoch.subtractingReportingOverflow(nanosecondsSinceEpoch)
        return other < self ? 0 : overflow ? .max : difference
    }
}

/// A body as it arrives: its beginning, and its total size.
struct BodyCollector: Sendable {
    let limit: Int
    private var bytes: [UInt8] = []
    private var byteCount = 0

    init(limit: Int) { self.limit = limit }

    var heldByteCount: Int { bytes.count }

    /// Appends a piece; bytes beyond the limit are only counted.
    mutating func append(_ piece: ArraySlice<UInt8>) {
        byteCount += piece.count
        // One byte more than the limit shows whether the limit splits a character.
        bytes.append(contentsOf: piece.prefix(max(0, limit + 1 - bytes.count)))
    }

    /// The body so far.
    var body: SessionBody { SessionBody(bytes, of: byteCount, keeping: limit) }
}

extension SessionBody {
    /// Keeps the beginning of bytes that exceed the limit, without splitting a UTF-8 character.
    init(_ bytes: [UInt8], of byteCount: Int, keeping limit: Int) {
        let kept = bytes.count > limit ? Array(bytes[..<UTF8Sequence.boundary(in: bytes, at: limit)]) : bytes
        self.init(kept, of: byteCount)
    }
}
