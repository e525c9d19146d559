import FitIQAPI
import FitIQBackend
import HTTP1
import Scenarios

/// What a world is to be made of, as it was asked for.
struct WorldDraft: Sendable {
    var settings: WorldSettings
    /// What the scenario counts for, where it came over the network.
    var scenarioBytes = 0
    /// Whether the faults that are in force stay.
    var keepsFaults = false
    /// Whether its client is judged from the beginning.
    var isJudged = false
}

/// A draft whose data is worked out: a world can begin with it in no time.
///
/// It is a function of values, so a job can make it.
struct WorldBeginning: Sendable {
    let draft: WorldDraft
    let state: World.State
    /// What the other worlds left it when it was made.
    let room: StorageRoom

    /// Works a draft out, where there is room for it.
    ///
    /// - Throws: 400 where the data does not fit together or the session was not read, 507 where there is no room.
    init(_ draft: WorldDraft, in shared: SharedRoom, now: Timestamp) throws(APIError) {
        try shared.check(bringing: draft.scenarioBytes)
        self.draft = draft
        room = shared.rest(written: draft.scenarioBytes)
        state = try World.State(
            draft.settings, room: shared.storage(written: draft.scenarioBytes), exportRoom: room, now: now)
    }

    /// Refuses it where other worlds have taken the room meanwhile.
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

/// What a limit that all worlds share leaves one of them, as it was at a moment.
struct SharedRoom: Sendable {
    /// Bytes that all worlds hold, and those of them that this one does.
    let all, held: Int
    let limit: Int
    /// What the world may hold, however little the others do.
    let own: Int

    /// How much JSON the world may hold beside what the admin API brings.
    func storage(written: Int) -> StorageRoom {
        let rest = rest(written: written)
        return rest.bytes < own ? rest : StorageRoom(bytes: own, limit: own)
    }

    /// How much it may hold where its own limit does not count.
    func rest(written: Int) -> StorageRoom { StorageRoom(bytes: limit - (all - held) - written, limit: limit) }

    /// Refuses what the admin API is about to bring, in place of what the world holds, where there is no room for it.
    ///
    /// - Throws: 507.
    func check(bringing bytes: Int) throws(APIError) {
        let more = max(0, bytes - held)
        guard more == 0 || all + more <= limit else { throw .storeFull("bytes", limit: limit) }
    }
}

extension Scenario {
    /// Whether it takes long to begin with, or to free: more than a millisecond or two.
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
    /// Whether it takes long to write down: what an export contains.
    var isLargeToWrite: Bool { backend.storedBytes > Engine.largestWorkOnLoop }

    /// Whether it takes long to free.
    var isLargeToFree: Bool {
        let users = 64 * (backend.userCount + settings.scenario.data.users.count)
        return storedBytes + users + journal.weight > Engine.largestWorkOnLoop || settings.scenario.isLarge
            || reloadedSettings?.scenario.isLarge ?? false
    }
}

/// A request that has a world begin, with what its job holds.
struct BeginningRequest {
    let head: RequestHead
    let connection: Connection
    let bodySize: Int
}

/// Reads what a world is to begin with.
typealias DraftReader = @Sendable () throws(APIError) -> WorldDraft

/// Worlds that begin as a request says: at once where that is little work, and beside the loop where it is much.
extension Engine {
    /// Reads a draft, works it out, and has a world begin with it.
    ///
    /// - Parameters:
    ///   - world: the one that begins anew, which stands meanwhile; nil where one is made.
    ///   - reader: makes what reads what was asked for, a function of values; asked again where the world's scenario was
    ///     loaded again meanwhile, whose settings would be lost else.
    ///   - then: has the world begin, and makes the answer.
    /// - Returns: the answer; nil where the request waits for a job.
    /// - Throws: what either refuses, where no job is needed; 507 where jobs hold too much already.
    func begin(
        _ world: World?, for request: BeginningRequest, at now: Timestamp,
        reading reader: @escaping () -> DraftReader,
        then: @escaping (Engine, Result<WorldBeginning, APIError>, Timestamp) throws(APIError) -> Answer
    ) throws(APIError) -> Answer? {
        var known: Result<WorldDraft, APIError>?
        if startJob == nil || request.bodySize <= Engine.largestWorkOnLoop {
            let read = Result(catching: reader())
            guard startJob != nil, case .success(let small) = read, small.settings.scenario.isLarge else {
                return try then(self, read.beginning(in: worlds.room(of: world), now: now), now)
            }
            known = read
        }
        guard hasRoom(forJobOf: request.bodySize) else { throw .tooMuchToRead }
        let awaited = awaitJob(for: request.head, on: request.connection, holding: request.bodySize)
        if let world { stand(world) }
        prepare(known, for: world, at: now, reading: reader) { engine, beginning, now in
            engine.conclude(awaited, with: engine.adopt(beginning, then, at: now), at: now)
            if let world { engine.resume(world, at: now) }
        }
        return nil
    }

    /// Works a draft out beside the loop, again where it is that of a scenario that was replaced meanwhile.
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

    /// Has a world begin with what a job made; when it returns, the world is the only owner of that.
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
    /// Works the draft out.
    fileprivate func beginning(in room: SharedRoom, now: Timestamp) -> Result<WorldBeginning, APIError> {
        Result<WorldBeginning, APIError> { () throws(APIError) in
            try WorldBeginning(get(), in: room, now: now)
        }
    }
}
