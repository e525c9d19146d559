import FitIQAPI

@testable import FitIQBackend

/// A backend's invariants.
enum Invariants {
    /// The violations among one user's consultations.
    static func violations(of user: UserID?, in world: World) -> [String] {
        guard let user else { return [] }
        return violations(of: user, world)
    }

    /// The violations in the byte count.
    ///
    /// A wrong count stays wrong, so it need not be checked after every step.
    static func violationsOfBytes(in world: World) -> [String] {
        let userBytes = world.backend.users.reduce(0) { $0 + $1.byteCount }
        let sum =
            userBytes + world.backend.consultations.reduce(0) { $0 + $1.byteCount }
            + world.backend.goals.reduce(0) { $0 + $1.encoded.byteCount }
            + world.backend.mealLogs.reduce(0) { $0 + $1.byteCount }
            + world.backend.users.flatMap(\.photos).reduce(0) { $0 + $1.byteCount }
            + world.backend.users.flatMap(\.documents.values).joined().reduce(0) { $0 + $1.byteCount }
        return sum == world.backend.storedBytes ? [] : ["\(world.backend.storedBytes) bytes counted, \(sum) held"]
    }

    private static func violations(of user: UserID, _ world: World) -> [String] {
        let backend = world.backend
        let owner = backend.users[user]
        var violations: [String] = []
        var activeCount = 0
        for position in owner.consultations {
            let record = backend.consultations[position]
            if record.consultation.isActive { activeCount += 1 }
            if record.consultation.isActive != owner.active.contains(position) {
                violations.append(
                    "\(record.consultation.id) is \(record.consultation.status), the list of active ones differs")
            }
            violations += self.violations(of: record, world)
        }
        let topics = Set(owner.active.map { backend.consultations[$0].topic })
        if backend.configuration.rules.perTopic != .many, topics.count < owner.active.count {
            violations.append("two active ones have the same topic")
        }
        if activeCount != owner.active.count || activeCount > 10 {
            violations.append("\(activeCount) active, \(owner.active.count) listed")
        }
        let changes = owner.consultations.map { (backend.consultations[$0].consultation.updatedAt, $0) }
        if zip(changes, changes.dropFirst()).contains(where: { $0 >= $1 })
            || !owner.consultations.isConsistent({ backend.consultations[$0].consultation.kind })
        {
            violations.append("the list of consultations is out of order")
        }
        violations += violationsOfLinks(of: user, world)
        violations += violationsOfSockets(of: owner, backend)
        violations += violationsOfMealLogs(of: owner, world)
        return violations
    }

    private static func violations(of record: ConsultationRecord, _ world: World) -> [String] {
        let consultation = record.consultation
        var violations: [String] = []
        func expect(_ condition: Bool, _ what: @autoclosure () -> String) {
            if !condition { violations.append("\(consultation.id): \(what())") }
        }
        expect(consultation.messageCount == record.history.count, "message_count is off")
        expect(consultation.lastMessageAt == record.history.messages.last?.createdAt, "last_message_at is off")
        expect(consultation.updatedAt >= consultation.lastMessageAt ?? consultation.createdAt, "updated_at is off")
        expect(consultation.updatedAt <= world.turn.now, "updated_at lies in the future")
        expect(record.waiting.count <= 16, "\(record.waiting.count) messages wait")
        expect(
            !record.awaitsAnswer || (record.waiting.count == 1 && record.sockets.isEmpty),
            "a message waits, and nothing streams")
        if !consultation.isActive {
            expect(record.answer == nil && record.waiting.isEmpty && record.sockets.isEmpty, "archived, and not quiet")
        }
        if let answer = record.answer {
            expect(answer.nextTime > world.turn.now, "a deadline was not served")
            expect(world.backend.nextDeadline.map { $0 <= answer.nextTime } == true, "a deadline is not told")
            expect(answer.audience.allSatisfy { record.sockets.contains($0.socket) }, "a closed socket listens")
        }
        expect(record.sockets.allSatisfy { world.backend.sockets[$0] != nil }, "a closed socket is listed")
        return violations
    }

    /// The violations among all users, including slow checks.
    static func deepViolations(of world: World) -> [String] {
        let backend = world.backend
        var violations = violationsOfBytes(in: world)
        violations += backend.users.ids.flatMap { self.violations(of: $0, world) }
        for (position, record) in zip(backend.consultations.positions, backend.consultations) {
            let consultation = record.consultation
            let messages = record.history.messages
            func expect(_ condition: Bool, _ what: String) {
                if !condition { violations.append("\(consultation.id): \(what)") }
            }
            expect(backend.consultations.position(of: consultation.id) == position, "found elsewhere")
            expect(record.listItem == consultation.listItem(in: .union), "the list shows something old")
            expect(
                record.body == consultation.body(answering: .showConsultation, in: .union, origin: World.origin),
                "get shows something old")
            expect(
                zip(messages, messages.dropFirst()).allSatisfy { $0.createdAt <= $1.createdAt }, "history out of order")
            expect(Set(messages.map(\.id)).count == messages.count, "a message id occurs twice")
            expect(messages.count { $0.role == .user } == record.askedCount, "askedCount is off")
            expect(messages.contains { $0.role == .assistant } == consultation.isAnswered, "isAnswered is off")
        }
        violations += deepViolationsOfGoals(of: world)
        for (socket, open) in backend.sockets {
            let count =
                switch open.place {
                case .consultation(let position): backend.consultations[position].sockets.count { $0 == socket }
                case .meals(let user): backend.mealSockets[user]?.open == socket ? 1 : 0
                }
            if count != 1 { violations.append("\(socket) is not listed once") }
        }
        violations += deepViolationsOfMealLogs(in: world)
        return violations
    }
}
