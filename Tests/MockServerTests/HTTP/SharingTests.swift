import HTTPTypes
import TestSupport
import Testing

@testable import MockServer
@testable import Traffic

@Suite("CORS: pages that may read answers")
struct SharingTests {
    private static let page = "http://localhost:3000"

    private func network(_ readers: [String] = [page]) -> VirtualNetwork {
        VirtualNetwork { $0.readingOrigins = Set(readers.compactMap { AllowedOrigin($0) }) }
    }

    private func preflight(_ target: String, _ method: String = "POST", from origin: String = page) -> Request {
        Request(
            method: .options, target: target, fields: ["Origin: \(origin)", "Access-Control-Request-Method: \(method)"])
    }

    @Test(
        "An answer names an allowed origin and always has Vary",
        arguments: [
            ([page], page, page), ([page], "HTTP://localhost:3000", "HTTP://localhost:3000"),
            ([page], "http://localhost:3001", nil), ([page], "null", nil), ([page], nil, nil), (["*"], nil, nil),
            ([page], "localhost:3000", nil), ([page], "", nil),
            (["null"], "null", "null"), (["*"], "https://example.com", "https://example.com"), (["*"], "null", "null"),
        ] as [([String], String?, String?)])
    func fields(_ readers: [String], _ origin: String?, _ named: String?) throws {
        var request = Request.authorized(.get, "/api/v1/goals")
        if let origin { request.fields.append("Origin: \(origin)") }
        let response = try network(readers).exchange(request)
        #expect(response.status == 200 && response.fields[.accessControlAllowOrigin] == named)
        #expect(response.fields[.accessControlExposeHeaders] == named.map { _ in "*" })
        #expect(response.fields[.vary] == "Origin" && response.fields[.accessControlAllowCredentials] == nil)
    }

    @Test("Without an allowed origin, the server sends no CORS fields")
    func without() throws {
        let network = network([])
        let response = try network.exchange(.authorized(.get, "/api/v1/goals").with("Origin: \(Self.page)"))
        #expect(response.fields[.vary] == nil && response.fields[.accessControlAllowOrigin] == nil)
        let options = try network.exchange(preflight("/api/v1/goals"))
        #expect(options.status == 204 && options.fields[.accessControlAllowMethods] == nil)
        #expect(try network.exchange(preflight("/api/v1/nothing")).status == 404)
    }

    @Test(
        "A preflight returns the path's methods, or the requested method for an unknown path",
        arguments: [
            ("/api/v1/goals", "GET, HEAD, POST"), ("/health", "GET, HEAD"), ("/api/v1/nothing", "PATCH"),
            ("/w/none/api/v1/goals", "PATCH"), ("/", "GET, HEAD"),
        ])
    func preflights(_ target: String, _ methods: String) throws {
        let network = network()
        let response = try network.exchange(preflight(target, "PATCH"))
        #expect(response.status == 204)
        let names: [HTTPField.Name] = [
            .accessControlAllowMethods, .accessControlAllowHeaders, .accessControlAllowOrigin, .vary,
        ]
        #expect(
            names.map { response.fields[$0] } == [
                methods, "Authorization, *", Self.page, "Access-Control-Request-Method, Origin",
            ])
        // The preflight does not count as an unmatched request.
        #expect(try network.admin(.get, "requests/unmatched").json?["entries"]?.array?.isEmpty == true)
        // A preflight from another page is not answered.
        let other = try network.exchange(preflight(target, "PATCH", from: "http://localhost:3001"))
        #expect(other.fields[.accessControlAllowMethods] == nil && other.fields[.accessControlAllowOrigin] == nil)
    }

    @Test("Errors from the API, from faults and for oversized bodies also have CORS fields")
    func refusals() throws {
        let network = network()
        for (request, status) in [
            (Request(target: "/api/v1/goals"), 401), (Request(target: "/api/v1/nothing"), 404),
            (Request(target: "/w/none/api/v1/goals"), 404), (Request(method: .delete, target: "/api/v1/goals"), 405),
            (.authorized(.post, "/api/v1/goals").json("{"), 400),
            (.authorized(.post, "/api/v1/goals").json("\"" + String(repeating: "a", count: 2 << 20) + "\""), 413),
        ] {
            let response = try network.exchange(request.with("Origin: \(Self.page)"))
            #expect(response.status == status && response.fields[.accessControlAllowOrigin] == Self.page, "\(status)")
        }
        let world = try network.world(#"{"scenario":{"name":"a","faults":[{"on":"any","requests":1,"status":503}]}}"#)
        let target = "/w/\(world.id)/api/v1/goals"
        // A fault counts only the client's own requests.
        #expect(try network.exchange(preflight(target)).status == 204)
        let response = try network.exchange(Request(target: target, fields: ["Origin: \(Self.page)"]))
        #expect(response.status == 503 && response.fields[.accessControlAllowOrigin] == Self.page)
    }

    @Test("An allowed page can also write")
    func writing() throws {
        let network = network()
        for (origin, status) in [(Self.page, 201), ("http://localhost:3001", 403)] {
            #expect(try network.exchange(.create().with("Origin: \(origin)")).status == status)
        }
    }

    @Test(
        "The admin API sends no CORS fields",
        arguments: ["/__admin/health", "/__admin/worlds", "/__admin/ui", "/__admin/x"])
    func admin(_ target: String) throws {
        let network = network([Self.page, "*"])
        for request in [Request(target: target).with("Origin: \(Self.page)"), preflight(target, "GET")] {
            let fields = try network.exchange(request).fields
            #expect(fields[.accessControlAllowOrigin] == nil && fields[.accessControlAllowMethods] == nil)
            #expect(fields[.vary] == nil)
        }
    }

    @Test("A replayed answer names the requesting page's origin and keeps its other fields")
    func replay() throws {
        let fields = [
            SessionField("Access-Control-Allow-Origin", "https://app.example"), SessionField("Vary", "Accept"),
        ]
        let scenario = try Take().asked("POST", "/a", "{}", answerFields: fields).scenario()
        let replay = VirtualNetwork { ($0.scenario, $0.readingOrigins) = (scenario, [.any]) }
        #expect(try replay.exchange(preflight("/a")).status == 204)
        let request = Request(method: .post, target: "/a", fields: ["Origin: \(Self.page)"]).json("{}")
        let response = try replay.exchange(request)
        #expect(response.fields[values: .accessControlAllowOrigin] == [Self.page])
        #expect(response.fields[values: .vary].joined(separator: ", ") == "Accept, Origin")
    }
}
