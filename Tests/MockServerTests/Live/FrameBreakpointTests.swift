import Digests
import JSON
import TestSupport
import Testing

@testable import MockServer

@Suite("Breakpoints: frames")
struct FrameBreakpointTests {
    static let ping = #"{"type":"ping"}"#
    private static let nonsense = #"{"type":"nonsense"}"#
    static let onPongs = #"{"on":"frame","direction":"server_to_client","match":{"type":"pong"}}"#
    private static let onPings = #"{"on":"frame","direction":"client_to_server","match":{"type":"ping"}}"#
    private static let onClients = #"{"on":"frame","direction":"client_to_server"}"#

    struct Chat {
        let held: HeldWorld
        let id: String
        let socket: VirtualSocket

        init(_ network: VirtualNetwork = .manual(), adding breakpoint: String? = nil) throws {
            try self.init(HeldWorld(network))
            if let breakpoint { try held.add(breakpoint) }
        }

        init(_ held: HeldWorld) throws {
            self.held = held
            id = try held.world.consultation()
            socket = try held.world.socket(on: id)
            #expect(socket.takeTypes() == ["connected"])
        }

        /// Sends texts, and returns the types of the frames that arrive.
        func types(after texts: String...) -> [String] {
            for text in texts { socket.send(text) }
            socket.update()
            return socket.takeTypes()
        }

        func types(acting json: String) throws -> [String] {
            try held.act(json)
            return types()
        }

        func archive() throws {
            #expect(try held.world.exchange(.post, "/api/v1/consultations/\(id)/archive").status == 200)
        }

        /// The journal's events about the socket since it opened.
        func story() throws -> [String] { Array(try held.story().drop { $0 != "opened" }.dropFirst(2)) }
    }

    @Test("A breakpoint holds a server frame and everything behind it on an open socket")
    func server() throws {
        let chat = try Chat()
        let rule = #""on":"socket","at":{"type":"pong"},"hold":{"what":"server_to_client","for":"90s"}"#
        #expect(
            try chat.held.world.ask(.post, "breakpoints", #"{"name":"b",\#(rule)}"#).text
                == #"{"name":"b","enabled":true,\#(rule),"matches":0,"acted":0,"holding":0}"#)
        #expect(chat.types(after: Self.ping, Self.nonsense, Self.ping) == [])
        let thing = try #require(try chat.held.held().first)
        #expect(thing["place"] == "frame" && thing["direction"] == "server_to_client" && thing["behind"] == 2)
        #expect(thing["frame"]?["opcode"] == "text" && thing["frame"]?["payload"]?.string?.contains("pong") == true)
        #expect(try chat.held.world.ask(.get, "breakpoints/b").json?["holding"] == 1)
        try chat.held.world.advance("3s")
        // The next message is then held.
        #expect(try chat.held.act(#"{"action":"continue"}"#).json?["next"] == .null)
        #expect(chat.types() == ["pong", "error"])
        let next = try #require(try chat.held.held().first)
        #expect(next["due"] == "2025-01-29T10:30:00.000000000Z" && next["behind"] == 0)
        #expect(next["until"] == "2025-01-29T10:31:33.000000000Z")
        try chat.held.world.advance("1h")
        #expect(chat.types() == ["pong"])
        #expect(
            try chat.story() == [
                "frame", "held frame", "frame", "frame", "clock", "released continued", "frame [b]", "frame [b]",
                "held frame", "clock", "released expired", "frame [b]",
            ])
    }

    @Test("An operator can change, drop or step a held server frame")
    func acts() throws {
        let chat = try Chat(
            adding: #"{"on":"frame","direction":"server_to_client","match":{"type":"pong","text":"pong"}}"#)
        chat.socket.send(Self.ping)
        #expect(try chat.types(acting: #"{"action":"change","json":{"type":"surprise"}}"#) == ["surprise"])
        #expect(try chat.held.world.journal().last?["payload"] == #"{"type":"surprise"}"#)
        chat.socket.send(Self.ping)
        #expect(try chat.types(acting: #"{"action":"drop"}"#) == [])
        let lost = try chat.held.world.journal().last
        #expect(lost?["delivery"] == "none" && lost?["faults"] == ["live-1"])
        // A step holds the next message of any kind.
        chat.socket.send(Self.ping)
        #expect(try chat.held.act(#"{"action":"step"}"#).json?["next"] == .null)
        #expect(chat.types() == ["pong"])
        #expect(chat.types(after: Self.nonsense, Self.nonsense) == [])
        #expect(try chat.held.act(#"{"action":"step"}"#).json?["next"]?.int == chat.held.number())
        #expect(chat.types() == ["error"])
        #expect(try chat.types(acting: #"{"action":"change","text":"{\"type\":\"last\"}","step":true}"#) == ["last"])
        #expect(chat.types(after: Self.ping) == [])
        #expect(try chat.held.world.ask(.post, "held", #"{"action":"drop"}"#).text == #"{"released":1}"#)
        #expect(chat.types() == [])
    }

    @Test("A breakpoint holds a client frame and everything behind it before the server sees them")
    func client() throws {
        let chat = try Chat(adding: Self.onPings)
        chat.socket.send(Self.ping)
        chat.socket.ping("after")
        #expect(chat.types(after: Self.nonsense) == [])
        let thing = try #require(try chat.held.held().first)
        #expect(thing["direction"] == "client_to_server" && thing["frame"]?["payload"]?.string == Self.ping)
        #expect(try chat.story() == ["frame [live-1]", "held frame"])
        #expect(
            try chat.types(acting: #"{"action":"continue"}"#) == ["pong", "pong([97, 102, 116, 101, 114])", "error"])
        #expect(
            try chat.story() == [
                "frame [live-1]", "held frame", "released continued", "frame", "frame", "frame", "frame",
            ])
        // The journal has the client's frame, and its outcome.
        chat.socket.send(Self.ping)
        #expect(try chat.types(acting: #"{"action":"change","json":{"type":"other"}}"#) == ["error"])
        let entries = try chat.held.world.journal()
        #expect(entries.last { $0["kind"] == "released" }?["payload"] == #"{"type":"other"}"#)
        #expect(entries.last { $0["faults"] == ["live-1"] }?["payload"]?.string == Self.ping)
        chat.socket.send(Self.ping)
        try chat.held.act(#"{"action":"drop"}"#)
        #expect(chat.types(after: Self.ping) == [])
        try chat.held.act(#"{"action":"step"}"#)
        #expect(chat.types(after: Self.nonsense) == ["pong"])
        #expect(try chat.types(acting: #"{"action":"continue"}"#) == ["error"])
    }

    @Test("An operator sees and changes a held binary client frame as bytes")
    func binary() throws {
        let chat = try Chat(adding: Self.onClients)
        chat.socket.send(binary: [0xFF, 0])
        let frame = try #require(try chat.held.held().first?["frame"])
        #expect(frame["opcode"] == "binary" && frame["payload_base64"] == "/wA=")
        // The frame is not text, so it need not be UTF-8.
        #expect(try chat.types(acting: #"{"action":"change","base64":"/wE="}"#) == ["error"])
    }

    @Test("Behind a held client frame, the server reads at most the limit")
    func readBehind() throws {
        let chat = try Chat(.manual { $0.limits.unsentBytesBeforeReadingPauses = 1000 }, adding: Self.onPings)
        chat.socket.send(Self.ping)
        chat.socket.wire.send([UInt8](repeating: 0, count: 1000))
        #expect(chat.socket.wire.unread == 0)
        chat.socket.wire.send([0])
        #expect(chat.socket.wire.unread == 1)
    }

    @Test(
        "When a client leaves, the server discards its held frame and everything behind it", arguments: [false, true])
    func leaves(sendsMore: Bool) throws {
        let chat = try Chat(adding: Self.onPings)
        let breakpoint = { try chat.held.world.ask(.get, "breakpoints/live-1").json }
        #expect(try breakpoint()?["matches"] == 0, "a socket is no match")
        chat.socket.send(Self.ping)
        if sendsMore { chat.socket.send(Self.nonsense) }
        #expect(try chat.held.held().count == 1)
        chat.socket.wire.finishWriting()
        #expect(try chat.held.held().isEmpty)
        #expect(try chat.held.world.journal().last { $0["kind"] == "released" }?["action"] == "left")
        #expect(try breakpoint()?["matches"] == 1 && breakpoint()?["acted"] == 1)
    }

    @Test("A held client frame can time out in the middle of a clock move")
    func expires() throws {
        let chat = try Chat(
            adding: #"{"on":"frame","direction":"client_to_server","match":{"at":{"frame":1}},"timeout":"10s"}"#)
        chat.socket.wire.send(chat.socket.frames([Self.ping, Self.nonsense]))
        try chat.held.world.advance("9999999999ns")
        #expect(chat.types() == [])
        try chat.held.world.advance("1h")
        #expect(chat.types() == ["pong", "error"])
        let times = try chat.held.world.journal().suffix(4).map { $0["time"]?.string }
        #expect(times == Array(repeating: "2025-01-29T10:30:10.000000000Z", count: 4))
    }

    @Test("A breakpoint for one socket does not affect other sockets")
    func connections() throws {
        let one = try Chat()
        let held = one.held
        let other = try held.world.socket(on: try held.world.consultation(#"{"persona":"fitness_coach"}"#))
        _ = other.takeTypes()
        let number = try #require(try held.world.journal().last { $0["kind"] == "opened" }?["connection"]?.int)
        let rule = #"{"on":"frame","match":{"connection":\#(number)}}"#
        let added = try held.world.ask(.post, "breakpoints", rule).json
        #expect(added?["connection"]?.int == number && added?["hold"] == "both")
        try held.add(#"{"on":"frame","match":{"connections":1}}"#)
        try held.add(#"{"on":"frame","match":{"socket":"/ws/meal-logs"}}"#)
        one.socket.send(Self.ping)
        other.send(Self.ping)
        #expect(try one.types() == ["pong"] && held.held().count == 1)
        // The breakpoint applies in both directions: first to the ping, and then to its pong.
        try held.proceed()
        #expect(try held.held().first?["direction"] == "server_to_client")
        try held.proceed()
        other.update()
        #expect(other.takeTypes() == ["pong"])
        #expect(try held.world.socket(on: one.id).takeTypes() == [])
        #expect(try held.held().first?["breakpoint"] == "live-2")
    }

    @Test("A re-enabled breakpoint affects sockets that opened in the meantime")
    func switches() throws {
        let held = try HeldWorld(
            adding: #"{"on":"frame","enabled":false,"match":{"type":"pong"},"direction":"server_to_client"}"#)
        let chat = try Chat(held)
        func enable(_ isEnabled: Bool) throws {
            #expect(try held.world.ask(.patch, "breakpoints/live-1", "{\"enabled\":\(isEnabled)}").status == 200)
        }
        #expect(chat.types(after: Self.ping) == ["pong"])
        try enable(true)
        #expect(chat.types(after: Self.ping) == [])
        try enable(false)
        #expect(chat.types() == ["pong"])
        #expect(chat.types(after: Self.ping) == ["pong"])
        #expect(try held.story().suffix(4) == ["released ended", "frame [live-1]", "frame", "frame"])
    }

    @Test("The end of a socket discards its held frames", arguments: ["vanishes", "closes", "is archived", "reset"])
    func ends(_ how: String) throws {
        let chat = try Chat(adding: Self.onPongs)
        chat.socket.send(Self.ping)
        switch how {
        case "vanishes": chat.socket.wire.vanish()
        case "closes": chat.socket.close()
        case "reset": #expect(try chat.held.world.ask(.post, "reset").status == 200)
        default: try chat.archive()
        }
        let stories = [
            "vanishes": ["frame", "held frame", "released left", "frame [live-1]", "closed reset"],
            "closes": ["frame", "held frame", "released ended", "frame [live-1]", "closed close_frame"],
        ]
        #expect(chat.types().first == (how == "vanishes" ? nil : "pong"))
        if let story = stories[how] { #expect(try chat.story() == story) }
        #expect(try chat.held.held().isEmpty)
    }

    @Test("Releasing all held frames does not hold the frames behind them")
    func allContinues() throws {
        let chat = try Chat()
        #expect(try chat.held.world.ask(.post, "marks").status == 201)
        try chat.held.add(Self.onPongs)
        #expect(chat.types(after: Self.ping, Self.ping) == [])
        #expect(try chat.held.world.ask(.post, "rewind", #"{"to":"mark-1"}"#).status == 200)
        #expect(chat.types().prefix(2) == ["pong", "pong"])
        let last = try chat.story().prefix { !$0.hasPrefix("closed") }.suffix(3)
        #expect(last == ["released ended", "frame [live-1]", "frame [live-1]"])
    }

    @Test("When the server closes a socket, it discards the held client frame")
    func archived() throws {
        let chat = try Chat(adding: Self.onClients)
        chat.socket.send(Self.ping)
        try chat.archive()
        chat.held.network.catchUp()
        chat.socket.update()
        chat.held.network.catchUp()
        #expect(try chat.held.held().isEmpty && chat.story().contains("released ended"))
        #expect(chat.socket.wire.ending == .closed)
    }

    @Test("A held frame continues when the frames behind it exceed the limit")
    func bytes() throws {
        let chat = try Chat(
            .manual { $0.limits.heldFrameBytes = 100_000 },
            adding: #"{"on":"frame","direction":"server_to_client","match":{"at":{"frame":1}}}"#)
        chat.socket.send(Self.ping)
        // The error quotes the rejected input.
        for _ in 0..<1_500 { chat.socket.send(Self.nonsense) }
        #expect(chat.types().count > 100 && chat.socket.wire.ending == .open)
        #expect(try chat.held.world.journal().contains { $0["action"] == "expired" })
    }

    @Test("An operator can send a frame of at most 1 MiB in any notation")
    func largest() throws {
        let chat = try Chat()
        let largest = 1024 * 1024
        func contents(_ count: Int) -> [String] {
            let text = String(repeating: "a", count: count)
            return [
                "\"text\":\"\(text)\"", "\"text\":\"\(String(repeating: "\\u0061", count: count))\"",
                "\"base64\":\"\(Base64.encode(Array(text.utf8)))\"", "\"json\":\"\(text.dropFirst(2))\"",
            ]
        }
        for (index, members) in contents(largest).enumerated() {
            let sent = try chat.held.world.ask(.post, "sockets/2/send", "{\(members)}")
            #expect(sent.status == 200 && sent.json?["sent"]?.int == largest, "\(index)")
            chat.socket.update()
            #expect(chat.socket.takeEvents().count == 1)
        }
        try chat.held.add(Self.onPongs)
        chat.socket.send(Self.ping)
        let number = try chat.held.number()
        for members in contents(largest + 1) {
            for (path, action) in [("sockets/2/send", ""), ("held/\(number)", #""action":"change","#)] {
                let refused = try chat.held.world.ask(.post, path, "{\(action)\(members)}")
                #expect(refused.status == 400 && refused.message.contains("1048576"), "\(refused.message)")
            }
        }
        try chat.held.act("{\"action\":\"change\",\(contents(largest)[1])}")
        chat.socket.update()
        #expect(chat.socket.takeEvents().count == 1)
        // Only these paths accept a body of this size.
        let padding = String(repeating: " ", count: 8 * largest)
        #expect(try chat.held.world.ask(.post, "sockets/2/send", "{\"text\":1}" + padding).status == 413)
        #expect(try chat.held.world.ask(.post, "held", "{\"action\":\"go\"}" + padding.prefix(largest)).status == 413)
    }

    @Test("A socket's description shows held frames and the closing state")
    func described() throws {
        let chat = try Chat()
        func socket() throws -> JSONValue? { try chat.held.world.ask(.get, "sockets/2").json }
        #expect(try socket()?["state"] == "open" && socket()?["held"] == [])
        try chat.held.add(Self.onPongs)
        chat.socket.send(Self.ping)
        let number = try chat.held.number()
        #expect(try socket()?["state"] == "held" && socket()?["held"]?[0]?.int == number)
        #expect(try chat.held.world.ask(.get, "breakpoints/live-1").json?["matches"] == 1)
        try chat.held.proceed()
        #expect(try socket()?["state"] == "open" && socket()?["held"] == [])
        chat.socket.send(Self.ping)
        #expect(try socket()?["state"] == "held")
        try chat.held.proceed()
        chat.socket.wire.stopReading()
        #expect(try chat.held.world.ask(.post, "sockets/2/close", "{}").status == 200)
        #expect(try socket()?["state"] == "closing" && socket()?["consultation"]?.string == chat.id)
    }

    @Test("A world's facts count held items and the connections that hold them")
    func facts() throws {
        let chat = try Chat()
        func counts() throws -> [Int] {
            let facts = try #require(chat.held.network.engine.inspectWorld(nil))
            return [facts.heldCount, facts.holdingCount]
        }
        #expect(try counts() == [0, 0])
        for (breakpoint, count) in [(Self.onPongs, 1), (Self.onClients, 2)] {
            try chat.held.add(breakpoint)
            chat.socket.send(Self.ping)
            #expect(try counts() == [count, count])
        }
        try chat.held.add(RequestBreakpointTests.onGoals)
        _ = try chat.held.sending(chat.held.goal)
        #expect(try counts() == [3, 3])
    }

    @Test("A breakpoint holds the same frames over TLS and for any split of the input")
    func pieces() throws {
        func session(cutAt size: Int, isSecure: Bool = false) throws -> [String] {
            let held = try HeldWorld()
            let id = try held.world.consultation()
            try held.add(#"{"on":"frame"}"#)
            let client = HTTPClient(try held.network.open(isSecure: isSecure))
            let socket = try client.upgrade(held.world.handshake(on: id))
            socket.wire.send(socket.frames([Self.ping, Self.nonsense]), inPiecesOf: size)
            var types: [String] = []
            for _ in 0..<10 {
                if !(try held.held().isEmpty) { try held.proceed() }
                held.network.catchUp()
                socket.update()
                types += socket.takeTypes()
            }
            return types + (try held.story().drop { $0 != "opened" })
        }
        let whole = try session(cutAt: 1 << 20)
        #expect(whole.prefix(3) == ["connected", "pong", "error"])
        for size in [1, 2, 7, 30] { #expect(try session(cutAt: size) == whole) }
        #expect(try session(cutAt: 5, isSecure: true) == whole)
    }
}
