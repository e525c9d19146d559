import FitIQAPI
import FitIQBackend
import JSON
import Scenarios

/// The admin API's state: exports a world's content as a scenario file, and imports it again.
///
/// The state is data: users and their entities, the count of issued ids, guide, seed and clock. The state does not
/// include scripts or faults. An import leaves scripts and faults unchanged unless the file contains its own.
extension AdminCall {
    /// `GET /__admin/state`: a JSON scenario file that starts a world in this world's current state.
    ///
    /// - Throws: 409 if the world replays a session, 507 if the state would be too large to import.
    func exportState() throws(APIError) -> Answer? {
        let export = Parcel(try engine.export(of: world, at: now))
        let limit = engine.limits.stateBody
        return try answerState(inJob: world.isLargeToWrite, pausing: world) { () throws(APIError) in
            // Move the value out, so that the world's values have one owner again after the job.
            let export = export.take()
            return try export.encoded(within: limit)
        }
    }

    /// `GET /__admin/script`: the scripted behaviour in the world's scenario, as scenario file members.
    func showScript() throws(APIError) -> Answer? {
        let script = world.settings.scenario.written
        return try answerState(inJob: world.written.scenario > Engine.largestWorkOnLoop, pausing: nil) {
            script.encoded
        }
    }

    /// Answers with a part of a scenario file, which has no URLs and is therefore the same over TLS.
    private func answerState(
        inJob isLong: Bool, pausing paused: World?, _ encode: @escaping @Sendable () throws(APIError) -> [UInt8]
    ) throws(APIError) -> Answer? {
        // After a job, the engine sends and frees one piece at a time, because freeing all together would block the
        // loop.
        let inPieces = isLong && engine.startJob != nil
        return try answer(inJob: isLong, pausing: paused) {
            Result { () throws(APIError) in inPieces ? try encode().pieces : [try encode()] }
        } then: { (_, pieces, _) throws(APIError) in
            let pieces = try pieces.get()
            return inPieces
                ? Answer(BytesSource(pieces), contentType: Answer.json)
                : Answer(body: pieces[0], contentType: Answer.json)
        }
    }

    /// `PUT /__admin/state`: restarts a world from a scenario file; a later reset returns to this state.
    ///
    /// The guide, seed, clock mode, token lifetime, rules, scripts and faults stay unchanged if the file does not
    /// contain them.
    ///
    /// - Throws: 409 if the world replays a session and the file has no session; the world then stays unchanged.
    func importState() throws(APIError) -> Answer? {
        let (world, pieces) = (world, connection.takeBodyPieces() + [bytes])
        let size = pieces.reduce(0) { $0 + $1.count }
        guard size > 0 else { throw .emptyBody }
        // A state may be larger than any other body in the API.
        let jsonLimits = JSON.Limits(bytes: max(engine.limits.stateBody, 1), values: Scenario.largestStateValues)
        return try engine.begin(world, for: exchange, holding: size) {
            let (settings, isReplay) = (world.settings, world.replay != nil)
            return { () throws(APIError) in
                let whole = pieces.count == 1 ? pieces[0] : pieces.flatMap(\.self)
                let imported = try Scenario(json: AdminBody.parse(whole, limits: jsonLimits))
                guard imported.replay != nil || !isReplay else { throw .stateOfReplay }
                return WorldDraft(
                    settings: try settings.importing(imported), scenarioBytes: size,
                    keepsFaults: imported.faults.isEmpty)
            }
        } then: { (engine, beginning, now) throws(APIError) in
            try engine.lives.restart(world, try beginning.get(), reason: "The world's state was replaced", at: now)
            return .ok(world.description(at: now))
        }
    }
}

extension WrittenScript {
    fileprivate var encoded: [UInt8] {
        JSONWriter.object { writer in
            for (key, value) in members {
                writer.key(escaping: key)
                writer.value(value)
            }
        }
    }
}

extension [UInt8] {
    /// The bytes in pieces of a mebibyte.
    fileprivate var pieces: [[UInt8]] {
        stride(from: 0, to: count, by: 1 << 20).map { Array(self[$0..<Swift.min($0 + 1 << 20, count)]) }
    }
}

extension WorldSettings {
    /// The settings, with the members of an imported state applied; other settings stay unchanged.
    ///
    /// - Throws: 400 if neither the imported upstream nor the world's upstream has a URL.
    fileprivate func importing(_ imported: Scenario) throws(APIError) -> WorldSettings {
        var settings = self
        let old = scenario
        settings.scenario = imported
        if imported.name.isExactly(old.name), imported.summary.isEmpty { settings.scenario.summary = old.summary }
        if imported.script == Script(), imported.replay == nil { settings.scenario.script = old.script }
        if imported.faults.isEmpty { settings.scenario.faults = old.faults }
        if imported.stubs.isEmpty { settings.scenario.stubs = old.stubs }
        settings.scenario.network = imported.network ?? old.network
        if imported.replay == nil { settings.scenario.overlay = imported.overlay ?? old.overlay }
        try settings.adopt(nil, of: old)
        settings.scenario.written = imported.written(over: old)
        settings.scenario.tokenLifetime = imported.tokenLifetime ?? old.tokenLifetime
        settings.scenario.rules = imported.rules.completed(by: old.rules)
        settings.seed = imported.seed ?? settings.seed
        settings.mode = imported.guide ?? settings.mode
        settings.clock = imported.clock ?? settings.clock
        return settings
    }
}
