import JSON
import TestSupport
import Testing

@testable import MockServer

@Suite("Admin API: faults while clients are connected") struct AdminFaultTests {
    @Test("The faults endpoints add, show, count, switch and remove a rule")
    func life() throws {
        let world = try VirtualNetwork().plainWorld()
        func goals() throws -> Int { try world.exchange(.get, "/api/v1/goals").status }
        let rule = #"{"name":"flaky","on":"GET /api/v1/goals","requests":"1..3","status":503,"retry_after":2}"#
        let shown =
            #"{"name":"flaky","enabled":true,"on":"GET /api/v1/goals","requests":"1..3","status":503,"retry_after":2,"#
        let added = try world.ask(.post, "faults", rule)
        #expect(added.status == 201 && added.text == shown + #""matches":0,"acted":0}"#)
        #expect(try goals() == 503)
        #expect(try world.ask(.get, "faults/flaky").text == shown + #""matches":1,"acted":1}"#)
        #expect(try world.ask(.get, "faults").text == #"{"faults":["# + shown + #""matches":1,"acted":1}]}"#)
        let off = try world.ask(.patch, "faults/flaky", #"{"enabled":false}"#)
        #expect(off.status == 200 && off.json?["enabled"]?.bool == false)
        #expect(try goals() == 200)
        #expect(try world.ask(.patch, "faults/flaky", #"{"enabled":true}"#).status == 200)
        #expect(try [goals(), goals(), goals()] == [503, 503, 200])
        #expect(try world.ask(.delete, "faults/flaky").status == 204)
        #expect(try world.ask(.delete, "faults/flaky").status == 404)
    }

    @Test("Another world accepts a rule in the form that the server shows")
    func again() throws {
        let network = VirtualNetwork()
        let (one, other) = (try network.world(#"{"scenario":"broken-frames"}"#), try network.world())
        let rules = try #require(try one.ask(.get, "faults").json?["faults"]?.array)
        #expect(!rules.isEmpty)
        for rule in rules { #expect(try other.ask(.post, "faults", "\(rule)").status == 201) }
        #expect(try other.ask(.get, "faults").text == (try one.ask(.get, "faults").text))
    }

    @Test("A rule without a name gets an unused name")
    func names() throws {
        let world = try VirtualNetwork().plainWorld()
        func add(_ name: String = "") throws -> String? {
            try world.ask(.post, "faults", "{\(name)\"on\":\"any\",\"hang\":true}").json?["name"]?.string
        }
        #expect(try [add(), add(#""name":"live-3","#), add(), add()] == ["live-1", "live-3", "live-2", "live-4"])
    }

    @Test(
        "The server rejects invalid rules",
        arguments: [
            ("", "empty"), ("[]", "JSON object"), ("{", "not valid JSON"), (#"{"on":"any"}"#, "The fault"),
            (#"{"on":"any","delay":"2h"}"#, "delay must last"),
            (#"{"status":500}"#, "on"), (#"{"on":"any","statsu":500}"#, "status"),
            (#"{"on":"any","status":999}"#, "999"),
            (#"{"name":"taken","on":"any","status":500}"#, "taken"),
            (#"{"on":"GET /api/v1/gaols","status":500}"#, "goals"),
        ])
    func bad(_ body: String, _ fragment: String) throws {
        let world = try VirtualNetwork().plainWorld()
        #expect(try world.ask(.post, "faults", #"{"name":"taken","on":"any","hang":true}"#).status == 201)
        let response = try world.ask(.post, "faults", body.isEmpty ? nil : body)
        #expect(response.status == 400 && response.message.contains(fragment), "\(response.message)")
        #expect(try world.ask(.get, "faults").json?["faults"]?.array?.count == 1)
    }

    @Test(
        "A PATCH for a rule must contain the new state",
        arguments: ["{}", #"{"enabled":1}"#, #"{"enabled":null}"#, #"{"on":true}"#, "[]"])
    func badSwitch(_ body: String) throws {
        let world = try VirtualNetwork().plainWorld()
        #expect(try world.ask(.post, "faults", #"{"name":"f","on":"any","hang":true}"#).status == 201)
        #expect(try world.ask(.patch, "faults/f", body).status == 400)
        #expect(try world.ask(.patch, "faults/g", body).status == 404)
    }

    @Test(
        "Disabling or deleting a rule affects open sockets and resumes stalled reads",
        arguments: ["PATCH", "DELETE"])
    func openSockets(_ method: String) throws {
        let world = try VirtualNetwork().plainWorld()
        #expect(
            try world.ask(.post, "faults", #"{"name":"f","on":"socket","at":{"type":"pong"},"lose":true}"#).status
                == 201)
        let stall = #"{"name":"s","enabled":false,"on":"socket","stall_reading":true}"#
        #expect(try world.ask(.post, "faults", stall).status == 201)
        let socket = try world.socket(on: try world.consultation())
        socket.send(#"{"type":"ping"}"#)
        #expect(socket.takeTypes() == ["connected"])
        if method == "PATCH" {
            #expect(try world.ask(.patch, "faults/f", #"{"enabled":false}"#).status == 200)
        } else {
            #expect(try world.ask(.delete, "faults/f").status == 204)
        }
        socket.send(#"{"type":"ping"}"#)
        #expect(socket.takeTypes() == ["pong"])
        #expect(try world.ask(.get, "faults/s").json?["acted"]?.int != nil)
    }

    @Test("One request adds several rules atomically")
    func several() throws {
        let world = try VirtualNetwork().plainWorld()
        func names() throws -> [String?]? {
            try world.ask(.get, "faults").json?["faults"]?.array?.map { $0["name"]?.string }
        }
        let rules = #"{"name":"a","on":"any","hang":true},{"on":"any","hang":true},{"on":"handshake","delay":"1s"}"#
        let added = try world.ask(.post, "faults", "{\"faults\":[\(rules)]}")
        #expect(try added.status == 201 && added.text == world.ask(.get, "faults").text)
        #expect(try names() == ["a", "live-1", "live-2"])
        for (body, fragment) in [
            (#"{"faults":[{"name":"b","on":"any","hang":true},{"name":"a","on":"any","hang":true}]}"#, "named 'a'"),
            (#"{"faults":[{"name":"b","on":"any","hang":true},{"on":"any","statsu":500}]}"#, "faults[1].statsu"),
            (#"{"faults":[7]}"#, "faults[0]"), (#"{"faults":[]}"#, "list"), (#"{"faults":{}}"#, "list"),
            (#"{"faults":[{"name":"b","on":"any","hang":true}],"name":"c"}"#, "list"),
        ] {
            let response = try world.ask(.post, "faults", body)
            #expect(response.status == 400 && response.message.contains(fragment), "\(response.message)")
        }
        #expect(try names() == ["a", "live-1", "live-2"])
    }

    @Test("One request can enable or disable several or all rules, or remove all rules")
    func together() throws {
        let world = try VirtualNetwork().plainWorld()
        func status() throws -> Int { try world.exchange(.get, "/api/v1/goals").status }
        func enabled() throws -> [Bool?]? {
            try world.ask(.get, "faults").json?["faults"]?.array?.map { $0["enabled"]?.bool }
        }
        let on = #""on":"GET /api/v1/goals","status""#
        _ = try world.ask(.post, "faults", "{\"faults\":[{\"name\":\"a\",\(on):503},{\"name\":\"b\",\(on):500}]}")
        _ = try world.ask(.post, "breakpoints", #"{"on":"request","match":{"endpoint":"GET /api/v1/goals"}}"#)
        let off = try world.ask(.patch, "faults", #"{"enabled":false,"names":["a","live-1"]}"#)
        #expect(off.status == 200 && off.json?["faults"]?.array?.map { $0["name"]?.string } == ["a", "live-1"])
        #expect(try enabled() == [false, true, false] && status() == 500)
        #expect(try world.ask(.patch, "faults", #"{"enabled":true,"names":["a","c"]}"#).status == 404)
        #expect(try world.ask(.patch, "faults", #"{"enabled":true,"names":["a",7]}"#).status == 400)
        #expect(try world.ask(.patch, "faults", #"{"names":["a"]}"#).status == 400)
        #expect(try enabled() == [false, true, false])
        #expect(try world.ask(.patch, "breakpoints", #"{"enabled":true}"#).json?["breakpoints"]?.array?.count == 1)
        #expect(try world.ask(.patch, "faults", #"{"enabled":false}"#).status == 200)
        #expect(try enabled() == [false, false, false] && status() == 200)
        #expect(try world.ask(.delete, "breakpoints").status == 204)
        #expect(try enabled() == [false, false])
        #expect(try world.ask(.delete, "faults").status == 204)
        #expect(try enabled() == [] && status() == 200)
        #expect(try world.ask(.delete, "faults").status == 204)
    }

    @Test("A world rejects more than a thousand rules")
    func limit() throws {
        let world = try VirtualNetwork().plainWorld()
        let rule = #"{"on":"handshake","delay":"1s"}"#
        for _ in 0..<1000 { #expect(try world.ask(.post, "faults", rule).status == 201) }
        #expect(try world.ask(.post, "faults", rule).status == 400)
        #expect(try world.ask(.delete, "faults/live-1").status == 204)
        #expect(try world.ask(.post, "faults", rule).status == 201)
    }
}
