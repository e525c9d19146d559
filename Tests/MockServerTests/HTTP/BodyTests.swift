import TestSupport
import Testing

@testable import MockServer

@Suite("Bodies and queries")
struct BodyTests {
    struct Bad: CustomTestStringConvertible {
        let name: String
        let body: [UInt8]
        let code: String
        let message: String
        var testDescription: String { name }

        init(_ name: String, _ body: String, _ message: String) { self.init(name, body, "VALIDATION_FAILED", message) }

        init(_ name: String, _ body: String, _ code: String, _ message: String) {
            (self.name, self.body, self.code, self.message) = (name, Array(body.utf8), code, message)
        }

        init(_ name: String, bytes: [UInt8], _ message: String) {
            (self.name, body, code, self.message) = (name, bytes, "INVALID_JSON", message)
        }

        private static let persona = #""persona":"nutritionist""#
        static let all = [
            Bad("empty object", "{}", "The field 'persona' is required: one of \"nutritionist\""),
            Bad("an array", "[]", "must be a JSON object; it is an array: []."),
            Bad("a string", #""persona""#, "must be a JSON object; it is a string"),
            Bad("null", "null", "must be a JSON object; it is null"),
            Bad("a number", "12", "must be a JSON object; it is a number: 12."),
            Bad("null persona", #"{"persona":null}"#, "The field 'persona' is required"),
            Bad("numeric persona", #"{"persona":7}"#, "The field 'persona' must be one of"),
            Bad("huge number", #"{"persona":1e999999}"#, "The field 'persona' must be one of"),
            Bad("long number", "{\"persona\":\(String(repeating: "9", count: 10_000))}", "'persona' must be one of"),
            Bad("persona as an array", #"{"persona":["nutritionist"]}"#, "got an array"),
            Bad(
                "unknown persona", #"{"persona":"nutritionst"}"#, "got \"nutritionst\". Did you mean \"nutritionist\"?"),
            Bad("persona in capitals", #"{"persona":"NUTRITIONIST"}"#, "Did you mean \"nutritionist\"?"),
            Bad("empty persona", #"{"persona":""}"#, "'persona' must be one of"),
            Bad("unknown coach_type", #"{"coach_type":"chef"}"#, "'coach_type' must be one of"),
            Bad(
                "title of a wrong type", "{\(persona),\"title\":true}", "'title' must be a string; got a boolean: true."
            ),
            Bad("empty title", "{\(persona),\"title\":\"\"}", "'title' must have 1 to 200 characters; it has 0."),
            Bad(
                "long title", "{\(persona),\"title\":\"\(String(repeating: "x", count: 201))\"}",
                "'title' must have 1 to 200 characters; it has 201."),
            Bad("unknown context", "{\(persona),\"context_type\":\"sleep\"}", "'context_type' must be one of"),
            Bad("general with id", "{\(persona),\"context_id\":\"x\"}", "has no context, but 'context_id' is \"x\""),
            Bad("contradiction", "{\(persona),\"goal_id\":\"a\",\"context_id\":\"b\"}", "contradict each other"),
            Bad("goal_id of a wrong type", "{\(persona),\"goal_id\":{}}", "'goal_id' must be a string; got an object"),
            Bad("too deep", String(repeating: "[", count: 100_000), "INVALID_JSON", "The body is not valid JSON"),
            Bad(
                "too deep inside", "{\"x\":" + String(repeating: "{\"a\":", count: 500), "INVALID_JSON",
                "The body is not valid JSON"),
            Bad("cut short", #"{"persona":"nutri"#, "INVALID_JSON", "The body is not valid JSON"),
            Bad("two values", "{} {}", "INVALID_JSON", "The body is not valid JSON"),
            Bad("a trailing comma", "{\(persona),}", "INVALID_JSON", "The body is not valid JSON"),
            Bad("white space", "  \r\n ", "INVALID_JSON", "The body is not valid JSON"),
            Bad("a form", "persona=nutritionist", "INVALID_JSON", "The body is not valid JSON"),
            Bad(
                "invalid UTF-8", bytes: Array(#"{"title":""#.utf8) + [0xC3, 0x28] + Array(#""}"#.utf8), "not valid JSON"
            ),
            Bad("half a surrogate", bytes: Array(#"{"title":"\ud800"}"#.utf8), "not valid JSON"),
            Bad("zero bytes", bytes: [UInt8](repeating: 0, count: 64), "not valid JSON"),
            Bad("UTF-16", bytes: [0xFF, 0xFE, 0x7B, 0x00, 0x7D, 0x00], "not valid JSON"),
            Bad("empty", bytes: [], "needs a JSON object as its body, and the body is empty"),
        ]
    }

    @Test("A bad body returns 400, creates nothing and keeps the connection open", arguments: Bad.all)
    func badBody(_ bad: Bad) throws {
        let network = VirtualNetwork()
        let client = try network.client()
        var request = Request.authorized(.post, "/api/v1/consultations").with("Content-Type: application/json")
        request.body = bad.body
        let response = try client.exchange(request)
        #expect(response.status == 400)
        #expect(response.errorCode == bad.code)
        #expect(response.message.contains(bad.message), "\(response.message)")
        #expect(response.message.utf8.count < 600)
        #expect(network.engine.defaultWorld.backend.consultationCount == 0)
        #expect(try client.exchange(.create()).status == 201)
    }

    @Test(
        "The error for a bad body does not depend on how its bytes are split",
        arguments: [#"{"persona":"nutritionst"}"#, #"{"persona""#, "[1]"])
    func cutAnywhere(body: String) throws {
        let bytes = Request.create(body).bytes
        let network = VirtualNetwork()
        let whole = try network.client()
        whole.wire.send(bytes)
        for cut in bytes.indices {
            let client = try network.client()
            client.wire.send(bytes, cutAt: cut)
            #expect(client.wire.received == whole.wire.received, "cut at \(cut)")
            client.wire.vanish()
        }
    }

    static let mediaTypes: [(field: String?, status: Int)] = [
        ("application/json", 201), ("application/json; charset=utf-8", 201),
        ("APPLICATION/JSON;charset=\"UTF-8\"", 201),
        ("application/merge-patch+json", 201), ("application/json ; charset=utf-8", 201), (nil, 415),
        ("text/plain", 415),
        ("application/x-www-form-urlencoded", 415), ("application/json; charset=utf-16", 415), ("", 415), ("json", 415),
        ("application/jsonx", 415), (";", 415),
        ("application/json\r\nContent-Type: text/plain", 415), ("text/plain\r\nContent-Type: application/json", 415),
        ("application/json\r\nContent-Type: application/json", 415),
    ]

    @Test("A body without a JSON Content-Type returns 415 with Accept", arguments: mediaTypes)
    func mediaType(field: String?, status: Int) throws {
        var request = Request.authorized(.post, "/api/v1/consultations")
        request.body = Array(#"{"persona":"nutritionist"}"#.utf8)
        if let field { request = request.with("Content-Type: \(field)") }
        let response = try VirtualNetwork().exchange(request)
        #expect(response.status == status)
        if status == 415 {
            #expect(response.errorCode == "UNSUPPORTED_MEDIA_TYPE")
            #expect(response.fields[.accept] == "application/json")
        }
    }

    @Test("Archive accepts an empty body or any JSON but no other media type")
    func archiveBody() throws {
        let network = VirtualNetwork()
        let id = try network.consultation()
        let archive = Request.authorized(.post, "/api/v1/consultations/\(id)/archive", as: TestUser.anna)
        var text = archive.with("Content-Type: text/plain")
        text.body = [0x68, 0x69]
        #expect(try network.exchange(text).status == 415)
        #expect(try network.exchange(archive.json("{}")).status == 200)
        #expect(try network.exchange(archive).status == 200)
    }

    @Test("The server checks credentials, the id, the media type and the body in that order")
    func order() throws {
        let network = VirtualNetwork()
        let id = try network.consultation()
        func archive(_ id: String, authorized: Bool, body: String?) -> Request {
            let path = "/api/v1/consultations/\(id)/archive"
            var request =
                authorized ? Request.authorized(.post, path, as: TestUser.anna) : Request(method: .post, target: path)
            request.body = body.map { Array($0.utf8) }
            return request.with("Content-Type: text/plain")
        }
        let unknown = "00000000-0000-4000-8000-000000000000"
        #expect(try network.exchange(archive(unknown, authorized: false, body: "x")).status == 401)
        #expect(try network.exchange(archive(unknown, authorized: true, body: "x")).status == 404)
        #expect(try network.exchange(archive(id, authorized: true, body: "x")).status == 415)
        #expect(try network.exchange(archive(id, authorized: true, body: nil)).status == 200)
        let messages = "/api/v1/consultations/\(unknown)/messages?page=0"
        #expect(try network.exchange(Request(target: messages)).status == 401)
        #expect(try network.exchange(.authorized(.get, messages, as: TestUser.anna)).status == 404)
        let known = "/api/v1/consultations/\(id)/messages?page=0"
        #expect(try network.exchange(.authorized(.get, known, as: TestUser.anna)).status == 400)
    }

    static let queries: [(target: String, message: String)] = [
        ("?page=0", "'page' must be a whole number of at least 1; got \"0\""),
        ("?page=", "'page' must be"), ("?page=+1", "'page' must be"), ("?page=1e3", "'page' must be"),
        ("?page=99999999999999999999", "'page' must be"), ("?page=-1", "'page' must be"),
        ("?page_size=101", "'page_size' must be a whole number from 1 to 100; got \"101\""),
        ("?page_size=0", "'page_size' must be"), ("?is_archived=yes", "'is_archived' must be one of"),
        ("?persona=chef", "'persona' must be one of"), ("?context_type=%00", "'context_type' must be one of"),
        ("/quick-actions?persona=x", "'persona' must be one of"),
    ]

    @Test("A bad query returns 400 with the allowed values", arguments: queries)
    func badQuery(target: String, message: String) throws {
        let response = try VirtualNetwork().exchange(.authorized(.get, "/api/v1/consultations" + target))
        #expect(response.status == 400)
        #expect(response.errorCode == "VALIDATION_FAILED")
        #expect(response.message.contains(message), "\(response.message)")
    }

    @Test(
        "A page number beyond the last page returns an empty list, up to the largest integer",
        arguments: ["9223372036854775807", "2", "1000000"])
    func farPage(page: String) throws {
        let response = try VirtualNetwork().exchange(
            .authorized(.get, "/api/v1/consultations?page_size=100&page=\(page)"))
        #expect(response.status == 200)
        #expect(response.json?["data"]?["consultations"] == [])
    }
}
