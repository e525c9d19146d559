import Faults
import FitIQAPI
import HTTP1
import Text
import WebSocket

/// What happens without a byte from a client: deadlines, the worlds' steps, pings, saving and stopping.
extension Engine {
    // MARK: Connections' deadlines

    func arm(_ connection: Connection, _ purpose: Connection.Wait, after nanoseconds: Int64, at now: Timestamp) {
        connection.deadline = (now.advanced(byNanoseconds: nanoseconds), purpose)
        queueDeadline(of: connection)
    }

    private func queueDeadline(of connection: Connection) {
        guard let time = connection.deadline?.time else { return }
        if let passing, passing.world === connection.world { self.passing?.queue.insert(connection.id, at: time) }
        // The queued entry will queue a later deadline when it is due.
        if let queued = connection.queuedDeadline, queued <= time { return }
        connection.queuedDeadline = time
        deadlines.insert(connection.id, at: time)
        // Short-lived connections leave their entries in the queue.
        if deadlines.count > 2 * connections.count + 1024 {
            deadlines.removeAll { id, time in self[id]?.queuedDeadline != time }
        }
    }

    func bringForward(_ connection: Connection, by nanoseconds: Int64) {
        guard let deadline = connection.deadline else { return }
        connection.deadline?.time = deadline.time.advanced(byNanoseconds: -nanoseconds)
        queueDeadline(of: connection)
    }

    /// Ends a connection after its output has been sent, and gives the peer time to read the output.
    func linger(_ connection: Connection, at now: Timestamp) {
        end(connection, .lingering)
        awaitReader(of: connection, at: now)
        if connection.isDrained { arm(connection, .closing, after: patience.closing, at: now) }
    }

    /// Limits how long the peer may leave output unread; an existing deadline of this kind continues.
    func awaitReader(of connection: Connection, at now: Timestamp) {
        // A silenced connection stays open for the fault's time, even if it has unsent output.
        guard !connection.isDrained, !connection.isSilent, connection.deadline?.purpose != .idle,
            // The relay has its own time limits.
            !connection.isRelaying,
            // The peer cannot read anything during the TLS handshake, which has its own limit.
            connection.deadline?.purpose != .handshake
        else { return }
        arm(connection, .idle, after: patience.idle, at: now)
    }

    /// Continues a connection after its peer has read all output.
    func handleTakenOutput(from connection: Connection, at now: Timestamp) {
        if connection.isSilent { return }
        if connection.ending == .lingering && !connection.isRelaying || connection.isClosingWebSocket {
            arm(connection, .closing, after: patience.closing, at: now)
        } else if connection.speaks != .http {
            connection.deadline = nil
            connection.webSocket?.resumePongs(into: &connection.output.bytes)
            carry(connection, at: now)
            if let upstream = connection.upstream { upstreams.receive(from: upstream, on: connection, at: now) }
            if connection.hasOutput {
                touch(connection)
                awaitReader(of: connection, at: now)
            }
        }
    }

    func fireDeadlines(at now: Timestamp) {
        while let (id, time) = deadlines.popDue(at: now) {
            // Skip an entry if an earlier entry has replaced it or its connection has ended.
            guard let connection = self[id], connection.queuedDeadline == time else { continue }
            connection.queuedDeadline = nil
            guard let deadline = connection.deadline else { continue }
            if deadline.time > now {
                queueDeadline(of: connection)
            } else {
                connection.deadline = nil
                fireDeadline(deadline.purpose, of: connection, at: now)
            }
        }
    }

    private func fireDeadline(_ purpose: Connection.Wait, of connection: Connection, at now: Timestamp) {
        if purpose == .wake {
            wakeStream(of: connection)
            return arm(connection, .idle, after: patience.idle, at: now)
        }
        // The peer gets more time, because it cannot read output held by a fault. This time is limited, because the
        // server would not notice that a peer has left, and a manual clock may never advance.
        if connection.output.isHeld || !connection.input.isEmpty {
            connection.heldTime += patience.idle
            guard connection.heldTime < Engine.longestHold else { return end(connection, .reset) }
            arm(connection, purpose, after: patience.idle, at: now)
            return
        }
        connection.heldTime = 0
        // The peer also gets more time during a slow job or a clock advance.
        guard connection.waiting == nil, !(connection.stream?.isWaiting ?? false) else {
            return arm(connection, purpose, after: patience.idle, at: now)
        }
        switch purpose {
        case .wake: break
        case .idle, .closing:
            recorder.recordEnd(of: connection, by: .server, .timeOut)
            end(connection, connection.output.isEmpty && connection.stream == nil ? .close : .reset)
        case .handshake: failHandshake(on: connection)
        case .silence:
            recorder.recordEnd(of: connection, by: .server, .fault)
            end(connection, .reset)
        case .keepAlive: keepAlive(connection, at: now)
        case .readHead: refuse(connection, .headTimeout(limits.readTime), at: now)
        case .readBody: refuse(connection, .bodyTimeout(limits.readTime), at: now)
        }
    }

    /// The longest time that a fault may hold a connection's output, in nanoseconds: twice the longest wait.
    static let longestHold: Int64 = 2 * FaultLimits.longestWait

    private func failHandshake(on connection: Connection) {
        observe?(.tlsFailed(message: TransportRefusal.handshakeTimeout(limits.handshakeTime)))
        // Drop the refusal of a connection over the limit, because it can no longer be sent.
        connection.output.discard()
        end(connection, .close)
    }

    // MARK: Worlds' time

    /// Sets a world's time and its storage limit before an event.
    func enter(_ world: World, at now: Timestamp) {
        world.lastUsed = now
        world.setTime(now)
        world.backend.storageRoom = worlds.storageRoom(of: world)
    }

    /// Handles a change to the system's clock: shifts the dates of worlds on real time, but not their due times.
    ///
    /// - Parameter step: The change in nanoseconds; negative if the clock was set back.
    public func clockStepped(by step: Int64, at now: Timestamp) {
        worlds.dateShift += step
        for world in [defaultWorld] + worlds.byAge where world.clock.manualTime == nil {
            // Responses contain the new date once ``enter(_:at:)`` is called again.
            (world.turn.now, world.turn.dateShift) = (max(now, world.turn.now), worlds.dateShift)
            recorder.record(.clock(advancedBy: step, isOfSystem: true), at: world.turn.now, in: world)
        }
    }

    /// Runs the worlds' steps that are due, in chronological order, for a few milliseconds.
    func runWorlds(at now: Timestamp) {
        var steps = Engine.stepsInTurn
        while steps > 0, let world = worlds.popDue(at: now) {
            // ``resume(_:at:)`` queues a paused world again.
            if world.isPaused { continue }
            steps -= advance(world, to: world.clock.now(now), mostSteps: steps, at: now)
        }
        isLate = steps <= 0
    }

    /// The maximum number of steps in a loop turn; a world that was paused may have many late steps.
    private static let stepsInTurn = 64

    /// Runs the steps of a world that are due by a time on its clock, each at its own time.
    ///
    /// - Parameter limit: The maximum number of steps if the world follows the system's clock; additional steps remain
    ///   due.
    /// - Returns: The number of steps.
    @discardableResult
    func advance(_ world: World, to time: Timestamp, mostSteps limit: Int = .max, at now: Timestamp) -> Int {
        world.backend.storageRoom = worlds.storageRoom(of: world)
        var steps = 0
        if let start = world.clock.manualTime, start < time {
            pass(world, from: start, to: time, at: now)
        } else {
            while steps < limit, let due = world.nextStep, due <= time {
                // A late step gets the time of preceding events, so that time never goes backwards.
                if world.clock.manualTime == nil { world.turn.now = max(due, world.turn.now) }
                steps += runSteps(of: world, atMost: limit - steps, at: now)
            }
        }
        queueDeadline(of: world)
        return steps
    }

    /// Advances a manual clock towards the given time, and runs the first events that become due.
    ///
    /// - Parameters:
    ///   - steps: The maximum number of events; if more events are due, the clock stops at the last event that ran.
    ///   - slow: The connections that had unread output when the clock started advancing; nil in the first call.
    func advance(_ world: World, to time: Timestamp, steps: Int, slow: inout Set<ConnectionID>?, at now: Timestamp) {
        world.backend.storageRoom = worlds.storageRoom(of: world)
        if let start = world.clock.manualTime, start <= time {
            slow = pass(world, from: start, to: time, at: now, mostSteps: steps, slow: slow)
        }
        queueDeadline(of: world)
    }

    /// Advances a manual clock.
    ///
    /// The backend's steps, releases of held output and the connections' time-outs run in chronological order.
    ///
    /// - Returns: The connections that had unread output when the clock started advancing.
    @discardableResult
    private func pass(
        _ world: World, from start: Timestamp, to target: Timestamp, at now: Timestamp, mostSteps: Int = .max,
        slow: Set<ConnectionID>? = nil
    ) -> Set<ConnectionID> {
        let shift = start.nanosecondsSinceEpoch - now.nanosecondsSinceEpoch
        var (end, steps) = (target, mostSteps)
        if slow == nil { world.clockMoveCount += 1 }
        passing = PassingTime(world: world, slow: slow ?? [])
        for connection in connections where connection.world === world {
            if slow == nil, connection.hasOutput { passing?.slow.insert(connection.id) }
            guard let deadline = connection.deadline else { continue }
            passing?.queue.insert(connection.id, at: deadline.time)
        }
        while true {
            let step = world.nextStep
            let timeOut = passing?.queue.next?.advanced(byNanoseconds: shift)
            guard let next = Timestamp.earliest(step, timeOut), next <= end else { break }
            guard steps > 0 else {
                end = world.turn.now
                break
            }
            world.moveClock(to: max(next, world.turn.now))
            // The system's time, as if the system's clock had advanced by as much as the world's clock.
            let moment = world.turn.now.advanced(byNanoseconds: -shift)
            if let step, step <= world.turn.now {
                steps -= runSteps(of: world, atMost: steps, at: moment)
            } else if let (id, time) = passing?.queue.popDue(at: moment) {
                fireTimeOut(of: id, at: time, moment)
                steps -= 1
            } else {
                preconditionFailure("The next due event must be a step or a time-out.")
            }
        }
        world.moveClock(to: end)
        saving?.noteUnsaved(world)
        let slow = passing?.slow ?? []
        passing = nil
        // Count the clock's advance as elapsed time for each deadline.
        let nanoseconds = end.nanosecondsSinceEpoch - start.nanosecondsSinceEpoch
        for connection in connections where connection.world === world {
            if connection.deadline == nil, connection.speaks == .http || !connection.isDrained {
                arm(connection, .idle, after: patience.idle, at: now)
            } else {
                bringForward(connection, by: nanoseconds)
            }
        }
        return slow
    }

    private func fireTimeOut(of id: ConnectionID, at time: Timestamp, _ moment: Timestamp) {
        // Skip an entry that is not the connection's current deadline.
        guard let connection = self[id], let deadline = connection.deadline, deadline.time == time else { return }
        connection.deadline = nil
        // The client has not yet been able to read held output or output written during the advance. The client's time
        // starts when the clock stops.
        let couldBeRead = passing?.slow.contains(id) == true
        guard connection.stream == nil && connection.isDrained || couldBeRead && !connection.output.isHeld else {
            return
        }
        fireDeadline(deadline.purpose, of: connection, at: moment)
    }

    /// Runs the steps of a world that are due, and returns how many there were, at least 1.
    private func runSteps(of world: World, atMost limit: Int, at now: Timestamp) -> Int {
        var steps = 0
        if world.replay == nil {
            steps = world.backend.advance(&world.turn, mostSteps: limit)
            applyEffects(of: world, at: now)
        } else {
            player.advance(world, at: now)
        }
        releaseOutputs(of: world, at: now)
        breakpoints.releaseDue(of: world, at: now)
        return max(steps, 1)
    }

    /// Queues the next check of a world on the system's clock.
    ///
    /// Advancing a manual clock runs due events itself, so this queues only events that become due on their own.
    func queueDeadline(of world: World) {
        guard let step = world.nextStep else { return }
        guard let manualTime = world.clock.manualTime else { return worlds.queue(world, at: step) }
        if step <= manualTime { worlds.queue(world, at: world.lastUsed) }
    }

    /// Releases output that faults or networks were holding until this time, sends pings that are due, and resets
    /// sockets that were to stay silent until this time.
    private func releaseOutputs(of world: World, at now: Timestamp) {
        while let (id, time) = world.heldOutputs.popDue(at: world.turn.now) {
            guard let connection = self[id] else { continue }
            if connection.silencedUntil == time {
                liveSockets.cut(connection, isReset: true, in: world, at: now)
                continue
            }
            if connection.queuedArrival == time {
                connection.queuedArrival = nil
                network.arrive(on: connection, at: now)
            }
            if connection.pings.due == time { ping(connection, in: world, at: now) }
            guard connection.queuedRelease == time else { continue }
            connection.queuedRelease = nil
            release(connection, in: world, at: now)
        }
    }

    /// Queues a time on the world's clock at which a connection continues.
    func queue(_ connection: Connection, in world: World, at time: Timestamp) {
        world.heldOutputs.insert(connection.id, at: time)
        // Disconnected clients leave entries in the queue that a manual clock may never reach.
        if world.heldOutputs.count > 2 * connections.count + 1024 {
            world.heldOutputs.removeAll { id, time in
                self[id].map { ![$0.queuedRelease, $0.queuedArrival, $0.silencedUntil, $0.pings.due].contains(time) }
                    ?? true
            }
        }
        queueDeadline(of: world)
    }

    // MARK: Pings, which some backends use to detect lost clients (RFC 6455 §5.5.2)

    /// Queues a socket's next ping if the world's scenario uses pings.
    func queuePing(on connection: Connection, in world: World, at now: Timestamp) {
        guard let interval = world.settings.scenario.rules.pings else { return }
        // A loop that runs late skips the pings that it missed.
        let time = max(world.turn.now, world.clock.now(now)).advanced(byNanoseconds: interval)
        connection.pings.due = time
        queue(connection, in: world, at: time)
    }

    /// Sends the ping that is due, or closes the socket if its client has not answered the last ping.
    func ping(_ connection: Connection, in world: World, at now: Timestamp) {
        guard let interval = world.settings.scenario.rules.pings, let due = connection.pings.due else { return }
        connection.pings.due = nil
        guard connection.isServed, !connection.isSilent, connection.webSocket?.canSend == true else { return }
        if connection.pings.awaited != nil {
            // No client can answer while a manual clock is advancing, so one ping is enough.
            if passing != nil, connection.pings.move == world.clockMoveCount {
                return queuePing(on: connection, in: world, at: now)
            }
            // A loop that runs late may not have read the pong yet, and a fault or an operator may hold the pong or the
            // ping.
            let isLate = world.clock.now(now) > due.advanced(byNanoseconds: interval / 10)
            let isHeldBack =
                connection.isReadingStalled || connection.heldEvent != nil || !connection.unreadFrames.isEmpty
                || connection.output.isHeld
            if !isLate, !isHeldBack {
                forgetSocket(of: connection)
                return close(connection, code: .internalError, reason: "No pong arrived.", at: now)
            }
        }
        connection.pings.count += 1
        connection.pings.awaited = Array("\(connection.pings.count)".utf8)
        connection.pings.move = world.clockMoveCount
        send(connection.pings.awaited ?? [], .ping, on: connection, in: world, at: now)
        queuePing(on: connection, in: world, at: now)
    }

    // MARK: Slices of long answers

    /// Updates the held bytes of readers that keep journal entries.
    func accountJournalReaders(at now: Timestamp) {
        guard !streams.journalReaders.isEmpty else { return }
        for id in streams.journalReaders {
            if let connection = self[id], connection.stream?.source.keepsJournal ?? false {
                account(connection)
            } else {
                streams.journalReaders.remove(id)
            }
        }
        memory.enforceLimits(at: now)
    }

    func feedStreams(at now: Timestamp) {
        guard !streams.waiting.isEmpty else { return }
        let waiting = streams.waiting.count
        var looked = 0
        var room = streams.sliceSize
        while looked < waiting, room > 0 {
            let id = streams.waiting[looked]
            looked += 1
            guard let connection = self[id], connection.ending == .none else { continue }
            if let stream = connection.stream {
                room -= feed(connection, stream, at: now)
            } else if connection.isFollower {
                room -= feedFollower(connection, at: now)
            }
        }
        streams.waiting.removeFirst(looked)
    }

    // MARK: Saving

    /// When to call ``save(at:)``; nil if nothing is unsaved or a slice is being written.
    var savingDue: Timestamp? { saving?.due }

    /// Starts writing the next slice of unsaved changes; must be called at the end of a turn.
    public func save(at now: Timestamp) {
        guard let saving, let commits = saving.startSlice(at: now) else { return }
        let file = saving.file
        runJob(at: now, isSaving: true) {
            Result { () throws(Refusal) in try file.flush() }
        } then: { engine, result, now in
            if let error = saving.finishSlice(result.take(), commits: commits, at: now) {
                engine.observe?(.stateNotSaved(message: error.description))
            }
            engine.save(at: now)
        }
    }

    // MARK: Stopping

    /// Whether the server is draining and has no worlds or sockets left, so that the transport can stop the server.
    ///
    /// The default world does not count, but its sockets do.
    var isDrained: Bool {
        drainIdle != nil && worlds.isEmpty && connections.webSocketCount == 0 && !isShuttingDown
    }

    /// Begins to shut down: closes idle connections, answers requests in progress, and closes sockets with 1001.
    ///
    /// The transport stops accepting connections, and ends once no connection is left or ``ServerLimits/shutdownTime``
    /// has passed.
    public func beginShutdown(at now: Timestamp) {
        guard !isShuttingDown else { return }
        isShuttingDown = true
        for world in [defaultWorld] + worlds.byAge { breakpoints.releaseAll(of: world, .ended, at: now) }
        for connection in connections where connection.ending == .none && connection.speaks != .relayed {
            if connection.isSilent {
                recorder.recordEnd(of: connection, by: .server, .shutdown)
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
            if isShuttingDown { recorder.recordEnd(of: connection, by: .server, .shutdown) }
            end(connection, .reset)
        }
    }
}

/// The time-outs of a world's connections while its manual clock advances.
struct PassingTime {
    let world: World
    /// The deadlines of the world's connections, on the system's clock, as if the system's clock also advanced.
    var queue = DeadlineQueue<ConnectionID>()
    /// The connections whose output was unread when the clock started advancing.
    var slow: Set<ConnectionID>
}

/// The long answers in progress.
///
/// A loop turn produces one slice or several small slices, starting with the reader that has waited longest, and then
/// serves all other connections. A large answer therefore does not block the loop longer than a small one.
struct StreamQueue {
    /// The connections that get a slice next, starting with the connection that has waited longest.
    var waiting: [ConnectionID] = []
    /// The connections whose source is waiting for a paused world, a moving clock or an entry.
    var idle: [ConnectionID] = []
    /// The connections whose answer keeps journal entries.
    var journalReaders: Set<ConnectionID> = []
    /// The budget for all slices in a turn: 64 KiB, or about half a millisecond of work.
    var sliceSize = 64 * 1024
    var buffer: [UInt8] = []
}
