import JSON
import Testing

@testable import Faults

@Suite("Breakpoints that hold messages")
struct HoldingTests {
    static func holding(
        _ point: SocketPoint, _ hold: Hold = Hold(fromServer: true), _ others: [(SocketFault, SocketPoint)] = []
    ) throws -> SocketFaults { try socketFaults([(.hold(hold), point)] + others) }

    @Test("A held message delays all messages behind it until its release")
    func order() throws {
        var socket = try Self.holding(.type("stream_chunk", .all))
        #expect(socket.send(bytes(Talk.connected)).transmission.bytes == frame(Talk.connected))
        let first = socket.send(bytes(Talk.chunk(1)), at: .after(5))
        #expect(first.transmission.bytes.isEmpty && first.messages.isEmpty)
        #expect(first.held?.breakpoint.name == "r0" && first.held?.time == .after(5))
        #expect(socket.send(bytes(Talk.complete)) == Outgoing())
        #expect(socket.send(bytes(Talk.chunk(2)), at: .after(6)).held == nil)
        #expect(socket.behindCount == 2)
        #expect(socket.waitingByteCount == (Talk.chunk(1) + Talk.complete + Talk.chunk(2)).utf8.count)
        let released = socket.release()
        #expect(released.transmission.bytes == frame(Talk.chunk(1)) + frame(Talk.complete))
        #expect((released.messages.map(\.ruleNames), released.held?.time) == ([["r0"], ["r0"]], .after(6)))
        #expect(
            socket.release(isLost: true).messages
                == [.init(text: bytes(Talk.chunk(2)), extent: .nothing, ruleNames: ["r0"])])
        #expect(socket.release() == Outgoing())
        #expect(socket.waitingByteCount == 0)
        #expect(socket.send(bytes(Talk.pong)).transmission.bytes == frame(Talk.pong))
    }

    @Test("Other rules apply to a held message only after its release")
    func otherRules() throws {
        var socket = try Self.holding(
            .frames(.only(2)), Hold(fromServer: true),
            [(.double, .frames(.only(2))), (.lose, .frames(.only(3))), (.delay(9), .frames(.only(4)))])
        _ = socket.send(bytes(Talk.connected))
        for text in [Talk.received, Talk.chunk(1), Talk.chunk(2)] { _ = socket.send(bytes(text)) }
        let released = socket.release()
        let begin = frame(Talk.received) + frame(Talk.received)
        #expect(released.transmission.bytes == begin + frame(Talk.chunk(2)))
        #expect(released.transmission.marks == [.init(begin.count, .wait(9))])
        #expect(released.messages.map(\.extent) == [.whole, .nothing, .whole])
        #expect(released.messages.map(\.ruleNames) == [["r1", "r0"], ["r2", "r0"], ["r3", "r0"]])
    }

    @Test("A release can change the text, hold the next message or undo the hold")
    func actions() throws {
        var socket = try Self.holding(.frames(.only(1)))
        _ = socket.send(bytes(Talk.connected))
        let changed = socket.release(text: bytes("{}"), steps: true)
        #expect(changed.transmission.bytes == frame("{}") && changed.messages.first?.text == bytes("{}"))
        #expect(socket.send(bytes(Talk.pong)).held?.text == bytes(Talk.pong))
        _ = socket.send(bytes(Talk.error))
        let stepped = socket.release(steps: true)
        #expect(stepped.transmission.bytes == frame(Talk.pong) && stepped.held?.text == bytes(Talk.error))
        let declined = socket.release(isDeclined: true)
        #expect((declined.transmission.bytes, declined.messages.first?.ruleNames) == (frame(Talk.error), ["r0"]))
        var other = try Self.holding(.frames(.only(1)))
        _ = other.send(bytes(Talk.connected))
        #expect(other.release(isDeclined: true).messages.first?.ruleNames == [])
    }

    @Test("A connection ends only after the messages before its end are released")
    func endings() throws {
        let reset: (SocketFault, SocketPoint) = (.reset, .frames(.only(2)))
        var socket = try Self.holding(.frames(.only(1)), Hold(fromServer: true), [reset])
        for text in [Talk.connected, Talk.received, Talk.chunk(1)] { _ = socket.send(bytes(text)) }
        let released = socket.release()
        #expect(released.transmission.bytes == frame(Talk.connected) && released.endingRule == "r1")
        #expect(released.transmission.marks.map(\.action) == [.reset])
        #expect(socket.isOver && socket.waitingByteCount == 0)
        var closing = try Self.holding(.frames(.only(1)), Hold(fromServer: true), [reset])
        for text in [Talk.connected, Talk.received, Talk.chunk(1)] { _ = closing.send(bytes(text)) }
        let closed = closing.close()
        #expect(closed.transmission.bytes == frame(Talk.connected) + frame(Talk.chunk(1)))
        #expect(closed.messages.map(\.extent) == [.whole, .nothing, .whole])
        #expect(closed.messages.map(\.ruleNames) == [["r0"], ["r1", "r0"], ["r0"]])
        var leaving = try Self.holding(.frames(.only(1)))
        for text in [Talk.connected, Talk.received] { _ = leaving.send(bytes(text)) }
        #expect(leaving.abandon().map(\.extent) == [.nothing, .nothing])
        #expect(leaving.release() == Outgoing())
        #expect(!leaving.isHolding)
    }

    @Test("A gate blocks reading and all messages, including released messages")
    func gates() throws {
        var socket = SocketFaults(seed: 7)
        #expect(socket.send(bytes(Talk.connected)).transmission.bytes == frame(Talk.connected))
        socket.gate()
        #expect(socket.stallsReading && socket.isGated)
        #expect(socket.send(bytes(Talk.pong)) == Outgoing())
        let opened = socket.ungate()
        #expect(opened.transmission.bytes == frame(Talk.pong) && opened.messages.first?.ruleNames == ["by hand"])
        #expect(!socket.stallsReading && !socket.isGated)
        var held = try Self.holding(.frames(.only(1)))
        #expect(held.send(bytes(Talk.connected)).held != nil)
        held.gate()
        _ = held.send(bytes(Talk.pong))
        #expect(held.release().transmission == Transmission())
        #expect(held.ungate().transmission.bytes == frame(Talk.connected) + frame(Talk.pong))
        // Messages behind a gate are not held until the gate opens.
        var gated = try Self.holding(.frames(.only(1)))
        gated.gate()
        #expect(gated.send(bytes(Talk.connected)).held == nil)
        #expect(gated.ungate().held?.text == bytes(Talk.connected))
        // A step waits for messages behind the gate.
        _ = gated.release(steps: true)
        gated.gate()
        #expect(gated.send(bytes(Talk.pong)) == Outgoing())
        #expect(gated.ungate().held?.text == bytes(Talk.pong))
        // A step holds a message that is already waiting behind the gate.
        var stepped = SocketFaults(seed: 7)
        stepped.gate()
        _ = stepped.send(bytes(Talk.pong))
        stepped.holdNextFromServer(Breakpoint(name: "by", hold: Hold(fromServer: true)))
        #expect(stepped.ungate().held?.text == bytes(Talk.pong))
    }

    @Test("Client messages and server messages are counted separately")
    func client() throws {
        let hold = Hold(fromClient: true, fromServer: true, text: "o")
        var socket = try Self.holding(.type("ping", .only(2)), hold)
        #expect(socket.receive(bytes(#"{"type":"ping","no":1}"#), isText: true) == nil)
        #expect(socket.receive(bytes(#"{"type":"message"}"#), isText: true) == nil)
        #expect(socket.receive(bytes(#"{"type":"ping","no":2}"#), isText: true)?.name == "r0")
        #expect(socket.receive(bytes(#"{"type":"ping","no":3}"#), isText: true) == nil)
        var frames = try Self.holding(.frames(.only(2)), hold)
        #expect(frames.receive(bytes("lo"), isText: false) == nil)
        #expect(frames.receive(bytes("lo"), isText: false) != nil)
        frames.holdNextFromClient(Breakpoint(name: "by", hold: hold))
        #expect(frames.receive(bytes("x"), isText: true)?.name == "by")
        #expect(frames.receive(bytes("x"), isText: true) == nil)
        // The message must contain the text.
        var texts = try Self.holding(.frames(.all), Hold(fromClient: true, text: "aab"))
        for (text, isHeld) in [("aab", true), ("xaaab", true), ("aaxab", false), ("aa", false), ("", false)] {
            let breakpoint = texts.receive(bytes(text), isText: true)
            #expect((breakpoint != nil) == isHeld, "\(text)")
        }
        #expect(texts.send(bytes("aab")).held == nil)
        var server = try Self.holding(.frames(.all), Hold(fromServer: true))
        #expect(server.receive(bytes("aab"), isText: true) == nil)
    }

    @Test("A breakpoint attaches to an open socket once and counts the messages from then on")
    func attaches() throws {
        var book = FaultBook(rules: [.socket("a", .hold(Hold(fromServer: true)), at: .frames(.only(1)))])
        var socket: SocketFaults?
        for name: ExactString in ["a", "a", "b"] { book.attach(book.frameBreakpoints(named: [name]), to: &socket) }
        #expect(socket?.ruleNames == ["a"] && book.rules[0].matches == 1 && book.rules[0].acted == 0)
        let sent = socket?.send(bytes(Talk.pong))
        #expect(sent?.held != nil)
        let isHeld = [book.countHold(named: "a"), book.countHold(named: "b")]
        book.setEnabled(false, named: "a")
        #expect(isHeld + [book.countHold(named: "a")] == [true, false, false])
        #expect(book.rules[0].acted == 1)
        var selected = FaultBook(rules: [.socket("a", .hold(Hold(fromServer: true)), .only(2))])
        var other: SocketFaults?
        selected.attach(selected.frameBreakpoints(named: ["a"]), to: &other)
        #expect(other == nil)
        // Other rules on a socket, or rules that were removed, do not prevent a breakpoint from attaching.
        let rules = ["a", "b"].map { FaultRule.socket($0, .hold(Hold(fromServer: true))) }
        var both = FaultBook(rules: rules)
        var faults: SocketFaults?
        both.attach(both.frameBreakpoints(named: ["a"]), to: &faults)
        both.attach(both.frameBreakpoints(named: ["b"]), to: &faults)
        faults?.remove(named: "a")
        both.attach(both.frameBreakpoints(named: ["a"]), to: &faults)
        #expect(faults?.ruleNames == ["a", "b", "a"])
    }

    @Test("The first matching breakpoint holds a request or a response")
    func requests() throws {
        var book = FaultBook(rules: [
            .response("a", .hold(Hold(fromClient: true, text: "x"))), .response("b", .hold(Hold(fromClient: true))),
            .response("c", .hold(Hold(fromServer: true)), on: [], .only(2)),
        ])
        let faults = try unwrap(book.respond(to: .listGoals, at: .after(0)))
        #expect(faults.ruleNames == [] && faults.faults == [] && faults.replacement == nil)
        #expect(faults.breakpoint(fromClient: true, body: bytes("axb"))?.name == "a")
        #expect(faults.breakpoint(fromClient: true, body: [])?.name == "b")
        #expect(faults.breakpoint(fromClient: false, body: []) == nil)
        #expect(book.respond(to: .listGoals, at: .after(0))?.breakpoint(fromClient: false, body: [])?.name == "c")
        #expect(book.rules.map(\.acted) == [0, 0, 0] && book.rules.map(\.matches) == [2, 2, 2])
    }
}
