import FitIQAPI
import FitIQBackend
import HTTP1
import JSON
import Scenarios
import WebSocket

/// The whole server except for its sockets; bytes and the time are arguments.
///
/// The transport (``Host`` or a test) opens connections and passes received bytes. After each call, the transport
/// serves the connections in ``takeTouched()``: it sends their output and applies their ``Connection/ending``. The
/// transport calls ``advance(to:)`` at ``nextDeadline``. The engine is not thread-safe; only one loop may use it.
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
    /// The connection whose request the engine is answering, which ``enforceMemoryLimits(in:at:)`` must not end.
    @exclusivity(unchecked) var answering: Connection?
    @exclusivity(unchecked) var deadlines = DeadlineQueue<ConnectionID>()
    @exclusivity(unchecked) private var touched: [Connection] = []
    /// The connections for ``takeTouchedUpstreams()``.
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
            arrive(on: connection, at: now)
        }
        account(connection)
        enforceMemoryLimits(at: now)
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
            relay(bytes, on: connection, at: now)
        } else if waitsForWorld(connection) {
            connection.unreadFrames += bytes
        } else {
            receiveFrames(bytes, on: connection, at: now)
        }
    }

    /// Handles the end of the peer's stream.
    public func receiveEndOfStream(on id: ConnectionID, at now: Timestamp) {
        guard let connection = self[id] else { return }
        if connection.isRelaying { return relayEndOfStream(on: connection) }
        connection.world?.activity &+= 1
        // The end comes after the bytes that the network is delaying.
        connection.inputHasEnded = connection.isServed && !connection.input.isEmpty
        if connection.inputHasEnded { return }
        if connection.isOpenSocket || connection.holdCount > 0 { connection.world?.setTime(now) }
        // Output that a fault holds on a WebSocket no longer has a reader. An HTTP client may have closed only its
        // sending side.
        if connection.speaks == .webSocket { connection.output.discardHeld() }
        guard connection.isServed else {
            recorder.closed(connection, by: .client, .finish)
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
        loseHolds(of: connection)
        recorder.closed(connection, by: .client, .finish)
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
            loseHolds(of: connection)
            recorder.closed(connection, by: .client, .reset)
            recorder.abandoned(connection, in: world)
        }
        forgetSocket(of: connection)
        if connection.upstream != nil { leaveUpstream(of: connection) }
        if let world = connection.follower?.world {
            connection.follower = nil
            disableAbandonedBreakpoints(of: world, at: now ?? world.lastUsed)
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
        if connection.speaks == .relayed, let upstream = connection.upstream { moved(upstream) }
        // The client is reading, so restart its idle timer.
        if connection.deadline?.purpose == .idle {
            connection.deadline?.time = now.advanced(byNanoseconds: patience.idle)
        }
        if connection.isDrained {
            spareBuffers.reclaim(connection.output.bytes)
            connection.output.discard()
            outputWasTaken(from: connection, at: now)
        }
        // The parser still contains requests that arrived while the peer was not reading or while an answer was held.
        guard connection.hasWaitingRequests, connection.ending == .none else { return }
        if connection.stream != nil {
            queueStream(of: connection)
        } else if !isReadingPaused(connection) {
            readRequests(of: connection, at: now)
            account(connection)
            enforceMemoryLimits(at: now)
        }
    }

    public func advance(to now: Timestamp) {
        accountJournalReaders(at: now)
        feedStreams(at: now)
        resumeConnections(at: now)
        runWorlds(at: now)
        sweepWorlds(at: now)
        fireDeadlines(at: now)
    }

    /// When to call ``advance(to:)``; nil if nothing is due.
    public var nextDeadline: Timestamp? {
        // The next slice is due immediately, after serving other connections.
        guard streams.waiting.isEmpty, resumed.isEmpty else { return Timestamp(nanosecondsSinceEpoch: 0) }
        let due = Timestamp.earliest(deadlines.next, .earliest(worlds.nextDeadline, worlds.nextSweep))
        return saving == nil ? due : .earliest(due, savingDue)
    }

    /// When to call ``save(at:)``; nil if nothing is unsaved or a slice is being written.
    var savingDue: Timestamp? { saving?.due }

    /// Starts writing the next slice of unsaved changes; must be called at the end of a turn.
    public func save(at now: Timestamp) {
        guard let saving, let commits = saving.startSlice(at: now) else { return }
        let file = saving.file
        runJob(at: now, on: startSaving) {
            Result { () throws(StateFileError) in try file.flush() }
        } then: { engine, result, now in
            if let error = saving.finishSlice(result.take(), commits: commits, at: now) {
                engine.observe?(.stateNotSaved(message: error.message))
            }
            engine.save(at: now)
        }
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
            || connection.upstream.map { isFull($0, of: connection) } ?? false
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
                && connection.world?.isStanding != true
                && connection.unreadFrames.count < limits.unsentBytesBeforeReadingPauses
        }
        return connection.awaitsOthers && connection.http.bufferedByteCount == 0 && connection.output.isEmpty
    }

    public func connection(_ id: ConnectionID) -> Connection? { self[id] }

    /// The time from ``beginShutdown(at:)`` until the transport ends the remaining connections.
    public var shutdownTime: Duration { limits.shutdownTime }

    // MARK: Shared within the engine

    /// Whether a stage lets a request, a message or a connection continue to the next stage.
    enum Passage {
        case passed
        /// The stage has made it wait, or has ended the connection.
        case stopped
    }

    subscript(id: ConnectionID) -> Connection? { connections[id] }

    /// Updates the sum of held bytes for one connection.
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

    func end(_ connection: Connection, _ ending: Connection.Ending) {
        loseHolds(of: connection)
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

    // MARK: Stopping

    /// Begins to shut down: closes idle connections, answers requests in progress, and closes sockets with 1001.
    ///
    /// The transport stops accepting connections, and ends once no connection is left or ``ServerLimits/shutdownTime``
    /// has passed.
    public func beginShutdown(at now: Timestamp) {
        guard !isShuttingDown else { return }
        isShuttingDown = true
        for world in [defaultWorld] + worlds.byAge { releaseAll(of: world, .ended, at: now) }
        for connection in connections where connection.ending == .none && connection.speaks != .relayed {
            if connection.isSilent {
                recorder.closed(connection, by: .server, .shutdown)
                end(connection, .reset)
            } else if connection.webSocket != nil {
                goAway(connection, at: now)
            } else if connection.isFollower {
                endEvents(on: connection, at: now)
            } else if connection.waiting == nil, connection.stream == nil, !connection.isReadingRequest {
                end(connection, .close)
            }
        }
    }

    /// Whether a server that is shutting down has nothing left to do.
    ///
    /// For relayed connections, only answers in progress count. The engine does not end other relayed connections,
    /// because the recording would show that the client ended them.
    public var isEmpty: Bool {
        guard configuration.relayed != nil else { return connections.count == 0 }
        return !connections.contains { $0.isRelaying && $0.upstream?.relay.isAnswering == true || $0.hasOutput }
    }

    public func resetAll() {
        for connection in connections {
            if isShuttingDown { recorder.closed(connection, by: .server, .shutdown) }
            end(connection, .reset)
        }
    }
}
