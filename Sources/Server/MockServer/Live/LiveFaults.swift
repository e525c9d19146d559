import Faults
import FitIQAPI
import JSON
import Scenarios

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

extension World {
    var faultNames: Set<ExactString> { Set(faults.rules.lazy.map(\.rule.name)) }

    /// Reads a rule with the scenario file reader, and names the rule if it has no name.
    ///
    /// - Parameters:
    ///   - note: Called with a sentence about each deprecated word.
    ///   - name: Returns the request's word for a path in the rule, such as `hold.for`.
    func rule(
        from object: JSONObject, noting note: (String) -> Void = { _ in }, naming name: (String) -> String = { $0 }
    ) throws(APIError) -> FaultRule {
        func rename(_ errors: ScenarioErrors) -> ScenarioErrors { errors.renamingPaths(below: "faults[0]", name) }
        let read = try Scenario(faults: [object], besides: faultNames, rename)
        for word in rename(ScenarioErrors(mistakes: read.oldWords)).mistakes { note(word.message) }
        return read.faults[0]
    }
}

extension Scenario {
    /// Reads several rules together, and names rules that have no name.
    ///
    /// - Parameters:
    ///   - taken: The names of the world's rules.
    ///   - rename: Converts paths in mistakes to the request's words.
    init(
        faults objects: [JSONObject], besides taken: Set<ExactString>,
        _ rename: (ScenarioErrors) -> ScenarioErrors = { $0 }
    ) throws(APIError) {
        var (names, number) = (taken, 1)
        let faults = objects.map { object in
            var object = object
            // Drops the members that the server adds to a listed rule, so that a client can add a rule exactly as
            // listed.
            for member in ["matches", "acted", "holding", "abandoned"] { object[member] = nil }
            if object["name"] == nil {
                while names.contains(ExactString("live-\(number)")) { number += 1 }
                object["name"] = .string("live-\(number)")
            }
            if let name = object["name"]?.exactString { names.insert(name) }
            return JSONValue.object(object)
        }
        do throws(ScenarioErrors) {
            self = try Scenario.read(json: .object(["name": "live", "faults": .array(faults)]))
        } catch {
            throw .invalid(rename(error).description)
        }
    }
}

extension ScenarioErrors {
    /// The mistakes, with the paths that they have in a request that contains only part of the document.
    fileprivate func renamingPaths(below root: String, _ name: (String) -> String) -> ScenarioErrors {
        var errors = self
        for (index, mistake) in mistakes.enumerated() where mistake.path.hasPrefix(root) {
            let path = name(String(mistake.path.dropFirst(root.count).drop { $0 == "." }))
            errors.mistakes[index].path = path
            guard mistake.message.hasPrefix(mistake.path) else { continue }
            let rest = mistake.message.dropFirst(mistake.path.count)
            errors.mistakes[index].message = (path.isEmpty ? "The fault" : path) + rest
        }
        return errors
    }
}
