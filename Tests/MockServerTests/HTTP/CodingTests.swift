import Deflate
import FitIQBackend
import HTTP1
import JSON
import Scenarios
import TestSupport
import Testing

@testable import MockServer

@Suite("Gzip bodies in both directions")
struct CodingTests {
    private func network(_ compression: FitIQBackend.Compression, _ faults: String = "[]") throws -> VirtualNetwork {
        var scenario = try Scenario.read("{name: small, faults: \(faults)}")
        scenario.rules.compression = compression
        return VirtualNetwork { $0.adopt(scenario) }
    }

    private func actions(_ fields: String...) -> Request {
        fields.reduce(Request.authorized(.get, "/api/v1/consultations/quick-actions")) { $0.with($1) }
    }

    @Test(
        "Answers use gzip if the client accepts it and the world compresses",
        arguments: [
            ("gzip", true), ("br, GZIP;q=0.5", true), ("*", true), ("x-gzip", true), ("gzip;q=0", false),
            ("*;q=0.000", false), ("*, gzip;q=0.0", false), ("br", false), ("", false),
        ])
    func answers(_ accepted: String, _ isCoded: Bool) throws {
        let plain = try network(.off).exchange(actions("Accept-Encoding: \(accepted)"))
        #expect(plain.fields[.contentEncoding] == nil && plain.fields[.vary] == nil)
        let network = try network(.on)
        let answer = try network.exchange(actions("Accept-Encoding: \(accepted)"))
        #expect(answer.fields[.contentEncoding] == (isCoded ? "gzip" : nil))
        #expect(answer.fields[.vary] == "Accept-Encoding")
        let body = isCoded ? try Gzip.inflate(answer.body, limit: 1 << 20) : answer.body
        #expect(body == plain.body)
        let entry = try #require(try network.plainWorld().journal().last)
        #expect(entry["response"]?["body"] != nil)
    }

    @Test("The server deflates each page once and leaves small answers uncompressed")
    func pages() throws {
        let network = try network(.on)
        let request = Request(target: "/docs").with("Accept-Encoding: gzip")
        let first = try network.exchange(request)
        #expect(first.fields[.contentEncoding] == "gzip")
        #expect(try network.exchange(request).body == first.body)
        #expect(network.engine.coding.pages.count == 1)
        #expect(
            try network.exchange(Request(target: "/health").with("Accept-Encoding: gzip")).fields[.contentEncoding]
                == nil)
        #expect(network.engine.coding.pages.count == 1)
    }

    @Test("The server sends an answer uncompressed if gzip does not shrink it")
    func noGain() throws {
        let texts = (1...100).map { [UInt8](repeating: 0x61, count: $0) }
        let text = try #require(texts.first { Gzip.deflate($0).count == $0.count })
        var scenario = try Scenario.read("{name: small, stubs: [{path: /text}]}")
        scenario.rules.compression = .on
        scenario.stubs[0].body = text
        let network = VirtualNetwork { $0.adopt(scenario) }
        let answer = try network.exchange(Request(target: "/text").with("Accept-Encoding: gzip"))
        #expect(answer.body == text && answer.fields[.contentEncoding] == nil)
    }

    @Test("The journal contains the plain text of a rejected handshake's gzip answer")
    func refusedHandshake() throws {
        let text = String(repeating: "no ", count: 100)
        let network = try network(.on, "[{on: handshake, status: 503, body: \"\(text)\"}]")
        let handshake = Request.handshake("/api/v1/consultations/\(TestUser.ben)/ws", as: TestUser.anna)
        let answer = try network.exchange(handshake.with("Accept-Encoding: gzip"))
        #expect(answer.status == 503 && answer.fields[.contentEncoding] == "gzip")
        let entry = try #require(try network.plainWorld().journal().last)
        #expect(entry["response"]?["body"]?.string == text, "\(entry)")
    }

    @Test("The server inflates a gzip body only up to the body limit")
    func requests() throws {
        let consultation = Array(#"{"persona":"nutritionist"}"#.utf8)
        func post(_ coding: String, _ body: [UInt8], _ compression: FitIQBackend.Compression = .on) throws -> Response {
            var request = Request.create()
            request.body = body
            return try network(compression).exchange(request.with("Content-Encoding: \(coding)"))
        }
        #expect(try post("gzip", Gzip.deflate(consultation)).status == 201)
        #expect(try post("identity", consultation, .off).status == 201)
        let off = try post("gzip", Gzip.deflate(consultation), .off)
        #expect(off.status == 415 && off.fields[.acceptEncoding] == "identity")
        let unknown = try post("br", consultation)
        #expect(unknown.status == 415 && unknown.fields[.acceptEncoding] == "gzip")
        #expect(try post("gzip", consultation).status == 400)
        let limit = HTTP1.Limits().body
        let spaces = [UInt8](repeating: 0x20, count: limit - consultation.count)
        #expect(try post("gzip", Gzip.deflate(consultation + spaces)).status == 201)
        let bomb = try post("gzip", Gzip.deflate(consultation + spaces + [0x20]))
        #expect(bomb.status == 413 && bomb.message.contains("\(limit)"))
    }

    @Test("Other errors precede a coding error, and the journal contains the inflated text")
    func order() throws {
        let coded = Gzip.deflate(Array(#"{"persona":"nutritionist"}"#.utf8))
        func post(_ target: String, _ coding: String, _ network: VirtualNetwork, token: Bool = true) throws -> Int {
            var request = token ? Request.authorized(.post, target) : Request(method: .post, target: target)
            request.body = coded
            let response = try network.exchange(
                request.with("Content-Type: application/json").with("Content-Encoding: \(coding)"))
            #expect((response.status == 415) == (response.fields[.acceptEncoding] != nil))
            return response.status
        }
        let plain = try network(.on)
        #expect(try post("/api/v1/consultations", "br", plain, token: false) == 401)
        #expect(try post("/api/v1/consultations/none/messages", "br", plain) == 404)
        for target in ["/api/v1/consultations", "/api/v1/meal-logs/photo", "/api/v1/auth/login"] {
            #expect(try post(target, "br", plain) == 415, "\(target)")
            #expect(try post(target, "gzip", network(.off)) == 415, "\(target)")
        }
        // The admin API supports no coding, even if the default world does.
        var rule = Request(method: .post, target: "/__admin/faults").json(#"{"on":"any","requests":1,"status":503}"#)
        #expect(try plain.exchange(rule).status == 201)
        rule.body = Gzip.deflate(try #require(rule.body))
        #expect(try plain.exchange(rule.with("Content-Encoding: gzip")).status == 400)
        let faulty = try network(.on, "[{on: any, status: 503}]")
        #expect(try post("/api/v1/consultations", "br", faulty) == 503)
        #expect(try post("/api/v1/consultations", "gzip", faulty) == 503)
        let entry = try #require(try faulty.plainWorld().journal().last)
        #expect(entry["request"]?["body"]?.string == #"{"persona":"nutritionist"}"#, "\(entry)")
    }

    @Test("An unsupported coding returns 415 unless an operator removes the field or the body")
    func codings() throws {
        let other = WorldClient.goal.replacing("Run", with: "Swim")
        for (change, status) in [("", 415), ("fields", 201), (#""json":\#(other)"#, 201)] {
            let held = try HeldWorld()
            try held.add(RequestBreakpointTests.onGoals)
            let client = try held.sending(held.goal.with("Content-Encoding: br"))
            var text = #"{"action":"continue"}"#
            if change == "fields" {
                let fields = try held.held().first?["request"]?["fields"]?.array ?? []
                let others = fields.filter { $0["name"] != "Content-Encoding" }
                text = #"{"action":"change","fields":\#(JSONValue.array(others))}"#
            } else if !change.isEmpty {
                text = #"{"action":"change",\#(change)}"#
            }
            try held.act(text)
            #expect(try client.response().status == status, "\(text)")
        }
    }

    @Test(
        "Each coding fault sends an unreadable body of the announced length",
        arguments: ["undeclared", "truncated", "corrupt", "wrong-length"])
    func faults(_ fault: String) throws {
        let network = try network(.on, "[{on: any, compression: \(fault)}]")
        let answer = try network.exchange(actions("Accept-Encoding: gzip"))
        let text = try? Gzip.inflate(answer.body, limit: 1 << 20)
        #expect((text != nil) == (fault == "undeclared"))
        #expect((answer.fields[.contentEncoding] == nil) == (fault == "undeclared"))
        let plain = try network.exchange(actions())
        #expect(plain.fields[.contentEncoding] == nil && plain.status == 200)
    }

    @Test("A fault that changes the text sends an uncompressed answer")
    func textFaults() throws {
        let network = try network(.on, "[{on: any, malformed: json}]")
        #expect(try network.exchange(actions("Accept-Encoding: gzip")).fields[.contentEncoding] == nil)
    }
}
