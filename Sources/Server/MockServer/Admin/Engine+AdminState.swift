import FitIQAPI
import FitIQBackend
import HTTP1
import JSON
import Scenarios

/// The admin API's state: exports a world's content as a scenario file, and imports it again.
///
/// The state is data: users and their entities, the count of issued ids, guide, seed and clock. The state does not
/// include scripts or faults. An import leaves scripts and faults unchanged unless the file contains its own.
extension Engine {
    /// `GET /__admin/state`: a JSON scenario file that starts a world in this world's current state.
    ///
    /// - Returns: Nil if the request waits for a job.
    /// - Throws: 409 if the world replays a session, 507 if the state would be too large to import.
    func exportState(_ call: AdminCall) throws(APIError) -> Answer? {
        let (world, now) = (call.world, call.now)
        let export = Parcel(try export(of: world, at: now))
        let limit = limits.stateBody
        guard startJob != nil, world.isLargeToWrite else { return .state(try export.take().encoded(within: limit)) }
        let awaited = awaitJob(for: call.exchange)
        stand(world)
        runJob(at: now) {
            // Move the value out, so that the world's values have one owner again after the job.
            let export = export.take()
            return Result { () throws(APIError) in try export.encoded(within: limit).pieces }
        } then: { engine, pieces, now in
            if engine.connection(of: awaited) == nil {
                engine.discard(pieces.take())
            } else {
                engine.conclude(awaited, with: pieces.take().map(Answer.state), at: now)
            }
            engine.resume(world, at: now)
        }
        return nil
    }

    /// `GET /__admin/script`: the scripted behaviour in the world's scenario, as scenario file members.
    ///
    /// - Returns: Nil if the request waits for a job.
    func showScript(_ call: AdminCall) -> Answer? {
        let script = call.world.settings.scenario.written
        guard startJob != nil, call.world.written.scenario > Self.largestWorkOnLoop else {
            return .state(script.encoded)
        }
        let awaited = awaitJob(for: call.exchange)
        runJob(at: call.now) {
            script.encoded.pieces
        } then: { engine, pieces, now in
            engine.conclude(awaited, with: .success(.state(pieces.take())), at: now)
        }
        return nil
    }

    /// `PUT /__admin/state`: restarts a world from a scenario file; a later reset returns to this state.
    ///
    /// The guide, seed, clock mode, token lifetime, rules, scripts and faults stay unchanged if the file does not
    /// contain them.
    ///
    /// - Returns: Nil if the request waits for a job.
    /// - Throws: 400 for an invalid or inconsistent scenario file, 409 if the world replays a session and the file has
    ///   no session, 507 if the server is full. If it throws, the world stays unchanged.
    func importState(_ call: AdminCall) throws(APIError) -> Answer? {
        let world = call.world
        let pieces = call.connection.takeBodyPieces() + [call.bytes]
        let size = pieces.reduce(0) { $0 + $1.count }
        guard size > 0 else { throw .emptyBody }
        // A state may be larger than any other body in the API.
        let jsonLimits = JSON.Limits(bytes: max(limits.stateBody, 1), values: Scenario.largestStateValues)
        return try begin(world, for: call.exchange, holding: size) {
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
            try engine.restart(world, try beginning.get(), reason: "The world's state was replaced", at: now)
            return .ok(engine.describe(world, at: now))
        }
    }

    /// Raises the body limit for a photo, and for a state or a frame from a client with admin access.
    func admitLargeBody(_ head: RequestHead, on connection: Connection) {
        switch Destination(of: head.target, in: self).route {
        case .api(let route) where route.endpoint(for: head.method) == .recognizeMealPhoto:
            connection.http.raiseBodyLimit(to: limits.photoBody)
        case .admin(let route) where (try? checkAdminAccess(head, on: connection)) != nil:
            if head.method == .put, route.resource === AdminResource.state {
                connection.http.raiseBodyLimit(to: min(limits.stateBody, Connection.largestBody))
                connection.takesPieces = true
            } else if head.method == .post, AdminResource.takingFrames.contains(where: { $0 === route.resource }) {
                connection.http.raiseBodyLimit(to: limits.frameBody)
            }
        default: break
        }
    }
}

extension Answer {
    /// An answer that contains a state, which has no URLs and is therefore the same over TLS.
    fileprivate static func state(_ bytes: [UInt8]) -> Answer {
        Answer(body: bytes, contentType: Answer.json)
    }

    /// An answer that contains a state in pieces; the engine sends and frees one piece at a time.
    fileprivate static func state(_ pieces: [[UInt8]]) -> Answer {
        Answer(BytesSource(pieces), contentType: Answer.json)
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
    /// The bytes in pieces, because freeing all of them together would block the loop.
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
