import FitIQAPI
import HTTPTypes
import WebSocket

/// An injected fault in the HTTP response to a REST request or a WebSocket handshake.
public enum ResponseFault: Sendable, Equatable {
    case replace(Replacement)
    /// The normal response up to a number of requests per window (in nanoseconds), then the replacement.
    ///
    /// The window is fixed and starts with the first request after the previous window. The default of
    /// ``Replacement/retryAfter`` is the rest of the window in seconds, rounded up.
    case quota(requests: Int, window: Int64, Replacement)
    /// The first byte is delayed by this many nanoseconds.
    case delay(Int64)
    /// The response, including its head, is sent in pieces of this many bytes, at intervals in nanoseconds.
    case dribble(bytes: Int, every: Int64)
    /// The connection ends (FIN) after this many bytes of the body, although Content-Length announced the full length;
    /// a shorter body is sent in full.
    case truncate(after: Int)
    /// Content-Length differs from the body's length by this much (but is never negative), and the connection stays
    /// open.
    case contentLength(off: Int)
    /// The body loses its last byte, so that it is not valid JSON; Content-Length is correct.
    case malformedJSON
    /// The body is sent in two chunks; the size of the second chunk is not a number.
    case malformedChunking
    /// The connection ends (FIN) before any byte is sent.
    case emptyReply
    /// The connection is reset (RST) after this many bytes of the response, head included.
    case reset(after: Int)
    /// The server sends nothing until the client gives up or ``FaultLimits/hang`` has passed.
    case hang
    /// The response has a different Content-Type; nil removes it.
    ///
    /// Bytes that are not allowed in a field become spaces.
    case contentType(String?)
    /// Times in JSON have nine fractional digits: `2025-01-29T10:30:00.123456789Z`.
    case nanosecondTimestamps
    /// `Sec-WebSocket-Accept` is computed from a different key; this fault applies only to handshake responses.
    case wrongAccept
    /// The handshake or the response has a compression fault.
    case compression(CompressionFault)
    /// The request, or the response to a REST request, waits until an operator releases it.
    case hold(Hold)
}

extension ResponseFault {
    /// Whether the fault changes the body's text, so that the body must not be compressed yet.
    public var changesText: Bool { self == .malformedJSON || self == .nanosecondTimestamps }

    /// Whether the client cannot find the body's end and so never gets a complete response.
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
    /// The status, 200 to 599.
    public var status: Int
    /// The literal body, which is omitted with 204, 205 and 304; nil means the envelope with ``code`` and ``message``.
    public var body: String?
    /// The Content-Type of ``body``; nil means JSON.
    public var contentType: String?
    public var code: String?
    /// The `message` of the error; nil means a default that refers to the scenario.
    public var message: String?
    /// The `Retry-After` field in seconds.
    public var retryAfter: Int?
    /// Whether the backend processes the request, in which case only the response is lost.
    public var isProcessed: Bool

    public init(
        status: Int, body: String? = nil, contentType: String? = nil, code: String? = nil, message: String? = nil,
        retryAfter: Int? = nil, isProcessed: Bool = false
    ) {
        (self.status, self.body, self.contentType, self.code) = (status, body, contentType, code)
        (self.message, self.retryAfter, self.isProcessed) = (message, retryAfter, isProcessed)
    }
}

/// The faults injected into the response to one request or handshake.
public struct ResponseFaults: Sendable, Equatable {
    /// The rules that take effect, in order, except for replacements after the first one.
    public var ruleNames: [String] = []
    /// The breakpoints that may hold the request or its response, in order.
    public var holds: [Breakpoint] = []
    /// The replacement, from the first matching rule or quota.
    ///
    /// The ``Replacement/message`` is filled in, and for a quota also the ``Replacement/retryAfter``. The request must
    /// not reach the backend unless ``Replacement/isProcessed`` is true.
    public internal(set) var replacement: Replacement? {
        get { replacements.first }
        set { replacements = newValue.map { [$0] } ?? [] }
    }
    /// At most one replacement, in an array because replacements are large and rare.
    var replacements: [Replacement] = []
    /// The faults that apply to the response, in the order of the rules.
    public var faults: [ResponseFault] = []
    let seed: UInt64

    /// The replacement in the form of the union or a guide; nil if the normal response is sent.
    public func answer(in form: GuideMode, forApps: Bool = false) -> ReplacementAnswer? {
        replacement.map { $0.answer(in: form, forApps: forApps) }
    }

    /// Applies the faults to the encoded response or its replacement.
    public func apply(to response: EncodedResponse) -> Transmission { response.apply(faults, seed: seed) }
}

extension FaultBook {
    /// Returns the faults that apply to a new request; nil if no rule is enabled.
    ///
    /// `endpoint` is nil for a path that has no endpoint. A rule that lists no endpoints matches every REST request,
    /// but no WebSocket handshakes. For handshakes, call ``FaultBook/openSocket(_:at:)``. Must be called once per request, before
    /// processing, because each call counts.
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

    /// Applies a fault; returns false if another replacement comes first, a quota is not used up, or the fault is a
    /// breakpoint, which takes effect later.
    ///
    /// - Parameter message: A replacement's default message, derived from its status and the rule's name.
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
            // Requests whose responses are replaced also count, because a rate limiter sees every request.
            let left = rules[index].window.take(at: now, quota: requests, length: window)
            guard let left, acting.replacement == nil else { return false }
            // Round up, so that a client that retries after this time is admitted.
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
    /// The body; empty for 204, 205 and 304, which have no body (RFC 9110 §15.3.5, §15.3.6, §15.4.5).
    public var body: [UInt8]
}

extension Replacement {
    /// The replacement in the form of the union or a guide; its ``message`` must be filled in.
    ///
    /// If there is no literal body, the body is the envelope with ``code`` and ``message``, regardless of the status.
    /// As HTTP requires, 401 has `WWW-Authenticate`, 405 has an empty `Allow`, and 426 has `Upgrade` (RFC 9110 §15.5.2,
    /// §15.5.6, §15.5.22).
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

/// Status names, on the status line and as an error's default `code`.
public enum StatusNames {
    /// The status with its reason phrase from the IANA registry "HTTP Status Codes"; an unregistered status has no
    /// phrase.
    public static func status(_ code: Int) -> HTTPResponse.Status { known[code] ?? HTTPResponse.Status(code: code) }

    /// The API's code for a status, or the reason phrase (`SERVICE_UNAVAILABLE`) if the API has no code, or
    /// `STATUS_599` if there is no phrase.
    static func code(of status: HTTPResponse.Status) -> String {
        if status == .unprocessableContent { return ErrorCode.validationFailed.rawValue }
        guard !status.reasonPhrase.isEmpty else { return "STATUS_\(status.code)" }
        // "Too Many Requests" → "TOO_MANY_REQUESTS"; the API's codes for 400, 401, 404, 405, 415 and 426 also have this
        // form.
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

/// An encoded response: the status line, the field lines including the blank line, and the body.
///
/// The response is one complete message that has either no body or a body framed by Content-Length (RFC 9112 §6.3).
public struct EncodedResponse: Sendable, Equatable {
    public var head: [UInt8]
    public var body: [UInt8]
    /// Whether the client expects a body, even an empty one; false after HEAD, and for 1xx, 204 and 304 (RFC 9112
    /// §6.3).
    public let expectsBody: Bool

    public init(head: [UInt8], body: [UInt8], isAnswerToHead: Bool = false) {
        self.head = head
        self.body = body
        expectsBody = !isAnswerToHead && Self.allowsBody(head)
    }

    /// Parses a response as encoded on the wire.
    ///
    /// - Precondition: The head is complete, including the blank line.
    public init(_ bytes: [UInt8], isAnswerToHead: Bool = false) {
        var end = 3
        while end < bytes.count, !(bytes[end] == 0x0A && bytes[end - 2] == 0x0A) { end += 1 }
        precondition(end < bytes.count, "The response has no blank line after its head.")
        self.init(head: Array(bytes[...end]), body: Array(bytes[(end + 1)...]), isAnswerToHead: isAnswerToHead)
    }

    public var bytes: [UInt8] { head + body }

    /// Reads the status line, such as `HTTP/1.1 204 No Content`.
    private static func allowsBody(_ head: [UInt8]) -> Bool {
        guard head.count >= 12 else { return true }
        let code = head[9..<12]
        return head[9] != UInt8(ascii: "1") && !code.elementsEqual("204".utf8) && !code.elementsEqual("304".utf8)
    }
}

extension EncodedResponse {
    /// The trimmed value of the first field with this name, ignoring case.
    func value(of name: String) -> String? {
        guard let line = lines(named: name).first else { return nil }
        let value = head[(line.lowerBound + name.utf8.count + 1)..<line.upperBound]
        return String(decoding: value.drop { $0 <= 0x20 }.reversed().drop { $0 <= 0x20 }.reversed(), as: UTF8.self)
    }

    /// Replaces a field or appends it; nil removes it.
    ///
    /// The field name is written as given in `name`.
    mutating func setValue(_ value: String?, of name: String) {
        let found = lines(named: name)
        for line in found.dropFirst().reversed() { head.removeSubrange(line) }
        let place = found.first ?? (head.count - 2)..<(head.count - 2)
        head.replaceSubrange(place, with: value.map { Array("\(name): \($0)\r\n".utf8) } ?? [])
    }

    /// The ranges of the field lines with this name, including CRLF.
    private func lines(named name: String) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var start = 0
        for end in head.indices where head[end] == 0x0A {
            if start > 0, isLine(head[start..<end], named: name) { found.append(start..<end + 1) }
            start = end + 1
        }
        return found
    }

    private func isLine(_ line: ArraySlice<UInt8>, named name: String) -> Bool {
        let name = name.utf8
        guard line.count > name.count, line[line.startIndex + name.count] == UInt8(ascii: ":") else { return false }
        return zip(line, name).allSatisfy { Self.lowercased($0) == Self.lowercased($1) }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}

extension EncodedResponse {
    /// Applies faults to the response.
    ///
    /// Content changes come first, then chunking, then changes on the wire. Within each group, faults take effect in
    /// the given order. Content-Length is the body's length plus the sum of all errors. Faults that need a body do not
    /// change a response that has none. An empty body counts as no body, except that Content-Length can be too large.
    /// Replacements and quotas are ignored, because they have already determined which response is encoded.
    ///
    /// `seed` determines the digits of times (``NanosecondTimestamps``).
    public func apply(_ faults: [ResponseFault], seed: UInt64) -> Transmission {
        var response = self
        for fault in faults { response.applyToContent(fault, seed: seed) }
        if expectsBody, response.body.count != body.count { response.setContentLength(response.body.count) }
        response.falsifyLength(faults)
        if faults.contains(.wrongAccept) { response.falsifyAccept() }
        if faults.contains(.malformedChunking) { response.breakChunking() }
        var wire = WireFaults(count: response.head.count + response.body.count)
        for fault in faults { wire.add(fault, headCount: response.head.count) }
        return wire.transmission(of: response.bytes)
    }

    private mutating func applyToContent(_ fault: ResponseFault, seed: UInt64) {
        switch fault {
        case .malformedJSON where expectsBody:
            // Ignore a final newline, because the text would still be valid JSON without it.
            while body.last?.isJSONWhitespace == true { body.removeLast() }
            _ = body.popLast()
        case .nanosecondTimestamps where expectsBody: body = NanosecondTimestamps.rewrite(body, seed: seed)
        case .compression(let fault) where value(of: "Content-Encoding") == "gzip" && body.count > 18:
            switch fault {
            case .undeclared: setValue(nil, of: "Content-Encoding")
            case .truncated: body.removeLast(body.count / 2)
            // The first byte after the ten-byte gzip header.
            case .corrupt: body[10] = 0b111
            case .wrongLength: body[body.count - 1] ^= 0xFF
            default: break
            }
        case .contentType(let value):
            // Responses to HEAD have the same fields as responses to GET (RFC 9110 §9.3.2), but a 204 has no content to
            // describe.
            guard value == nil || expectsBody || self.value(of: "Content-Type") != nil else { return }
            setValue(value.map { HTTPField(name: .contentType, value: $0).value }, of: "Content-Type")
        default: break
        }
    }

    /// Replaces a handshake's accept value, so that a client must fail the connection (RFC 6455 §4.1).
    private mutating func falsifyAccept() {
        let field = "Sec-WebSocket-Accept"
        guard let right = value(of: field) else { return }
        setValue(Self.otherKeys.lazy.map(ServerHandshake.accept).first { $0 != right }, of: field)
    }

    /// There are two keys, because a client might use the first key, which is the example in RFC 6455 (§1.3).
    private static let otherKeys = ["dGhlIHNhbXBsZSBub25jZQ==", "AAAAAAAAAAAAAAAAAAAAAA=="]

    private mutating func falsifyLength(_ faults: [ResponseFault]) {
        guard expectsBody else { return }
        let limit = FaultLimits.contentLengthError
        var error = 0
        for case .contentLength(let off) in faults {
            error = min(max(error + min(max(off, -limit), limit), -limit), limit)
        }
        if error != 0 { setContentLength(max(body.count + error, 0)) }
    }

    private mutating func setContentLength(_ length: Int) { setValue(String(length), of: "Content-Length") }

    /// Frames the body in two chunks, the second of which has no valid size (RFC 9112 §7.1).
    ///
    /// The first chunk contains half of the body; ``badChunkSize`` replaces the size of the second chunk.
    private mutating func breakChunking() {
        guard expectsBody, !body.isEmpty else { return }
        setValue(nil, of: "Content-Length")
        setValue("chunked", of: "Transfer-Encoding")
        let half = (body.count + 1) / 2
        body =
            Array("\(String(half, radix: 16))\r\n".utf8) + body[..<half] + Array("\r\n\(Self.badChunkSize)\r\n".utf8)
            + body[half...] + Array("\r\n0\r\n\r\n".utf8)
    }

    /// The string that replaces a chunk's size; it does not start with a hexadecimal digit.
    static let badChunkSize = "no-number"
}
