import FitIQAPI
import FitIQBackend
import JSON

/// What an engine holds, as plain facts for those who check it from outside: the simulator of the tests.
///
/// Nothing here changes anything, and nothing in the server asks for it.
extension Engine {
    /// What is to be known of the connections.
    package struct ConnectionTotals: Sendable, Equatable {
        /// Connections as they were counted, and as they are.
        package let counted, open: Int
        /// WebSockets as they were counted, and as they are.
        package let countedWebSockets, openWebSockets: Int
        /// Bytes as they were counted for all connections together, and for each.
        package let countedBytes, accountedBytes: Int
        /// Entries in the queue of deadlines, those that will be passed over included.
        package let deadlines: Int

        /// What there is when nobody is there.
        package static let none = ConnectionTotals(
            counted: 0, open: 0, countedWebSockets: 0, openWebSockets: 0, countedBytes: 0, accountedBytes: 0,
            deadlines: 0)
    }

    /// What is to be known of a world.
    package struct WorldFacts: Sendable {
        /// Whose answers it gives.
        package let mode: GuideMode
        /// The secret of its tokens.
        package let jwtSecret: String
        /// The `X-API-Key` that it accepts.
        package let apiKey: String
        /// Its time.
        package let now: Timestamp
        /// Whether its clock is moved by hand.
        package let isManual: Bool
        /// Effects that have not been applied.
        package let effectCount: Int
        /// Connections whose output a fault holds back, those that are gone included.
        package let heldOutputCount: Int
    }

    /// The ids of all worlds but the default one, sorted.
    package var inspectedWorlds: [String] { worlds.keys.sorted().map(\.text) }

    /// What is to be known of a world, nil for the default one; nil where there is none.
    package func inspectWorld(_ id: String?) -> WorldFacts? {
        guard let world = world(inspected: id) else { return nil }
        return WorldFacts(
            mode: world.mode, jwtSecret: world.settings.jwtSecret, apiKey: world.settings.apiKey, now: world.turn.now,
            isManual: world.clock.manualTime != nil, effectCount: world.turn.effects.count,
            heldOutputCount: world.heldOutputs.count)
    }

    /// Lends the backend of a world, nil for the default one; nil where there is no such world.
    package func inspectBackend<Result>(ofWorld id: String?, _ body: (Backend) -> Result) -> Result? {
        world(inspected: id).map { body($0.backend) }
    }

    /// What is to be known of the connections; looks at each.
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

    /// Whether work was left for the next ``Engine/advance(to:)``: slices of long answers, steps that are late, what waited for
    /// a world.
    package var isBusy: Bool { !streams.waiting.isEmpty || !resumed.isEmpty || isLate }

    /// Whether a fault has this connection send and read nothing any more.
    package func isSilent(_ id: ConnectionID) -> Bool { self[id]?.isSilent ?? false }

    private func world(inspected id: String?) -> World? {
        guard let id else { return defaultWorld }
        return worlds[ExactString(id)]
    }
}
