import FitIQAPI
import JSON
import Sockets

/// A client's thread: its core, its wire, its descriptors and its clock.
final class ClientLoop: EventLoopHandler {
    private let loop: EventLoop
    private let inbox: ClientInbox
    private let news: ClientNews
    private let refreshToken: FitIQClient.TokenRefresh?
    private var core: ClientCore
    var wire: ClientWire
    var transports: [Int: ClientTransport] = [:]
    /// The backend's addresses; the name is resolved again if they are unknown or none of them answers.
    var addresses: [SocketAddress] = []
    var lookup: NameLookup
    private var snapshot = ClientSnapshot()
    private var isChanged = false
    /// The deadline by which the thread must end, once closing has started.
    private var closesAt: MonotonicInstant?
    /// The wall-clock time at the monotonic clock's zero; times computed from it never jump.
    private let epoch: Int64
    let readBuffer: UnsafeMutableRawBufferPointer
    /// How long closing waits for the server.
    private static let closingTime = Duration.seconds(1)

    init(
        _ loop: EventLoop, _ configuration: ClientConfiguration, _ base: BaseURL, inbox: ClientInbox, news: ClientNews,
        refreshToken: FitIQClient.TokenRefresh?, resolve: @escaping NameLookup.Resolve
    ) {
        (self.loop, self.inbox, self.news, self.refreshToken) = (loop, inbox, news, refreshToken)
        lookup = NameLookup(loop.mailbox, resolve: resolve)
        core = ClientCore(configuration)
        wire = ClientWire(base: base, seed: SystemEntropy.seed())
        epoch = WallClock.nanosecondsSinceEpoch() - MonotonicInstant.now().nanoseconds
        readBuffer = .allocate(byteCount: 64 * 1024, alignment: 16)
    }

    deinit {
        for transport in transports.values { transport.socket.close() }
        readBuffer.deallocate()
    }

    func run() {
        // If waiting fails, the client ends as if it were closed.
        try? loop.run(handler: self)
        snapshot.isClosed = true
        news.publish(snapshot)
    }

    // MARK: Event loop callbacks

    func readinessChanged(_ readiness: Readiness, now: MonotonicInstant) {
        let number = Int(readiness.token)
        guard let transport = transports[number] else { return }
        if !transport.isConnected {
            connected(number)
        } else {
            if readiness.writable { flush(number) }
            if readiness.readable { read(number) }
        }
    }

    func signalReceived(_ signal: Int32, now: MonotonicInstant) {}

    func turnEnded(now: MonotonicInstant) -> MonotonicInstant? {
        let time = Timestamp(nanosecondsSinceEpoch: epoch + now.nanoseconds)
        takeInbox(time, now)
        serveLookup(now)
        settle(time)
        if isChanged {
            isChanged = false
            snapshot.state = core.state
            news.publish(snapshot)
        }
        if let closesAt, closesAt <= now || wire.openConnections.isEmpty {
            loop.stop()
            return nil
        }
        let due = core.nextDeadline.map { MonotonicInstant(nanoseconds: $0.nanosecondsSinceEpoch - epoch) }
        return [due, closesAt, lookup.nextDeadline].compactMap { $0 }.min()
    }

    private func takeInbox(_ time: Timestamp, _ now: MonotonicInstant) {
        let (asked, closes) = inbox.take()
        for command in asked {
            core.perform(command.command, at: time)
            snapshot.begun = command.ticket
            isChanged = true
        }
        if closes, closesAt == nil {
            core.perform(.disconnect, at: time)
            closesAt = now.advanced(by: Self.closingTime)
        }
    }

    /// Passes actions and inputs between core and wire until there are none left.
    private func settle(_ time: Timestamp) {
        if let due = core.nextDeadline, due <= time { core.advance(to: time) }
        while true {
            for action in core.takeActions() { wire.perform(action) }
            for command in wire.takeCommands() { carryOut(command) }
            let inputs = wire.takeInputs()
            for input in inputs {
                note(input)
                core.receive(input, at: time)
            }
            take(core.takeEvents())
            if inputs.isEmpty { return }
        }
    }

    private func take(_ events: [ClientEvent]) {
        for event in events {
            isChanged = true
            switch event {
            case .changed: break
            case .problem(let problem):
                snapshot.problemCount += 1
                snapshot.problem = problem
            case .credentialsRefused: refresh()
            }
        }
    }

    private func refresh() {
        guard let refreshToken else { return }
        let (inbox, mailbox) = (inbox, loop.mailbox)
        Task {
            let command = await refreshToken().map(ClientCommand.useToken) ?? .giveUpToken
            if inbox.add(command) != nil { mailbox.post {} }
        }
    }

    /// Stores an error as the cause of a later problem.
    private func note(_ input: ClientInput) {
        switch input {
        case .response(let answer) where answer.status >= 400, .socketRefused(let answer):
            let message = (try? JSON.parse(answer.body))?["error"]?["message"]?.string
            snapshot.failure = .refused(status: answer.status, message: message ?? "the response contains no message.")
        case .socketClosed(let end) where !end.isOwn:
            snapshot.failure = .closed(code: end.code ?? .abnormal, reason: end.reason)
        // A success clears the failure. For example, a 409 contains the consultation that the client opens next.
        case .response, .socketOpened: snapshot.failure = nil
        default: return
        }
        isChanged = true
    }

    // MARK: Transport support

    /// Records a failed connection and notifies its request or socket.
    func fail(_ number: Int, _ error: ClientError) {
        snapshot.failure = error
        isChanged = true
        wire.fail(number, "\(error)")
    }

    func watch(_ socket: Socket, as number: Int) throws(SocketError) {
        try loop.add(socket.descriptor, token: UInt64(number), interest: .write)
    }

    func setInterest(_ interest: Interest, of number: Int) {
        guard let transport = transports[number], transport.interest != interest else { return }
        transports[number]?.interest = interest
        loop.modify(transport.socket.descriptor, token: UInt64(number), interest: interest)
    }

    func drop(_ number: Int) {
        guard let transport = transports.removeValue(forKey: number) else { return }
        loop.remove(transport.socket.descriptor)
        transport.socket.close()
    }
}
