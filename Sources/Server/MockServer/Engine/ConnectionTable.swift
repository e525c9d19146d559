import FitIQAPI
import HTTP1

/// An engine's open connections, and the total number of bytes that they hold.
struct ConnectionTable: Sequence {
    /// The connections, indexed by the `place` in their IDs; free elements are nil, and are reused but never removed.
    private(set) var places: [Connection?] = []
    private var freePlaces: [Int] = []
    private var serial: UInt32 = 0
    private(set) var count = 0
    private(set) var refusedCount = 0
    private(set) var webSocketCount = 0
    private(set) var heldBytes = 0
    /// The bytes in ``heldBytes`` that echo sockets hold.
    private(set) var echoBytes = 0

    subscript(id: ConnectionID) -> Connection? {
        guard id.place < places.count, let connection = places[id.place], connection.id == id else { return nil }
        return connection
    }

    /// Opens a connection; returns nil if the server is already refusing too many connections.
    mutating func open(isLocal: Bool, isSecure: Bool, limits: ServerLimits) -> Connection? {
        let isRefused = count - refusedCount >= limits.connections
        guard !isRefused || refusedCount < limits.refusedConnections else { return nil }
        let place = freePlaces.popLast() ?? places.count
        if place == places.count { places.append(nil) }
        serial &+= 1
        let connection = Connection(
            id: ConnectionID(place: place, serial: serial), isLocal: isLocal, isRefused: isRefused, isSecure: isSecure)
        places[place] = connection
        count += 1
        if isRefused { refusedCount += 1 }
        return connection
    }

    mutating func close(_ connection: Connection) {
        if connection.webSocket != nil { webSocketCount -= 1 }
        if connection.isRefused { refusedCount -= 1 }
        add(-connection.accountedBytes, ofEcho: connection.isEcho)
        connection.accountedBytes = 0
        places[connection.id.place] = nil
        freePlaces.append(connection.id.place)
        count -= 1
    }

    mutating func countWebSocket(on connection: Connection) {
        webSocketCount += 1
        if connection.isEcho { echoBytes += connection.accountedBytes }
    }

    mutating func add(_ difference: Int, ofEcho isEcho: Bool) {
        heldBytes += difference
        if isEcho { echoBytes += difference }
    }

    /// A world's open WebSockets and their numbers.
    func openSockets(of world: World) -> [(number: UInt64, connection: Connection)] {
        compactMap { connection in connection.socketNumber(in: world).map { ($0, connection) } }
    }

    func makeIterator() -> some IteratorProtocol<Connection> { places.lazy.compactMap { $0 }.makeIterator() }
}

/// The limits of the memory that connections hold: a connection beyond a limit is refused or reset.
struct Memory {
    let engine: Engine
    private var heldBytes: Int { engine.connections.heldBytes + engine.jobs.heldBytes }

    /// Ends the connections that use the most memory if a limit is exceeded.
    ///
    /// Below the limits, the check costs two comparisons. Beyond a limit, the check visits every connection and frees
    /// an eighth of the limit, so that many more bytes must accumulate before the next visit.
    ///
    /// - Parameter world: The world that the engine is serving, whose time is already set.
    func enforceLimits(in world: World? = nil, at now: Timestamp) {
        if heldBytes > engine.limits.heldBytes {
            let target = Self.reduced(engine.limits.heldBytes) - engine.jobs.heldBytes
            endLargest(downTo: target, of: engine.limits.heldBytes, in: world, at: now)
        }
        if engine.connections.echoBytes > engine.limits.echoBytes {
            let target = Self.reduced(engine.limits.echoBytes)
            endLargest(downTo: target, of: engine.limits.echoBytes, echoOnly: true, in: world, at: now)
        }
    }

    /// Ends the largest connections if an answer of this size needs their memory; returns false if it does not fit.
    func makeRoom(forBytes count: Int, in world: World, at now: Timestamp) -> Bool {
        guard heldBytes + count > engine.limits.heldBytes else { return true }
        // Update the sum, because the request's body was freed.
        if let answering = engine.answering { engine.account(answering) }
        let room = min(Self.reduced(engine.limits.heldBytes), engine.limits.heldBytes - count) - engine.jobs.heldBytes
        // Do not end connections for an answer that would not fit anyway.
        guard room >= (engine.answering?.accountedBytes ?? 0) else { return false }
        endLargest(downTo: room, of: engine.limits.heldBytes, in: world, at: now)
        return engine.connections.heldBytes <= room
    }

    private static func reduced(_ limit: Int) -> Int { limit - limit / 8 }

    private func endLargest(
        downTo target: Int, of limit: Int, echoOnly: Bool = false, in world: World?, at now: Timestamp
    ) {
        // Use a loop, because a closure inside a table access would make Swift check every access at run time.
        var holders: [Connection] = []
        for connection in engine.connections
        where connection.accountedBytes > 0 && connection !== engine.answering && (!echoOnly || connection.isEcho) {
            holders.append(connection)
        }
        for connection in holders.sorted(by: { ($0.accountedBytes, $1.id.place) > ($1.accountedBytes, $0.id.place) }) {
            guard (echoOnly ? engine.connections.echoBytes : engine.connections.heldBytes) > target else { return }
            if connection.isOpenSocket, connection.world !== world { connection.world?.setTime(now) }
            endForMemory(connection, limit: limit, at: now)
        }
    }

    private func endForMemory(_ connection: Connection, limit: Int, at now: Timestamp) {
        let isArriving =
            connection.speaks == .http && !connection.isFollower && connection.stream == nil
            && connection.waiting == nil && connection.ending == .none
        // A refusal frees the received body, but not output that the client has not read.
        if isArriving, connection.http.isReadingBody, connection.output.isEmpty, !connection.output.isHeld {
            engine.lendOutput(to: connection)
            engine.refuse(connection, .tooMuchHeld(limit: limit), at: now)
            engine.touch(connection)
        } else {
            engine.cutOff(connection, .memory(limit: limit))
        }
        engine.account(connection)
    }
}

/// Stores empty buffers for the next output, so that idle connections need none.
struct SpareBuffers {
    private var outputs: [[UInt8]] = []
    /// The maximum number of buffers: 2 MiB in all, which is enough for one turn's output.
    private static let mostOutputs = 128
    private static let largestOutput = 16 * 1024

    mutating func lend() -> [UInt8]? { outputs.popLast() }

    mutating func reclaim(_ storage: [UInt8]) {
        if outputs.count < Self.mostOutputs, storage.capacity <= Self.largestOutput { outputs.append(storage) }
    }
}
