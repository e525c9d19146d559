import FitIQAPI
import JSON
import TestSupport
import Testing
import WebSocket

@testable import MockServer

@Suite("Live control: sockets")
struct SocketControlTests {
    /// A socket in a world with a manual clock, after `connected`; its number is 2.
    struct Opened {
        let network: VirtualNetwork
        let world: WorldClient
        let consultation: String
        let socket: VirtualSocket

        init(_ network: VirtualNetwork = .manual()) throws {
            self.network = network
            world = try network.world(#"{"clock":"manual"}"#)
            consultation = try world.consultation()
            socket = try world.socket(on: consultation)
            #expect(socket.takeTypes() == ["connected"])
        }

        func ask(_ path: String, _ json: String? = nil) throws -> Response {
            try world.ask(json == nil ? .get : .post, "sockets" + path, json)
        }

        var last: JSONValue? { get throws { try world.journal().last } }
    }

    @Test("The socket list contains each open socket with its state")
    func list() throws {
        let opened = try Opened()
        try opened.world.advance("2s")
        opened.socket.send(#"{"type":"message","content":"Hello"}"#)
        try opened.world.advance("1s")
        let sockets = try #require(try opened.ask("").json?["sockets"]?.array)
        try #require(sockets.count == 1)
        let socket = sockets[0]
        #expect(socket["connection"] == 2 && socket["world"]?.string == opened.world.id)
        #expect(socket["path"]?.string == "\(opened.world.prefix)/api/v1/consultations/\(opened.consultation)/ws")
        #expect(socket["user"]?.string == DevelopmentCredentials.userID && socket["secure"] == false)
        #expect(socket["consultation"]?.string == opened.consultation && socket["protocol"] == "message")
        #expect(socket["state"] == "open" && socket["age"] == "3s" && socket["frames_in"] == 1)
        let types = opened.socket.takeTypes()
        #expect(socket["frames_out"]?.int == types.count + 1)
        #expect(socket["streaming"]?["piece"]?.int == types.count { $0 == "stream_chunk" })
        #expect(try #require(socket["streaming"]?["of"]?.int) > types.count)
        #expect(socket["next_deadline"] == (try opened.world.ask(.get, "clock").json?["next_step"]))
        // The default world does not list the socket, and no world lists it once it is closed.
        #expect(try opened.network.admin(.get, "sockets").json?["sockets"] == [])
        opened.socket.close()
        #expect(try opened.ask("").json?["sockets"] == [] && opened.ask("/2").status == 404)
    }

    @Test("The socket list omits the echo socket")
    func echo() throws {
        let network = VirtualNetwork()
        let echo = try network.echo()
        #expect(try network.admin(.get, "sockets").json?["sockets"] == [])
        echo.close()
    }

    @Test(
        "A frame sent manually arrives as written, and the journal marks its sender",
        arguments: [
            (#"{"text":"hello"}"#, WebSocket.Event.text(Array("hello".utf8))),
            (#"{"json":{"type":"x","n":1.0}}"#, .text(Array(#"{"type":"x","n":1.0}"#.utf8))),
            (#"{"base64":"AAEC"}"#, .binary([0, 1, 2])),
            (#"{"opcode":"ping","text":"p"}"#, .ping(Array("p".utf8))),
            (#"{"opcode":"ping"}"#, .ping([])),
        ])
    func send(_ body: String, _ event: WebSocket.Event) throws {
        let opened = try Opened()
        let answer = try opened.ask("/2/send", body)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(opened.socket.takeEvents() == [event])
        let frame = try #require(
            try opened.world.journal().last { $0["kind"] == "frame" && $0["direction"] == "server_to_client" })
        #expect(frame["faults"] == ["by hand"] && frame["connection"] == 2)
    }

    @Test("An operator can send each template unchanged")
    func templates() throws {
        let opened = try Opened()
        let templates = try #require(try opened.ask("/2").json?["templates"]?.array)
        let types = templates.compactMap { $0["type"]?.string }
        for (type, template) in zip(types, templates) {
            let answer = try opened.ask("/2/send", "{\"template\":\"\(type)\"}")
            #expect(answer.status == 200, "\(answer.text)")
            var object = try #require(opened.socket.takeFrames().first?.object, "\(type) did not arrive")
            #expect(object["type"]?.string == type)
            object["type"] = nil
            #expect(template["members"]?.object == object)
        }
    }

    @Test("The frame templates are the frames in the socket's guide")
    func guides() {
        func types(_ mode: GuideMode, _ endpoint: Endpoint? = .webSocket) -> [String] {
            let opening = SocketOpening(
                time: VirtualNetwork.start, path: "", endpoint: endpoint, user: "u", consultation: nil)
            let description = APIDescription.asyncAPI.json(for: mode)
            return FrameTemplates(in: description, for: opening, at: VirtualNetwork.start).all.map(\.type)
        }
        let meals = ["meal_log.completed", "meal_log.failed"]
        let stream = ["connected", "message_received", "stream_chunk", "stream_complete"]
        let messages =
            ["user_message", "assistant_message_start", "assistant_message_chunk", "template_created"]
            + ["assistant_message_end"]
        let usual = ["pong", "error"]
        #expect(types(.union) == stream + messages + usual + meals)
        #expect(types(.union, .mealSocket) == ["connected"] + usual + meals)
        // A recorded socket that is not part of the API has the same types as a consultation's socket.
        #expect(types(.union, nil) == types(.union))
        #expect(types(.consultationWebSocket) == stream + usual)
        #expect(types(.enhancedConsultations) == ["connected"] + messages + usual)
        #expect(types(.webSocketArchitecture) == stream.filter { $0 != "message_received" } + usual + meals)
        #expect(types(.mealLogWebSocket) == ["connected"] + usual + meals)
    }

    @Test("A send can replace a template's members but not add other members")
    func members() throws {
        let opened = try Opened()
        let sent = try opened.ask("/2/send", #"{"template":"stream_chunk","members":{"content":"Sent by hand"}}"#)
        #expect(sent.status == 200 && sent.json?["deprecated"] == nil)
        let frame = try #require(opened.socket.takeFrames().first)
        #expect(frame["content"] == "Sent by hand" && frame["consultation_id"]?.string == opened.consultation)
        let wrong = try opened.ask("/2/send", #"{"template":"stream_chunk","members":{"contents":"x"}}"#)
        #expect(wrong.status == 400 && wrong.message.contains("'content'"), "\(wrong.text)")
        let old = try opened.ask("/2/send", #"{"template":"stream_chunk","fields":{"content":"Sent by hand"}}"#)
        #expect(old.status == 200 && old.json?["sent"] == sent.json?["sent"])
        #expect(old.json?["deprecated"] == ["'fields' is deprecated but still accepted; write 'members'."])
    }

    @Test(
        "The server rejects invalid content and sends nothing",
        arguments: [
            "{}", #"{"text":"a","json":1}"#, #"{"text":1}"#, #"{"base64":"?"}"#, #"{"template":"x"}"#,
            #"{"template":"pong","text":"a"}"#, #"{"members":{}}"#, #"{"fields":{}}"#,
            #"{"template":"pong","members":1}"#, #"{"template":"pong","members":{"type":"x"}}"#,
            #"{"template":"pong","fields":{"type":"x"}}"#,
            #"{"template":"pong","members":{},"fields":{}}"#, #"{"opcode":"close"}"#, #"{"opcode":1,"text":"a"}"#,
            #"{"text":"a","x":1}"#, "[]", #"{"template":"pong","opcode":"ping"}"#,
            "{\"opcode\":\"ping\",\"text\":\"\(String(repeating: "x", count: 126))\"}",
        ])
    func refused(_ body: String) throws {
        let opened = try Opened()
        let count = try opened.world.journal().count
        let answer = try opened.ask("/2/send", body)
        #expect(answer.status == 400, "\(answer.text)")
        #expect(try opened.socket.takeEvents().isEmpty && opened.world.journal().count == count)
    }

    @Test("An operator can send a ping of the maximum length")
    func longestPing() throws {
        let opened = try Opened()
        let text = String(repeating: "x", count: 125)
        #expect(try opened.ask("/2/send", "{\"opcode\":\"ping\",\"text\":\"\(text)\"}").json?["sent"] == 125)
        #expect(opened.socket.takeEvents() == [.ping(Array(text.utf8))])
    }

    @Test(
        "A request for an unknown socket number returns 404",
        arguments: ["0", "1", "3", "x", "-1", "99999999999999999999"])
    func unknown(_ number: String) throws {
        let opened = try Opened()
        let actions = ["send", "close", "finish", "reset", "silence", "resume"]
        for action in actions { #expect(try opened.ask("/\(number)/\(action)", "{}").status == 404) }
        #expect(try opened.ask("/\(number)").status == 404)
    }

    @Test("When an operator closes a socket with any code, the client is not in breach", arguments: [1000, 1005])
    func close(_ code: Int) throws {
        let opened = try Opened()
        let answer = try opened.ask("/2/close", code == 1000 ? "{}" : "{\"code\":\(code),\"reason\":\"why\"}")
        #expect(answer.status == 200 || answer.status == 204, "\(answer.text)")
        _ = opened.socket.takeEvents()
        let closed = try #require(try opened.world.journal().last { $0["kind"] == "closed" })
        #expect(closed["faults"] == ["by hand"] && closed["server_close"]?["code"]?.int == code, "\(closed)")
        #expect(try opened.ask("/2").status == 404)
    }

    @Test("A closing socket rejects further actions", arguments: ["send", "close", "silence"])
    func closing(_ action: String) throws {
        let world = try VirtualNetwork.manual().world(#"{"clock":"manual"}"#)
        let socket = try world.socket(on: try world.consultation(), window: 400)
        socket.wire.stopReading()
        let first = try world.ask(.post, "sockets/2/close", "{}")
        #expect(first.status == 200 && first.json?["state"] == "closing", "\(first.text)")
        #expect(try world.ask(.post, "sockets/2/\(action)", action == "send" ? #"{"text":"x"}"# : "{}").status == 409)
    }

    @Test(
        "finish and reset end the connection immediately, even while a fault is holding output",
        arguments: ["finish", "reset"], [true, false])
    func cut(_ action: String, _ isHeld: Bool) throws {
        let opened = try Opened()
        if isHeld {
            _ = try opened.world.ask(.post, "faults", #"{"on":"socket","at":{"frame":"2.."},"delay":"1m"}"#)
            let other = try opened.world.socket(on: opened.consultation)
            other.send(#"{"type":"ping"}"#)
            #expect(other.takeTypes() == ["connected"])
            #expect(try opened.ask("/3/\(action)", "{}").status == 204)
            #expect(other.wire.ending != .open && opened.socket.wire.ending == .open)
            #expect(other.takeTypes().isEmpty)
        } else {
            #expect(try opened.ask("/2/\(action)", "{}").status == 204)
            #expect(opened.socket.wire.ending == (action == "reset" ? .reset : .closed))
        }
        let closed = try #require(try opened.last)
        #expect(closed["kind"] == "closed" && closed["by"] == "server")
        #expect(closed["cause"] == "fault" && closed["faults"] == ["by hand"])
        #expect(try opened.ask("/\(isHeld ? 3 : 2)/\(action)", "{}").status == 404)
    }

    @Test("A silenced socket reads and sends nothing until it resumes")
    func silence() throws {
        let opened = try Opened()
        #expect(try opened.ask("/2/silence", "{}").json?["state"] == "silent")
        opened.socket.send(#"{"type":"ping"}"#)
        _ = try opened.world.exchange(
            .post, "/api/v1/meal-logs/natural", #"{"raw_input":"2 eggs","meal_type":"lunch"}"#)
        try opened.world.advance("5m")
        #expect(opened.socket.takeEvents().isEmpty)
        for (action, body) in [("send", #"{"text":"x"}"#), ("silence", "{}")] {
            #expect(try opened.ask("/2/\(action)", body).status == 409)
        }
        #expect(try opened.ask("/2/resume", "{}").json?["state"] == "open")
        #expect(opened.socket.takeTypes() == ["meal_log.completed", "pong"])
        #expect(try opened.ask("/2/resume", "{}").status == 409)
        // The socket's time stands still.
        try opened.world.advance("10m")
        #expect(opened.socket.wire.ending == .open)
        let fault = try opened.world.journal().first { $0["kind"] == "fault" }
        #expect(fault?["effect"] == "silence" && fault?["fault"] == "by hand")
    }

    @Test("The server resets a silenced socket after ten minutes on the world's clock")
    func endless() throws {
        let opened = try Opened()
        _ = try opened.ask("/2/silence", "{}")
        let due = try #require(try opened.world.ask(.get, "clock").json?["due"]?[0])
        #expect(due["what"] == "silence" && due["time"]?.string == "2025-01-29T10:40:00.000000000Z")
        try opened.world.advance("599.999s")
        #expect(opened.socket.wire.ending == .open)
        try opened.world.advance("1ms")
        #expect(opened.socket.wire.ending == .reset)
        #expect(try opened.last?["faults"] == ["by hand"])
    }

    @Test("An operator's actions do not count as breaches by the client")
    func judged() throws {
        let network = VirtualNetwork.manual()
        let world = try network.world(#"{"clock":"manual","judged":true}"#)
        let personas = ["nutritionist", "fitness_coach", "wellness_specialist", "general_wellness"]
        for (action, persona) in zip(["finish", "reset", "close", "silence"], personas) {
            let id = try world.consultation("{\"persona\":\"\(persona)\"}")
            _ = try world.exchange(.get, "/api/v1/consultations/\(id)/messages")
            let socket = try world.socket(on: id)
            _ = socket.takeEvents()
            socket.send(#"{"type":"message","content":"Hello"}"#)
            let number = try #require(try world.ask(.get, "sockets").json?["sockets"]?.array?.last?["connection"]?.int)
            #expect([200, 204].contains(try world.ask(.post, "sockets/\(number)/\(action)", "{}").status))
            try world.advance("1s")
            // The client answers a close frame.
            _ = socket.takeEvents()
            socket.wire.vanish()
            _ = try world.exchange(.get, "/api/v1/consultations/\(id)/messages")
        }
        let verdicts = try #require(try world.ask(.get, "verdicts").json?["verdicts"]?.array)
        #expect(verdicts.filter { $0["verdict"] == "broken" }.map { $0["id"] } == [])
    }
}
