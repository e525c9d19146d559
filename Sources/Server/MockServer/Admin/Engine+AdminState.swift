import FitIQAPI
import FitIQBackend
import HTTP1
import JSON
import Scenarios

/// The admin API's state: everything that a world holds, as a scenario file, and back.
///
/// State is data: users with their entities, the issued ids, guide, seed and clock. It excludes scripts and faults; an
/// import leaves them unchanged, unless the file has its own.
extension Engine {
    /// `GET /__admin/state`: a scenario file in JSON that starts a world in the present state of this one.
    ///
    /// - Returns: nil if the request waits for a job.
    /// - Throws: 409 if a session is replayed, 507 if the state has more bytes than the body of its import may have.
    func exportState(_ call: AdminCall) throws(APIError) -> Answer? {
        let (world, now) = (call.world, call.now)
        let export = Parcel(try export(of: world, at: now))
        let limit = limits.stateBody
        guard startJob != nil, world.isLargeToWrite else { return .state(try export.take().encoded(within: limit)) }
        let awaited = awaitJob(for: call.exchange)
        stand(world)
        beside(at: now) {
            // Taken out, so that the world's values have one owner again when the job is done.
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

    /// Everything that the default world holds, like `GET /__admin/state` but of any size; 409 if it replays a session.
    public func exportState(at now: Timestamp) throws(APIError) -> [UInt8] {
        let export = try export(of: defaultWorld, at: now)
        return export.encoded(export.backend)
    }

    private func export(of world: World, at now: Timestamp) throws(APIError) -> StateExport {
        guard world.replay == nil else { throw .stateOfReplay }
        // The loop may be late.
        advance(world, to: world.clock.now(now), at: now)
        world.setTime(now)
        return StateExport(
            backend: world.backend, time: world.turn.now, dateShift: world.turn.dateShift,
            issuedIDs: world.turn.identifiers.issuedCount,
            name: world.settings.scenario.name, guide: world.settings.mode, seed: world.settings.seed,
            clock: world.clock.manualTime.map(ClockMode.manual) ?? .real,
            rules: world.settings.scenario.rules)
    }

    /// `GET /__admin/script`: the script of the world's scenario, as members of a scenario file.
    ///
    /// - Returns: nil if the request waits for a job.
    func showScript(_ call: AdminCall) -> Answer? {
        let script = call.world.settings.scenario.written
        guard startJob != nil, call.world.written.scenario > Self.largestWorkOnLoop else {
            return .state(script.encoded)
        }
        let awaited = awaitJob(for: call.exchange)
        beside(at: call.now) {
            script.encoded.pieces
        } then: { engine, pieces, now in
            engine.conclude(awaited, with: .success(.state(pieces.take())), at: now)
        }
        return nil
    }

    /// `PUT /__admin/state`: fills a world from a scenario file, from its start; a reset returns to it.
    ///
    /// Members absent from the file stay: guide, seed, clock mode, lifetime of tokens, rules, scripts, and the present
    /// faults.
    ///
    /// - Returns: nil if the request waits for a job.
    /// - Throws: 400 for an invalid or inconsistent scenario file, 409 if the world replays a session and the file has
    ///   no other, 507 if there is no room; the world is then unchanged.
    func importState(_ call: AdminCall) throws(APIError) -> Answer? {
        let world = call.world
        let pieces = call.connection.takeBodyPieces() + [call.bytes]
        let size = pieces.reduce(0) { $0 + $1.count }
        guard size > 0 else { throw .emptyBody }
        // A state may be large; a body of the API never is.
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

    /// Accepts a larger body if it is a photo, or a state or a frame from a client that may send one.
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

/// The input of an export: a function of values, so that a job can make it.
private struct StateExport: Sendable {
    let backend: Backend
    let time: Timestamp
    let dateShift: Int64
    let issuedIDs: Int
    let name: String
    let guide: GuideMode
    let seed: UInt64
    let clock: ClockMode
    let rules: WorldRules

    /// The encoded state, or 507 if the stored data and the first lines exceed a body.
    func encoded(within limit: Int) throws(APIError) -> [UInt8] {
        let settled = backend.settled(at: time, dateShift: dateShift)
        let bytes = settled.storedBytes + 6 * name.utf8.count + Self.firstLines
        guard bytes <= limit else { throw .stateTooLarge(bytes, limit: limit) }
        return encoded(settled)
    }

    /// The maximum size of the members before the users, except for the name.
    private static let firstLines = 512

    func encoded(_ backend: Backend) -> [UInt8] {
        backend.data(at: time, dateShift: dateShift, issuedIDs: issuedIDs)
            .scenarioFile(name: name, guide: guide, seed: seed, clock: clock, rules: rules)
    }
}

extension Answer {
    /// A state; it names no URL of the server's, and so is the same over TLS.
    fileprivate static func state(_ bytes: [UInt8]) -> Answer {
        Answer(body: bytes, contentType: Answer.json)
    }

    /// The same in pieces, which are sent in slices and released one by one.
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
    /// The bytes in pieces: freeing all of them at once would hold the loop.
    fileprivate var pieces: [[UInt8]] {
        stride(from: 0, to: count, by: 1 << 20).map { Array(self[$0..<Swift.min($0 + 1 << 20, count)]) }
    }
}

extension WorldSettings {
    /// The settings with a state's members; absent ones stay.
    ///
    /// - Throws: 400 if neither the imported upstream nor the world's has a URL.
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

/// The state that a server wrote when it stopped, for the next one to read.
extension Scenario {
    /// The largest state file in bytes: the common limit of all worlds (``ServerLimits/storedBytes``).
    public static let largestState = 640 * 1024 * 1024
    /// The most values of a state.
    ///
    /// In a world at the limit of ``ServerLimits/stateBody`` each takes at least 22 stored bytes.
    public static let largestStateValues = 15_500_000

    private static let stateLimits = JSON.Limits(bytes: largestState, values: largestStateValues)

    /// Reads a state: a scenario file, which may be larger if it is JSON.
    ///
    /// - Parameter file: The name of the file in messages.
    /// - Throws: The mistakes of the file, as with any scenario file.
    public static func readState(_ bytes: [UInt8], file: String) throws(ScenarioErrors) -> Scenario {
        let isJSON = bytes.first == UInt8(ascii: "{")
        if bytes.count <= ScenarioLimits.fileBytes || !isJSON {
            do throws(ScenarioErrors) {
                return try read(bytes, file: file)
            } catch {
                // It may have more values than people write; otherwise its mistakes have lines.
                guard isJSON, let value = try? JSON.parse(bytes, limits: stateLimits),
                    let state = try? read(json: value)
                else { throw error }
                return state
            }
        }
        return try readJSON(bytes, file: file)
    }

    /// Reads a world that was saved: no size or time is too large in it.
    static func readSaved(_ bytes: [UInt8], file: String) throws(ScenarioErrors) -> Scenario {
        try readJSON(bytes, file: file, isSaved: true)
    }

    private static func readJSON(
        _ bytes: [UInt8], file: String, isSaved: Bool = false
    ) throws(ScenarioErrors) -> Scenario {
        let value: JSONValue
        do throws(JSONError) {
            // A world's own data fits into memory once more.
            value = try JSON.parse(bytes, limits: isSaved ? JSON.Limits(bytes: .max, values: .max) : stateLimits)
        } catch {
            let mistake = ScenarioErrors.Mistake(
                line: error.line, column: error.column, path: "", message: error.message)
            throw ScenarioErrors(file: file, mistakes: [mistake])
        }
        return try read(json: value, isSaved: isSaved)
    }

    /// The scenario with a state's users instead of its own; its scripts stay, unless the state has scripts.
    public func continuing(from state: Scenario) -> Scenario {
        var result = state
        (result.name, result.summary) = (name, summary)
        if state.script == Script() { result.script = script }
        if state.faults.isEmpty { result.faults = faults }
        if state.stubs.isEmpty { result.stubs = stubs }
        result.network = state.network ?? network
        result.upstream = state.upstream.completed(by: upstream)
        (result.overlay, result.unreadOverlay) = (overlay, unreadOverlay)
        result.written = state.written(over: self)
        result.guide = state.guide ?? guide
        result.seed = state.seed ?? seed
        result.clock = state.clock ?? clock
        result.tokenLifetime = state.tokenLifetime ?? tokenLifetime
        result.rules = state.rules.completed(by: rules)
        return result
    }
}
