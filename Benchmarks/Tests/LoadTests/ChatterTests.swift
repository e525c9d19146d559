import Testing

@testable import Load
@testable import stream_load

@Suite("A connection's dialogue")
struct ChatterTests {
    private let head = "HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: \(webSocketAccept)\r\n\r\n"

    @Test("two answers are joined from their chunks")
    func dialogue() {
        var chatter = Chatter()
        chatter.started()
        #expect(chatter.headArrived(head) == .nothing)
        #expect(receive(#"{"type":"connected"}"#, &chatter) == .sendMessage)
        for turn in 0..<2 {
            chatter.messageSent(at: UInt64(turn))
            #expect(receive(#"{"type":"message_received"}"#, &chatter) == .nothing)
            #expect(receive(#"{"type":"stream_chunk","content":"eggs "}"#, &chatter) == .chunk)
            #expect(receive(#"{"type":"stream_chunk","content":"\"and\" toast"}"#, &chatter) == .chunk)
            #expect(chatter.chunks == 2)
            #expect(receive(#"{"type":"stream_complete"}"#, &chatter) == .sendMessage)
        }
        chatter.finish()
        #expect(chatter.answers == Array(repeating: Array(#"eggs \"and\" toast"#.utf8), count: 2))
        #expect(chatter.completed == 2)
    }

    @Test("a ping is answered with its payload")
    func ping() {
        var chatter = Chatter()
        #expect(receive("hi", opcode: 9, &chatter) == .sendPong(0..<2))
        #expect(receive("hi", opcode: 10, &chatter) == .nothing)
    }

    @Test(
        "a frame out of turn makes the connection fail",
        arguments: [#"{"type":"stream_chunk","content":"a"}"#, #"{"type":"connected"}"#, #"{"type":"error"}"#, "x"])
    func outOfTurn(message: String) {
        var chatter = Chatter()
        chatter.started()
        guard case .fail(let reason) = receive(message, &chatter) else {
            Issue.record("'\(message)' was taken before the handshake was over")
            return
        }
        #expect(reason == "out of turn in state handshaking: \(message)")
    }

    @Test("a close, a binary frame and a chunk without content make the connection fail")
    func refusedFrames() {
        var chatter = Chatter()
        chatter.messageSent(at: 0)
        #expect(receive("", opcode: 8, &chatter) == .fail("a frame with opcode 8 arrived"))
        #expect(receive("", opcode: 2, &chatter) == .fail("a frame with opcode 2 arrived"))
        let empty = #"{"type":"stream_chunk"}"#
        #expect(receive(empty, &chatter) == .fail("a chunk without content: \(empty)"))
    }

    @Test("a refused handshake and a wrong accept value make the connection fail")
    func refusedHandshake() {
        for head in ["HTTP/1.1 401 Unauthorized\r\n\r\n", "HTTP/1.1 101 Switching Protocols\r\n\r\n"] {
            var chatter = Chatter()
            #expect(chatter.headArrived(head) == .fail("handshake answered with \(head)"))
        }
    }

    private func receive(_ text: String, opcode: UInt8 = 1, _ chatter: inout Chatter) -> Chatter.Step {
        let bytes = Array(text.utf8)
        return bytes.withUnsafeBytes {
            chatter.frameArrived(ServerFrame(opcode: opcode, payload: 0..<bytes.count), in: $0)
        }
    }
}
