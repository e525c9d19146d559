import FitIQAPI
import JSON

/// Plants a document into a copy of a backend, which the caller takes over where nothing was refused.
struct Planter {
    var backend: Backend
    var turn: Turn
    /// How much the world may hold when it is planted.
    let room: StorageRoom

    var now: Timestamp { turn.now }
    var limits: Limits { backend.configuration.limits }

    mutating func plant(_ data: WorldData) throws(PlantError) {
        try passOverIssuedIDs(of: data)
        var names: Set<ExactString> = []
        for (index, user) in data.users.enumerated() {
            let path = "users[\(index)]"
            guard names.insert(user.id).inserted else { throw .duplicateUser("\(path).id", user.id.text) }
            try plant(user, at: path)
        }
    }

    private mutating func plant(_ data: UserData, at path: String) throws(PlantError) {
        let user = try user(data.id, at: path)
        var goals = try goalDrafts(of: data, user, at: path)
        var consultations = try consultationDrafts(of: data, user, goals: goals, at: path)
        try fillActive(data, user, &consultations, at: path)
        try chooseConversations(of: &goals, in: consultations.drafts, at: path)
        try insert(goals.goals, of: user, at: path)
        insert(consultations.drafts, of: user)
        try plantMealLogs(of: data, user, at: path)
    }

    private mutating func user(_ id: ExactString, at path: String) throws(PlantError) -> UserID {
        // What a token's `sub` may be: nobody could sign in as anybody else.
        try check(id.text, "\(path).id", TextLengths.user, bytes: AccessToken.userBytes)
        if let user = backend.users[id] { return user }
        guard backend.users.count < limits.users else {
            throw .tooMany(path, "users", backend.users.count + 1, limit: limits.users)
        }
        try checkStorage(path)
        return backend.add(id)
    }

    /// Refuses what begins when the world is full already, as requests are refused.
    func checkStorage(_ path: @autoclosure () -> String, planned: Int = 0) throws(PlantError) {
        guard backend.storedBytes + planned < room.bytes else { throw .storeFull(path(), limit: room.limit) }
    }
}

extension Planter {
    /// What is listed oldest first, with its place in the document, which decides where times are the same.
    static func oldestFirst<Draft>(
        _ drafts: [Draft], by createdAt: (Draft) -> Timestamp
    ) -> [(index: Int, draft: Draft)] {
        drafts.enumerated().map { ($0.offset, $0.element) }
            .sorted { (createdAt($0.1), $0.0) < (createdAt($1.1), $1.0) }
    }
}
