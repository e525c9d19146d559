import FitIQAPI
import JSON

@testable import FitIQBackend

extension World {
    /// A world that begins with this data.
    init(
        planting data: WorldData, seed: UInt64 = 1, pace: Pace = .human, mode: GuideMode = .union,
        isRestored: Bool = false
    ) throws(PlantError) {
        self.init(seed: seed, pace: pace, mode: mode)
        try backend.plant(data, &turn, isRestored: isRestored)
    }

    init(
        planting user: UserData, _ others: UserData..., seed: UInt64 = 1, mode: GuideMode = .union
    ) throws(PlantError) {
        try self.init(planting: WorldData(users: [user] + others), seed: seed, mode: mode)
    }

    mutating func plant(_ users: UserData...) throws(PlantError) { try backend.plant(WorldData(users: users), &turn) }

    /// A new world with this world's contents, time and rules.
    func replanted(seed: UInt64 = 1) throws(PlantError) -> World {
        let configuration = backend.configuration
        var copy = World(seed: seed, mode: configuration.mode, perTopic: configuration.rules.perTopic ?? .one)
        copy.turn.now = turn.now
        try copy.backend.plant(data, &copy.turn)
        return copy
    }

    /// A world that begins with one user and their data.
    static func holding(
        goals: [GoalData] = [], consultations: [ConsultationData] = [], filledUpTo count: Int? = nil,
        mealLogs: [MealLogData] = []
    ) throws(PlantError) -> World {
        let user = UserData(
            id: "user-1", goals: goals, consultations: consultations, fillActiveConsultations: count,
            mealLogs: mealLogs)
        return try World(planting: user)
    }

    /// The only user, or the first of several.
    var firstUser: UserID { UserID(index: 0) }

    /// The world as a document.
    var data: WorldData { backend.data(at: turn.now, issuedIDs: turn.identifiers.issuedCount) }

    /// The answers to every read-only REST request, by request.
    func everything() throws -> [String: [UInt8]] {
        var answers: [String: [UInt8]] = [:]
        for user in backend.users.ids {
            let name = backend.users[user].id
            answers["\(name): goals"] = backend.goals(for: user, at: turn.now).make()
            answers["\(name): consultations"] = backend.consultations(try .init(query: []), for: user)
            answers["\(name): second page"] = backend.consultations(
                try .init(query: [("page", "2"), ("limit", "3")]), for: user)
            answers["\(name): meal logs"] = backend.mealLogs(try .init(query: [("limit", "100")]), for: user).make()
            for position in backend.users[user].goals {
                let id = backend.goals[position].goal.id.description
                answers["goal \(id)"] = try backend.goal(id, for: user)
            }
            for position in backend.users[user].consultations {
                let id = backend.consultations[position].consultation.id.description
                answers["consultation \(id)"] = try backend.consultation(id, for: user)
                answers["messages \(id)"] = try history(id, for: user)
            }
            for position in backend.users[user].mealLogs {
                let id = backend.mealLogs[position].log.id.description
                answers["meal log \(id)"] = try backend.mealLog(id, for: user)
            }
            for photo in backend.users[user].photos {
                let id = photo.log.id.description
                answers["photo \(id)"] = try backend.mealPhoto(id, for: user)
            }
        }
        return answers
    }
}

extension DataTime {
    static func minutesAgo(_ minutes: Int64) -> DataTime { .before(minutes * 60_000_000_000) }
}

extension ResourceID {
    /// An id by number, for documents.
    static func numbered(_ number: UInt64) -> ResourceID { ResourceID(randomBits: 0, number) }
}
