import Faults
import FitIQAPI
import HTTPTypes
import JSON
import Scenarios

/// The admin API's faults: lists, enables, disables, adds and removes them while clients are connected.
///
/// Faults that hold something are breakpoints; `/__admin/breakpoints` lists only breakpoints.
extension Engine {
    private func isMeant(_ entry: FaultBook.Entry, by call: AdminCall) -> Bool {
        entry.rule.fault.isHold || !call.template.hasPrefix("breakpoints")
    }

    /// The rules in the order in which they take effect.
    func faultList(_ call: AdminCall) -> Answer { list(call.world.faults.rules.filter { isMeant($0, by: call) }, call) }

    private func list(_ entries: some Sequence<FaultBook.Entry>, _ call: AdminCall, status: HTTPResponse.Status = .ok)
        -> Answer
    {
        var answer = Answer(
            PartSource(call.template == "faults" ? "faults" : "breakpoints", of: entries) {
                [unowned self] entry, writer in
                writer.object { writeFault(entry, in: call.world, into: &$0) }
                return 0
            })
        answer.status = status
        return answer
    }

    /// `POST /__admin/faults`: adds one or more rules, written as in a scenario file, after the existing rules.
    ///
    /// If a rule is invalid, none are added.
    ///
    /// - Returns: Nil if the request waits for a job, which reads many rules.
    /// - Throws: 400 for an invalid rule or a name that is already in use, 507 if the server is full.
    func addFaults(_ call: AdminCall) throws(APIError) -> Answer? {
        let (world, body) = (call.world, try BodyReader(call.bytes).object)
        guard let several = body["faults"] else {
            return try add(try rule(from: body, in: world, noting: call.oldWords), call)
        }
        guard let values = several.array, !values.isEmpty, body.count == 1 else { throw .severalFaults }
        var objects: [JSONObject] = []
        for (index, value) in values.enumerated() {
            guard let object = value.object else {
                throw .wrongType("faults[\(index)]", expected: "a fault", got: value)
            }
            objects.append(object)
        }
        let (names, drafts) = (self.names(in: world), objects)
        guard startJob != nil, drafts.count > Self.rulesOnLoop else {
            return try add(Self.rules(from: drafts, besides: names).faults, values, call)
        }
        guard hasRoom(forJobOf: call.bytes.count) else { throw .tooMuchToRead }
        let awaited = awaitJob(for: call.exchange, holding: call.bytes.count)
        // This prevents other requests from taking a name.
        stand(world)
        runJob(at: call.now) {
            Result { () throws(APIError) in try Self.rules(from: drafts, besides: names).faults }
        } then: { engine, rules, now in
            let answer = Result { () throws(APIError) in try engine.add(rules.take().get(), values, call) }
            engine.conclude(awaited, with: answer, at: now)
            engine.resume(world, at: now)
        }
        return nil
    }

    /// The maximum number of rules to read on the loop; reading this many takes up to a millisecond.
    private static let rulesOnLoop = 64

    private func names(in world: World) -> Set<ExactString> { Set(world.faults.rules.lazy.map(\.rule.name)) }

    /// Adds several rules; `values` are the same rules as JSON.
    private func add(_ rules: [FaultRule], _ values: [JSONValue], _ call: AdminCall) throws(APIError) -> Answer {
        let world = call.world
        // The owner of the world's run may have ended the run during the job.
        guard !world.isGone else { throw .unknownWorld(world.name) }
        try add(rules, bytes: values.map { $0.encoded().count }, to: world)
        return list(world.faults.rules.suffix(rules.count), call, status: .created)
    }

    func add(_ rule: FaultRule, _ call: AdminCall) throws(APIError) -> Answer {
        try add([rule], bytes: [call.bytes.count], to: call.world)
        return .created(try description(ofFault: rule.name, call))
    }

    /// Reads a rule with the scenario file reader, and names the rule if it has no name.
    ///
    /// - Parameters:
    ///   - words: Collects deprecated words.
    ///   - name: Returns the request's word for a path in the rule, such as `hold.for`.
    func rule(
        from object: JSONObject, in world: World, noting words: AdminCall.OldWords? = nil,
        naming name: (String) -> String = { $0 }
    ) throws(APIError) -> FaultRule {
        func rename(_ errors: ScenarioErrors) -> ScenarioErrors { errors.renamingPaths(below: "faults[0]", name) }
        let read = try Self.rules(from: [object], besides: names(in: world), rename)
        for word in rename(ScenarioErrors(mistakes: read.oldWords)).mistakes { words?.note(word.message) }
        return read.faults[0]
    }

    /// Reads several rules together, as the faults of a scenario, and names rules that have no name.
    ///
    /// - Parameters:
    ///   - taken: The names of the world's rules.
    ///   - rename: Converts paths in mistakes to the request's words.
    private static func rules(
        from objects: [JSONObject], besides taken: Set<ExactString>,
        _ rename: (ScenarioErrors) -> ScenarioErrors = { $0 }
    ) throws(APIError) -> Scenario {
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
            return try Scenario.read(json: .object(["name": "live", "faults": .array(faults)]))
        } catch {
            throw .invalid(rename(error).description)
        }
    }

    /// The fault or breakpoint that the path names; throws 404 for an unknown name.
    func showFault(_ call: AdminCall) throws(APIError) -> Answer { .ok(try description(ofFault: call.parameter, call)) }

    /// `PATCH {"enabled"}`: enables or disables a rule, including on open connections to which the rule applied when
    /// they opened.
    ///
    /// - Throws: 404 for an unknown name, 400 for a bad body, 409 if a breakpoint's controller has no event stream.
    func switchFault(_ call: AdminCall) throws(APIError) -> Answer {
        let rule = try entry(ofFault: call.parameter, call).rule
        let isEnabled = try call.body(keys: ["enabled"]).flag("enabled").required("enabled", expected: "true or false")
        if isEnabled, let controller = breakpoints.missingController(of: rule, in: call.world) {
            throw .noController(controller.text)
        }
        setFaults([rule.name], of: call.world, isEnabled: isEnabled, at: call.now)
        return try showFault(call)
    }

    /// `PATCH {"enabled", "names"}`: enables or disables the named rules, or all rules if `names` is absent.
    ///
    /// - Throws: The same errors as ``switchFault(_:)``; if it throws, no rule has changed.
    func switchFaults(_ call: AdminCall) throws(APIError) -> Answer {
        let (world, body) = (call.world, try call.body(keys: ["enabled", "names"]))
        let isEnabled = try body.flag("enabled").required("enabled", expected: "true or false")
        let names = try body.value("names", expected: "a list of names") { value in
            value.array.flatMap { list in
                let names = list.compactMap(\.string)
                return names.count == list.count ? names.map(ExactString.init(_:)) : nil
            }
        }
        let known = world.faults.rules.filter { isMeant($0, by: call) }
        let chosen = Set(names ?? known.map(\.rule.name))
        let switched = known.filter { chosen.contains($0.rule.name) }
        let missing = chosen.subtracting(switched.map(\.rule.name))
        if let name = names?.first(where: missing.contains) { throw unknownFault(name, among: known, call) }
        let abandoned = switched.lazy.compactMap { self.breakpoints.missingController(of: $0.rule, in: world) }
        if isEnabled, let controller = abandoned.first { throw .noController(controller.text) }
        setFaults(chosen, of: world, isEnabled: isEnabled, at: call.now)
        return list(world.faults.rules.filter { chosen.contains($0.rule.name) }, call)
    }

    func removeFault(_ call: AdminCall) throws(APIError) -> Answer {
        remove([try entry(ofFault: call.parameter, call).rule.name], call)
    }

    /// `DELETE /__admin/faults`: removes all faults, including the ones in the scenario.
    func removeFaults(_ call: AdminCall) -> Answer {
        remove(call.world.faults.rules.filter { isMeant($0, by: call) }.map(\.rule.name), call)
    }

    private func remove(_ names: [ExactString], _ call: AdminCall) -> Answer {
        removeFaults(names, of: call.world, at: call.now)
        return .noContent
    }

    private func entry(ofFault name: ExactString, _ call: AdminCall) throws(APIError) -> FaultBook.Entry {
        let entries = call.world.faults.rules
        if let entry = entries.first(where: { $0.rule.name == name && isMeant($0, by: call) }) { return entry }
        throw unknownFault(name, among: entries.filter { isMeant($0, by: call) }, call)
    }

    private func unknownFault(_ name: ExactString, among entries: [FaultBook.Entry], _ call: AdminCall) -> APIError {
        let kind = call.template.hasPrefix("breakpoints") ? "breakpoint" : "fault"
        return .unknownFault(name.text, kind: kind, known: entries.map(\.rule.name.text))
    }

    private func description(ofFault name: ExactString, _ call: AdminCall) throws(APIError) -> [UInt8] {
        let entry = try entry(ofFault: name, call)
        return JSONWriter.object { writeFault(entry, in: call.world, into: &$0) }
    }

    /// Writes a rule as it would appear in a scenario file, with its counts and the keys that only the admin API has.
    func writeFault(_ entry: FaultBook.Entry, in world: World, into writer: inout JSONWriter) {
        let rule = entry.rule
        rule.write(into: &writer)
        writer.member("connection", ifPresent: rule.connection.map { Int(clamping: $0) })
        writer.member("controller", ifPresent: rule.controller?.text)
        if breakpoints.missingController(of: rule, in: world) != nil { writer.member("abandoned", true) }
        // For a breakpoint, the matches are the held items. A step can hold items that the rule does not match, and a
        // breakpoint for frames matches a socket once but may hold many of the socket's frames.
        writer.member("matches", rule.fault.isHold ? entry.acted : entry.matches)
        writer.member("acted", entry.acted)
        guard rule.fault.isHold else { return }
        writer.member("holding", world.live?.holds.things.count { $0.breakpoint.name == rule.name } ?? 0)
    }
}
