import TestSupport
import Testing

@testable import MockServer

@Suite("Bodies and queries")
struct BodyTests {
    private let network = VirtualNetwork()

    struct Bad: CustomTestStringConvertible {
        let testDescription: String
        let body: [UInt8]
        let message: String
        var code = "VALIDATION_FAILED"

        init(_ name: String, _ body: String, _ message: String) {
            (testDescription, self.body, self.message) = (name, Array(body.utf8), message)
        }

        private init(notJSON name: String, _ body: [UInt8], _ message: String = "The body is not valid JSON") {
            (testDescription, self.body, self.message, code) = (name, body, message, "INVALID_JSON")
        }

        private static let persona = #""persona":"nutritionist""#
        private static let invalid = [
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
            Bad("unknown persona", #"{"persona":"nutritionst"}"#, #"got "nutritionst". Did you mean "nutritionist"?"#),
            Bad("persona in capitals", #"{"persona":"NUTRITIONIST"}"#, "Did you mean \"nutritionist\"?"),
            Bad("empty persona", #"{"persona":""}"#, "'persona' must be one of"),
            Bad("unknown coach_type", #"{"coach_type":"chef"}"#, "'coach_type' must be one of"),
            Bad(
                "title of a wrong type", "{\(persona),\"title\":true}",
                "'title' must be a string; got a boolean: true."),
            Bad("empty title", "{\(persona),\"title\":\"\"}", "'title' must have 1 to 200 characters; it has 0."),
            Bad(
                "long title", "{\(persona),\"title\":\"\(String(repeating: "x", count: 201))\"}",
                "'title' must have 1 to 200 characters; it has 201."),
            Bad("unknown context", "{\(persona),\"context_type\":\"sleep\"}", "'context_type' must be one of"),
            Bad("general with id", "{\(persona),\"context_id\":\"x\"}", "has no context, but 'context_id' is \"x\""),
            Bad("contradiction", "{\(persona),\"goal_id\":\"a\",\"context_id\":\"b\"}", "contradict each other"),
            Bad("goal_id of a wrong type", "{\(persona),\"goal_id\":{}}", "'goal_id' must be a string; got an object"),
        ]
        private static let notJSON: [(name: String, body: [UInt8])] = [
            ("too deep", [UInt8](repeating: 0x5B, count: 100_000)),
            ("too deep inside", Array("{\"x\":".utf8) + Array(String(repeating: "{\"a\":", count: 500).utf8)),
            ("cut short", Array(#"{"persona":"nutri"#.utf8)), ("two values", Array("{} {}".utf8)),
            ("a trailing comma", Array("{\(persona),}".utf8)), ("white space", Array("  \r\n ".utf8)),
            ("a form", Array("persona=nutritionist".utf8)),
            ("invalid UTF-8", Array(#"{"title":""#.utf8) + [0xC3, 0x28] + Array(#""}"#.utf8)),
            ("half a surrogate", Array(#"{"title":"\ud800"}"#.utf8)), ("zero bytes", [UInt8](repeating: 0, count: 64)),
            ("UTF-16", [0xFF, 0xFE, 0x7B, 0x00, 0x7D, 0x00]),
        ]
        static let all =
            invalid + notJSON.map { Bad(notJSON: $0.name, $0.body) }
            + [Bad(notJSON: "empty", [], "needs a JSON object as its body, and the body is empty")]
    }

    @Test("A bad body returns 400, creates nothing and keeps the connection open", arguments: Bad.all)
    func badBody(_ bad: Bad) throws {
        let client = try network.client()
        var request = Request.authorized(.post, "/api/v1/consultations").with("Content-Type: application/json")
        request.body = bad.body
        let response = try client.exchange(request)
        #expect(response.refusal == "400 \(bad.code)")
        #expect(response.message.contains(bad.message) && response.message.utf8.count < 600, "\(response.message)")
        #expect(network.engine.defaultWorld.backend.consultationCount == 0)
        #expect(try client.exchange(.create()).status == 201)
    }

    @Test(
        "The error for a bad body does not depend on how its bytes are split",
        arguments: [#"{"persona":"nutritionst"}"#, #"{"persona""#, "[1]"])
    func cutAnywhere(body: String) throws {
        let bytes = Request.create(body).bytes
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
        guard status == 415 else { return }
        #expect(response.errorCode == "UNSUPPORTED_MEDIA_TYPE" && response.fields[.accept] == "application/json")
    }

    @Test("Archive accepts an empty body or any JSON but no other media type")
    func archiveBody() throws {
        let id = try network.consultation()
        let archive = Request.authorized(.post, "/api/v1/consultations/\(id)/archive", as: TestUser.anna)
        var text = archive.with("Content-Type: text/plain")
        text.body = [0x68, 0x69]
        #expect(try [text, archive.json("{}"), archive].map { try network.exchange($0).status } == [415, 200, 200])
    }

    @Test("The server checks credentials, the id, the media type and the body in that order")
    func order() throws {
        let id = try network.consultation()
        let unknown = "00000000-0000-4000-8000-000000000000"
        func archive(_ id: String, authorized: Bool = true, body: String? = "x") throws -> Int {
            var request = Request.authorized(.post, "/api/v1/consultations/\(id)/archive", as: TestUser.anna)
            if !authorized { request.fields = [] }
            request.body = body.map { Array($0.utf8) }
            return try network.exchange(request.with("Content-Type: text/plain")).status
        }
        #expect(try [archive(unknown, authorized: false), archive(unknown), archive(id)] == [401, 404, 415])
        #expect(try archive(id, body: nil) == 200)
        func firstPage(_ id: String, authorized: Bool = true) throws -> Int {
            let path = "/api/v1/consultations/\(id)/messages?page=0"
            return try network.exchange(authorized ? .authorized(.get, path, as: TestUser.anna) : .init(target: path))
                .status
        }
        #expect(try [firstPage(unknown, authorized: false), firstPage(unknown), firstPage(id)] == [401, 404, 400])
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
        #expect(response.refusal == "400 VALIDATION_FAILED")
        #expect(response.message.contains(message), "\(response.message)")
    }

    @Test(
        "A page number beyond the last page returns an empty list, up to the largest integer",
        arguments: ["9223372036854775807", "2", "1000000"])
    func farPage(page: String) throws {
        let response = try network.exchange(.authorized(.get, "/api/v1/consultations?page_size=100&page=\(page)"))
        #expect(response.status == 200 && response.json?["data"]?["consultations"] == [])
    }
}
