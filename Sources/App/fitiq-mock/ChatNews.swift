import FitIQClient
import Sockets
import Text

/// Tells a person who chats what happens beside the answers, on standard error.
enum ChatNews {
    /// How long nothing has to come until the server is asked for its clock.
    private static let patience = Duration.seconds(3)
    /// The longest wait for the server's answer about its clock.
    private static let answerTime = Duration.seconds(2)

    /// Tells when the connection is lost, and when it is back, until the client closes.
    static func follow(_ client: FitIQClient) async {
        var last = ClientState.Connection.disconnected
        var isLost = false
        for await state in client.states where state.connection != last {
            switch state.connection {
            case .connecting where last == .connected:
                isLost = true
                say(Messages.connectionLost)
            case .connected where isLost:
                isLost = false
                say(Messages.chatGoesOn)
            case .failed where isLost: say(Messages.notConnectedAgain)
            case .connected, .connecting, .disconnected, .failed: break
            }
            last = state.connection
        }
    }

    /// Runs a command, and says so if its result does not come because the server's clock stands still.
    static func waiting<Result>(
        for client: FitIQClient, at url: String, _ body: () async throws -> Result
    ) async throws -> Result {
        let end = try Gate()
        defer { end.open() }
        // A thread of its own leaves those of tasks to the client.
        try SystemThread.start {
            var last = client.state
            while !end.wait(until: .now().advanced(by: patience)) {
                let state = client.state
                if state == last {
                    if isClockManual(at: url) { say(Messages.clockStands(clockPath(of: url).path)) }
                    return
                }
                last = state
            }
        }
        return try await body()
    }

    private static func say(_ message: String) {
        // A line that is edited is drawn again below; what has come of an answer stays.
        let editor = LineInput.awake.value
        let start = !System.isTerminal(.error) ? "" : editor == nil ? "\n" : "\r\u{1B}[K"
        FitIQMock.printToStandardError("\(start)fitiq-mock: \(message)\n")
        editor?.post {}
    }

    /// Where the clock of a base URL's world is: `/__admin/worlds/w1/clock` for `http://127.0.0.1:8080/w/w1`.
    static func clockPath(of url: String) -> (base: BaseURL?, path: String) {
        let base = try? BaseURL(url)
        let parts = base?.path.split(separator: "/") ?? []
        let world = parts.count > 1 && parts[0] == "w" ? "worlds/\(parts[1])/" : ""
        return (base, "/__admin/\(world)clock")
    }

    /// Whether the server says that its clock is manual; false if it says nothing in time.
    private static func isClockManual(at url: String) -> Bool {
        let (base, path) = clockPath(of: url)
        guard let base, let address = try? SocketAddress.resolve(host: base.host, port: base.port).first,
            let socket = try? Socket.connect(to: address)
        else { return false }
        defer { socket.close() }
        let deadline = MonotonicInstant.now().advanced(by: answerTime)
        let request = "GET \(path) HTTP/1.1\r\nHost: \(base.authority)\r\nConnection: close\r\n\r\n"
        guard SingleDescriptorPoll.wait(for: .write, on: socket.descriptor, until: deadline) == nil,
            case .wrote = Array(request.utf8).withUnsafeBytes(socket.write)
        else { return false }
        var answer: [UInt8] = []
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 1)
        defer { room.deallocate() }
        while answer.count < 64 * 1024,
            SingleDescriptorPoll.wait(for: .read, on: socket.descriptor, until: deadline) == nil,
            case .bytes(let count) = socket.read(into: room)
        { answer += room[..<count] }
        let text = String(decoding: answer, as: UTF8.self)
        return text.hasPrefix("HTTP/1.1 200 ") && text.contains(#""mode":"manual""#)
    }
}
