import Faults
import FitIQAPI

extension Engine {
    /// Sets a connection's deadline, in place of the previous one.
    func arm(_ connection: Connection, _ purpose: Connection.Wait, after nanoseconds: Int64, at now: Timestamp) {
        connection.deadline = (now.advanced(byNanoseconds: nanoseconds), purpose)
        queueDeadline(of: connection)
    }

    /// Ends a connection after its output, giving the peer time to read it.
    func linger(_ connection: Connection, at now: Timestamp) {
        end(connection, .lingering)
        awaitReader(of: connection, at: now)
        if connection.isDrained { arm(connection, .closing, after: patience.closing, at: now) }
    }

    /// Limits the time in which the peer reads none of the output; a running deadline of that kind continues.
    func awaitReader(of connection: Connection, at now: Timestamp) {
        // A connection silenced by a fault is kept as long as the fault lasts, even with output unsent.
        guard !connection.isDrained, !connection.isSilent, connection.deadline?.purpose != .idle,
            // Nothing can be read before TLS is agreed on, and the TLS handshake has a limit of its own.
            connection.deadline?.purpose != .handshake
        else { return }
        arm(connection, .idle, after: patience.idle, at: now)
    }

    /// Sets the deadline once the peer has read all output.
    func outputWasTaken(from connection: Connection, at now: Timestamp) {
        if connection.isSilent { return }
        if connection.ending == .lingering || connection.isClosingWebSocket {
            arm(connection, .closing, after: patience.closing, at: now)
        } else if connection.speaks == .webSocket {
            connection.deadline = nil
            connection.webSocket?.resumePongs(into: &connection.output.bytes)
            if connection.hasOutput {
                touch(connection)
                awaitReader(of: connection, at: now)
            }
        }
    }

    /// Serves the connections whose deadline has passed.
    func serveDeadlines(at now: Timestamp) {
        while let (id, time) = deadlines.popDue(at: now) {
            // Skips an entry that an earlier one has replaced, or whose connection is gone.
            guard let connection = self[id], connection.queuedDeadline == time else { continue }
            connection.queuedDeadline = nil
            guard let deadline = connection.deadline else { continue }
            if deadline.time > now {
                queueDeadline(of: connection)
            } else {
                connection.deadline = nil
                deadlinePassed(deadline.purpose, of: connection, at: now)
            }
        }
    }

    func deadlinePassed(_ purpose: Connection.Wait, of connection: Connection, at now: Timestamp) {
        // The peer is not to blame for what a fault holds back; but a peer that has left is not noticed in the
        // meantime, and a clock that is never moved holds the output permanently.
        if connection.output.isHeld {
            connection.heldTime += patience.idle
            guard connection.heldTime < Engine.longestHold else { return end(connection, .reset) }
            arm(connection, purpose, after: patience.idle, at: now)
            return
        }
        connection.heldTime = 0
        // Nor is the peer to blame for a slow job or the move of a clock.
        guard connection.waiting == nil, !(connection.stream?.isWaiting ?? false) else {
            return arm(connection, purpose, after: patience.idle, at: now)
        }
        switch purpose {
        case .idle, .closing:
            recorder.closed(connection, by: .server, .timeOut)
            end(connection, connection.output.isEmpty && connection.stream == nil ? .close : .reset)
        case .handshake: handshakeTimedOut(on: connection)
        case .silence:
            recorder.closed(connection, by: .server, .fault)
            end(connection, .reset)
        case .keepAlive: keepAlive(connection, at: now)
        case .readHead: refuse(connection, .headTimeout(limits.readTime), at: now)
        case .readBody: refuse(connection, .bodyTimeout(limits.readTime), at: now)
        }
    }

    /// How long a fault may hold back a connection's output, in nanoseconds: twice the longest wait of a fault.
    static let longestHold: Int64 = 2 * FaultLimits.longestWait

    /// Moves a connection's deadline closer.
    func bringForward(_ connection: Connection, by nanoseconds: Int64) {
        guard let deadline = connection.deadline else { return }
        connection.deadline?.time = deadline.time.advanced(byNanoseconds: -nanoseconds)
        queueDeadline(of: connection)
    }

    private func queueDeadline(of connection: Connection) {
        guard let time = connection.deadline?.time else { return }
        if let passing, passing.world === connection.world { self.passing?.queue.insert(connection.id, at: time) }
        // A later deadline waits until the queued entry comes up.
        if let queued = connection.queuedDeadline, queued <= time { return }
        connection.queuedDeadline = time
        deadlines.insert(connection.id, at: time)
        // Connections that come and go quickly leave their entries in the queue.
        if deadlines.count > 2 * connections.count + 1024 {
            deadlines.removeAll { id, time in self[id]?.queuedDeadline != time }
        }
    }
}
