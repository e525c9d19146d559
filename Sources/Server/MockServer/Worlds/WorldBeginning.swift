import FitIQAPI
import FitIQBackend
import Scenarios

/// The requested settings of a new world.
struct WorldDraft: Sendable {
    var settings: WorldSettings
    /// The bytes counted for the scenario, if it came over the network.
    var scenarioBytes = 0
    /// Whether the active faults stay.
    var keepsFaults = false
    /// Whether its client is judged from the start.
    var isJudged = false
}

/// A draft whose data is worked out: a world can start with it at once.
///
/// It is a function of values, so a job can make it.
struct WorldBeginning: Sendable {
    let draft: WorldDraft
    let state: World.State
    /// The room that the other worlds left when it was made.
    let room: StorageRoom

    /// Works out a draft, if there is room for it.
    ///
    /// - Throws: 400 if the data is inconsistent or the session was not read, 507 if there is no room.
    init(_ draft: WorldDraft, in shared: SharedRoom, now: Timestamp) throws(APIError) {
        try shared.check(bringing: draft.scenarioBytes)
        self.draft = draft
        room = shared.rest(written: draft.scenarioBytes)
        state = try World.State(
            draft.settings, room: shared.storage(written: draft.scenarioBytes), exportRoom: room, now: now)
    }

    /// Refuses it if other worlds have taken the room in the meantime.
    ///
    /// - Throws: 507.
    func check(in shared: SharedRoom) throws(APIError) {
        try shared.check(bringing: draft.scenarioBytes)
        let left = shared.rest(written: draft.scenarioBytes)
        guard left.bytes >= room.bytes || state.storedBytes <= left.bytes else {
            throw .storeFull("bytes", limit: left.limit)
        }
    }
}

/// What a limit that all worlds share leaves one of them, at one moment.
struct SharedRoom: Sendable {
    /// Bytes that all worlds hold, and this world's part of them.
    let all, held: Int
    let limit: Int
    /// What the world may hold, however little the others do.
    let own: Int

    /// How much JSON the world may hold in addition to what the admin API brings.
    func storage(written: Int) -> StorageRoom {
        let rest = rest(written: written)
        return rest.bytes < own ? rest : StorageRoom(bytes: own, limit: own)
    }

    /// How much it may hold regardless of its own limit.
    func rest(written: Int) -> StorageRoom { StorageRoom(bytes: limit - (all - held) - written, limit: limit) }

    /// Refuses new input of the admin API, in place of what the world holds, if there is no room for it.
    ///
    /// - Throws: 507.
    func check(bringing bytes: Int) throws(APIError) {
        let more = max(0, bytes - held)
        guard more == 0 || all + more <= limit else { throw .storeFull("bytes", limit: limit) }
    }
}

extension Scenario {
    /// Whether it takes more than a millisecond or two to start with, or to free.
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
        return false
    }

    /// The most entities that are made on the loop itself.
    private static let entitiesOnLoop = 200
}

extension World {
    /// Whether an export of it takes long to write.
    var isLargeToWrite: Bool { backend.storedBytes > Engine.largestWorkOnLoop }

    var isLargeToFree: Bool {
        let users = 64 * (backend.userCount + settings.scenario.data.users.count)
        return storedBytes + users + journal.weight > Engine.largestWorkOnLoop || settings.scenario.isLarge
            || reloadedSettings?.scenario.isLarge ?? false
    }
}

/// Reads the draft of a world.
typealias DraftReader = @Sendable () throws(APIError) -> WorldDraft

/// Worlds that start on request: at once if that is little work, and off the loop if it is much.
extension Engine {
    /// Reads a draft, works it out, and starts a world with it.
    ///
    /// - Parameters:
    ///   - world: The world to start again, which stands still in the meantime; nil to create one.
    ///   - bodySize: How many bytes of the request a job would hold.
    ///   - reader: Makes the reader of the request, a function of values; called again if the world's scenario was
    ///     reloaded in the meantime, as its settings would be lost otherwise.
    ///   - then: Starts the world, and makes the answer.
    /// - Returns: The answer; nil if the request waits for a job.
    /// - Throws: What either refuses, if no job is needed; 507 if jobs hold too much already.
    func begin(
        _ world: World?, for exchange: Exchange, holding bodySize: Int, reading reader: @escaping () -> DraftReader,
        then: @escaping (Engine, Result<WorldBeginning, APIError>, Timestamp) throws(APIError) -> Answer
    ) throws(APIError) -> Answer? {
        let now = exchange.now
        var known: Result<WorldDraft, APIError>?
        if startJob == nil || bodySize <= Engine.largestWorkOnLoop {
            let read = Result(catching: reader())
            guard startJob != nil, case .success(let small) = read, small.settings.scenario.isLarge else {
                return try then(self, read.beginning(in: worlds.room(of: world), now: now), now)
            }
            known = read
        }
        guard hasRoom(forJobOf: bodySize) else { throw .tooMuchToRead }
        let awaited = awaitJob(for: exchange, holding: bodySize)
        if let world { stand(world) }
        prepare(known, for: world, at: now, reading: reader) { engine, beginning, now in
            engine.conclude(awaited, with: engine.adopt(beginning, then, at: now), at: now)
            if let world { engine.resume(world, at: now) }
        }
        return nil
    }

    /// Works out a draft off the loop, again if its scenario was replaced in the meantime.
    private func prepare(
        _ known: Result<WorldDraft, APIError>?, for world: World?, at now: Timestamp,
        reading reader: @escaping () -> DraftReader,
        then: @escaping (Engine, Parcel<Result<WorldBeginning, APIError>>, Timestamp) -> Void
    ) {
        let (draft, room, reloads) = (reader(), worlds.room(of: world), world?.reloadCount)
        beside(at: now) {
            (known ?? Result(catching: draft)).beginning(in: room, now: now)
        } then: { engine, beginning, now in
            guard world?.reloadCount == reloads else {
                engine.discard(beginning.take())
                return engine.prepare(nil, for: world, at: now, reading: reader, then: then)
            }
            then(engine, beginning, now)
        }
    }

    /// Starts a world with the result of a job; on return the world is the result's only owner.
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
    fileprivate func beginning(in room: SharedRoom, now: Timestamp) -> Result<WorldBeginning, APIError> {
        Result<WorldBeginning, APIError> { () throws(APIError) in try WorldBeginning(get(), in: room, now: now) }
    }
}
