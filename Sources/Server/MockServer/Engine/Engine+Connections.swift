import Faults
import FitIQAPI
import HTTP1

/// Connections: deadlines, shared memory, and the start and failure of TLS.
extension Engine {
    // MARK: Deadlines

    /// Sets a connection's deadline in place of the previous one.
    func arm(_ connection: Connection, _ purpose: Connection.Wait, after nanoseconds: Int64, at now: Timestamp) {
        connection.deadline = (now.advanced(byNanoseconds: nanoseconds), purpose)
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
    func outputWasTaken(from connection: Connection, at now: Timestamp) {
        if connection.isSilent { return }
        if connection.ending == .lingering && !connection.isRelaying || connection.isClosingWebSocket {
            arm(connection, .closing, after: patience.closing, at: now)
        } else if connection.speaks != .http {
            connection.deadline = nil
            connection.webSocket?.resumePongs(into: &connection.output.bytes)
            carry(connection, at: now)
            if let upstream = connection.upstream { receive(from: upstream, on: connection, at: now) }
            if connection.hasOutput {
                touch(connection)
                awaitReader(of: connection, at: now)
            }
        }
    }

    /// Handles the deadlines that have passed.
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
                deadlinePassed(deadline.purpose, of: connection, at: now)
            }
        }
    }

    func deadlinePassed(_ purpose: Connection.Wait, of connection: Connection, at now: Timestamp) {
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

    /// The longest time that a fault may hold a connection's output, in nanoseconds: twice the longest wait.
    static let longestHold: Int64 = 2 * FaultLimits.longestWait

    /// Moves a connection's deadline to an earlier time.
    func bringForward(_ connection: Connection, by nanoseconds: Int64) {
        guard let deadline = connection.deadline else { return }
        connection.deadline?.time = deadline.time.advanced(byNanoseconds: -nanoseconds)
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

    // MARK: Memory

    /// Ends the connections that use the most memory if a limit is exceeded.
    ///
    /// Below the limits, the check costs two comparisons. Beyond a limit, the check visits every connection and frees
    /// an eighth of the limit, so that many more bytes must accumulate before the next visit.
    ///
    /// - Parameter world: The world that the engine is serving, whose time is already set.
    func enforceMemoryLimits(in world: World? = nil, at now: Timestamp) {
        if connections.heldBytes + jobs.heldBytes > limits.heldBytes {
            let target = Self.reduced(limits.heldBytes) - jobs.heldBytes
            giveUpLargest(downTo: target, of: limits.heldBytes, in: world, at: now)
        }
        if connections.echoBytes > limits.echoBytes {
            let target = Self.reduced(limits.echoBytes)
            giveUpLargest(downTo: target, of: limits.echoBytes, echoOnly: true, in: world, at: now)
        }
    }

    /// Ends the largest connections if an answer of this size needs their memory; returns false if it does not fit.
    func makeRoom(forBytes count: Int, in world: World, at now: Timestamp) -> Bool {
        guard connections.heldBytes + jobs.heldBytes + count > limits.heldBytes else { return true }
        // Update the sum, because the request's body was freed.
        if let answering { account(answering) }
        let room = min(Self.reduced(limits.heldBytes), limits.heldBytes - count) - jobs.heldBytes
        // Do not end connections for an answer that would not fit anyway.
        guard room >= (answering?.accountedBytes ?? 0) else { return false }
        giveUpLargest(downTo: room, of: limits.heldBytes, in: world, at: now)
        return connections.heldBytes <= room
    }

    /// Whether a job may use this much memory; all jobs together must leave a quarter of the limit free, because jobs
    /// cannot be ended.
    func hasRoom(forJobOf bytes: Int) -> Bool { jobs.heldBytes == 0 || jobs.heldBytes + bytes <= limits.jobBytes }

    private static func reduced(_ limit: Int) -> Int { limit - limit / 8 }

    private func giveUpLargest(
        downTo target: Int, of limit: Int, echoOnly: Bool = false, in world: World?, at now: Timestamp
    ) {
        // Use a loop, because a closure inside a table access would make Swift check every access at run time.
        var holders: [Connection] = []
        for connection in connections
        where connection.accountedBytes > 0 && connection !== answering && (!echoOnly || connection.isEcho) {
            holders.append(connection)
        }
        for connection in holders.sorted(by: { ($0.accountedBytes, $1.id.place) > ($1.accountedBytes, $0.id.place) }) {
            guard (echoOnly ? connections.echoBytes : connections.heldBytes) > target else { return }
            if connection.isOpenSocket, connection.world !== world { connection.world?.setTime(now) }
            giveUp(connection, limit: limit, at: now)
        }
    }

    private func giveUp(_ connection: Connection, limit: Int, at now: Timestamp) {
        let isArriving =
            connection.speaks == .http && !connection.isFollower && connection.stream == nil
            && connection.waiting == nil && connection.ending == .none
        // A refusal frees the received body, but not output that the client has not read.
        if isArriving, connection.http.isReadingBody, connection.output.isEmpty, !connection.output.isHeld {
            lendOutput(to: connection)
            refuse(connection, .tooMuchHeld(limit: limit), at: now)
            touch(connection)
        } else {
            cutOff(connection, .memory(limit: limit))
        }
        account(connection)
    }

    // MARK: TLS

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
            loseHolds(of: connection)
            recorder.closed(connection, by: .client, .reset)
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

    func handshakeTimedOut(on connection: Connection) {
        observe?(.tlsFailed(message: TransportRefusal.handshakeTimeout(limits.handshakeTime)))
        // Drop the refusal of a connection over the limit, because it can no longer be sent.
        connection.output.discard()
        end(connection, .close)
    }

    /// Whether bytes on a plain connection start TLS; no HTTP method starts with this byte (RFC 8446 section 5.1).
    func isTLS(_ bytes: UnsafeRawBufferPointer, on connection: Connection) -> Bool {
        bytes.first == 0x16 && !connection.isSecure && connection.request == nil && connection.stream == nil
            && connection.held == nil && connection.http.bufferedByteCount == 0 && !connection.isReadingRequest
    }

    func refuseTLS(on connection: Connection, at now: Timestamp) {
        touch(connection)
        let refusal = TransportRefusal.tlsOnPlainPort(
            origin: configuration.origin, secureOrigin: configuration.secureOrigin)
        refuse(connection, refusal, at: now)
    }
}
