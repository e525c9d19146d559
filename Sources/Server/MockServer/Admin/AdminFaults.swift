import Faults
import FitIQAPI
import HTTPTypes
import JSON
import Scenarios

/// The admin API's faults: lists, enables, disables, adds and removes them while clients are connected.
///
/// Faults that hold something are breakpoints; `/__admin/breakpoints` lists only breakpoints.
extension AdminCall {
    /// Whether the path is below `breakpoints`.
    private var isAboutBreakpoints: Bool { template.hasPrefix("breakpoints") }

    /// The rules that the path lists, in the order in which they take effect.
    private var entries: [FaultBook.Entry] {
        world.faults.rules.filter { $0.rule.fault.isHold || !isAboutBreakpoints }
    }

    func listFaults() -> Answer { list(entries) }

    private func list(_ entries: some Sequence<FaultBook.Entry>, status: HTTPResponse.Status = .ok) -> Answer {
        let source = PartSource(isAboutBreakpoints ? "breakpoints" : "faults", of: entries) {
            [unowned engine = engine, world] entry, writer in
            writer.object { entry.write(in: world, of: engine, to: &$0) }
            return 0
        }
        var answer = Answer(source)
        answer.status = status
        return answer
    }

    /// `POST /__admin/faults`: adds one or more rules, written as in a scenario file, after the existing rules.
    ///
    /// If a rule is invalid, none are added.
    func addFaults() throws(APIError) -> Answer? {
        let body = try BodyReader(bytes).object
        guard let several = body["faults"] else { return try add(try world.rule(from: body, noting: oldWords.note)) }
        guard let values = several.array, !values.isEmpty, body.count == 1 else { throw .severalFaults }
        let drafts = try values.enumerated().map { (index, value) throws(APIError) in
            guard let object = value.object else {
                throw .wrongType("faults[\(index)]", expected: "a fault", got: value)
            }
            return object
        }
        let names = world.faultNames
        // The world pauses, so that no other request takes a name.
        return try answer(inJob: drafts.count > AdminLimits.rulesOnLoop, holding: bytes.count, pausing: world) {
            Result { () throws(APIError) in try Scenario(faults: drafts, besides: names).faults }
        } then: { (engine, rules, _) throws(APIError) in
            let rules = try rules.get()
            // The owner of the world's run may have ended the run during the job.
            try world.checkIsThere()
            try engine.liveFaults.add(rules, bytes: values.map { $0.encoded().count }, to: world)
            return list(world.faults.rules.suffix(rules.count), status: .created)
        }
    }

    func add(_ rule: FaultRule) throws(APIError) -> Answer {
        try engine.liveFaults.add([rule], bytes: [bytes.count], to: world)
        return .created(try description(of: rule.name))
    }

    /// The fault or breakpoint that the path names.
    func showFault() throws(APIError) -> Answer { .ok(try description(of: parameter)) }

    private func description(of name: ExactString) throws(APIError) -> [UInt8] {
        let entry = try entry(of: name)
        return JSONWriter.object { entry.write(in: world, of: engine, to: &$0) }
    }

    private func entry(of name: ExactString) throws(APIError) -> FaultBook.Entry {
        guard let entry = entries.first(where: { $0.rule.name == name }) else { throw unknownFault(name) }
        return entry
    }

    private func unknownFault(_ name: ExactString) -> APIError {
        .unknownFault(
            name.text, kind: isAboutBreakpoints ? "breakpoint" : "fault", known: entries.map(\.rule.name.text))
    }

    /// `PATCH {"enabled"}`: enables or disables a rule, including on open connections to which the rule applied when
    /// they opened; throws 409 if a breakpoint's controller has no event stream.
    func switchFault() throws(APIError) -> Answer {
        let rule = try entry(of: parameter).rule
        try switchFaults([rule], isEnabled: body(keys: ["enabled"]).isEnabled())
        return try showFault()
    }

    /// `PATCH {"enabled", "names"}`: enables or disables the named rules, or all rules if `names` is absent.
    ///
    /// If it throws, no rule has changed.
    func switchFaults() throws(APIError) -> Answer {
        let body = try body(keys: ["enabled", "names"])
        let isEnabled = try body.isEnabled()
        let names = try body.value("names", expected: "a list of names") { value in
            value.array.flatMap { list in
                let names = list.compactMap(\.string)
                return names.count == list.count ? names.map(ExactString.init(_:)) : nil
            }
        }
        let chosen = names.map { Set($0) }
        let switched = entries.map(\.rule).filter { chosen?.contains($0.name) ?? true }
        let found = Set(switched.map(\.name))
        if let name = names?.first(where: { !found.contains($0) }) { throw unknownFault(name) }
        try switchFaults(switched, isEnabled: isEnabled)
        return list(world.faults.rules.filter { found.contains($0.rule.name) })
    }

    private func switchFaults(_ rules: [FaultRule], isEnabled: Bool) throws(APIError) {
        let breakpoints = engine.breakpoints
        let abandoned = rules.lazy.compactMap { breakpoints.missingController(of: $0, in: world) }
        if isEnabled, let controller = abandoned.first { throw .noController(controller.text) }
        engine.liveFaults.set(Set(rules.map(\.name)), of: world, isEnabled: isEnabled, at: now)
    }

    func removeFault() throws(APIError) -> Answer { remove([try entry(of: parameter)]) }

    /// `DELETE /__admin/faults`: removes all faults, including the ones in the scenario.
    func removeFaults() -> Answer { remove(entries) }

    private func remove(_ entries: [FaultBook.Entry]) -> Answer {
        engine.liveFaults.remove(entries.map(\.rule.name), of: world, at: now)
        return .noContent
    }
}

extension AdminBody {
    fileprivate func isEnabled() throws(APIError) -> Bool {
        try flag("enabled").required("enabled", expected: "true or false")
    }
}

extension FaultBook.Entry {
    /// Writes a rule as it would appear in a scenario file, with its counts and the keys that only the admin API has.
    func write(in world: World, of engine: Engine, to writer: inout JSONWriter) {
        rule.write(into: &writer)
        writer.member("connection", ifPresent: rule.connection.map { Int(clamping: $0) })
        writer.member("controller", ifPresent: rule.controller?.text)
        if engine.breakpoints.missingController(of: rule, in: world) != nil { writer.member("abandoned", true) }
        // For a breakpoint, the matches are the held items. A step can hold items that the rule does not match, and a
        // breakpoint for frames matches a socket once but may hold many of the socket's frames.
        writer.member("matches", rule.fault.isHold ? acted : matches)
        writer.member("acted", acted)
        guard rule.fault.isHold else { return }
        writer.member("holding", world.live?.holds.things.count { $0.breakpoint.name == rule.name } ?? 0)
    }
}
