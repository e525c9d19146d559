import Faults
import FitIQAPI
import FitIQBackend
import HTTP1
import Scenarios
import Traffic

/// A server's worlds, and their time.
extension Engine {
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
            if world.isStanding { continue }
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
                timeOutPassed(of: id, at: time, moment)
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

    private func timeOutPassed(of id: ConnectionID, at time: Timestamp, _ moment: Timestamp) {
        // Skip an entry that is not the connection's current deadline.
        guard let connection = self[id], let deadline = connection.deadline, deadline.time == time else { return }
        connection.deadline = nil
        // The client has not yet been able to read held output or output written during the advance. The client's time
        // starts when the clock stops.
        let couldBeRead = passing?.slow.contains(id) == true
        guard connection.stream == nil && connection.isDrained || couldBeRead && !connection.output.isHeld else {
            return
        }
        deadlinePassed(deadline.purpose, of: connection, at: moment)
    }

    /// Runs the steps of a world that are due, and returns how many there were, at least 1.
    private func runSteps(of world: World, atMost limit: Int, at now: Timestamp) -> Int {
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

    /// Queues the next check of a world on the system's clock.
    ///
    /// Advancing a manual clock runs due events itself, so this queues only events that become due on their own.
    func queueDeadline(of world: World) {
        guard let step = world.nextStep else { return }
        guard let manualTime = world.clock.manualTime else { return worlds.look(at: world, at: step) }
        if step <= manualTime { worlds.look(at: world, at: world.lastUsed) }
    }

    /// Releases output that faults or networks were holding until this time, sends pings that are due, and resets
    /// sockets that were to stay silent until this time.
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

    /// Passes the holds that are due in a connection's output, or all waits, and then ends or breaks the connection if
    /// required.
    func release(_ connection: Connection, in world: World, at now: Timestamp, skippingWaits: Bool = false) {
        let release = connection.output.release(at: world.turn.now, skippingWaits: skippingWaits)
        recorder.released(connection, in: world)
        switch release {
        case .all: connection.heldTime = 0
        case .until(let time):
            // Additional faults on the same output may call this function again before that time.
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
            precondition(action == .finish || action == .reset, "A wait must end at its own time.")
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
        // The client's time for reading starts with the release.
        if connection.deadline?.purpose == .idle { arm(connection, .idle, after: patience.idle, at: now) }
        account(connection)
    }

    /// Queues a time on the world's clock at which a connection continues.
    func look(at connection: Connection, in world: World, at time: Timestamp) {
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

    /// Stops reading from and writing to a connection, but keeps it open until its client closes it or a time-out
    /// passes.
    private func fallSilent(_ connection: Connection, at now: Timestamp) {
        forgetSocket(of: connection)
        connection.isSilent = true
        // Otherwise, the transport would send FIN after an answer with `Connection: close`.
        if connection.ending == .lingering { connection.ending = .none }
        if connection.speaks == .http {
            connection.http = HTTP1.Connection(role: .server)
        } else {
            connection.endRequests()
        }
        connection.hasWaitingRequests = false
        arm(connection, .silence, after: Engine.longestSilence, at: now)
    }

    /// How long a silenced connection stays open, in nanoseconds: 10 minutes.
    static let longestSilence = FaultLimits.hang
}

/// The time-outs of a world's connections while its manual clock advances.
struct PassingTime {
    /// The world whose clock advances.
    let world: World
    /// The deadlines of the world's connections, on the system's clock, as if the system's clock also advanced.
    var queue = DeadlineQueue<ConnectionID>()
    /// The connections whose output was unread when the clock started advancing.
    var slow: Set<ConnectionID>
}
