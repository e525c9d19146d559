import FitIQAPI
import JSON

/// What makes two active consultations of a user duplicates (consultation-websocket, 409).
struct Topic: Hashable, Sendable {
    var persona: Persona
    var context: ConsultationContext
}

/// One user and what is theirs, as positions in the backend's lists.
struct User: Sendable {
    let id: ExactString
    /// All consultations, oldest first.
    var consultations: [Int] = []
    /// The active ones.
    ///
    /// One for each topic is the rule of 409, so the count of these is the count for 429.
    var active: [Topic: Int] = [:]
    /// All goals, oldest first.
    var goals: [Int] = []
    /// All meal logs, by the time that the client gave, then in the order in which they came.
    var mealLogs: [Int] = []

    /// What the id is in JSON, with the names of the lists beside it.
    ///
    /// No request is answered with it, but an export has it, and must have no more than what is counted.
    var byteCount: Int {
        var writer = JSONWriter(reserving: id.utf8.count + 2)
        writer.value(id.text)
        return writer.bytes.count + 64
    }
}

/// The users of a world.
struct UserTable: Sendable {
    private var users: [User] = []
    private var numbers: [ExactString: UserID] = [:]

    var count: Int { users.count }
    /// What all users count for, but for what they have.
    var byteCount: Int { users.reduce(0) { $0 + $1.byteCount } }

    subscript(id: ExactString) -> UserID? { numbers[id] }

    subscript(user: UserID) -> User {
        _read { yield users[user.index] }
        _modify { yield &users[user.index] }
    }

    mutating func add(_ id: ExactString) -> UserID {
        let user = UserID(index: users.count)
        users.append(User(id: id))
        numbers[id] = user
        return user
    }
}
