import Digests
import FitIQAPI
import HTTPTypes
import JSON
import TestSupport
import Testing
import Traffic
import WebSocket

@testable import MockServer

@Suite("Breakpoints: frames")
struct FrameBreakpointTests {
    static let ping = #"{"type":"ping"}"#

    /// A world with a socket that has received `connected`.
    struct Chat {
        let held: HeldWorld
        let id: String
        let socket: VirtualSocket

        init(_ held: HeldWorld) throws {
            self.held = held
            id = try held.world.consultation()
            socket = try held.world.socket(on: id)
            #expect(socket.takeTypes() == ["connected"])
        }

        func types() -> [String] {
            socket.update()
            return socket.takeTypes()
        }

        /// The journal's events about the socket since it opened.
        func story() throws -> [String] { Array(try held.story().drop { $0 != "opened" }.dropFirst(2)) }
    }

    @Test("A breakpoint holds a server frame and everything behind it on an open socket")
    func server() throws {
        let chat = try Chat(HeldWorld())
        let shown = try chat.held.world.ask(
            .post, "breakpoints",
            #"{"name":"b","on":"socket","at":{"type":"pong"},"hold":{"what":"server_to_client","for":"90s"}}"#)
        #expect(
            shown.text
                == #"{"name":"b","enabled":true,"on":"socket","at":{"type":"pong"},"hold":{"what":"server_to_client","for":"90s"},"#
                + #""matches":0,"acted":0,"holding":0}"#)
        chat.socket.send(Self.ping)
        chat.socket.send(#"{"type":"nonsense"}"#)
        chat.socket.send(Self.ping)
        #expect(chat.types() == [])
        let thing = try #require(try chat.held.held().first)
        #expect(thing["place"] == "frame" && thing["direction"] == "server_to_client" && thing["behind"] == 2)
        #expect(thing["frame"]?["opcode"] == "text" && thing["frame"]?["payload"]?.string?.contains("pong") == true)
        #expect(try chat.held.world.ask(.get, "breakpoints/b").json?["holding"] == 1)
        try chat.held.world.advance("3s")
        // The next message is then held.
        let second = try chat.held.act(#"{"action":"continue"}"#)
        #expect(second.json?["next"] == .null)
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
        let chat = try Chat(HeldWorld())
        try chat.held.add(#"{"on":"frame","direction":"server_to_client","match":{"type":"pong","text":"pong"}}"#)
        chat.socket.send(Self.ping)
        try chat.held.act(#"{"action":"change","json":{"type":"surprise"}}"#)
        #expect(chat.types() == ["surprise"])
        #expect(try chat.held.world.journal().last?["payload"] == #"{"type":"surprise"}"#)
        chat.socket.send(Self.ping)
        try chat.held.act(#"{"action":"drop"}"#)
        #expect(chat.types() == [])
        let lost = try chat.held.world.journal().last
        #expect(lost?["delivery"] == "none" && lost?["faults"] == ["live-1"])
        // A step holds the next message of any kind.
        chat.socket.send(Self.ping)
        #expect(try chat.held.act(#"{"action":"step"}"#).json?["next"] == .null)
        #expect(chat.types() == ["pong"])
        chat.socket.send(#"{"type":"nonsense"}"#)
        chat.socket.send(#"{"type":"nonsense"}"#)
        #expect(chat.types() == [])
        #expect(try chat.held.act(#"{"action":"step"}"#).json?["next"]?.int == chat.held.number())
        #expect(chat.types() == ["error"])
        try chat.held.act(#"{"action":"change","text":"{\"type\":\"last\"}","step":true}"#)
        #expect(chat.types() == ["last"])
        chat.socket.send(Self.ping)
        #expect(chat.types() == [])
        #expect(try chat.held.world.ask(.post, "held", #"{"action":"drop"}"#).text == #"{"released":1}"#)
        #expect(chat.types() == [])
    }

    @Test("A breakpoint holds a client frame and everything behind it before the server sees them")
    func client() throws {
        let chat = try Chat(HeldWorld())
        try chat.held.add(#"{"on":"frame","direction":"client_to_server","match":{"type":"ping"}}"#)
        chat.socket.send(Self.ping)
        chat.socket.ping("after")
        chat.socket.send(#"{"type":"nonsense"}"#)
        #expect(chat.types() == [])
        #expect(chat.socket.events.isEmpty)
        let thing = try #require(try chat.held.held().first)
        #expect(thing["direction"] == "client_to_server" && thing["frame"]?["payload"]?.string == Self.ping)
        #expect(try chat.story() == ["frame [live-1]", "held frame"])
        try chat.held.act(#"{"action":"continue"}"#)
        #expect(chat.types() == ["pong", "pong([97, 102, 116, 101, 114])", "error"])
        #expect(
            try chat.story() == [
                "frame [live-1]", "held frame", "released continued", "frame", "frame", "frame", "frame",
            ])
        // The journal has the client's frame, and its outcome.
        chat.socket.send(Self.ping)
        try chat.held.act(#"{"action":"change","json":{"type":"other"}}"#)
        #expect(chat.types() == ["error"])
        let entries = try chat.held.world.journal()
        #expect(entries.last { $0["kind"] == "released" }?["payload"] == #"{"type":"other"}"#)
        #expect(entries.last { $0["faults"] == ["live-1"] }?["payload"]?.string == Self.ping)
        chat.socket.send(Self.ping)
        try chat.held.act(#"{"action":"drop"}"#)
        #expect(chat.types() == [])
        chat.socket.send(Self.ping)
        try chat.held.act(#"{"action":"step"}"#)
        chat.socket.send(#"{"type":"nonsense"}"#)
        #expect(chat.types() == ["pong"])
        try chat.held.act(#"{"action":"continue"}"#)
        #expect(chat.types() == ["error"])
    }

    @Test("An operator sees and changes a held binary client frame as bytes")
    func binary() throws {
        let chat = try Chat(HeldWorld())
        try chat.held.add(#"{"on":"frame","direction":"client_to_server"}"#)
        chat.socket.send(binary: [0xFF, 0])
        let frame = try #require(try chat.held.held().first?["frame"])
        #expect(frame["opcode"] == "binary" && frame["payload_base64"] == "/wA=")
        // The frame is not text, so it need not be UTF-8.
        try chat.held.act(#"{"action":"change","base64":"/wE="}"#)
        #expect(chat.types() == ["error"])
    }

    @Test("Behind a held client frame, the server reads at most the limit")
    func readBehind() throws {
        let chat = try Chat(HeldWorld(.manual { $0.limits.unsentBytesBeforeReadingPauses = 1000 }))
        try chat.held.add(#"{"on":"frame","direction":"client_to_server","match":{"type":"ping"}}"#)
        chat.socket.send(Self.ping)
        chat.socket.wire.send([UInt8](repeating: 0, count: 1000))
        #expect(chat.socket.wire.unread == 0)
        chat.socket.wire.send([0])
        #expect(chat.socket.wire.unread == 1)
    }

    @Test(
        "When a client leaves, the server discards its held frame and everything behind it", arguments: [false, true])
    func leaves(sendsMore: Bool) throws {
        let chat = try Chat(HeldWorld())
        try chat.held.add(#"{"on":"frame","direction":"client_to_server","match":{"type":"ping"}}"#)
        let breakpoint = { try chat.held.world.ask(.get, "breakpoints/live-1").json }
        #expect(try breakpoint()?["matches"] == 0, "a socket is no match")
        chat.socket.send(Self.ping)
        if sendsMore { chat.socket.send(#"{"type":"nonsense"}"#) }
        #expect(try chat.held.held().count == 1)
        chat.socket.wire.finishWriting()
        #expect(try chat.held.held().isEmpty)
        let released = try chat.held.world.journal().last { $0["kind"] == "released" }
        #expect(released?["action"] == "left")
        #expect(try breakpoint()?["matches"] == 1 && breakpoint()?["acted"] == 1)
    }

    @Test("A held client frame can time out in the middle of a clock move")
    func expires() throws {
        let chat = try Chat(HeldWorld())
        try chat.held.add(#"{"on":"frame","direction":"client_to_server","match":{"at":{"frame":1}},"timeout":"10s"}"#)
        chat.socket.wire.send(chat.socket.frames([Self.ping, #"{"type":"nonsense"}"#]))
        try chat.held.world.advance("9999999999ns")
        #expect(chat.types() == [])
        try chat.held.world.advance("1h")
        #expect(chat.types() == ["pong", "error"])
        let times = try chat.held.world.journal().suffix(4).map { $0["time"]?.string }
        #expect(times == Array(repeating: "2025-01-29T10:30:10.000000000Z", count: 4))
    }

    @Test("A breakpoint for one socket does not affect other sockets")
    func connections() throws {
        let held = try HeldWorld()
        let (one, other) = (
            try Chat(held), try held.world.socket(on: try held.world.consultation(#"{"persona":"fitness_coach"}"#))
        )
        _ = other.takeTypes()
        let openings = try held.world.journal().filter { $0["kind"] == "opened" }
        let number = try #require(openings.last?["connection"]?.int)
        let added = try held.world.ask(.post, "breakpoints", "{\"on\":\"frame\",\"match\":{\"connection\":\(number)}}")
            .json
        #expect(added?["connection"]?.int == number && added?["hold"] == "both")
        try held.add(#"{"on":"frame","match":{"connections":1}}"#)
        try held.add(#"{"on":"frame","match":{"socket":"/ws/meal-logs"}}"#)
        one.socket.send(Self.ping)
        other.send(Self.ping)
        #expect(one.types() == ["pong"])
        #expect(try held.held().count == 1)
        // The breakpoint applies in both directions: first to the ping, and then to its pong.
        try held.act(#"{"action":"continue"}"#)
        #expect(try held.held().first?["direction"] == "server_to_client")
        try held.act(#"{"action":"continue"}"#)
        other.update()
        #expect(other.takeTypes() == ["pong"])
        let third = try held.world.socket(on: one.id)
        #expect(third.takeTypes() == [])
        #expect(try held.held().first?["breakpoint"] == "live-2")
    }

    @Test("A re-enabled breakpoint affects sockets that opened in the meantime")
    func switches() throws {
        let held = try HeldWorld()
        let name = try held.add(
            #"{"on":"frame","enabled":false,"match":{"type":"pong"},"direction":"server_to_client"}"#)
        let chat = try Chat(held)
        chat.socket.send(Self.ping)
        #expect(chat.types() == ["pong"])
        #expect(try held.world.ask(.patch, "breakpoints/\(name)", #"{"enabled":true}"#).status == 200)
        chat.socket.send(Self.ping)
        #expect(chat.types() == [])
        #expect(try held.world.ask(.patch, "breakpoints/\(name)", #"{"enabled":false}"#).status == 200)
        #expect(chat.types() == ["pong"])
        chat.socket.send(Self.ping)
        #expect(chat.types() == ["pong"])
        #expect(try held.story().suffix(4) == ["released ended", "frame [\(name)]", "frame", "frame"])
    }

    @Test("The end of a socket discards its held frames", arguments: ["vanishes", "closes", "is archived", "reset"])
    func ends(_ how: String) throws {
        let chat = try Chat(HeldWorld())
        try chat.held.add(#"{"on":"frame","direction":"server_to_client","match":{"type":"pong"}}"#)
        chat.socket.send(Self.ping)
        switch how {
        case "vanishes":
            chat.socket.wire.vanish()
            #expect(try chat.story() == ["frame", "held frame", "released left", "frame [live-1]", "closed reset"])
        case "closes":
            chat.socket.close()
            #expect(chat.types().first == "pong")
            #expect(
                try chat.story() == ["frame", "held frame", "released ended", "frame [live-1]", "closed close_frame"])
        case "reset":
            #expect(try chat.held.world.ask(.post, "reset").status == 200)
            #expect(chat.types().first == "pong")
        default:
            #expect(try chat.held.world.exchange(.post, "/api/v1/consultations/\(chat.id)/archive").status == 200)
            #expect(chat.types().first == "pong")
        }
        #expect(try chat.held.held().isEmpty)
    }

    @Test("Releasing all held frames does not hold the frames behind them")
    func allContinues() throws {
        let chat = try Chat(HeldWorld())
        #expect(try chat.held.world.ask(.post, "marks").status == 201)
        try chat.held.add(#"{"on":"frame","direction":"server_to_client","match":{"type":"pong"}}"#)
        for _ in 0..<2 { chat.socket.send(Self.ping) }
        #expect(chat.types() == [])
        #expect(try chat.held.world.ask(.post, "rewind", #"{"to":"mark-1"}"#).status == 200)
        #expect(chat.types().prefix(2) == ["pong", "pong"])
        let last = try chat.story().prefix { !$0.hasPrefix("closed") }.suffix(3)
        #expect(last == ["released ended", "frame [live-1]", "frame [live-1]"])
    }

    @Test("When the server closes a socket, it discards the held client frame")
    func archived() throws {
        let chat = try Chat(HeldWorld())
        try chat.held.add(#"{"on":"frame","direction":"client_to_server"}"#)
        chat.socket.send(Self.ping)
        #expect(try chat.held.world.exchange(.post, "/api/v1/consultations/\(chat.id)/archive").status == 200)
        chat.held.network.catchUp()
        chat.socket.update()
        chat.held.network.catchUp()
        #expect(try chat.held.held().isEmpty)
        #expect(try chat.story().contains("released ended"))
        #expect(chat.socket.wire.ending == .closed)
    }

    @Test("A held frame continues when the frames behind it exceed the limit")
    func bytes() throws {
        let network = VirtualNetwork.manual { $0.limits.heldFrameBytes = 100_000 }
        let chat = try Chat(HeldWorld(network))
        try chat.held.add(#"{"on":"frame","direction":"server_to_client","match":{"at":{"frame":1}}}"#)
        chat.socket.send(Self.ping)
        // The error quotes the rejected input.
        for _ in 0..<1_500 { chat.socket.send(#"{"type":"nonsense"}"#) }
        #expect(chat.types().count > 100)
        #expect(chat.socket.wire.ending == .open)
        #expect(try chat.held.world.journal().contains { $0["action"] == "expired" })
    }

    @Test("An operator can send a frame of at most 1 MiB in any notation")
    func largest() throws {
        let chat = try Chat(HeldWorld())
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
        try chat.held.add(#"{"on":"frame","direction":"server_to_client","match":{"type":"pong"}}"#)
        chat.socket.send(Self.ping)
        let number = try chat.held.number()
        for members in contents(largest + 1) {
            let send = try chat.held.world.ask(.post, "sockets/2/send", "{\(members)}")
            #expect(send.status == 400 && send.message.contains("1048576"), "\(send.message)")
            let change = try chat.held.world.ask(.post, "held/\(number)", "{\"action\":\"change\",\(members)}")
            #expect(change.status == 400 && change.message.contains("1048576"))
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
        let chat = try Chat(HeldWorld())
        func socket() throws -> JSONValue? { try chat.held.world.ask(.get, "sockets/2").json }
        #expect(try socket()?["state"] == "open" && socket()?["held"] == [])
        try chat.held.add(#"{"on":"frame","direction":"server_to_client","match":{"type":"pong"}}"#)
        chat.socket.send(Self.ping)
        let number = try chat.held.number()
        #expect(try socket()?["state"] == "held" && socket()?["held"]?[0]?.int == number)
        #expect(try chat.held.world.ask(.get, "breakpoints/live-1").json?["matches"] == 1)
        try chat.held.act(#"{"action":"continue"}"#)
        #expect(try socket()?["state"] == "open" && socket()?["held"] == [])
        // Check the same again.
        chat.socket.send(Self.ping)
        #expect(try socket()?["state"] == "held")
        try chat.held.act(#"{"action":"continue"}"#)
        chat.socket.wire.stopReading()
        #expect(try chat.held.world.ask(.post, "sockets/2/close", "{}").status == 200)
        #expect(try socket()?["state"] == "closing" && socket()?["consultation"]?.string == chat.id)
    }

    @Test("A world's facts count held items and the connections that hold them")
    func facts() throws {
        let chat = try Chat(HeldWorld())
        func counts() throws -> [Int] {
            let facts = try #require(chat.held.network.engine.inspectWorld(nil))
            return [facts.heldCount, facts.holdingCount]
        }
        #expect(try counts() == [0, 0])
        try chat.held.add(#"{"on":"frame","direction":"server_to_client","match":{"type":"pong"}}"#)
        chat.socket.send(Self.ping)
        #expect(try counts() == [1, 1])
        try chat.held.add(#"{"on":"frame","direction":"client_to_server"}"#)
        chat.socket.send(Self.ping)
        #expect(try counts() == [2, 2])
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
            socket.wire.send(socket.frames([Self.ping, #"{"type":"nonsense"}"#]), inPiecesOf: size)
            var types: [String] = []
            for _ in 0..<10 {
                if !(try held.held().isEmpty) { try held.act(#"{"action":"continue"}"#) }
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
