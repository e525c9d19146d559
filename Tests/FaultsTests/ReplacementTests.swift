import FitIQAPI
import HTTPTypes
import Testing

@testable import Faults

@Suite("Replacement answers")
struct ReplacementTests {
    static let codes: [(Int, String, String)] = [
        (200, "OK", "OK"), (204, "No Content", ""), (400, "Bad Request", "BAD_REQUEST"),
        (401, "Unauthorized", "UNAUTHORIZED"), (403, "Forbidden", "FORBIDDEN"), (404, "Not Found", "NOT_FOUND"),
        (405, "Method Not Allowed", "METHOD_NOT_ALLOWED"), (409, "Conflict", "CONFLICT"),
        (413, "Content Too Large", "CONTENT_TOO_LARGE"), (415, "Unsupported Media Type", "UNSUPPORTED_MEDIA_TYPE"),
        (418, "", "STATUS_418"), (422, "Unprocessable Content", "VALIDATION_FAILED"),
        (426, "Upgrade Required", "UPGRADE_REQUIRED"), (429, "Too Many Requests", "TOO_MANY_REQUESTS"),
        (500, "Internal Server Error", "INTERNAL_SERVER_ERROR"), (502, "Bad Gateway", "BAD_GATEWAY"),
        (503, "Service Unavailable", "SERVICE_UNAVAILABLE"), (504, "Gateway Timeout", "GATEWAY_TIMEOUT"),
        (505, "HTTP Version Not Supported", "HTTP_VERSION_NOT_SUPPORTED"), (599, "", "STATUS_599"),
    ]

    @Test("Each replacement status has a phrase, a code and a message that names the fault", arguments: codes)
    func statuses(status: Int, phrase: String, code: String) {
        let answer = Replacement(status: status).answer(rule: "flaky", in: .union)
        #expect((answer.status.code, answer.status.reasonPhrase) == (status, phrase))
        #expect(answer.contentType == nil)
        let envelope =
            #"{"success":false,"error":{"code":"\#(code)","message":"A scenario answers this request with \#(status) (fault 'flaky')."}}"#
        #expect(text(answer.body) == (code.isEmpty ? "" : envelope))
    }

    @Test("A replacement may have any status from 200 to 599")
    func all() {
        for status in FaultLimits.statuses {
            let answer = Replacement(status: status).answer(rule: "a", in: .union)
            #expect((answer.status.code, answer.body.isEmpty) == (status, [204, 205, 304].contains(status)))
        }
        #expect(Replacement(status: 99).answer(rule: "a", in: .union).status.code == 200)
        #expect(Replacement(status: 1000).answer(rule: "a", in: .union).status.code == 599)
    }

    static let fieldTable: [(Replacement, HTTPFields)] = [
        (Replacement(status: 500), [:]),
        (Replacement(status: 401), [.wwwAuthenticate: "Bearer"]),
        (Replacement(status: 405), [.allow: ""]),
        (Replacement(status: 426), [.upgrade: "websocket"]),
        (Replacement(status: 503, retryAfter: 0), [.retryAfter: "0"]),
        (Replacement(status: 503, retryAfter: 120), [.retryAfter: "120"]),
        (Replacement(status: 503, retryAfter: -1), [.retryAfter: "0"]),
        (Replacement(status: 503, retryAfter: .max), [.retryAfter: "31622400"]),
        (Replacement(status: 204, body: "x", contentType: "text/plain", retryAfter: 1), [.retryAfter: "1"]),
    ]

    @Test("A replacement has Retry-After and the fields that its status requires", arguments: fieldTable)
    func fields(of replacement: Replacement, expected: HTTPFields) {
        #expect(replacement.answer(rule: "a", in: .union).fields == expected)
    }

    @Test("The backend does not process a replaced request unless the fault asks for it")
    func processing() {
        #expect(!Replacement(status: 500).isProcessed)
        #expect(Replacement(status: 500, isProcessed: true).isProcessed)
    }

    @Test("A replacement may have its own body and media type")
    func body() {
        let answer = Replacement(status: 502, body: "<h1>Bad gateway</h1>", contentType: "text/html")
            .answer(rule: "a", in: .union)
        #expect(text(answer.body) == "<h1>Bad gateway</h1>")
        #expect(answer.contentType == "text/html")
        let none = Replacement(status: 204, body: "x", contentType: "text/html").answer(rule: "a", in: .union)
        #expect(none.body == [])
        #expect(none.contentType == nil)
    }

    @Test("A replacement may have its own code and message in each guide's form")
    func envelope() {
        let replacement = Replacement(status: 429, code: "SLOW_DOWN", message: #"Say "please"."#)
        #expect(
            text(replacement.answer(rule: "a", in: .union).body)
                == #"{"success":false,"error":{"code":"SLOW_DOWN","message":"Say \"please\"."}}"#)
        #expect(
            text(replacement.answer(rule: "a", in: .mealLogWebSocket).body)
                == #"{"error":{"message":"Say \"please\".","code":"SLOW_DOWN"}}"#)
    }
}
