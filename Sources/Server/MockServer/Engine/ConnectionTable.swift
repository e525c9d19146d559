/// The open connections of an engine by their places, and what they hold together.
struct ConnectionTable: Sequence {
    /// One for each connection that was ever open at a time; nil where the place is free.
    private(set) var places: [Connection?] = []
    private var freePlaces: [Int] = []
    private var serial: UInt32 = 0
    private(set) var count = 0
    /// How many of them are only being told that there are too many.
    private(set) var refusedCount = 0
    /// How many of them have become WebSockets.
    private(set) var webSocketCount = 0
    /// What they hold together, in bytes.
    private(set) var heldBytes = 0
    /// What of ``heldBytes`` the echo sockets hold.
    private(set) var echoBytes = 0

    /// The connection with this number; nil once it is closed.
    subscript(id: ConnectionID) -> Connection? {
        guard id.place < places.count, let connection = places[id.place], connection.id == id else { return nil }
        return connection
    }

    /// Opens a connection; nil where too many are being refused already.
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

    /// Frees the place of a connection.
    mutating func close(_ connection: Connection) {
        if connection.webSocket != nil { webSocketCount -= 1 }
        if connection.isRefused { refusedCount -= 1 }
        account(connection, as: 0)
        places[connection.id.place] = nil
        freePlaces.append(connection.id.place)
        count -= 1
    }

    /// Takes note that a connection has become a WebSocket.
    mutating func webSocketOpened(on connection: Connection) {
        webSocketCount += 1
        if connection.isEcho { echoBytes += connection.accountedBytes }
    }

    /// Brings the sums up to date with one connection.
    mutating func account(_ connection: Connection) { account(connection, as: connection.heldBytes) }

    private mutating func account(_ connection: Connection, as held: Int) {
        let difference = held - connection.accountedBytes
        heldBytes += difference
        if connection.isEcho { echoBytes += difference }
        connection.accountedBytes = held
    }

    /// Goes through the connections in the order of their places.
    func makeIterator() -> Iterator { Iterator(places: places.makeIterator()) }

    struct Iterator: IteratorProtocol {
        fileprivate var places: IndexingIterator<[Connection?]>

        mutating func next() -> Connection? {
            while let place = places.next() { if let place { return place } }
            return nil
        }
    }
}

/// Storage of emptied buffers, lent to what writes next: idle connections hold none.
struct SpareBuffers {
    private var outputs: [[UInt8]] = []

    /// At most 2 MiB lie spare, enough for what one turn of the loop writes.
    private static let mostOutputs = 128
    private static let largestOutput = 16 * 1024

    mutating func lend(to connection: Connection) {
        if connection.output.bytes.capacity == 0, let spare = outputs.popLast() { connection.output.bytes = spare }
    }

    /// Takes the storage of an output that is drained.
    mutating func reclaim(from connection: Connection) {
        if outputs.count < Self.mostOutputs, connection.output.bytes.capacity <= Self.largestOutput {
            outputs.append(connection.output.bytes)
        }
        connection.output.discard()
    }
}
