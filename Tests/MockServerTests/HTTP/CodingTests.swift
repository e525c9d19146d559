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

    private static let gzip = "Accept-Encoding: gzip"
    private static let consultation = #"{"persona":"nutritionist"}"#

    @Test(
        "Answers use gzip if the client accepts it and the world compresses",
        arguments: [
            ("gzip", true), ("br, GZIP;q=0.5", true), ("*", true), ("x-gzip", true), ("gzip;q=0", false),
            ("*;q=0.000", false), ("*, gzip;q=0.0", false), ("br", false), ("", false),
        ])
    func answers(_ accepted: String, _ isCoded: Bool) throws {
        let request = Request.quickActions.with("Accept-Encoding: \(accepted)")
        let plain = try network(.off).exchange(request)
        #expect(plain.fields[.contentEncoding] == nil && plain.fields[.vary] == nil)
        let network = try network(.on)
        let answer = try network.exchange(request)
        #expect(answer.fields[.contentEncoding] == (isCoded ? "gzip" : nil))
        #expect(answer.fields[.vary] == "Accept-Encoding")
        #expect(try isCoded ? Gzip.inflate(answer.body, limit: 1 << 20) == plain.body : answer.body == plain.body)
        #expect(try network.plainWorld().journal().last?["response"]?["body"] != nil)
    }

    @Test("The server deflates each page once and leaves small answers uncompressed")
    func pages() throws {
        let network = try network(.on)
        let answers = try ["/docs", "/docs", "/health"].map { path in
            let answer = try network.exchange(Request(target: path, fields: [Self.gzip]))
            #expect(network.engine.coding.pages.count == 1)
            return answer
        }
        #expect(answers.map { $0.fields[.contentEncoding] } == ["gzip", "gzip", nil])
        #expect(answers[1].body == answers[0].body)
    }

    @Test("The server sends an answer uncompressed if gzip does not shrink it")
    func noGain() throws {
        let texts = (1...100).map { [UInt8](repeating: 0x61, count: $0) }
        let text = try #require(texts.first { Gzip.deflate($0).count == $0.count })
        var scenario = try Scenario.read("{name: small, stubs: [{path: /text}]}")
        scenario.rules.compression = .on
        scenario.stubs[0].body = text
        let network = VirtualNetwork { $0.adopt(scenario) }
        let answer = try network.exchange(Request(target: "/text", fields: [Self.gzip]))
        #expect(answer.body == text && answer.fields[.contentEncoding] == nil)
    }

    @Test("The journal contains the plain text of a rejected handshake's gzip answer")
    func refusedHandshake() throws {
        let text = String(repeating: "no ", count: 100)
        let network = try network(.on, "[{on: handshake, status: 503, body: \"\(text)\"}]")
        let handshake = Request.handshake("/api/v1/consultations/\(TestUser.ben)/ws", as: TestUser.anna)
        let answer = try network.exchange(handshake.with(Self.gzip))
        #expect(answer.status == 503 && answer.fields[.contentEncoding] == "gzip")
        #expect(try network.plainWorld().journal().last?["response"]?["body"]?.string == text)
    }

    @Test("The server inflates a gzip body only up to the body limit")
    func requests() throws {
        let consultation = Array(Self.consultation.utf8)
        let limit = HTTP1.Limits().body
        let largest = consultation + [UInt8](repeating: 0x20, count: limit - consultation.count)
        let rows: [(FitIQBackend.Compression, String, [UInt8], status: Int, accepts: String?)] = [
            (.on, "gzip", Gzip.deflate(consultation), 201, nil), (.off, "identity", consultation, 201, nil),
            (.off, "gzip", Gzip.deflate(consultation), 415, "identity"), (.on, "br", consultation, 415, "gzip"),
            (.on, "gzip", consultation, 400, nil), (.on, "gzip", Gzip.deflate(largest), 201, nil),
            (.on, "gzip", Gzip.deflate(largest + [0x20]), 413, nil),
        ]
        for (compression, coding, body, status, accepts) in rows {
            var request = Request.create()
            request.body = body
            let response = try network(compression).exchange(request.with("Content-Encoding: \(coding)"))
            #expect(response.status == status, "\(compression) \(coding) \(body.count)")
            if let accepts { #expect(response.fields[.acceptEncoding] == accepts) }
            if status == 413 { #expect(response.message.contains("\(limit)")) }
        }
    }

    @Test("Other errors precede a coding error, and the journal contains the inflated text")
    func order() throws {
        let coded = Gzip.deflate(Array(Self.consultation.utf8))
        func post(_ target: String, _ coding: String, _ network: VirtualNetwork, token: Bool = true) throws -> Int {
            var request = token ? Request.authorized(.post, target) : Request(method: .post, target: target)
            request.body = coded
            request.fields += ["Content-Type: application/json", "Content-Encoding: \(coding)"]
            let response = try network.exchange(request)
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
        for coding in ["br", "gzip"] { #expect(try post("/api/v1/consultations", coding, faulty) == 503) }
        #expect(try faulty.plainWorld().journal().last?["request"]?["body"]?.string == Self.consultation)
    }

    @Test("An unsupported coding returns 415 unless an operator removes the field or the body")
    func codings() throws {
        for (change, status) in [("nothing", 415), ("fields", 201), ("body", 201)] {
            let held = try HeldWorld(adding: RequestBreakpointTests.onGoals)
            let client = try held.sending(held.goal.with("Content-Encoding: br"))
            let fields = try held.held().first?["request"]?["fields"]?.array ?? []
            switch change {
            case "fields":
                let others = fields.filter { $0["name"] != "Content-Encoding" }
                try held.act(#"{"action":"change","fields":\#(JSONValue.array(others))}"#)
            case "body":
                try held.act(#"{"action":"change","json":\#(WorldClient.goal.replacing("Run", with: "Swim"))}"#)
            default: try held.proceed()
            }
            #expect(try client.response().status == status, "\(change)")
        }
    }

    @Test(
        "Each coding fault sends an unreadable body of the announced length",
        arguments: ["undeclared", "truncated", "corrupt", "wrong-length"])
    func faults(_ fault: String) throws {
        let network = try network(.on, "[{on: any, compression: \(fault)}]")
        let answer = try network.exchange(.quickActions.with(Self.gzip))
        #expect(((try? Gzip.inflate(answer.body, limit: 1 << 20)) != nil) == (fault == "undeclared"))
        #expect((answer.fields[.contentEncoding] == nil) == (fault == "undeclared"))
        let plain = try network.exchange(.quickActions)
        #expect(plain.fields[.contentEncoding] == nil && plain.status == 200)
    }

    @Test("A fault that changes the text sends an uncompressed answer")
    func textFaults() throws {
        let network = try network(.on, "[{on: any, malformed: json}]")
        #expect(try network.exchange(.quickActions.with(Self.gzip)).fields[.contentEncoding] == nil)
    }
}
