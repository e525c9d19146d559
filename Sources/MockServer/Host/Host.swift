import FitIQAPI
import Sockets

/// The shell around the engine: one thread that accepts, reads, writes and keeps time.
///
/// It holds the only file descriptors of the server, and the only reading of the clock. Everything it knows of the protocols
/// is in ``Engine``.
public final class Host: EventLoopHandler {
    /// Where the server listens.
    public let address: SocketAddress
    /// The server itself.
    public let engine: Engine

    private let loop: EventLoop
    private var listener: Listener?
    private var transports: [Transport?] = []
    /// What a connection can bring in one turn; small, so that a flood is served in slices and others get theirs between.
    private let readBuffer: UnsafeMutableRawBufferPointer
    /// Wall-clock time at the monotonic clock's zero: time that never jumps.
    private let epoch: Int64
    /// When to listen again after file descriptors ran out.
    private var listensAgainAt: MonotonicInstant?
    /// When what is left is cut off, once stopping has begun.
    private var stopsAt: MonotonicInstant?
    private var wasForced = false
    /// What is done again and again while the server serves.
    private var chore: Chore?
    /// Where other threads leave work that needs the engine; set before ``run()``.
    var inbox: HostInbox?
    /// Turns of the loop so far: an idle server makes none.
    private(set) var turnCount = 0

    private static let listenerToken = UInt64(UInt32.max) + 1
    /// Why a server does not start.
    public enum StartError: Error, CustomStringConvertible {
        /// The system does not let it listen.
        case listening(SocketError)
        /// The scenario's data does not fit together.
        case scenario(APIError)

        /// What the person at the keyboard is told.
        public var description: String {
            switch self {
            case .listening(let error): error.description
            case .scenario(let error): error.message
            }
        }
    }

    private static let acceptsPerTurn = 64
    private static let pauseWithoutDescriptors = Duration.milliseconds(100)

    /// Something done on the loop's thread at intervals.
    private struct Chore {
        let interval: Duration
        let work: (Timestamp) -> Void
        var due: MonotonicInstant
    }

    /// A connection's file descriptor and what the loop watches it for.
    private struct Transport {
        let id: ConnectionID
        let socket: Socket
        var interest: Interest
        var isShutDown = false
    }

    /// Opens the listener; connections queue from now on, and are served once ``run()`` is called.
    ///
    /// - Parameter configuration: the engine's; its origin becomes that of the listener.
    /// - Throws: where the address cannot be listened on, the system lacks descriptors, or the scenario's data does not
    ///   fit together.
    public init(
        listeningOn wanted: SocketAddress, queueKind: EventQueue.Kind = .platformDefault,
        configuration: Engine.Configuration
    ) throws(StartError) {
        let listener: Listener
        do throws(SocketError) {
            loop = try EventLoop(queueKind: queueKind)
            listener = try Listener(address: wanted)
        } catch {
            throw .listening(error)
        }
        self.listener = listener
        address = listener.localAddress
        // Only now: where the lines above throw, nobody would free it.
        readBuffer = .allocate(byteCount: 16 * 1024, alignment: 16)
        let now = MonotonicInstant.now()
        epoch = WallClock.nanosecondsSinceEpoch() - now.nanoseconds
        var configuration = configuration
        configuration.origin = "http://" + Host.reachable(listener.localAddress)
        do throws(APIError) {
            engine = try Engine(configuration, now: Timestamp(nanosecondsSinceEpoch: epoch + now.nanoseconds))
        } catch {
            throw .scenario(error)
        }
        do throws(SocketError) {
            try loop.add(listener.descriptor, token: Host.listenerToken, interest: .read)
        } catch {
            throw .listening(error)
        }
    }

    deinit {
        listener?.close()
        for case let transport? in transports { transport.socket.close() }
        readBuffer.deallocate()
    }

    /// The address as a client on this machine names it: a wildcard address is reached as localhost.
    private static func reachable(_ address: SocketAddress) -> String {
        address.isUnspecified ? "localhost:\(address.port)" : address.description
    }

    /// Where other threads leave work for the loop's thread.
    public var mailbox: Mailbox { loop.mailbox }

    /// Has SIGINT and SIGTERM stop the server: the first in good order, a second at once.
    public func stopOnSignals(_ signals: [Int32]) throws(SocketError) {
        try loop.watchSignals(signals)
    }

    /// Serves until stopped.
    ///
    /// - Returns: false where a second signal cut it short.
    public func run() throws(SocketError) -> Bool {
        try loop.run(handler: self)
        return !wasForced
    }

    /// Begins to stop in good order; to be called on the loop's thread.
    public func stop() {
        guard stopsAt == nil else { return }
        let now = MonotonicInstant.now()
        stopsAt = now.advanced(by: engine.shutdownTime)
        stopListening()
        listener?.close()
        listener = nil
        engine.beginShutdown(at: time(now))
        serveTouched(now)
        if engine.isEmpty { loop.stop() }
    }

    /// Has something done on the loop's thread at intervals, until the server begins to stop; the time is the engine's.
    ///
    /// It holds up everything else while it lasts. In place of what was done so before; to be called before ``run()``, or on
    /// the loop's thread.
    public func every(_ interval: Duration, _ work: @escaping (Timestamp) -> Void) {
        chore = Chore(interval: interval, work: work, due: .now().advanced(by: interval))
    }

    // MARK: What the loop calls

    /// Serves a descriptor.
    public func readinessChanged(_ readiness: Readiness, now: MonotonicInstant) {
        if readiness.token == Host.listenerToken {
            accept(now)
        } else {
            let place = Int(readiness.token)
            guard let transport = transports[place], let connection = engine.connection(transport.id) else { return }
            let isFinished = readiness.hangUp || readiness.error
            if readiness.readable || isFinished { read(transport, isFinished: isFinished, now) }
            if readiness.writable { serve(connection, now) }
        }
        // What this leaves to send goes out when the turn ends: then a peer of many connections wakes once, not for each.
    }

    /// Stops the server.
    public func signalReceived(_ signal: Int32, now: MonotonicInstant) {
        if stopsAt == nil {
            stop()
        } else {
            wasForced = true
            loop.stop()
        }
    }

    /// Serves what is due, and says when there is more.
    public func turnEnded(now: MonotonicInstant) -> MonotonicInstant? {
        turnCount += 1
        if let again = listensAgainAt, again <= now { listenAgain() }
        doChore(now)
        if let due = engine.nextDeadline, due <= time(now) { engine.advance(to: time(now)) }
        let answers = doWork(now)
        serveTouched(now)
        // Whoever asked goes on once the clients can see what was done.
        for answer in answers { answer() }
        if let stopsAt {
            if stopsAt <= now {
                engine.resetAll()
                serveTouched(now)
            }
            if engine.isEmpty { loop.stop() }
        }
        let engineDeadline = engine.nextDeadline.map { MonotonicInstant(nanoseconds: $0.nanosecondsSinceEpoch - epoch) }
        return [engineDeadline, listensAgainAt, stopsAt, stopsAt == nil ? chore?.due : nil].compactMap { $0 }.min()
    }

    private func doWork(_ now: MonotonicInstant) -> [HostInbox.Answer] {
        guard let (work, stops) = inbox?.take() else { return [] }
        let answers = work.map { $0(engine, time(now)) }
        if stops { stop() }
        return answers
    }

    private func doChore(_ now: MonotonicInstant) {
        guard let chore, chore.due <= now, stopsAt == nil else { return }
        // From now, not from when it was due: after a pause of the process it is done once.
        self.chore?.due = now.advanced(by: chore.interval)
        chore.work(time(now))
    }

    // MARK: Transport

    private func time(_ now: MonotonicInstant) -> Timestamp {
        Timestamp(nanosecondsSinceEpoch: epoch + now.nanoseconds)
    }

    private func accept(_ now: MonotonicInstant) {
        for _ in 0..<Host.acceptsPerTurn {
            switch listener?.accept() {
            case .accepted(let socket):
                guard let id = engine.open(at: time(now), isLocal: isLocal(socket)) else {
                    socket.reset()
                    continue
                }
                watch(socket, as: id)
            case .failed:
                // Out of descriptors or memory. The backlog keeps whoever waits; without a pause the loop would spin on the listener.
                stopListening()
                listensAgainAt = now.advanced(by: Host.pauseWithoutDescriptors)
                return
            case .wouldBlock, nil:
                return
            }
        }
    }

    /// Whether the peer is on this machine: asked only where others can reach the listener at all.
    private func isLocal(_ socket: Socket) -> Bool {
        address.isLoopback || socket.peerAddress?.isLoopback ?? false
    }

    private func watch(_ socket: Socket, as id: ConnectionID) {
        while transports.count <= id.place { transports.append(nil) }
        do throws(SocketError) {
            try loop.add(socket.descriptor, token: UInt64(id.place), interest: .read)
            transports[id.place] = Transport(id: id, socket: socket, interest: .read)
        } catch {
            // The system watches no more descriptors: as if the connection had never been.
            socket.reset()
            engine.transportClosed(id, at: time(.now()))
        }
    }

    private func stopListening() {
        guard let listener, listensAgainAt == nil else { return }
        loop.remove(listener.descriptor)
    }

    private func listenAgain() {
        listensAgainAt = nil
        guard let listener, (try? loop.add(listener.descriptor, token: Host.listenerToken, interest: .read)) == nil
        else {
            return
        }
        listensAgainAt = .now().advanced(by: Host.pauseWithoutDescriptors)
    }

    private func read(_ transport: Transport, isFinished: Bool, _ now: MonotonicInstant) {
        switch transport.socket.read(into: readBuffer) {
        case .bytes(let count):
            engine.receive(UnsafeRawBufferPointer(rebasing: readBuffer[..<count]), on: transport.id, at: time(now))
        case .endOfStream:
            engine.receiveEndOfStream(on: transport.id, at: time(now))
            // Said once; level-triggered readiness would repeat it until our output is gone.
            watch(transport.id.place, for: [])
        case .wouldBlock:
            if isFinished { drop(transport, reset: false) }
        case .failed:
            drop(transport, reset: false)
        }
    }

    private func serveTouched(_ now: MonotonicInstant) {
        // Sending may touch connections again: requests that waited for room are answered.
        while true {
            let touched = engine.takeTouched()
            if touched.isEmpty { return }
            for connection in touched { serve(connection, now) }
        }
    }

    /// Sends what there is to send, obeys the connection's ending, and watches for what it waits for.
    private func serve(_ connection: Connection, _ now: MonotonicInstant) {
        guard let transport = transports[connection.id.place], transport.id == connection.id else { return }
        if connection.ending == .reset {
            drop(transport, reset: true)
            return
        }
        while connection.hasOutput {
            switch connection.withOutput(transport.socket.write) {
            case .wrote(let count):
                engine.sent(count, on: connection.id, at: time(now))
            case .wouldBlock:
                watch(connection.id.place, for: appetite(connection).union(.write))
                return
            case .failed:
                drop(transport, reset: false)
                return
            }
        }
        // The ending comes after what a fault still holds back.
        guard connection.isDrained else {
            watch(connection.id.place, for: appetite(connection))
            return
        }
        switch connection.ending {
        case .none: break
        case .close:
            drop(transport, reset: false)
            return
        case .reset, .resetAfterOutput:
            drop(transport, reset: true)
            return
        case .lingering:
            if !transport.isShutDown {
                transports[connection.id.place]?.isShutDown = true
                transport.socket.shutdownWriting()
            }
        }
        watch(connection.id.place, for: appetite(connection))
    }

    private func appetite(_ connection: Connection) -> Interest {
        engine.isReadingPaused(connection) || connection.ending == .close ? [] : .read
    }

    private func watch(_ place: Int, for interest: Interest) {
        guard let transport = transports[place], transport.interest != interest else { return }
        transports[place]?.interest = interest
        loop.modify(transport.socket.descriptor, token: UInt64(place), interest: interest)
    }

    private func drop(_ transport: Transport, reset: Bool) {
        loop.remove(transport.socket.descriptor)
        if reset { transport.socket.reset() } else { transport.socket.close() }
        transports[transport.id.place] = nil
        engine.transportClosed(transport.id, at: time(.now()))
    }
}
