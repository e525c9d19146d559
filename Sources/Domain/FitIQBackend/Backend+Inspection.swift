import FitIQAPI
import JSON

/// What a backend holds, as plain facts for those who check it from outside: the simulator of the tests.
///
/// Nothing here changes anything, and nothing in the server asks for it.
extension Backend {
    /// What is to be known of a consultation.
    package struct ConsultationFacts: Sendable {
        /// The consultation as it is answered.
        package let consultation: Consultation
        /// Whether it is the one that its user's persona and context are taken by.
        package let isListedAsActive: Bool
        /// Messages in its history.
        package let historyCount: Int
        /// When the last of them was stored.
        package let lastStoredAt: Timestamp?
        /// Its open sockets.
        package let socketCount: Int
        /// Whether an answer streams.
        package let isAnswering: Bool
        /// Messages that wait for an answer.
        package let waitingCount: Int
    }

    /// How much there is of everything, and what is counted beside it.
    package struct Totals: Sendable, Equatable {
        /// Entities in the backend's lists.
        package let users, consultations, goals, mealLogs, sockets: Int
        /// Sockets as consultations list them.
        package let listedSockets: Int
        /// Consultations in which an answer streams.
        package let answers: Int
        /// Meal logs that are being processed.
        package let processing: Int
        /// Steps that are due some time, those that will be passed over included.
        package let scheduled: Int
        /// Bytes of JSON as they were counted, and as they are.
        package let countedBytes, heldBytes: Int
    }

    /// The consultations of a user, oldest first.
    package func inspectConsultations(of subject: String, _ body: (ConsultationFacts) -> Void) {
        guard let user = users[ExactString(subject)] else { return }
        for position in users[user].consultations { body(facts(at: position)) }
    }

    /// How many consultations a user has, in any status.
    package func consultationCount(of subject: String) -> Int {
        users[ExactString(subject)].map { users[$0].consultations.count } ?? 0
    }

    /// A consultation of a user by its number from 0, oldest first.
    package func consultationID(_ number: Int, of subject: String) -> ResourceID? {
        guard let user = users[ExactString(subject)], users[user].consultations.indices.contains(number) else {
            return nil
        }
        return consultations[users[user].consultations[number]].consultation.id
    }

    /// What is to be known of one consultation, whoever's it is.
    package func consultationFacts(_ id: ResourceID) -> ConsultationFacts? { positions[id].map(facts(at:)) }

    /// The history of a consultation, oldest first.
    package func inspectMessages(of id: ResourceID) -> [Message] {
        positions[id].map { consultations[$0].history.messages } ?? []
    }

    /// The goals of a user, oldest first.
    package func inspectGoals(of subject: String, _ body: (Goal) -> Void) {
        guard let user = users[ExactString(subject)] else { return }
        for position in users[user].goals { body(goals[position].goal) }
    }

    /// How many goals a user has.
    package func goalCount(of subject: String) -> Int { users[ExactString(subject)].map { users[$0].goals.count } ?? 0 }

    /// A goal of a user by its number from 0, oldest first.
    package func goalID(_ number: Int, of subject: String) -> ResourceID? {
        guard let user = users[ExactString(subject)], users[user].goals.indices.contains(number) else { return nil }
        return goals[users[user].goals[number]].goal.id
    }

    /// A goal, whoever's it is.
    package func inspectGoal(_ id: ResourceID) -> Goal? { goalPositions[id].map { goals[$0].goal } }

    /// The meal logs of a user, by the time that the client gave.
    package func inspectMealLogs(of subject: String, _ body: (MealLog) -> Void) {
        guard let user = users[ExactString(subject)] else { return }
        for position in users[user].mealLogs { body(mealLogs[position].log) }
    }

    /// How many meal logs a user has.
    package func mealLogCount(of subject: String) -> Int {
        users[ExactString(subject)].map { users[$0].mealLogs.count } ?? 0
    }

    /// A meal log of a user by its number from 0, by the time that the client gave.
    package func mealLogID(_ number: Int, of subject: String) -> ResourceID? {
        guard let user = users[ExactString(subject)], users[user].mealLogs.indices.contains(number) else { return nil }
        return mealLogs[users[user].mealLogs[number]].log.id
    }

    /// Whether a meal log exists, whoever's it is.
    package func hasMealLog(_ id: ResourceID) -> Bool { mealLogPositions[id] != nil }

    /// How much there is of everything; looks at everything.
    package func inspectTotals() -> Totals {
        Totals(
            users: users.count, consultations: consultations.count, goals: goals.count, mealLogs: mealLogs.count,
            sockets: sockets.count, listedSockets: consultations.reduce(0) { $0 + $1.sockets.count },
            answers: consultations.reduce(0) { $0 + ($1.answer == nil ? 0 : 1) },
            processing: mealLogs.reduce(0) { $0 + ($1.log.status == .processing ? 1 : 0) },
            scheduled: schedule.count, countedBytes: storedBytes,
            heldBytes: users.byteCount + consultations.reduce(0) { $0 + $1.byteCount }
                + goals.reduce(0) { $0 + $1.encoded.byteCount } + mealLogs.reduce(0) { $0 + $1.byteCount })
    }

    private func facts(at position: Int) -> ConsultationFacts {
        let record = consultations[position]
        return ConsultationFacts(
            consultation: record.consultation,
            isListedAsActive: users[record.owner].active[record.topic] == position,
            historyCount: record.history.count, lastStoredAt: record.history.messages.last?.createdAt,
            socketCount: record.sockets.count, isAnswering: record.answer != nil, waitingCount: record.waiting.count)
    }
}
