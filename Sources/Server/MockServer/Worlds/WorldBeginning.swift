import Faults
import FitIQAPI
import FitIQBackend
import Scenarios

struct WorldSettings: Sendable {
    /// The prefix of the world's URLs, such as `http://127.0.0.1:8080/w/w1`.
    var origin: String
    var scenario: Scenario
    var seed: UInt64
    var pace: Pace
    var mode: GuideMode
    var clock: ClockMode
    var apiKey: String
    var jwtSecret: String
    var verifiedTokens: Int
    var limits: FitIQBackend.Limits
    /// The scenario's JSON from the request that created the world; nil for the server's scenario or if there is no
    /// state file.
    var requestedScenario: [UInt8]?
    /// The world's label, if any.
    var label: String?

    /// Replaces the scenario's upstream unless the argument is nil; an upstream that has no URL gets the server's URL.
    ///
    /// - Throws: A 400 if there is no URL or the world replays a session.
    mutating func adopt(_ upstream: Upstream?, of server: Scenario) throws(APIError) {
        guard scenario.replay == nil else {
            if upstream != nil { throw .invalid(UpstreamMessages.notWithSession) }
            return
        }
        scenario.upstream = (upstream ?? scenario.upstream).completed(by: server.upstream)
        if let present = scenario.upstream, present.url == nil { throw .invalid(UpstreamMessages.noURL) }
    }

    /// The prefix of the world's WebSocket URLs.
    var webSocketOrigin: String { "ws" + origin.dropFirst("http".count) }

    func makeBackend() -> Backend {
        Backend(
            .init(
                origin: origin, pace: pace, mode: mode, limits: limits, script: scenario.script,
                rules: scenario.rules, seed: seed))
    }

    func makeFaults() -> FaultBook { FaultBook(rules: scenario.faults, seed: seed) }

    /// - Parameter start: When the network starts, by the world's clock.
    func makeNetwork(from start: Timestamp) -> Network? {
        scenario.network.map { Network($0, seed: seed, from: start) }
    }

    func makeAuthenticator() -> Authenticator {
        Authenticator(
            mode: mode, apiKey: apiKey, secret: jwtSecret, limit: verifiedTokens, fixed: scenario.rules.tokens)
    }
}

/// The settings for a world that is about to start.
struct WorldDraft: Sendable {
    var settings: WorldSettings
    /// The id of a new world; nil for an existing one.
    var id: WorldID?
    /// The bytes to count for the scenario; 0 unless a request contained it.
    var scenarioBytes = 0
    /// The bytes to count for the scenario's rules, which take more memory than their text.
    var ruleBytes: Int { scenarioBytes == 0 ? 0 : settings.scenario.ruleCount * Self.memoryOfRule }
    /// The bytes of memory that a rule takes in addition to its JSON; the world stores a rule both as written and with
    /// its current state.
    static let memoryOfRule = 768
    var keepsFaults = false
    /// The saved world to continue, if any.
    var restored: RestoredWorld?
    /// Whether to judge the client from the start.
    var isJudged = false
}

/// A draft whose data is prepared, so that a world can start from it; a job can prepare the data.
struct WorldBeginning: Sendable {
    let draft: WorldDraft
    let state: World.State
    /// The storage that the other worlds left free when the draft was prepared.
    let room: StorageRoom

    /// - Throws: A 400 if the data is inconsistent or the session was not read, or a 507 if the data exceeds the limit.
    init(_ draft: WorldDraft, in shared: SharedRoom, now: Timestamp, dateShift: Int64 = 0) throws(APIError) {
        let written = draft.scenarioBytes + draft.ruleBytes
        // Saved data is always accepted, even if work in progress made it exceed the limit.
        if draft.restored == nil { try shared.check(bringing: written) }
        self.draft = draft
        room = shared.rest(written: written)
        state = try World.State(
            draft, room: shared.storage(written: written), exportRoom: room, now: now,
            dateShift: dateShift)
    }

    /// Checks that other worlds have not used up the storage since then; throws 507 if they have.
    func check(in shared: SharedRoom) throws(APIError) {
        let written = draft.scenarioBytes + draft.ruleBytes
        try shared.check(bringing: written)
        let left = shared.rest(written: written)
        guard left.bytes >= room.bytes || state.storedBytes <= left.bytes else {
            throw .storeFull("bytes", limit: left.limit)
        }
    }
}

extension Scenario {
    /// Whether starting a world with this content, or freeing it, takes more than one or two milliseconds.
    var isLarge: Bool {
        if case .plan(let plan)? = replay?.session, plan.session.entries.count > Self.entitiesOnLoop { return true }
        var count = 0
        for user in data.users {
            count += 1 + user.goals.count + user.mealLogs.count
            for consultation in user.consultations {
                count += 1 + consultation.messages.count + consultation.madeUpMessages
            }
            if count > Self.entitiesOnLoop { return true }
        }
        return passwordWork > Self.passwordWorkOnLoop
    }

    /// The maximum number of entities to create on the loop; creating the first entities in a process also loads the
    /// tables of foods and of the coach's answers.
    private static let entitiesOnLoop = 50
    /// PBKDF2 iterations that take about ten milliseconds.
    private static let passwordWorkOnLoop = 40_000
}

extension World {
    /// Whether an export is slow to write.
    var isLargeToWrite: Bool { backend.storedBytes > Engine.largestWorkOnLoop }
    /// Whether the content is slow to free.
    var isLargeToFree: Bool {
        let users = 64 * (backend.userCount + settings.scenario.data.users.count)
        return storedBytes + users + journal.weight > Engine.largestWorkOnLoop || settings.scenario.isLarge
            || reloadedSettings?.scenario.isLarge ?? false
    }
}

typealias DraftReader = @Sendable () throws(APIError) -> WorldDraft

/// Starts worlds on request: small worlds immediately, and large worlds in a job.
extension Engine {
    /// Reads a draft, prepares its data, and starts a world with it.
    ///
    /// - Parameters:
    ///   - world: The world to restart, which is paused in the meantime; nil to create one.
    ///   - bodySize: The size of the request's body that a job would hold.
    ///   - reader: Returns the reader of the request, a function of values. It is called again with the new settings if
    ///     the world's scenario was reloaded in the meantime.
    ///   - then: Starts the world and creates the answer.
    /// - Returns: Nil if the request waits for a job.
    /// - Throws: Any error from `reader` or `then` unless a job runs them, or a 507 if jobs already hold too much.
    func begin(
        _ world: World?, for exchange: Exchange, holding bodySize: Int, reading reader: @escaping () -> DraftReader,
        then: @escaping (Engine, Result<WorldBeginning, APIError>, Timestamp) throws(APIError) -> Answer
    ) throws(APIError) -> Answer? {
        let now = exchange.now
        var known: Result<WorldDraft, APIError>?
        if startJob == nil || bodySize <= Engine.largestWorkOnLoop {
            let read = Result(catching: reader())
            guard startJob != nil, case .success(let small) = read, small.settings.scenario.isLarge else {
                return try then(self, read.beginning(in: worlds.room(of: world), now: now, worlds.dateShift), now)
            }
            known = read
        }
        guard hasRoom(forJobOf: bodySize) else { throw .tooMuchToRead }
        let awaited = awaitJob(for: exchange, holding: bodySize)
        if let world { pause(world) }
        prepare(known, for: world, at: now, reading: reader) { engine, beginning, now in
            engine.conclude(awaited, with: engine.adopt(beginning, then, at: now), at: now)
            if let world { engine.resume(world, at: now) }
        }
        return nil
    }

    /// Prepares a draft in a job; repeats this if the world's scenario was reloaded in the meantime.
    private func prepare(
        _ known: Result<WorldDraft, APIError>?, for world: World?, at now: Timestamp,
        reading reader: @escaping () -> DraftReader,
        then: @escaping (Engine, Parcel<Result<WorldBeginning, APIError>>, Timestamp) -> Void
    ) {
        let (draft, room, reloads) = (reader(), worlds.room(of: world), world?.reloadCount)
        let dateShift = worlds.dateShift
        runJob(at: now) {
            (known ?? Result(catching: draft)).beginning(in: room, now: now, dateShift)
        } then: { engine, beginning, now in
            guard world?.reloadCount == reloads else {
                engine.discard(beginning.take())
                return engine.prepare(nil, for: world, at: now, reading: reader, then: then)
            }
            then(engine, beginning, now)
        }
    }

    /// Starts a world with a job's result, and releases the result, so that the world is its only owner.
    private func adopt(
        _ parcel: Parcel<Result<WorldBeginning, APIError>>,
        _ then: (Engine, Result<WorldBeginning, APIError>, Timestamp) throws(APIError) -> Answer, at now: Timestamp
    ) -> Result<Answer, APIError> {
        let beginning = parcel.take()
        let answer = Result { () throws(APIError) in try then(self, beginning, now) }
        if case .failure = answer { discard(beginning) }
        return answer
    }
}

extension Result where Success == WorldDraft, Failure == APIError {
    fileprivate func beginning(
        in room: SharedRoom, now: Timestamp, _ dateShift: Int64
    ) -> Result<WorldBeginning, APIError> {
        Result<WorldBeginning, APIError> { () throws(APIError) in
            try WorldBeginning(get(), in: room, now: now, dateShift: dateShift)
        }
    }
}
