import ContractSuite
import FitIQAPI
import HTTPTypes

extension Mutant {
    private static let refusedThrice = ContractCase.story(
        .written(
            """
            name: refused-thrice
            faults:
              - {on: POST /api/v1/consultations, requests: 1..3, status: 401, code: UNAUTHORIZED}
            """),
        [
            // The correct client stops when its second token is rejected, and reports the rejection.
            .start(.nutritionist), .until(.idle, within: .minutes(2)), .disconnect,
        ])

    private static let refreshing = ContractCase.suite("auth/refresh/token-works-once")

    static let auth = [
        Mutant(
            "loads goals with URLSession.shared.data(from:), without any header fields",
            breaks: "auth/credentials-on-every-request",
            saying: "GET /api/v1/goals was sent without a bearer token and without X-API-Key.", in: .chat
        ) {
            .besides({ $0.method == .post }) { request in
                var other = request
                (other.method, other.target, other.fields, other.body) = (.get, "/api/v1/goals", [:], nil)
                return other
            }
        },
        Mutant(
            "omits the API key from one request, and then repeats the request",
            breaks: "auth/credentials-on-every-request", saying: "was sent without X-API-Key.", in: .chat
        ) {
            var isDone = false
            return .requests { request in
                guard !isDone, request.isTo(.get, "/messages") else { return }
                request.fields[.apiKey] = nil
                isDone = true
            }
        },
        Mutant(
            "once sends the token without the word Bearer", breaks: "auth/credentials-on-every-request",
            saying: "was sent without a bearer token (its Authorization begins with \"", in: .chat
        ) {
            var isDone = false
            return .requests { request in
                guard !isDone, let value = request.fields[.authorization] else { return }
                request.fields[.authorization] = String(value.dropFirst("Bearer ".count))
                isDone = true
            }
        },
        Mutant(
            "opens its first socket with webSocketTask(with: URL), without header fields",
            breaks: "auth/websocket-credentials", saying: "has no token in its headers or as ?token=.",
            in: .chat
        ) {
            var isDone = false
            return .handshakes { request in
                if !isDone { request.fields = [:] }
                isDone = true
            }
        },
        Mutant(
            "opens its first socket with only the token", breaks: "auth/websocket-credentials",
            saying: "has a bearer token without X-API-Key; a handshake with headers needs both.", in: .chat
        ) {
            var isDone = false
            return .handshakes { request in
                if !isDone { request.fields[.apiKey] = nil }
                isDone = true
            }
        },
        Mutant(
            "repeats a request that got 401 before it gets another token",
            breaks: "auth/refresh-after-401", saying: "was sent 3 times with the token that was refused with 401",
            in: refusedThrice
        ) {
            .repeating(2, after: .seconds(1)) { request, status in request.method == .post && status == 401 }
        },
        Mutant(
            "refreshes for each request that got 401, all at the same time", breaks: "auth/refresh-token-once",
            saying: "POST /api/v1/auth/refresh used the refresh token that was used", in: refreshing
        ) {
            .besides({ $0.isTo(.post, "/auth/refresh") }) { $0 }
        },
        Mutant(
            "keeps its first refresh token", breaks: "auth/refresh-token-once",
            saying: "a refresh token works only once.", in: refreshing
        ) {
            var first: [UInt8]?
            return .requests { request in
                guard request.isTo(.post, "/auth/refresh") else { return }
                first = first ?? request.body
                request.body = first
            }
        },
        Mutant(
            "sends its bearer token with every request, even the refresh request", breaks: "auth/no-expired-bearer",
            saying: "POST /api/v1/auth/refresh had a bearer token that expired at", in: refreshing
        ) {
            var bearer: String?
            return .requests { request in
                if let value = request.fields[.authorization] {
                    bearer = value
                } else {
                    request.fields[.authorization] = bearer
                }
            }
        },
    ]
}
