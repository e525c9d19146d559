import FitIQAPI
import HTTPTypes
import TestSupport
import Testing

@testable import MockServer

@Suite("The apps' documents over HTTP") struct DocumentEndpointTests {
    @Test("Each operation requires credentials and exists only in the union")
    func paths() throws {
        #expect(SentDocuments.operations.count == 36)
        #expect(Set(SentDocuments.operations.map { "\($0.method) \($0.template)" }).count == 36)
        let (union, guides) = (VirtualNetwork(), GuideMode.guides.map { VirtualNetwork($0) })
        for endpoint in SentDocuments.operations {
            #expect(try union.exchange(SentDocuments.request(endpoint)).status == 401, "\(endpoint)")
            let request = SentDocuments.request(endpoint, as: TestUser.anna)
            let answer = try union.exchange(request)
            let expected = endpoint.template.contains("{") ? 404 : endpoint.method == .post ? 201 : 200
            #expect(answer.status == expected, "\(endpoint): \(answer.text)")
            for guide in guides { #expect(try guide.exchange(request).status == 404, "\(endpoint)") }
        }
    }

    @Test("A request for another user's document or with an upper-case id returns 404 on every path")
    func foreignDocuments() throws {
        let network = try SentDocuments.network()
        for endpoint in SentDocuments.operations where endpoint.template.contains("{") {
            let id = SentDocuments.id(try #require(endpoint.documents))
            for (id, user) in [(id, TestUser.ben), (id.uppercased(), TestUser.anna)] {
                let answer = try network.exchange(SentDocuments.request(endpoint, id, as: user))
                #expect(answer.status == 404, "\(endpoint): \(answer.text)")
                #expect(answer.message.contains("lower-case it") == (user == TestUser.anna), "\(answer.message)")
            }
        }
    }

    @Test("A reader of a template cannot change, share or delete it")
    func forbidden() throws {
        let network = try SentDocuments.network(sharedWith: [TestUser.ben])
        for endpoint in SentDocuments.operations
        where endpoint.documents == .workoutTemplates && endpoint.template.contains("{") {
            let request = SentDocuments.request(endpoint, SentDocuments.id(.workoutTemplates), as: TestUser.ben)
            let answer = try network.exchange(request)
            let expected = [Endpoint.showWorkoutTemplate: 200, .copyWorkoutTemplate: 201][endpoint] ?? 403
            #expect(answer.status == expected, "\(endpoint): \(answer.text)")
            if expected == 403 { #expect(answer.errorCode == "FORBIDDEN" && answer.message.contains("another user")) }
        }
    }

    @Test("A list has a name and totals, except that profile metrics are a bare array")
    func lists() throws {
        let network = try SentDocuments.network()
        let rows: [(path: String, name: String, limit: Int)] = [
            ("wellness/mood-entries", "entries", 50), ("journal", "entries", 30), ("insights", "insights", 20),
            ("progress", "entries", 20), ("sleep", "sessions", 30), ("workouts", "workouts", 20),
            ("workout-templates", "templates", 20), ("journal/search?q=SLEPT", "results", 30),
        ]
        for (path, name, limit) in rows {
            let answer = try network.call(.get, path)
            let data = try #require(answer.json?["data"], "\(path): \(answer.text)")
            #expect(data[name]?.array?.count == 1 && data["limit"]?.int == limit, "\(answer.text)")
            #expect(data.values(of: "total", "total_count", "offset", "has_more") == [1, 1, 0, false], "\(path)")
            let beyond = try network.call(.get, path + (path.contains("?") ? "&" : "?") + "offset=1&limit=1")
            #expect(beyond.json?["data"]?.values(of: name, "total") == [[], 1])
        }
        let metrics = try network.call(.get, "profile/metrics").json
        #expect(metrics?["data"]?.array?.count == 1 && metrics?.object?.map(\.key) == ["success", "data"])
        let sleep = try network.call(.get, "sleep").json?["data"]?["averages"]
        #expect(sleep?.values(of: "avg_total_sleep_minutes", "avg_sleep_efficiency_percentage") == [420, 87.5])
        let other = try network.call(.get, "sleep", as: TestUser.ben).json?["data"]
        #expect(other?.values(of: "averages", "sessions") == [.null, []])
        for (user, pages) in [(TestUser.anna, 1), (TestUser.ben, 0)] {
            #expect(try network.call(.get, "insights", as: user).json?["data"]?["total_pages"]?.int == pages)
        }
    }

    @Test("A user can mark an insight as read, favourite and archived, and undo the last two")
    func marks() throws {
        let network = try SentDocuments.network()
        func insights(_ query: String) throws -> Int? {
            try network.call(.get, "insights?" + query).json?["data"]?["insights"]?.array?.count
        }
        #expect(try network.call(.get, "insights/unread/count").json?["data"] == ["count": 1])
        for (path, mark, value) in [
            ("read", "is_read", true), ("favorite", "is_favorite", true), ("favorite", "is_favorite", false),
            ("archive", "is_archived", true), ("archive", "is_archived", true), ("unarchive", "is_archived", false),
        ] {
            let answer = try network.call(.post, "insights/\(SentDocuments.id(.insights))/\(path)")
            let data = answer.json?["data"]
            #expect(answer.status == 200 && answer.json?["success"] == true, "\(answer.text)")
            #expect(data?[mark] == .bool(value) && data?["message"]?.string?.isEmpty == false, "\(answer.text)")
            let isArchived = mark == "is_archived" && value
            #expect(try insights("limit=5") == (isArchived ? 0 : 1))
            #expect(try insights("archived_status=true") == (isArchived ? 1 : 0))
        }
        #expect(try network.call(.get, "insights/unread/count").json?["data"] == ["count": 0])
        #expect(try insights("read_status=false") == 0 && insights("read_status=true") == 1)
    }

    @Test("A POST of a sleep session with a known source_id does not store a second session")
    func nights() throws {
        let network = VirtualNetwork { $0.worldLimits.documents = 1 }
        let body = try #require(SentDocuments.bodies[.sleep])
        let first = try network.call(.post, "sleep", body)
        #expect(first.status == 201, "\(first.text)")
        let changed = body.replacing("06:00:00Z", with: "05:59:00Z").replacing("02:00:00Z", with: "02:01:00Z")
        let again = try network.call(.post, "sleep", changed)
        #expect(again.status == 200 && again.json == first.json, "\(again.text)")
        // An invalid body is still rejected, and a body without a `source_id` does not fit.
        #expect(try network.call(.post, "sleep", body.replacing("rem", with: "nap")).status == 400)
        #expect(try network.call(.post, "sleep", body.replacing("source_id", with: "id")).status == 507)
        #expect(try network.call(.post, "sleep", body, as: TestUser.ben).status == 201)
    }

    @Test("A mood from HealthKit can be deleted but not changed")
    func healthKit() throws {
        let network = VirtualNetwork()
        let body = #"{"valence":0.5,"logged_at":"2025-01-29T09:00:00Z","source":"healthkit"}"#
        let mood = try network.call(.post, "wellness/mood-entries", body).json?["data"]
        #expect(mood?["is_healthkit"] == true)
        let path = "wellness/mood-entries/\(mood?["id"]?.string ?? "")"
        let refused = try network.call(.put, path, body)
        #expect(refused.errorCode == "VALIDATION_FAILED" && refused.message.contains("HealthKit"), "\(refused.text)")
        #expect(try (0..<2).map { _ in try network.call(.delete, path).status } == [204, 404])
    }

    @Test("The endpoints check credentials, the id, the media type and the body in that order")
    func order() throws {
        let network = try SentDocuments.network(sharedWith: [TestUser.ben])
        func send(
            _ method: HTTPRequest.Method, _ path: String, _ type: String, _ body: String,
            as user: String? = TestUser.anna
        ) throws -> Response {
            let target = "/api/v1/" + path
            var request = user.map { .authorized(method, target, as: $0) } ?? Request(method: method, target: target)
            request.body = Array(body.utf8)
            return try network.exchange(request.with("Content-Type: \(type)"))
        }
        let unknown = "journal/\(SentDocuments.unknown)"
        let template = "workout-templates/\(SentDocuments.id(.workoutTemplates))"
        for (method, path, user, status) in [
            (.put, unknown, nil, 401), (.put, unknown, TestUser.anna, 404), (.put, template, TestUser.ben, 403),
            (.put, template, TestUser.anna, 415), (.post, "journal", TestUser.anna, 415),
        ] as [(HTTPRequest.Method, String, String?, Int)] {
            #expect(try send(method, path, "text/plain", "?", as: user).status == status, "\(method) \(path)")
        }
        for (body, code) in [("?", "INVALID_JSON"), ("[]", "VALIDATION_FAILED"), ("", "INVALID_JSON")] {
            #expect(try send(.post, "journal", "application/json", body).errorCode == code, "\(body)")
        }
        let put = try send(.patch, "journal", "application/json", "{}")
        #expect(put.status == 405 && put.fields[.allow] == "GET, HEAD, POST, OPTIONS")
        for query in [
            "limit=0", "limit=101", "limit=x", "offset=-1", "page=0", "from=yesterday", "to=2025-13-01",
            "entry_type=novel", "favorites_only=maybe",
        ] {
            #expect(try network.call(.get, "journal?\(query)").errorCode == "VALIDATION_FAILED", "\(query)")
        }
        #expect(try network.call(.get, "journal?sort=x").status == 200)
    }

    @Test(
        "A body that breaks a rule of its collection returns 400 with the member's name",
        arguments: [
            ("wellness/mood-entries", "0.5", "1.5", "'valence'"),
            ("wellness/mood-entries", "09:00:00", "10:36:00", "'logged_at'"),
            ("journal", "Slept well", "", "'content'"), ("progress", "weight", "weight_kg", "'type'"),
            ("sleep", "2025-01-28T22:30:00Z", "2025-01-28T21:30:00Z", "'stages[1]'"),
            ("sleep", "01:30:00Z", "03:30:00Z", "'stages[0]'"), ("workouts", "\":6", "\":11", "'intensity'"),
            ("profile/metrics", "bmi", "mood", "'metrics[0].metric_type'"),
            ("workout-templates", "\"sets\":3", "\"sets\":0", "'exercises[1].sets'"),
        ])
    func invalid(path: String, old: String, new: String, words: String) throws {
        let network = VirtualNetwork()
        let endpoint = try #require(
            SentDocuments.operations.first { $0.method == .post && $0.template == "/api/v1/" + path })
        let body = try #require(SentDocuments.body(of: endpoint))
        let refused = try network.call(.post, path, body.replacing(old, with: new))
        #expect(refused.errorCode == "VALIDATION_FAILED" && refused.message.contains(words), "\(refused.text)")
        #expect(try network.call(.post, path, body).status == 201)
    }
}
