import FitIQAPI
import FitIQBackend
import JSON

/// The engine's state as plain facts, for checks from outside: the simulator of the tests.
///
/// Nothing here changes any state, and the server itself does not use it.
extension Engine {
    package struct ConnectionTotals: Sendable, Equatable {
        /// Connections as counted, and as they are.
        package let counted, open: Int
        /// WebSockets as counted, and as they are.
        package let countedWebSockets, openWebSockets: Int
        /// Bytes as counted for all connections together, and for each.
        package let countedBytes, accountedBytes: Int
        /// Entries in the queue of deadlines, including those that will be skipped.
        package let deadlines: Int

        /// The totals without connections.
        package static let none = ConnectionTotals(
            counted: 0, open: 0, countedWebSockets: 0, openWebSockets: 0, countedBytes: 0, accountedBytes: 0,
            deadlines: 0)
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

    /// The totals of the connections; visits each of them.
    package func inspectConnections() -> ConnectionTotals {
        var open = 0
        var openWebSockets = 0
        var accountedBytes = 0
        for connection in connections {
            open += 1
            if connection.webSocket != nil { openWebSockets += 1 }
            accountedBytes += connection.accountedBytes
        }
        return ConnectionTotals(
            counted: connections.count, open: open, countedWebSockets: connections.webSocketCount,
            openWebSockets: openWebSockets,
            countedBytes: connections.heldBytes, accountedBytes: accountedBytes, deadlines: deadlines.count)
    }

    /// Whether ``Engine/advance(to:)`` has work left: slices, late steps, or connections that waited for a world.
    package var isBusy: Bool { !streams.waiting.isEmpty || !resumed.isEmpty || isLate }

    /// Whether a fault has stopped this connection's reads and writes.
    package func isSilent(_ id: ConnectionID) -> Bool { self[id]?.isSilent ?? false }

    private func world(inspected id: String?) -> World? {
        guard let id else { return defaultWorld }
        return worlds[ExactString(id)]
    }
}
