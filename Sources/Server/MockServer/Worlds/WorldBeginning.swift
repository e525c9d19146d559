import FitIQAPI
import FitIQBackend
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
