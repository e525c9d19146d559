import FitIQAPI
import JSON

/// Read access to a backend's contents for external checks, such as the simulator of the tests.
///
/// Nothing here changes anything, and the server does not use it.
extension Backend {
    package struct ConsultationFacts: Sendable {
        /// The consultation as in responses.
        package let consultation: Consultation
        /// Whether it occupies its user's persona and context.
        package let isListedAsActive: Bool
        package let historyCount: Int
        /// The time at which the last message was stored.
        package let lastStoredAt: Timestamp?
        package let socketCount: Int
        package let isAnswering: Bool
        package let waitingCount: Int
    }

    /// The totals of everything, with the separately kept counts.
    package struct Totals: Sendable, Equatable {
        package let users, consultations, goals, mealLogs, sockets: Int
        /// The number of sockets in the lists of consultations.
        package let listedSockets: Int
        package let answers: Int
        package let processing: Int
        /// The number of scheduled steps, including obsolete ones.
        package let scheduled: Int
        /// Bytes of JSON: as counted, and actual.
        package let countedBytes, heldBytes: Int
    }

    /// Visits the consultations of a user, oldest first.
    package func inspectConsultations(of subject: String, _ body: (ConsultationFacts) -> Void) {
        guard let user = users[ExactString(subject)] else { return }
        for position in users[user].consultations { body(facts(at: position)) }
    }

    package func consultationCount(of subject: String) -> Int {
        users[ExactString(subject)].map { users[$0].consultations.count } ?? 0
    }

    /// The id of a user's consultation by its index from 0, oldest first.
    package func consultationID(_ number: Int, of subject: String) -> ResourceID? {
        guard let user = users[ExactString(subject)], users[user].consultations.indices.contains(number) else {
            return nil
        }
        return consultations[users[user].consultations[number]].consultation.id
    }

    /// The facts of one consultation of any user.
    package func consultationFacts(_ id: ResourceID) -> ConsultationFacts? { positions[id].map(facts(at:)) }

    /// The history of a consultation, oldest first.
    package func inspectMessages(of id: ResourceID) -> [Message] {
        positions[id].map { consultations[$0].history.messages } ?? []
    }

    /// Visits the goals of a user, oldest first.
    package func inspectGoals(of subject: String, _ body: (Goal) -> Void) {
        guard let user = users[ExactString(subject)] else { return }
        for position in users[user].goals { body(goals[position].goal) }
    }

    package func goalCount(of subject: String) -> Int { users[ExactString(subject)].map { users[$0].goals.count } ?? 0 }

    /// The id of a user's goal by its index from 0, oldest first.
    package func goalID(_ number: Int, of subject: String) -> ResourceID? {
        guard let user = users[ExactString(subject)], users[user].goals.indices.contains(number) else { return nil }
        return goals[users[user].goals[number]].goal.id
    }

    /// A goal of any user.
    package func inspectGoal(_ id: ResourceID) -> Goal? { goalPositions[id].map { goals[$0].goal } }

    /// Visits the meal logs of a user, ordered by the client's time.
    package func inspectMealLogs(of subject: String, _ body: (MealLog) -> Void) {
        guard let user = users[ExactString(subject)] else { return }
        for position in users[user].mealLogs { body(mealLogs[position].log) }
    }

    package func mealLogCount(of subject: String) -> Int {
        users[ExactString(subject)].map { users[$0].mealLogs.count } ?? 0
    }

    /// The id of a user's meal log by its index from 0, ordered by the client's time.
    package func mealLogID(_ number: Int, of subject: String) -> ResourceID? {
        guard let user = users[ExactString(subject)], users[user].mealLogs.indices.contains(number) else { return nil }
        return mealLogs[users[user].mealLogs[number]].log.id
    }

    package func hasMealLog(_ id: ResourceID) -> Bool { mealLogPositions[id] != nil }

    /// Computes the totals by visiting everything.
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
