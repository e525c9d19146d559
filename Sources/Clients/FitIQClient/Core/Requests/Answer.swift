import HTTPTypes
import JSON

/// A response as the client reads it.
struct Answer: Sendable {
    let status: Int
    /// The body as JSON; nil where it is none.
    let body: JSONValue?
    /// What `Retry-After` asks for, in whole seconds.
    let retryAfter: Duration?

    init(_ response: ClientResponse) {
        status = response.status
        body = try? JSON.parse(response.body)
        let seconds = response.fields[.retryAfter].flatMap { Int($0) }
        retryAfter = seconds.map { .seconds(min(max($0, 0), 86_400)) }
    }

    var isSuccess: Bool { (200..<300).contains(status) }
    var code: String? { body?["error"]?["code"]?.string }

    /// Whether the backend asks for a pause (429 of a rate limit, told from the other 429 by its code).
    var isThrottled: Bool {
        guard status == 429, code != "TOO_MANY_ACTIVE_CONSULTATIONS" else { return false }
        return code == "RATE_LIMITED" || retryAfter != nil
    }

    /// Whether what was asked for may have been done, and asking again may help.
    var isFailure: Bool { status >= 500 || status == 408 || (isSuccess && body == nil) }

    /// The backend's words, or the status in ours.
    var message: String {
        guard let text = body?["error"]?["message"]?.string, !text.isEmpty else {
            return isSuccess ? ClientMessages.noUsableAnswer : ClientMessages.status(status)
        }
        return String(text.prefix(500))
    }
}
