import FitIQAPI
import Foundation
import HTTPTypes
import JSON
import TestSupport
import Testing

@testable import FitIQBackend
@testable import MockServer

/// A server with cheap password hashing where Ada has registered.
struct Ada {
    let network: VirtualNetwork
    let data: JSONValue
    let token: String
    let refreshToken: String

    init(_ scenario: String = "accounts: {password_cost: 1}") throws {
        network = try AccountTests.network(scenario)
        let response = try network.auth("register", AccountTests.registration)
        #expect(response.status == 201, "\(response.text)")
        data = try #require(response.json?["data"])
        token = try #require(data["access_token"]?.string)
        refreshToken = try #require(data["refresh_token"]?.string)
    }

    func me(_ method: HTTPRequest.Method = .get, _ path: String = "", _ json: String? = nil) throws -> Response {
        try network.me(token, method, path, json)
    }

    func refresh(_ token: String? = nil) throws -> Response { try network.refresh(token ?? refreshToken) }
}

extension VirtualNetwork {
    /// Sends an account request with only the API key.
    func auth(_ path: String, _ json: String? = nil) throws -> Response {
        let request = Request(method: .post, target: "/api/v1/auth/\(path)", fields: [Request.apiKey])
        return try exchange(json.map(request.json) ?? request)
    }

    fileprivate func refresh(_ token: String, by path: String = "refresh") throws -> Response {
        try auth(path, #"{"refresh_token":"\#(token)"}"#)
    }

    fileprivate func me(
        _ token: String, _ method: HTTPRequest.Method = .get, _ path: String = "", _ json: String? = nil
    ) throws -> Response {
        let fields = [Request.bearer(token), Request.apiKey]
        let request = Request(method: method, target: "/api/v1/users/me\(path)", fields: fields)
        return try exchange(json.map(request.json) ?? request)
    }
}

@Suite("Accounts over HTTP") struct AccountTests {
    static let registration =
        #"{"email":"Ada@Example.com","password":"correct horse","name":"Ada","date_of_birth":"1990-05-17"}"#
    static let login = #"{"email":"ada@example.COM","password":"correct horse"}"#

    static func network(_ scenario: String = "accounts: {password_cost: 1}") throws -> VirtualNetwork {
        try .serving("{name: a, clock: manual, \(scenario)}")
    }

    @Test("A user registers, logs in, reads the profile, refreshes and logs out")
    func story() throws {
        let ada = try Ada()
        let network = ada.network
        #expect(ada.data.object?.keys == ["user_id", "email", "name", "created_at", "access_token", "refresh_token"])
        #expect(
            ada.data.values(of: "email", "name", "created_at") == ["Ada@Example.com", "Ada", "2025-01-29T10:30:00Z"])
        #expect(ResourceID(try #require(ada.data["user_id"]?.string)) != nil)

        let login = try network.auth("login", Self.login)
        #expect(login.status == 200 && login.json?["data"]?.object?.keys == ["access_token", "refresh_token"])
        let access = try #require(login.json?["data"]?["access_token"]?.string)
        let claims = try #require(Self.claims(of: access))
        #expect(claims.values(of: "sub", "email", "exp") == [ada.data["user_id"], "Ada@Example.com", 1_738_150_200])

        let me = try network.me(access)
        let shown = try #require(me.json?["data"])
        #expect(me.status == 200)
        #expect(
            shown.values(of: "id", "user_id", "date_of_birth", "bio")
                == [ada.data["user_id"], ada.data["user_id"], "1990-05-17", .null])
        #expect(shown["profile"]?.values(of: "name", "preferred_unit_system") == ["Ada", "metric"])

        let first = try #require(login.json?["data"]?["refresh_token"]?.string)
        let refreshed = try network.refresh(first)
        #expect(refreshed.status == 200 && refreshed.json?["success"] == true)
        let second = try #require(refreshed.json?["refresh_token"]?.string)
        #expect(second != first && refreshed.json?["data"]?["refresh_token"]?.string == second)
        #expect(refreshed.json?["access_token"] == refreshed.json?["data"]?["access_token"])

        for _ in 0..<2 { #expect(try network.refresh(second, by: "logout").status == 204) }
        #expect(try network.auth("logout").status == 204)
        let after = try network.refresh(second)
        #expect(after.status == 401 && after.message.contains("revoked"))
    }

    @Test("A refresh token works once before its expiry, and each error has its own status")
    func refusedRefreshes() throws {
        let ada = try Ada("accounts: {password_cost: 1, refresh_token: 2h}")
        let other = try #require(try ada.refresh().json?["refresh_token"]?.string)
        let replayed = try ada.refresh()
        #expect(replayed.status == 401 && replayed.message.contains("revoked"))
        #expect(replayed.json?["message"]?.string == replayed.message)
        // An access token, another world's refresh token and a truncated token are all invalid here.
        let world = try ada.network.world()
        let foreign = try world.exchange(.post, "/api/v1/auth/register", Self.registration).json?["data"]
        for bad in [ada.token, "a.b.c", "", String(other.dropLast()), foreign?["refresh_token"]?.string] {
            let response = try ada.network.refresh(#require(bad))
            #expect(response.status == 400, "\(response.text)")
        }
        // A refresh token is not a valid access token here, nor is another world's access token.
        for bad in [other, foreign?["access_token"]?.string] {
            #expect(try ada.network.me(#require(bad)).status == 401)
        }
        try ada.network.plainWorld().advance("7200s")
        let expired = try ada.refresh(other)
        #expect(expired.status == 401 && expired.message.contains("expired"))
    }

    @Test("An access token expires after the scenario's lifetime on the world's clock")
    func accessLifetime() throws {
        let ada = try Ada("accounts: {password_cost: 1, access_token: 90s}")
        try ada.network.plainWorld().advance("89s")
        #expect(try ada.me().status == 200)
        try ada.network.plainWorld().advance("1s")
        let refused = try ada.me()
        #expect(refused.status == 401 && refused.message.contains("expired"))
    }

    @Test("A wrong password and an unknown address get the same answer")
    func enumeration() throws {
        let network = try Ada().network
        let bodies = try [
            #"{"email":"ada@example.com","password":"wrong horse"}"#,
            #"{"email":"bob@example.com","password":"correct horse"}"#, #"{"email":"","password":""}"#,
        ].map { body in
            let response = try network.auth("login", body)
            #expect(response.status == 401 && response.fields[.wwwAuthenticate] == "Bearer")
            return response.body
        }
        #expect(Set(bodies).count == 1)
        let again = try network.auth(
            "register", Self.registration.replacing("Ada@Example.com", with: "ADA@EXAMPLE.COM"))
        #expect(again.status == 409 && again.errorCode == "CONFLICT")
    }

    @Test("A login with a cheap password hash takes as long as a login with an unknown address")
    func work() throws {
        let hash = PasswordHash("correct", salt: "s", cost: 100_000).text
        let ada = try Ada(
            #"accounts: {password_cost: 1}, users: [{id: bob, email: bob@example.com, password_hash: "\#(hash)"}]"#)
        func time(_ email: String) throws -> Double {
            let body = #"{"email":"\#(email)","password":"wrong horse"}"#
            let times = try (0..<3).map { _ in
                let start = ThreadTime.seconds
                _ = try ada.network.auth("login", body)
                return ThreadTime.seconds - start
            }
            return times.min() ?? 0
        }
        let (cheap, unknown) = (try time("ada@example.com"), try time("nobody@example.com"))
        #expect(cheap > unknown / 3 && unknown > cheap / 3, "\(cheap) \(unknown)")
        #expect(cheap > 0.002, "100,000 iterations take longer.")
    }

    @Test("The account endpoints require the API key and ignore bearer tokens")
    func credentials() throws {
        let network = try Self.network()
        func post(_ path: String, _ fields: [String], _ json: String) throws -> Int {
            let request = Request(method: .post, target: "/api/v1/auth/" + path, fields: fields)
            return try network.exchange(request.json(json)).status
        }
        for path in ["register", "login", "refresh", "logout"] {
            for fields in [[], ["X-API-Key: another"]] { #expect(try post(path, fields, "{}") == 401, "\(path)") }
        }
        let expired = Request.bearer(Request.token(for: "x", secret: "another"))
        #expect(try post("register", [Request.apiKey, expired], Self.registration) == 201)
        let plain = Request(
            method: .post, target: "/api/v1/auth/login", fields: [Request.apiKey], body: Array(Self.login.utf8))
        #expect(try network.exchange(plain).status == 415)
    }

    @Test("Registration ignores ids and times in the body")
    func massAssignment() throws {
        let network = try Self.network()
        let taken = #","id":"x","user_id":"\#(TestUser.anna)","created_at":"2001-01-01T00:00:00Z","email":"b@c.de"}"#
        let registration = Self.registration.dropLast() + taken.replacing("email", with: "mail")
        let data = try #require(try network.auth("register", String(registration)).json?["data"])
        #expect(data["user_id"]?.string != TestUser.anna && data["created_at"] == "2025-01-29T10:30:00Z")
        let token = try #require(data["access_token"]?.string)
        let before = try #require(try network.me(token).json?["data"])
        let profile = #"{"name":"Ada","preferred_unit_system":"metric""# + taken
        for (method, path, body) in [
            (HTTPRequest.Method.post, "", profile), (.put, "", profile),
            (.patch, "/physical", "{\"height_cm\":170" + taken),
        ] {
            let after = try #require(try network.me(token, method, path, body).json?["data"])
            for member in ["id", "user_id", "email", "created_at"] { #expect(after[member] == before[member]) }
            #expect(after["profile"]?["id"] == before["profile"]?["id"])
        }
        let preferences = try network.me(token, .patch, "/preferences", #"{"allergies":["a"]"# + taken).json?["data"]
        #expect(
            preferences?.values(of: "user_profile_id", "created_at")
                == [before["profile"]?["id"], "2025-01-29T10:30:00Z"])
    }

    @Test("A registered user can create a profile once, change it and read all of it")
    func profile() throws {
        let ada = try Ada()
        let body = #"{"name":"Ada L.","preferred_unit_system":"imperial","bio":"Runs","language_code":"fr"}"#
        let created = try ada.me(.post, "", body)
        #expect(created.status == 201 && created.json?["data"]?["profile"]?["bio"] == "Runs")
        let again = try ada.me(.post, "", body)
        #expect(again.status == 409 && again.json?["message"]?.string == again.message)
        _ = try ada.me(.patch, "/physical", #"{"biological_sex":"female","height_cm":171.5}"#)
        let changed = try ada.me(
            .put, "",
            #"{"name":"Ada","preferred_unit_system":"metric","gender":"woman","weight":64,"activity_level":"low"}"#)
        #expect(changed.status == 200)
        let profile = try #require(changed.json?["data"]?["profile"])
        // Omitted members stay unchanged.
        for (member, value) in [
            ("name", "Ada"), ("bio", "Runs"), ("language_code", "fr"), ("biological_sex", "female"),
            ("height_cm", 171.5), ("gender", "woman"), ("weight", 64), ("activity_level", "low"),
            ("date_of_birth", "1990-05-17"),
        ] as [(String, JSONValue)] { #expect(profile[member] == value, "\(member)") }
        #expect(try ada.me().body == changed.body)
    }

    @Test("A user can set, partially update and delete preferences")
    func preferences() throws {
        let ada = try Ada()
        let path = "/preferences"
        #expect(try ada.me(.get, path).status == 404 && ada.me(.delete, path).status == 404)
        _ = try ada.me(.patch, path, #"{"allergies":["nuts"]}"#)
        _ = try ada.me(.patch, path, #"{"food_dislikes":["celery"]}"#)
        let shown = try ada.me(.get, path).json?["data"]
        #expect(shown?.values(of: "allergies", "food_dislikes", "dietary_restrictions") == [["nuts"], ["celery"], []])
        #expect(try ada.me(.delete, path).status == 204 && ada.me(.get, path).status == 404)
        // Another user's preferences are separate.
        _ = try ada.me(.patch, path, #"{"allergies":["nuts"]}"#)
        #expect(try ada.network.me(Request.token(for: TestUser.ben), .get, path).status == 404)
    }

    @Test("The seed determines the made-up profile of an unknown user")
    func madeUp() throws {
        let token = Request.token(for: TestUser.anna)
        let bodies = try ([1, 1, 2] as [UInt64]).map { seed in
            let response = try VirtualNetwork { $0.seed = seed }.me(token)
            #expect(response.status == 200 && response.json?["data"]?["id"]?.string == TestUser.anna)
            return response.body
        }
        #expect(bodies[0] == bodies[1] && bodies[0] != bodies[2])
        let network = VirtualNetwork()
        #expect(try network.me(token, .post, "", #"{"name":"A","preferred_unit_system":"metric"}"#).status == 409)
        let physical = try network.me(token, .patch, "/physical", #"{"height_cm":180}"#).json?["data"]
        #expect(physical?["profile"]?["height_cm"] == 180)
        #expect(try physical?["name"] == JSON.parse(bodies[0])["data"]?["name"])
    }

    @Test("A printed token's user has the token's id and a made-up address")
    func toolTokens() throws {
        let network = try Self.network()
        let me = try #require(try network.me(Request.token(for: "bob")).json?["data"])
        #expect(me.values(of: "id", "user_id") == ["bob", "bob"])
        #expect(try ResourceID(#require(me["profile"]?["id"]?.string)) != nil)
        // There are 256 addresses, so two of 257 users share one.
        var addresses: Set<String> = []  // ASCII: addresses that the server makes up
        var twin: String?
        for number in 1...257 where twin == nil {
            let shown = try network.me(Request.token(for: "user-\(number)")).json?["data"]
            let address = try #require(shown?["email"]?.string)
            if !addresses.insert(address).inserted { twin = address }
        }
        let address = try #require(twin)
        #expect(address.hasSuffix("@fitiq.example"))
        let registration = Self.registration.replacing("Ada@Example.com", with: address)
        #expect(try network.auth("register", registration).status == 201)
    }

    @Test("A reset deletes all accounts, and old tokens do not recreate them")
    func reset() throws {
        let ada = try Ada()
        #expect(try ada.me().status == 200)
        _ = try ada.network.admin(.post, "worlds/default/reset", "{}")
        #expect(try ada.me().status == 401 && ada.network.auth("login", Self.login).status == 401)
        let refreshed = try ada.refresh()
        #expect(refreshed.status == 401 && refreshed.message.contains("revoked"))
    }

    @Test("An account and its refresh token survive export and import")
    func export() throws {
        let network = VirtualNetwork()
        let scenario = #"{"name":"a","accounts":{"password_cost":3,"access_token":"2h"}}"#
        let world = try network.world(#"{"scenario":\#(scenario),"clock":"manual"}"#)
        let data = try world.exchange(.post, "/api/v1/auth/register", Self.registration).json?["data"]
        let token = try #require(data?["access_token"]?.string)
        _ = try world.exchange(.patch, "/api/v1/users/me/preferences", #"{"allergies":["n\u2028"]}"#, token: token)
        let state = try world.ask(.get, "state")
        #expect(!state.text.contains("correct horse") && state.text.contains("pbkdf2-sha256$3$"))
        let other = try network.world()
        let imported = try other.ask(.put, "state", state.text)
        #expect(imported.status == 200, "\(imported.text)")
        #expect(try other.ask(.get, "state").body == state.body)
        let login = try other.exchange(.post, "/api/v1/auth/login", Self.login)
        #expect(login.status == 200, "\(login.text)")
        let theirs = try #require(login.json?["data"]?["access_token"]?.string)
        for path in ["/api/v1/users/me", "/api/v1/users/me/preferences"] {
            let bodies = try [world.exchange(.get, path, token: token), other.exchange(.get, path, token: theirs)]
            #expect(bodies[0].status == 200 && bodies[0].body == bodies[1].body)
        }
        #expect(Self.claims(of: theirs)?["exp"]?.int == 1_738_146_600 + 7200)
        #expect(try other.ask(.get, "state").json?["users"]?[0]?["refresh_tokens"]?.array?.count == 2)
    }

    @Test("A scenario can specify a user's login password or its hash")
    func scenario() throws {
        let hash = PasswordHash("correct horse", salt: "salt", cost: 2).text
        let network = try Self.network(
            """
            users: [{id: default, email: Ada@example.com, password: correct horse, profile: {name: Ada}}, \
            {id: b, email: b@example.com, password_hash: \(hash)}], accounts: {password_cost: 1}
            """)
        for email in ["ada@example.com", "b@example.com"] {
            #expect(try network.auth("login", #"{"email":"\#(email)","password":"correct horse"}"#).status == 200)
        }
        // The printed token has no address but belongs to the same user.
        let me = try network.me(network.engine.defaultWorld.token).json?["data"]
        #expect(me?.values(of: "name", "email") == ["Ada", "Ada@example.com"])
    }

    @Test("Guide modes have none of the endpoints that only the apps use", arguments: GuideMode.guides)
    func guides(mode: GuideMode) throws {
        let network = VirtualNetwork(mode)
        for endpoint in Endpoint.allCases where !endpoint.isOfGuides {
            let target = endpoint.template.replacing(#/{\w+}/#, with: SentDocuments.unknown)
            let response = try network.exchange(.authorized(endpoint.method, target).json("{}"))
            let isAllowed = response.fields[.allow]?.contains(endpoint.method.rawValue) ?? false
            #expect([404, 405].contains(response.status) && !isAllowed, "\(endpoint): \(response.text)")
            #expect(response.json?["message"] == nil, "\(endpoint)")
        }
    }

    private static func claims(of token: String) -> JSONValue? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        let text = parts[1].replacing("-", with: "+").replacing("_", with: "/")
        let padded = text + String(repeating: "=", count: (4 - text.count % 4) % 4)
        return Data(base64Encoded: String(padded)).flatMap { try? JSON.parse([UInt8]($0)) }
    }
}

@Suite("Top-level error messages") struct TopMessageTests {
    @Test("Every API error repeats its message at the top level")
    func everywhere() throws {
        let network = VirtualNetwork()
        for request in [
            Request(target: "/nothing"), Request(target: "/api/v1/goals"), .create("{"),
            Request(method: .delete, target: "/api/v1/goals"), Request(target: "/w/none/api/v1/goals"),
        ] {
            let response = try network.exchange(request)
            #expect(response.status >= 400 && response.json?["message"]?.string == response.message, "\(request)")
            #expect(response.json?.object?.keys == ["success", "error", "message"])
        }
        let broken = try network.client()
        broken.wire.send("GET / HTTP/1.1\r\n\r\n")
        #expect(try broken.response().json?["message"]?.string != nil)
        #expect(try network.admin(.get, "nothing").json?["message"] == nil)
        let fault = #"{"name":"f","on":"any","status":503}"#
        #expect(try network.admin(.post, "faults", fault).status < 300)
        let faulty = try network.exchange(.create())
        #expect(faulty.status == 503 && faulty.json?["message"]?.string == faulty.message)
    }
}
