import Testing
import WebSocket

@testable import FitIQClient

@Suite("Client WebSockets")
struct ClientSocketTests {
    /// A handshake in progress, and the answer that accepts it.
    static func begun(limits: WireLimits = WireLimits()) throws -> (ClientConnection, acceptance: [UInt8]) {
        var connection = ClientConnection(
            WireFixture.socketRequest(), to: try WireFixture.base(), seed: 1, limits: limits)
        let acceptance = WireFixture.acceptance(of: connection.takeOutput())
        return (connection, acceptance)
    }

    static func open(limits: WireLimits = WireLimits()) throws -> ClientConnection {
        var (connection, acceptance) = try begun(limits: limits)
        #expect(connection.told(acceptance) == ["2: opened"])
        return connection
    }

    /// Reads the client's bytes as its server would.
    static func read(_ bytes: [UInt8]) -> [WebSocket.Event] {
        var server = WebSocket.Connection(role: .server)
        var events: [WebSocket.Event] = []
        var output: [UInt8] = []
        server.receive(bytes, events: &events, output: &output)
        return events
    }

    @Test("Frames arrive no matter how the bytes are split, even immediately after the 101")
    func frames() throws {
        let (connection, acceptance) = try Self.begun()
        let all =
            acceptance
            + WireFixture.frames { server, out in
                server.send(text: "Grüße", into: &out)
                server.send(binary: [1], into: &out)
                server.ping([9], into: &out)
                server.pong(into: &out)
                server.close(code: .goingAway, reason: "bye", into: &out)
                out += [0x81, 0x01, 0x41]
            }
        let whole = Played(connection, [all], ends: true)
        #expect(whole.inputs == ["2: opened", "2: text Grüße", "2: binary", "2: pong", "2: closed 1001 theirs: bye"])
        #expect(whole.isFinished)
        #expect(Self.read(whole.sent) == [.pong([9]), .closing(code: .goingAway, reason: "")])
        Played.expectAnySplit(connection, all, ends: true, gives: whole)
    }

    @Test("The client offers compression if configured and uses it if the server agrees", arguments: [true, false])
    func compression(agrees: Bool) throws {
        var request = WireFixture.socketRequest()
        request.offersCompression = true
        var connection = ClientConnection(request, to: try WireFixture.base(), seed: 1)
        let sent = connection.takeOutput()
        #expect(String(decoding: sent, as: UTF8.self).contains("permessage-deflate; client_max_window_bits\r\n"))
        let terms = agrees ? CompressionTerms() : nil
        let acceptance = WireFixture.acceptance(of: sent, extensions: terms?.fieldValue)
        #expect(connection.told(acceptance) == ["2: opened"])
        var server = WebSocket.Connection(role: .server, compression: terms)
        var (events, bytes): ([WebSocket.Event], [UInt8]) = ([], [])
        server.send(text: "yes, yes, yes, yes", into: &bytes)
        #expect((server.sentSize != nil) == agrees)
        #expect(connection.told(bytes) == ["2: text yes, yes, yes, yes"])
        connection.send(text: Array("no, no, no, no".utf8))
        server.receive(connection.takeOutput(), events: &events, output: &bytes)
        #expect(events == [.text(Array("no, no, no, no".utf8))])
        #expect((server.receivedSize != nil) == agrees)
    }

    @Test("An extension that the client did not offer fails the handshake")
    func strangeExtension() throws {
        var connection = ClientConnection(WireFixture.socketRequest(), to: try WireFixture.base(), seed: 1)
        let answer = WireFixture.acceptance(of: connection.takeOutput(), extensions: "permessage-deflate")
        let told = connection.told(answer)
        #expect(told.count == 1 && told[0].contains("no socket") && told[0].contains("permessage-deflate"))
    }

    @Test("The client sends text, pings and a close frame in order")
    func sends() throws {
        var connection = try Self.open()
        connection.send(text: Array("one".utf8))
        connection.ping()
        #expect(connection.close(.normalClosure).isEmpty)
        connection.send(text: Array("late".utf8))
        #expect(!connection.isFinished)
        let sent = connection.takeOutput()
        #expect(Self.read(sent) == [.text(Array("one".utf8)), .ping([]), .closing(code: .normalClosure, reason: "")])
        let answer = WireFixture.frames { server, out in server.close(code: .normalClosure, into: &out) }
        #expect(connection.told(answer) == ["2: closed 1000 own: "])
        #expect(connection.isFinished && connection.takeOutput().isEmpty)
    }

    @Test("A socket that ends without a close frame reports that the frame is missing", arguments: [false, true])
    func cutOff(isOwn: Bool) throws {
        var connection = try Self.open()
        if isOwn { _ = connection.close(.normalClosure) }
        let end = "2: closed - \(isOwn ? "own" : "theirs"): the connection ended without a close frame"
        #expect(connection.receiveEndOfStream().map(Played.words) == [end])
        var broken = try Self.open()
        #expect(broken.fail("reset.").map(Played.words) == ["2: closed - theirs: reset."])
    }

    @Test("An empty close frame is reported as 1005")
    func emptyClose() throws {
        var connection = try Self.open()
        let bytes = WireFixture.frames { server, out in server.close(code: nil, into: &out) }
        #expect(connection.told(bytes) == ["2: closed 1005 theirs: "])
    }

    @Test("An abandoned handshake closes the connection without sending a byte")
    func givenUp() throws {
        var (connection, _) = try Self.begun()
        connection.send(text: [65])
        connection.ping()
        #expect(
            connection.close(.normalClosure).map(Played.words)
                == ["2: closed - own: the socket was closed before its handshake was answered"])
        #expect(connection.isFinished && connection.takeOutput().isEmpty)
        #expect(connection.close(.normalClosure).isEmpty)
    }

    @Test(
        "A rejected handshake yields the server's answer or an error",
        arguments: [
            ("HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\n{}", "2: refused 401 {}"),
            ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "2: refused 200 "),
            (
                """
                HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
                Sec-WebSocket-Accept: AAAA\r\n\r\n
                """,
                """
                2: no socket: the WebSocket handshake failed: The server's 101 has Sec-WebSocket-Accept: "AAAA" \
                instead of "EXPECTED". It does not match this handshake's key.
                """
            ),
        ])
    func refused(bytes: String, words: String) throws {
        let (connection, acceptance) = try Self.begun()
        let all = Array(bytes.utf8)
        let whole = Played(connection, [all])
        let expected = String(decoding: acceptance, as: UTF8.self).split(separator: "\r\n").last?.split(separator: " ")
            .last
        #expect(whole.inputs == [words.replacing("EXPECTED", with: expected ?? "")])
        #expect(whole.isFinished && whole.sent.isEmpty)
        #expect(Played(connection, all.map { [$0] }) == whole)
    }

    @Test("A message at the limit arrives, but a larger message ends the socket")
    func limit() throws {
        var limits = WireLimits()
        limits.message = 4
        var connection = try Self.open(limits: limits)
        let fits = WireFixture.frames { server, out in server.send(text: "1234", into: &out) }
        #expect(connection.told(fits) == ["2: text 1234"])
        let tooLong = WireFixture.frames { server, out in server.send(text: "12345", into: &out) }
        let told = connection.told(tooLong)
        #expect(told.count == 1 && told[0].hasPrefix("2: closed - theirs: ") && connection.isFinished)
        guard case .closing(.messageTooBig?, _) = Self.read(connection.takeOutput()).first
        else { throw Unexpected(what: "no close frame with 1009 went out") }
    }
}
