import Digests
import FitIQAPI
import HTTPTypes
import TestSupport
import Testing

@testable import MockServer

/// A token with the given claims and header.
private func jwt(header: String = #"{"alg":"HS256","typ":"JWT"}"#, claims: String, secret: String? = nil) -> String {
    let input = Base64.encodeURL(Array(header.utf8)) + "." + Base64.encodeURL(Array(claims.utf8))
    let key = Array((secret ?? DevelopmentCredentials.jwtSecret).utf8)
    return input + "." + Base64.encodeURL(HMACSHA256.authenticate(Array(input.utf8), key: key))
}

@Suite("Credentials")
struct CredentialsTests {
    /// An endpoint that requires credentials, and a valid body.
    struct Endpoint: CustomTestStringConvertible {
        let method: HTTPRequest.Method
        let path: String
        var body: String?
        var testDescription: String { "\(method.rawValue) \(path)" }

        static let unknown = "00000000-0000-4000-8000-000000000000"
        static let all = [
            Endpoint(method: .post, path: "/api/v1/consultations", body: #"{"persona":"nutritionist"}"#),
            Endpoint(method: .get, path: "/api/v1/consultations"),
            Endpoint(method: .head, path: "/api/v1/consultations"),
            Endpoint(method: .get, path: "/api/v1/consultations/quick-actions"),
            Endpoint(method: .get, path: "/api/v1/consultations/\(unknown)"),
            Endpoint(method: .get, path: "/api/v1/consultations/\(unknown)/messages"),
            Endpoint(method: .post, path: "/api/v1/consultations/\(unknown)/archive"),
            Endpoint(method: .get, path: "/api/v1/consultations/\(unknown)/ws"),
            Endpoint(method: .post, path: "/api/v1/consultations/chat-about-goal", body: #"{"goalId":"\#(unknown)"}"#),
            Endpoint(method: .post, path: "/api/v1/goals", body: #"{"title":"T"}"#),
            Endpoint(method: .get, path: "/api/v1/goals"),
            Endpoint(method: .get, path: "/api/v1/goals/\(unknown)"),
            Endpoint(method: .patch, path: "/api/v1/goals/\(unknown)", body: "{}"),
        ]
    }

    /// Rejected credentials, and text that the message must contain.
    struct Refused: CustomTestStringConvertible {
        let name: String
        let fields: [String]
        let message: String
        var testDescription: String { name }

        private static let good = Request.token(for: TestUser.anna)
        private static let claims = #"{"sub":"anna","exp":4102444799}"#
        private static func token(_ name: String, _ token: String, _ message: String) -> Refused {
            Refused(name: name, fields: [Request.bearer(token), Request.apiKey], message: message)
        }

        static let all = [
            Refused(name: "only the key", fields: [Request.apiKey], message: "has no Authorization field"),
            Refused(
                name: "another scheme", fields: ["Authorization: Basic YTpi", Request.apiKey],
                message: "must read 'Bearer <JWT>'"),
            Refused(
                name: "no scheme", fields: ["Authorization: \(good)", Request.apiKey],
                message: "must read 'Bearer <JWT>'"),
            Refused(
                name: "an empty Authorization", fields: ["Authorization:", Request.apiKey],
                message: "must read 'Bearer <JWT>'"),
            Refused(
                name: "bytes that are not UTF-8", fields: ["Authorization: Bearer \u{FFFD}", Request.apiKey],
                message: "is not valid"),
            Refused(name: "no key", fields: [Request.bearer(good)], message: "has no X-API-Key field"),
            Refused(
                name: "another key", fields: [Request.bearer(good), "X-API-Key: wrong"], message: "is not this server's"
            ),
            Refused(
                name: "a key too long", fields: [Request.bearer(good), Request.apiKey + "x"],
                message: "is not this server's"),
            Refused(
                name: "an empty key", fields: [Request.bearer(good), "X-API-Key:"], message: "is not this server's"),
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
            token("over 4,096 characters", String(repeating: "a", count: 4097), "it has more than 4,096 characters"),
        ]
    }

    @Test(
        "Each endpoint returns 401 for bad credentials before it reads the id or the body",
        arguments: Endpoint.all, Refused.all)
    func refused(endpoint: Endpoint, credentials: Refused) throws {
        let network = VirtualNetwork()
        var request = Request(method: endpoint.method, target: endpoint.path, fields: credentials.fields)
        if endpoint.body != nil { request = request.json("not JSON") }
        let response = try network.exchange(request)
        #expect(response.status == 401)
        #expect(response.fields[.wwwAuthenticate] == "Bearer")
        if endpoint.method == .head {
            #expect(response.body.isEmpty)
        } else {
            #expect(response.errorCode == "UNAUTHORIZED")
            #expect(response.message.contains(credentials.message), "\(response.message)")
            #expect(response.json?["success"] == false)
        }
    }

    @Test("An unverifiable token does not create a user", arguments: Refused.all)
    func noUser(credentials: Refused) throws {
        let network = VirtualNetwork()
        _ = try network.exchange(Request(target: "/api/v1/consultations", fields: credentials.fields))
        let verifies = credentials.name.contains("key") && credentials.name != "only the key"
        let expired = credentials.name.hasPrefix("expired")
        #expect(network.engine.defaultWorld.backend.userCount == (verifies || expired ? 1 : 0))
    }

    @Test(
        "The bearer scheme is case-insensitive and may be followed by white space",
        arguments: ["bearer ", "BEARER ", "Bearer    "])
    func lenient(scheme: String) throws {
        let fields = ["Authorization: \(scheme)\(Request.token(for: TestUser.anna))", Request.apiKey]
        #expect(try VirtualNetwork().exchange(Request(target: "/api/v1/consultations", fields: fields)).status == 200)
    }

    @Test("A token that expires during a connection returns 401 from that second on")
    func expiresOnTheWay() throws {
        let network = VirtualNetwork()
        let client = try network.client()
        let token = jwt(claims: #"{"sub":"anna","exp":1738146610}"#)
        let request = Request(target: "/api/v1/consultations", fields: [Request.bearer(token), Request.apiKey])
        #expect(try client.exchange(request).status == 200)
        network.advance(by: .milliseconds(9_999))
        #expect(try client.exchange(request).status == 200)
        network.advance(by: .milliseconds(1))
        let response = try client.exchange(request)
        #expect(response.status == 401)
        #expect(response.message.contains("it expired at 2025-01-29T10:30:10Z"))
    }

    @Test("Each request on a connection needs its own credentials")
    func perRequest() throws {
        let network = VirtualNetwork()
        let id = try network.consultation()
        let client = try network.client()
        let path = "/api/v1/consultations/\(id)"
        for _ in 0..<3 {
            #expect(try client.exchange(.authorized(.get, path, as: TestUser.anna)).status == 200)
            #expect(try client.exchange(.authorized(.get, path, as: TestUser.ben)).status == 404)
            #expect(try client.exchange(Request(target: path)).status == 401)
        }
    }

    @Test("The server rejects a wrong key on a connection that sent the right key before")
    func keyEachTime() throws {
        let network = VirtualNetwork()
        let client = try network.client()
        let wrong = Request(
            target: "/api/v1/consultations", fields: [Request.bearer(DevelopmentCredentials.token()), "X-API-Key: x"])
        for _ in 0..<2 {
            #expect(try client.exchange(.authorized(.get, "/api/v1/consultations")).status == 200)
            // Send the same bytes several times.
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
        #expect(try network.exchange(.authorized(.get, "/api/v1/consultations", as: "first")).status == 200)
        let response = try network.exchange(.authorized(.get, "/api/v1/consultations", as: "second"))
        #expect(response.status == 507)
        #expect(response.errorCode == "STORE_FULL")
        #expect(try network.exchange(.authorized(.get, "/api/v1/consultations", as: "first")).status == 200)
    }
}
