import FitIQBackend
import JSON
import TestSupport
import Testing

@testable import MockServer

@Suite("Chats over frames")
struct ChatTests {
    private let network = VirtualNetwork()

    @Test("`message` gets stream frames whose chunks form the stored answer", arguments: [Pace.instant, .human])
    func streamProtocol(pace: Pace) throws {
        let network = VirtualNetwork { $0.pace = pace }
        let (id, socket) = try network.chat()
        socket.send(#"{"type":"message","content":"  How much protein?  "}"#)
        network.advance(by: .seconds(4))
        let frames = socket.takeFrames()
        #expect(frames.allSatisfy { $0["timestamp"]?.string != nil && $0["consultation_id"]?.string == id })
        var types = frames.compactMap { $0["type"]?.string }
        #expect(types.prefix(2) == ["connected", "message_received"])
        #expect(types.popLast() == "stream_complete")
        #expect(types.dropFirst(2).allSatisfy { $0 == "stream_chunk" } && types.count > 4)
        let stored = try network.messages(of: id)
        #expect(stored.map { $0["role"] } == ["user", "assistant"] && stored[0]["content"] == "How much protein?")
        #expect(frames.compactMap { $0["content"]?.string }.joined() == stored[1]["content"]?.string)
    }

    @Test("`user_message` gets assistant frames with the stored answer's id", arguments: [Pace.instant, .human])
    func assistantProtocol(pace: Pace) throws {
        let network = VirtualNetwork { $0.pace = pace }
        let (id, socket) = try network.chat()
        socket.send(#"{"type":"user_message","content":"How much protein?","metadata":{"x":[1]}}"#)
        network.advance(by: .seconds(4))
        let frames = socket.takeFrames()
        let types = frames.compactMap { $0["type"]?.string }
        #expect(types.prefix(3) == ["connected", "user_message", "assistant_message_start"])
        #expect(types.last == "assistant_message_end")
        let stored = try network.messages(of: id)
        try #require(stored.count == 2)
        #expect(frames[1]["message_id"] == stored[0]["id"] && frames[1]["content"] == "How much protein?")
        #expect(frames.dropFirst(2).allSatisfy { $0["message_id"] == stored[1]["id"] })
        let chunks = frames.dropFirst(3).compactMap { $0["content"]?.string }
        #expect(chunks.joined() == stored[1]["content"]?.string && chunks.count > 2)
    }

    @Test("Each of a consultation's sockets gets the chat in its own protocol")
    func severalSockets() throws {
        let id = try network.consultation()
        let sockets = try (0..<3).map { _ in try network.socket(on: id) }
        for (socket, type) in zip(sockets, ["user_message", "message"]) {
            socket.send(#"{"type":"\#(type)","content":"hello"}"#)
            network.advance(by: .zero)
        }
        let (assistant, streaming) = (sockets[0].takeTypes(), sockets[1].takeTypes())
        #expect(streaming.count { $0 == "stream_complete" } == 1 && sockets[2].takeTypes() == ["connected"])
        let ends = ["user_message", "assistant_message_end"].map { end in assistant.count { $0 == end } }
        #expect(ends == [2, 2] && !assistant.contains { $0.hasPrefix("stream") })
    }

    @Test("The history contains the whole answer after a disconnection in the middle")
    func goesAway() throws {
        let network = VirtualNetwork { $0.pace = .human }
        let (id, socket) = try network.chat()
        socket.send(#"{"type":"message","content":"hello"}"#)
        network.advance(by: .seconds(1))
        #expect(socket.takeTypes().contains("stream_chunk"))
        socket.wire.vanish()
        network.advance(by: .seconds(4))
        #expect(try network.messages(of: id).count == 2 && network.engine.isEmpty)
    }

    @Test("The server queues up to 16 messages during an answer")
    func waiting() throws {
        let network = VirtualNetwork { $0.pace = .human }
        let (id, socket) = try network.chat()
        for index in 0..<18 { socket.send(#"{"type":"message","content":"number \#(index)"}"#) }
        let types = socket.takeTypes()
        #expect(types.filter { $0 == "message_received" }.count == 17 && types.last == "error")
        network.advance(by: .seconds(17 * 4))
        #expect(socket.takeTypes().count { $0 == "stream_complete" } == 17)
        #expect(try network.messages(of: id).count == 34)
    }

    static let badFrames: [(text: String, code: String, message: String)] = [
        ("", "INVALID_JSON", "not valid JSON"), ("{", "INVALID_JSON", "not valid JSON"),
        ("[]", "INVALID_JSON", "must be one JSON object"), ("{}", "INVALID_MESSAGE_TYPE", "has no 'type'"),
        (#"{"type":null}"#, "INVALID_MESSAGE_TYPE", "has no 'type'"),
        (#"{"type":7}"#, "INVALID_MESSAGE_TYPE", "'type' is 7"),
        (#"{"type":"mesage"}"#, "INVALID_MESSAGE_TYPE", "Did you mean \"message\"?"),
        (#"{"type":"message"}"#, "INVALID_CONTENT", "has no 'content'"),
        (#"{"type":"user_message","content":5}"#, "INVALID_CONTENT", "must be a string"),
        (#"{"type":"message","content":" \n\t "}"#, "INVALID_CONTENT", "is blank"),
        (#"{"type":"message","content":"\#(String(repeating: "é", count: 2001))"}"#, "INVALID_CONTENT", "has 2001"),
        (String(repeating: "[", count: 50_000), "INVALID_JSON", "not valid JSON"),
    ]

    @Test("A bad frame gets an error but does not close the socket", arguments: badFrames)
    func badFrame(text: String, code: String, message: String) throws {
        let socket = try network.greetedSocket(on: try network.consultation())
        socket.send(text)
        let frames = socket.takeFrames()
        #expect(frames.count == 1 && frames.first?["type"] == "error" && frames.first?["code"]?.string == code)
        #expect(frames.first?["error"]?.string?.contains(message) == true)
        socket.send(#"{"type":"ping"}"#)
        #expect(socket.takeTypes() == ["pong"])
    }

    @Test("A binary frame gets an error but does not close the socket")
    func binaryFrame() throws {
        let socket = try network.socket(on: try network.consultation())
        socket.send(binary: Array(#"{"type":"ping"}"#.utf8))
        #expect(socket.takeFrames().last?["code"] == "UNSUPPORTED_DATA")
        socket.ping("still here")
        #expect(socket.takeEvents() == [.pong(Array("still here".utf8))])
    }

    @Test("The server answers countless frames in one packet with bounded memory")
    func flood() throws {
        let socket = try network.socket(on: try network.consultation())
        let count = 20_000
        socket.wire.stopReading()
        socket.wire.send(socket.frames([String](repeating: "", count: count)))
        #expect(socket.wire.ending == .open && socket.wire.unread > 0 && socket.wire.highestUnsent < 2 << 20)
        socket.wire.read()
        #expect(socket.takeTypes().filter { $0 == "error" }.count == count)
    }
}
