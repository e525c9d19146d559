import FitIQAPI
import HTTPTypes
import JSON
import TestSupport
import Testing

@testable import MockServer

@Suite("The apps' meals over HTTP") struct MealEndpointTests {
    private static let operations: [Endpoint] = [
        .createMealLogs, .updateMealLog, .recognizeMealPhoto, .showMealPhoto, .confirmMealPhoto, .deleteMealPhoto,
    ]
    private static let meal = #"{"raw_input":"a glass of water","meal_type":"water","id":"x","user_id":"y"}"#
    private static let items =
        #"{"confirmed_items":[{"name":"Tea","quantity":1,"unit":"cups","calories":2,"protein_g":0,"carbs_g":0,"fat_g":0}]}"#

    private static func request(
        _ method: HTTPRequest.Method, _ path: String, _ json: String? = nil, as user: String = TestUser.anna
    ) -> Request {
        let request = Request.authorized(method, "/api/v1/meal-logs" + path, as: user)
        return json.map(request.json) ?? request
    }

    private static func photo(of size: Int = 3, as user: String = TestUser.anna) -> Request {
        var request = request(.post, "/photo", as: user).with("Content-Type: multipart/form-data; boundary=-x")
        let head =
            "---x\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"a.jpg\"\r\n"
            + "Content-Type: image/jpeg\r\n\r\n"
        request.body = Array(head.utf8) + Array(repeating: 0xD8, count: size) + Array("\r\n---x--\r\n".utf8)
        return request
    }

    @Test("A client can log, change, list and process a batch of meals")
    func story() throws {
        let network = VirtualNetwork { $0.pace = .human }
        let batch = try network.exchange(Self.request(.post, "/batch", #"{"meal_logs":[\#(Self.meal)]}"#))
        #expect(batch.status == 201 && batch.json?["data"]?["count"] == 1, "\(batch.text)")
        let log = try #require(batch.json?["data"]?["meal_logs"]?.array?.first)
        let id = try #require(log["id"]?.string)
        #expect(ResourceID(id) != nil && log["user_id"]?.string == TestUser.anna)
        #expect(
            try network.exchange(Self.request(.get, "?status=pending&meal_type=water")).json?["data"]?["total"] == 1)
        network.advance(by: .seconds(5))
        #expect(
            try network.exchange(Self.request(.get, "/\(id)")).json?["data"]?["items"]?.array?.first?["food_type"]
                == "water")
        let change = #"{"raw_input":"2 eggs","created_at":"2020-01-01T00:00:00Z","user_id":"z","notes":"n"}"#
        let changed = try network.exchange(Self.request(.put, "/\(id)", change))
        #expect(changed.status == 200 && changed.json?["data"]?["status"] == "processing", "\(changed.text)")
        #expect(changed.json?["data"]?["user_id"] == log["user_id"])
        #expect(changed.json?["data"]?["created_at"] == log["created_at"])
        #expect(try network.exchange(Self.request(.get, "?status=processing")).json?["data"]?["total"] == 1)
        network.advance(by: .seconds(5))
        let done = try network.exchange(Self.request(.get, "/\(id)")).json?["data"]
        #expect(done?["status"] == "completed" && done?["items"]?.array?.first?["food_name"] == "Eggs")
        let bad = try network.exchange(
            Self.request(.post, "/batch", #"{"meal_logs":[\#(Self.meal),{"raw_input":"x","meal_type":"tea"}]}"#))
        #expect(bad.status == 400 && bad.message.hasPrefix("In meal_logs[1]: "))
        #expect(try network.exchange(Self.request(.get, "")).json?["data"]?["total"] == 1)
        #expect(try network.exchange(Self.request(.get, "?status=manual")).json?["data"]?["total"] == 0)
    }

    @Test("A client can upload, confirm and list a photo of more than a megabyte")
    func photo() throws {
        let network = VirtualNetwork()
        let answer = try network.exchange(Self.photo(of: 1_099_000))
        #expect(answer.status == 201, "\(answer.text)")
        let id = try #require(answer.json?["data"]?["session_id"]?.string)
        #expect(try network.exchange(Self.request(.get, "/photo/\(id)")).json == answer.json)
        // The photo session is part of the world's state.
        let state = try network.admin(.get, "state").text
        let copy = VirtualNetwork()
        #expect(try copy.admin(.put, "state", state).status == 200)
        #expect(try copy.exchange(Self.request(.get, "/photo/\(id)")).json == answer.json)
        #expect(try copy.admin(.get, "state").text == state)

        let confirmed = try network.exchange(Self.request(.patch, "/photo/\(id)/confirm", Self.items))
        #expect(confirmed.status == 200 && confirmed.json?["data"]?["status"] == "completed", "\(confirmed.text)")
        // The answer has the meal log as it appears in lists, and the session as before.
        let log = try network.exchange(Self.request(.get, "")).json?["data"]?["meal_logs"]?[0]?.object
        let session = try #require(answer.json?["data"]?.object)
        let merged = try #require(confirmed.json?["data"]?.object)
        for (name, value) in try #require(log) { #expect(merged[name] == value, "\(name)") }
        for (name, value) in session where log?[name] == nil { #expect(merged[name] == value, "\(name)") }
        #expect(try network.exchange(Self.request(.patch, "/photo/\(id)/confirm", Self.items)).status == 400)
        let kept = try network.exchange(Self.request(.get, "/photo/\(id)")).json?["data"]
        #expect(kept?["meal_log_id"] == merged["id"])
        let saved = try network.admin(.get, "state").text
        let restored = VirtualNetwork()
        #expect(try restored.admin(.put, "state", saved).status == 200)
        #expect(try restored.exchange(Self.request(.get, "/photo/\(id)")).json?["data"] == kept)
        #expect(try restored.admin(.get, "state").text == saved)
        let other = try #require(try network.exchange(Self.photo()).json?["data"]?["session_id"]?.string)
        #expect(try network.exchange(Self.request(.delete, "/photo/\(other)")).status == 204)
        #expect(try network.exchange(Self.request(.delete, "/photo/\(other)")).status == 404)
    }

    @Test("Only a photo upload may exceed the usual body limit, up to its own limit")
    func sizes() throws {
        let network = VirtualNetwork { $0.limits.photoBody = 1_100_000 }
        #expect(try network.exchange(Self.photo(of: 1_099_000)).status == 201)
        #expect(try network.exchange(Self.photo(of: 1_100_000)).status == 413)
        var batch = Self.photo(of: 1_099_000)
        batch.target = "/api/v1/meal-logs/batch"
        #expect(try network.exchange(batch).status == 413)
        let guide = VirtualNetwork { $0.mode = .mealLogWebSocket }
        #expect(try guide.exchange(Self.photo(of: 1_099_000)).status == 413)
        let json = #"{"image_data":"\#(String(repeating: "/9j/", count: 270_000))","meal_type":"lunch"}"#
        #expect(try network.exchange(Self.request(.post, "/photo", json)).status == 201)
        let long = json + String(repeating: " ", count: 30_000)
        #expect(try network.exchange(Self.request(.post, "/photo", long)).status == 413)
    }

    @Test("The meal endpoints check credentials, the id, the media type and the body in that order")
    func refusals() throws {
        let network = VirtualNetwork()
        let log = try network.exchange(Self.request(.post, "/natural", Self.meal)).json?["data"]?["id"]?.string ?? ""
        let photo = try network.exchange(Self.photo()).json?["data"]?["session_id"]?.string ?? ""
        for endpoint in Self.operations {
            let id = endpoint == .updateMealLog ? log : photo
            let target = endpoint.template.replacing("{id}", with: id)
            #expect(try network.exchange(Request(method: endpoint.method, target: target)).status == 401)
            guard endpoint.template.contains("{") else { continue }
            for (user, target) in [(TestUser.ben, target), (TestUser.anna, target.uppercasedID(id))] {
                var request = Request.authorized(endpoint.method, target, as: user).with("Content-Type: text/plain")
                request.body = Array("?".utf8)
                #expect(try network.exchange(request).status == 404, "\(endpoint)")
            }
        }
        for path in ["/batch", "/\(log)", "/photo", "/photo/\(photo)/confirm"] {
            let method: HTTPRequest.Method = path.hasSuffix("confirm") ? .patch : path == "/\(log)" ? .put : .post
            var request = Self.request(method, path).with("Content-Type: text/plain")
            request.body = Array("?".utf8)
            #expect(try network.exchange(request).status == 415, "\(path)")
            if path != "/photo" {
                #expect(try network.exchange(Self.request(method, path, "?")).status == 400, "\(path)")
            }
        }
        let form = try network.exchange(Self.request(.post, "/photo").with("Content-Type: multipart/form-data"))
        #expect(form.status == 400 && form.message.contains("boundary"))
    }

    @Test("Guide modes do not have the apps' meal endpoints")
    func guides() throws {
        for mode in GuideMode.guides {
            let network = VirtualNetwork { $0.mode = mode }
            for endpoint in Self.operations where endpoint != .updateMealLog {
                let target = endpoint.template.replacing("{id}", with: "00000000-0000-4000-8000-000000000000")
                let status = try network.exchange(.authorized(endpoint.method, target)).status
                #expect([404, 405].contains(status), "\(mode) \(endpoint): \(status)")
            }
        }
        let guide = VirtualNetwork { $0.mode = .mealLogWebSocket }
        let put = try guide.exchange(Self.request(.put, "/00000000-0000-4000-8000-000000000000", "{}"))
        #expect(put.status == 405 && put.fields[.allow] == "GET, HEAD, OPTIONS")
        let drink = try guide.exchange(Self.request(.post, "/natural", Self.meal))
        #expect(drink.status == 400 && drink.message.contains(#""breakfast", "lunch", "dinner", "snack"; got "water""#))
    }
}

extension String {
    fileprivate func uppercasedID(_ id: String) -> String { replacing(id, with: id.uppercased()) }
}
