import FitIQAPI

/// The open connections of an engine by their places, and what they hold together.
struct ConnectionTable: Sequence {
    /// One for each connection that was ever open at the same time; nil if the place is free.
    private(set) var places: [Connection?] = []
    private var freePlaces: [Int] = []
    private var serial: UInt32 = 0
    private(set) var count = 0
    private(set) var refusedCount = 0
    private(set) var webSocketCount = 0
    private(set) var heldBytes = 0
    /// The echo sockets' part of ``heldBytes``.
    private(set) var echoBytes = 0

    subscript(id: ConnectionID) -> Connection? {
        guard id.place < places.count, let connection = places[id.place], connection.id == id else { return nil }
        return connection
    }

    /// Opens a connection; nil if too many are being refused already.
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

    mutating func webSocketOpened(on connection: Connection) {
        webSocketCount += 1
        if connection.isEcho { echoBytes += connection.accountedBytes }
    }

    mutating func add(_ difference: Int, ofEcho isEcho: Bool) {
        heldBytes += difference
        if isEcho { echoBytes += difference }
    }

    func makeIterator() -> Iterator { Iterator(places: places.makeIterator()) }

    struct Iterator: IteratorProtocol {
        fileprivate var places: IndexingIterator<[Connection?]>

        mutating func next() -> Connection? {
            while let place = places.next() { if let place { return place } }
            return nil
        }
    }
}

/// Storage of emptied buffers, lent to the next output: idle connections hold none.
struct SpareBuffers {
    private var outputs: [[UInt8]] = []
    /// At most 2 MiB are spare, enough for what one turn of the loop writes.
    private static let mostOutputs = 128
    private static let largestOutput = 16 * 1024

    mutating func lend() -> [UInt8]? { outputs.popLast() }

    mutating func reclaim(_ storage: [UInt8]) {
        if outputs.count < Self.mostOutputs, storage.capacity <= Self.largestOutput { outputs.append(storage) }
    }
}

/// The limits on the bytes of all connections: those that hold most are given up, and others are served.
extension Engine {
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
            connection.speaks == .http && connection.follower == nil && connection.stream == nil
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
}
