import FitIQAPI
import HTTPTypes
import TestSupport
import Testing

@testable import MockServer

@Suite("Paths and methods")
struct RoutingTests {
    private let network = VirtualNetwork()

    private static let id = "00000000-0000-4000-8000-000000000000"
    private static let byMethods: [(allow: String, paths: [String])] = [
        (
            "GET, HEAD, POST, OPTIONS",
            ["/api/v1/consultations", "/api/v1/consultations/\(id)/messages", "/api/v1/goals"]
        ),
        ("GET, HEAD, PUT, DELETE, OPTIONS", ["/api/v1/consultations/\(id)", "/api/v1/meal-logs/\(id)"]),
        ("GET, HEAD, PATCH, PUT, DELETE, OPTIONS", ["/api/v1/goals/\(id)"]),
        (
            "POST, OPTIONS",
            [
                "/api/v1/consultations/\(id)/archive", "/api/v1/consultations/chat-about-goal",
                "/api/v1/meal-logs/natural",
            ]
        ),
        ("GET, OPTIONS", ["/api/v1/consultations/\(id)/ws", "/__admin/echo"]),
        (
            "GET, HEAD, OPTIONS",
            [
                "/api/v1/consultations/quick-actions", "/api/v1/meal-logs", "/avatars/nutritionist.svg", "/health",
                "/ready", "/openapi.yaml", "/asyncapi.yaml", "/docs", "/docs/deviations", "/docs/admin.md",
                "/llms.txt", "/", "/__admin", "/__admin/health",
            ]
        ),
    ]
    static let methods = byMethods.flatMap { row in row.paths.map { (path: $0, allow: row.allow) } }

    @Test(
        "An unsupported method returns 405 with Allow, even without credentials", arguments: methods,
        ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE", "get", "FETCH"])
    func wrongMethod(endpoint: (path: String, allow: String), name: String) throws {
        let method = try #require(HTTPRequest.Method(name))
        let response = try network.exchange(Request(method: method, target: endpoint.path))
        if endpoint.allow.split(separator: ", ").contains(Substring(name)) { return #expect(response.status != 405) }
        #expect(response.status == 405 && response.fields[.allow] == endpoint.allow)
        if name == "HEAD" { return #expect(response.body.isEmpty) }
        #expect(response.errorCode == "METHOD_NOT_ALLOWED")
        #expect(response.message.contains("\"\(name)\"; it answers \(endpoint.allow)."), "\(response.message)")
    }

    @Test("The server routes each request on a connection independently")
    func repeatedTargets() throws {
        let client = try network.client()
        let goals = try ["Run", "Swim"].map { name in
            let json = WorldClient.goal.replacing("Run", with: name)
            let created = try client.exchange(.authorized(.post, "/api/v1/goals", as: TestUser.anna).json(json))
            return try #require(created.json?["id"]?.string)
        }
        func title(_ path: String) throws -> String? {
            let answer = try client.exchange(.authorized(.get, path, as: TestUser.anna))
            return answer.json?["title"]?.string ?? answer.errorCode
        }
        let (run, swim) = ("/api/v1/goals/\(goals[0])", "/api/v1/goals/\(goals[1])")
        // These paths are as long as the previous paths, but each is of a different kind.
        let (unknown, meal) = ("/api/v1/goals/\(Self.id)", "/api/v1/meal-logs/\(goals[0])")
        let long = swim + "?" + String(repeating: "x", count: 5000)
        for (path, found, times) in [
            (run, "Run", 2), (swim, "Swim", 2), (run, "Run", 1), ("/w/none\(run)", "NOT_FOUND", 2),
            (unknown, "GOAL_NOT_FOUND", 2), (meal, "NOT_FOUND", 2), (run, "Run", 1), (long, "Swim", 2), (run, "Run", 1),
        ] { for _ in 0..<times { #expect(try title(path) == found, "\(path.prefix(80))") } }
    }

    @Test("OPTIONS returns 204 with the endpoint's methods", arguments: methods)
    func options(path: String, allow: String) throws {
        let response = try network.exchange(Request(method: .options, target: path))
        #expect(response.status == 204 && response.fields[.allow] == allow && response.body.isEmpty)
        #expect(response.fields[.contentType] == nil && response.fields[.contentLength] == nil)
    }

    @Test("OPTIONS * returns every method that the server supports", arguments: GuideMode.allCases)
    func optionsAsterisk(mode: GuideMode) throws {
        let response = try VirtualNetwork { $0.mode = mode }.exchange(Request(method: .options, target: "*"))
        #expect(response.status == 204)
        let others = mode == .union ? "PUT, DELETE, " : mode == .goalLinking ? "DELETE, " : ""
        #expect(response.fields[.allow] == "GET, HEAD, POST, PATCH, \(others)OPTIONS")
    }

    @Test("HEAD returns the fields of GET, with the length and without the body")
    func head() throws {
        let id = try network.consultation()
        let paths = [
            "/api/v1/consultations", "/api/v1/consultations/\(id)", "/api/v1/consultations/\(id)/messages",
            "/api/v1/consultations/quick-actions", "/health", "/ready", "/avatars/nutritionist.svg",
        ]
        let client = try network.client()
        for path in paths {
            let get = try client.exchange(.authorized(.get, path, as: TestUser.anna))
            let head = try client.exchange(.authorized(.head, path, as: TestUser.anna))
            #expect([head.status, get.status] == [200, 200] && head.body.isEmpty && !get.body.isEmpty, "\(path)")
            #expect(head.fields[.contentLength] == String(get.body.count), "\(path)")
            #expect(head.fields[.contentType] == get.fields[.contentType], "\(path)")
        }
    }

    static let unknown: [(target: String, hint: String)] = [
        ("/docs/deviation", "The nearest endpoint is /docs/deviations."),
        ("/llm.txt", "The nearest endpoint is /llms.txt."),
        ("/api/v1/consultation", "The nearest endpoint is /api/v1/consultations."),
        ("/api/v1/Consultations", "The nearest endpoint is /api/v1/consultations."),
        ("/api/v1/consultations/", "The nearest endpoint is /api/v1/consultations."),
        ("//api/v1/consultations", "The nearest endpoint is /api/v1/consultations."),
        ("/api/v1/consultations/\(id)/message", "The nearest endpoint is /api/v1/consultations/{id}/messages."),
        ("/api/v1/consultations/\(id)/ws/", "The nearest endpoint is /api/v1/consultations/{id}/ws."),
        ("/api/v1/consultations/\(id)/stream", "There is no endpoint"),
        ("/ws", "each consultation has a socket of its own"),
        ("/ws?token=x", "each consultation has a socket of its own"),
        ("/ws/\(id)", "each consultation has a socket of its own"),
        ("/healthz", "The nearest endpoint is /health."),
        ("/avatars/nobody.svg", "There is no endpoint"), ("/avatars/.svg", "There is no endpoint"),
        ("/api/v1/consultations/../consultations", "There is no endpoint"),
        ("/api/v1/consultations%2Fquick-actions", "There is no endpoint"),
        ("/%E2%82%AC", "There is no endpoint \"/%E2%82%AC\"."),
        ("/" + String(repeating: "a", count: 8000), "There is no endpoint \"/aaa"),
        ("/" + String(repeating: "/", count: 8000), "There is no endpoint"),
    ]

    @Test("An unknown path returns 404 with the nearest path", arguments: unknown)
    func unknownPath(target: String, hint: String) throws {
        let response = try network.exchange(.authorized(.get, target))
        #expect(response.refusal == "404 NOT_FOUND")
        #expect(response.message.contains(hint) && response.message.utf8.count < 500, "\(response.message)")
    }

    static let spellings = [
        "/api/v1/consultations", "/api/v1/%63onsultations", "/%61%70%69/v1/consultations", "/api/v1/consultations?",
        "/api/v1/consultations?x=%zz", "http://localhost/api/v1/consultations",
        "http://else.where:99/api/v1/consultations", "HTTP://localhost/api/v1/consultations?page=1",
    ]

    @Test("Percent-encoded paths and absolute targets reach the same endpoint", arguments: spellings)
    func spelling(target: String) throws {
        let response = try network.exchange(.authorized(.get, target))
        #expect(
            response.status == 200 && response.json?["data"]?["pagination"]?["total_count"] == 0, "\(response.text)")
    }

    static let refusedTargets: [(line: String, status: Int)] = [
        ("GET health HTTP/1.1", 400), ("GET /%zz HTTP/1.1", 400), ("GET /%00 HTTP/1.1", 400),
        ("GET /%ff HTTP/1.1", 400), ("GET /a#b HTTP/1.1", 400), ("GET * HTTP/1.1", 400),
        ("GET ftp://a/b HTTP/1.1", 400), ("GET /health HTTP/2.0", 505), ("GET /health", 400),
        ("CONNECT localhost:80 HTTP/1.1", 404), ("CONNECT /health HTTP/1.1", 400), ("PRI * HTTP/2.0", 505),
        ("\u{16}\u{3}\u{1}", 400), ("GET / HTTP/1.1\r\nHost: a\r\nHost: b", 400),
        ("GET / HTTP/1.1\r\nX:a\r\n b", 400), ("GET / HTTP/1.1\r\nHost: a\r\nExpect: tea", 417),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked", 400),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1", 400),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999", 413),
        ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip", 501),
    ]

    @Test("The server rejects other protocols and targets with the API's error form", arguments: refusedTargets)
    func refusedTarget(line: String, status: Int) throws {
        let client = try network.client()
        client.wire.send(line + (line.contains("Host") || status != 404 ? "" : "\r\nHost: a") + "\r\n\r\n")
        let response = try client.response()
        #expect(response.status == status && response.json?["success"] == false && !response.message.isEmpty)
        if status != 404 { #expect(response.fields[.connection] == "close" && client.wire.ending == .closed) }
    }
}
