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

    /// The default world's content, in the format of `GET /__admin/state` but without a size limit; throws 409 if the
    /// world replays a session.
    public func exportState(at now: Timestamp) throws(APIError) -> [UInt8] {
        let export = try export(of: defaultWorld, at: now)
        return export.encoded(export.backend)
    }

    private func export(of world: World, at now: Timestamp) throws(APIError) -> StateExport {
        guard world.replay == nil else { throw .stateOfReplay }
        // First run the steps that are due, because the loop may be late.
        advance(world, to: world.clock.now(now), at: now)
        world.setTime(now)
        return StateExport(
            backend: world.backend, time: world.turn.now, dateShift: world.turn.dateShift,
            issuedIDs: world.turn.identifiers.issuedCount,
            name: world.settings.scenario.name, guide: world.settings.mode, seed: world.settings.seed,
            clock: world.clock.manualTime.map(ClockMode.manual) ?? .real,
            rules: world.settings.scenario.rules)
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

/// The input for an export, as a value that a job can use.
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

    /// The encoded state; throws 507 if it could exceed the limit.
    func encoded(within limit: Int) throws(APIError) -> [UInt8] {
        let settled = backend.settled(at: time, dateShift: dateShift)
        let bytes = settled.storedBytes + 6 * name.utf8.count + Self.firstLines
        guard bytes <= limit else { throw .stateTooLarge(bytes, limit: limit) }
        return encoded(settled)
    }

    /// The maximum size of a state in bytes, not counting its name and its users.
    private static let firstLines = 512

    func encoded(_ backend: Backend) -> [UInt8] {
        backend.data(at: time, dateShift: dateShift, issuedIDs: issuedIDs)
            .scenarioFile(name: name, guide: guide, seed: seed, clock: clock, rules: rules)
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

/// Reads the state that a server wrote when it stopped.
extension Scenario {
    /// The maximum size of a state file in bytes, which is the limit for all worlds together
    /// (``ServerLimits/storedBytes``).
    public static let largestState = 640 * 1024 * 1024
    /// The maximum number of JSON values in a state.
    ///
    /// In a world at the limit of ``ServerLimits/stateBody``, each value takes at least 22 stored bytes.
    public static let largestStateValues = 15_500_000

    private static let stateLimits = JSON.Limits(bytes: largestState, values: largestStateValues)

    /// Reads a scenario file; a JSON file may be as large as a state.
    ///
    /// - Parameter file: The file's name for messages.
    /// - Throws: The mistakes in the file.
    public static func readState(_ bytes: [UInt8], file: String) throws(ScenarioErrors) -> Scenario {
        let isJSON = bytes.first == UInt8(ascii: "{")
        if bytes.count <= ScenarioLimits.fileBytes || !isJSON {
            do throws(ScenarioErrors) {
                return try read(bytes, file: file)
            } catch {
                // JSON that exceeds the limits for scenario files may still be a state. If the JSON is not a state
                // either, throw the first error, which has line numbers.
                guard isJSON, let value = try? JSON.parse(bytes, limits: stateLimits),
                    let state = try? read(json: value)
                else { throw error }
                return state
            }
        }
        return try readJSON(bytes, file: file)
    }

    /// Reads a saved world, in which sizes and times are not limited.
    static func readSaved(_ bytes: [UInt8], file: String) throws(ScenarioErrors) -> Scenario {
        try readJSON(bytes, file: file, isSaved: true)
    }

    private static func readJSON(
        _ bytes: [UInt8], file: String, isSaved: Bool = false
    ) throws(ScenarioErrors) -> Scenario {
        let value: JSONValue
        do throws(JSONError) {
            // A server has already held this data in memory.
            value = try JSON.parse(bytes, limits: isSaved ? JSON.Limits(bytes: .max, values: .max) : stateLimits)
        } catch {
            let mistake = ScenarioErrors.Mistake(
                line: error.line, column: error.column, path: "", message: error.message)
            throw ScenarioErrors(file: file, mistakes: [mistake])
        }
        return try read(json: value, isSaved: isSaved)
    }

    /// The scenario with a state's data in place of its own data; scripts and faults stay unless the state has its own.
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
