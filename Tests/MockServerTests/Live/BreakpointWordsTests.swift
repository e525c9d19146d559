import JSON
import TestSupport
import Testing

@testable import MockServer

@Suite("Breakpoint vocabulary, current and old")
struct BreakpointWordsTests {
    private static func add(_ json: String) throws -> (added: JSONObject, shown: JSONObject) {
        let world = try HeldWorld().world
        let answer = try world.ask(.post, "breakpoints", json)
        #expect(answer.status == 201, "\(answer.text)")
        let name = try #require(answer.json?["name"]?.string)
        return (
            try #require(answer.json?.object), try #require(try world.ask(.get, "breakpoints/\(name)").json?.object)
        )
    }

    static let rows: [(old: String, now: String)] = [
        (
            #"{"on":"request","match":{"endpoint":"GET /api/v1/goals","text":"Run","requests":2},"timeout":"5m"}"#,
            #"{"on":"GET /api/v1/goals","requests":2,"hold":{"what":"request","text":"Run","for":"5m"}}"#
        ),
        (
            #"{"on":"response","name":"all","enabled":false}"#,
            #"{"on":"any","hold":"response","name":"all","enabled":false}"#
        ),
        (
            #"{"on":"handshake","match":{"socket":"/ws/meal-logs","connections":2}}"#,
            #"{"on":"handshake /ws/meal-logs","connections":2,"hold":"request"}"#
        ),
        (
            #"{"on":"frame","direction":"server_to_client","match":{"type":"pong"}}"#,
            #"{"on":"socket","at":{"type":"pong"},"hold":"server_to_client"}"#
        ),
        (
            #"{"on":"frame","direction":"client_to_server","match":{"at":{"frame":2}}}"#,
            #"{"on":"socket","at":{"frame":2},"hold":"client_to_server"}"#
        ),
        (#"{"on":"frame"}"#, #"{"on":"socket","hold":"both"}"#),
    ]

    @Test("The old form creates the same breakpoint and returns a deprecation notice", arguments: rows)
    func forms(old: String, now: String) throws {
        let (first, second) = (try Self.add(old), try Self.add(now))
        #expect(first.shown == second.shown && second.added == second.shown)
        var added = first.added
        let notes = added["deprecated"]?.array
        #expect(notes?.count == 1 && notes?[0].string?.contains("a fault with 'hold'") == true)
        added["deprecated"] = nil
        #expect(added == first.shown)
        // The breakpoint can be added in the form that is shown.
        #expect(try Self.add("\(JSONValue.object(first.shown))").shown == first.shown)
    }

    @Test(
        "The notice for an old word gives the word's location",
        arguments: [
            (#"{"on":"socket","hold":"server"}"#, "server_to_client", "hold"),
            (#"{"on":"socket","hold":{"what":"client"}}"#, "client_to_server", "hold.what"),
        ])
    func oldWords(_ json: String, _ now: String, _ place: String) throws {
        let old = place.hasSuffix("what") ? "client" : "server"
        for path in ["breakpoints", "faults"] {
            let world = try HeldWorld().world
            let answer = try world.ask(.post, path, json)
            #expect(answer.status == 201 && answer.json?["hold"]?.string == now, "\(answer.text)")
            let note = "\(place) is \"\(old)\", which is deprecated but still accepted; write \"\(now)\"."
            #expect(answer.json?["deprecated"] == [.string(note)])
        }
    }

    @Test("A scenario with an old word works, and its check shows the new word")
    func scenarios() throws {
        let network = VirtualNetwork()
        let faults = #"[{"on":"socket","hold":"server"}]"#
        let note = "faults[0].hold is \"server\", which is deprecated but still accepted; write \"server_to_client\"."
        let made = try network.admin(.post, "worlds", #"{"scenario":{"name":"old","faults":\#(faults)}}"#)
        #expect(made.status == 201 && made.json?["deprecated"] == [.string(note)], "\(made.text)")
        let checked = try network.admin(
            .post, "check", #"{"text":"{name: old, faults: [{on: socket, hold: server}]}"}"#)
        #expect(checked.json?["ok"] == true && checked.json?["deprecated"] == [.string(note)], "\(checked.text)")
        let clean = try network.admin(.post, "check", #"{"text":"{name: new, faults: [{on: socket, hold: both}]}"}"#)
        #expect(clean.json?["ok"] == true && clean.json?["deprecated"] == nil)
    }

    @Test(
        "Errors for invalid breakpoints use the current words",
        arguments: [
            ("{}", "A breakpoint needs 'hold'"), (#"{"on":"GET /api/v1/goals"}"#, "'on' is \"GET /api/v1/goals\""),
            (#"{"on":7}"#, "'on' is 7"),
            (#"{"on":"any","hold":"client_to_server"}"#, "hold must be"), (#"{"hold":"request"}"#, "on is missing"),
            (#"{"on":"any","hold":"request","status":500}"#, "status"),
            (#"{"on":"any","hold":"request","match":{}}"#, "match"),
            (#"{"on":"any","hold":"request","connection":1}"#, "'connection' names an open WebSocket"),
            (#"{"on":"socket","hold":"both","connection":99}"#, "no open WebSocket 99"),
            (#"{"on":"socket","hold":"both","connection":1,"connections":1}"#, "either 'connection' or 'connections'"),
            (#"{"on":"any","hold":"request","controller":"me"}"#, "\"me\""),
        ])
    func refused(_ json: String, _ words: String) throws {
        let world = try HeldWorld().world
        let answer = try world.ask(.post, "breakpoints", json)
        #expect(answer.status == (json.contains("me\"}") ? 409 : 400))
        #expect(answer.message.contains(words), "\(answer.message)")
        #expect(try world.ask(.get, "breakpoints").json?["breakpoints"]?.array?.isEmpty == true)
    }
}
