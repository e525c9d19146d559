import FitIQAPI
import HTTPTypes

/// What goes wrong with an HTTP response.
public enum ResponseFault: Sendable, Equatable {
    /// Another answer in place of the right one.
    case replace(Replacement)
    /// The right answer for so many requests in each window of so many nanoseconds, the other one beyond.
    ///
    /// The window is fixed: it begins with the first request after the last one's end. Unless the other answer has a
    /// ``Replacement/retryAfter`` of its own, `Retry-After` is what is left of the window, in seconds, rounded up.
    case quota(requests: Int, window: Int64, Replacement)
    /// So many nanoseconds before the first byte.
    case delay(Int64)
    /// So many bytes at a time, head included, with so many nanoseconds between.
    case dribble(bytes: Int, every: Int64)
    /// The connection ends (FIN) after so many bytes of the body, though Content-Length announced all.
    ///
    /// A shorter body comes whole before the end.
    case truncate(after: Int)
    /// A Content-Length so much larger, or smaller, than the body.
    ///
    /// The connection stays open, and no less than 0 is announced.
    case contentLength(off: Int)
    /// The body loses its last byte and so is no JSON; its length is announced rightly.
    case malformedJSON
    /// The body comes in two chunks, and the size of the second is no number.
    case malformedChunking
    /// The connection ends (FIN) without a byte.
    case emptyReply
    /// The connection is reset (RST) after so many bytes of the response, head included.
    case reset(after: Int)
    /// No byte, and no end: the client has to lose patience, or the server does after ``FaultLimits/hang``.
    case hang
    /// Another Content-Type; nil leaves it out.
    ///
    /// Bytes that may not stand in a field become spaces.
    case contentType(String?)
    /// Times in JSON have nine digits of a second's fraction: `2025-01-29T10:30:00.123456789Z`.
    case nanosecondTimestamps
}

/// An answer in place of the right one.
public struct Replacement: Sendable, Equatable {
    /// The status, 200 to 599.
    public var status: Int
    /// The body as it is, left out with 204, 205 and 304; nil for the envelope with ``code`` and ``message``.
    public var body: String?
    /// The Content-Type of ``body``; nil for JSON.
    public var contentType: String?
    /// The `code` of the error; nil for the usual one of the status.
    public var code: String?
    /// The `message` of the error; nil for one that says that a scenario wants it.
    public var message: String?
    /// The `Retry-After` field in seconds.
    public var retryAfter: Int?
    /// Whether the backend does what was asked, and only the answer is lost.
    public var isProcessed: Bool

    /// Makes an answer.
    public init(
        status: Int, body: String? = nil, contentType: String? = nil, code: String? = nil, message: String? = nil,
        retryAfter: Int? = nil, isProcessed: Bool = false
    ) {
        self.status = status
        self.body = body
        self.contentType = contentType
        self.code = code
        self.message = message
        self.retryAfter = retryAfter
        self.isProcessed = isProcessed
    }
}

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

/// A replacement as it is to be encoded: what an HTTP codec needs to know.
public struct ReplacementAnswer: Sendable, Equatable {
    /// The status with its usual reason phrase.
    public var status: HTTPResponse.Status
    /// Fields beside Content-Type, Content-Length, Date and Connection.
    public var fields: HTTPFields
    /// The Content-Type; nil for JSON.
    public var contentType: String?
    /// The body; empty for 204, 205 and 304, which have none (RFC 9110 §15.3.5, §15.3.6, §15.4.5).
    public var body: [UInt8]
}

extension Replacement {
    /// The answer of the rule of this name, in the form of the union or of one guide.
    ///
    /// Without a body of its own it is the envelope with ``code`` and ``message``, whatever the status. 401 brings
    /// `WWW-Authenticate`, 405 an empty `Allow`, 426 `Upgrade`, as HTTP asks (RFC 9110 §15.5.2, §15.5.6, §15.5.22).
    public func answer(rule name: String, in form: GuideMode) -> ReplacementAnswer {
        answer(defaultMessage: Messages.replaced(status: clampedStatus, rule: name), in: form)
    }

    /// The answer with the message that is told where the rule has none.
    func answer(defaultMessage: String, in form: GuideMode) -> ReplacementAnswer {
        let status = StatusNames.status(clampedStatus)
        var fields = HTTPFields()
        switch status.code {
        case 401: fields[.wwwAuthenticate] = "Bearer"
        case 405: fields[.allow] = ""
        case 426: fields[.upgrade] = "websocket"
        default: break
        }
        if let retryAfter { fields[.retryAfter] = String(min(max(retryAfter, 0), FaultLimits.retryAfter)) }
        if [204, 205, 304].contains(status.code) {
            return ReplacementAnswer(status: status, fields: fields, contentType: nil, body: [])
        }
        if let body {
            return ReplacementAnswer(status: status, fields: fields, contentType: contentType, body: Array(body.utf8))
        }
        let envelope = APIError.body(
            code: code ?? StatusNames.code(of: status), message: message ?? defaultMessage, in: form)
        return ReplacementAnswer(status: status, fields: fields, contentType: contentType, body: envelope)
    }

    private var clampedStatus: Int {
        min(max(status, FaultLimits.statuses.lowerBound), FaultLimits.statuses.upperBound)
    }
}

/// What statuses are called: on the status line, and in the `code` of an error that a rule gives no code.
enum StatusNames {
    /// The status with its phrase from the IANA registry "HTTP Status Codes"; without one where it is not registered.
    static func status(_ code: Int) -> HTTPResponse.Status { known[code] ?? HTTPResponse.Status(code: code) }

    /// The API's own code where it has one for a status, else the phrase: `SERVICE_UNAVAILABLE`; `STATUS_599` without one.
    static func code(of status: HTTPResponse.Status) -> String {
        if status == .unprocessableContent { return ErrorCode.validationFailed.rawValue }
        guard !status.reasonPhrase.isEmpty else { return "STATUS_\(status.code)" }
        // "Too Many Requests" → "TOO_MANY_REQUESTS"; the API's codes of 400, 401, 404, 405, 415 and 426 read so too.
        return String(status.reasonPhrase.uppercased().map { $0.isLetter ? $0 : "_" })
    }

    private static let known: [Int: HTTPResponse.Status] = Dictionary(
        uniqueKeysWithValues: [
            .ok, .created, .accepted, .nonAuthoritativeInformation, .noContent, .resetContent, .partialContent,
            .multipleChoices, .movedPermanently, .found, .seeOther, .notModified, .temporaryRedirect,
            .permanentRedirect,
            .badRequest, .unauthorized, HTTPResponse.Status(code: 402, reasonPhrase: "Payment Required"), .forbidden,
            .notFound, .methodNotAllowed, .notAcceptable, .proxyAuthenticationRequired, .requestTimeout, .conflict,
            .gone, .lengthRequired, .preconditionFailed, .contentTooLarge, .uriTooLong, .unsupportedMediaType,
            .rangeNotSatisfiable, .expectationFailed, .misdirectedRequest, .unprocessableContent,
            HTTPResponse.Status(code: 423, reasonPhrase: "Locked"),
            HTTPResponse.Status(code: 424, reasonPhrase: "Failed Dependency"), .tooEarly, .upgradeRequired,
            .preconditionRequired, .tooManyRequests, .requestHeaderFieldsTooLarge, .unavailableForLegalReasons,
            .internalServerError, .notImplemented, .badGateway, .serviceUnavailable, .gatewayTimeout,
            .httpVersionNotSupported, HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage"),
            HTTPResponse.Status(code: 508, reasonPhrase: "Loop Detected"), .networkAuthenticationRequired,
        ].map { ($0.code, $0) })
}
