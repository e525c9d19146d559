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
        try worlds.room(of: nil).check(bringing: body.count)
        do throws(FaultBookError) { try world.faults.add(rule) } catch { throw .invalid(error.message) }
        world.faultBytes[rule.name] = body.count
        worlds.accountStorage(of: world)
        return .created(try describe(faultNamed: rule.name, of: world))
    }

    /// Reads a rule with the reader of scenario files; one without a name gets one that is free.
    private func rule(from object: JSONObject, in world: World) throws(APIError) -> FaultRule {
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
    /// - Throws: 404 for an unknown name, 400 for a bad body.
    func faultAnswer(
        named name: ExactString, of world: World, _ method: HTTPRequest.Method, _ body: [UInt8]
    ) throws(APIError) -> Answer {
        let description = try describe(faultNamed: name, of: world)
        switch method {
        case .patch:
            let body = try AdminBody(body, keys: ["enabled"])
            guard let isEnabled = try body.flag("enabled") else {
                throw .missingField("enabled", expected: "true or false")
            }
            setFault(name, of: world, isEnabled: isEnabled)
            return .ok(try describe(faultNamed: name, of: world))
        case .delete:
            world.faults.remove(named: name)
            changeOpenSockets(of: world) { $0.remove(named: name) }
            world.faultBytes[name] = nil
            worlds.accountStorage(of: world)
            return .noContent
        default: return .ok(description)
        }
    }

    func setFault(_ name: ExactString, of world: World, isEnabled: Bool) {
        world.faults.setEnabled(isEnabled, named: name)
        changeOpenSockets(of: world) { $0.setEnabled(isEnabled, named: name) }
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
