import FitIQAPI
import JSON

/// The key of duplicate active consultations of a user (consultation-websocket, 409).
struct Topic: Hashable, Sendable {
    var persona: Persona
    var context: ConsultationContext
}

/// A user and their entities, as indexes into the backend's lists.
struct User: Sendable {
    let id: ExactString
    /// Oldest first.
    var consultations: [Int] = []
    /// The active consultations.
    ///
    /// The 409 rule allows one per topic, so this count serves for 429.
    var active: [Topic: Int] = [:]
    /// Oldest first.
    var goals: [Int] = []
    /// Ordered by the client's time, then by arrival.
    var mealLogs: [Int] = []

    /// The size of the id in JSON, with the names of the lists next to it.
    ///
    /// No response contains it, but an export does, and must not exceed what is counted.
    var byteCount: Int {
        var writer = JSONWriter(reserving: id.utf8.count + 2)
        writer.value(id.text)
        return writer.bytes.count + 64
    }
}

struct UserTable: Sendable {
    private var users: [User] = []
    private var numbers: [ExactString: UserID] = [:]

    var count: Int { users.count }
    /// The size of all users without their entities.
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
