import FitIQAPI
import FitIQBackend
import HTTP1
import JSON
import Proxy
import WebSocket

/// The whole server except for its sockets; bytes and the time are arguments.
///
/// The transport (``Host`` or a test) opens connections and passes received bytes. After each call, the transport
/// serves the connections in ``takeTouched()``: it sends their output and applies their ``Connection/ending``. The
/// transport calls ``advance(to:)`` at ``nextDeadline``. The engine is not thread-safe; only one loop may use it.
///
/// # Stages
///
/// ```
/// transport ⇄ network ⇄ faults and breakpoints ⇄ codec ⇄ routing ⇄ answerer
/// ```
///
/// - ``NetworkStage`` delays bytes: `pass` a connection's head, let input `arrive`, ``carry(_:at:)`` output.
/// - Faults change encoded responses and frames (``shape(_:from:)``, ``sendThroughFaults(_:on:in:at:)``), and answer in
///   place of an answerer (``intercept(_:answering:)``). ``Breakpoints`` hold what has to `pass` them, until `release`.
/// - The codec is `HTTP1.Connection` or `WebSocket.Connection`. A relayed connection has no codec.
/// - Routing finds a request's world and endpoint (``routeRequest(of:at:)``).
/// - The answerer is a ``BackendAnswerer``, ``PlayerAnswerer``, ``UpstreamAnswerer`` or ``ServerAnswerer``. Each
///   answers an ``Exchange``; ``forward(_:on:in:at:)`` and ``forgetSocket(of:)`` give it a socket's messages and end.
///
/// A stage that has nothing to do costs one branch. These are the walks; calls in brackets are rare:
/// - Request (`Engine+Requests.swift`): `receive`, `take`, `readRequests`, [`network.pass`], `routeRequest`,
///   [`passPause`], `process`, `answer`, [`breakpoints.pass`], `reply`, `respond`, `shape`, `recorder.recordAnswer`.
/// - Message from a client (`Engine+Sockets.swift`): `receive`, `take`, `receiveFrames`, [`breakpoints.pass`],
///   `recorder.recordReceived`, `forward`, `applyEffects`.
/// - Message to a client: `advance`, `runWorlds` and `runSteps` (`Engine+Time.swift`), `applyEffects`, `send`,
///   [`sendThroughFaults`, `deliver`, `breakpoints.pass`, `write`, `release`], `recorder.recordSent`,
///   `handleNewOutput`.
///
/// # Rules
///
/// - A stage calls the next stage. What it keeps continues later at the next stage: a released request in `process`, a
///   released message in `forward` or `deliver`, a finished job in `process`, held output in `release`.
/// - A call that can stop something returns a ``Passage``. A predicate changes nothing.
/// - ``enter(_:at:)`` or ``World/setTime(_:)`` comes before any event in a world. Time-outs of connections follow the
///   system's clock, and everything else follows the world's clock.
/// - An entry is in the journal once the faults have released its last byte, so that the order is the client's.
/// - ``end(_:_:)`` ends a connection, and ``transportClosed(_:at:)`` frees it. Code that changes a connection's output
///   must `touch` the connection, and `account` its held bytes.
/// - No call may block: longer work is a ``Job``, during which its world is paused.
public final class Engine {
    /// The initial configuration, with the scenario that was loaded last.
    @exclusivity(unchecked) public internal(set) var configuration: Configuration
    /// The configuration's limits, stored separately because every request needs them.
    let limits: ServerLimits, patience: Patience
    let worlds: WorldTable
    /// The world for paths that have no `/w/{id}` prefix.
    var defaultWorld: World { worlds.main }
    let recorder: Recorder
    @exclusivity(unchecked) var streams = StreamQueue()
    let origins: Origins
    @exclusivity(unchecked) var coding: ContentCoding
    /// The connections that are following a journal or waiting for an entry.
    @exclusivity(unchecked) var followers: [ConnectionID] = []
    /// The connections to serve because their world has resumed, in order of arrival.
    @exclusivity(unchecked) var resumed: [ConnectionID] = []
    /// An id of 16 hexadecimal digits that distinguishes this engine from an earlier engine at the same address.
    let instance: String
    let startedAt: Timestamp
    /// Whether steps that are due have been left for the next loop turn.
    @exclusivity(unchecked) var isLate = false
    /// The parsed descriptions of sockets, kept because parsing takes milliseconds.
    @exclusivity(unchecked) var socketDescriptions: [GuideMode: JSONValue] = [:]
    /// The time-outs of a world's connections while its manual clock advances; otherwise nil.
    @exclusivity(unchecked) var passing: PassingTime?
    @exclusivity(unchecked) var connections = ConnectionTable()
    /// The connection whose request the engine is answering, which ``Memory`` must not end.
    @exclusivity(unchecked) var answering: Connection?
    @exclusivity(unchecked) var deadlines = DeadlineQueue<ConnectionID>()
    @exclusivity(unchecked) private var touched: [Connection] = []
    @exclusivity(unchecked) var touchedUpstreams: [UpstreamConnection] = []
    /// Whether the transport can connect to upstreams (``takeTouchedUpstreams()``).
    @exclusivity(unchecked) package var reachesUpstreams = false
    @exclusivity(unchecked) private var spareBuffers = SpareBuffers()
    @exclusivity(unchecked) private var spareEvents: [WebSocket.Event] = []
    @exclusivity(unchecked) var isShuttingDown = false
    /// The idle time after which a draining server deletes a world, in nanoseconds; nil unless the server is draining.
    @exclusivity(unchecked) var drainIdle: Int64?
    /// Starts a job on another thread that runs jobs in order and passes each result to ``finish(_:at:)``.
    ///
    /// If nil, the engine runs jobs immediately.
    @exclusivity(unchecked) public var startJob: ((Job) -> Void)?
    /// Starts a job that writes the state file, so that it does not wait for other jobs.
    @exclusivity(unchecked) public var startSaving: ((Job) -> Void)?
    @exclusivity(unchecked) var jobs = Jobs()
    /// The progress of saving; nil if there is no state file.
    @exclusivity(unchecked) var saving: Saving?
    /// Called with every event for the log.
    @exclusivity(unchecked) public var observe: ((Observation) -> Void)?
    /// Whether to also call ``observe`` for each request, at a cost on the hot path.
    @exclusivity(unchecked) public var observesRequests = true

    /// - Throws: An error if the data of the scenario or of a world in the state file is inconsistent.
    public init(_ configuration: Configuration, now: Timestamp) throws(APIError) {
        self.configuration = configuration
        (limits, patience) = (configuration.limits, Patience(configuration.limits))
        (origins, coding) = (Origins(configuration), ContentCoding(configuration.limits))
        startedAt = now
        let digits = String(UInt64(bitPattern: now.nanosecondsSinceEpoch), radix: 16)
        instance = String(repeating: "0", count: 16 - digits.count) + digits
        let restored = configuration.restored
        self.configuration.restored = nil
        let draft = WorldDraft(
            settings: configuration.defaultWorldSettings, restored: restored?.defaultWorld(for: configuration))
        let beginning = try configuration.naming(World.defaultID) { () throws(APIError) in
            try WorldBeginning(draft, in: configuration.emptyRoom, now: now)
        }
        worlds = WorldTable(main: World(id: nil, number: 0, beginning, now: now), configuration, now: now)
        recorder = Recorder(worlds)
        if let restored { try beginSaving(after: restored, at: now) }
    }

    // MARK: The stages, and parts that use the engine's state

    var network: NetworkStage { NetworkStage(engine: self) }
    var breakpoints: Breakpoints { Breakpoints(engine: self) }
    var liveFaults: LiveFaults { LiveFaults(engine: self) }
    var liveSockets: LiveSockets { LiveSockets(engine: self) }
    var lives: WorldLives { WorldLives(engine: self) }
    var player: PlayerAnswerer { PlayerAnswerer(engine: self) }
    var upstreams: UpstreamAnswerer { UpstreamAnswerer(engine: self) }
    var memory: Memory { Memory(engine: self) }

    // MARK: Calls from the transport

    /// - Parameters:
    ///   - isLocal: Whether the peer is on this machine; other peers need the admin token for the admin API.
    ///   - isSecure: Whether the connection starts with TLS; the transport must then call ``secured(_:at:)`` after the
    ///     handshake.
    /// - Returns: Nil if the transport must close the connection immediately because too many connections are being
    ///   refused. A connection over the limit gets an id so that it can be sent a 503.
    public func open(at now: Timestamp, isLocal: Bool = true, isSecure: Bool = false) -> ConnectionID? {
        let opened = connections.open(isLocal: isLocal, isSecure: isSecure, limits: limits)
        guard let connection = opened else { return nil }
        arm(connection, isSecure ? .handshake : .idle, after: isSecure ? patience.handshake : patience.idle, at: now)
        if connection.isRefused {
            refuse(connection, .tooManyConnections(limit: limits.connections), at: now)
            observe?(.refusedConnection(limit: limits.connections))
        } else if configuration.relayed != nil {
            connection.speaks = .relayed
        }
        return connection.id
    }

    public func receive(_ bytes: UnsafeRawBufferPointer, on id: ConnectionID, at now: Timestamp) {
        guard let connection = self[id], connection.isServed || connection.isRelaying else { return }
        connection.world?.activity &+= UInt64(bytes.count)
        if connection.input.line == nil, connection.input.isEmpty {
            take(bytes, on: connection, at: now)
        } else {
            connection.input.bytes += bytes
            network.arrive(on: connection, at: now)
        }
        account(connection)
        memory.enforceLimits(at: now)
    }

    /// Reads bytes after the world's network has delayed them.
    func take(_ bytes: UnsafeRawBufferPointer, on connection: Connection, at now: Timestamp) {
        // A client must not send bytes after a request for an event stream.
        guard !connection.isFollower else { return end(connection, .close) }
        lendOutput(to: connection)
        if connection.speaks == .http {
            if isTLS(bytes, on: connection) { return refuseTLS(on: connection, at: now) }
            connection.http.receive(bytes)
            readRequests(of: connection, at: now)
        } else if connection.speaks == .relayed {
            upstreams.relay(bytes, on: connection, at: now)
        } else if waitsForWorld(connection) {
            connection.unreadFrames += bytes
        } else {
            receiveFrames(bytes, on: connection, at: now)
        }
    }

    /// Handles the end of the peer's stream.
    public func receiveEndOfStream(on id: ConnectionID, at now: Timestamp) {
        guard let connection = self[id] else { return }
        if connection.isRelaying { return upstreams.receiveEndOfStream(on: connection) }
        connection.world?.activity &+= 1
        // The end comes after the bytes that the network is delaying.
        connection.inputHasEnded = connection.isServed && !connection.input.isEmpty
        if connection.inputHasEnded { return }
        if connection.isOpenSocket || connection.holdCount > 0 { connection.world?.setTime(now) }
        // Output that a fault holds on a WebSocket no longer has a reader. An HTTP client may have closed only its
        // sending side.
        if connection.speaks == .webSocket { connection.output.discardHeld() }
        guard connection.isServed else {
            recorder.recordEnd(of: connection, by: .client, .finish)
            end(connection, .close)
            return
        }
        // A client that half-closes while waiting for an operator or for events has given up.
        if connection.speaks == .http, !connection.isFollower, !connection.awaitsOthers {
            connection.http.receiveEndOfStream()
            // Answer the waiting request first.
            if connection.waiting != nil { return }
            readRequests(of: connection, at: now)
            // The client may still read a long answer, after which the connection ends.
            guard connection.stream == nil else { return }
        }
        breakpoints.dropHolds(of: connection)
        recorder.recordEnd(of: connection, by: .client, .finish)
        forgetSocket(of: connection)
        end(connection, .close)
    }

    /// Handles the loss of the transport connection, and frees its place.
    ///
    /// - Parameter now: The time; nil means the time of the last event in the connection's world.
    public func transportClosed(_ id: ConnectionID, at now: Timestamp? = nil) {
        guard let connection = self[id] else { return }
        connection.world?.activity &+= 1
        if let world = connection.world,
            !connection.record.waiting.isEmpty || connection.isOpenSocket || connection.holdCount > 0
        {
            if let now { world.setTime(now) }
            breakpoints.dropHolds(of: connection)
            recorder.recordEnd(of: connection, by: .client, .reset)
            recorder.recordAbandoned(connection, in: world)
        }
        forgetSocket(of: connection)
        if connection.upstream != nil { upstreams.leave(connection) }
        if let world = connection.follower?.world {
            connection.follower = nil
            breakpoints.disableAbandoned(of: world, at: now ?? world.lastUsed)
        }
        connection.ending = .reset
        if connection.stream != nil { endStream(of: connection) }
        connections.close(connection)
    }

    public func sent(_ count: Int, on id: ConnectionID, at now: Timestamp) {
        guard let connection = self[id] else { return }
        connection.output.take(count)
        connection.world?.activity &+= UInt64(count)
        account(connection)
        if connection.isFollower { connection.follower?.unreadTime = 0 }
        if connection.speaks == .relayed, let upstream = connection.upstream { upstreams.noteProgress(of: upstream) }
        // The client is reading, so restart its idle timer.
        if connection.deadline?.purpose == .idle {
            connection.deadline?.time = now.advanced(byNanoseconds: patience.idle)
        }
        if connection.isDrained {
            spareBuffers.reclaim(connection.output.bytes)
            connection.output.discard()
            handleTakenOutput(from: connection, at: now)
        }
        // The parser still contains requests that arrived while the peer was not reading or while an answer was held.
        guard connection.hasWaitingRequests, connection.ending == .none else { return }
        if connection.stream != nil {
            queueStream(of: connection)
        } else if !isReadingPaused(connection) {
            readRequests(of: connection, at: now)
            account(connection)
            memory.enforceLimits(at: now)
        }
    }

    public func advance(to now: Timestamp) {
        accountJournalReaders(at: now)
        feedStreams(at: now)
        resumeConnections(at: now)
        runWorlds(at: now)
        lives.sweep(at: now)
        fireDeadlines(at: now)
    }

    /// When to call ``advance(to:)``; nil if nothing is due.
    public var nextDeadline: Timestamp? {
        // The next slice is due immediately, after serving other connections.
        guard streams.waiting.isEmpty, resumed.isEmpty else { return Timestamp(nanosecondsSinceEpoch: 0) }
        let due = Timestamp.earliest(deadlines.next, .earliest(worlds.nextDeadline, worlds.nextSweep))
        return saving == nil ? due : .earliest(due, savingDue)
    }

    /// Whether ``takeTouched()`` has no connections and ``advance(to:)`` has no immediate work.
    package var isQuiet: Bool { touched.isEmpty && followers.isEmpty && jobs.discarded.isEmpty && !isBusy }

    /// The connections whose output, ending or readiness to read has changed, without duplicates.
    ///
    /// WebSockets come last, so that a request's response is sent before the events that it causes.
    public func takeTouched() -> [Connection] {
        freeDiscarded()
        queueFollowers()
        guard !touched.isEmpty else { return [] }
        var result = touched
        touched.removeAll(keepingCapacity: true)
        var webSocketCount = 0
        for connection in result {
            connection.isTouched = false
            if connection.speaks == .webSocket { webSocketCount += 1 }
        }
        // Most turns need no sorting, because they have only requests or only due chunks.
        if webSocketCount > 0, webSocketCount < result.count {
            result = result.filter { $0.speaks == .http } + result.filter { $0.speaks == .webSocket }
        }
        return result
    }

    /// Whether requests and messages on a connection must wait.
    public func isReadingPaused(_ connection: Connection) -> Bool {
        connection.output.count > limits.unsentBytesBeforeReadingPauses && connection.speaks != .relayed
            || connection.upstream.map { upstreams.isFull($0, of: connection) } ?? false
            || connection.isReadingStalled || connection.waiting != nil
            // A request waits while faults hold the previous answer.
            || (connection.speaks == .http ? connection.output.isHeld : waitsForWorld(connection))
    }

    /// Whether the transport reads from a connection; it reads even during some pauses, to notice when a client leaves.
    ///
    /// Over HTTP, it reads while a request waits for an operator or an event, until the client sends more. On a
    /// WebSocket, it reads behind a held message until the client has sent too much.
    public func isRead(_ connection: Connection) -> Bool {
        guard !connection.inputHasEnded, connection.input.count < limits.unsentBytesBeforeReadingPauses else {
            return false
        }
        guard isReadingPaused(connection) else { return true }
        guard connection.speaks == .http else {
            return connection.heldEvent != nil && !connection.isReadingStalled
                && connection.world?.isPaused != true
                && connection.unreadFrames.count < limits.unsentBytesBeforeReadingPauses
        }
        return connection.awaitsOthers && connection.http.bufferedByteCount == 0 && connection.output.isEmpty
    }

    /// Handles a successful TLS handshake.
    public func secured(_ id: ConnectionID, at now: Timestamp) {
        guard let connection = self[id], connection.deadline?.purpose == .handshake else { return }
        arm(connection, .idle, after: patience.idle, at: now)
        // A connection over the limit waits for its refusal.
        touch(connection)
    }

    /// Handles a broken TLS session: ends the connection after the transport's alert, if there is one.
    public func tlsFailed(_ message: String, on id: ConnectionID, at now: Timestamp) {
        guard let connection = self[id], connection.ending != .reset else { return }
        observe?(.tlsFailed(message: message))
        connection.world?.activity &+= 1
        if let world = connection.world,
            !connection.record.waiting.isEmpty || connection.isOpenSocket || connection.holdCount > 0
        {
            world.setTime(now)
            breakpoints.dropHolds(of: connection)
            recorder.recordEnd(of: connection, by: .client, .reset)
        }
        forgetSocket(of: connection)
        // Give the peer time to read the alert.
        connection.output.discard()
        account(connection)
        end(connection, .lingering)
        arm(connection, .closing, after: patience.closing, at: now)
    }

    /// Responds in plain HTTP to a peer that uses plain HTTP on a TLS port; the transport no longer encrypts.
    public func spokePlainHTTP(_ id: ConnectionID, at now: Timestamp) {
        guard let connection = self[id], connection.ending == .none || connection.isRefused else { return }
        connection.isSecure = false
        // The peer gets additional time to read the refusal.
        connection.deadline = nil
        // A connection over the limit already has its refusal.
        guard connection.ending == .none else { return linger(connection, at: now) }
        connection.speaks = .http
        lendOutput(to: connection)
        let secureOrigin = configuration.secureOrigin ?? configuration.origin
        refuse(connection, .plainOnTLSPort(origin: configuration.origin, secureOrigin: secureOrigin), at: now)
    }

    /// Whether bytes on a plain connection start TLS; no HTTP method starts with this byte (RFC 8446 section 5.1).
    ///
    /// A request may be waiting for its answer when the byte arrives. The codec then refuses TLS after the answer.
    func isTLS(_ bytes: UnsafeRawBufferPointer, on connection: Connection) -> Bool {
        bytes.first == 0x16 && !connection.isSecure && connection.http.isIdle
    }

    func refuseTLS(on connection: Connection, at now: Timestamp) {
        touch(connection)
        let refusal = TransportRefusal.tlsOnPlainPort(
            origin: configuration.origin, secureOrigin: configuration.secureOrigin)
        refuse(connection, refusal, at: now)
    }

    /// The connections to upstreams that need the transport, without duplicates.
    package func takeTouchedUpstreams() -> [RelaySide] {
        guard !touchedUpstreams.isEmpty else { return [] }
        defer { touchedUpstreams = [] }
        for upstream in touchedUpstreams { upstream.isTouched = false }
        return touchedUpstreams.map(\.side)
    }

    /// Takes as much of a relay's output as its client can accept.
    package func receive(from side: RelaySide, at now: Timestamp) {
        guard let connection = self[ConnectionID(SocketID(side.id))], let upstream = connection.upstream,
            upstream.side === side
        else { return }
        upstreams.receive(from: upstream, on: connection, at: now)
    }

    public func connection(_ id: ConnectionID) -> Connection? { self[id] }

    /// The time from ``beginShutdown(at:)`` until the transport ends the remaining connections.
    public var shutdownTime: Duration { limits.shutdownTime }

    // MARK: Shared within the engine

    subscript(id: ConnectionID) -> Connection? { connections[id] }

    func account(_ connection: Connection) {
        let difference = connection.heldBytes - connection.accountedBytes
        guard difference != 0 else { return }
        connection.accountedBytes += difference
        connections.add(difference, ofEcho: connection.isEcho)
    }

    func touch(_ connection: Connection) {
        guard !connection.isTouched else { return }
        connection.isTouched = true
        touched.append(connection)
    }

    func touch(_ upstream: UpstreamConnection) {
        guard !upstream.isTouched else { return }
        upstream.isTouched = true
        touchedUpstreams.append(upstream)
    }

    func end(_ connection: Connection, _ ending: Connection.Ending) {
        breakpoints.dropHolds(of: connection)
        connection.ending = ending
        if connection.stream != nil { endStream(of: connection) }
        touch(connection)
    }

    func lendOutput(to connection: Connection) {
        if connection.output.bytes.capacity == 0, let spare = spareBuffers.lend() { connection.output.bytes = spare }
    }

    func withEvents(_ body: (inout [WebSocket.Event]) -> Void) {
        var events: [WebSocket.Event] = []
        swap(&events, &spareEvents)
        body(&events)
        events.removeAll(keepingCapacity: events.capacity <= 64)
        swap(&events, &spareEvents)
    }
}

/// Whether a stage lets a request, a message or a connection continue to the next stage.
enum Passage {
    case passed
    /// The stage has made it wait, or has ended the connection.
    case stopped
}
