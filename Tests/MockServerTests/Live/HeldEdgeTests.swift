import Scenarios
import TestSupport
import Testing

@testable import MockServer

@Suite("Breakpoints: limits and edge cases")
struct HeldEdgeTests {
    private static let onPongs = FrameBreakpointTests.onPongs
    private static let ping = FrameBreakpointTests.ping

    private static func heldBytes(_ socket: VirtualSocket, _ network: VirtualNetwork) -> Int? {
        network.connection(of: socket.wire)?.socketFaults?.heldBytes
    }

    @Test("The journal describes a held item in at most 200 bytes", arguments: [(200, false), (201, true)])
    func subjects(_ count: Int, _ isCut: Bool) throws {
        let held = try HeldWorld(adding: #"{"on":"request"}"#)
        let path = "/api/v1/goals/" + String(repeating: "a", count: count - "GET /api/v1/goals/".utf8.count)
        _ = try held.sending(held.world.request(.get, path))
        let subject = try held.world.journal().first { $0["kind"] == "held" }?["subject"]?.string
        #expect(subject == (isCut ? String("GET \(path)".prefix(199)) + "…" : "GET \(path)"))
    }

    @Test("A socket that exceeds its limit on held bytes releases only its own frames")
    func frames() throws {
        let measured = try FrameBreakpointTests.Chat(adding: Self.onPongs)
        measured.socket.send(Self.ping)
        let pong = try #require(Self.heldBytes(measured.socket, measured.held.network))
        let one = try FrameBreakpointTests.Chat(.manual { $0.limits.heldFrameBytes = 3 * pong })
        let held = one.held
        let other = try held.world.socket(on: try held.world.consultation(#"{"persona":"fitness_coach"}"#))
        #expect(other.takeTypes() == ["connected"])
        try held.add(Self.onPongs)
        for _ in 0..<3 {
            one.socket.send(Self.ping)
            other.send(Self.ping)
        }
        #expect(one.types().isEmpty && other.takeTypes().isEmpty)
        #expect(Self.heldBytes(other, held.network) == 3 * pong)
        other.send(Self.ping)
        #expect(one.types().isEmpty && other.takeTypes() == ["pong"])
    }

    @Test("Input beyond the limit on a silenced socket ends the socket")
    func silence() throws {
        /// The bytes that a silenced socket holds after each of the meals, and how it ended.
        func silent(limit: Int, meals: Int) throws -> (held: [Int?], ending: VirtualClient.Ending) {
            let scenario = try Scenario.read("{name: a, meals: [{after: 1s, fail: No.}]}")
            let network = VirtualNetwork.manual { ($0.scenario, $0.limits.heldFrameBytes) = (scenario, limit) }
            let world = try network.plainWorld()
            let socket = try world.socket(on: try world.consultation())
            #expect(try world.ask(.post, "sockets/2/silence", "{}").status == 200)
            let meal = #"{"raw_input":"2 eggs","meal_type":"lunch"}"#
            let held = try (0..<meals).map { _ in
                #expect(try world.exchange(.post, "/api/v1/meal-logs/natural", meal).status == 201)
                try world.advance("2s")
                return Self.heldBytes(socket, network)
            }
            return (held, socket.wire.ending)
        }
        let held = try silent(limit: .max, meals: 2).held.compactMap(\.self)
        try #require(held.count == 2 && held[0] > 0 && held[1] > held[0])
        let atLimit = try silent(limit: held[1], meals: 2)
        #expect(atLimit.held == held && atLimit.ending == .open)
        #expect(try silent(limit: held[1], meals: 3).ending == .reset)
    }

    @Test("A frame that passes because too much is held does not count as a match")
    func full() throws {
        let chat = try FrameBreakpointTests.Chat(adding: #"{"on":"request","match":{"endpoint":"GET /api/v1/goals"}}"#)
        for _ in 0..<256 { _ = try chat.held.sending(chat.held.goals) }
        try chat.held.add(Self.onPongs)
        #expect(chat.types(after: Self.ping) == ["pong"])
        let last = try #require(try chat.held.world.journal().last { $0["kind"] == "frame" })
        #expect(last["direction"] == "server_to_client" && last["faults"] == nil)
    }

    @Test("A step continues only to an item on the same connection")
    func steps() throws {
        let chat = try FrameBreakpointTests.Chat(adding: Self.onPongs)
        try chat.held.add(RequestBreakpointTests.onGoals)
        chat.socket.send(Self.ping)
        _ = try chat.held.sending(chat.held.goal)
        #expect(try chat.held.act(#"{"action":"step"}"#).json?["next"] == .null)
        #expect(chat.types() == ["pong"])
    }

    @Test("A breakpoint holds items again after a rewind")
    func holdsAgain() throws {
        let held = try HeldWorld(adding: RequestBreakpointTests.onGoals)
        #expect(try held.world.ask(.post, "marks").status == 201)
        let first = try held.sending(held.goal)
        #expect(try held.held().count == 1)
        #expect(try held.world.ask(.post, "rewind", #"{"to":"mark-1"}"#).status == 200)
        #expect(try first.response().status == 201)
        let second = try held.sending(held.goal)
        #expect(try held.held().count == 1 && second.wire.received.isEmpty)
    }

    @Test("An operator can send invalid UTF-8 in a server text frame")
    func noUTF8() throws {
        let chat = try FrameBreakpointTests.Chat(adding: Self.onPongs)
        chat.socket.send(Self.ping)
        try chat.held.act(#"{"action":"change","base64":"//4="}"#)
        #expect(chat.socket.wire.received.suffix(4) == [0x81, 2, 0xFF, 0xFE])
    }

    @Test(
        "The error for an invisible character in a method or target names the rule",
        arguments: [
            #""method":"G T""#, #""target":"/no path""#, #""target":"/a\r\nX: y""#, #""target":"/a\u007f""#,
            #""method":"GET\u0001""#,
        ])
    func invisible(_ member: String) throws {
        let (held, _) = try HeldWorld.holding(RequestBreakpointTests.onGoals)
        let refused = try held.act("{\"action\":\"change\",\(member)}", status: 400)
        #expect(refused.message == "A method and a target must be visible characters without spaces.")
    }

    @Test("The operator can set a held item's remaining time on the world's clock")
    func prolonged() throws {
        let (held, client) = try HeldWorld.holding(RequestBreakpointTests.onGoals)
        let path = "held/\(try held.number())"
        try held.world.advance("29s")
        let answer = try held.world.ask(.patch, path, #"{"for":"5m"}"#)
        #expect(try answer.status == 200 && answer.json?["held"]?.int == held.number(), "\(answer.text)")
        try held.world.advance("299s")
        #expect(client.wire.received.isEmpty)
        try held.world.advance("1s")
        #expect(try client.response().status == 201)
        #expect(try held.world.ask(.patch, path, #"{"for":"5m"}"#).status == 404)
        let other = try held.sending(held.goal)
        let next = try held.number()
        for body in [#"{"for":"0s"}"#, #"{"for":"61m"}"#, #"{"for":5}"#, "{}", #"{"for":"5m","x":1}"#] {
            #expect(try held.world.ask(.patch, "held/\(next)", body).status == 400, "\(body)")
        }
        try held.world.advance("30s")
        #expect(try other.response().status == 201)
    }
}
