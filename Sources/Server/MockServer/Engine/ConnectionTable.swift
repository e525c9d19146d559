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
