import ArgumentParser
import CLibrary
import FitIQAPI
import FitIQClient
import Sockets
import Traffic

struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Watch what a running server serves: requests, frames, faults, and breaches as they happen.",
        discussion: """
            A line for each, in the columns of 'fitiq-mock show'. It goes on when the server is restarted. Keys on a \
            terminal: space pauses, / filters, c clears, b shows bodies, p hides pings, q quits.

            --filter selects entries by words. A word key=value is a condition of the admin API, such as status=4xx, \
            path=/goals, user=ID, connection=3, kind=frame or direction=client_to_server; any other word has to be \
            contained.

            Exit codes: 0 it was ended, 2 usage, or the server cannot be reached, 3 the server sends something else.
            """)

    @Option(help: .init("Where the server is. (default: \(Chat.defaultURL))", valueName: "url"))
    var url: String?

    @Option(help: .init("The id of the world to watch. (default: the server's own)", valueName: "id"))
    var world: String?

    @Option(help: .init("Show only what all these words match.", valueName: "words"))
    var filter: String?

    @Flag(help: "Show bodies and messages whole, below their lines; JSON is indented.")
    var bodies = false

    @Flag(help: "Hide pings and pongs.")
    var noPings = false

    @Option(help: .init("The server's --admin-token. (default: none)", valueName: "token"))
    var adminToken: String?

    func run() throws {
        let address = try Settings.nonEmpty(url, "URL") ?? Chat.defaultURL
        let base = try orFailure(try BaseURL(address)) { (_: ClientError) in
            .configuration(Messages.watchesHTTP(address))
        }
        let filter = try orFailure(try TrafficFilter(filter ?? "")) { (error: APIError) in
            .configuration(Messages.badFilter(error.message))
        }
        let lines = TrafficLines(width: Self.width, showsBodies: bodies, usesColor: System.usesColor)
        var screen = WatchScreen(lines, filter: filter) { print($0, terminator: "") }
        screen.showsPings = !noPings
        let stream = WatchStream(base, world: world, adminToken: try Settings.fieldValue(adminToken, "ADMIN_TOKEN"))
        let server = try orFailure(try SocketAddress(host: base.host, port: base.port)) { (error: SocketError) in
            .configuration(Messages.unreachable(.socket(error), url: base.description))
        }
        // Keys are read only where their effect is visible.
        let terminal = System.isTerminal(.output) ? Terminal() : nil
        FitIQMock.printError(Messages.watching(base.description, world: world, hasKeys: terminal != nil))
        let watch = try orFailure(try WatchConnection(stream, screen, to: server, base.description, keys: terminal)) {
            (error: SocketError) in .running(error)
        }
        terminal?.setRaw()
        defer { terminal?.restore() }
        try watch.run()
    }

    /// The terminal's columns, or as many as `show` has.
    static var width: Int { Terminal.columns ?? 120 }
}

/// The connection of `watch`: one at a time, made again each second when it is lost.
final class WatchConnection: EventLoopHandler {
    private enum Phase {
        /// Until the next try.
        case waiting
        case connecting
        case reading
    }

    private let loop: EventLoop
    private let url: String
    private let address: SocketAddress
    private let keys: Terminal?
    private var stream: WatchStream
    private var screen: WatchScreen
    private var phase = Phase.waiting
    private var socket: Socket?
    private var unsent: [UInt8] = []
    /// The end of the phase's time.
    private var deadline = MonotonicInstant.now()
    /// Whether the server has ever answered with events.
    private var hasBegun = false
    private var isLost = false
    private var failure: Failure?
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)

    private static let keyToken: UInt64 = 1
    private static let socketToken: UInt64 = 2
    private static let retryInterval = Duration.seconds(1)
    private static let connectTime: Int64 = 10
    /// The server sends a sign of life every 15 seconds.
    private static let longestSilence: Int64 = 45

    /// - Parameters:
    ///   - url: The server's, for messages.
    ///   - keys: The terminal whose keys act; nil for none.
    init(
        _ stream: WatchStream, _ screen: WatchScreen, to address: SocketAddress, _ url: String, keys: Terminal?
    ) throws(SocketError) {
        (self.stream, self.screen, self.address, self.url, self.keys) = (stream, screen, address, url, keys)
        loop = try EventLoop()
        try loop.watchSignals(System.stopSignals)
        guard keys != nil else { return }
        try loop.watchSignals([SIGTSTP, SIGWINCH])
        try loop.add(STDIN_FILENO, token: Self.keyToken, interest: .read)
    }

    deinit {
        dropSocket()
        buffer.deallocate()
    }

    /// Watches until it is ended.
    func run() throws(Failure) {
        try orFailure(try loop.run(handler: self)) { (error: SocketError) in .running(error) }
        if let failure { throw failure }
    }

    // MARK: What the loop calls

    func readinessChanged(_ readiness: Readiness, now: MonotonicInstant) {
        if readiness.token == Self.keyToken { return readKeys() }
        if phase == .connecting { connected(now) } else { readSocket(now) }
    }

    func signalReceived(_ signal: Int32, now: MonotonicInstant) {
        switch signal {
        case SIGWINCH: screen.lines.width = WatchCommand.width
        case SIGTSTP:
            StandardOutput.flush()
            keys?.restore()
            // It has no effect on a process without a shell that could continue it.
            raise(SIGSTOP)
            keys?.setRaw()
        default: loop.stop()
        }
    }

    func turnEnded(now: MonotonicInstant) -> MonotonicInstant? {
        if now >= deadline {
            switch phase {
            case .waiting: connect(now)
            case .connecting: lost(.silent(seconds: Self.connectTime), now)
            case .reading: lost(.silent(seconds: Self.longestSilence), now)
            }
        }
        StandardOutput.flush()
        if screen.isOver || failure != nil || StandardOutput.hasFailed { loop.stop() }
        return deadline
    }

    private func readKeys() {
        let count = read(STDIN_FILENO, buffer.baseAddress, 1024)
        if count > 0 {
            screen.press(buffer[..<count])
        } else if count == 0 || (errno != EINTR && errno != EAGAIN) {
            // The terminal is gone.
            loop.stop()
        }
    }

    // MARK: Connecting

    private func connect(_ now: MonotonicInstant) {
        do throws(SocketError) {
            let socket = try Socket.connect(to: address)
            do throws(SocketError) {
                try loop.add(socket.descriptor, token: Self.socketToken, interest: .write)
            } catch {
                socket.close()
                throw error
            }
            self.socket = socket
            phase = .connecting
            deadline = now.advanced(by: .seconds(Self.connectTime))
        } catch {
            lost(.socket(error), now)
        }
    }

    private func connected(_ now: MonotonicInstant) {
        guard let socket else { return }
        if let error = socket.connectResult(to: address) { return lost(.socket(error), now) }
        phase = .reading
        deadline = now.advanced(by: .seconds(Self.longestSilence))
        unsent = stream.connect()
        send(on: socket, now)
    }

    private func send(on socket: Socket, _ now: MonotonicInstant) {
        switch unsent.withUnsafeBytes({ socket.write($0) }) {
        case .wrote(let count): unsent.removeFirst(count)
        case .wouldBlock: break
        case .failed(let error): return lost(.socket(error), now)
        }
        loop.modify(socket.descriptor, token: Self.socketToken, interest: unsent.isEmpty ? .read : [.read, .write])
    }

    private func dropSocket() {
        guard let socket else { return }
        loop.remove(socket.descriptor)
        socket.close()
        self.socket = nil
    }

    /// Ends a connection or a try; the first one decides whether there is a server at all.
    private func lost(_ trouble: WatchTrouble, _ now: MonotonicInstant) {
        dropSocket()
        phase = .waiting
        deadline = now.advanced(by: Self.retryInterval)
        if case .tooLongEvent = trouble {
            failure = .running(Messages.unreachable(trouble, url: url))
        } else if !hasBegun {
            failure = .configuration(Messages.unreachable(trouble, url: url))
        } else if !isLost {
            isLost = true
            StandardOutput.flush()
            FitIQMock.printError(Messages.connectionLost(trouble))
        }
    }

    // MARK: Reading

    private func readSocket(_ now: MonotonicInstant) {
        guard let socket else { return }
        if !unsent.isEmpty { send(on: socket, now) }
        guard self.socket != nil else { return }
        do throws(WatchTrouble) {
            switch socket.read(into: buffer) {
            case .bytes(let count):
                deadline = now.advanced(by: .seconds(Self.longestSilence))
                try stream.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { take($0, now) }
            case .endOfStream: try stream.receiveEndOfStream { take($0, now) }
            case .wouldBlock: return
            case .failed(let error): throw .socket(error)
            }
        } catch {
            // It was given up for another one already.
            guard self.socket != nil else { return }
            return lost(error, now)
        }
        if stream.hasBegun { resume(Messages.connectedAgain) }
    }

    private func resume(_ sentence: String) {
        hasBegun = true
        guard isLost else { return }
        isLost = false
        FitIQMock.printError(sentence)
    }

    private func take(_ news: WatchStream.News, _ now: MonotonicInstant) {
        switch news {
        case .entry(let entry): screen.show(entry)
        case .breach(let breach): screen.show(breach)
        case .missed(let count): screen.tell(Messages.missed(count))
        case .began:
            screen.beginAnew()
            screen.tell(Messages.worldBeginsAnew)
        case .restarted:
            screen.beginAnew()
            isLost = true
            resume(Messages.restarted)
            dropSocket()
            phase = .waiting
            deadline = now
        }
    }
}
