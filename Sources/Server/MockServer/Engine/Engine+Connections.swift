import Faults
import FitIQAPI
import HTTP1

/// What connections wait for, what they may hold together, and where TLS begins or fails.
extension Engine {
    // MARK: Deadlines

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
            carry(connection, at: now)
            if let upstream = connection.upstream { receive(from: upstream, on: connection, at: now) }
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
        if purpose == .wake {
            wakeStream(of: connection)
            return arm(connection, .idle, after: patience.idle, at: now)
        }
        // The peer is not to blame for what a fault holds back; but a peer that has left is not noticed in the
        // meantime, and a clock that is never moved holds the output permanently.
        if connection.output.isHeld || !connection.input.isEmpty {
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

    // MARK: Memory: connections that hold most are given up, and others are served

    /// Gives up the largest holders if the limits are exceeded.
    ///
    /// Costs two comparisons below the limits. Beyond one it visits every connection, and frees an eighth of the limit,
    /// so that as many bytes have to arrive before the next visit.
    ///
    /// - Parameter world: The world that is being served, whose time is set already.
    func relieve(in world: World? = nil, at now: Timestamp) {
        if connections.heldBytes + jobs.heldBytes > limits.heldBytes {
            let target = Self.relieved(limits.heldBytes) - jobs.heldBytes
            giveUpLargest(downTo: target, of: limits.heldBytes, in: world, at: now)
        }
        if connections.echoBytes > limits.echoBytes {
            let target = Self.relieved(limits.echoBytes)
            giveUpLargest(downTo: target, of: limits.echoBytes, echoOnly: true, in: world, at: now)
        }
    }

    /// Whether an answer can be held, after giving up others for it if necessary: small ones always have room.
    func hasRoom(forBytes count: Int, in world: World, at now: Timestamp) -> Bool {
        guard connections.heldBytes + jobs.heldBytes + count > limits.heldBytes else { return true }
        // The request's own body is gone.
        if let answering { account(answering) }
        let room = min(Self.relieved(limits.heldBytes), limits.heldBytes - count) - jobs.heldBytes
        // No connection is given up for an answer that has no room anyway.
        guard room >= (answering?.accountedBytes ?? 0) else { return false }
        giveUpLargest(downTo: room, of: limits.heldBytes, in: world, at: now)
        return connections.heldBytes <= room
    }

    /// Whether a job may hold this much; jobs cannot be given up, so they leave a quarter of the limit to all else.
    func hasRoom(forJobOf bytes: Int) -> Bool { jobs.heldBytes == 0 || jobs.heldBytes + bytes <= limits.jobBytes }

    private static func relieved(_ limit: Int) -> Int { limit - limit / 8 }

    private func giveUpLargest(
        downTo target: Int, of limit: Int, echoOnly: Bool = false, in world: World?, at now: Timestamp
    ) {
        // A loop, because a closure within an access to the table would make every access to it checked at run time.
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
        // A refusal frees what has arrived, but not what the client leaves unread.
        if isArriving, connection.http.isReadingBody, connection.output.isEmpty, !connection.output.isHeld {
            lendOutput(to: connection)
            refuse(connection, .tooMuchHeld(limit: limit), at: now)
            touch(connection)
        } else {
            cutOff(connection, .memory(limit: limit))
        }
        account(connection)
    }

    // MARK: TLS: the transport decrypts and encrypts the bytes

    /// Records that TLS is agreed on: from now on the connection is like any other.
    public func secured(_ id: ConnectionID, at now: Timestamp) {
        guard let connection = self[id], connection.deadline?.purpose == .handshake else { return }
        arm(connection, .idle, after: patience.idle, at: now)
        // A connection over the limit has been waiting for its refusal.
        touch(connection)
    }

    /// Handles a broken TLS session: the connection ends after the transport's alert, if it has one.
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
        // The peer is given time to read the alert.
        connection.output.discard()
        account(connection)
        end(connection, .lingering)
        arm(connection, .closing, after: patience.closing, at: now)
    }

    /// Answers a peer that speaks plain HTTP to a TLS port in plain HTTP; from now on the transport encrypts nothing.
    public func spokePlainHTTP(_ id: ConnectionID, at now: Timestamp) {
        guard let connection = self[id], connection.ending == .none else { return }
        connection.isSecure = false
        // The peer has separate time to read the refusal.
        connection.deadline = nil
        lendOutput(to: connection)
        let secureOrigin = configuration.secureOrigin ?? configuration.origin
        refuse(connection, .plainOnTLSPort(origin: configuration.origin, secureOrigin: secureOrigin), at: now)
    }

    func handshakeTimedOut(on connection: Connection) {
        observe?(.tlsFailed(message: TransportRefusal.handshakeTimeout(limits.handshakeTime)))
        // The refusal of a connection over the limit can no longer be sent.
        connection.output.discard()
        end(connection, .close)
    }

    /// Whether bytes on a plain connection begin TLS: no method begins with this byte (RFC 8446 section 5.1).
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

    // MARK: URLs of ourselves

    /// An answer for a secure connection: the server's own URLs in it are the ones for TLS.
    ///
    /// Entities are encoded once, with the plain URLs, for all readers. Recorded answers have the right ones.
    func secure(_ answer: inout Answer) {
        guard answer.contentType == nil, !answer.isRecorded else { return }
        answer.body = securing(answer.body)
    }

    /// JSON for a secure connection, like ``secure(_:)``; slices of JSON are passed part by part.
    func securing(_ json: [UInt8]) -> [UInt8] {
        guard let secureOrigin = configuration.secureOrigin else { return json }
        let (plain, secure) = (configuration.origin.dropFirst("http".count), secureOrigin.dropFirst("https".count))
        var body = json
        for member in ["avatar\":\"http", "url\":\"http", "admin_url\":\"http", "ws_url\":\"ws"].map({ "\"" + $0 }) {
            body = body.replacing(prefix: Array((member + plain).utf8), with: Array((member + "s" + secure).utf8))
        }
        return body
    }
}

extension [UInt8] {
    /// Replaces each prefix; both patterns begin with a quotation mark, which is never unescaped in JSON strings.
    fileprivate func replacing(prefix pattern: [UInt8], with other: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var copied = 0
        withUnsafeBufferPointer { bytes in
            pattern.withUnsafeBufferPointer { pattern in
                var place = 0
                while place + pattern.count <= bytes.count {
                    var matched = 0
                    while matched < pattern.count, bytes[place + matched] == pattern[matched] { matched += 1 }
                    guard matched == pattern.count else {
                        place += 1
                        continue
                    }
                    result += bytes[copied..<place]
                    result += other
                    place += matched
                    copied = place
                }
            }
        }
        return copied == 0 ? self : result + self[copied...]
    }
}
