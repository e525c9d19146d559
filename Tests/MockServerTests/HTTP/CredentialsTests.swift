import Digests
import FitIQAPI
import HTTPTypes
import TestSupport
import Testing

@testable import MockServer

private func jwt(header: String = #"{"alg":"HS256","typ":"JWT"}"#, claims: String, secret: String? = nil) -> String {
    let input = Base64.encodeURL(Array(header.utf8)) + "." + Base64.encodeURL(Array(claims.utf8))
    let key = Array((secret ?? DevelopmentCredentials.jwtSecret).utf8)
    return input + "." + Base64.encodeURL(HMACSHA256.authenticate(Array(input.utf8), key: key))
}

@Suite("Credentials")
struct CredentialsTests {
    private let network = VirtualNetwork()

    struct Endpoint: CustomTestStringConvertible {
        let method: HTTPRequest.Method
        let path: String
        let hasBody: Bool
        var testDescription: String { "\(method.rawValue) \(path)" }

        private init(_ method: HTTPRequest.Method, _ path: String, hasBody: Bool = false) {
            (self.method, self.path, self.hasBody) = (method, "/api/v1/" + path, hasBody)
        }

        private static let unknown = "00000000-0000-4000-8000-000000000000"
        static let all = [
            Endpoint(.post, "consultations", hasBody: true), Endpoint(.get, "consultations"),
            Endpoint(.head, "consultations"), Endpoint(.get, "consultations/quick-actions"),
            Endpoint(.get, "consultations/\(unknown)"), Endpoint(.get, "consultations/\(unknown)/messages"),
            Endpoint(.post, "consultations/\(unknown)/archive"), Endpoint(.get, "consultations/\(unknown)/ws"),
            Endpoint(.post, "consultations/chat-about-goal", hasBody: true), Endpoint(.post, "goals", hasBody: true),
            Endpoint(.get, "goals"), Endpoint(.get, "goals/\(unknown)"),
            Endpoint(.patch, "goals/\(unknown)", hasBody: true),
        ]
    }

    struct Refused: CustomTestStringConvertible {
        let testDescription: String
        let fields: [String]
        let message: String
        var hasUser = false

        private static let good = Request.token(for: TestUser.anna)
        private static let claims = #"{"sub":"anna","exp":4102444799}"#

        private static func authorization(_ name: String, _ value: String, _ message: String) -> Refused {
            Refused(
                testDescription: name, fields: ["Authorization:\(value)", Request.apiKey], message: message,
                hasUser: name.hasPrefix("expired"))
        }

        private static func token(_ name: String, _ token: String, _ message: String) -> Refused {
            authorization(name, " Bearer \(token)", message)
        }

        private static func key(_ name: String, _ fields: [String], _ message: String) -> Refused {
            Refused(testDescription: name, fields: [Request.bearer(good)] + fields, message: message, hasUser: true)
        }

        static let all = [
            Refused(testDescription: "only the key", fields: [Request.apiKey], message: "has no Authorization field"),
            authorization("another scheme", " Basic YTpi", "must read 'Bearer <JWT>'"),
            authorization("no scheme", " \(good)", "must read 'Bearer <JWT>'"),
            authorization("an empty Authorization", "", "must read 'Bearer <JWT>'"),
            token("bytes that are not UTF-8", "\u{FFFD}", "is not valid"), key("no key", [], "has no X-API-Key field"),
            key("another key", ["X-API-Key: wrong"], "is not this server's"),
            key("a key too long", [Request.apiKey + "x"], "is not this server's"),
            key("an empty key", ["X-API-Key:"], "is not this server's"),
            token("expired", jwt(claims: #"{"sub":"anna","exp":1738146600}"#), "it expired at 2025-01-29T10:30:00Z"),
            token("expired long ago", jwt(claims: #"{"sub":"anna","exp":-1e300}"#), "it expired at"),
            token("a foreign secret", jwt(claims: claims, secret: "foreign"), "signed with a secret other than"),
            token("alg none", jwt(header: #"{"alg":"none"}"#, claims: claims), #"it is signed with "none""#),
            token("alg none, unsigned", "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.", #"it is signed with "none""#),
            token("no alg", jwt(header: "{}", claims: claims), #"it is signed with "nothing""#),
            token("truncated signature", String(good.dropLast(3)), "it was signed with a secret other than"),
            token("truncated within a byte", String(good.dropLast(2)), "its signature is not base64url"),
            token("truncated to a letter", "e", "it has 1 part(s)"), token("empty", "", "must read 'Bearer <JWT>'"),
            token("four parts", good + ".x", "it has 4 part(s)"),
            token("no subject", jwt(claims: #"{"exp":4102444799}"#), "'sub' claim must be"),
            token("subject of a wrong type", jwt(claims: #"{"sub":7,"exp":4102444799}"#), "'sub' claim must be"),
            token("no expiry", jwt(claims: #"{"sub":"anna"}"#), "'exp' claim must be"),
            token("claims that are no object", jwt(claims: "[1]"), "its payload is not a JSON object"),
            token(
                "claims too deep", jwt(claims: String(repeating: "[", count: 2000)), "its payload is not a JSON object"),
            token("over 4,096 bytes", String(repeating: "a", count: 4097), "it has more than 4,096 bytes"),
        ]
    }

    @Test(
        "Each endpoint returns 401 for bad credentials before it reads the id or the body",
        arguments: Endpoint.all, Refused.all)
    func refused(endpoint: Endpoint, credentials: Refused) throws {
        var request = Request(method: endpoint.method, target: endpoint.path, fields: credentials.fields)
        if endpoint.hasBody { request = request.json("not JSON") }
        let response = try network.exchange(request)
        #expect(response.status == 401 && response.fields[.wwwAuthenticate] == "Bearer")
        guard endpoint.method != .head else { return #expect(response.body.isEmpty) }
        #expect(response.errorCode == "UNAUTHORIZED" && response.json?["success"] == false)
        #expect(response.message.contains(credentials.message), "\(response.message)")
    }

    @Test("An unverifiable token does not create a user", arguments: Refused.all)
    func noUser(credentials: Refused) throws {
        _ = try network.exchange(Request(target: "/api/v1/consultations", fields: credentials.fields))
        #expect(network.engine.defaultWorld.backend.userCount == (credentials.hasUser ? 1 : 0))
    }

    @Test(
        "The bearer scheme is case-insensitive and may be followed by white space",
        arguments: ["bearer ", "BEARER ", "Bearer    "])
    func lenient(scheme: String) throws {
        let fields = ["Authorization: \(scheme)\(Request.token(for: TestUser.anna))", Request.apiKey]
        #expect(try network.exchange(Request(target: "/api/v1/consultations", fields: fields)).status == 200)
    }

    @Test("A token that expires during a connection returns 401 from that second on")
    func expiresOnTheWay() throws {
        let client = try network.client()
        let token = jwt(claims: #"{"sub":"anna","exp":1738146610}"#)
        let request = Request(target: "/api/v1/consultations", fields: [Request.bearer(token), Request.apiKey])
        for wait in [0, 9_999] {
            network.advance(by: .milliseconds(wait))
            #expect(try client.exchange(request).status == 200)
        }
        network.advance(by: .milliseconds(1))
        let response = try client.exchange(request)
        #expect(response.status == 401 && response.message.contains("it expired at 2025-01-29T10:30:10Z"))
    }

    @Test("Each request on a connection needs its own credentials")
    func perRequest() throws {
        let id = try network.consultation()
        let client = try network.client()
        let own = Request.authorized(.get, "/api/v1/consultations/\(id)", as: TestUser.anna)
        let requests = [own, .authorized(.get, own.target, as: TestUser.ben), Request(target: own.target)]
        for _ in 0..<3 { #expect(try requests.map { try client.exchange($0).status } == [200, 404, 401]) }
    }

    @Test("The server rejects a wrong key on a connection that sent the right key before")
    func keyEachTime() throws {
        let client = try network.client()
        let wrong = Request(
            target: "/api/v1/consultations", fields: [Request.bearer(DevelopmentCredentials.token()), "X-API-Key: x"])
        for _ in 0..<2 {
            #expect(try client.exchange(.authorized(.get, "/api/v1/consultations")).status == 200)
            for _ in 0..<3 { #expect(try client.exchange(wrong).status == 401) }
        }
    }

    @Test("The cache of verified tokens has a limit, and tokens beyond it still work")
    func tokenStore() throws {
        let network = VirtualNetwork { $0.limits.verifiedTokens = 10 }
        let client = try network.client()
        for round in 0..<2 {
            for user in 0..<25 {
                let request = Request.authorized(.get, "/api/v1/consultations", as: "user-\(user)")
                #expect(try client.exchange(request).status == 200, "round \(round), user \(user)")
                #expect(network.engine.defaultWorld.authenticator.verifiedCount <= 10)
            }
        }
        #expect(network.engine.defaultWorld.backend.userCount == 25)
    }

    @Test("A full world returns 507 for a new user and serves the existing users")
    func usersFull() throws {
        let network = VirtualNetwork { $0.worldLimits.users = 1 }
        let answers = try ["first", "second", "first"].map {
            try network.exchange(.authorized(.get, "/api/v1/consultations", as: $0))
        }
        #expect(answers.map(\.status) == [200, 507, 200] && answers[1].errorCode == "STORE_FULL")
    }
}
