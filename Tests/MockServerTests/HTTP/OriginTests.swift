import FitIQAPI
import HTTPTypes
import TestSupport
import Testing

@testable import MockServer

/// Without these checks, another site's page could use the public token to write and open sockets for its visitor.
@Suite("Origins: which web pages may write and open sockets")
struct OriginTests {
    private func network(_ allowed: [String] = []) -> VirtualNetwork {
        VirtualNetwork { $0.allowedOrigins = Set(allowed.compactMap { AllowedOrigin($0) }) }
    }

    private func statuses(_ network: VirtualNetwork, _ fields: [String], host: String = "localhost") throws -> [Int] {
        let id = try network.consultation()
        defer { try? network.archive(id) }
        var write = Request.authorized(.patch, "/api/v1/goals/none").json("{}")
        write.fields += fields
        var handshake = Request.handshake("/api/v1/consultations/\(id)/ws", as: TestUser.anna)
        handshake.fields += fields
        return try [write, handshake].map { request in
            let wire = try network.open()
            defer { wire.vanish() }
            wire.send(
                request.head.replacing("Host: localhost", with: "Host: \(host)") + (request.body == nil ? "" : "{}"))
            return Int(String(decoding: wire.received.prefix(12).suffix(3), as: UTF8.self)) ?? 0
        }
    }

    private static func expected(_ isServed: Bool) -> [Int] { isServed ? [404, 101] : [403, 403] }

    @Test(
        "The server accepts requests without an Origin, and rejects two Origin fields even if each is allowed",
        arguments: [(0, true), (2, false)])
    func count(_ count: Int, isServed: Bool) throws {
        let fields = Array(repeating: "Origin: http://localhost", count: count)
        #expect(try statuses(network(), fields) == Self.expected(isServed))
    }

    @Test(
        "The server accepts writes only from its own pages",
        arguments: [
            // The server's own listening address is allowed.
            ("localhost", "http://127.0.0.1:8080", true), ("localhost", "ws://127.0.0.1:8080", true),
            // The host in the request is allowed.
            ("localhost", "http://localhost", true), ("localhost:9000", "http://localhost:9000", true),
            ("localhost:9000", "HTTP://LOCALHOST:9000", true), ("192.168.0.7:8080", "http://192.168.0.7:8080", true),
            ("[::1]:8080", "http://[::1]:8080", true), ("localhost:80", "http://localhost", true),
            ("localhost", "https://localhost", false), ("localhost", "http://localhost:3000", false),
            ("localhost:8080", "http://localhost:3000", false), ("localhost:8080", "http://127.0.0.1:3000", false),
            ("localhost", "https://example.com", false), ("localhost", "http://localhost.evil.com", false),
            ("localhost", "http://localhost@evil.com", false), ("localhost", "null", false), ("localhost", "", false),
            ("localhost", "*", false), ("localhost", "http://localhost/", false),
            ("localhost", "chrome-extension://127.0.0.1", false),
            // A foreign name that resolves to this host is rejected.
            ("rebound.example.com:8080", "http://rebound.example.com:8080", false),
            ("127.0.0.1.nip.io", "http://127.0.0.1.nip.io", false),
        ])
    func own(_ host: String, _ origin: String, _ isOwn: Bool) throws {
        #expect(try statuses(network(), ["Origin: \(origin)"], host: host) == Self.expected(isOwn))
    }

    @Test(
        "--allow-origin allows exactly the listed origins",
        arguments: [
            (["http://localhost:3000"], "http://localhost:3000", true),
            (["http://localhost:3000"], "http://localhost:3001", false),
            (["http://localhost:3000"], "https://localhost:3000", false),
            (["https://a.example", "https://b.example:8443"], "https://b.example:8443", true),
            (["https://a.example:443"], "https://A.example", true),
            (["https://a.example"], "https://b.a.example", false),
            (["null"], "null", true), (["null"], "http://localhost:3000", false),
            (["http://localhost:3000"], "null", false),
            (["*"], "https://example.com", true), (["*"], "null", true), (["*"], "what is this", true),
            (["capacitor://localhost"], "capacitor://localhost", true),
            (["file://"], "file://", true), (["file://"], "null", false), (["null"], "file://", false),
        ])
    func option(_ allowed: [String], _ origin: String, _ isAllowed: Bool) throws {
        #expect(try statuses(network(allowed), ["Origin: \(origin)"]) == Self.expected(isAllowed))
    }

    @Test(
        "The origin check precedes every other check and applies only to writing methods",
        arguments: [
            (.post, "/api/v1/consultations", true), (.patch, "/api/v1/goals/x", true), (.post, "/api/v1/nothing", true),
            (.put, "/api/v1/goals", true), (.delete, "/api/v1/goals", true),
            (.get, "/api/v1/consultations", false), (.head, "/health", false), (.options, "/api/v1/goals", false),
        ] as [(HTTPRequest.Method, String, Bool)])
    func methods(_ method: HTTPRequest.Method, _ path: String, _ isRefused: Bool) throws {
        // Send no credentials, and a body of the wrong type.
        var request = Request(method: method, target: path, fields: ["Origin: https://example.com"])
        if method != .get, method != .head, method != .options {
            request.fields.append("Content-Type: text/plain")
            request.body = Array("{}".utf8)
        }
        let response = try network().exchange(request)
        #expect((response.status == 403) == isRefused && (response.errorCode == "FORBIDDEN") == isRefused)
    }

    @Test(
        "The error for a rejected origin names the option that would allow the origin",
        arguments: [
            ("http://localhost:3000", "make the server allow the origin http://localhost:3000."),
            ("null", "make the server allow the origin null."),
            ("file://", "make the server allow the origin file://."),
            ("http://a/b", "which is not an origin"),
        ])
    func message(_ origin: String, _ told: String) throws {
        let response = try network().exchange(.create().with("Origin: \(origin)"))
        #expect(response.status == 403 && response.message.contains(told), "\(response.message)")
    }

    @Test("The origin check applies in every mode and world", arguments: GuideMode.allCases)
    func everywhere(_ mode: GuideMode) throws {
        let network = network()
        let world = try network.world(#"{"guide":"\#(mode.rawValue)"}"#)
        for request in [
            Request.authorized(.post, "\(world.prefix)/api/v1/consultations").json("{}"),
            .authorized(.post, "\(world.prefix)/api/v1/goals").json("{}"),
            .handshake("\(world.prefix)/api/v1/consultations/\(TestUser.anna)/ws"),
        ] { #expect(try network.exchange(request.with("Origin: https://example.com")).status == 403) }
        #expect(try world.journal().count { $0["response"]?["status"] == 403 } == 3)
    }

    @Test("A rejected origin triggers no fault and does not advance a replay")
    func before() throws {
        let faulty = try network().world(#"{"scenario":{"name":"a","faults":[{"on":"any","status":500}]}}"#)
        let request = Request.authorized(.post, "/w/\(faulty.id)/api/v1/goals").json("{}").with("Origin: https://a.b")
        #expect(try faulty.network.exchange(request).status == 403)

        let replay = try Take().asked("POST", "/a", "{}", answer: #"{"n":1}"#).network()
        var post = Request(method: .post, target: "/a", fields: ["Origin: https://a.b"]).json("{}")
        #expect(try replay.exchange(post).status == 403)
        post.fields.removeFirst()
        #expect(try replay.exchange(post).text == #"{"n":1}"#)
    }

    @Test("Allowing an origin for the API does not allow it for the admin API")
    func admin() throws {
        let network = network(["*", "https://a.b"])
        for (origin, status) in [("https://a.b", 403), ("http://localhost:3000", 200)] {
            #expect(try network.admin(.post, "reset", fields: ["Origin: \(origin)"]).status == status)
        }
    }

    @Test("Over TLS, the server accepts the https origins of its own pages")
    func secure() throws {
        let network = VirtualNetwork { $0.secureOrigin = "https://127.0.0.1:8443" }
        for (origin, status) in [
            ("https://localhost", 404), ("https://127.0.0.1:8443", 404), ("http://127.0.0.1:8080", 404),
            ("http://localhost", 403), ("https://127.0.0.1:8444", 403),
        ] {
            let client = HTTPClient(try network.open(isSecure: true))
            network.engine.secured(client.wire.id, at: network.now)
            let request = Request.authorized(.patch, "/api/v1/goals/none").json("{}").with("Origin: \(origin)")
            #expect(try client.exchange(request).status == status, "\(origin)")
            client.wire.vanish()
        }
    }
}
