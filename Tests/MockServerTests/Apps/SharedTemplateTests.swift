import FitIQAPI
import HTTPTypes
import JSON
import TestSupport
import Testing

@testable import MockServer

/// What access other users have to workout templates, and which credentials that requires.
@Suite("Shared workout templates over HTTP") struct SharedTemplateTests {
    private static let template = SentDocuments.id(.workoutTemplates)

    private static func call(
        _ network: VirtualNetwork, _ method: HTTPRequest.Method, _ path: String, _ json: String? = nil,
        as user: String = TestUser.anna
    ) throws -> Response {
        try network.call(method, "workout-templates" + path, json, as: user)
    }

    @Test("A copy of a shared template remains after sharing ends")
    func story() throws {
        let network = try SentDocuments.network()
        let body = """
            {"shared_with_user_ids":["\(TestUser.ben)","nobody"],"professional_type":"nutritionist","notes":null}
            """
        let shared = try Self.call(network, .post, "/\(Self.template)/share", body)
        let data = shared.json?["data"]
        #expect(shared.status == 201 && data?["template_id"]?.string == Self.template, "\(shared.text)")
        #expect(data?.values(of: "template_name", "total_shared", "professional_type") == ["Legs", 2, "nutritionist"])
        let shares = try #require(data?["shared_with"]?.array)
        #expect(shares.map { $0["user_id"]?.string } == [TestUser.ben, "nobody"])
        #expect(shares[0]["shared_at"] == "2025-01-29T10:30:00Z")
        #expect(Set(shares.compactMap { $0["share_id"]?.string.flatMap { ResourceID($0) } }).count == 2)
        // Sharing again keeps the id and the time, and sets the new profession.
        let again = try Self.call(
            network, .post, "/\(Self.template)/share", body.replacing("nutritionist", with: "sports_coach"))
        #expect(again.status == 201 && again.json?["data"]?["shared_with"] == data?["shared_with"], "\(again.text)")

        func listed(_ query: String) throws -> JSONValue? {
            try Self.call(network, .get, "/shared-with-me" + query, as: TestUser.ben).json?["data"]
        }
        let list = try #require(try listed(""))
        let item = list["templates"]?[0]
        #expect(list["total"] == 1 && item?["professional_name"]?.string?.isEmpty == false)
        #expect(
            item?.values(of: "template_id", "exercise_count", "name", "professional_type", "notes")
                == [.string(Self.template), 2, "Legs", "sports_coach", .null])
        #expect(try listed("?professional_type=nutritionist")?["templates"] == [])
        #expect(try listed("?professional_type=sports_coach")?["total"] == 1)

        let copied = try Self.call(network, .post, "/\(Self.template)/copy", #"{"new_name":"Mine"}"#, as: TestUser.ben)
        let copy = copied.json?["data"]?["new_template"]
        #expect(copied.status == 201 && copied.json?["data"]?["original_template_id"]?.string == Self.template)
        #expect(copy?.values(of: "name", "user_id", "is_public") == ["Mine", .string(TestUser.ben), false])
        #expect(copy?["exercises"]?.array?.map { $0["exercise_name"] } == ["Goblet squat", "My lunge"])
        #expect(copy?["exercises"]?[0]?["template_id"] == copy?["id"], "\(copied.text)")

        let path = "/\(Self.template)/share/\(TestUser.ben)"
        let revoked = try Self.call(network, .delete, path)
        let answer: JSONValue = [
            "template_id": .string(Self.template), "revoked_from_user_id": .string(TestUser.ben),
            "revoked_at": "2025-01-29T10:30:00Z",
        ]
        #expect(revoked.status == 200 && revoked.json?["data"] == answer, "\(revoked.text)")
        #expect(try Self.call(network, .delete, path).status == 404 && listed("")?["templates"] == [])
        #expect(try Self.call(network, .get, "/\(Self.template)", as: TestUser.ben).status == 404)
        let kept = try Self.call(network, .get, "/\(copy?["id"]?.string ?? "")", as: TestUser.ben)
        #expect(kept.status == 200 && kept.json?["data"] == copy)
    }

    @Test("Public templates require only the API key and ignore the token")
    func publicTemplates() throws {
        let network = try SentDocuments.network()
        let change = try Self.call(network, .put, "/\(Self.template)", #"{"is_public":true,"category":"strength"}"#)
        #expect(change.status == 200 && change.json?["data"]?["exercise_count"] == 2, "\(change.text)")
        func ask(_ query: String, _ fields: [String] = [Request.apiKey]) throws -> Response {
            try network.exchange(Request(target: "/api/v1/workout-templates/public" + query, fields: fields))
        }
        let token = Request.bearer(Request.token(for: TestUser.ben))
        for (fields, status) in [
            ([Request.apiKey], 200), ([Request.apiKey, "Authorization: Bearer expired"], 200), ([], 401),
            ([token], 401), ([token, "X-API-Key: guessed"], 401),
        ] {
            #expect(try ask("", fields).status == status, "\(fields)")
        }
        #expect(try ask("?limit=0").status == 400)
        #expect(try ask("").json?["data"]?["templates"]?[0]?["id"]?.string == Self.template)
        for (category, total) in [("strength", 1), ("cardio", 0)] {
            #expect(try ask("?category=\(category)").json?["data"]?["total"]?.int == total)
        }
        let others = try Self.call(network, .get, "?include_public=true", as: TestUser.ben)
        #expect(others.json?["data"]?["total"] == 1)
        #expect(try Self.call(network, .get, "", as: TestUser.ben).json?["data"]?["total"] == 0)
    }

    @Test("Profile metrics require no API key but reject a wrong key")
    func keys() throws {
        let network = try SentDocuments.network()
        let token = Request.bearer(Request.token(for: TestUser.anna))
        let body = try #require(SentDocuments.bodies[.profileMetrics])
        let client = try network.client()
        func expectStatuses(_ rows: [(path: String, fields: [String], status: Int)]) throws {
            for row in rows {
                let response = try client.exchange(Request(target: "/api/v1/" + row.path, fields: row.fields))
                #expect(response.status == row.status, "\(row)")
            }
        }
        let posted = Request(method: .post, target: "/api/v1/profile/metrics", fields: [token]).json(body)
        #expect(try client.exchange(posted).status == 201)
        // Send the same fields each time, on the same connection.
        for _ in 0..<2 {
            try expectStatuses([
                ("profile/metrics", [token], 200), ("workouts", [token], 401), ("users/me", [token], 401),
            ])
        }
        try expectStatuses([
            ("profile/metrics", [token, "X-API-Key: guessed"], 401), ("profile/metrics", [Request.apiKey], 401),
            ("workouts", [token, Request.apiKey], 200), ("profile/metrics", [token, Request.apiKey], 200),
            ("workouts", [token], 401),
        ])
    }
}
