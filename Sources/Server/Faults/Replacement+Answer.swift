import FitIQAPI
import HTTPTypes

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
