import TestSupport
import Testing
import WebSocket

@testable import MockServer

@Suite("Closing WebSockets")
struct ClosingTests {
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
        let name: String
        let bytes: [UInt8]
        let code: CloseCode
        var testDescription: String { name }

        static let all = [
            Violation(name: "unmasked", bytes: [0x81, 0x01, 0x61], code: .protocolError),
            Violation(name: "reserved bit", bytes: frame(0xC1, [0x61]), code: .protocolError),
            Violation(name: "reserved opcode", bytes: frame(0x83, []), code: .protocolError),
            Violation(name: "fragmented ping", bytes: frame(0x09, []), code: .protocolError),
            Violation(name: "continuation of nothing", bytes: frame(0x80, []), code: .protocolError),
            Violation(name: "text within text", bytes: frame(0x01, [0x61]) + frame(0x81, [0x61]), code: .protocolError),
            Violation(name: "close code 1005", bytes: frame(0x88, [0x03, 0xED]), code: .protocolError),
            Violation(name: "close of one byte", bytes: frame(0x88, [0x03]), code: .protocolError),
            Violation(name: "invalid UTF-8", bytes: frame(0x81, [0x61, 0xFF]), code: .invalidPayload),
            Violation(name: "text cut in a character", bytes: frame(0x81, [0xC3]), code: .invalidPayload),
            Violation(
                name: "invalid UTF-8 in a close reason", bytes: frame(0x88, [0x03, 0xE8, 0xFF]), code: .invalidPayload),
            Violation(
                name: "over 1 MiB announced", bytes: [0x81, 0xFF, 0, 0, 0, 0, 0, 0x10, 0, 1, 0, 0, 0, 0],
                code: .messageTooBig),
            Violation(
                name: "over 1 MiB in fragments",
                bytes: frame(0x01, [UInt8](repeating: 0x20, count: 1 << 19))
                    + frame(0x80, [UInt8](repeating: 0x20, count: (1 << 19) + 1)), code: .messageTooBig),
            Violation(
                name: "2⁶³ bytes announced", bytes: [0x81, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
                code: .protocolError),
        ]
    }

    @Test("A protocol violation closes the connection with its code", arguments: Violation.all)
    func violation(_ violation: Violation) throws {
        let network = VirtualNetwork()
        let socket = try network.socket(on: try network.consultation())
        socket.wire.send(violation.bytes)
        #expect(socket.closeCode == violation.code)
        #expect(!socket.closeReason.isEmpty)
        #expect(socket.wire.ending == .closed)
        #expect(network.engine.isEmpty && network.engine.connections.webSocketCount == 0)
        #expect(network.observations.contains { if case .webSocketFailed = $0 { true } else { false } })
    }

    @Test("A violation's close code does not depend on how its bytes are split", arguments: Violation.all)
    func cut(_ violation: Violation) throws {
        let network = VirtualNetwork()
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
        let network = VirtualNetwork()
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
        #expect(echo.closeCode == .messageTooBig)
        #expect(echo.wire.ending == .closed)
    }

    @Test(
        "The server echoes a client's close code and closes the connection first",
        arguments: [CloseCode.normalClosure, .goingAway, CloseCode(rawValue: 4321), nil])
    func clientCloses(code: CloseCode?) throws {
        let network = VirtualNetwork()
        let socket = try network.socket(on: try network.consultation())
        socket.wire.closesInReply = false
        socket.close(code)
        #expect(socket.closeCode == code)
        #expect(socket.wire.sawEndOfStream && socket.wire.ending == .open)
        socket.wire.finishWriting()
        #expect(socket.wire.ending == .closed)
    }

    @Test("The server cuts off a client 2 s after its close frame")
    func clientStays() throws {
        let network = VirtualNetwork()
        let socket = try network.echo()
        socket.wire.closesInReply = false
        socket.close()
        network.advance(by: .milliseconds(1_999))
        #expect(socket.wire.ending == .open)
        network.advance(by: .milliseconds(1))
        #expect(socket.wire.ending == .closed)
    }

    @Test("A client's end of stream ends the connection after pending output")
    func halfClose() throws {
        let network = VirtualNetwork()
        let socket = try network.echo()
        socket.wire.stopReading()
        socket.send("last words")
        socket.wire.finishWriting()
        #expect(socket.wire.ending == .open)
        socket.wire.read()
        #expect(socket.takeEvents() == [.text(Array("last words".utf8))])
        #expect(socket.wire.ending == .closed)
    }

    @Test("A half-closed socket receives no more chat frames")
    func halfClosedAudience() throws {
        let network = VirtualNetwork()
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
            #expect(socket.closeCode == .normalClosure)
            #expect(socket.wire.ending == .closed)
        }
        #expect(other.closeCode == nil)
        network.advance(by: .seconds(5))
        let path = "/api/v1/consultations/\(id)/messages"
        let messages = try network.exchange(.authorized(.get, path, as: TestUser.anna))
        #expect(messages.json?["data"]?["messages"]?.array?.count == (whileStreaming ? 2 : 0))
    }

    @Test("The server cuts off a client that does not answer the close frame within 2 s")
    func noAnswer() throws {
        let network = VirtualNetwork()
        let id = try network.consultation()
        let socket = try network.socket(on: id)
        try network.archive(id)
        // The client has received the frame but does not answer, because it reads bytes, not frames.
        network.advance(by: .milliseconds(1_999))
        #expect(socket.wire.ending == .open)
        network.advance(by: .milliseconds(1))
        #expect(socket.wire.ending == .closed)
        #expect(network.engine.isEmpty)
    }

    @Test("Input after the server's close frame gets no answer")
    func chatterAfterClose() throws {
        let network = VirtualNetwork()
        let id = try network.consultation()
        let socket = try network.socket(on: id)
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
