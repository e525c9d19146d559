import JSON
import TestSupport
import Testing

@testable import MockServer

@Suite("Admin API: faults while clients are connected") struct AdminFaultTests {
    private let world: WorldClient

    init() throws { world = try VirtualNetwork().plainWorld() }

    private func goals() throws -> Int { try world.exchange(.get, "/api/v1/goals").status }

    private func add(_ rule: String) throws -> Int { try world.ask(.post, "faults", rule).status }

    private func enable(_ isEnabled: Bool, _ name: String) throws -> Int {
        try world.ask(.patch, "faults/" + name, "{\"enabled\":\(isEnabled)}").status
    }

    private func faults() throws -> [JSONValue] {
        try #require(try world.ask(.get, "faults").json?["faults"]?.array)
    }

    @Test("The faults endpoints add, show, count, switch and remove a rule")
    func life() throws {
        let rule = #"{"name":"flaky","on":"GET /api/v1/goals","requests":"1..3","status":503,"retry_after":2}"#
        let shown = String(rule.replacing(#""flaky","#, with: #""flaky","enabled":true,"#).dropLast())
        let added = try world.ask(.post, "faults", rule)
        #expect(added.status == 201 && added.text == shown + #","matches":0,"acted":0}"#)
        #expect(try goals() == 503)
        #expect(try world.ask(.get, "faults/flaky").text == shown + #","matches":1,"acted":1}"#)
        #expect(try world.ask(.get, "faults").text == #"{"faults":["# + shown + #","matches":1,"acted":1}]}"#)
        let off = try world.ask(.patch, "faults/flaky", #"{"enabled":false}"#)
        #expect(off.status == 200 && off.json?["enabled"]?.bool == false)
        #expect(try goals() == 200 && enable(true, "flaky") == 200)
        #expect(try [goals(), goals(), goals()] == [503, 503, 200])
        #expect(try (0..<2).map { _ in try world.ask(.delete, "faults/flaky").status } == [204, 404])
    }

    @Test("Another world accepts a rule in the form that the server shows")
    func again() throws {
        let (one, other) = (try world.network.world(#"{"scenario":"broken-frames"}"#), world)
        let rules = try #require(try one.ask(.get, "faults").json?["faults"]?.array)
        #expect(!rules.isEmpty)
        for rule in rules { #expect(try add("\(rule)") == 201) }
        #expect(try other.ask(.get, "faults").text == (try one.ask(.get, "faults").text))
    }

    @Test("A rule without a name gets an unused name")
    func names() throws {
        func add(_ name: String = "") throws -> String? {
            try world.ask(.post, "faults", "{\(name)\"on\":\"any\",\"hang\":true}").json?["name"]?.string
        }
        #expect(try [add(), add(#""name":"live-3","#), add(), add()] == ["live-1", "live-3", "live-2", "live-4"])
    }

    @Test(
        "The server rejects invalid rules",
        arguments: [
            (nil, "empty"), ("[]", "JSON object"), ("{", "not valid JSON"), (#"{"on":"any"}"#, "The fault"),
            (#"{"on":"any","delay":"2h"}"#, "delay must last"), (#"{"status":500}"#, "on"),
            (#"{"on":"any","statsu":500}"#, "status"), (#"{"on":"any","status":999}"#, "999"),
            (#"{"name":"taken","on":"any","status":500}"#, "taken"),
            (#"{"on":"GET /api/v1/gaols","status":500}"#, "goals"),
        ])
    func bad(_ body: String?, _ fragment: String) throws {
        #expect(try add(#"{"name":"taken","on":"any","hang":true}"#) == 201)
        let response = try world.ask(.post, "faults", body)
        #expect(response.status == 400 && response.message.contains(fragment), "\(response.message)")
        #expect(try faults().count == 1)
    }

    @Test(
        "A PATCH for a rule must contain the new state",
        arguments: ["{}", #"{"enabled":1}"#, #"{"enabled":null}"#, #"{"on":true}"#, "[]"])
    func badSwitch(_ body: String) throws {
        #expect(try add(#"{"name":"f","on":"any","hang":true}"#) == 201)
        #expect(try ["f", "g"].map { try world.ask(.patch, "faults/" + $0, body).status } == [400, 404])
    }

    @Test(
        "Disabling or deleting a rule affects open sockets and resumes stalled reads", arguments: ["PATCH", "DELETE"])
    func openSockets(_ method: String) throws {
        #expect(try add(#"{"name":"f","on":"socket","at":{"type":"pong"},"lose":true}"#) == 201)
        #expect(try add(#"{"name":"s","enabled":false,"on":"socket","stall_reading":true}"#) == 201)
        let socket = try world.socket(on: try world.consultation())
        socket.send(#"{"type":"ping"}"#)
        #expect(socket.takeTypes() == ["connected"])
        if method == "PATCH" {
            #expect(try enable(false, "f") == 200)
        } else {
            #expect(try world.ask(.delete, "faults/f").status == 204)
        }
        socket.send(#"{"type":"ping"}"#)
        #expect(socket.takeTypes() == ["pong"])
        #expect(try world.ask(.get, "faults/s").json?["acted"]?.int != nil)
    }

    @Test("One request adds several rules atomically")
    func several() throws {
        let rules = #"{"name":"a","on":"any","hang":true},{"on":"any","hang":true},{"on":"handshake","delay":"1s"}"#
        let added = try world.ask(.post, "faults", "{\"faults\":[\(rules)]}")
        #expect(try added.status == 201 && added.text == world.ask(.get, "faults").text)
        #expect(try faults().map { $0["name"] } == ["a", "live-1", "live-2"])
        for (body, fragment) in [
            (#"{"faults":[{"name":"b","on":"any","hang":true},{"name":"a","on":"any","hang":true}]}"#, "named 'a'"),
            (#"{"faults":[{"name":"b","on":"any","hang":true},{"on":"any","statsu":500}]}"#, "faults[1].statsu"),
            (#"{"faults":[7]}"#, "faults[0]"), (#"{"faults":[]}"#, "list"), (#"{"faults":{}}"#, "list"),
            (#"{"faults":[{"name":"b","on":"any","hang":true}],"name":"c"}"#, "list"),
        ] {
            let response = try world.ask(.post, "faults", body)
            #expect(response.status == 400 && response.message.contains(fragment), "\(response.message)")
        }
        #expect(try faults().map { $0["name"] } == ["a", "live-1", "live-2"])
    }

    @Test("One request can enable or disable several or all rules, or remove all rules")
    func together() throws {
        func enabled() throws -> [JSONValue?] { try faults().map { $0["enabled"] } }
        func patch(_ body: String, _ path: String = "faults") throws -> Response { try world.ask(.patch, path, body) }
        let on = #""on":"GET /api/v1/goals","status""#
        #expect(try add("{\"faults\":[{\"name\":\"a\",\(on):503},{\"name\":\"b\",\(on):500}]}") == 201)
        _ = try world.ask(.post, "breakpoints", #"{"on":"request","match":{"endpoint":"GET /api/v1/goals"}}"#)
        let off = try patch(#"{"enabled":false,"names":["a","live-1"]}"#)
        #expect(off.status == 200 && off.json?["faults"]?.array?.map { $0["name"] } == ["a", "live-1"])
        #expect(try enabled() == [false, true, false] && goals() == 500)
        for (body, status) in [
            (#"{"enabled":true,"names":["a","c"]}"#, 404), (#"{"enabled":true,"names":["a",7]}"#, 400),
            (#"{"names":["a"]}"#, 400),
        ] {
            #expect(try patch(body).status == status, "\(body)")
        }
        #expect(try enabled() == [false, true, false])
        #expect(try patch(#"{"enabled":true}"#, "breakpoints").json?["breakpoints"]?.array?.count == 1)
        #expect(try patch(#"{"enabled":false}"#).status == 200 && enabled() == [false, false, false] && goals() == 200)
        #expect(try world.ask(.delete, "breakpoints").status == 204 && enabled() == [false, false])
        #expect(try world.ask(.delete, "faults").status == 204 && enabled() == [] && goals() == 200)
        #expect(try world.ask(.delete, "faults").status == 204)
    }

    @Test("A world rejects more than a thousand rules")
    func limit() throws {
        let rule = #"{"on":"handshake","delay":"1s"}"#
        for _ in 0..<1000 { #expect(try add(rule) == 201) }
        #expect(try add(rule) == 400 && world.ask(.delete, "faults/live-1").status == 204 && add(rule) == 201)
    }
}
