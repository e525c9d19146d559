import FitIQAPI
import HTTPTypes

/// An injected fault of an HTTP response, to a REST request or to a WebSocket handshake.
public enum ResponseFault: Sendable, Equatable {
    case replace(Replacement)
    /// The normal response for a number of requests per window in nanoseconds, the replacement beyond.
    ///
    /// The window is fixed: it begins with the first request after the end of the last one. Unless the replacement has
    /// its own ``Replacement/retryAfter``, `Retry-After` is the rest of the window in seconds, rounded up.
    case quota(requests: Int, window: Int64, Replacement)
    /// A delay of the first byte, in nanoseconds.
    case delay(Int64)
    /// Pieces of this many bytes, head included, at intervals in nanoseconds.
    case dribble(bytes: Int, every: Int64)
    /// The connection ends (FIN) after this many bytes of the body, although Content-Length announced all; a shorter
    /// body is sent in full before the end.
    case truncate(after: Int)
    /// A Content-Length larger, or smaller, than the body by this much; the connection stays open, and the announced
    /// length is at least 0.
    case contentLength(off: Int)
    /// The body loses its last byte, so it is not valid JSON; its length is announced correctly.
    case malformedJSON
    /// The body comes in two chunks; the size of the second is not a number.
    case malformedChunking
    /// The connection ends (FIN) without a byte.
    case emptyReply
    /// The connection is reset (RST) after this many bytes of the response, head included.
    case reset(after: Int)
    /// No byte and no end until the client times out, or the server after ``FaultLimits/hang``.
    case hang
    /// A different Content-Type; nil removes it.
    ///
    /// Bytes that are not allowed in a field become spaces.
    case contentType(String?)
    /// Times in JSON have nine fraction digits: `2025-01-29T10:30:00.123456789Z`.
    case nanosecondTimestamps
    /// A `Sec-WebSocket-Accept` for a different key; only the response to a handshake has one.
    case wrongAccept
    /// The handshake or the response is compressed in a bad way.
    case compression(CompressionFault)
    /// The request, or the response to a REST request, waits until an operator lets it continue.
    case hold(Hold)
}

extension ResponseFault {
    /// Whether it needs the text of the body, and so one without a content coding.
    public var changesText: Bool { self == .malformedJSON || self == .nanosecondTimestamps }

    /// Whether the client cannot tell where the body ends, so that it has no complete response.
    public var breaksFraming: Bool {
        switch self {
        case .contentLength(let off): off != 0
        case .malformedChunking: true
        default: false
        }
    }
}

/// A response that replaces the normal one.
public struct Replacement: Sendable, Equatable {
    /// 200 to 599.
    public var status: Int
    /// The literal body, omitted with 204, 205 and 304; nil for the envelope with ``code`` and ``message``.
    public var body: String?
    /// The Content-Type of ``body``; nil for JSON.
    public var contentType: String?
    public var code: String?
    /// The `message` of the error; nil for one that names the scenario as the cause.
    public var message: String?
    /// The `Retry-After` field in seconds.
    public var retryAfter: Int?
    /// Whether the backend processes the request, so that only the response is lost.
    public var isProcessed: Bool

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

/// The injected faults of the response to one request or handshake.
public struct ResponseFaults: Sendable, Equatable {
    /// The rules that act, in order, without replacements that came too late.
    public var ruleNames: [String] = []
    /// The breakpoints that want to hold the request or its response, in order.
    public var holds: [Breakpoint] = []
    /// The replacement, from the first matching rule or quota.
    ///
    /// Its ``Replacement/message`` and, for a quota, its ``Replacement/retryAfter`` are filled in. The request must not
    /// reach the backend, unless the replacement ``Replacement/isProcessed``.
    public internal(set) var replacement: Replacement? {
        get { replacements.first }
        set { replacements = newValue.map { [$0] } ?? [] }
    }
    /// The replacement or nothing: it is large, and few requests have one.
    var replacements: [Replacement] = []
    /// The faults of the response, in the order of the rules.
    public var faults: [ResponseFault] = []
    let seed: UInt64

    /// The replacement in the form of the union or of one guide; nil if the normal response stays.
    public func answer(in form: GuideMode, forApps: Bool = false) -> ReplacementAnswer? {
        replacement.map { $0.answer(in: form, forApps: forApps) }
    }

    /// Applies the faults to the encoded response, replaced or not.
    public func apply(to response: EncodedResponse) -> Transmission { response.apply(faults, seed: seed) }
}

extension FaultBook {
    /// Returns the faults of a request that arrives now; nil, at no cost, if no rule is enabled.
    ///
    /// `endpoint` is nil for a path without an endpoint. A rule that names no endpoint matches every REST request, but
    /// no WebSocket handshake: for those call ``openSocket(at:)``. Call it once per request, before processing: each
    /// call counts.
    public mutating func respond(to endpoint: Endpoint?, at now: Timestamp) -> ResponseFaults? {
        guard !responseRules.isEmpty else { return nil }
        var acting = ResponseFaults(seed: seed)
        for index in responseRules {
            guard case .response(let fault, let endpoints) = rules[index].rule.fault, Self.covers(endpoints, endpoint),
                match(index)
            else { continue }
            if act(fault, index, at: now, in: &acting, Messages.replaced) {
                rules[index].acted += 1
                acting.ruleNames.append(rules[index].rule.name.text)
            }
        }
        return acting.ruleNames.isEmpty && acting.holds.isEmpty ? nil : acting
    }

    private static func covers(_ endpoints: Set<Endpoint>, _ endpoint: Endpoint?) -> Bool {
        if endpoints.isEmpty { return endpoint?.isSocket != true }
        return endpoint.map(endpoints.contains) ?? false
    }

    /// Applies a fault; returns false if a replacement comes too late, a request is within its quota, or a breakpoint has
    /// yet to hold it.
    ///
    /// - Parameter message: What a replacement says by itself, by its status and the name of the rule.
    mutating func act(
        _ fault: ResponseFault, _ index: Int, at now: Timestamp, in acting: inout ResponseFaults,
        _ message: (_ status: Int, _ rule: String) -> String
    ) -> Bool {
        let name = rules[index].rule.name.text
        switch fault {
        case .replace(var replacement):
            guard acting.replacement == nil else { return false }
            replacement.message = replacement.message ?? message(replacement.status, name)
            acting.replacement = replacement
        case .quota(let requests, let window, var replacement):
            // Requests with replaced responses also count: a rate limiter comes before everything else.
            let left = rules[index].window.take(at: now, quota: requests, length: window)
            guard let left, acting.replacement == nil else { return false }
            // Rounded up: a client that returns then is admitted.
            let seconds = replacement.retryAfter ?? Int((left + 999_999_999) / 1_000_000_000)
            replacement.retryAfter = seconds
            replacement.message =
                replacement.message
                ?? Messages.quotaExceeded(requests: requests, window: window, secondsLeft: seconds, rule: name)
            acting.replacement = replacement
        case .hold(let hold):
            acting.holds.append(Breakpoint(name: rules[index].rule.name, hold: hold))
            return false
        default: acting.faults.append(fault)
        }
        return true
    }
}

/// A replacement for an HTTP codec to encode.
public struct ReplacementAnswer: Sendable, Equatable {
    /// The status with its usual reason phrase.
    public var status: HTTPResponse.Status
    /// Fields other than Content-Type, Content-Length, Date and Connection.
    public var fields: HTTPFields
    /// The Content-Type; nil for JSON.
    public var contentType: String?
    /// Empty for 204, 205 and 304, which have no body (RFC 9110 §15.3.5, §15.3.6, §15.4.5).
    public var body: [UInt8]
}

extension Replacement {
    /// The replacement, whose ``message`` is filled in, in the form of the union or of one guide.
    ///
    /// Without its own body it is the envelope with ``code`` and ``message``, for any status. 401 brings
    /// `WWW-Authenticate`, 405 an empty `Allow`, 426 `Upgrade`, as HTTP requires (RFC 9110 §15.5.2, §15.5.6, §15.5.22).
    func answer(in form: GuideMode, forApps: Bool) -> ReplacementAnswer {
        let allowed = FaultLimits.statuses
        let status = StatusNames.status(min(max(status, allowed.lowerBound), allowed.upperBound))
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
        let code = code ?? StatusNames.code(of: status)
        let envelope = APIError.body(code: code, message: message ?? "", in: form, forApps: forApps)
        return ReplacementAnswer(status: status, fields: fields, contentType: contentType, body: envelope)
    }
}

/// The names of statuses: on the status line, and as the default `code` of an error.
public enum StatusNames {
    /// The status with its phrase from the IANA registry "HTTP Status Codes"; without a phrase if it is not registered.
    public static func status(_ code: Int) -> HTTPResponse.Status { known[code] ?? HTTPResponse.Status(code: code) }

    /// The API's code for a status if it has one, otherwise the phrase: `SERVICE_UNAVAILABLE`; `STATUS_599` without
    /// one.
    static func code(of status: HTTPResponse.Status) -> String {
        if status == .unprocessableContent { return ErrorCode.validationFailed.rawValue }
        guard !status.reasonPhrase.isEmpty else { return "STATUS_\(status.code)" }
        // "Too Many Requests" → "TOO_MANY_REQUESTS"; the API's codes of 400, 401, 404, 405, 415 and 426 follow this
        // form too.
        return String(status.reasonPhrase.uppercased().map { $0.isLetter ? $0 : "_" })
    }

    private static let known: [Int: HTTPResponse.Status] = Dictionary(
        uniqueKeysWithValues: [
            .ok, .created, .accepted, .nonAuthoritativeInformation, .noContent, .resetContent, .partialContent,
            .multipleChoices, .movedPermanently, .found, .seeOther, .notModified, .temporaryRedirect,
            .permanentRedirect, .badRequest, .unauthorized,
            HTTPResponse.Status(code: 402, reasonPhrase: "Payment Required"), .forbidden, .notFound, .methodNotAllowed,
            .notAcceptable, .proxyAuthenticationRequired, .requestTimeout, .conflict, .gone, .lengthRequired,
            .preconditionFailed, .contentTooLarge, .uriTooLong, .unsupportedMediaType, .rangeNotSatisfiable,
            .expectationFailed, .misdirectedRequest, .unprocessableContent,
            HTTPResponse.Status(code: 423, reasonPhrase: "Locked"),
            HTTPResponse.Status(code: 424, reasonPhrase: "Failed Dependency"), .tooEarly, .upgradeRequired,
            .preconditionRequired, .tooManyRequests, .requestHeaderFieldsTooLarge, .unavailableForLegalReasons,
            .internalServerError, .notImplemented, .badGateway, .serviceUnavailable, .gatewayTimeout,
            .httpVersionNotSupported, HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage"),
            HTTPResponse.Status(code: 508, reasonPhrase: "Loop Detected"), .networkAuthenticationRequired,
        ].map { ($0.code, $0) })
}
