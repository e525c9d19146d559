import JSON
import TestSupport
import Testing

@testable import MockServer

@Suite("Breakpoints: requests, responses and handshakes")
struct RequestBreakpointTests {
    static let onGoals = #"{"on":"POST /api/v1/goals","hold":"request"}"#
    private static let onLists = #"{"on":"request","match":{"endpoint":"GET /api/v1/goals"}}"#

    private static func onGoals(_ place: String) -> String {
        #"{"on":"\#(place)","match":{"endpoint":"POST /api/v1/goals"}}"#
    }

    @Test("A breakpoint holds a request before the backend sees it, and the request can continue")
    func continues() throws {
        let held = try HeldWorld()
        #expect(
            try held.world.ask(.post, "breakpoints", Self.onGoals).text
                == #"{"name":"live-1","enabled":true,"on":"POST /api/v1/goals","hold":"request","matches":0,"acted":0,"#
                + #""holding":0}"#)
        let client = try held.sending(held.goal)
        #expect(try client.wire.received.isEmpty && held.goalCount() == 0)
        let thing = try #require(try held.held().first)
        #expect(thing["breakpoint"] == "live-1" && thing["place"] == "request" && thing["behind"] == 0)
        #expect(thing["direction"] == "client_to_server")
        #expect(thing["due"] == "2025-01-29T10:30:00.000000000Z" && thing["until"] == "2025-01-29T10:30:30.000000000Z")
        let due = try held.world.ask(.get, "clock").json?["due"]?.array?.first
        #expect(due?["what"] == "held" && due?["held"] == thing["held"] && due?["time"] == thing["until"])
        #expect(due?["connection"] == thing["connection"])
        #expect(thing["request"]?["method"] == "POST" && thing["request"]?["body"]?.string == WorldClient.goal)
        let number = try held.number()
        #expect(try held.world.ask(.get, "held/\(number)").json == thing)
        try held.world.advance("2s")
        let released = try held.act(#"{"action":"continue"}"#).text
        #expect(released == "{\"released\":\(number),\"action\":\"continued\",\"next\":null}")
        #expect(try client.response().status == 201)
        #expect(try held.goalCount() == 1 && held.held().isEmpty)
        let gone = try held.world.ask(.post, "held/\(number)", #"{"action":"continue"}"#)
        #expect(gone.status == 404 && gone.message.contains("continued"))
        let entries = try held.world.journal()
        let exchange = try #require(entries.first { $0["request"]?["method"] == "POST" })
        #expect(exchange["faults"] == ["live-1"] && exchange["response"]?["status"] == 201)
        #expect(exchange["requested_at"] == "2025-01-29T10:30:00.000000000Z")
        #expect(exchange["time"] == "2025-01-29T10:30:02.000000000Z")
        let story = try held.story().filter { $0 != "exchange" }
        #expect(story == ["held request", "clock", "released continued", "exchange [live-1]"])
        let shown = try held.world.ask(.get, "breakpoints/live-1").json
        #expect(shown?["matches"] == 1 && shown?["acted"] == 1 && shown?["holding"] == 0)
    }

    @Test("The backend gets the changed request, and the journal contains the original and the change")
    func changes() throws {
        let (held, client) = try HeldWorld.holding(Self.onGoals)
        let other = WorldClient.goal.replacing("Run", with: "Swim")
        try held.act("{\"action\":\"change\",\"json\":\(other)}")
        #expect(try client.response().json?["data"]?["title"] == "Swim")
        let entries = try held.world.journal()
        let released = entries.first { $0["kind"] == "released" }
        #expect(released?["payload"]?.string?.contains("Swim") == true && released?["action"] == "changed")
        #expect(entries.last?["request"]?["body"]?.string == WorldClient.goal)
        #expect(entries.last?["endpoint"] == "createGoal")
    }

    @Test("An operator can change a request's path, method and fields")
    func changesHead() throws {
        let (held, client) = try HeldWorld.holding(Self.onLists, \.goals)
        let fields =
            (try held.held().first?["request"]?["fields"]?.array ?? [])
            + [["name": "Content-Type", "value": "application/json"]]
        try held.act(
            "{\"action\":\"change\",\"method\":\"POST\",\"target\":\"/api/v1/goals\",\"fields\":\(JSONValue.array(fields)),"
                + "\"json\":\(WorldClient.goal)}")
        #expect(try client.response().status == 201)
        let exchange = try held.world.journal().last
        #expect(exchange?["request"]?["method"] == "GET" && exchange?["endpoint"] == "listGoals")
        let lost = try held.sending(held.goals)
        try held.act(#"{"action":"change","target":"/api/v1/nothing"}"#)
        #expect(try lost.response().status == 404)
        #expect(try held.world.journal().last?["unmatched"] == nil)
        let unauthorized = try held.sending(held.goals)
        try held.act(#"{"action":"change","fields":[{"name":"X-API-Key","value":"wrong"}]}"#)
        #expect(try unauthorized.response().status == 401)
    }

    @Test("An operator's answer replaces the backend's answer", arguments: ["request", "response"])
    func answers(_ place: String) throws {
        let (held, client) = try HeldWorld.holding(Self.onGoals(place))
        let fields = #"[{"name":"Retry-After","value":"2"},{"name":"Content-Length","value":"99"}]"#
        let action = place == "request" ? "answer" : "change"
        try held.act(#"{"action":"\#(action)","status":503,"fields":\#(fields),"text":"later"}"#)
        let response = try client.response()
        #expect(response.status == 503 && response.text == "later" && response.fields[.retryAfter] == "2")
        #expect(response.fields[.contentLength] == "5")
        #expect(try held.goalCount() == (place == "request" ? 0 : 1))
        let exchange = try held.world.journal().first { $0["request"]?["method"] == "POST" }
        #expect(exchange?["response"]?["status"] == 503 && exchange?["response"]?["body"] == "later")
        #expect(exchange?["faults"] == ["live-1"])
    }

    @Test(
        "An operator's answer takes its media type from its content unless a field sets it",
        arguments: [
            (#""text":"late""#, "text/plain; charset=utf-8"), (#""json":{}"#, "application/json; charset=utf-8"),
            (#""base64":"AAEC""#, "application/octet-stream"),
            (#""text":"a: b","fields":[{"name":"Content-Type","value":"text/yaml"}]"#, "text/yaml"),
            (#""text":"a","fields":[{"name":"X-A","value":"b"}]"#, "text/plain; charset=utf-8"),
        ])
    func mediaTypes(_ members: String, _ type: String) throws {
        let (held, client) = try HeldWorld.holding(Self.onGoals)
        try held.act("{\"action\":\"answer\",\"status\":503,\(members)}")
        #expect(try client.response().fields[.contentType] == type)
    }

    @Test("The error for a field value with a line break says so")
    func fieldValues() throws {
        let (held, _) = try HeldWorld.holding(Self.onGoals)
        let body = #"{"action":"answer","status":503,"fields":[{"name":"X-A","value":"b\r\nX-B: c"}]}"#
        #expect(try held.act(body, status: 400).message.contains("'X-A' must not contain line breaks"))
    }

    @Test("A breakpoint holds a response after the backend has acted")
    func responses() throws {
        let (held, client) = try HeldWorld.holding(
            #"{"on":"response","match":{"endpoint":"POST /api/v1/goals","text":"Run"},"timeout":"1m"}"#)
        #expect(try client.wire.received.isEmpty && held.goalCount() == 1)
        let thing = try #require(try held.held().first)
        #expect(thing["place"] == "response" && thing["direction"] == "server_to_client")
        #expect(thing["response"]?["status"] == 201 && thing["until"] == "2025-01-29T10:31:00.000000000Z")
        #expect(thing["response"]?["body"]?.string?.contains("Run") == true)
        try held.act(#"{"action":"change","status":204}"#)
        let response = try client.response()
        #expect(response.status == 204 && response.body.isEmpty)
    }

    @Test(
        "Dropping a request or response ends its connection",
        arguments: ["request", "response"], ["finish", "reset", "silence"])
    func drops(_ place: String, _ how: String) throws {
        let (held, client) = try HeldWorld.holding(Self.onGoals(place))
        try held.act("{\"action\":\"drop\",\"how\":\"\(how)\"}")
        let ending: VirtualClient.Ending = how == "finish" ? .closed : how == "reset" ? .reset : .open
        #expect(client.wire.received.isEmpty && client.wire.ending == ending)
        #expect(try held.goalCount() == (place == "request" ? 0 : 1))
        let exchange = try #require(try held.world.journal().first { $0["request"]?["method"] == "POST" })
        #expect(exchange["response"] == .null && exchange["delivery"] == "none" && exchange["faults"] == ["live-1"])
    }

    @Test("A step holds the response to the request")
    func steps() throws {
        let (held, client) = try HeldWorld.holding(Self.onGoals)
        let next = try held.act(#"{"action":"step"}"#).json?["next"]?.int
        #expect(try next == held.number() && client.wire.received.isEmpty)
        #expect(try held.held().first?["place"] == "response")
        try held.act(#"{"action":"step"}"#)
        #expect(try client.response().status == 201)
        #expect(try held.held().isEmpty)
        #expect(
            try held.story() == [
                "held request", "released continued", "held response", "released continued", "exchange [live-1]",
            ])
        // An item that is held by a step counts as a match.
        let counts = try held.world.ask(.get, "breakpoints/live-1").json
        #expect(counts?["matches"] == 2 && counts?["acted"] == 2)
        // A changed request may also step.
        _ = try held.sending(held.goal)
        #expect(try held.act(#"{"action":"answer","status":500,"step":true}"#).json?["next"] != .null)
        #expect(try held.held().first?["response"]?["status"] == 500)
    }

    @Test("A held item continues exactly at its time-out")
    func expires() throws {
        let (held, client) = try HeldWorld.holding(
            #"{"on":"request","match":{"endpoint":"POST /api/v1/goals"},"timeout":"10s"}"#)
        #expect(held.network.engine.nextStep(ofWorld: "default") == VirtualNetwork.start + .seconds(10))
        try held.world.advance("9999999999ns")
        #expect(client.wire.received.isEmpty)
        try held.world.advance("1ns")
        #expect(try client.response().status == 201)
        let released = try #require(try held.world.journal().first { $0["kind"] == "released" })
        #expect(released["action"] == "expired" && released["time"] == "2025-01-29T10:30:10.000000000Z")
        // Moving the clock further does not delay the expiry.
        let later = try held.sending(held.goal)
        try held.world.advance("1h")
        #expect(try later.response().status == 201)
        #expect(try held.world.journal().last?["time"] == "2025-01-29T10:30:20.000000000Z")
    }

    @Test("A held item also times out on a real clock", arguments: ["request", "handshake"])
    func expiresByItself(_ place: String) throws {
        let held = try HeldWorld(VirtualNetwork())
        let handshake = held.world.handshake(on: try held.world.consultation())
        try held.add("{\"on\":\"\(place)\",\"timeout\":\"10s\"}")
        let client = try held.sending(place == "request" ? held.goal : handshake)
        held.network.advance(by: .nanoseconds(9_999_999_999))
        #expect(client.wire.received.isEmpty)
        held.network.advance(by: .nanoseconds(1))
        let response = String(decoding: client.wire.received, as: UTF8.self)
        #expect(response.hasPrefix(place == "request" ? "HTTP/1.1 201" : "HTTP/1.1 101"))
        #expect(response.contains("Date: Wed, 29 Jan 2025 10:30:10 GMT\r\n"))
    }

    @Test("Requests behind a held request wait and get their answers in order")
    func pipelines() throws {
        let (held, client) = try HeldWorld.holding(Self.onGoals)
        client.wire.send(held.goals.bytes + held.goal.bytes + held.goals.bytes)
        #expect(client.wire.received.isEmpty)
        for count in 1...2 {
            #expect(try held.held().count == 1)
            try held.proceed()
            #expect(try client.response().status == 201)
            #expect(try client.response().json?["data"]?["goals"]?.array?.count == count)
        }
    }

    @Test("When a client leaves, the server discards its held request", arguments: ["request", "response"])
    func leaves(_ place: String) throws {
        let (held, client) = try HeldWorld.holding(Self.onGoals(place))
        client.wire.vanish()
        #expect(try held.held().isEmpty)
        #expect(try held.story() == ["held \(place)", "released left", "exchange [live-1]"])
        let exchange = try held.world.journal().last
        #expect(exchange?["delivery"] == "none" && exchange?["response"] == .null)
        #expect(try held.goalCount() == (place == "request" ? 0 : 1))
    }

    @Test("A half-closed client counts as gone unless more input has arrived", arguments: ["request", "response"])
    func finishes(_ place: String) throws {
        let held = try HeldWorld(adding: Self.onGoals(place))
        try held.world.advance("2s")
        let client = try held.sending(held.goal)
        try held.world.advance("3s")
        client.wire.finishWriting()
        #expect(try held.held().isEmpty && client.wire.ending == .closed && client.wire.received.isEmpty)
        #expect(try held.story().suffix(2) == ["released left", "exchange [live-1]"])
        #expect(try held.world.journal().last?["time"] == "2025-01-29T10:30:05.000000000Z")
        let busy = try held.sending(held.goal)
        busy.wire.send(held.goals.bytes)
        busy.wire.finishWriting()
        try held.proceed()
        for status in [201, 200] { #expect(try busy.response().status == status) }
        // The server reads later input only after the answer, so TLS cannot begin here.
        let strange = try held.sending(held.goal)
        strange.wire.send([0x16, 0x03, 0x01])
        strange.wire.send(Array("\r\n".utf8))
        #expect(strange.wire.received.isEmpty)
        try held.proceed()
        for status in [201, 400] { #expect(try strange.response().status == status) }
    }

    @Test("Disabling or removing a breakpoint releases everything it holds", arguments: ["PATCH", "DELETE", "reset"])
    func ends(_ how: String) throws {
        let (held, client) = try HeldWorld.holding(Self.onGoals)
        switch how {
        case "PATCH":
            #expect(try held.world.ask(.patch, "breakpoints/live-1", #"{"enabled":false}"#).json?["holding"] == 0)
        case "DELETE": #expect(try held.world.ask(.delete, "breakpoints/live-1").status == 204)
        default: #expect(try held.world.ask(.post, "reset").status == 200)
        }
        #expect(try client.response().status == 201 && held.held().isEmpty)
        if how != "reset" { #expect(try held.story() == ["held request", "released ended", "exchange [live-1]"]) }
        #expect(try held.world.exchange(.post, "/api/v1/goals", WorldClient.goal).status == 201)
        #expect(try held.world.ask(.get, "breakpoints").json?["breakpoints"]?.array?.count == (how == "PATCH" ? 1 : 0))
    }

    @Test("Deleting the world or stopping the server releases everything held")
    func ending() throws {
        let network = VirtualNetwork()
        let world = try network.world()
        #expect(try world.ask(.post, "breakpoints", Self.onGoals).status == 201)
        let client = try network.sending(world.request(.post, "/api/v1/goals", WorldClient.goal))
        #expect(client.wire.received.isEmpty)
        #expect(try network.admin(.delete, "worlds/\(world.id)").status == 204)
        #expect(try client.response().status == 201)

        let (held, other) = try HeldWorld.holding(#"{"on":"request"}"#, \.goals)
        held.network.beginShutdown()
        #expect(try other.response().status == 200 && other.wire.ending == .closed)
    }

    @Test("A world holds at most 256 items and counts later items that pass")
    func limit() throws {
        let held = try HeldWorld(adding: Self.onLists)
        let clients = try (0..<256).map { _ in try held.sending(held.goals) }
        #expect(clients.allSatisfy { $0.wire.received.isEmpty })
        for _ in 0..<2 { #expect(try held.sending(held.goals).response().status == 200) }
        let list = try held.world.ask(.get, "held").json
        #expect(list?["held"]?.array?.count == 256 && list?["limit"] == 256 && list?["passed"] == 2)
        #expect(try held.story().filter { $0 == "note" }.count == 1)
        #expect(try held.world.ask(.post, "held", #"{"action":"continue"}"#).text == #"{"released":256}"#)
        for client in clients { #expect(try client.response().status == 200) }
        #expect(try held.held().isEmpty)
    }

    @Test("A breakpoint holds a handshake before the socket opens")
    func handshakes() throws {
        let held = try HeldWorld()
        let id = try held.world.consultation()
        try held.add(#"{"on":"handshake","match":{"socket":"/api/v1/consultations/{id}/ws"}}"#)
        let request = held.world.handshake(on: id)
        let client = try held.sending(request)
        #expect(try client.wire.received.isEmpty && held.held().first?["place"] == "handshake")
        #expect(try held.act(#"{"action":"change","text":"x"}"#, status: 409).message.contains("handshake"))
        try held.world.advance("5s")
        try held.proceed()
        let socket = try client.acceptUpgrade(request)
        #expect(socket.takeTypes() == ["connected"])
        let opened = try held.world.journal().first { $0["kind"] == "opened" }
        #expect(opened?["faults"] == ["live-1"] && opened?["requested_at"] == "2025-01-29T10:30:00.000000000Z")

        let refused = try held.sending(request)
        try held.act(#"{"action":"answer","status":503,"text":"no"}"#)
        #expect(try refused.response(to: request).text == "no")
        let dropped = try held.sending(request)
        try held.act(#"{"action":"drop","how":"reset"}"#)
        #expect(dropped.wire.ending == .reset && dropped.wire.received.isEmpty)
        // A step holds the first frame.
        let stepping = try held.sending(request)
        try held.act(#"{"action":"step"}"#)
        let second = try stepping.acceptUpgrade(request)
        #expect(second.takeTypes() == [])
        #expect(try held.held().first?["frame"]?["payload"]?.string?.contains("connected") == true)
        try held.proceed()
        second.update()
        #expect(second.takeTypes() == ["connected"])
    }

    @Test(
        "The server rejects invalid breakpoints",
        arguments: [
            ("", "on"), ("[]", "object"), ("{}", "on"), (#"{"on":"reply"}"#, "'hold'"),
            (#"{"on":"request","macth":{}}"#, "match"), (#"{"on":"request","match":{"socket":"/x"}}"#, "socket"),
            (#"{"on":"request","match":[]}"#, "match"), (#"{"on":"frame","match":{"endpoint":"any"}}"#, "endpoint"),
            (#"{"on":"request","match":{"endpoint":"GET /api/v1/gaols"}}"#, "goals"),
            (#"{"on":"request","direction":"server_to_client"}"#, "direction"),
            (#"{"on":"handshake","direction":"server_to_client"}"#, "connected"),
            (#"{"on":"frame","direction":"sideways"}"#, "sideways"),
            (#"{"on":"request","timeout":"999us"}"#, "1ms"), (#"{"on":"request","timeout":"3601s"}"#, "1h"),
            (#"{"on":"request","timeout":5}"#, "duration"), (#"{"on":"request","match":{"text":""}}"#, "text"),
            (#"{"on":"frame","match":{"at":{"frame":1},"type":"pong"}}"#, "either"),
            (#"{"on":"frame","direction":"client_to_server","match":{"at":{"chunk":1}}}"#, "chunk"),
            (#"{"on":"frame","match":{"connection":99}}"#, "99"),
            (#"{"on":"frame","match":{"connection":0}}"#, "connection"),
            (#"{"on":"request","match":{"connection":1}}"#, "connection"),
            (#"{"on":"frame","match":{"connection":1,"connections":2}}"#, "either"),
            (#"{"on":"request","controller":""}"#, "100"),
            (#"{"on":"request","match":{"endpoint":"handshake"}}"#, "'match.endpoint' is a REST endpoint"),
            (#"{"on":"response","match":{"endpoint":"socket /ws/meal-logs"}}"#, "is a REST endpoint"),
            // The message uses the keys that arrived.
            (#"{"on":"request","match":{"endpoint":"GET /nothing"}}"#, "match.endpoint must be"),
            (#"{"on":"request","match":{"endpoint":["GET /api/v1/goals","x"]}}"#, "match.endpoint[1] must be"),
            (#"{"on":"handshake","match":{"socket":"/nothing"}}"#, "match.socket must be"),
            (#"{"on":"request","timeout":"2h"}"#, "timeout must last"),
            (#"{"on":"request","match":{"text":[]}}"#, "match.text must be"),
            (#"{"on":"request","match":{"requests":"0"}}"#, "match.requests must be"),
            (#"{"on":"frame","match":{"connections":"0"}}"#, "match.connections must be"),
            (#"{"on":"frame","match":{"type":"nothing"}}"#, "match.type must be"),
            (#"{"on":"frame","match":{"at":{"type":"nothing"}}}"#, "match.at.type must be"),
            (#"{"on":"frame","match":{"at":{}}}"#, "match.at needs"),
            (#"{"on":"request","name":""}"#, "name must be"), (#"{"on":"request","enabled":1}"#, "enabled must be"),
        ])
    func bad(_ body: String, _ fragment: String) throws {
        let held = try HeldWorld()
        let response = try held.world.ask(.post, "breakpoints", body.isEmpty ? nil : body)
        #expect(response.status == 400 && response.message.contains(fragment), "\(response.message)")
        #expect(try held.world.ask(.get, "breakpoints").text == #"{"breakpoints":[]}"#)
    }

    @Test("The server accepts a breakpoint at each limit and rejects a larger breakpoint")
    func edges() throws {
        let held = try HeldWorld()
        func add(_ members: String) throws -> Int { try held.world.ask(.post, "breakpoints", "{\(members)}").status }
        let longest = String(repeating: "x", count: 1000)
        #expect(try add("\"on\":\"request\",\"match\":{\"text\":\"\(longest)\"},\"timeout\":\"1ms\"") == 201)
        #expect(try add("\"on\":\"request\",\"match\":{\"text\":\"\(longest)x\"}") == 400)
        #expect(try add(#""on":"response","timeout":"1h""#) == 201)
        let name = String(repeating: "p", count: 100)
        #expect(try add("\"on\":\"request\",\"controller\":\"\(name)\"") == 409)
        #expect(try add("\"on\":\"request\",\"controller\":\"\(name)p\"") == 400)
        #expect(try held.world.ask(.post, "faults", #"{"name":"f","on":"any","hang":true}"#).status == 201)
        for name in ["nothing", "f"] { #expect(try held.world.ask(.get, "breakpoints/\(name)").status == 404) }
        let faults = try #require(try held.world.ask(.get, "faults").json?["faults"]?.array)
        #expect(faults.map { $0["hold"] != nil } == [true, true, false])
        #expect(try held.world.ask(.post, "faults", #"{"on":"any","hold":"request"}"#).status == 201)
        #expect(try held.world.ask(.get, "breakpoints").json?["breakpoints"]?.array?.count == 3)
    }

    @Test(
        "The server rejects an invalid action and keeps the request held",
        arguments: [
            "", "[]", "{}", #"{"action":"go"}"#, #"{"action":"continue","how":"reset"}"#,
            #"{"action":"continue","step":true}"#, #"{"action":"change"}"#, #"{"action":"change","step":true}"#,
            #"{"action":"change","status":200}"#, #"{"action":"change","text":"a","json":1}"#,
            #"{"action":"change","base64":"%"}"#, #"{"action":"change","text":5}"#,
            #"{"action":"change","method":"G T"}"#, #"{"action":"change","method":""}"#,
            #"{"action":"change","target":"no path"}"#, #"{"action":"change","target":"/a\r\nX: y"}"#,
            #"{"action":"change","target":"relative"}"#, #"{"action":"change","target":"/__admin/worlds"}"#,
            #"{"action":"change","target":"/w/w9/x"}"#, #"{"action":"change","target":"/health"}"#,
            #"{"action":"change","method":"GET","target":"/ws/meal-logs"}"#, #"{"action":"change","fields":{}}"#,
            #"{"action":"change","fields":[{"name":"a b","value":""}]}"#,
            #"{"action":"change","fields":[{"name":"a","value":"x\r\ny: z"}]}"#,
            #"{"action":"change","fields":[{"name":"a"}]}"#,
            #"{"action":"change","fields":[{"name":"Upgrade","value":"websocket"},{"name":"a","value":"\u0000"}]}"#,
            #"{"action":"drop","how":"gently"}"#, #"{"action":"drop","text":"x"}"#, #"{"action":"answer"}"#,
            #"{"action":"answer","status":199}"#, #"{"action":"answer","status":600}"#,
            #"{"action":"answer","status":"200"}"#, #"{"action":"answer","status":200,"method":"GET"}"#,
        ])
    func badActions(_ body: String) throws {
        let (held, client) = try HeldWorld.holding(Self.onGoals)
        let number = try held.number()
        let response = try held.world.ask(.post, "held/\(number)", body.isEmpty ? nil : body)
        #expect(response.status == 400, "\(response.text)")
        #expect(try client.wire.received.isEmpty && held.number() == number)
        for path in ["held/0", "held/x", "held/99999999999999999999"] {
            #expect(try held.world.ask(.get, path).status == 404)
        }
        #expect(try held.world.ask(.post, "held", #"{"action":"step"}"#).status == 400)
        try held.proceed()
        #expect(try client.response().status == 201)
    }

    @Test("The answer action fails for a held response")
    func wrongPlace() throws {
        let (held, client) = try HeldWorld.holding(
            #"{"on":"response","match":{"endpoint":"GET /api/v1/goals"}}"#, \.goals)
        #expect(try held.act(#"{"action":"answer","status":200}"#, status: 409).message.contains("change"))
        #expect(try held.act(#"{"action":"change","method":"POST"}"#, status: 400).message.contains("method"))
        try held.act(#"{"action":"drop"}"#)
        #expect(client.wire.ending == .closed)
    }
}
