import Testing

@testable import MockServer

@Suite("Admin API: who may ask")
struct AdminAccessTests {
    static let paths = [
        "worlds", "worlds/default", "clock", "scenarios", "requests", "journal", "events", "faults", "state",
    ]

    /// The status of a response, whether or not it ever ends.
    private static func status(
        _ network: VirtualNetwork, _ path: String, _ fields: [String] = [], isLocal: Bool = true
    ) throws -> String {
        let wire = try network.open(isLocal: isLocal)
        wire.send(Request(target: "/__admin/" + path, fields: fields).bytes)
        return String(decoding: wire.received.prefix(12).suffix(3), as: UTF8.self)
    }

    @Test("Without a token, only this machine", arguments: paths)
    func loopback(_ path: String) throws {
        let network = VirtualNetwork()
        #expect(try Self.status(network, path) == "200")
        #expect(try Self.status(network, path, isLocal: false) == "403")
        #expect(try network.admin(.get, path, isLocal: false).errorCode == "FORBIDDEN")
    }

    @Test("What probes and tools ask for asks for nothing", arguments: ["health", "openapi.yaml"])
    func open(_ path: String) throws {
        let network = VirtualNetwork { $0.adminToken = "secret" }
        #expect(try network.admin(.get, path, isLocal: false).status == 200)
    }

    @Test("With a token, whoever has it", arguments: paths)
    func token(_ path: String) throws {
        let network = VirtualNetwork { $0.adminToken = "secret" }
        for field in [
            nil, "X-Admin-Token: ", "X-Admin-Token: secre", "X-Admin-Token: secret2", "Authorization: secret",
        ] {
            let response = try network.admin(.get, path, fields: field.map { [$0] } ?? [])
            #expect(response.status == 401, "\(field ?? "no field")")
        }
        let fields = ["X-Admin-Token: secret", "Origin: https://example.com"]
        #expect(try Self.status(network, path, fields, isLocal: false) == "200")
    }

    @Test(
        "Pages of this machine may ask, pages of other sites may not",
        arguments: [
            ("http://localhost", true), ("http://localhost:3000", true), ("https://LOCALHOST", true),
            ("http://app.localhost:5173", true), ("http://127.0.0.1:8080", true), ("http://127.9.8.7", true),
            ("http://[::1]:8080", true), ("http://localhost.", true),
            ("https://example.com", false), ("http://localhost.example.com", false),
            ("http://127.0.0.1.example.com", false), ("http://127.example.com", false), ("http://127.0.0", false),
            ("http://127.0.0.256", false), ("http://127.0.0.0001", false), ("http://128.0.0.1", false),
            ("http://[::2]", false), ("http://[::1].example.com", false), ("http://notlocalhost", false),
            ("http://localhost:80@example.com", false), ("null", false), ("localhost", false), ("", false),
        ])
    func origin(_ origin: String, _ isAllowed: Bool) throws {
        let response = try VirtualNetwork().admin(.get, "clock", fields: ["Origin: \(origin)"])
        #expect(response.status == (isAllowed ? 200 : 403))
    }

    @Test(
        "A name that somebody else gave out does not lead here",
        arguments: [
            ("localhost", 200), ("localhost:8080", 200), ("127.0.0.1:8080", 200), ("[::1]:8080", 200),
            ("rebound.example.com", 403), ("127.0.0.1.example.com:8080", 403), ("192.168.0.7", 403), ("", 403),
        ])
    func host(_ host: String, _ status: Int) throws {
        let network = VirtualNetwork()
        let wire = try network.open()
        wire.send("GET /__admin/clock HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        #expect(String(decoding: wire.received, as: UTF8.self).hasPrefix("HTTP/1.1 \(status) "))
    }
}
