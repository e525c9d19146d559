import FitIQAPI
import HTTPTypes

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
