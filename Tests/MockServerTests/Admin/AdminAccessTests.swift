import Foundation
import TestSupport
import Testing

@testable import MockServer

@Suite("Admin API: access") struct AdminAccessTests {
    private let network = VirtualNetwork()
    private let guarded = VirtualNetwork { $0.adminToken = "secret" }

    static let paths = [
        "worlds", "worlds/default", "clock", "scenarios", "requests", "journal", "events", "faults", "state",
    ]

    private static func status(
        _ network: VirtualNetwork, _ path: String, _ fields: [String] = [], isLocal: Bool = true
    ) throws -> Int? {
        let wire = try network.open(isLocal: isLocal)
        wire.send(Request(target: "/__admin/" + path, fields: fields).bytes)
        return wire.receivedStatus
    }

    @Test("Without a configured token, only local clients can use the admin API", arguments: paths)
    func loopback(_ path: String) throws {
        #expect(try Self.status(network, path) == 200 && Self.status(network, path, isLocal: false) == 403)
        #expect(try network.admin(.get, path, isLocal: false).errorCode == "FORBIDDEN")
    }

    @Test("Probes and tools can read their paths from any machine", arguments: ["health", "openapi.yaml", "ui"])
    func open(_ path: String) throws {
        #expect(try guarded.admin(.get, path, isLocal: false).status == 200)
    }

    @Test("The echo socket applies the same access rules as the rest of the admin API")
    func echo() throws {
        func status(_ network: VirtualNetwork, _ fields: [String] = [], isLocal: Bool = true) throws -> Int? {
            let wire = try network.open(isLocal: isLocal)
            defer { wire.vanish() }
            var request = Request.handshake("/__admin/echo")
            request.fields += fields
            wire.send(request.bytes)
            return wire.receivedStatus
        }
        #expect(try status(network) == 101 && status(network, isLocal: false) == 403)
        #expect(try status(network, ["Origin: http://localhost:8080"]) == 101)
        #expect(try status(network, ["Origin: https://example.com"]) == 403)
        #expect(try status(guarded) == 401)
        #expect(try status(guarded, ["X-Admin-Token: secret"], isLocal: false) == 101)
    }

    @Test(
        "Sec-Fetch-Site determines access with or without an 'Origin'",
        arguments: [("cross-site", 403), ("same-site", 403), ("same-origin", 200), ("none", 200)])
    func fetchSite(_ site: String, _ status: Int) throws {
        let field = "Sec-Fetch-Site: \(site)"
        for path in AdminRouteTests.all("default").keys where !["health", "openapi.yaml", "ui"].contains(path) {
            // No path supports this method, but the server checks access before the method.
            let methods = try #require(AdminRouteTests.all("default")[path])
            guard methods.contains("GET"), path != "echo", !path.hasSuffix("replay"), !path.contains("some"),
                !path.hasSuffix("7"), !path.hasSuffix("9"), !path.hasSuffix("events")
            else {
                guard status == 403, let method = methods.split(separator: ",").first else { continue }
                let response = try VirtualNetwork().admin(.init(String(method))!, path, fields: [field])  // A method.
                #expect(response.status == 403, "\(path)")
                continue
            }
            #expect(try VirtualNetwork().admin(.get, path, fields: [field]).status == status, "\(path)")
            for (name, status) in [("localhost:8080", status), ("rebound.example.com", 403)] {
                let network = VirtualNetwork()
                let wire = try network.open()
                wire.send("GET /__admin/\(path) HTTP/1.1\r\nHost: \(name)\r\n\(field)\r\n\r\n")
                #expect(wire.receivedStatus == status, "\(path) of \(name)")
            }
        }
        #expect(try guarded.admin(.get, "clock", fields: [field, "X-Admin-Token: secret"]).status == 200)
    }

    /// The table in docs/admin.md: `Host`, `Origin` and `Sec-Fetch-Site`, and whether the request is answered.
    static let browsers: [(host: String, origin: String?, site: String?, isAnswered: Bool)] = {
        let (here, elsewhere) = ("localhost:8080", "https://example.com")
        var rows: [(String, String?, String?, Bool)] = []
        for host in [here, "127.0.0.1", "rebound.example.com"] {
            for origin in [nil, "http://\(here)", elsewhere, "null"] {
                for site in [nil, "none", "same-origin", "same-site", "cross-site"] {
                    let isOfHere = host != "rebound.example.com" && (origin == nil || origin == "http://\(here)")
                    rows.append((host, origin, site, isOfHere && (site.map { !$0.hasSuffix("-site") } ?? true)))
                }
            }
        }
        return rows
    }()

    @Test("Host, Origin and Sec-Fetch-Site control access to every endpoint and method")
    func browserTable() throws {
        let open = ["health", "openapi.yaml", "ui"]
        for (path, methods) in AdminRouteTests.all("w0") where !open.contains(path) && !path.hasPrefix("worlds/w0") {
            let network = VirtualNetwork()
            for method in methods.components(separatedBy: ", ") where method != "HEAD" {
                for row in Self.browsers {
                    let wire = try network.open()
                    // No path accepts this body, so nothing changes.
                    let isWrite = method != "GET" && method != "DELETE"
                    let fields =
                        ["Host: \(row.host)"] + (row.origin.map { ["Origin: \($0)"] } ?? [])
                        + (row.site.map { ["Sec-Fetch-Site: \($0)"] } ?? [])
                        + (isWrite ? ["Content-Type: application/json", "Content-Length: 2"] : [])
                    let lines = ["\(method) /__admin/\(path) HTTP/1.1"] + fields + ["", isWrite ? "[]" : ""]
                    wire.send(lines.joined(separator: "\r\n"))
                    let status = try #require(wire.receivedStatus)
                    #expect((status == 403) != row.isAnswered, "\(method) \(path) \(fields) \(status)")
                    wire.vanish()
                }
            }
        }
    }

    @Test("With a configured token, every client that sends it has access", arguments: paths)
    func token(_ path: String) throws {
        for field in ["", "X-Admin-Token: ", "X-Admin-Token: secre", "X-Admin-Token: secret2", "Authorization: secret"]
        {
            #expect(try guarded.admin(.get, path, fields: field.isEmpty ? [] : [field]).status == 401, "\(field)")
        }
        let fields = ["X-Admin-Token: secret", "Origin: https://example.com"]
        #expect(try Self.status(guarded, path, fields, isLocal: false) == 200)
    }

    @Test(
        "A request through a proxy needs the token",
        arguments: [
            "Via: 1.1 fitiq-mock", "Forwarded: for=192.0.2.1", "X-Forwarded-For: 127.0.0.1", "x-forwarded-host: a",
            "X-Forwarded-Proto: https", "X-Forwarded-Server: a", "X-Real-IP: 127.0.0.1",
        ])
    func throughProxy(_ field: String) throws {
        for path in Self.paths {
            #expect(try Self.status(network, path, [field]) == 403, "\(path)")
            #expect(try Self.status(guarded, path, [field, "X-Admin-Token: secret"]) == 200, "\(path)")
        }
        #expect(try network.admin(.get, "health", fields: [field]).status == 200)
    }

    @Test(
        "Only pages from local origins can use the admin API",
        arguments: [
            ("http://localhost", true), ("http://localhost:3000", true), ("https://LOCALHOST", true),
            ("http://127.0.0.1:8080", true), ("http://127.9.8.7", true), ("http://[::1]:8080", true),
            ("http://app.localhost:5173", false), ("http://evil.localhost", false), ("http://localhost.", false),
            ("chrome-extension://127.0.0.1", false), ("file://localhost", false), ("http://localhost/", false),
            ("http://localhost:80:80", false), ("http://localhost, http://localhost", false),
            ("https://example.com", false), ("http://localhost.example.com", false),
            ("http://127.0.0.1.example.com", false), ("http://127.example.com", false), ("http://127.0.0", false),
            ("http://127.0.0.256", false), ("http://127.0.0.0001", false), ("http://128.0.0.1", false),
            ("http://[::2]", false), ("http://[::1].example.com", false), ("http://notlocalhost", false),
            ("http://localhost:80@example.com", false), ("null", false), ("localhost", false), ("", false),
        ])
    func origin(_ origin: String, _ isAllowed: Bool) throws {
        let response = try network.admin(.get, "clock", fields: ["Origin: \(origin)"])
        #expect(response.status == (isAllowed ? 200 : 403))
    }

    @Test(
        "The admin API rejects a request with a foreign host name",
        arguments: [
            ("localhost", 200), ("localhost:8080", 200), ("127.0.0.1:8080", 200), ("[::1]:8080", 200),
            ("app.localhost", 403), ("localhost.", 403), ("localhost:80:80", 400), ("127.1", 403),
            ("rebound.example.com", 403), ("127.0.0.1.example.com:8080", 403), ("192.168.0.7", 403), ("", 403),
        ])
    func host(_ host: String, _ status: Int) throws {
        let wire = try network.open()
        wire.send("GET /__admin/clock HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        #expect(wire.receivedStatus == status)
    }
}
