import Faults
import FitIQAPI
import HTTP1
import JSON
import Scenarios

/// The admin API's faults: listed, switched, added and removed while clients are connected.
extension Engine {
    /// `GET /__admin/faults`: the rules in the order in which they act.
    func faultList(of world: World) -> Answer {
        let source = JSONSource(of: world.faults.rules) { writer in
            writer.beginObject()
            writer.key("faults")
            writer.beginArray()
        } element: { [unowned self] entry, writer in
            writer.raw(describe(entry))
            return 0
        } end: { writer in
            writer.endArray()
            writer.endObject()
        }
        return Answer(source)
    }

    /// `POST /__admin/faults`: a rule as in a scenario file, after the others.
    ///
    /// - Throws: 400 for an invalid rule, or if its name is taken, 507 if there is no room for it.
    func addFault(to world: World, _ body: [UInt8]) throws(APIError) -> Answer {
        guard !body.isEmpty else { throw .emptyBody }
        let value: JSONValue
        do { value = try JSON.parse(body, limits: AdminBody.limits) } catch { throw .invalidJSON(error) }
        let rule = try rule(from: value, in: world)
        try worlds.room(of: nil).check(bringing: body.count)
        do throws(FaultBookError) { try world.faults.add(rule) } catch { throw .badFault(error.message) }
        world.faultBytes[rule.name] = body.count
        worlds.accountStorage(of: world)
        return .created(try describe(faultNamed: rule.name, of: world))
    }

    /// Reads a rule with the reader of scenario files; one without a name gets one that is free.
    private func rule(from value: JSONValue, in world: World) throws(APIError) -> FaultRule {
        guard var object = value.object else { throw .bodyIsNotAnObject(value) }
        // The counts of a listed rule are ignored, so that a rule can be added as it was shown.
        object["matches"] = nil
        object["acted"] = nil
        if object["name"] == nil {
            let names = Set(world.faults.rules.map(\.rule.name))
            let free = (1...).lazy.map { "live-\($0)" }.first { !names.contains(ExactString($0)) }
            object["name"] = free.map(JSONValue.string)
        }
        do throws(ScenarioErrors) {
            let document: JSONValue = .object(["name": "live", "faults": .array([.object(object)])])
            return try Scenario.read(json: document).faults[0]
        } catch { throw APIError(error) }
    }

    /// `GET`, `PATCH {"enabled"}` and `DELETE /__admin/faults/{name}`.
    ///
    /// A switch also acts on open connections, as far as their rules were applied when they opened.
    ///
    /// - Throws: 404 for an unknown name, 400 for a bad body.
    func faultAnswer(
        named name: ExactString, of world: World, _ head: RequestHead, _ body: [UInt8]
    ) throws(APIError) -> Answer {
        let description = try describe(faultNamed: name, of: world)
        switch head.method {
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
            return Answer(status: .noContent, body: [])
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
            guard connection.changeSocketFaults(change) else { continue }
            obeySocketFaults(of: connection)
            // Reading may resume.
            touch(connection)
        }
    }

    private func describe(faultNamed name: ExactString, of world: World) throws(APIError) -> [UInt8] {
        guard let entry = world.faults.rules.first(where: { $0.rule.name == name }) else {
            throw .unknownFault(name.text, known: world.faults.rules.map(\.rule.name.text))
        }
        return describe(entry)
    }

    private func describe(_ entry: FaultBook.Entry) -> [UInt8] {
        JSONWriter.object { writer in
            entry.rule.write(into: &writer)
            writer.member("matches", entry.matches)
            writer.member("acted", entry.acted)
        }
    }
}
