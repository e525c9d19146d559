import Faults
import FitIQAPI
import JSON

/// A world's faults while clients are connected.
struct LiveFaults {
    let engine: Engine

    /// Adds rules after the existing ones, and applies those that hold frames to open sockets too.
    ///
    /// - Parameter bytes: The length of each rule's JSON.
    /// - Throws: 400 for a name that is already in use, 507 if the server is full; no rule is added then.
    func add(_ rules: [FaultRule], bytes: [Int], to world: World) throws(APIError) {
        let bytes = bytes.map { $0 + WorldDraft.memoryOfRule }
        try engine.worlds.room(of: nil).check(bringing: bytes.reduce(0, +))
        do throws(FaultBookError) { try world.faults.add(rules) } catch { throw .invalid(error.message) }
        for (rule, count) in zip(rules, bytes) { world.written.faults[rule.name] = count }
        engine.worlds.accountStorage(of: world)
        attach(Set(rules.map(\.name)), to: world)
    }

    /// Removes rules, also from open sockets, and releases what they hold.
    func remove(_ names: [ExactString], of world: World, at now: Timestamp) {
        world.faults.remove(named: Set(names))
        for name in names { world.written.faults[name] = nil }
        let changes = SocketFaults.Changes(names.map { ($0, .removed) })
        changeOpenSockets(of: world) { $0.change(changes) }
        engine.worlds.accountStorage(of: world)
        engine.breakpoints.releaseDisabled(of: world, at: now)
    }

    /// - Parameter now: The system's time; if nil, held items continue in the next turn.
    func set(_ names: Set<ExactString>, of world: World, isEnabled: Bool, at now: Timestamp? = nil) {
        world.faults.setEnabled(isEnabled, named: names)
        let rules = world.faults.rules.map(\.rule).filter { names.contains($0.name) }
        let changes = SocketFaults.Changes(rules.map { ($0.name, .enabled(isEnabled)) })
        changeOpenSockets(of: world) { $0.change(changes) }
        guard isEnabled else { return engine.breakpoints.releaseDisabled(of: world, at: now) }
        attach(names, to: world)
    }

    /// Changes the faults of a world's open sockets; `change` returns whether it changed anything.
    func changeOpenSockets(of world: World, _ change: (inout SocketFaults) -> Bool) {
        for connection in engine.connections where connection.world === world {
            guard var faults = connection.socketFaults else { continue }
            // Move the faults out during the change, so that the change copies nothing.
            connection.socketFaults = nil
            let isChanged = change(&faults)
            connection.socketFaults = faults
            guard isChanged else { continue }
            engine.obeySocketFaults(of: connection)
            // The transport may be able to read again.
            engine.touch(connection)
        }
    }

    /// Applies breakpoints for frames to a world's open sockets; ignores all other rules.
    private func attach(_ names: Set<ExactString>, to world: World) {
        let breakpoints = world.faults.frameBreakpoints(named: names)
        guard !breakpoints.isEmpty else { return }
        let areForAll = breakpoints.allSatisfy { $0.socket == nil && $0.connection == nil }
        for (number, connection) in engine.connections.openSockets(of: world) where connection.isServed {
            let endpoint = connection.record.opening?.endpoint
            let meant =
                areForAll
                ? breakpoints
                : breakpoints.filter {
                    ($0.socket ?? endpoint) == endpoint && ($0.connection ?? number) == number
                }
            world.faults.attach(meant, to: &connection.socketFaults)
        }
    }
}
