import FitIQAPI
import Foundation
import HTTPTypes
import JSON
import Scenarios
import TestSupport
import Testing

@testable import FitIQBackend
@testable import MockServer

@Suite("Accounts over HTTP") struct AccountTests {
    static let registration =
        #"{"email":"Ada@Example.com","password":"correct horse","name":"Ada","date_of_birth":"1990-05-17"}"#
    static let login = #"{"email":"ada@example.COM","password":"correct horse"}"#

    private static func post(_ path: String, _ json: String?) -> Request {
        let request = Request(method: .post, target: "/api/v1/auth/\(path)", fields: [Request.apiKey])
        return json.map(request.json) ?? request
    }

    private static func refreshing(_ token: String) -> String { #"{"refresh_token":"\#(token)"}"# }

    private static func me(_ token: String, _ method: HTTPRequest.Method = .get, _ path: String = "") -> Request {
        Request(method: method, target: "/api/v1/users/me\(path)", fields: [Request.bearer(token), Request.apiKey])
    }

    /// A server with cheap password hashing, and the response data of a registration.
    private func registered(_ scenario: String = "") throws -> (VirtualNetwork, JSONValue) {
        let network = try Self.network(scenario)
        let response = try network.exchange(Self.post("register", Self.registration))
        #expect(response.status == 201, "\(response.text)")
        return (network, try #require(response.json?["data"]))
    }

    static func network(_ scenario: String = "") throws -> VirtualNetwork {
        let text = "{name: a, clock: manual\(scenario.isEmpty ? ", accounts: {password_cost: 1}" : ", " + scenario)}"
        let read = try Scenario.read(text)
        return VirtualNetwork { $0.adopt(read) }
    }

    @Test("A user registers, logs in, reads the profile, refreshes and logs out")
    func story() throws {
        let (network, data) = try registered()
        #expect(
            data.object?.keys == ["user_id", "email", "name", "created_at", "access_token", "refresh_token"])
        #expect(data["email"] == "Ada@Example.com" && data["name"] == "Ada")
        #expect(data["created_at"] == "2025-01-29T10:30:00Z")
        let user = try #require(data["user_id"]?.string)
        #expect(ResourceID(user) != nil)

        let login = try network.exchange(Self.post("login", Self.login))
        #expect(login.status == 200 && login.json?["data"]?.object?.keys == ["access_token", "refresh_token"])
        let access = try #require(login.json?["data"]?["access_token"]?.string)
        let claims = try #require(
            Base64URL.object(String(access.split(separator: ".", omittingEmptySubsequences: false)[1])))
        #expect(claims["sub"]?.string == user && claims["email"] == "Ada@Example.com")
        #expect(claims["exp"]?.int == 1_738_146_600 + 3600)

        let me = try network.exchange(Self.me(access))
        #expect(me.status == 200)
        let shown = try #require(me.json?["data"])
        #expect(shown["id"]?.string == user && shown["user_id"]?.string == user)
        #expect(shown["profile"]?["name"] == "Ada" && shown["profile"]?["preferred_unit_system"] == "metric")
        #expect(shown["date_of_birth"] == "1990-05-17" && shown["bio"] == JSONValue.null)

        let first = try #require(login.json?["data"]?["refresh_token"]?.string)
        let refreshed = try network.exchange(Self.post("refresh", Self.refreshing(first)))
        #expect(refreshed.status == 200 && refreshed.json?["success"] == true)
        let second = try #require(refreshed.json?["refresh_token"]?.string)
        #expect(second != first && refreshed.json?["data"]?["refresh_token"]?.string == second)
        #expect(refreshed.json?["access_token"] == refreshed.json?["data"]?["access_token"])

        #expect(try network.exchange(Self.post("logout", Self.refreshing(second))).status == 204)
        #expect(try network.exchange(Self.post("logout", Self.refreshing(second))).status == 204)
        #expect(try network.exchange(Self.post("logout", nil)).status == 204)
        let after = try network.exchange(Self.post("refresh", Self.refreshing(second)))
        #expect(after.status == 401 && after.message.contains("revoked"))
    }

    @Test("A refresh token works once before its expiry, and each error has its own status")
    func refusedRefreshes() throws {
        let (network, data) = try registered("accounts: {password_cost: 1, refresh_token: 2h}")
        let token = try #require(data["refresh_token"]?.string)
        func refresh(_ token: String) throws -> Response {
            try network.exchange(Self.post("refresh", Self.refreshing(token)))
        }
        let other = try #require(try refresh(token).json?["refresh_token"]?.string)
        let replayed = try refresh(token)
        #expect(replayed.status == 401 && replayed.message.contains("revoked"))
        #expect(replayed.json?["message"]?.string == replayed.message)
        // An access token, another world's refresh token and a truncated token are all invalid here.
        let access = try #require(data["access_token"]?.string)
        let world = try network.world()
        let foreign = try world.exchange(.post, "/api/v1/auth/register", Self.registration)
        for bad in [access, "a.b.c", "", String(other.dropLast()), foreign.json?["data"]?["refresh_token"]?.string] {
            let response = try refresh(#require(bad))
            #expect(response.status == 400, "\(response.text)")
        }
        // A refresh token is not a valid access token here, nor is another world's access token.
        for bad in [other, foreign.json?["data"]?["access_token"]?.string] {
            #expect(try network.exchange(Self.me(#require(bad))).status == 401)
        }
        try network.plainWorld().advance("7200s")
        let expired = try refresh(other)
        #expect(expired.status == 401 && expired.message.contains("expired"))
    }

    @Test("An access token expires after the scenario's lifetime on the world's clock")
    func accessLifetime() throws {
        let (network, data) = try registered("accounts: {password_cost: 1, access_token: 90s}")
        let token = try #require(data["access_token"]?.string)
        try network.plainWorld().advance("89s")
        #expect(try network.exchange(Self.me(token)).status == 200)
        try network.plainWorld().advance("1s")
        let refused = try network.exchange(Self.me(token))
        #expect(refused.status == 401 && refused.message.contains("expired"))
    }

    @Test("A wrong password and an unknown address get the same answer")
    func enumeration() throws {
        let (network, _) = try registered()
        let bodies = try [
            #"{"email":"ada@example.com","password":"wrong horse"}"#,
            #"{"email":"bob@example.com","password":"correct horse"}"#, #"{"email":"","password":""}"#,
        ].map { body in
            let response = try network.exchange(Self.post("login", body))
            #expect(response.status == 401 && response.fields[.wwwAuthenticate] == "Bearer")
            return response.body
        }
        #expect(Set(bodies).count == 1)
        let again = try network.exchange(
            Self.post("register", Self.registration.replacing("Ada@Example.com", with: "ADA@EXAMPLE.COM")))
        #expect(again.status == 409 && again.errorCode == "CONFLICT")
    }

    @Test("A login with a cheap password hash takes as long as a login with an unknown address")
    func work() throws {
        let hash = PasswordHash("correct", salt: "s", cost: 100_000).text
        let (network, _) = try registered(
            #"accounts: {password_cost: 1}, users: [{id: bob, email: bob@example.com, password_hash: "\#(hash)"}]"#)
        func time(_ email: String) throws -> Double {
            let body = #"{"email":"\#(email)","password":"wrong horse"}"#
            let times = try (0..<3).map { _ in
                let start = ThreadTime.seconds
                _ = try network.exchange(Self.post("login", body))
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
        for path in ["register", "login", "refresh", "logout"] {
            var request = Self.post(path, "{}")
            request.fields.removeFirst()
            #expect(try network.exchange(request).status == 401)
            request.fields.append("X-API-Key: another")
            #expect(try network.exchange(request).status == 401)
        }
        let expired = Request.bearer(Request.token(for: "x", secret: "another"))
        #expect(try network.exchange(Self.post("register", Self.registration).with(expired)).status == 201)
        var plain = Self.post("login", nil)
        plain.body = Array(Self.login.utf8)
        #expect(try network.exchange(plain).status == 415)
    }

    @Test("Registration ignores ids and times in the body")
    func massAssignment() throws {
        let network = try Self.network()
        let taken = #","id":"x","user_id":"\#(TestUser.anna)","created_at":"2001-01-01T00:00:00Z","email":"b@c.de"}"#
        let data = try #require(
            try network.exchange(
                Self.post("register", Self.registration.dropLast() + taken.replacing("email", with: "mail"))
            ).json?["data"])
        #expect(data["user_id"]?.string != TestUser.anna && data["created_at"] == "2025-01-29T10:30:00Z")
        let token = try #require(data["access_token"]?.string)
        let before = try #require(try network.exchange(Self.me(token)).json?["data"])
        let profile = #"{"name":"Ada","preferred_unit_system":"metric""# + taken
        for (method, path, body) in [
            (HTTPRequest.Method.post, "", profile), (.put, "", profile),
            (.patch, "/physical", "{\"height_cm\":170" + taken),
        ] {
            let after = try #require(try network.exchange(Self.me(token, method, path).json(body)).json?["data"])
            for member in ["id", "user_id", "email", "created_at"] { #expect(after[member] == before[member]) }
            #expect(after["profile"]?["id"] == before["profile"]?["id"])
        }
        let preferences = try network.exchange(
            Self.me(token, .patch, "/preferences").json(#"{"allergies":["a"]"# + taken))
        #expect(preferences.json?["data"]?["user_profile_id"] == before["profile"]?["id"])
        #expect(preferences.json?["data"]?["created_at"] == "2025-01-29T10:30:00Z")
    }

    @Test("A registered user can create a profile once, change it and read all of it")
    func profile() throws {
        let (network, data) = try registered()
        let token = try #require(data["access_token"]?.string)
        let body = #"{"name":"Ada L.","preferred_unit_system":"imperial","bio":"Runs","language_code":"fr"}"#
        let created = try network.exchange(Self.me(token, .post).json(body))
        #expect(created.status == 201 && created.json?["data"]?["profile"]?["bio"] == "Runs")
        let again = try network.exchange(Self.me(token, .post).json(body))
        #expect(again.status == 409 && again.json?["message"]?.string == again.message)
        _ = try network.exchange(
            Self.me(token, .patch, "/physical").json(#"{"biological_sex":"female","height_cm":171.5}"#))
        let put =
            #"{"name":"Ada","preferred_unit_system":"metric","gender":"woman","weight":64,"activity_level":"low"}"#
        let changed = try network.exchange(Self.me(token, .put).json(put))
        #expect(changed.status == 200)
        let profile = try #require(changed.json?["data"]?["profile"])
        // Omitted members stay unchanged.
        for (member, value) in [
            ("name", "Ada"), ("bio", "Runs"), ("language_code", "fr"), ("biological_sex", "female"),
            ("height_cm", 171.5),
            ("gender", "woman"), ("weight", 64), ("activity_level", "low"), ("date_of_birth", "1990-05-17"),
        ] as [(String, JSONValue)] { #expect(profile[member] == value, "\(member)") }
        #expect(try network.exchange(Self.me(token)).body == changed.body)
    }

    @Test("A user can set, partially update and delete preferences")
    func preferences() throws {
        let (network, data) = try registered()
        let token = try #require(data["access_token"]?.string)
        let path = "/preferences"
        #expect(try network.exchange(Self.me(token, .get, path)).status == 404)
        #expect(try network.exchange(Self.me(token, .delete, path)).status == 404)
        _ = try network.exchange(Self.me(token, .patch, path).json(#"{"allergies":["nuts"]}"#))
        _ = try network.exchange(Self.me(token, .patch, path).json(#"{"food_dislikes":["celery"]}"#))
        let shown = try #require(try network.exchange(Self.me(token, .get, path)).json?["data"])
        #expect(shown["allergies"] == ["nuts"] && shown["food_dislikes"] == ["celery"])
        #expect(shown["dietary_restrictions"] == [])
        #expect(try network.exchange(Self.me(token, .delete, path)).status == 204)
        #expect(try network.exchange(Self.me(token, .get, path)).status == 404)
        // Another user's preferences are separate.
        _ = try network.exchange(Self.me(token, .patch, path).json(#"{"allergies":["nuts"]}"#))
        #expect(try network.exchange(Self.me(Request.token(for: TestUser.ben), .get, path)).status == 404)
    }

    @Test("The seed determines the made-up profile of an unknown user")
    func madeUp() throws {
        let bodies = try ([1, 1, 2] as [UInt64]).map { seed in
            let network = VirtualNetwork { $0.seed = seed }
            let response = try network.exchange(Self.me(Request.token(for: TestUser.anna)))
            #expect(response.status == 200 && response.json?["data"]?["id"]?.string == TestUser.anna)
            return response.body
        }
        #expect(bodies[0] == bodies[1] && bodies[0] != bodies[2])
        let network = VirtualNetwork()
        let token = Request.token(for: TestUser.anna)
        let post = Self.me(token, .post).json(#"{"name":"A","preferred_unit_system":"metric"}"#)
        #expect(try network.exchange(post).status == 409)
        let physical = try network.exchange(Self.me(token, .patch, "/physical").json(#"{"height_cm":180}"#))
        let plain = try JSON.parse(bodies[0])
        #expect(physical.json?["data"]?["profile"]?["height_cm"] == 180)
        #expect(physical.json?["data"]?["name"] == plain["data"]?["name"])
    }

    @Test("A printed token's user has the token's id and a made-up address")
    func toolTokens() throws {
        let network = try Self.network()
        let me = try #require(try network.exchange(Self.me(Request.token(for: "bob"))).json?["data"])
        #expect(me["id"] == "bob" && me["user_id"] == "bob")
        #expect(try ResourceID(#require(me["profile"]?["id"]?.string)) != nil)
        var users: [String: String] = [:]  // ASCII: addresses that the server makes up
        var number = 0
        var twins: [String] = []
        while twins.isEmpty, number < 257 {
            number += 1
            let id = "user-\(number)"
            let shown = try network.exchange(Self.me(Request.token(for: id))).json?["data"]
            let address = try #require(shown?["email"]?.string)
            if let other = users.updateValue(id, forKey: address) { twins = [other, id, address] }
        }
        // There are 256 addresses.
        #expect(twins.count == 3 && twins.last?.hasSuffix("@fitiq.example") == true)
        let registration = Self.registration.replacing("Ada@Example.com", with: twins.last ?? "")
        #expect(try network.exchange(Self.post("register", registration)).status == 201)
    }

    @Test("A reset deletes all accounts, and old tokens do not recreate them")
    func reset() throws {
        let (network, data) = try registered()
        let token = try #require(data["access_token"]?.string)
        #expect(try network.exchange(Self.me(token)).status == 200)
        _ = try network.admin(.post, "worlds/default/reset", "{}")
        #expect(try network.exchange(Self.me(token)).status == 401)
        #expect(try network.exchange(Self.post("login", Self.login)).status == 401)
        let refreshed = try network.exchange(
            Self.post("refresh", Self.refreshing(#require(data["refresh_token"]?.string))))
        #expect(refreshed.status == 401 && refreshed.message.contains("revoked"))
    }

    @Test("An account and its refresh token survive export and import")
    func export() throws {
        let network = VirtualNetwork()
        let scenario = #"{"name":"a","accounts":{"password_cost":3,"access_token":"2h"}}"#
        let world = try network.world(#"{"scenario":\#(scenario),"clock":"manual"}"#)
        let data = try #require(
            try world.exchange(.post, "/api/v1/auth/register", Self.registration).json?["data"])
        let token = try #require(data["access_token"]?.string)
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
        #expect(Base64URL.object(String(theirs.split(separator: ".")[1]))?["exp"]?.int == 1_738_146_600 + 7200)
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
            let body = #"{"email":"\#(email)","password":"correct horse"}"#
            #expect(try network.exchange(Self.post("login", body)).status == 200)
        }
        // The printed token has no address but belongs to the same user.
        let me = try network.exchange(Self.me(network.engine.defaultWorld.token))
        #expect(me.json?["data"]?["name"] == "Ada" && me.json?["data"]?["email"] == "Ada@example.com")
    }

    @Test("Guide modes have no account endpoints", arguments: GuideMode.guides)
    func guides(mode: GuideMode) throws {
        let network = VirtualNetwork { $0.mode = mode }
        for endpoint in Endpoint.allCases where !endpoint.isOfGuides {
            let request = Request.authorized(endpoint.method, endpoint.template).json("{}")
            let response = try network.exchange(request)
            #expect([404, 405].contains(response.status), "\(endpoint)")
            #expect(response.json?["message"] == nil)
        }
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

/// A token's claims.
private enum Base64URL {
    static func object(_ part: String) -> JSONValue? {
        let text = part.replacing("-", with: "+").replacing("_", with: "/")
        let padded = text + String(repeating: "=", count: (4 - text.count % 4) % 4)
        return Data(base64Encoded: padded).flatMap { try? JSON.parse([UInt8]($0)) }
    }
}
