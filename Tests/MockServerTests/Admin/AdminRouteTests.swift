import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import MockServer

@Suite("Admin API: endpoints") struct AdminRouteTests {
    private let network = VirtualNetwork()

    /// The paths below `/__admin`, and their methods.
    static let server = [
        "": "GET, HEAD", "health": "GET, HEAD", "echo": "GET", "openapi.yaml": "GET, HEAD", "ui": "GET, HEAD",
        "metrics": "GET, HEAD", "scenarios": "GET, HEAD", "scenarios/some%20name": "GET, HEAD",
        "worlds": "GET, HEAD, POST", "check": "POST", "drain": "GET, HEAD, POST", "mcp": "POST",
    ]
    static let ofWorlds = [
        "reset": "POST", "clock": "GET, HEAD, POST", "tokens": "POST", "requests": "GET, HEAD",
        "requests/unmatched": "GET, HEAD", "frames": "GET, HEAD", "entries": "GET, HEAD", "entries/9": "GET, HEAD",
        "journal": "GET, HEAD, DELETE", "har": "GET, HEAD", "events": "GET", "verdicts": "GET, HEAD",
        "replay": "GET, HEAD", "faults": "GET, HEAD, POST, PATCH, DELETE",
        "faults/some%20name": "GET, HEAD, PATCH, DELETE", "network": "GET, HEAD, PUT",
        "breakpoints": "GET, HEAD, POST, PATCH, DELETE", "breakpoints/some%20name": "GET, HEAD, PATCH, DELETE",
        "held": "GET, HEAD, POST", "held/57": "GET, HEAD, POST, PATCH", "state": "GET, HEAD, PUT",
        "script": "GET, HEAD", "sockets": "GET, HEAD", "sockets/7": "GET, HEAD", "sockets/7/send": "POST",
        "sockets/7/close": "POST", "sockets/7/finish": "POST", "sockets/7/reset": "POST", "sockets/7/silence": "POST",
        "sockets/7/resume": "POST", "wait": "POST", "fork": "POST", "marks": "GET, HEAD, POST",
        "marks/some%20mark": "DELETE", "rewind": "POST",
    ]

    static func all(_ world: String) -> [String: String] {
        var all = server
        for (path, methods) in ofWorlds {
            all[path] = methods
            all["worlds/default/" + path] = methods
            all["worlds/\(world)/" + path] = methods
        }
        all["worlds/default"] = "GET, HEAD"
        all["worlds/\(world)"] = "GET, HEAD, DELETE"
        return all
    }

    @Test("Each path answers OPTIONS with its methods, and other methods with 405")
    func methods() throws {
        let id = try network.world().id
        for (path, methods) in Self.all(id) {
            for (method, status) in [(.options, 204), (HTTPRequest.Method("BREW")!, 405)] {
                let answer = try network.admin(method, path)
                #expect(answer.status == status && answer.fields[.allow] == methods + ", OPTIONS", "\(method) \(path)")
            }
        }
    }

    @Test("HEAD returns the fields of GET without a body")
    func head() throws {
        let id = try network.world().id
        for (path, methods) in Self.all(id) where methods.contains("HEAD") {
            let (get, head) = (try network.admin(.get, path), try network.admin(.head, path))
            #expect(head.status == get.status && head.body.isEmpty, "\(path)")
            for name in [HTTPField.Name.contentLength, .contentType] {
                #expect(head.fields[name] == get.fields[name], "\(path)")
            }
        }
    }

    @Test(
        "Any other admin path returns 404",
        arguments: [
            "nothing", "worlds/", "worlds/default/", "worlds/default/worlds", "worlds/default/health",
            "worlds/default/scenarios", "faults/", "faults/a/b", "requests/all", "clock/", "health/x",
        ])
    func unknown(_ path: String) throws {
        let response = try network.admin(.get, path)
        #expect(response.status == 404)
        #expect(response.message.hasPrefix("There is no endpoint \"/__admin/\(path)\" in the admin API."))
    }

    @Test("A route's parameter is the segment at the braces, not the world's id")
    func parameters() {
        func parameter(_ path: [String]) -> [String?] {
            let route = AdminRoute(segments: ["__admin"] + path, below: nil)
            return [route?.resource.template, route?.parameter.text, route?.worldID?.text]
        }
        #expect(parameter(["faults", "some name"]) == ["faults/{name}", "some name", nil])
        #expect(parameter(["faults", "{name}"]) == ["faults/{name}", "{name}", nil])
        #expect(parameter(["worlds", "w1", "faults", "worlds"]) == ["faults/{name}", "worlds", "w1"])
        #expect(parameter(["worlds", "w1"]) == ["worlds/{id}", "", "w1"])
        #expect(parameter(["requests", "unmatched"]) == ["requests/unmatched", "", nil])
        #expect(parameter(["faults", ""]) == [nil, nil, nil])
        #expect(parameter(["sockets", "7", "send"]) == ["sockets/{connection}/send", "7", nil])
        #expect(parameter(["worlds", "w1", "sockets", "7"]) == ["sockets/{connection}", "7", "w1"])
    }

    @Test("The admin API under a world's prefix serves that world and the server")
    func belowAPrefix() throws {
        let (world, other) = (try network.world(#"{"clock": "manual"}"#), try network.world())
        func get(_ path: String) throws -> Response {
            try network.exchange(Request(target: "/w/\(world.id)/__admin/\(path)"))
        }
        #expect(try get("clock").text == world.ask(.get, "clock").text)
        #expect(try get("worlds/\(other.id)/clock").text == other.ask(.get, "clock").text)
        #expect(try get("health").json?["status"] == "ok" && get("worlds/default").json?["id"] == "default")
        #expect(try get("nothing").message.hasPrefix("There is no endpoint \"/__admin/nothing\" in the admin API."))
        #expect(try network.exchange(Request(target: "/w/w9/__admin/health")).status == 404)
        let client = HTTPClient(try network.open(isLocal: false))
        #expect(try client.exchange(Request(target: "/w/\(world.id)/__admin/clock")).status == 403)
        #expect(try world.journal().isEmpty)
        #expect(try network.exchange(Request(target: "/__administrator")).message.contains("in the admin API") == false)
    }

    @Test("The server checks access before the world and the world before the media type")
    func order() throws {
        func send(_ path: String, isLocal: Bool = true) throws -> Int {
            let text = Request(
                method: .post, target: "/__admin/" + path, fields: ["Content-Type: text/plain"],
                body: Array("nothing".utf8))
            return try HTTPClient(try network.open(isLocal: isLocal)).exchange(text).status
        }
        for (path, status) in [("worlds/w9/brew", 404), ("worlds/w9/state", 405), ("worlds/w9/clock", 403)] {
            #expect(try send(path, isLocal: false) == status, "\(path)")
        }
        #expect(try send("worlds/w9/clock") == 404 && send("clock") == 415)
        for (body, status) in [("nothing", 400), ("{}", 409)] {
            #expect(try network.admin(.post, "clock", body).status == status, "\(body)")
        }
    }

    @Test("The admin index lists each described operation with its summary")
    func index() throws {
        for path in ["/__admin", "/__admin/"] {
            let answer = try VirtualNetwork().exchange(Request(target: path))
            #expect(answer.status == 200 && answer.json?["name"] == "fitiq-mock")
            #expect(answer.json?["version"]?.string == Version.current)
            let operations = answer.json?["operations"]?.array ?? []
            let text = String(decoding: APIDescription.adminOpenAPIBytes, as: UTF8.self)
            #expect(operations.count == text.matches(of: #/operationId: /#).count)
            #expect(operations.count == text.matches(of: #/\n      summary: /#).count)
            #expect(
                operations.last == [
                    "method": "GET", "path": "/__admin/script", "summary": "Show what the world's scenario scripts",
                ])
        }
    }

    @Test("The description lists exactly the endpoints that the server routes")
    func described() throws {
        let text = String(decoding: try VirtualNetwork().admin(.get, "openapi.yaml").body, as: UTF8.self)
        var described: [String: Set<String>] = [:]
        var path = ""
        for line in text.split(separator: "\n").drop(while: { $0 != "paths:" }).prefix(while: { $0 != "components:" }) {
            if line.hasPrefix("  /"), line.hasSuffix(":") {
                path = String(line.dropFirst(3).dropLast())
            } else if line.hasPrefix("    "), !line.hasPrefix("     "),
                ["get:", "put:", "post:", "patch:", "delete:"].contains(line.dropFirst(4))
            {
                described[path, default: []].insert(line.dropFirst(4).dropLast().uppercased())
            }
        }
        var expected: [String: Set<String>] = [:]
        for (path, methods) in Self.all("w1") where !path.hasPrefix("worlds/default") && !path.hasPrefix("worlds/w1/") {
            let template = path.replacingOccurrences(of: "w1", with: "{id}")
                .replacingOccurrences(of: "some%20name", with: "{name}")
                .replacingOccurrences(of: "some%20mark", with: "{mark}")
                .replacingOccurrences(of: "/9", with: "/{number}").replacingOccurrences(of: "57", with: "{held}")
                .replacingOccurrences(of: "7", with: "{connection}")
            expected[template] = Set(methods.components(separatedBy: ", ")).subtracting(["HEAD"])
        }
        #expect(described == expected)
        #expect(Set(AdminRoute.templates.map { String($0.dropFirst("/__admin/".count)) }) == Set(expected.keys))
    }
}
