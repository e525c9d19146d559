import TestSupport
import Testing
import WebSocket

@testable import MockServer

@Suite("Closing WebSockets")
struct ClosingTests {
    private let network = VirtualNetwork()

    /// A frame as bytes, masked with a key of zeros, which changes nothing.
    private static func frame(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
        var bytes = [first]
        switch payload.count {
        case ...125: bytes.append(0x80 | UInt8(payload.count))
        case ...0xFFFF: bytes += [0xFE, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        default: bytes += [0xFF] + (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * $0)) }
        }
        return bytes + [0, 0, 0, 0] + payload
    }

    struct Violation: CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]
        let code: CloseCode

        private init(_ name: String, _ bytes: [UInt8], _ code: CloseCode = .protocolError) {
            (testDescription, self.bytes, self.code) = (name, bytes, code)
        }

        static let all = [
            Violation("unmasked", [0x81, 0x01, 0x61]), Violation("reserved bit", frame(0xC1, [0x61])),
            Violation("reserved opcode", frame(0x83, [])), Violation("fragmented ping", frame(0x09, [])),
            Violation("continuation of nothing", frame(0x80, [])),
            Violation("text within text", frame(0x01, [0x61]) + frame(0x81, [0x61])),
            Violation("close code 1005", frame(0x88, [0x03, 0xED])),
            Violation("close of one byte", frame(0x88, [0x03])),
            Violation("invalid UTF-8", frame(0x81, [0x61, 0xFF]), .invalidPayload),
            Violation("text cut in a character", frame(0x81, [0xC3]), .invalidPayload),
            Violation("invalid UTF-8 in a close reason", frame(0x88, [0x03, 0xE8, 0xFF]), .invalidPayload),
            Violation("over 1 MiB announced", [0x81, 0xFF, 0, 0, 0, 0, 0, 0x10, 0, 1, 0, 0, 0, 0], .messageTooBig),
            Violation(
                "over 1 MiB in fragments",
                frame(0x01, [UInt8](repeating: 0x20, count: 1 << 19))
                    + frame(0x80, [UInt8](repeating: 0x20, count: (1 << 19) + 1)), .messageTooBig),
            Violation("2⁶³ bytes announced", [0x81, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
        ]
    }

    @Test("A protocol violation closes the connection with its code", arguments: Violation.all)
    func violation(_ violation: Violation) throws {
        let socket = try network.socket(on: try network.consultation())
        socket.wire.send(violation.bytes)
        #expect(socket.closeCode == violation.code && !socket.closeReason.isEmpty && socket.wire.ending == .closed)
        #expect(network.engine.isEmpty && network.engine.connections.webSocketCount == 0)
        #expect(network.observations.contains { if case .webSocketFailed = $0 { true } else { false } })
    }

    @Test("A violation's close code does not depend on how its bytes are split", arguments: Violation.all)
    func cut(_ violation: Violation) throws {
        let id = try network.consultation()
        let whole = try network.socket(on: id)
        whole.wire.send(violation.bytes)
        for cut in 0..<min(violation.bytes.count, 40) {
            let socket = try network.socket(on: id)
            socket.wire.send(violation.bytes, cutAt: cut)
            #expect(socket.wire.received == whole.wire.received, "cut at \(cut)")
        }
    }

    @Test("Messages may have at most 1 MiB in chats and 16 MiB on the echo socket")
    func messageLimits() throws {
        let chat = try network.socket(on: try network.consultation())
        _ = chat.takeTypes()
        chat.send(String(repeating: " ", count: 1 << 20))
        #expect(chat.takeTypes() == ["error"])
        chat.send(String(repeating: " ", count: (1 << 20) + 1))
        #expect(chat.closeCode == .messageTooBig)

        let echo = try network.echo()
        let largest = [UInt8](repeating: 0x61, count: 16 << 20)
        echo.send(binary: largest)
        #expect(echo.takeEvents() == [.binary(largest)])
        echo.send(binary: largest + [0x61])
        #expect(echo.closeCode == .messageTooBig && echo.wire.ending == .closed)
    }

    @Test(
        "The server echoes a client's close code and closes the connection first",
        arguments: [CloseCode.normalClosure, .goingAway, CloseCode(rawValue: 4321), nil])
    func clientCloses(code: CloseCode?) throws {
        let socket = try network.socket(on: try network.consultation())
        socket.wire.closesInReply = false
        socket.close(code)
        #expect(socket.closeCode == code && socket.wire.sawEndOfStream && socket.wire.ending == .open)
        socket.wire.finishWriting()
        #expect(socket.wire.ending == .closed)
    }

    @Test("The server cuts off a client 2 s after its close frame")
    func clientStays() throws {
        let socket = try network.echo()
        socket.wire.closesInReply = false
        socket.close()
        #expect(network.endings(of: socket.wire, after: .seconds(2)) == [.open, .closed])
    }

    @Test("A client's end of stream ends the connection after pending output")
    func halfClose() throws {
        let socket = try network.echo(isRead: false)
        socket.send("last words")
        socket.wire.finishWriting()
        #expect(socket.wire.ending == .open)
        socket.wire.read()
        #expect(socket.takeEvents() == [.text(Array("last words".utf8))] && socket.wire.ending == .closed)
    }

    @Test("A half-closed socket receives no more chat frames")
    func halfClosedAudience() throws {
        let id = try network.consultation()
        let (gone, other) = (try network.socket(on: id), try network.socket(on: id))
        gone.send(#"{"type":"message","content":"hello"}"#)
        network.advance(by: .zero)
        gone.wire.stopReading()
        gone.send(#"{"type":"ping"}"#)
        gone.wire.finishWriting()
        let unsent = network.unsent(by: gone.wire)
        #expect(network.engine.defaultWorld.backend.openSocketCount == 1)
        other.send(#"{"type":"message","content":"hello"}"#)
        network.advance(by: .zero)
        #expect(unsent > 0 && network.unsent(by: gone.wire) == unsent)
        #expect(other.takeTypes().last == "stream_complete")
    }

    @Test(
        "Archiving sends an error frame and closes each of the consultation's sockets with 1000",
        arguments: [true, false])
    func archive(whileStreaming: Bool) throws {
        let network = VirtualNetwork { $0.pace = .human }
        let id = try network.consultation()
        let sockets = try (0..<3).map { _ in try network.socket(on: id) }
        let other = try network.socket(on: try network.consultation(#"{"persona":"fitness_coach"}"#))
        if whileStreaming {
            sockets[0].send(#"{"type":"message","content":"hello"}"#)
            network.advance(by: .seconds(1))
        }
        try network.archive(id)
        for socket in sockets {
            #expect(socket.takeFrames().last?["error"] == "Consultation is not active")
            #expect(socket.closeCode == .normalClosure && socket.wire.ending == .closed)
        }
        #expect(other.closeCode == nil)
        network.advance(by: .seconds(5))
        #expect(try network.messages(of: id).count == (whileStreaming ? 2 : 0))
    }

    @Test("The server cuts off a client that does not answer the close frame within 2 s")
    func noAnswer() throws {
        let (id, socket) = try network.chat()
        try network.archive(id)
        // The client has received the frame but does not answer, because it reads bytes, not frames.
        #expect(network.endings(of: socket.wire, after: .seconds(2)) == [.open, .closed])
        #expect(network.engine.isEmpty)
    }

    @Test("Input after the server's close frame gets no answer")
    func chatterAfterClose() throws {
        let (id, socket) = try network.chat()
        let frames = socket.frames([String](repeating: #"{"type":"ping"}"#, count: 10))
        try network.archive(id)
        let received = socket.wire.received.count
        for _ in 0..<19 {
            socket.wire.send(frames)
            network.advance(by: .milliseconds(100))
        }
        #expect(socket.wire.received.count == received && socket.wire.ending == .open)
        network.advance(by: .milliseconds(100))
        #expect(socket.wire.ending == .closed)
    }
}
