import FitIQAPI
import FitIQBackend
import HTTP1
import Scenarios
import Traffic

/// The worlds of a server, and their time.
extension Engine {
    /// Sets the time of the next event in a world, and how much the world may hold.
    func enter(_ world: World, at now: Timestamp) {
        world.lastUsed = now
        world.setTime(now)
        world.backend.storageRoom = worlds.storageRoom(of: world)
    }

    /// Follows a step of the system's clock: dates of worlds on real time move, due times do not.
    ///
    /// - Parameter step: How many nanoseconds it was set forward; negative if it was set back.
    public func clockStepped(by step: Int64, at now: Timestamp) {
        worlds.dateShift += step
        for world in [defaultWorld] + worlds.byAge where world.clock.manualTime == nil {
            // Responses show it when the world is entered again.
            (world.turn.now, world.turn.dateShift) = (max(now, world.turn.now), worlds.dateShift)
            recorder.record(.clock(advancedBy: step, isOfSystem: true), at: world.turn.now, in: world)
        }
    }

    /// Performs due steps of worlds on the system's clock, the latest world first, for some milliseconds.
    func serveWorlds(at now: Timestamp) {
        var steps = Engine.stepsInTurn
        while steps > 0, let world = worlds.popDue(at: now) {
            // It is checked again when it resumes.
            if world.isStanding { continue }
            steps -= advance(world, to: world.clock.now(now), mostSteps: steps, at: now)
        }
        isLate = steps <= 0
    }

    /// How many steps of worlds a turn of the loop performs: a world that was paused has many late ones.
    private static let stepsInTurn = 64

    /// Performs a world's steps due by a point of its time, each at its own time.
    ///
    /// - Parameter limit: The most steps to do by the system's clock; the rest stays due.
    /// - Returns: How many steps were done.
    @discardableResult
    func advance(_ world: World, to time: Timestamp, mostSteps limit: Int = .max, at now: Timestamp) -> Int {
        world.backend.storageRoom = worlds.storageRoom(of: world)
        var steps = 0
        if let start = world.clock.manualTime, start < time {
            pass(world, from: start, to: time, at: now)
        } else {
            while steps < limit, let due = world.nextStep, due <= time {
                // Events that arrived while it was late keep their place before it.
                if world.clock.manualTime == nil { world.turn.now = max(due, world.turn.now) }
                steps += serveSteps(of: world, atMost: limit - steps, at: now)
            }
        }
        queueDeadline(of: world)
        return steps
    }

    /// Performs the first due events of a world with a manual clock, on the way to a point of its time.
    ///
    /// - Parameters:
    ///   - steps: How many; if there are more, the clock stops at the time of the last of them.
    ///   - slow: The connections that had unread output when the clock began to move; nil at first.
    func advance(_ world: World, to time: Timestamp, steps: Int, slow: inout Set<ConnectionID>?, at now: Timestamp) {
        world.backend.storageRoom = worlds.storageRoom(of: world)
        if let start = world.clock.manualTime, start <= time {
            slow = pass(world, from: start, to: time, at: now, mostSteps: steps, slow: slow)
        }
        queueDeadline(of: world)
    }

    /// Moves a manual clock.
    ///
    /// The backend's steps, held outputs and the time-outs of the world's connections happen in order of time, however
    /// far the clock moves at once.
    ///
    /// - Returns: The connections that had unread output when the clock began to move.
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
            // As long after now on the system's clock as after the start on the world's.
            let moment = world.turn.now.advanced(byNanoseconds: -shift)
            if let step, step <= world.turn.now {
                steps -= serveSteps(of: world, atMost: steps, at: moment)
            } else if let (id, time) = passing?.queue.popDue(at: moment) {
                timeOutPassed(of: id, at: time, moment)
                steps -= 1
            } else {
                preconditionFailure("What is due next was due neither as a step nor as a time-out.")
            }
        }
        world.moveClock(to: end)
        noteUnsaved(world)
        let slow = passing?.slow ?? []
        passing = nil
        // The time that has passed shortens each deadline.
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

    private func timeOutPassed(of id: ConnectionID, at time: Timestamp, _ moment: Timestamp) {
        // Only the connection's current deadline: another one has its own entry.
        guard let connection = self[id], let deadline = connection.deadline, deadline.time == time else { return }
        connection.deadline = nil
        // Output written on the way, or held back, could not be read yet: its time starts when the clock stops again.
        let couldBeRead = passing?.slow.contains(id) == true
        guard connection.stream == nil && connection.isDrained || couldBeRead && !connection.output.isHeld else {
            return
        }
        deadlinePassed(deadline.purpose, of: connection, at: moment)
    }

    /// Performs a world's due steps, and returns their number, at least one.
    private func serveSteps(of world: World, atMost limit: Int, at now: Timestamp) -> Int {
        var steps = 0
        if world.replay == nil {
            steps = world.backend.advance(&world.turn, mostSteps: limit)
            applyEffects(of: world, at: now)
        } else {
            advanceReplay(of: world, at: now)
        }
        releaseOutputs(of: world, at: now)
        releaseHolds(of: world, at: now)
        return max(steps, 1)
    }

    /// Queues the next check of a world by the system's clock.
    ///
    /// A manual clock checks on its own, except for instant events, which are due without a move.
    func queueDeadline(of world: World) {
        guard let step = world.nextStep else { return }
        guard let manualTime = world.clock.manualTime else { return worlds.look(at: world, at: step) }
        if step <= manualTime { worlds.look(at: world, at: world.lastUsed) }
    }

    /// Releases the outputs that faults held until now, and resets the sockets silenced by hand until now.
    private func releaseOutputs(of world: World, at now: Timestamp) {
        while let (id, time) = world.heldOutputs.popDue(at: world.turn.now) {
            guard let connection = self[id] else { continue }
            if connection.silencedUntil == time {
                cut(connection, isReset: true, in: world, at: now)
                continue
            }
            if connection.queuedArrival == time {
                connection.queuedArrival = nil
                arrive(on: connection, at: now)
            }
            if connection.pings.due == time { ping(connection, in: world, at: now) }
            guard connection.queuedRelease == time else { continue }
            connection.queuedRelease = nil
            release(connection, in: world, at: now)
        }
    }

    /// Passes the due holds in a connection's output, or all waits, and performs what follows them.
    func release(_ connection: Connection, in world: World, at now: Timestamp, skippingWaits: Bool = false) {
        let release = connection.output.release(at: world.turn.now, skippingWaits: skippingWaits)
        recorder.released(connection, in: world)
        switch release {
        case .all: connection.heldTime = 0
        case .until(let time):
            // Further faults on the same output may come before it is time.
            guard connection.queuedRelease != time else { break }
            connection.queuedRelease = time
            look(at: connection, in: world, at: time)
        case .broken: breakOff(connection, in: world, at: now)
        case .end(.silence):
            loseHolds(of: connection)
            recorder.abandoned(connection, in: world)
            if let rule = connection.record.endingRule { recorder.setIn(.silence, by: rule, on: connection, in: world) }
            fallSilent(connection, at: now)
        case .end(let action):
            precondition(action == .finish || action == .reset, "A wait ends on its own.")
            loseHolds(of: connection)
            recorder.abandoned(connection, in: world)
            let recorded: RecordedClosing.Cause = action == .reset ? .reset : .finish
            recorder.closed(connection, by: .server, connection.endsAsRecorded ? recorded : .fault)
            forgetSocket(of: connection)
            if action == .reset {
                end(connection, .resetAfterOutput)
            } else {
                connection.endsAbruptly = true
                linger(connection, at: now)
            }
        }
        touch(connection)
        awaitReader(of: connection, at: now)
        // Output released just now has not been waiting for its reader.
        if connection.deadline?.purpose == .idle { arm(connection, .idle, after: patience.idle, at: now) }
        account(connection)
    }

    /// Queues a time at which a connection continues.
    func look(at connection: Connection, in world: World, at time: Timestamp) {
        world.heldOutputs.insert(connection.id, at: time)
        // Clients that give up waiting leave their entries in the queue, permanently if the clock stands still.
        if world.heldOutputs.count > 2 * connections.count + 1024 {
            world.heldOutputs.removeAll { id, time in
                self[id].map { ![$0.queuedRelease, $0.queuedArrival, $0.silencedUntil, $0.pings.due].contains(time) }
                    ?? true
            }
        }
        queueDeadline(of: world)
    }

    /// Stops a connection's reads and writes, and keeps it open until the client closes it or its time has passed.
    private func fallSilent(_ connection: Connection, at now: Timestamp) {
        forgetSocket(of: connection)
        connection.isSilent = true
        // Otherwise FIN would follow an answer after which the connection had to close.
        if connection.ending == .lingering { connection.ending = .none }
        if connection.speaks == .http {
            connection.http = HTTP1.Connection(role: .server)
        } else {
            connection.endRequests()
        }
        connection.hasWaitingRequests = false
        arm(connection, .silence, after: Engine.longestSilence, at: now)
    }

    /// How long a connection silenced by a fault is kept, in nanoseconds: 10 minutes.
    static let longestSilence: Int64 = 600_000_000_000
}

/// The time-outs of a world's connections while its manual clock moves.
struct PassingTime {
    /// The world whose clock it is.
    let world: World
    /// Its connections, ordered by deadline: the system's time as it would be if the clock had run.
    var queue = DeadlineQueue<ConnectionID>()
    /// Those with output that was unread when the clock began to move, and still is.
    var slow: Set<ConnectionID>
}
