import FitIQAPI
import FitIQBackend
import JSON

/// The engine's state as plain facts, for checks from outside: the simulator of the tests.
///
/// Nothing here changes any state, and the server itself does not use it.
extension Engine {
    package struct ConnectionTotals: Sendable, Equatable {
        /// As counted all the time, and as they are.
        package private(set) var counted = 0, open = 0
        package private(set) var countedWebSockets = 0, openWebSockets = 0
        /// Bytes as counted for all connections together, and for each.
        package private(set) var countedBytes = 0, accountedBytes = 0
        /// Entries in the queue of deadlines, including those that will be skipped.
        package private(set) var deadlines = 0

        /// The totals without connections.
        package static let none = ConnectionTotals()

        fileprivate init(_ connections: ConnectionTable? = nil, deadlines: Int = 0) {
            guard let connections else { return }
            (counted, countedWebSockets) = (connections.count, connections.webSocketCount)
            (countedBytes, self.deadlines) = (connections.heldBytes, deadlines)
            for connection in connections {
                open += 1
                if connection.webSocket != nil { openWebSockets += 1 }
                accountedBytes += connection.accountedBytes
            }
        }
    }

    package struct WorldFacts: Sendable {
        package let mode: GuideMode
        package let jwtSecret: String
        package let apiKey: String
        package let now: Timestamp
        package let isManual: Bool
        /// Effects that have not been applied.
        package let effectCount: Int
        /// Connections whose output a fault holds back, including those that are gone.
        package let heldOutputCount: Int
    }

    /// The ids of all worlds except the default one, sorted.
    package var inspectedWorlds: [String] { worlds.keys.sorted().map(\.text) }

    /// The facts of a world, nil for the default one; nil if there is none.
    package func inspectWorld(_ id: String?) -> WorldFacts? {
        guard let world = world(inspected: id) else { return nil }
        return WorldFacts(
            mode: world.mode, jwtSecret: world.settings.jwtSecret, apiKey: world.settings.apiKey, now: world.turn.now,
            isManual: world.clock.manualTime != nil, effectCount: world.turn.effects.count,
            heldOutputCount: world.heldOutputs.count)
    }

    /// Lends the backend of a world, nil for the default one; nil if there is no such world.
    package func inspectBackend<Result>(ofWorld id: String?, _ body: (Backend) -> Result) -> Result? {
        world(inspected: id).map { body($0.backend) }
    }

    package func inspectConnections() -> ConnectionTotals {
        ConnectionTotals(connections, deadlines: deadlines.count)
    }

    /// Whether ``Engine/advance(to:)`` has work left: slices, late steps, or connections that waited for a world.
    package var isBusy: Bool { !streams.waiting.isEmpty || !resumed.isEmpty || isLate }

    /// Whether a fault has stopped this connection's reads and writes.
    package func isSilent(_ id: ConnectionID) -> Bool { self[id]?.isSilent ?? false }

    private func world(inspected id: String?) -> World? {
        id.map { worlds[ExactString($0)] } ?? defaultWorld
    }
}
