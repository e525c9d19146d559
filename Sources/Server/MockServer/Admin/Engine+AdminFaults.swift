import Faults
import FitIQAPI
import HTTPTypes
import JSON
import Scenarios

/// The admin API's faults: listed, switched, added and removed while clients are connected.
extension Engine {
    /// `GET /__admin/faults`: the rules in the order in which they act.
    func faultList(of world: World) -> Answer {
        Answer(
            PartSource("faults", of: world.faults.rules) { entry, writer in
                writer.object { entry.write(into: &$0) }
                return 0
            })
    }

    /// `POST /__admin/faults`: a rule as in a scenario file, after the others.
    ///
    /// - Throws: 400 for an invalid rule, or if its name is taken, 507 if there is no room for it.
    func addFault(to world: World, _ body: [UInt8]) throws(APIError) -> Answer {
        let rule = try rule(from: BodyReader(body).object, in: world)
        try add(rule, to: world, bytes: body.count)
        return .created(try describe(faultNamed: rule.name, of: world))
    }

    /// Adds a rule that came in a request of so many bytes; one that holds frames acts on open sockets, too.
    ///
    /// - Throws: 400 if its name is taken, 507 if there is no room for it.
    func add(_ rule: FaultRule, to world: World, bytes: Int) throws(APIError) {
        try worlds.room(of: nil).check(bringing: bytes)
        do throws(FaultBookError) { try world.faults.add(rule) } catch { throw .invalid(error.message) }
        world.written.faults[rule.name] = bytes
        worlds.accountStorage(of: world)
        attach(rule, to: world)
    }

    /// Reads a rule with the reader of scenario files; one without a name gets one that is free.
    func rule(from object: JSONObject, in world: World) throws(APIError) -> FaultRule {
        var object = object
        // The counts of a listed rule are ignored, so that a rule can be added as it was shown.
        object["matches"] = nil
        object["acted"] = nil
        if object["name"] == nil {
            let names = Set(world.faults.rules.map(\.rule.name))
            let free = (1...).lazy.map { "live-\($0)" }.first { !names.contains(ExactString($0)) }
            object["name"] = free.map(JSONValue.string)
        }
        return try Scenario(json: .object(["name": "live", "faults": .array([.object(object)])])).faults[0]
    }

    /// `GET`, `PATCH {"enabled"}` and `DELETE /__admin/faults/{name}`.
    ///
    /// A switch also acts on open connections, as far as their rules were applied when they opened.
    ///
    /// - Throws: 404 for an unknown name, 400 for a bad body, 409 if a breakpoint's controller has no stream of events.
    func faultAnswer(
        named name: ExactString, of world: World, _ method: HTTPRequest.Method, _ body: [UInt8], at now: Timestamp
    ) throws(APIError) -> Answer {
        let description = try describe(faultNamed: name, of: world)
        switch method {
        case .patch:
            let body = try AdminBody(body, keys: ["enabled"])
            guard let isEnabled = try body.flag("enabled") else {
                throw .missingField("enabled", expected: "true or false")
            }
            if isEnabled, let rule = world.faults.rules.first(where: { $0.rule.name == name })?.rule,
                let controller = missingController(of: rule, in: world)
            {
                throw .noController(controller.text)
            }
            setFault(name, of: world, isEnabled: isEnabled, at: now)
            return .ok(try describe(faultNamed: name, of: world))
        case .delete:
            world.faults.remove(named: name)
            changeOpenSockets(of: world) { $0.remove(named: name) }
            world.written.faults[name] = nil
            worlds.accountStorage(of: world)
            releaseDisabled(of: world, at: now)
            return .noContent
        default: return .ok(description)
        }
    }

    /// - Parameter now: The system's time; without it, what a breakpoint holds continues at the next turn.
    func setFault(_ name: ExactString, of world: World, isEnabled: Bool, at now: Timestamp? = nil) {
        world.faults.setEnabled(isEnabled, named: name)
        changeOpenSockets(of: world) { $0.setEnabled(isEnabled, named: name) }
        guard isEnabled else { return releaseDisabled(of: world, at: now) }
        for entry in world.faults.rules where entry.rule.name == name { attach(entry.rule, to: world) }
    }

    /// Applies a change to the faults of a world's open sockets; the change returns whether it concerned them.
    func changeOpenSockets(of world: World, _ change: (inout SocketFaults) -> Bool) {
        for connection in connections where connection.world === world {
            guard var faults = connection.socketFaults else { continue }
            // Taken out while it changes, so that nothing of it is copied.
            connection.socketFaults = nil
            let isChanged = change(&faults)
            connection.socketFaults = faults
            guard isChanged else { continue }
            obeySocketFaults(of: connection)
            // Reading may resume.
            touch(connection)
        }
    }

    private func describe(faultNamed name: ExactString, of world: World) throws(APIError) -> [UInt8] {
        guard let entry = world.faults.rules.first(where: { $0.rule.name == name }) else {
            throw .unknownFault(name.text, known: world.faults.rules.map(\.rule.name.text))
        }
        return JSONWriter.object { entry.write(into: &$0) }
    }
}

extension FaultBook.Entry {
    fileprivate func write(into writer: inout JSONWriter) {
        rule.write(into: &writer)
        writer.member("matches", matches)
        writer.member("acted", acted)
    }
}
