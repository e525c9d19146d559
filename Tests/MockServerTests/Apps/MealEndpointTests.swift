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

    private static let upload = Request.authorized(.post, "/api/v1/meal-logs/photo", as: TestUser.anna)

    private static func photo(of size: Int = 3) -> Request {
        var request = upload.with("Content-Type: multipart/form-data; boundary=-x")
        let head =
            "---x\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"a.jpg\"\r\n"
            + "Content-Type: image/jpeg\r\n\r\n"
        request.body = Array(head.utf8) + Array(repeating: 0xD8, count: size) + Array("\r\n---x--\r\n".utf8)
        return request
    }

    @Test("A client can log, change, list and process a batch of meals")
    func story() throws {
        let network = VirtualNetwork { $0.pace = .human }
        let batch = try network.call(.post, "meal-logs/batch", #"{"meal_logs":[\#(Self.meal)]}"#)
        #expect(batch.status == 201 && batch.json?["data"]?["count"] == 1, "\(batch.text)")
        let log = try #require(batch.json?["data"]?["meal_logs"]?.array?.first)
        let path = "meal-logs/\(try #require(log["id"]?.string))"
        #expect(ResourceID(String(path.dropFirst(10))) != nil && log["user_id"]?.string == TestUser.anna)
        func total(_ query: String) throws -> JSONValue? {
            try network.call(.get, "meal-logs" + query).json?["data"]?["total"]
        }
        func shown() throws -> JSONValue? { try network.call(.get, path).json?["data"] }
        #expect(try total("?status=pending&meal_type=water") == 1)
        network.advance(by: .seconds(5))
        #expect(try shown()?["items"]?[0]?["food_type"] == "water")
        let changed = try network.call(
            .put, path, #"{"raw_input":"2 eggs","created_at":"2020-01-01T00:00:00Z","user_id":"z","notes":"n"}"#)
        #expect(changed.status == 200, "\(changed.text)")
        #expect(
            changed.json?["data"]?.values(of: "status", "user_id", "created_at")
                == ["processing", log["user_id"], log["created_at"]])
        #expect(try total("?status=processing") == 1)
        network.advance(by: .seconds(5))
        let done = try shown()
        #expect(done?["status"] == "completed" && done?["items"]?[0]?["food_name"] == "Eggs")
        let bad = try network.call(
            .post, "meal-logs/batch", #"{"meal_logs":[\#(Self.meal),{"raw_input":"x","meal_type":"tea"}]}"#)
        #expect(bad.status == 400 && bad.message.hasPrefix("In meal_logs[1]: "))
        #expect(try total("") == 1 && total("?status=manual") == 0)
    }

    @Test("A client can upload, confirm and list a photo of more than a megabyte")
    func photo() throws {
        let network = VirtualNetwork()
        let answer = try network.exchange(Self.photo(of: 1_099_000))
        #expect(answer.status == 201, "\(answer.text)")
        let id = try #require(answer.json?["data"]?["session_id"]?.string)
        let path = "meal-logs/photo/\(id)"
        #expect(try network.call(.get, path).json == answer.json)
        // The photo session is part of the world's state.
        #expect(try network.copied().call(.get, path).json == answer.json)

        let confirmed = try network.call(.patch, path + "/confirm", Self.items)
        #expect(confirmed.status == 200 && confirmed.json?["data"]?["status"] == "completed", "\(confirmed.text)")
        // The answer has the meal log as it appears in lists, and the session as before.
        let log = try #require(try network.call(.get, "meal-logs").json?["data"]?["meal_logs"]?[0]?.object)
        let session = try #require(answer.json?["data"]?.object)
        let merged = try #require(confirmed.json?["data"]?.object)
        for (name, value) in log { #expect(merged[name] == value, "\(name)") }
        for (name, value) in session where log[name] == nil { #expect(merged[name] == value, "\(name)") }
        #expect(try network.call(.patch, path + "/confirm", Self.items).status == 400)
        let kept = try network.call(.get, path).json?["data"]
        #expect(try kept?["meal_log_id"] == merged["id"] && network.copied().call(.get, path).json?["data"] == kept)
        let other = try #require(try network.exchange(Self.photo()).json?["data"]?["session_id"]?.string)
        #expect(try (0..<2).map { _ in try network.call(.delete, "meal-logs/photo/\(other)").status } == [204, 404])
    }

    @Test("Only a photo upload may exceed the usual body limit, up to its own limit")
    func sizes() throws {
        let network = VirtualNetwork { $0.limits.photoBody = 1_100_000 }
        func upload(_ size: Int, to path: String = "photo", on network: VirtualNetwork) throws -> Int {
            var photo = Self.photo(of: size)
            photo.target = "/api/v1/meal-logs/" + path
            return try network.exchange(photo).status
        }
        #expect(try upload(1_099_000, on: network) == 201 && upload(1_100_000, on: network) == 413)
        #expect(try upload(1_099_000, to: "batch", on: network) == 413)
        #expect(try upload(1_099_000, on: VirtualNetwork(.mealLogWebSocket)) == 413)
        let json = #"{"image_data":"\#(String(repeating: "/9j/", count: 270_000))","meal_type":"lunch"}"#
        for (padding, status) in [(0, 201), (30_000, 413)] {
            let body = json + String(repeating: " ", count: padding)
            #expect(try network.call(.post, "meal-logs/photo", body).status == status)
        }
    }

    @Test("The meal endpoints check credentials, the id, the media type and the body in that order")
    func refusals() throws {
        let network = VirtualNetwork()
        let log = try network.call(.post, "meal-logs/natural", Self.meal).json?["data"]?["id"]?.string ?? ""
        let photo = try network.exchange(Self.photo()).json?["data"]?["session_id"]?.string ?? ""
        func plain(_ method: HTTPRequest.Method, _ target: String, as user: String) throws -> Int {
            var request = Request.authorized(method, target, as: user).with("Content-Type: text/plain")
            request.body = Array("?".utf8)
            return try network.exchange(request).status
        }
        for endpoint in Self.operations {
            let id = endpoint == .updateMealLog ? log : photo
            let target = endpoint.template.replacing("{id}", with: id)
            #expect(try network.exchange(Request(method: endpoint.method, target: target)).status == 401)
            guard endpoint.template.contains("{") else { continue }
            let upper = endpoint.template.replacing("{id}", with: id.uppercased())
            for (user, target) in [(TestUser.ben, target), (TestUser.anna, upper)] {
                #expect(try plain(endpoint.method, target, as: user) == 404, "\(endpoint)")
            }
        }
        for (method, path) in [
            (.post, "batch"), (.put, log), (.post, "photo"), (.patch, "photo/\(photo)/confirm"),
        ] as [(HTTPRequest.Method, String)] {
            #expect(try plain(method, "/api/v1/meal-logs/" + path, as: TestUser.anna) == 415, "\(path)")
            guard path != "photo" else { continue }
            #expect(try network.call(method, "meal-logs/" + path, "?").status == 400, "\(path)")
        }
        let form = try network.exchange(Self.upload.with("Content-Type: multipart/form-data"))
        #expect(form.status == 400 && form.message.contains("boundary"))
    }

    @Test("A guide mode has neither the apps' way to change a meal nor their types of meals")
    func guides() throws {
        let guide = VirtualNetwork(.mealLogWebSocket)
        let put = try guide.call(.put, "meal-logs/00000000-0000-4000-8000-000000000000", "{}")
        #expect(put.status == 405 && put.fields[.allow] == "GET, HEAD, OPTIONS")
        let drink = try guide.call(.post, "meal-logs/natural", Self.meal)
        #expect(drink.status == 400 && drink.message.contains(#""breakfast", "lunch", "dinner", "snack"; got "water""#))
    }
}
