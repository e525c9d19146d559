import FitIQAPI
import HTTPTypes
import JSON
import TestSupport
import Testing

@testable import MockServer

/// What access other users have to workout templates, and which credentials that requires.
@Suite("Shared workout templates over HTTP") struct SharedTemplateTests {
    private static let template = SentDocuments.id(.workoutTemplates)

    private static func ask(
        _ network: VirtualNetwork, _ method: HTTPRequest.Method, _ path: String, _ json: String? = nil,
        as user: String = TestUser.anna
    ) throws -> Response {
        let request = Request.authorized(method, "/api/v1/workout-templates" + path, as: user)
        return try network.exchange(json.map(request.json) ?? request)
    }

    @Test("A copy of a shared template remains after sharing ends")
    func story() throws {
        let network = try SentDocuments.network()
        let body = """
            {"shared_with_user_ids":["\(TestUser.ben)","nobody"],"professional_type":"nutritionist","notes":null}
            """
        let shared = try Self.ask(network, .post, "/\(Self.template)/share", body)
        let data = shared.json?["data"]
        #expect(shared.status == 201 && data?["template_id"]?.string == Self.template, "\(shared.text)")
        #expect(data?["template_name"] == "Legs" && data?["total_shared"] == 2)
        #expect(data?["professional_type"] == "nutritionist")
        #expect(data?["shared_with"]?.array?.map { $0["user_id"]?.string } == [TestUser.ben, "nobody"])
        #expect(data?["shared_with"]?[0]?["shared_at"] == "2025-01-29T10:30:00Z")
        let ids = data?["shared_with"]?.array?.compactMap { $0["share_id"]?.string.flatMap { ResourceID($0) } }
        #expect(Set(ids ?? []).count == 2)
        // Sharing again keeps the id and the time, and sets the new profession.
        let again = try Self.ask(
            network, .post, "/\(Self.template)/share", body.replacing("nutritionist", with: "sports_coach"))
        #expect(again.status == 201 && again.json?["data"]?["shared_with"] == data?["shared_with"], "\(again.text)")

        func listed(_ query: String) throws -> JSONValue? {
            try Self.ask(network, .get, "/shared-with-me" + query, as: TestUser.ben).json?["data"]
        }
        let list = try #require(try listed(""))
        let item = list["templates"]?[0]
        #expect(list["total"] == 1 && item?["template_id"]?.string == Self.template && item?["exercise_count"] == 2)
        #expect(item?["name"] == "Legs" && item?["professional_type"] == "sports_coach" && item?["notes"] == .null)
        #expect(item?["professional_name"]?.string?.isEmpty == false)
        #expect(try listed("?professional_type=nutritionist")?["templates"] == [])
        #expect(try listed("?professional_type=sports_coach")?["total"] == 1)

        let copied = try Self.ask(network, .post, "/\(Self.template)/copy", #"{"new_name":"Mine"}"#, as: TestUser.ben)
        let copy = copied.json?["data"]?["new_template"]
        #expect(copied.status == 201 && copied.json?["data"]?["original_template_id"]?.string == Self.template)
        #expect(copy?["name"] == "Mine" && copy?["user_id"]?.string == TestUser.ben && copy?["is_public"] == false)
        #expect(copy?["exercises"]?.array?.map { $0["exercise_name"] } == ["Goblet squat", "My lunge"])
        #expect(copy?["exercises"]?[0]?["template_id"] == copy?["id"], "\(copied.text)")

        let path = "/\(Self.template)/share/\(TestUser.ben)"
        let revoked = try Self.ask(network, .delete, path)
        let answer: JSONValue = [
            "template_id": .string(Self.template), "revoked_from_user_id": .string(TestUser.ben),
            "revoked_at": "2025-01-29T10:30:00Z",
        ]
        #expect(revoked.status == 200 && revoked.json?["data"] == answer, "\(revoked.text)")
        #expect(try Self.ask(network, .delete, path).status == 404)
        #expect(try listed("")?["templates"] == [])
        #expect(try Self.ask(network, .get, "/\(Self.template)", as: TestUser.ben).status == 404)
        let kept = try Self.ask(network, .get, "/\(copy?["id"]?.string ?? "")", as: TestUser.ben)
        #expect(kept.status == 200 && kept.json?["data"] == copy)
    }

    @Test("Public templates require only the API key and ignore the token")
    func publicTemplates() throws {
        let network = try SentDocuments.network()
        let change = try Self.ask(network, .put, "/\(Self.template)", #"{"is_public":true,"category":"strength"}"#)
        #expect(change.status == 200 && change.json?["data"]?["exercise_count"] == 2, "\(change.text)")
        func status(_ fields: [String], _ query: String = "") throws -> Int {
            try network.exchange(
                Request(target: "/api/v1/workout-templates/public" + query, fields: fields)
            ).status
        }
        let token = Request.bearer(Request.token(for: TestUser.ben))
        #expect(try status([Request.apiKey]) == 200)
        #expect(try status([Request.apiKey, "Authorization: Bearer expired"]) == 200)
        #expect(try status([]) == 401)
        #expect(try status([token]) == 401)
        #expect(try status([token, "X-API-Key: guessed"]) == 401)
        #expect(try status([Request.apiKey], "?limit=0") == 400)
        func found(_ query: String) throws -> JSONValue? {
            try network.exchange(
                Request(target: "/api/v1/workout-templates/public" + query, fields: [Request.apiKey])
            ).json?["data"]
        }
        #expect(try found("")?["templates"]?[0]?["id"]?.string == Self.template)
        #expect(try found("?category=strength")?["total"] == 1)
        #expect(try found("?category=cardio")?["total"] == 0)
        let others = try Self.ask(network, .get, "?include_public=true", as: TestUser.ben)
        #expect(others.json?["data"]?["total"] == 1)
        #expect(try Self.ask(network, .get, "", as: TestUser.ben).json?["data"]?["total"] == 0)
    }

    @Test("Profile metrics require no API key but reject a wrong key")
    func keys() throws {
        let network = try SentDocuments.network()
        let token = Request.bearer(Request.token(for: TestUser.anna))
        let body = try #require(SentDocuments.bodies[.profileMetrics])
        let metrics = "/api/v1/profile/metrics"
        func status(_ client: HTTPClient<VirtualClient>, _ path: String, _ fields: [String]) throws -> Int {
            try client.exchange(Request(target: path, fields: fields)).status
        }
        let client = try network.client()
        let posted = Request(method: .post, target: metrics, fields: [token]).json(body)
        #expect(try client.exchange(posted).status == 201)
        // Send the same fields each time, on the same connection.
        for _ in 0..<2 {
            #expect(try status(client, metrics, [token]) == 200)
            #expect(try status(client, "/api/v1/workouts", [token]) == 401)
            #expect(try status(client, "/api/v1/users/me", [token]) == 401)
        }
        #expect(try status(client, metrics, [token, "X-API-Key: guessed"]) == 401)
        #expect(try status(client, metrics, [Request.apiKey]) == 401)
        #expect(try status(client, "/api/v1/workouts", [token, Request.apiKey]) == 200)
        #expect(try status(client, metrics, [token, Request.apiKey]) == 200)
        #expect(try status(client, "/api/v1/workouts", [token]) == 401)
    }
}
