import FitIQAPI
import FitIQBackend
import JSON
import MockServer
import Scenarios
import TestSupport

/// The invariants, which hold regardless of the clients' actions.
extension Simulator {
    /// After each step, checks the connections, the deadlines, and the user who acted.
    func checkStep(_ user: SimulatedUser?) {
        checkConnections()
        checkDeadlines()
        checkHolds()
        guard let user else { return }
        checkUser(user.subject, of: user.world)
        checkMealSockets(in: user.world)
    }

    /// At the end of each session, checks all users of its world.
    func checkWorld(_ world: SimulatedWorld) {
        for user in world.users { checkUser(user.subject, of: world) }
        checkExport(world)
        checkDeleted(in: world)
        checkTokens(in: world)
        guard let totals = engine.inspectBackend(ofWorld: world.id, { $0.inspectTotals() }) else { return }
        if totals.countedBytes != totals.heldBytes {
            fail("\(totals.countedBytes) bytes are counted, \(totals.heldBytes) are held", in: world)
        }
        if totals.sockets != totals.listedSockets {
            fail("\(totals.sockets) sockets are open, \(totals.listedSockets) are listed", in: world)
        }
        if totals.scheduled < totals.answers + totals.processing {
            fail(
                "\(totals.answers) answers and \(totals.processing) meals wait for \(totals.scheduled) steps", in: world
            )
        }
    }

    /// Checks that a world's export can be imported under the same limits, and that exporting the result gives the same
    /// export.
    private func checkExport(_ world: SimulatedWorld) {
        guard let facts = engine.inspectWorld(world.id),
            let data = engine.inspectBackend(ofWorld: world.id, { $0.data(at: facts.now, issuedIDs: 1) })
        else { return }
        let file = data.scenarioFile(name: "export", guide: world.mode, seed: 1, clock: .manual(start: facts.now))
        do {
            let read = try Scenario.readState(file, file: "export").data
            var backend = Backend(Backend.Configuration(origin: "http://127.0.0.1", mode: world.mode, limits: limits))
            var turn = Turn(now: facts.now, identifiers: ResourceIDSequence(seed: 1))
            try backend.plant(read, &turn)
            if backend.data(at: facts.now, issuedIDs: 1) != data { fail("an export is imported as another", in: world) }
        } catch {
            fail("an export cannot be imported: \(error)", in: world)
        }
    }

    /// At the end of the run, when all clients have left, checks that nothing is left.
    func checkEnd() {
        let connections = engine.inspectConnections()
        for world in worlds {
            guard let count = engine.inspectWorld(world.id)?.heldCount, count > 0 else { continue }
            fail("nobody is there, and \(count) things are held", in: world)
        }
        if connections != .none { fail("nobody is there, and the server holds \(connections)", in: nil) }
        if !engine.isEmpty { fail("nobody is there, and the server is not empty", in: nil) }
        if !engine.takeTouched().isEmpty { fail("connections that are gone are still to be served", in: nil) }
        for world in worlds {
            checkWorld(world)
            guard let totals = engine.inspectBackend(ofWorld: world.id, { $0.inspectTotals() }) else { continue }
            if totals.sockets > 0 { fail("nobody is there, and \(totals.sockets) sockets are open", in: world) }
            if totals.answers > 0 { fail("\(totals.answers) answers never end", in: world) }
            if totals.processing > 0 { fail("\(totals.processing) meals are never worked out", in: world) }
            if totals.scheduled > 0 { fail("\(totals.scheduled) steps are never made", in: world) }
            if let facts = engine.inspectWorld(world.id), facts.effectCount + facts.heldOutputCount > 0 {
                fail("\(facts.effectCount) effects and \(facts.heldOutputCount) held outputs are left", in: world)
            }
            if let held = engine.inspectWorld(world.id)?.heldCount, held > 0 {
                fail("nobody is there, and \(held) things are held", in: world)
            }
        }
    }

    private func checkConnections() {
        let totals = engine.inspectConnections()
        if totals.counted != totals.open || totals.open != network.openCount {
            fail("\(totals.counted) connections are counted, \(totals.open) there, \(network.openCount) open", in: nil)
        }
        if totals.countedWebSockets != totals.openWebSockets {
            fail("\(totals.countedWebSockets) WebSockets are counted, \(totals.openWebSockets) there", in: nil)
        }
        if totals.countedBytes != totals.accountedBytes {
            fail("\(totals.countedBytes) bytes are counted, \(totals.accountedBytes) are held", in: nil)
        }
        if totals.deadlines > 2 * totals.open + 1025 { fail("\(totals.deadlines) deadlines are queued", in: nil) }
        if !engine.takeTouched().isEmpty { fail("connections are touched when the turn is over", in: nil) }
    }

    private func checkDeadlines() {
        let next = engine.nextDeadline
        if let next, next <= network.now { fail("a deadline is due and was not served", in: nil) }
        for world in worlds {
            guard let facts = engine.inspectWorld(world.id) else { continue }
            if facts.effectCount > 0 { fail("\(facts.effectCount) effects were not applied", in: world) }
            let step = engine.inspectBackend(ofWorld: world.id, { $0.nextDeadline }) ?? nil
            guard let step else { continue }
            if facts.isManual {
                if step <= facts.now, facts.now > start { fail("a step of a manual clock was not made", in: world) }
            } else if next.map({ $0 > step }) ?? true {
                fail("a step is due, and the engine does not say so", in: world)
            }
        }
    }

    func now(in world: SimulatedWorld) -> Timestamp {
        world.isManual ? engine.inspectWorld(world.id)?.now ?? network.now : network.now
    }

    private func checkUser(_ subject: String, of world: SimulatedWorld) {
        let now = now(in: world)
        _ = engine.inspectBackend(ofWorld: world.id) { backend in
            checkConsultations(of: subject, in: backend, at: now, world)
            checkGoals(of: subject, in: backend, world)
        }
    }

    private func checkConsultations(
        of subject: String, in backend: Backend, at now: Timestamp, _ world: SimulatedWorld
    ) {
        var active: [Consultation] = []
        for facts in backend.consultationIDs(of: subject).compactMap(backend.consultationFacts) {
            let consultation = facts.consultation
            func expect(_ holds: Bool, _ what: @autoclosure () -> String) {
                if !holds { fail("consultation \(consultation.id): \(what())", in: world) }
            }
            expect(
                consultation.messageCount == facts.historyCount,
                "message_count is \(consultation.messageCount), \(facts.historyCount) are stored")
            expect(consultation.lastMessageAt == facts.lastStoredAt, "last_message_at is not when the last was stored")
            expect(consultation.updatedAt <= now, "updated_at lies in the future")
            expect(
                consultation.updatedAt >= facts.lastStoredAt ?? consultation.createdAt,
                "updated_at lies before its last message")
            expect(consultation.isActive == facts.isListedAsActive, "its topic is taken by another, or by none")
            expect(facts.waitingCount <= limits.waitingMessages, "\(facts.waitingCount) messages wait")
            expect(
                facts.waitingCount == 0 || facts.isAnswering || (facts.waitingCount == 1 && facts.socketCount == 0),
                "messages wait, and nothing streams")
            expect(
                consultation.isActive || (facts.socketCount == 0 && !facts.isAnswering && facts.waitingCount == 0),
                "it is \(consultation.status), and not quiet")
            if consultation.isActive {
                for other in active {
                    let isAlike = other.persona == consultation.persona && other.context == consultation.context
                    expect(!isAlike, "\(other.id) is active with the same persona and context")
                }
                active.append(consultation)
            }
        }
        if active.count > limits.activeConsultations { fail("\(subject) has \(active.count) active ones", in: world) }
    }

    private func checkGoals(of subject: String, in backend: Backend, _ world: SimulatedWorld) {
        var named: [ResourceID] = []
        for goal in backend.goalIDs(of: subject).compactMap(backend.inspectGoal) {
            guard let id = goal.conversationID else { continue }
            guard let consultation = backend.consultationFacts(id)?.consultation else {
                fail("goal \(goal.id) names \(id), which does not exist", in: world)
                continue
            }
            if consultation.userID != ExactString(subject) {
                fail("goal \(goal.id) names \(id) of another user", in: world)
            }
            if !consultation.isActive { fail("goal \(goal.id) names \(id), which is not active", in: world) }
            if consultation.goalID != goal.id { fail("goal \(goal.id) names \(id), which does not name it", in: world) }
            if named.contains(id) { fail("two goals name \(id)", in: world) }
            named.append(id)
        }
    }
}
